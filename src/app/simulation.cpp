// The loop of a run; see simulation.hpp. Whatever ends it (the end, an error, a signal), files are flushed
// and a summary says how it ended.
#include "app/simulation.hpp"

#include "app/output.hpp"
#include "app/progress.hpp"
#include "io/file.hpp"
#include "nscd/detection.hpp"
#include "nscd/moreau_jean.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tamis {

namespace {

// Ctrl-C, `timeout` and batch systems end a run between two steps, with all files in order.
volatile std::sig_atomic_t stop_signal = 0;
void stop(int number)
{
    stop_signal = number;
}
class StopSignals {
  public:
    StopSignals()
    {
        stop_signal = 0;
        for (std::size_t k = 0; k < numbers.size(); ++k) old_[k] = std::signal(numbers[k], stop);
    }
    ~StopSignals()
    {
        for (std::size_t k = 0; k < numbers.size(); ++k) std::signal(numbers[k], old_[k]);
    }

  private:
    static constexpr std::array<int, 3> numbers{SIGINT, SIGTERM, SIGHUP};
    std::array<void (*)(int), 3> old_;
};

double seconds_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What the steps reported, over the whole run.
struct Statistics {
    long steps = 0, contact_steps = 0, contacts = 0, sweeps = 0, unconverged = 0;
    int max_contacts = 0, max_sweeps = 0;
    double max_residual = 0, max_loop_error = 0, energy_start = 0, energy_end = 0;
    double step_seconds = 0, output_seconds = 0;

    void add(const StepReport& r)
    {
        ++steps;
        contact_steps += r.contacts > 0;
        contacts += r.contacts;
        sweeps += r.sweeps;
        unconverged += !r.converged;
        max_contacts = std::max(max_contacts, r.contacts);
        max_sweeps = std::max(max_sweeps, r.sweeps);
        max_residual = std::max(max_residual, r.residual.natural_max);
        max_loop_error = std::max(max_loop_error, r.loop_error);
    }
};

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
        if (deepest > 1e-4 * std::min(bounding_radius(a.shape), bounding_radius(b.shape))) {
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
    j["iterations"] = {
        {"sweeps", s.sweeps}, {"max_sweeps_a_step", s.max_sweeps}, {"steps_not_converged", s.unconverged}};
    j["residuals"] = {{"contact_natural_map_max", s.max_residual}, {"loop_error_max_m", s.max_loop_error}};
    j["energy"] = {{"start_J", s.energy_start}, {"end_J", s.energy_end}};
    nlohmann::json& times = j["seconds"];
    for (std::size_t k = 0; k < phase_names.size(); ++k) times[phase_names[k]] = stepper.clock().seconds()[k];
    times["output"] = s.output_seconds;
    times["total"] = s.step_seconds + s.output_seconds;
    j["state_hash"] = fmt::format("{:016x}", stepper.state_hash());
    j["notes"] = notes;
    if (const auto* relative = dynamic_cast<const MoreauJean*>(&stepper)) {
        j["equations"] = relative->emitted() ? "emitted code" : "interpreted";
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
               1e6 * s.step_seconds / std::max(s.steps, 1L), s.output_seconds);
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
    std::vector<std::string> notes = stepper->messages();
    for (const std::string& overlap : overlaps(stepper->view())) notes.push_back(overlap);
    auto tell = [&](const std::string& note) {
        if (!set.quiet) fmt::print(stderr, "{}: note: {}\n", name, note);
    };
    for (const std::string& note : notes) tell(note);

    Statistics statistics;
    statistics.energy_start = stepper->view().energy();
    std::optional<Output> output;
    auto write_summary = [&](const std::string& status) {
        write_file(output->folder() / "summary.json",
                   summary(script, *stepper, statistics, status, notes).dump(2) + "\n");
    };
    if (!set.no_output) {
        output.emplace(script, stepper->view());
        write_summary("running");
    }

    const long steps = std::max(1L, static_cast<long>(std::ceil(set.t_end / set.h * (1 - 1e-12))));
    Progress progress(steps, set.quiet, set.verbose);
    const auto start = std::chrono::steady_clock::now();
    auto write = [&](auto&& action) {
        const auto before = std::chrono::steady_clock::now();
        action();
        statistics.output_seconds += seconds_since(before);
    };
    auto finish = [&](const std::string& status) {
        statistics.step_seconds = seconds_since(start) - statistics.output_seconds;
        statistics.energy_end = stepper->view().energy();
        if (statistics.unconverged > 0)
            notes.push_back(fmt::format("{} of {} steps stopped at the sweep limit (worst residual {:.1e}): "
                                        "raise --max-sweeps or --tolerance.",
                                        statistics.unconverged, statistics.steps, statistics.max_residual));
        progress.clear();
        if (!output) return;
        output->flush();
        write_summary(status);
    };

    const StopSignals signals;
    long frame = 1;
    try {
        if (output)
            write([&] {
                output->history(stepper->view());
                output->frame(stepper->view());
            });
        for (long n = 0; n < steps && stop_signal == 0; ++n) {
            const StepReport report = stepper->step();
            statistics.add(report);
            progress.step(n + 1, stepper->view().time(), report);
            if (!output) continue;
            write([&] {
                const View& view = stepper->view();
                output->impacts(view, (n + 1 - set.theta) * set.h);
                if ((n + 1) % set.record_every == 0 || n + 1 == steps) output->history(view);
                if (n + 1 == std::lround(static_cast<double>(frame) * steps / std::max(set.frames, 1))) {
                    output->frame(view);
                    ++frame;
                }
            });
        }
    } catch (const std::exception& error) {
        try {
            finish(fmt::format("failed: {}", error.what()));
        } catch (const std::exception&) { // the first error is the one to tell
        }
        throw;
    }
    finish(stop_signal ? "interrupted" : "finished");
    if (!set.quiet) print_summary(script, *stepper, statistics, output ? &*output : nullptr);
    if (statistics.unconverged > 0) tell(notes.back());
    if (stop_signal == 0) return 0;
    fmt::print(stderr, "{}: interrupted at t = {:g} s.\n", name, stepper->view().time());
    return 128 + stop_signal;
}

} // namespace tamis
