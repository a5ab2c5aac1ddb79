// Options common to all models, choice of the stepper, and the program around a model.
#include "tamis/app/script.hpp"

#include "tamis/absolute/absolute.hpp"
#include "tamis/absolute/generalized_alpha.hpp"
#include "tamis/app/coupling_options.hpp"
#include "tamis/app/equations.hpp"
#include "tamis/app/simulation.hpp"
#include "tamis/app/stored_packing.hpp"
#include "tamis/app/study.hpp"
#include "tamis/app/usage_error.hpp"
#include "tamis/contact/auto_solver.hpp"
#include "tamis/io/file.hpp"
#include "tamis/nscd/moreau_jean.hpp"
#include "tamis/smooth/smooth.hpp"

#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace tamis {

Script::Script(const std::string& name, const std::string& description,
               const std::vector<std::string>& arguments)
    : model(name), options_(name, description, arguments)
{
}

namespace {

void check(const std::string& name, double x, const std::string& unit, const Range& range)
{
    if (std::isfinite(x) && x <= range.most && (range.above ? x > range.least : x >= range.least)) return;
    std::string wanted = "a finite number";
    if (std::isfinite(range.least) && std::isfinite(range.most))
        wanted = fmt::format("a number from {:g} to {:g}", range.least, range.most);
    else if (range.least == 0)
        wanted = range.above ? "a positive number" : "zero or a positive number";
    throw UsageError(fmt::format("--{} is {}{}: give {}.", name, x, unit.empty() ? "" : " " + unit, wanted));
}

} // namespace

double Script::opt(const std::string& name, double value, const std::string& help, const std::string& unit,
                   const Range& range)
{
    const double x = options_.number(name, value, help, unit);
    check(name, x, unit, range);
    return x;
}
int Script::count(const std::string& name, int value, const std::string& help, const Range& range)
{
    const int n = options_.integer(name, value, help);
    check(name, n, "", range);
    return n;
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

void Script::record(const std::string& column, std::function<double(const View&)> value)
{
    records_.push_back(
        {{column}, [value = std::move(value)](const View& s, double* out) { *out = value(s); }});
}

void Script::record(const std::vector<std::string>& columns,
                    std::function<std::vector<double>(const View&)> values)
{
    const std::string first = columns.empty() ? "" : columns.front();
    records_.push_back(
        {columns, [values = std::move(values), n = columns.size(), first](const View& s, double* out) {
             const std::vector<double> x = values(s);
             if (x.size() != n)
                 fail("The record '{}, ...' has {} columns but gave {} values.", first, n, x.size());
             std::copy(x.begin(), x.end(), out);
         }});
}

Packing Script::packing(const std::string& name, const std::function<Packing()>& make)
{
    packed_ = true;
    if (options_.help_asked()) return {};
    return stored_packing(model.name() + "_" + name, make);
}

void Script::prepare()
{
    define();
    Settings& s = settings_;
    if (study_)
        s.threads = options_.integer("threads", 0, "of the study; 0: as many as the machine has");
    else
        read_stepping();
    options_.group("Output");
    s.out = options_.text("out", "out/" + model.name(), "folder of the results");
    if (!study_) {
        s.frames =
            options_.integer("frames", defaults.frames, "pictures for ParaView, evenly spaced; 0: none");
        s.record_every = options_.integer("record-every", 1, "steps between two lines of histories.csv");
        s.checkpoint_every =
            options_.number("checkpoint-every", 600,
                            "time between two checkpoints, of the clock on the wall; 0: none at all", "s");
        s.resume = options_.flag("resume", "go on from the newest checkpoint in the folder of the results");
    }
    s.no_output = options_.flag("no-output", "write no files");
    s.quiet = options_.flag("quiet", "print nothing but errors");
    s.verbose = options_.flag("verbose", "print progress even when not on a terminal");
    if (options_.help_asked()) return;
    options_.check();
    if (s.threads < 0) fail("--threads is {}: give zero or a positive number.", s.threads);
    if (study_) return;
    check_stepping();
    model.finish();
}

void Script::read_stepping()
{
    const bool grains = packed_ || !model.grains().empty();
    nlohmann::json identity = options_.values();
    Settings& s = settings_;
    options_.group("Time stepping");
    s.h = options_.number("h", defaults.h, "step size", "s");
    s.theta = options_.number("theta", defaults.theta, "of the theta-scheme, 0.5 to 1");
    s.t_end = options_.number("t-end", defaults.t_end, "end of the run", "s");
    s.force = options_.choice(
        "force", defaults.force.value_or(grains ? "explicit" : "midpoint"), {"explicit", "midpoint"},
        "where forces are evaluated: at the start velocity as published, or at the midpoint");
    s.tolerance = options_.number("tolerance", defaults.tolerance.value_or(grains ? 1e-4 : 1e-10),
                                  "of the contact solver, on the natural map; never below round-off");
    s.max_sweeps = options_.integer("max-sweeps", defaults.max_sweeps.value_or(grains ? 1000 : 10000),
                                    "Gauss-Seidel sweeps in one solve at most");
    s.solver = options_.choice("solver", defaults.solver, solver_names(), "of the contact problem");
    s.friction_law =
        options_.choice("friction-law", "coulomb", {"coulomb", "associated"},
                        "associated: contacts that slide open by mu |u_t|, for comparison; needs "
                        "--solver nlgs");
    s.threads = options_.integer("threads", 0, "of the contact solver; 0: as many as the machine has");
    s.rho_inf = options_.number(
        "rho-inf", method_ == Method::smooth || cut_ ? 0.6 : 0.8,
        "what the generalized-alpha and the smooth method leave of an infinite frequency in a step, 0 to 1");
    for (const char* name : {"h", "theta", "force", "friction-law"}) identity[name] = options_.values()[name];
    if (cut_)
        if (const auto coupled = read_coupling(options_)) {
            coupled_ = std::make_shared<CoupledOptions>(*coupled);
            coupled_->H = s.h;
            coupled_->smooth.rho_inf = s.rho_inf;
        }
    identity_ = identity.dump();
}

void Script::check_stepping() const
{
    const Settings& s = settings_;
    if (!(s.t_end > 0) || !std::isfinite(s.t_end))
        fail("The end of the run is {} s: give a positive --t-end.", s.t_end);
    if (!(s.h > 0) || !std::isfinite(s.h)) fail("The step size is {} s: give a positive --h.", s.h);
    if (s.t_end / s.h > 1e12)
        fail("{} s in steps of {} s are too many steps: give a larger --h or a smaller --t-end.", s.t_end,
             s.h);
    if (s.frames < 0) fail("--frames is {}: give zero or a positive number.", s.frames);
    if (s.record_every < 1) fail("--record-every is {}: give a positive number.", s.record_every);
    if (!(s.tolerance > 0)) fail("--tolerance is {}: give a positive number.", s.tolerance);
    if (s.max_sweeps < 1) fail("--max-sweeps is {}: give a positive number.", s.max_sweeps);
    if (!(s.checkpoint_every >= 0))
        fail("--checkpoint-every is {} s: give zero or a positive number.", s.checkpoint_every);
    if (s.resume && s.no_output)
        throw UsageError("--resume goes on with the files of a run: leave --no-output away.");
    if (s.h > s.t_end)
        fail("The step of {} s is longer than the run of {} s: reduce --h or raise --t-end.", s.h, s.t_end);
    std::set<std::string> columns{"t"};
    for (const Record& r : records_)
        for (const std::string& column : r.columns)
            if (!columns.insert(column).second)
                fail("Two records are called '{}': names must differ.", column);
}

std::unique_ptr<Stepper> Script::make_stepper() const
{
    const Settings& s = settings_;
    if (method_ != Method::moreau_jean && s.friction_law != "coulomb")
        fail("--friction-law associated is for the Moreau-Jean scheme in relative coordinates: leave it "
             "away, or "
             "choose that method.");
    const Law friction = s.friction_law == "associated" ? Law::associated : Law::contact;
    const auto force = s.force == "explicit" ? ForceEvaluation::explicit_ : ForceEvaluation::midpoint;
    const MoreauJeanOptions moreau_jean{
        s.h, s.theta, force, {s.tolerance, s.max_sweeps, s.solver, s.threads, friction}};
    if (coupled_) {
        coupled_->nonsmooth = moreau_jean;
        return std::make_unique<Coupled>(model, *cut_, *coupled_);
    }
    switch (method_) {
    case Method::absolute:
        return std::make_unique<Absolute>(model, AbsoluteOptions{s.h, s.theta, {s.tolerance, s.max_sweeps}});
    case Method::generalized_alpha:
        return std::make_unique<GeneralizedAlpha>(model, GeneralizedAlphaOptions{s.h, s.rho_inf});
    case Method::smooth:
        return std::make_unique<Smooth>(model, SmoothOptions{s.h, s.rho_inf});
    case Method::moreau_jean:
        break;
    }
    return std::make_unique<MoreauJean>(model, moreau_jean);
}

int Script::run()
{
    return study_ ? carry_out(*this, study_) : simulate(*this);
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

namespace {

std::unique_ptr<Script> make_script(const std::vector<std::string>& arguments)
{
    const std::vector<ModelEntry>& models = registered_models();
    if (models.size() == 1) return models[0].make(models[0], arguments);
    if (models.empty()) fail("This program has no model: write TAMIS_MODEL(name, \"what it is\") {{ ... }}.");
    if (!arguments.empty() && !arguments[0].starts_with("-"))
        return tamis::make_script(arguments[0], {arguments.begin() + 1, arguments.end()});
    std::string known;
    for (const ModelEntry& entry : models)
        known += fmt::format("\n  {:<24} {}", entry.name, entry.description);
    throw UsageError("This program has several models: name one of them first." + known);
}

} // namespace

int run_program(std::vector<std::string> arguments)
{
    std::signal(SIGXFSZ, SIG_IGN); // a file-size limit is reported like a full disk
    std::string name = "tamis";
    try {
        const std::string equations = take_equations(arguments);
        const std::unique_ptr<Script> script = make_script(arguments);
        name = script->model.name();
        script->prepare();
        if (script->options().help_asked()) {
            fmt::print("{}", script->options().help());
            return 0;
        }
        if (!equations.empty()) {
            write_equations(script->model, equations);
            return 0;
        }
        return script->run();
    } catch (const UsageError& error) {
        fmt::print(stderr, "{}: {}\n", name, error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", name, error.what());
        return 1;
    }
}

} // namespace tamis
