// Base class of model files: the block of TAMIS_MODEL(name, "what it is") { ... } is Script::define().
#pragma once

#include "tamis/app/options.hpp"
#include "tamis/app/record.hpp"
#include "tamis/app/settings.hpp"
#include "tamis/app/usage_error.hpp"
#include "tamis/cosim/split.hpp"
#include "tamis/io/columns.hpp"
#include "tamis/model/description.hpp"
#include "tamis/model/stepper.hpp"
#include "tamis/packing/packing.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>

namespace tamis {

// Formulation and time integration of the equations of motion.
enum class Method {
    moreau_jean,       // relative coordinates, coordinate partitioning: Docquier et al. (2020)
    absolute,          // absolute coordinates, joints at velocity level in the contact solver
    generalized_alpha, // absolute coordinates, nonsmooth generalized-alpha: Bruels et al. (2014)
    smooth,            // absolute coordinates, two-step scheme without contacts: Zhang et al. (2020)
    dem,               // balls on springs and dampers, with mechanisms: Biondani et al. (2022)
};
inline constexpr std::array<const char*, 5> method_names = {"moreau-jean", "absolute", "generalized-alpha",
                                                            "smooth", "dem"};
inline Method method_named(const std::string& name)
{
    return static_cast<Method>(std::find(method_names.begin(), method_names.end(), name) -
                               method_names.begin());
}

// Defaults that a model may set; each is an option of the run.
struct RunDefaults {
    double h = 1e-4;
    double theta = 0.5;
    double t_end = 1;
    int frames = 200;
    // If not set: forces at the midpoint, with grains explicit, which avoids a second contact
    // solution; tolerance 1e-10 on every contact, with grains 1e-4 on the rms (ContactOptions);
    // 10000 sweeps.
    std::optional<std::string> force;
    std::optional<double> tolerance;
    std::optional<int> max_sweeps;
    std::string solver = "auto";
    std::string limits;         // of the verdict, as for --limits
    std::string fmu_map;        // as for --fmu-map: names of variables that FMUs for this model have
    double record_interval = 0; // --record-every is the number of steps nearest to it, s; 0: every step
};

// What the stiffness of contacts among balls, and of balls with walls, may follow from.
struct BallContacts {
    double diameter, density; // of a ball
    double young, poisson;    // of balls and walls: Pa, Poisson's ratio
    double impact_speed;      // at which the linear spring has the strain energy of Hertz's
    double speed, period;     // of the enclosure: largest speed, and period of its motion; 0: has none
};
struct BallSprings {
    double balls = 0, walls = 0;   // N/m; 0: rigid
    double young = 0, poisson = 0; // of the material, if Hertz's law is asked for
};

struct AnalysisOptions;
struct CoupledOptions;
struct DemOptions;
struct MoreauJeanOptions;
struct PeerOptions;

class Study;

class Script {
  public:
    Script(const std::string& name, const std::string& description,
           const std::vector<std::string>& arguments);
    virtual ~Script() = default;

    // Before prepare(): analyses of these kinds instead of a run; see analysis_options.hpp.
    void analyse(const std::vector<std::string>& kinds);
    // Reads the options and builds the model; throws on any mistake. define() is called twice if it asks for
    // packings: first with a single grain in place of each, to know all options and check them before any
    // packing is made.
    void prepare();
    // The first of these two alone, for what can be told without packings.
    void look();

    ModelDescription model;
    // Before prepare(): the model is cut, unless its options say otherwise, and the caller moves the nonsmooth side.
    void drive_from_outside() { driven_ = true; }
    // Before prepare(): packings are those of this folder.
    void take_packings_from(const std::string& folder) { settings_.packings = folder; }

  protected:
    virtual void define() = 0;

    // For model files.
    double opt(const std::string& name, double value, const std::string& help, const std::string& unit = "",
               const Range& range = {});
    int count(const std::string& name, int value, const std::string& help, const Range& range = not_negative);
    std::string choice(const std::string& name, const std::string& value,
                       const std::vector<std::string>& among, const std::string& help);
    bool flag(const std::string& name, const std::string& help);
    // The unit is for summary.json.
    void record(const std::string& column, std::function<double(const View&)> value, std::string unit = "");
    void record(const std::vector<std::string>& columns,
                std::function<std::vector<double>(const View&)> values, std::string unit = "");
    // Numbers that a finished run computes of the columns of its histories.csv, for `results` in summary.json. What
    // they cannot be computed of, such as a run that is too short, is told in an Error; the run stays valid.
    void result(const std::string& name, std::function<double(const Columns&)> value, std::string unit = "");
    void result(const std::vector<std::string>& names,
                std::function<std::vector<double>(const Columns&)> values, std::string unit = "");
    // For `tamis compare`: the records that tell methods apart, all unless a model says which (impulses of single
    // impacts and digits that are zero tell nothing); the column that has what another one should be; values of a
    // choice that describe the same mechanism in another way.
    void compared(const std::vector<std::string>& columns) { compared_ = columns; }
    void exact(const std::string& column, const std::string& of) { exact_[column] = of; }
    void alternatives(const std::string& option, const std::vector<std::string>& values)
    {
        alternatives_[option] = values;
    }
    // Grains at rest, made by `make` in the first run that needs them and kept in out/packings, by a hash of
    // all that they may depend on: model, name, and the options read so far. What the packing does not depend
    // on is best read after it.
    Packing packing(const std::string& name, const std::function<Packing()>& make);
    // Runs `work` instead of stepping the model, once all options are read; see study.hpp.
    void study(std::function<void(Study&)> work) { study_ = std::move(work); }
    void run_until(double t_end) { defaults.t_end = t_end; }
    void method(Method m) { method_ = m; }
    // The method that the run will be stepped by, where the model depends on it; after method(...), if that is called.
    Method asked_method();
    // Hertz's only if asked for, with the method dem.
    NormalLaw asked_normal_law();
    // Springs as --stiffness-from chooses: of the material, or by the sizing rule of Biondani et al. (2022); by default
    // those of the material with the method dem, else none. A note tells which.
    BallSprings ball_springs(const BallContacts& contacts);
    void note(std::string sentence)
    {
        notes_.push_back(std::move(sentence));
    } // to the user, when the run starts
    // The model may be cut at this body and run by co-simulation; --coupling chooses.
    void cut(Body body, CutKind kind = CutKind::joint) { cut_ = Cut{body, kind}; }
    RunDefaults defaults;

  public:
    // After prepare():
    const Model& finished() const; // the model to be stepped
    const Settings& settings() const { return settings_; }
    const std::vector<Record>& records() const { return records_; }
    const std::vector<Result>& results() const { return results_; }
    const std::vector<std::string>& notes() const { return notes_; }
    const std::vector<std::string>& compared_columns() const { return compared_; }
    const std::map<std::string, std::string>& exact_columns() const { return exact_; }
    const std::map<std::string, std::vector<std::string>>& alternatives() const { return alternatives_; }
    bool has_grains() const;
    const Options& options() const { return options_; }
    // JSON of the options that the state depends on: those of the model and of the time integration.
    const std::string& identity() const { return identity_; }
    Method method() const { return method_; }
    const AnalysisOptions* analysis() const { return analysis_.get(); } // null: a run
    const std::function<void(Study&)>& study() const { return study_; } // empty: the model is stepped
    // Those of the model itself: the first ones.
    std::span<const DeclaredOption> model_options() const
    {
        return std::span(options_.declared()).first(model_options_);
    }
    const std::optional<Cut>& where_cut() const { return cut_; }
    bool coupled() const { return coupled_ != nullptr; } // cut in two, by --coupling
    CoupledOptions coupled_options() const;              // if coupled()
    // Files of the packings that the model asked for, without folder and ending.
    const std::vector<std::string>& packings() const { return packings_; }
    // Connects to another program, if one is asked for.
    std::unique_ptr<Stepper> make_stepper() const;
    bool explicit_springs() const;                     // those that say so bound the step
    bool has_peer() const { return peer_ != nullptr; } // another program steps a part of the model

  private:
    void read_all();
    void read_stepping();
    void read_compliance();
    void check_all() const;
    MoreauJeanOptions moreau_jean_options() const;
    DemOptions dem_options() const;
    std::unique_ptr<Stepper> choose_stepper() const;
    std::unique_ptr<Stepper> with_peer() const;
    void start_anew();
    const Model* finished_ = nullptr;
    std::string description_;
    std::vector<std::string> arguments_;
    Options options_;
    Settings settings_{};
    std::function<void(Study&)> study_;
    std::vector<Record> records_;
    std::vector<Result> results_;
    std::vector<std::string> notes_, compared_;
    std::map<std::string, std::string> exact_;
    std::map<std::string, std::vector<std::string>> alternatives_;
    std::string identity_;
    Method method_ = Method::moreau_jean;
    bool method_read_ = false;
    std::optional<NormalLaw> normal_law_; // once it is read
    std::optional<Cut> cut_;
    std::shared_ptr<CoupledOptions> coupled_;   // null: in one system
    std::shared_ptr<PeerOptions> peer_;         // null: the smooth side is stepped here
    std::shared_ptr<AnalysisOptions> analysis_; // null: none
    std::size_t model_options_ = 0;
    std::vector<std::string> packings_;
    bool driven_ = false;
    bool packed_ = false; // asked for a packing
    bool making_ = false; // packings are made, and not only asked for
};

// The models of a program, registered by TAMIS_MODEL.
struct ModelEntry {
    std::string name, description;
    std::unique_ptr<Script> (*make)(const ModelEntry&, const std::vector<std::string>& arguments);
};
std::vector<ModelEntry>& registered_models();
template <class S>
bool register_model(const char* name, const char* description)
{
    registered_models().push_back(
        {name, description, [](const ModelEntry& entry, const std::vector<std::string>& arguments) {
             return std::unique_ptr<Script>(std::make_unique<S>(entry.name, entry.description, arguments));
         }});
    return true;
}
std::unique_ptr<Script> make_script(const std::string& model, const std::vector<std::string>& arguments);
// Of a program's arguments: with several models the first one names one of them.
std::unique_ptr<Script> make_script(const std::vector<std::string>& arguments);

} // namespace tamis

#define TAMIS_MODEL(model_name, description)                                                                 \
    namespace {                                                                                              \
    struct Script_##model_name : tamis::Script {                                                             \
        using Script::Script;                                                                                \
        void define() override;                                                                              \
    };                                                                                                       \
    [[maybe_unused]] const bool registered_##model_name =                                                    \
        tamis::register_model<Script_##model_name>(#model_name, description);                                \
    }                                                                                                        \
    void Script_##model_name::define()
