// FMUs to be tested, and the same nonsmooth sides stepped in this process by a coupling.
#pragma once

#include "fmi/export_master.hpp"
#include "tamis/app/fmu_export.hpp"
#include "tamis/cosim/attached.hpp"

#include <atomic>
#include <cmath>
#include <sstream>
#include <unistd.h>

namespace tamis::fmi_export_test {

inline std::vector<std::string> split_words(const std::string& text)
{
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

// A folder of this test, removed at the end of the program.
inline std::filesystem::path scratch()
{
    struct Folder {
        std::filesystem::path path =
            std::filesystem::temp_directory_path() / ("tamis_fmi_" + std::to_string(getpid()));
        ~Folder() { std::filesystem::remove_all(path); }
    };
    static Folder folder;
    static std::atomic<int> next = 0;
    const auto inside = folder.path / std::to_string(next++);
    std::filesystem::create_directories(inside);
    return inside;
}

// Where packings of this program are.
inline const std::string& packings()
{
    static const std::string folder = scratch();
    return folder;
}

inline std::filesystem::path library(const std::string& model)
{
    return std::filesystem::path(TAMIS_FMU_LIBRARIES) / (model + ".so");
}

// As `tamis fmu MODEL words -o FILE` does once all is built.
inline std::filesystem::path write_fmu(const std::string& model, const std::string& words,
                                       const std::string& version = "2")
{
    const std::filesystem::path file = scratch() / "model.fmu";
    std::vector<std::string> arguments = split_words(words);
    arguments.insert(arguments.end(), {"--quiet", "--make-fmu", file.string(), "--fmu-library",
                                       library(model).string(), "--fmi", version});
    const auto request = take_fmu(arguments);
    const auto script = make_script(model, arguments);
    script->drive_from_outside();
    script->take_packings_from(packings());
    script->prepare();
    export_fmu(*script, arguments, *request);
    return file;
}

inline master::Unpacked exported(const std::string& model, const std::string& words)
{
    return {write_fmu(model, words), scratch() / "a folder & more"};
}

// The marker of Fmu2::shake() as a smooth side that nothing can stop.
class Shaker : public Peer {
  public:
    Shaker(const InterfaceMotion& start, double H, double amplitude = A)
        : start_(start), H_(H), amplitude_(amplitude)
    {
    }
    std::string name() const override { return "the shaker"; }
    int inputs() const override { return wrench_size; }
    int outputs() const override { return InterfaceMotion::size; }
    void output(std::span<const double>, std::span<double> y) const override { at(steps_, y); }
    bool predict(double, std::span<double> y) override
    {
        at(steps_ + 1, y);
        return true;
    }
    void advance(double, const Signal&) override { ++steps_; }

    static constexpr double A = 0.01, w = 60;

  private:
    void at(long step, std::span<double> y) const
    {
        const double t = static_cast<double>(step) * H_;
        InterfaceMotion m = start_;
        m.x.x() = amplitude_ * std::sin(w * t);
        m.v.x() = amplitude_ * w * std::cos(w * t);
        m.a.x() = -amplitude_ * w * w * std::sin(w * t);
        m.write(y);
    }

    InterfaceMotion start_;
    double H_, amplitude_;
    long steps_ = 0;
};

class Reference {
  public:
    Reference(const std::string& model, const std::string& words, double amplitude = Shaker::A)
    {
        std::vector<std::string> arguments = split_words(words);
        if (words.find("--coupling") == std::string::npos)
            arguments.insert(arguments.end(), {"--coupling", "loose"});
        arguments.insert(arguments.end(), {"--threads", "1", "--quiet"});
        script_ = make_script(model, arguments);
        script_->take_packings_from(packings());
        script_->prepare();
        const InterfaceMotion start = marker_at_start(script_->finished(), *script_->where_cut());
        shaker_.emplace(start, script_->settings().h, amplitude);
        run_.emplace(script_->finished(), *script_->where_cut(), *shaker_, script_->coupled_options());
    }
    void step() { run_->step(); }
    // Over the last step, also if the coupling shows its inputs one step late.
    Wrench wrench()
    {
        std::array<double, wrench_size> wire;
        run_->nonsmooth().output({}, wire);
        return read_wrench(wire);
    }
    const View& view() const { return run_->view(); }
    static double acceleration(double t)
    {
        return -Shaker::A * Shaker::w * Shaker::w * std::sin(Shaker::w * t);
    }

  private:
    std::unique_ptr<Script> script_;
    std::optional<Shaker> shaker_;
    std::optional<Attached> run_;
};

} // namespace tamis::fmi_export_test
