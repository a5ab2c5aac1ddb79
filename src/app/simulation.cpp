// The loop of a run; see simulation.hpp. Whatever ends it (the end, an error, Ctrl-C), files are flushed and
// a summary says how it ended.
#include "app/simulation.hpp"

#include "app/progress.hpp"
#include "io/file.hpp"
#include "io/history.hpp"
#include "io/vtk_writer.hpp"
#include "nscd/moreau_jean.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace tamis {

namespace {

std::atomic<bool> interrupted = false;
void interrupt(int)
{
    interrupted = true;
}

double seconds_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What the bodies fill at the start: planes are drawn around it.
struct Extent {
    Eigen::Vector3d centre{0, 0, 0};
    double size = 1;
};
Extent extent(const View& view)
{
    Eigen::Vector3d low = Eigen::Vector3d::Constant(1e300), high = -low;
    for (const AttachedShape& s : view.model().shapes()) {
        if (std::holds_alternative<Plane>(s.shape)) continue;
        const Pose pose = s.body < 0 ? s.at : view.motion(s.body).pose * s.at;
        for (const Eigen::Vector3d& x : surface(s.shape, 1).vertices) {
            low = low.cwiseMin(pose * x);
            high = high.cwiseMax(pose * x);
        }
    }
    if (high[0] < low[0]) return {};
    return {(low + high) / 2, 1.5 * (high - low).norm()};
}

// The surface of a shape; a plane is a square around the foot of the perpendicular from the scene's centre.
Surface drawn(const AttachedShape& s, const Extent& scene)
{
    Surface out = surface(s.shape, scene.size);
    if (const Plane* plane = std::get_if<Plane>(&s.shape)) {
        const Eigen::Vector3d centre = s.at.R.transpose() * (scene.centre - s.at.p);
        const Eigen::Vector3d along = centre - plane->normal.dot(centre) * plane->normal;
        for (Eigen::Vector3d& x : out.vertices) x += along;
    }
    return out;
}

class Output {
  public:
    Output(const Script& script, const View& view) : script_(script), folder_(script.settings().out)
    {
        make_directory(folder_);
        std::vector<std::string> columns{"t"};
        for (const Record& r : script.records())
            columns.insert(columns.end(), r.columns.begin(), r.columns.end());
        row_.resize(columns.size());
        histories_.emplace(folder_ / "histories.csv", columns);
        impacts_.emplace(folder_ / "impacts.csv",
                         std::vector<std::string>{"t", "shape_a", "shape_b", "feature", "gap",
                                                  "approach_speed", "separation_speed", "impulse_n",
                                                  "impulse_t1", "impulse_t2", "energy"});
        if (script.settings().frames > 0) {
            scene_.emplace(folder_, script.model.name());
            const Extent scene = extent(view);
            for (const AttachedShape& s : script.model.shapes())
                drawings_.push_back({s.name, drawn(s, scene), {}, s.body});
        }
    }

    void history(const View& view)
    {
        row_[0] = view.time();
        double* out = row_.data() + 1;
        for (const Record& r : script_.records()) {
            r.write(view, out);
            out += r.columns.size();
        }
        histories_->row(row_);
    }

    // Contacts that carry an impulse now and did not in the step before; t is the time of q_m, where they
    // were found.
    void impacts(const View& view, double t_m)
    {
        touching_.clear();
        for (const ContactRecord& c : view.contacts()) {
            if (!(c.impulse[0] > 0)) continue;
            touching_.insert({c.shape_a, c.shape_b, c.feature});
            if (touched_.count({c.shape_a, c.shape_b, c.feature})) continue;
            const auto& shapes = script_.model.shapes();
            impacts_->line(fmt::format("{},{},{},{},{},{},{},{},{},{},{}", t_m,
                                       csv_cell(shapes[c.shape_a].name), csv_cell(shapes[c.shape_b].name),
                                       c.feature, c.gap, -c.u_minus[0], c.u_plus[0], c.impulse[0],
                                       c.impulse[1], c.impulse[2], view.energy()));
            ++impact_count;
        }
        std::swap(touching_, touched_);
    }

    void frame(const View& view)
    {
        if (!scene_) return;
        for (std::size_t s = 0; s < drawings_.size(); ++s) {
            const AttachedShape& shape = script_.model.shapes()[s];
            drawings_[s].pose = shape.body < 0 ? shape.at : view.motion(shape.body).pose * shape.at;
        }
        arrows_.clear();
        for (const ContactRecord& c : view.contacts())
            arrows_.push_back({c.point, c.frame * c.impulse, c.gap});
        scene_->frame(view.time(), drawings_, arrows_);
    }

    void flush()
    {
        histories_->flush();
        impacts_->flush();
    }

    std::filesystem::path folder() const { return folder_; }
    int frames() const { return scene_ ? scene_->frames() : 0; }
    long impact_count = 0;

  private:
    const Script& script_;
    std::filesystem::path folder_;
    std::optional<History> histories_, impacts_;
    std::optional<SceneWriter> scene_;
    std::vector<double> row_;
    std::vector<Drawing> drawings_;
    std::vector<Arrow> arrows_;
    std::set<std::array<int, 3>> touching_, touched_;
};

// What the steps reported, over the whole run.
struct Statistics {
    long steps = 0, contact_steps = 0, contacts = 0, sweeps = 0, unconverged = 0;
    int max_contacts = 0, max_sweeps = 0;
    double max_residual = 0, max_loop_error = 0, energy_start = 0, energy_end = 0;
    double seconds = 0, output_seconds = 0;

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

nlohmann::json summary(const Script& script, const Stepper& stepper, const Statistics& s,
                       const std::string& status)
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
        {"sweeps", s.sweeps}, {"max_sweeps", s.max_sweeps}, {"steps_not_converged", s.unconverged}};
    j["residuals"] = {{"contact_natural_map_max", s.max_residual}, {"loop_error_max_m", s.max_loop_error}};
    j["energy"] = {{"start_J", s.energy_start}, {"end_J", s.energy_end}};
    nlohmann::json& times = j["seconds"];
    for (std::size_t k = 0; k < phase_names.size(); ++k) times[phase_names[k]] = stepper.clock().seconds()[k];
    times["output"] = s.output_seconds;
    times["total"] = s.seconds;
    j["state_hash"] = fmt::format("{:016x}", stepper.state_hash());
    j["messages"] = stepper.messages();
    if (const auto* relative = dynamic_cast<const MoreauJean*>(&stepper)) {
        j["equations"] = relative->emitted() ? "emitted code" : "tape";
        j["partition_changes"] = relative->partition_changes();
        for (const auto& m : script.model.mechanisms())
            for (int c : relative->independent(m->number()))
                j["independent_coordinates"].push_back(m->coordinate_name(c));
    }
    return j;
}

void print_summary(const Script& script, const Stepper& stepper, const Statistics& s, const Output* output)
{
    fmt::print("{}: {} steps of {:g} s, {:g} s simulated in {:.3g} s ({:.3g} us a step)\n",
               script.model.name(), s.steps, script.settings().h, stepper.view().time(), s.seconds,
               1e6 * s.seconds / std::max(s.steps, 1L));
    fmt::print("  contacts     in {} steps, {} at most; {} sweeps at most; worst residual {:.1e}\n",
               s.contact_steps, s.max_contacts, s.max_sweeps, s.max_residual);
    if (s.unconverged > 0)
        fmt::print("               {} steps stopped at the sweep limit: raise --max-sweeps or --tolerance\n",
                   s.unconverged);
    fmt::print("  loop error   {:.1e} m at most\n  energy       {:.9g} J -> {:.9g} J\n  time        ",
               s.max_loop_error, s.energy_start, s.energy_end);
    for (std::size_t k = 0; k < phase_names.size(); ++k)
        fmt::print(" {} {:.0f} %,", phase_names[k], 100 * stepper.clock().seconds()[k] / s.seconds);
    fmt::print(" output {:.0f} %\n", 100 * s.output_seconds / s.seconds);
    for (const std::string& m : stepper.messages()) fmt::print("  note         {}\n", m);
    if (!output) return;
    fmt::print("  files        {}: histories.csv, impacts.csv ({} impacts), summary.json{}\n",
               output->folder().string(), output->impact_count,
               output->frames() > 0
                   ? fmt::format(", {}.pvd ({} frames, for ParaView)", script.model.name(), output->frames())
                   : "");
}

} // namespace

int simulate(const Script& script)
{
    const Script::Settings& set = script.settings();
    const std::unique_ptr<Stepper> stepper = script.make_stepper();
    for (const std::string& m : stepper->messages())
        if (!set.quiet) fmt::print(stderr, "{}: note: {}\n", script.model.name(), m);
    std::optional<Output> output;
    if (!set.no_output) output.emplace(script, stepper->view());

    const long steps = std::max(1L, static_cast<long>(std::ceil(set.t_end / set.h * (1 - 1e-12))));
    Progress progress(steps, set.quiet, set.verbose);
    Statistics statistics;
    statistics.energy_start = stepper->view().energy();
    const auto start = std::chrono::steady_clock::now();
    auto write = [&](auto&& action) {
        const auto before = std::chrono::steady_clock::now();
        action();
        statistics.output_seconds += seconds_since(before);
    };
    auto finish = [&](const std::string& status) {
        statistics.seconds = seconds_since(start);
        statistics.energy_end = stepper->view().energy();
        progress.clear();
        if (!output) return;
        output->flush();
        write_file(output->folder() / "summary.json",
                   summary(script, *stepper, statistics, status).dump(2) + "\n");
    };

    interrupted = false;
    const auto old_handler = std::signal(SIGINT, interrupt);
    long frame = 1;
    try {
        if (output)
            write([&] {
                output->history(stepper->view());
                output->frame(stepper->view());
            });
        for (long n = 0; n < steps && !interrupted; ++n) {
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
        std::signal(SIGINT, old_handler);
        try {
            finish(fmt::format("failed: {}", error.what()));
        } catch (const std::exception&) { // the first error is the one to tell
        }
        throw;
    }
    std::signal(SIGINT, old_handler);
    finish(interrupted ? "interrupted" : "finished");
    if (!set.quiet) print_summary(script, *stepper, statistics, output ? &*output : nullptr);
    if (interrupted)
        fmt::print(stderr, "{}: interrupted at t = {:g} s.\n", script.model.name(), stepper->view().time());
    return interrupted ? 130 : 0;
}

} // namespace tamis
