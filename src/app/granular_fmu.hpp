// One instance of an FMU: the nonsmooth side of a model, driven from outside. Versions of FMI differ in the C functions
// around it (fmi2_main.cpp, fmi3_main.cpp).
#pragma once

#include "tamis/app/fmu_model.hpp"
#include "tamis/cosim/guided_side.hpp"

#include <filesystem>

namespace tamis {

class GranularFmu {
  public:
    enum Stage : unsigned { instantiated = 1, initialization = 2, stepping = 4, terminated = 8, failed = 16 };

    // The folder is that of the FMU's resources. Throws if they are not those of an FMU with this token.
    GranularFmu(const std::filesystem::path& resources, const std::string& token);

    // Every function is for certain stages, which the caller sees to, and throws an Error if it cannot do its work;
    // then all is as before, except after a step that failed.
    Stage stage() const { return stage_; }
    double time() const { return time_; }
    void set_start(double time);
    void enter_initialization() { stage_ = initialization; }
    void exit_initialization();
    void terminate() { stage_ = stage_ == failed ? failed : terminated; }
    void reset();

    const FmuModel& model() const { return model_; }
    void check(unsigned reference, const ExportValue& value) const; // that it could be set
    void set(unsigned reference, ExportValue value);
    const ExportValue& get(unsigned reference); // whose type is that of the variable

    // From t to t + H, in equal inner steps; the inputs are the motion at the end.
    void step(double t, double H);
    int unconverged() const { return unconverged_; } // inner steps so far

    SavedState save();
    void restore(const SavedState& saved); // of this FMU, any instance of it

  private:
    using Wire = std::array<double, InterfaceMotion::size>;

    struct Grid {      // steps of one length have times t_0 + k h since the first of them
        double H = 0;  // of the last step,
        int n = 1;     // in as many inner ones
        double t = 0;  // in the model, where the first of them began,
        long step = 0; // and how many inner steps were before
        bool operator==(const Grid&) const = default;
    };

    const ExportVariable& variable(unsigned reference) const;
    double number(std::size_t place) const { return std::get<double>(values_[place]); }
    InterfaceMotion inputs() const;
    InterfaceMotion motion_ahead(double H) const;
    void make_script();
    void make_side(const InterfaceMotion& start);
    void need_side();
    void evaluate();
    void divide(double H, int n);
    std::vector<ExportValue> read_values(const SavedState& saved) const;
    void read_side(const Grid& grid, const SavedState& side);

    FmuModel model_;
    std::string packings_;
    Stage stage_ = instantiated;
    double start_ = 0, time_ = 0; // of the experiment, now
    Grid grid_;
    int unconverged_ = 0;             // inner steps
    std::vector<ExportValue> values_; // of all variables; outputs if evaluated_
    bool evaluated_ = false;
    std::vector<ExportValue> built_; // parameters of the script
    std::unique_ptr<Script> script_;
    std::unique_ptr<GuidedSide> side_;
    Wire marker_{};
};

} // namespace tamis
