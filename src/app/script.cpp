// Options common to all models, and the choice of the stepper.
#include "tamis/app/script.hpp"

#include "tamis/absolute/absolute.hpp"
#include "tamis/absolute/generalized_alpha.hpp"
#include "tamis/app/analysis_options.hpp"
#include "tamis/app/coupling_options.hpp"
#include "tamis/app/peer_options.hpp"
#include "tamis/app/stop_signals.hpp"
#include "tamis/app/stored_packing.hpp"
#include "tamis/app/verdict.hpp"
#include "tamis/contact/auto_solver.hpp"
#include "tamis/cosim/attached.hpp"
#include "tamis/dem/dem.hpp"
#include "tamis/io/file.hpp"
#include "tamis/model/check_drives.hpp"
#include "tamis/nscd/moreau_jean.hpp"
#include "tamis/smooth/smooth.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace tamis {

Script::Script(const std::string& name, const std::string& description,
               const std::vector<std::string>& arguments)
    : model(name), description_(description), arguments_(arguments), options_(name, description, arguments)
{
}

double Script::opt(const std::string& name, double value, const std::string& help, const std::string& unit,
                   const Range& range)
{
    return options_.number(name, value, help, unit, range);
}
int Script::count(const std::string& name, int value, const std::string& help, const Range& range)
{
    return options_.integer(name, value, help, range);
}
std::string Script::choice(const std::string& name, const std::string& value,
                           const std::vector<std::string>& among, const std::string& help)
{
    return options_.choice(name, value, among, help);
}
bool Script::flag(const std::string& name, const std::string& help)
{
    return options_.flag(name, help);
}

void Script::record(const std::string& column, std::function<double(const View&)> value, std::string unit)
{
    records_.push_back({{column}, std::move(unit), [value = std::move(value)](const View& s, double* out) {
                            *out = value(s);
                        }});
}

void Script::record(const std::vector<std::string>& columns,
                    std::function<std::vector<double>(const View&)> values, std::string unit)
{
    records_.push_back({columns, std::move(unit),
                        [values = std::move(values), n = columns.size()](const View& s, double* out) {
                            const std::vector<double> x = values(s);
                            if (x.size() != n) fail("it has {} columns but gave {} values", n, x.size());
                            std::copy(x.begin(), x.end(), out);
                        }});
}

void Script::result(const std::string& name, std::function<double(const Columns&)> value, std::string unit)
{
    result(
        std::vector{name}, [value = std::move(value)](const Columns& c) { return std::vector{value(c)}; },
        std::move(unit));
}

void Script::result(const std::vector<std::string>& names,
                    std::function<std::vector<double>(const Columns&)> values, std::string unit)
{
    results_.push_back({names, std::move(unit), std::move(values)});
}

bool Script::has_grains() const
{
    return packed_ || !model.grains().empty();
}

Packing Script::packing(const std::string& name, const std::function<Packing()>& make)
{
    packed_ = true;
    if (!making_) return {{Sphere{1e-3}}, {Pose{}}};
    const std::string inputs = options_.values().dump();
    packings_.push_back(packing_file(model.name(), name, inputs));
    return stored_packing(model.name(), name, inputs, settings_, make);
}

void Script::analyse(const std::vector<std::string>& kinds)
{
    analysis_ = std::make_shared<AnalysisOptions>();
    analysis_->kinds = kinds;
}

void Script::look()
{
    try {
        read_all();
    } catch (const UsageError&) {
        throw;
    } catch (const std::exception&) {
        // A single grain may not be what the model expects of a packing: the true one will tell.
        if (!packed_ || options_.help_asked()) throw;
        return;
    }
    if (!options_.help_asked()) check_all();
}

void Script::prepare()
{
    look();
    if (options_.help_asked()) return;
    if (packed_) {
        start_anew();
        making_ = true;
        read_all();
        check_all();
    }
    if (study_) return;
    finished_ = &model.finish();
    check_drives(*finished_, settings_.t_end);
}

const Model& Script::finished() const
{
    if (!finished_)
        fail("The model '{}' is not finished: call prepare() first; a study has none.", model.name());
    return *finished_;
}

void Script::start_anew()
{
    model = ModelDescription(model.name());
    options_ = Options(model.name(), description_, arguments_);
    records_.clear();
    results_.clear();
    packings_.clear();
    alternatives_.clear();
    compared_.clear();
    exact_.clear();
    study_ = nullptr;
    cut_.reset();
    coupled_.reset();
    peer_.reset();
    method_ = Method::moreau_jean;
    method_read_ = false;
    normal_law_.reset();
    notes_.clear();
    defaults = {};
}

void Script::read_all()
{
    define();
    Settings& s = settings_;
    if (study_) {
        s.threads =
            options_.integer("threads", 0, "of the study; 0: as many as the machine has", not_negative);
        s.resume = options_.flag("resume", "go on with the tables in the folder of the results");
    } else
        read_stepping();
    if (analysis_ && study_)
        refuse("The model '{}' is a study and has no mechanism to analyse: leave out --analysis.",
               model.name());
    if (analysis_) read_analysis(options_, *analysis_);
    options_.group("Output");
    s.out =
        options_.text("out", "out/" + model.name() + (analysis_ ? "/analysis" : ""), "folder of the results");
    if (!study_) {
        s.frames = options_.integer("frames", analysis_ ? 24 : defaults.frames,
                                    analysis_ ? "of the animation of a mode; 0: none"
                                              : "pictures for ParaView, evenly spaced; 0: none",
                                    not_negative);
        s.surfaces = options_.flag("surfaces", "draw the surfaces of spherical grains, too, not only points");
        s.record_every = options_.integer(
            "record-every", std::max(1, static_cast<int>(std::lround(defaults.record_interval / s.h))),
            "steps between two lines of histories.csv", {1});
        s.checkpoint_every =
            options_.number("checkpoint-every", peer_ ? 0 : 600,
                            "wall-clock time between two checkpoints; 0: none at all", "s", not_negative);
        s.resume = options_.flag("resume", "go on from the newest checkpoint in the folder of the results");
    }
    s.no_output = options_.flag("no-output", "write no files");
    s.quiet = options_.flag("quiet", "print nothing but errors");
    s.verbose = options_.flag("verbose", "print progress even when not on a terminal");
    if (study_) return;
    options_.group("Verdict");
    s.limits = options_.text("limits", defaults.limits,
                             "of the verdict, as penetration=0.1:0.8,energy=0.1: doubtful and absurd");
    const Limits readable(s.limits);
    s.believe = options_.flag("believe", "accept an absurd result: exit code 0 instead of 3");
    s.allow_overlap = options_.flag("allow-overlap", "grains may overlap bodies and walls at the start");
}

Method Script::asked_method()
{
    if (method_read_) return method_;
    method_read_ = true;
    method_ = method_named(options_.choice("method", method_names[static_cast<int>(method_)],
                                           {method_names.begin(), method_names.end()},
                                           "relative coordinates; absolute ones, joints at velocity level or "
                                           "by generalized-alpha; without contacts; balls on springs"));
    return method_;
}

NormalLaw Script::asked_normal_law()
{
    if (normal_law_ || asked_method() != Method::dem) return normal_law_.value_or(NormalLaw::linear);
    const bool hertz =
        options_.choice("normal-law", "linear", {"linear", "hertz"},
                        "springs of one stiffness, or Hertz's and Mindlin's by the material") == "hertz";
    normal_law_ = hertz ? NormalLaw::hertz : NormalLaw::linear;
    return *normal_law_;
}

void Script::read_stepping()
{
    const bool grains = has_grains();
    const nlohmann::json of_model = options_.values();
    model_options_ = options_.declared().size();
    Settings& s = settings_;
    options_.group("Time stepping");
    asked_method();
    if (grains) read_compliance();
    if (cut_) {
        auto peer = read_peer(options_, defaults.fmu_map);
        const auto coupled = read_coupling(options_, method_ == Method::dem, driven_ || peer.has_value());
        if (coupled) coupled_ = std::make_shared<CoupledOptions>(*coupled);
        if (peer) {
            fit_coupling(*peer, coupled);
            peer_ = std::make_shared<PeerOptions>(std::move(*peer));
        }
        options_.group("Time stepping");
    }
    double h = defaults.h;
    const bool alone = method_ == Method::dem && !coupled_; // no macro steps
    if (alone)
        if (const double hart = hart_step(model.features()); std::isfinite(hart)) h = hart;
    s.h = options_.number("h", h, alone ? "step size; Hart's unless given" : "step size", "s", positive);
    s.theta = options_.number("theta", defaults.theta, "of the theta-scheme", "", {0.5, 1});
    s.t_end = options_.number("t-end", defaults.t_end, "end of the run", "s", positive);
    s.force = options_.choice(
        "force", defaults.force.value_or(grains ? "explicit" : "midpoint"), {"explicit", "midpoint"},
        "where forces are evaluated: at the start velocity as published, or at the midpoint");
    s.tolerance =
        options_.number("tolerance", defaults.tolerance.value_or(grains ? 1e-4 : 1e-10),
                        "of the contact solver, on the natural map; never below round-off", "", positive);
    s.max_sweeps = options_.integer("max-sweeps", defaults.max_sweeps.value_or(10000),
                                    "Gauss-Seidel sweeps in one solve at most", {1});
    s.wedged = options_.choice("wedged", "go-on", {"go-on", "stop"},
                               "where impulses grow without end, since bodies are wedged between others");
    s.friction_law = options_.choice("friction-law", "coulomb", {"coulomb", "associated"},
                                     "associated: contacts that slide open by mu |u_t|, for comparison; has "
                                     "--solver nlgs");
    s.solver =
        options_.choice("solver", s.friction_law == "associated" ? "nlgs" : defaults.solver, solver_names(),
                        "of the contact problem; of the method dem, cuda: on an NVIDIA device");
    if (method_ == Method::dem)
        s.friction_model =
            options_.choice("friction-model", "elastic", {"elastic", "directional"},
                            "tangential springs with history, or a force against the motion alone");
    s.threads =
        options_.integer("threads", 0, "of the contact solver; 0: as many as the machine has", not_negative);
    s.rho_inf = options_.number(
        "rho-inf", method_ == Method::smooth || cut_ ? 0.6 : 0.8,
        "what the generalized-alpha and the smooth method leave of an infinite frequency in a step", "",
        {0, 1});
    s.newton = options_.integer(
        "newton", 1, "iterations on implicit forces and beams in a step at most; 1: linearised", {1});
    if (coupled_) {
        coupled_->H = s.h;
        coupled_->smooth.rho_inf = s.rho_inf;
        coupled_->smooth.modified = grains; // in many small steps the derivatives of one iteration serve all
    }
    // How the model is stepped, but for what does not change its state.
    nlohmann::json of_stepping;
    const nlohmann::json values = options_.values();
    for (const auto& [name, value] : values.items())
        if (!of_model.contains(name) && name != "t-end" && name != "tolerance" && name != "max-sweeps" &&
            name != "solver" && name != "threads")
            of_stepping[name] = value;
    identity_ = nlohmann::json::array({of_model, of_stepping}).dump();
}

// Unless asked for otherwise, materials stay as the model made them.
void Script::read_compliance()
{
    Material most;
    for (const Material& m : model.features().materials)
        if (m.stiffness > most.stiffness) most = m;
    const double stiffness =
        options_.number("contact-stiffness", most.stiffness, "of all contacts, along the normal; 0: rigid",
                        "N/m", not_negative);
    const std::string form = options_.choice(
        "contact-form", most.form == ContactForm::rate ? "rate" : "overlap", {"rate", "overlap"},
        "of compliant contacts: springs that remember their force, or that push overlaps out");
    const ContactForm chosen = form == "rate" ? ContactForm::rate : ContactForm::overlap;
    const bool hertz = asked_normal_law() == NormalLaw::hertz;
    if (hertz && stiffness != most.stiffness)
        refuse("--normal-law hertz has the stiffness of the material: leave out --contact-stiffness.");
    if (stiffness != most.stiffness || chosen != most.form) model.comply(stiffness, chosen);
    if (hertz) model.normal_law(NormalLaw::hertz);
}

void Script::check_all() const
{
    options_.check();
    const Settings& s = settings_;
    if (s.resume && s.no_output) refuse("--resume goes on with the files of a run: leave out --no-output.");
    if (study_) return;
    if (peer_ && !peer_->can.no_checkpoints.empty() && (s.resume || s.checkpoint_every > 0))
        refuse("--{} cannot be with this --peer: {}.", s.resume ? "resume" : "checkpoint-every",
               peer_->can.no_checkpoints);
    if (s.t_end / s.h > 1e12)
        refuse("{} s in steps of {} s are too many steps: give a larger --h or a smaller --t-end.", s.t_end,
               s.h);
    if (s.h > s.t_end)
        refuse("The step of {} s is longer than the run of {} s: reduce --h or raise --t-end.", s.h, s.t_end);
    std::set<std::string> columns{"t"};
    for (const Record& r : records_)
        for (const std::string& column : r.columns)
            if (!columns.insert(column).second)
                fail("Two records are called '{}': names must differ.", column);
    std::set<std::string> numbers;
    for (const Result& r : results_)
        for (const std::string& name : r.names)
            if (!numbers.insert(name).second) fail("Two results are called '{}': names must differ.", name);
}

bool Script::explicit_springs() const
{
    return !coupled_ &&
           (method_ == Method::moreau_jean || method_ == Method::absolute || method_ == Method::dem);
}

// What the library refuses by one of its own options is told with those of the command line that set it.
std::unique_ptr<Stepper> Script::make_stepper() const
{
    try {
        return choose_stepper();
    } catch (const OptionError& error) {
        if (error.option == "h" && coupled_)
            fail("{} --nonsmooth-substeps divides the step --h.", error.what());
        if (error.option == "h") fail("{} --h sets the step.", error.what());
        if (error.option == "normal-law") fail("{} --normal-law chooses.", error.what());
        if (error.option == "stiffness")
            fail("{} --contact-stiffness sets that of all contacts.", error.what());
        throw;
    }
}

MoreauJeanOptions Script::moreau_jean_options() const
{
    const Settings& s = settings_;
    if (method_ != Method::moreau_jean && s.friction_law != "coulomb")
        refuse("--friction-law associated is for the Moreau-Jean scheme in relative coordinates: leave it "
               "out, or choose --method moreau-jean.");
    const Law friction = s.friction_law == "associated" ? Law::associated : Law::contact;
    const auto force = s.force == "explicit" ? ForceEvaluation::explicit_ : ForceEvaluation::midpoint;
    MoreauJeanOptions options{
        s.h, s.theta, force, {s.tolerance, s.max_sweeps, s.solver, s.threads, friction}};
    options.newton_iterations = s.newton;
    return options;
}

DemOptions Script::dem_options() const
{
    const Settings& s = settings_;
    const bool on_device = s.solver.starts_with("cuda");
    if (on_device && s.solver != "cuda")
        refuse("The method dem computes in double precision: take --solver cuda instead of {}.", s.solver);
    return {s.h, s.friction_model == "directional" ? FrictionModel::directional : FrictionModel::elastic,
            s.threads, on_device ? &penalty_cuda() : nullptr};
}

CoupledOptions Script::coupled_options() const
{
    CoupledOptions options = *coupled_;
    options.nonsmooth = moreau_jean_options();
    if (method_ == Method::dem) options.dem = dem_options();
    return options;
}

std::unique_ptr<Stepper> Script::choose_stepper() const
{
    const Settings& s = settings_;
    if (peer_) return with_peer();
    if (coupled_) return std::make_unique<Coupled>(finished(), *cut_, coupled_options());
    const MoreauJeanOptions moreau_jean = moreau_jean_options();
    switch (method_) {
    case Method::absolute:
        return std::make_unique<Absolute>(finished(),
                                          AbsoluteOptions{s.h, s.theta, {s.tolerance, s.max_sweeps}});
    case Method::generalized_alpha:
        return std::make_unique<GeneralizedAlpha>(finished(), GeneralizedAlphaOptions{s.h, s.rho_inf});
    case Method::smooth:
        return std::make_unique<Smooth>(finished(), SmoothOptions{s.h, s.rho_inf});
    case Method::dem:
        return std::make_unique<Dem>(finished(), dem_options());
    case Method::moreau_jean:
        break;
    }
    return std::make_unique<MoreauJean>(finished(), moreau_jean);
}

std::unique_ptr<Stepper> Script::with_peer() const
{
    PeerOptions options = *peer_;
    const std::vector<double> sizes = finished().sizes();
    double reach = 0; // what another start may be off by
    for (std::size_t k = 0; k < sizes.size(); ++k)
        if (finished().shapes()[k].material >= 0) reach = reach > 0 ? std::min(reach, sizes[k]) : sizes[k];
    const InterfaceMotion start = marker_at_start(finished(), *cut_);
    std::unique_ptr<Peer> peer;
    const StopSignals signals; // so that a signal leaves neither a socket nor the other program behind
    try {
        peer = make_peer(options, start, *coupled_, settings_, reach);
    } catch (const Error&) {
        if (const int signal = signals.caught(); signal != 0)
            throw Interrupted{signal, " while it waited for the other program"};
        throw;
    }
    return std::make_unique<Attached>(finished(), *cut_, std::move(peer), coupled_options());
}

std::vector<ModelEntry>& registered_models()
{
    static std::vector<ModelEntry> all;
    return all;
}

std::unique_ptr<Script> make_script(const std::string& model, const std::vector<std::string>& arguments)
{
    std::string known;
    for (const ModelEntry& entry : registered_models()) {
        if (entry.name == model) return entry.make(entry, arguments);
        known += (known.empty() ? "" : ", ") + entry.name;
    }
    throw UsageError(fmt::format("There is no model '{}' in this program; it has: {}.", model, known));
}

std::unique_ptr<Script> make_script(const std::vector<std::string>& arguments)
{
    const std::vector<ModelEntry>& models = registered_models();
    if (models.size() == 1) return models[0].make(models[0], arguments);
    if (models.empty()) fail("This program has no model: write TAMIS_MODEL(name, \"what it is\") {{ ... }}.");
    if (!arguments.empty() && !arguments[0].starts_with("-"))
        return make_script(arguments[0], {arguments.begin() + 1, arguments.end()});
    std::string known;
    for (const ModelEntry& entry : models)
        known += fmt::format("\n  {:<24} {}", entry.name, entry.description);
    throw UsageError("This program has several models: name one of them first." + known);
}

} // namespace tamis
