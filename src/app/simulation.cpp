// The loop of a run; see simulation.hpp. Whatever ends it (the end, an error, a signal), files are flushed
// and a summary says how it ended. A checkpoint holds the state between two steps and how far the files were
// then; a run that resumes cuts them back to there, so that they end up as if it had never stopped.
#include "tamis/app/simulation.hpp"

#include "tamis/app/output.hpp"
#include "tamis/app/progress.hpp"
#include "tamis/app/stop_signals.hpp"
#include "tamis/cosim/coupled.hpp"
#include "tamis/io/checkpoint.hpp"
#include "tamis/io/file.hpp"
#include "tamis/model/detection.hpp"
#include "tamis/model/model_hash.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tamis {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What the steps reported, over the whole run; seconds are those of this program.
struct Statistics {
    long steps = 0, steps_before = 0, contact_steps = 0, contacts = 0, sweeps = 0, unconverged = 0;
    int max_contacts = 0, max_sweeps = 0;
    double max_residual = 0, max_loop_error = 0, energy_start = 0, energy_end = 0;
    double max_penetration = 0, max_momentum_error = 0;
    std::vector<double> unconverged_at; // ends of these steps, s
    double worst = -1, worst_t = 0; // largest residual of a step that did not converge, and when that ended
    std::array<int, 2> worst_shapes{-1, -1};
    double step_seconds = 0, output_seconds = 0;

    void add(const StepReport& r, double t, double momentum_error)
    {
        if (!r.converged && r.residual > worst) {
            worst = r.residual;
            worst_t = t;
            worst_shapes = r.worst;
        }
        ++steps;
        contact_steps += r.contacts > 0;
        contacts += r.contacts;
        sweeps += r.sweeps;
        unconverged += !r.converged;
        if (!r.converged) unconverged_at.push_back(t);
        max_penetration = std::max(max_penetration, r.penetration);
        max_momentum_error = std::max(max_momentum_error, momentum_error);
        max_contacts = std::max(max_contacts, r.contacts);
        max_sweeps = std::max(max_sweeps, r.sweeps);
        max_residual = std::max(max_residual, r.residual);
        max_loop_error = std::max(max_loop_error, r.loop_error);
    }
    std::vector<double> saved() const
    {
        return {double(steps),
                double(contact_steps),
                double(contacts),
                double(sweeps),
                double(unconverged),
                double(max_contacts),
                double(max_sweeps),
                max_residual,
                max_loop_error,
                energy_start,
                worst,
                worst_t,
                double(worst_shapes[0]),
                double(worst_shapes[1]),
                max_penetration,
                max_momentum_error};
    }
    void restore(const std::vector<double>& x)
    {
        steps = steps_before = std::lround(x.at(0));
        contact_steps = std::lround(x.at(1));
        contacts = std::lround(x.at(2));
        sweeps = std::lround(x.at(3));
        unconverged = std::lround(x.at(4));
        max_contacts = static_cast<int>(x.at(5));
        max_sweeps = static_cast<int>(x.at(6));
        max_residual = x.at(7);
        max_loop_error = x.at(8);
        energy_start = x.at(9);
        worst = x.at(10);
        worst_t = x.at(11);
        worst_shapes = {static_cast<int>(x.at(12)), static_cast<int>(x.at(13))};
        max_penetration = x.at(14);
        max_momentum_error = x.at(15);
    }
};

// Refuses to go on with a state that means something else in this run.
void check_same_run(const Script& script, const Checkpoint& checkpoint)
{
    const nlohmann::json was = nlohmann::json::parse(checkpoint.options, nullptr, false);
    const nlohmann::json now = nlohmann::json::parse(script.identity());
    for (const auto& [name, value] : now.items()) {
        if (was.contains(name) && was[name] == value) continue;
        fail("The run to resume was made with --{0} {1}, not {2}: give --{0} {1}, or start anew without "
             "--resume.",
             name, was.contains(name) ? was[name].dump() : "unset", value.dump());
    }
    if (checkpoint.model_hash != model_hash(script.model))
        fail("The model '{}' has changed since the run to resume: start it anew without --resume.",
             script.model.name());
}

// Shapes that overlap at the start, beyond what round-off or a resting contact explains.
std::vector<std::string> overlaps(const View& view)
{
    std::vector<std::string> out;
    Detection detection(view.model());
    double deepest = 0;
    int pairs = 0;
    const auto& found = detection.detect([&](int body) { return view.body_motion(body).pose; });
    for (std::size_t k = 0; k < found.size(); ++k) {
        const DetectedContact& c = found[k];
        const AttachedShape &a = view.model().shapes()[c.shape_a], &b = view.model().shapes()[c.shape_b];
        deepest = std::max(deepest, -c.point.gap);
        const bool last =
            k + 1 == found.size() || found[k + 1].shape_a != c.shape_a || found[k + 1].shape_b != c.shape_b;
        if (!last) continue;
        // Settled grains overlap by the tolerance of the solver, and the position correction stops at a
        // hundredth of a radius.
        const bool grain = view.model().grain_of(a.body) >= 0 || view.model().grain_of(b.body) >= 0;
        const double least = grain ? 3e-2 : 1e-4;
        if (deepest > least * std::min(bounding_radius(a.shape), bounding_radius(b.shape))) {
            if (++pairs <= 5)
                out.push_back(fmt::format("'{}' and '{}' overlap by {:.2g} m at the start: move them apart.",
                                          view.model().shape_name(c.shape_a),
                                          view.model().shape_name(c.shape_b), deepest));
        }
        deepest = 0;
    }
    if (pairs > 5) out.push_back(fmt::format("{} more pairs overlap at the start.", pairs - 5));
    return out;
}

// What to tell of steps that ended with contacts unsolved: where it was worst, and what helps.
std::string unconverged(const Script& script, const Statistics& s)
{
    const Model& model = script.model;
    const auto [a, b] = s.worst_shapes;
    const std::string between =
        a < 0 ? "" : fmt::format(" between '{}' and '{}'", model.shape_name(a), model.shape_name(b));
    return fmt::format(
        "{} of {} steps stopped at the sweep limit, the worst at t = {:g} s with a residual of "
        "{:.1e}{}: raise --max-sweeps or --tolerance, or reduce --h{}.",
        s.unconverged, s.steps, s.worst_t, s.worst, between,
        script.method() != Method::moreau_jean || script.settings().solver == "robust" ? ""
        : s.max_contacts <= 1000 ? ", or take --solver robust"
                                 : ", or take another --solver");
}

nlohmann::json summary(const Script& script, const Stepper& stepper, const Statistics& s,
                       const std::string& status, const std::vector<std::string>& notes)
{
    nlohmann::json j;
    j["model"] = script.model.name();
    j["version"] = TAMIS_VERSION;
    j["status"] = status;
    j["parameters"] = script.options().values();
    j["t"] = stepper.view().time();
    j["steps"] = s.steps;
    j["contacts"] = {{"steps_with_contact", s.contact_steps}, {"total", s.contacts}, {"max", s.max_contacts}};
    j["iterations"] = {{"sweeps", s.sweeps},
                       {"max_sweeps_a_step", s.max_sweeps},
                       {"steps_not_converged", s.unconverged},
                       {"not_converged_at_s", s.unconverged_at}};
    j["residuals"] = {{"contact_natural_map_max", s.max_residual}, {"loop_error_max_m", s.max_loop_error}};
    if (!script.model.grains().empty()) {
        double size = 0;
        for (const GrainRecord& g : script.model.grains()) size += 2 * g.radius;
        j["grains"] = {{"number", script.model.grains().size()},
                       {"mean_size_m", size / static_cast<double>(script.model.grains().size())},
                       {"penetration_max_m", s.max_penetration},
                       {"momentum_error_max", s.max_momentum_error}};
    }
    j["energy"] = {{"start_J", s.energy_start}, {"end_J", s.energy_end}};
    nlohmann::json& times = j["seconds"];
    for (std::size_t k = 0; k < phase_names.size(); ++k) times[phase_names[k]] = stepper.clock().seconds()[k];
    times["output"] = s.output_seconds;
    times["total"] = s.step_seconds + s.output_seconds;
    j["state_hash"] = fmt::format("{:016x}", stepper.state_hash());
    j["notes"] = notes;
    if (const auto* coupled = dynamic_cast<const Coupled*>(&stepper)) {
        const CouplingStatistics& c = coupled->coupling().statistics();
        j["coupling"] = {{"iterations", c.iterations}, {"steps_not_converged", c.not_converged}};
    }
    if (const auto* relative = dynamic_cast<const MoreauJean*>(&stepper)) {
        j["equations"] = relative->compiled() ? "compiled" : "interpreted";
        j["partition_changes"] = relative->partition_changes();
        for (const auto& m : script.model.mechanisms())
            for (int c : relative->independent(m->number()))
                j["independent_coordinates"].push_back(m->coordinate_name(c));
    }
    return j;
}

void print_summary(const Script& script, const Stepper& stepper, const Statistics& s, const Output* output)
{
    fmt::print("{}: {} steps of {:g} s, {:g} s simulated in {:.3g} s ({:.3g} us a step), output {:.2g} s\n",
               script.model.name(), s.steps, script.settings().h, stepper.view().time(), s.step_seconds,
               1e6 * s.step_seconds / std::max(s.steps - s.steps_before, 1L), s.output_seconds);
    fmt::print("  contacts     in {} steps, {} at most; {} sweeps a step at most; worst residual {:.1e}\n",
               s.contact_steps, s.max_contacts, s.max_sweeps, s.max_residual);
    fmt::print("  loop error   {:.1e} m at most\n", s.max_loop_error);
    fmt::print("  energy       {:.9g} J -> {:.9g} J\n", s.energy_start, s.energy_end);
    fmt::print("  step time   ");
    for (std::size_t k = 0; k < phase_names.size(); ++k)
        fmt::print(" {} {:.0f} %{}", phase_names[k],
                   100 * stepper.clock().seconds()[k] / std::max(s.step_seconds, 1e-9),
                   k + 1 < phase_names.size() ? "," : "\n");
    if (!output) return;
    fmt::print("  files        {}: histories.csv, impacts.csv ({}), summary.json\n",
               output->folder().string(), output->impact_count());
    if (output->frames() > 0)
        fmt::print("  ParaView     {} ({} frames)\n",
                   (output->folder() / (script.model.name() + ".pvd")).string(), output->frames());
    else if (script.model.shapes().empty())
        fmt::print("  ParaView     no frames: no body has a shape (model.attach or model.show)\n");
}

} // namespace

int simulate(const Script& script)
{
    const Script::Settings& set = script.settings();
    const std::string& name = script.model.name();
    const std::unique_ptr<Stepper> stepper = script.make_stepper();
    const long steps = std::max(1L, static_cast<long>(std::ceil(set.t_end / set.h * (1 - 1e-12))));
    std::vector<std::string> notes = stepper->messages();
    Statistics statistics;
    std::optional<LatestCheckpoint> from;
    long first = 0; // steps that are done already
    if (set.resume) {
        if (!stepper->saved()) stepper->restore({}); // says why not
        from = read_latest(set.out, name);
        check_same_run(script, from->checkpoint);
        stepper->restore(from->checkpoint.state);
        statistics.restore(from->checkpoint.run.at("statistics"));
        statistics.unconverged_at = from->checkpoint.run.at("unconverged_at");
        first = from->checkpoint.state.step;
        notes.insert(notes.end(), from->notes.begin(), from->notes.end());
        notes.push_back(
            fmt::format("Resumed from '{}' at t = {:g} s.", from->file.string(), stepper->view().time()));
    } else {
        statistics.energy_start = stepper->view().energy();
        for (const std::string& overlap : overlaps(stepper->view())) notes.push_back(overlap);
    }
    auto tell = [&](const std::string& note) {
        if (!set.quiet) fmt::print(stderr, "{}: note: {}\n", name, note);
    };
    for (const std::string& note : notes) tell(note);
    if (first > steps)
        fail("The run to resume has come to t = {:g} s, beyond the end at {:g} s: give a larger --t-end.",
             stepper->view().time(), set.t_end);
    if (from && first == steps) {
        tell("The run is complete; a larger --t-end goes on with it.");
        return 0;
    }

    std::optional<Output> output;
    auto write_summary = [&](const std::string& status) {
        write_file(output->folder() / "summary.json",
                   summary(script, *stepper, statistics, status, notes).dump(2) + "\n");
    };
    if (!set.no_output) {
        from ? output.emplace(script, from->checkpoint) : output.emplace(script, stepper->view());
        write_summary("running");
    }

    Progress progress(steps, first, set.quiet, set.verbose);
    const auto start = std::chrono::steady_clock::now();
    auto write = [&](auto&& action) {
        const auto before = std::chrono::steady_clock::now();
        action();
        statistics.output_seconds += seconds_since(before);
    };
    Checkpoint checkpoint;
    const bool save = output && set.checkpoint_every > 0 && stepper->saved();
    long saved_step = first;
    auto saved_at = start;
    auto write_state = [&] {
        checkpoint.state = *stepper->saved();
        checkpoint.run["statistics"] = statistics.saved();
        checkpoint.run["unconverged_at"] = statistics.unconverged_at;
        output->save(checkpoint);
        write_checkpoint(output->folder(), checkpoint);
        saved_step = checkpoint.state.step;
        saved_at = std::chrono::steady_clock::now();
    };
    if (save) {
        checkpoint.model = name;
        checkpoint.model_hash = model_hash(script.model);
        checkpoint.options = script.identity();
    }
    auto finish = [&](const std::string& status) {
        statistics.step_seconds = seconds_since(start) - statistics.output_seconds;
        statistics.energy_end = stepper->view().energy();
        if (statistics.unconverged > 0) notes.push_back(unconverged(script, statistics));
        progress.clear();
        if (!output) return;
        output->flush();
        write_summary(status);
    };

    const StopSignals signals;
    auto frame_step = [&](long frame) { // the step that the picture is taken after
        return std::lround(static_cast<double>(frame) * steps / std::max(set.frames, 1));
    };
    long frame = 1;
    while (frame_step(frame) <= first) ++frame;
    try {
        if (output && !from)
            write([&] {
                output->history(stepper->view(), {}, 0);
                output->frame(stepper->view());
            });
        for (long n = first; n < steps && signals.caught() == 0; ++n) {
            const StepReport report = stepper->step();
            const double momentum_error = output ? stepper->momentum_error() : 0;
            statistics.add(report, stepper->view().time(), momentum_error);
            progress.step(n + 1, stepper->view().time(), report);
            if (!output) continue;
            write([&] {
                const View& view = stepper->view();
                const bool last = n + 1 == steps, due = (n + 1) % set.record_every == 0;
                output->impacts(view, (n + 1 - set.theta) * set.h);
                if (due) output->history(view, report, momentum_error);
                if (n + 1 == frame_step(frame)) {
                    output->frame(view);
                    while (frame_step(frame) <= n + 1) ++frame;
                }
                if (save && (last || seconds_since(saved_at) >= set.checkpoint_every)) write_state();
                // Behind the checkpoint: a run that goes on from here has no line at this step.
                if (last && !due) output->history(view, report, momentum_error);
            });
        }
        if (save && signals.caught() != 0 && stepper->saved()->step > saved_step) write(write_state);
    } catch (const std::exception& error) {
        try {
            finish(fmt::format("failed: {}", error.what()));
        } catch (const std::exception&) { // the first error is the one to tell
        }
        throw;
    }
    finish(signals.caught() ? "interrupted" : "finished");
    if (!set.quiet) print_summary(script, *stepper, statistics, output ? &*output : nullptr);
    if (statistics.unconverged > 0) tell(notes.back());
    if (signals.caught() == 0) return 0;
    fmt::print(stderr, "{}: interrupted at t = {:g} s{}.\n", name, stepper->view().time(),
               save ? "; --resume goes on from there" : "");
    return 128 + signals.caught();
}

} // namespace tamis
