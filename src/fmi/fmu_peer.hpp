// An FMU as the smooth side of a coupling: it is told the wrench on a marker, and gives the marker's motion.
#pragma once

#include "tamis/cosim/peer.hpp"
#include "tamis/fmi/fmu_archive.hpp"
#include "tamis/fmi/fmu_instance.hpp"
#include "tamis/fmi/fmu_mapping.hpp"

#include <array>
#include <optional>

namespace tamis {

struct FmuOptions {
    std::filesystem::path file;
    std::string mapping;       // of variables, see fmu_mapping.hpp
    std::string values;        // that variables start with: "stiffness=1600; name=of this"
    std::filesystem::path log; // of what it says; empty: none
    bool talkative = false;    // it is to say all that it can
    int substeps = 1;          // of a macro step, each with the wrench at its end
    std::optional<Pose> frame; // of the FMU's world in this one's
    double reach = 0;          // as far as it may be from the marker at the start, m; 0: anywhere
    FmuLimits limits;
};

// An FMU that has been looked at, and not yet loaded: archive, description, mapping and values are fit to be used.
struct AcceptedFmu {
    explicit AcceptedFmu(const FmuOptions& options);

    FmuArchive archive;
    std::string name; // of its file
    FmuDescription description;
    FmuMapping mapping;
    std::vector<std::pair<FmuVariable, std::string>> values;
};

class FmuPeer : public Peer {
  public:
    // `start`: of the marker; where the FMU does not tell, it stays there.
    FmuPeer(FmuOptions options, const InterfaceMotion& start, double H);

    std::string name() const override { return "the FMU's side"; }
    int inputs() const override { return wrench_size; }
    int outputs() const override { return InterfaceMotion::size; }
    void output(std::span<const double> u, std::span<double> y) const override; // at the end of the last step
    bool predict(double H, std::span<double> y) override;
    void advance(double H, const Signal& u) override;
    void save() override; // tries out first whether the FMU can repeat a step
    void restore() override;
    void write(SavedState& out) const override;
    void read(const SavedState& in) override;
    std::uint64_t state_hash() const override;

    const InterfaceMotion& marker() const { return marker_; }

  private:
    void try_out();
    void tell(std::span<const double> wrench);
    void look(double h);
    double time() const { return static_cast<double>(steps_) * h_; }

    FmuOptions options_;
    AcceptedFmu fmu_;
    FmuLog log_;
    std::unique_ptr<FmuInstance> instance_;
    double h_;                             // sub-step
    InterfaceMotion rest_, seen_, marker_; // in the FMU's world: at the start, now; now, in this one
    long steps_ = 0;                       // sub-steps
    bool tried_ = false;                   // steps may be repeated from now on
    struct {
        long steps = 0;
        InterfaceMotion seen, marker;
    } saved_;
    std::vector<double> outputs_, inputs_;
    std::array<double, wrench_size> wire_;
};

} // namespace tamis
