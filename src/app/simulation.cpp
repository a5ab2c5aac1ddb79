// The loop of a run; see simulation.hpp. Whatever ends it (the end, an error, a signal), files are flushed
// and a summary says how it ended. A checkpoint holds the state between two steps and how far the files were
// then; a run that resumes cuts them back to there, so that they end up as if it had never stopped.
#include "tamis/app/simulation.hpp"

#include "tamis/app/output.hpp"
#include "tamis/app/progress.hpp"
#include "tamis/app/results.hpp"
#include "tamis/app/saved.hpp"
#include "tamis/app/stop_signals.hpp"
#include "tamis/app/summary_file.hpp"
#include "tamis/app/verdict.hpp"
#include "tamis/app/watch.hpp"
#include "tamis/io/checkpoint.hpp"
#include "tamis/io/file.hpp"
#include "tamis/mbs_symbolic/compiled_equations.hpp"
#include "tamis/model/detection.hpp"
#include "tamis/model/model_hash.hpp"
#include "tamis/model/stepper.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

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
    bool loops = false; // the method closes joints or loops
    double max_residual = 0, max_loop_error = 0, energy_start = 0, energy_end = 0;
    double max_penetration = 0, max_momentum_error = 0;
    double overlap = 0, overlap_t = 0; // largest penetration over the smaller body's size, and when
    std::array<int, 2> overlap_shapes{-1, -1};
    std::vector<double> unconverged_at; // ends of these steps, s
    double worst = -1, worst_t = 0; // largest residual of a step that did not converge, and when that ended
    std::array<int, 2> worst_shapes{-1, -1};
    long wedged = 0; // steps without a solution, the first of them
    double wedged_t = 0;
    std::array<int, 2> wedged_shapes{-1, -1};
    double step_seconds = 0, output_seconds = 0;
    std::vector<double> pace_t, pace_seconds; // seconds of work by then, a hundred times

    void add(const StepReport& r, double t, double momentum_error)
    {
        if (!r.converged && r.residual > worst) {
            worst = r.residual;
            worst_t = t;
            worst_shapes = r.worst;
        }
        if (r.overlap > overlap) {
            overlap = r.overlap;
            overlap_t = t;
            overlap_shapes = r.deepest;
        }
        if (r.wedged[0] >= 0 && wedged++ == 0) {
            wedged_t = t;
            wedged_shapes = r.wedged;
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
        loops = loops || r.loops;
        max_loop_error = std::max(max_loop_error, r.loop_error);
    }

    // f(name, number) for all that a run which goes on needs.
    template <class Self, class F>
    static void each(Self& s, F&& f)
    {
        f("steps", s.steps);
        f("contact_steps", s.contact_steps);
        f("contacts", s.contacts);
        f("sweeps", s.sweeps);
        f("unconverged", s.unconverged);
        f("max_contacts", s.max_contacts);
        f("max_sweeps", s.max_sweeps);
        f("max_residual", s.max_residual);
        f("max_loop_error", s.max_loop_error);
        f("max_penetration", s.max_penetration);
        f("max_momentum_error", s.max_momentum_error);
        f("energy_start", s.energy_start);
        f("worst", s.worst);
        f("worst_t", s.worst_t);
        f("worst_shape_a", s.worst_shapes[0]);
        f("worst_shape_b", s.worst_shapes[1]);
        f("overlap", s.overlap);
        f("overlap_t", s.overlap_t);
        f("overlap_shape_a", s.overlap_shapes[0]);
        f("overlap_shape_b", s.overlap_shapes[1]);
        f("wedged", s.wedged);
        f("wedged_t", s.wedged_t);
        f("wedged_shape_a", s.wedged_shapes[0]);
        f("wedged_shape_b", s.wedged_shapes[1]);
    }
    void save(Checkpoint& to) const
    {
        each(*this, [&](const char* name, auto number) { to.run[name] = {static_cast<double>(number)}; });
        to.run["unconverged_at"] = unconverged_at;
    }
    void restore(const Checkpoint& from, const Model& model)
    {
        each(*this, [&]<class T>(const char* name, T& number) { number = saved_number<T>(from, name); });
        for (const int shape : {worst_shapes[0], worst_shapes[1], overlap_shapes[0], overlap_shapes[1],
                                wedged_shapes[0], wedged_shapes[1]})
            if (shape < -1 || shape >= static_cast<int>(model.shapes().size()))
                fail("The checkpoint names shape {} of {}: it is damaged; start the run anew without "
                     "--resume.",
                     shape, model.shapes().size());
        unconverged_at = saved_list(from, "unconverged_at");
        steps_before = steps;
    }
};

// Refuses to go on with a state that means something else in this run.
void check_same_run(const Script& script, const Checkpoint& checkpoint)
{
    const nlohmann::json was = nlohmann::json::parse(checkpoint.options, nullptr, false);
    const nlohmann::json now = nlohmann::json::parse(script.identity());
    const bool readable = was.is_array() && was.size() == now.size();
    for (std::size_t k = 0; k < now.size(); ++k) // first those of the model: others may follow from them
        for (const auto& [name, value] : now[k].items()) {
            const bool known = readable && was[k].contains(name);
            if (known && was[k][name] == value) continue;
            fail("The run to resume was made with --{0} {1}, not {2}: give --{0} {1}, or start anew without "
                 "--resume.",
                 name, known ? was[k][name].dump() : "unset", value.dump());
        }
    if (checkpoint.model_hash != model_hash(script.finished()))
        fail("The model '{}' has changed since the run to resume: start it anew without --resume.",
             script.finished().name());
}

// Shapes that overlap at the start, beyond what round-off or a resting contact explains. Grains that do so by more than
// a tenth of the smaller body are refused, unless that is allowed: the first step would shoot them apart.
std::vector<std::string> overlaps(const View& view, bool allowed)
{
    std::vector<std::string> out;
    const Model& model = view.model();
    Detection detection(model);
    const std::vector<double> sizes = model.sizes();
    double deepest = 0;
    int pairs = 0, refused = 0;
    std::string worst;
    const auto& found = detection.detect([&](int body) { return view.body_motion(body).pose; });
    for (std::size_t k = 0; k < found.size(); ++k) {
        const DetectedContact& c = found[k];
        const AttachedShape &a = model.shapes()[c.shape_a], &b = model.shapes()[c.shape_b];
        deepest = std::max(deepest, -c.point.gap);
        const bool last =
            k + 1 == found.size() || found[k + 1].shape_a != c.shape_a || found[k + 1].shape_b != c.shape_b;
        if (!last) continue;
        const double depth = std::exchange(deepest, 0.0);
        const int grain_a = model.grain_of(a.body), grain_b = model.grain_of(b.body);
        const bool grain = grain_a >= 0 || grain_b >= 0;
        const double size = std::min(sizes[c.shape_a], sizes[c.shape_b]);
        if (grain && !allowed && depth > 0.1 * size) {
            if (++refused > 5) continue;
            // Deeper than its centre, in what is no grain: behind a wall, or outside a container.
            const bool inside = depth > size / 2 && (grain_a < 0 || grain_b < 0);
            const std::string one = model.shape_name(grain_a >= 0 ? c.shape_a : c.shape_b),
                              other = model.shape_name(grain_a >= 0 ? c.shape_b : c.shape_a);
            worst += refused == 1 ? "" : "; ";
            worst += inside ? fmt::format("'{}' is inside '{}', {:.2g} m deep", one, other, depth)
                            : fmt::format("'{}' and '{}' overlap by {:.2g} m, {:.0f} % of the smaller one",
                                          one, other, depth, 100 * depth / size);
            continue;
        }
        // Settled grains overlap by the tolerance of the solver, and the position correction stops at a
        // hundredth of a radius.
        const double least = grain ? 3e-2 : 1e-4;
        if (depth > least * std::min(bounding_radius(a.shape), bounding_radius(b.shape))) {
            if (++pairs <= 5)
                out.push_back(fmt::format("'{}' and '{}' overlap by {:.2g} m at the start: move them apart.",
                                          model.shape_name(c.shape_a), model.shape_name(c.shape_b), depth));
        }
    }
    if (refused > 0)
        fail("At the start {}{}: move them apart, or give --allow-overlap.", worst,
             refused > 5 ? fmt::format("; and {} more pairs", refused - 5) : "");
    if (pairs > 5) out.push_back(fmt::format("{} more pairs overlap at the start.", pairs - 5));
    return out;
}

// Grains that are farther from where grains began, and from all bodies, than three times the extent of these: they
// found a hole, or went through a wall.
std::optional<std::string> escaped(const View& view)
{
    const Model& model = view.model();
    Eigen::AlignedBox3d room;
    const auto extend = [&](const Eigen::Vector3d& x, double size) {
        room.extend(Eigen::Vector3d(x.array() - size));
        room.extend(Eigen::Vector3d(x.array() + size));
    };
    for (const GrainRecord& g : model.grains()) extend(g.at.p, g.radius);
    for (const AttachedShape& s : model.shapes())
        if (const double size = bounding_radius(s.shape); s.grain < 0 && std::isfinite(size))
            extend(s.body < 0 ? s.at.p : view.motion(s.body).pose * s.at.p, size);
    const std::span<const GrainState> grains = view.grains();
    int first = -1, count = 0;
    for (int g = 0; g < static_cast<int>(grains.size()); ++g)
        if (room.exteriorDistance(grains[g].x) > 3 * room.diagonal().norm() && count++ == 0) first = g;
    if (count == 0) return std::nullopt;
    return fmt::format(
        "{} of {} grains have left the scene, the first of them '{}', which is {:.2g} m away: if they "
        "should not, close the gap in the walls, or reduce --h.",
        count, grains.size(), model.grain_name(first), room.exteriorDistance(grains[first].x));
}

// What to tell of steps that ended with contacts unsolved: where it was worst, and what helps.
std::string wedged(const Script& script, const Statistics& s)
{
    const Model& model = script.finished();
    const auto [a, b] = s.wedged_shapes;
    return fmt::format(
        "{} of {} steps have no solution, the first at t = {:g} s: bodies are wedged between '{}' and "
        "'{}', and impulses grow without end (the array wedge of the contacts in the frames shows "
        "where); rigid contacts cannot give way: take --contact-stiffness.",
        s.wedged, s.steps, s.wedged_t, model.shape_name(a),
        b < 0 ? std::string("itself") : model.shape_name(b));
}

std::string unconverged(const Script& script, const Statistics& s)
{
    if (s.wedged > 0) return wedged(script, s);
    const Model& model = script.finished();
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

// What the verdict is made of.
RunQuality quality(const Script& script, const Statistics& s, const Watch& watch)
{
    const Model& model = script.finished();
    const Settings& set = script.settings();
    RunQuality run;
    run.h = set.h;
    run.finite = watch.finite();
    run.steps = s.steps;
    run.unconverged = s.unconverged;
    if (s.unconverged > 0) run.unconverged_note = unconverged(script, s);
    run.touching = watch.smallest_shape() >= 0;
    run.penetration = s.overlap;
    run.penetration_t = s.overlap_t;
    if (const auto [a, b] = s.overlap_shapes; a >= 0 && b >= 0) {
        const std::vector<double> sizes = model.sizes();
        run.penetration_m = s.overlap * std::min(sizes[a], sizes[b]);
        run.deepest = {model.shape_name(a), model.shape_name(b)};
    }
    // (Of what another program steps, neither energy nor work is known.)
    if (watch.balance_known() && !script.has_peer()) run.gain = watch.gain();
    run.gain_t = watch.gain_time();
    run.energy_scale = watch.energy_scale();
    if (!model.grains().empty() && !set.no_output) run.momentum = s.max_momentum_error;
    run.turning = watch.turning();
    run.turning_body = watch.turning_body();
    run.travel = watch.travel();
    run.travel_body = watch.travel_body();
    if (run.touching) run.smallest_shape = model.shape_name(watch.smallest_shape());
    run.implicit = script.method() != Method::absolute && script.method() != Method::generalized_alpha;
    if (script.explicit_springs()) {
        const StiffestSpring spring = stiffest_spring(model, set.h);
        run.spring = spring.rate;
        run.spring_name = spring.name;
    }
    return run;
}

nlohmann::json summary(const Script& script, const Stepper& stepper, const Statistics& s,
                       const std::vector<std::string>& notes)
{
    nlohmann::json j;
    j["t"] = stepper.view().time();
    j["steps"] = s.steps;
    j["contacts"] = {{"steps_with_contact", s.contact_steps}, {"total", s.contacts}, {"max", s.max_contacts}};
    j["iterations"] = {{"sweeps", s.sweeps},
                       {"max_sweeps_per_step", s.max_sweeps},
                       {"steps_not_converged", s.unconverged},
                       {"not_converged_at_s", s.unconverged_at}};
    j["residuals"] = {{"contact_natural_map_max", s.max_residual}, {"loop_error_max_m", s.max_loop_error}};
    if (!script.finished().grains().empty()) {
        double size = 0;
        for (const GrainRecord& g : script.finished().grains()) size += 2 * g.radius;
        j["grains"] = {{"number", script.finished().grains().size()},
                       {"mean_size_m", size / static_cast<double>(script.finished().grains().size())},
                       {"penetration_max_m", s.max_penetration},
                       {"momentum_error_max", s.max_momentum_error}};
    }
    const Eigen::Vector3d g = script.finished().gravity_value();
    j["gravity_m_s2"] = {g.x(), g.y(), g.z()};
    j["energy"] = {{"start_J", s.energy_start}, {"end_J", s.energy_end}};
    nlohmann::json& times = j["seconds"];
    for (std::size_t k = 0; k < phase_names.size(); ++k) times[phase_names[k]] = stepper.clock().seconds()[k];
    times["output"] = s.output_seconds;
    times["total"] = s.step_seconds + s.output_seconds;
    j["pace"] = {{"t_s", s.pace_t}, {"work_s", s.pace_seconds}};
    j["state_hash"] = fmt::format("{:016x}", stepper.state_hash());
    j["notes"] = notes;
    for (const auto& [name, fact] : stepper.facts())
        std::visit([&](const auto& value) { j[nlohmann::json::json_pointer("/" + name)] = value; }, fact);
    return j;
}

// "compiled", "interpreted", or nothing of a method without generated equations.
std::string equations(const Stepper& stepper)
{
    const Facts facts = stepper.facts();
    const auto found = facts.find("equations");
    return found == facts.end() ? "" : std::get<std::string>(found->second);
}

void print_summary(const Script& script, const Stepper& stepper, const Statistics& s, const Verdict& verdict,
                   const Output* output)
{
    fmt::print("{}: {} steps of {:g} s, {:g} s simulated in {:.3g} s ({:.3g} us per step), output {:.2g} s\n",
               script.finished().name(), s.steps, script.settings().h, stepper.view().time(), s.step_seconds,
               1e6 * s.step_seconds / std::max(s.steps - s.steps_before, 1L), s.output_seconds);
    if (!script.finished().grains().empty())
        fmt::print("  grains       {}\n", script.finished().grains().size());
    if (const std::string kind = equations(stepper); !kind.empty() && !script.finished().bodies().empty())
        fmt::print("  equations    {}\n", kind);
    fmt::print("  contacts     in {} steps, {} at most; {} sweeps per step at most; worst residual {:.1e}\n",
               s.contact_steps, s.max_contacts, s.max_sweeps, s.max_residual);
    if (s.contact_steps > 0) fmt::print("  penetration  {:.1e} m at most\n", s.max_penetration);
    if (s.loops) fmt::print("  loop error   {:.1e} m at most\n", s.max_loop_error);
    fmt::print("  energy       {:.9g} J -> {:.9g} J\n", s.energy_start, s.energy_end);
    fmt::print("  step time   ");
    for (std::size_t k = 0; k < phase_names.size(); ++k)
        fmt::print(" {} {:.0f} %{}", phase_names[k],
                   100 * stepper.clock().seconds()[k] / std::max(s.step_seconds, 1e-9),
                   k + 1 < phase_names.size() ? "," : "\n");
    fmt::print("  verdict      {}\n", verdict.line());
    if (!output) return;
    fmt::print("  files        {}: histories.csv, impacts.csv ({}), summary.json\n",
               output->folder().string(), output->impact_count());
    if (output->frames() > 0)
        fmt::print("  ParaView     {} ({} frames)\n",
                   (output->folder() / (script.finished().name() + ".pvd")).string(), output->frames());
    else if (script.finished().shapes().empty())
        fmt::print("  ParaView     no frames: no body has a shape (model.attach or model.show)\n");
}

// A run, from the state it starts with to its exit code; the functions are called in this order.
class Run {
  public:
    explicit Run(const Script& script); // at its start, or where the run to resume has come to
    bool complete() const { return from_ && first_ == steps_; }
    void prepare(); // files and clocks
    void step_to_end(const StopSignals& signals);
    int conclude(const StopSignals& signals) const;
    void tell(const std::string& note) const;

  private:
    void start();
    void go_on();
    void step();
    void write_step(const StepReport& report, double momentum_error);
    void write_summary(const std::string& status);
    void save();
    void finish(const std::string& status);
    template <class Action>
    void write(Action&& action) // its time is that of output
    {
        const auto before = std::chrono::steady_clock::now();
        action();
        statistics_.output_seconds += seconds_since(before);
    }
    bool saves() const { return output_ && set_.checkpoint_every > 0; }
    long frame_step(long frame) const // the step that the picture is taken after
    {
        return std::lround(static_cast<double>(frame) * steps_ / std::max(set_.frames, 1));
    }

    const Script& script_;
    const Settings& set_;
    const std::string& name_;
    const std::unique_ptr<Stepper> stepper_;
    const std::filesystem::path folder_;
    std::optional<FolderLock> lock_;
    const long steps_;
    std::vector<std::string> notes_;
    Statistics statistics_;
    Watch watch_;
    std::optional<LatestCheckpoint> from_; // if the run is resumed
    long first_ = 0, done_ = 0;            // steps before this program, and by now
    // prepare
    std::optional<SummaryFile> summary_file_;
    std::optional<Output> output_;
    std::optional<Progress> progress_;
    std::chrono::steady_clock::time_point start_, saved_at_;
    Checkpoint checkpoint_;
    long saved_step_ = 0, frame_ = 1; // of the last checkpoint; the next picture
    // finish
    Verdict verdict_;
    nlohmann::json results_ = nlohmann::json::object();
    bool noted_ = false; // that steps did not converge
};

Run::Run(const Script& script)
    : script_(script), set_(script.settings()), name_(script.finished().name()),
      stepper_(script.make_stepper()), folder_(set_.out),
      steps_(std::max(1L, static_cast<long>(std::ceil(set_.t_end / set_.h * (1 - 1e-12))))),
      notes_(script.notes()), watch_(script.finished(), set_.h, script.method() == Method::dem)
{
    if (!set_.no_output && !set_.resume) make_directory(folder_);
    if (!set_.no_output && std::filesystem::is_directory(folder_)) lock_.emplace(folder_);
    for (const std::string& message : stepper_->messages()) notes_.push_back(message);
    if (equations(*stepper_) == "interpreted")
        if (const std::string why = why_interpreted(); !why.empty())
            notes_.push_back(fmt::format("The equations are interpreted: {}", why));
    set_.resume ? go_on() : start();
    for (const std::string& note : notes_) tell(note);
    if (first_ > steps_)
        fail("The run to resume has come to t = {:g} s, beyond the end at {:g} s: give a larger --t-end.",
             stepper_->view().time(), set_.t_end);
}

void Run::start()
{
    statistics_.energy_start = stepper_->view().energy();
    for (const std::string& overlap : overlaps(stepper_->view(), set_.allow_overlap))
        notes_.push_back(overlap);
    watch_.start(stepper_->view());
    if (lock_ && std::filesystem::exists(folder_ / "summary.json"))
        notes_.push_back(fmt::format("The files of an earlier run in '{}' are replaced.", folder_.string()));
}

void Run::go_on()
{
    from_ = read_latest(set_.out, name_);
    const Checkpoint& checkpoint = from_->checkpoint;
    check_same_run(script_, checkpoint);
    stepper_->restore(checkpoint.state);
    statistics_.restore(checkpoint, script_.finished());
    watch_.each([&]<class T>(const char* number, T& x) { x = saved_number<T>(checkpoint, number); });
    watch_.resume(stepper_->view());
    first_ = done_ = checkpoint.state.step;
    notes_.insert(notes_.end(), from_->notes.begin(), from_->notes.end());
    notes_.push_back(
        fmt::format("Resumed from '{}' at t = {:g} s.", from_->file.string(), stepper_->view().time()));
}

void Run::prepare()
{
    if (!set_.no_output) {
        summary_file_.emplace(folder_, name_, script_.options());
        from_ ? output_.emplace(script_.finished(), script_.records(), set_, from_->checkpoint)
              : output_.emplace(script_.finished(), script_.records(), set_, stepper_->view());
        for (const std::string& note : output_->notes()) {
            notes_.push_back(note);
            tell(note);
        }
        write_summary("running");
    }
    progress_.emplace(steps_, first_, set_.quiet, set_.verbose);
    start_ = saved_at_ = std::chrono::steady_clock::now();
    saved_step_ = first_;
    if (saves()) {
        checkpoint_.model = name_;
        checkpoint_.model_hash = model_hash(script_.finished());
        checkpoint_.options = script_.identity();
    }
    while (frame_step(frame_) <= first_) ++frame_;
}

void Run::step_to_end(const StopSignals& signals)
{
    try {
        if (output_ && !from_)
            write([&] {
                output_->history(stepper_->view(), {}, 0);
                output_->frame(stepper_->view());
            });
        while (done_ < steps_ && signals.caught() == 0) step();
        if (saves() && signals.caught() != 0 && done_ > saved_step_) write([&] { save(); });
        finish(signals.caught() ? "interrupted" : "finished");
    } catch (const std::exception& error) {
        const bool interrupted = script_.has_peer() && signals.caught() != 0; // waiting for another program
        try {
            finish(interrupted ? "interrupted" : fmt::format("failed: {}", error.what()));
        } catch (const std::exception&) { // the first error is the one to tell
        }
        if (!interrupted) throw;
    }
}

void Run::step()
{
    const StepReport report = stepper_->step();
    const View& view = stepper_->view();
    ++done_;
    const double momentum_error = output_ ? stepper_->momentum_error() : 0;
    statistics_.add(report, view.time(), momentum_error);
    watch_.step(view, done_);
    progress_->step(done_, view.time(), report);
    if (done_ * 100 / steps_ > (done_ - 1) * 100 / steps_) {
        statistics_.pace_t.push_back(view.time());
        statistics_.pace_seconds.push_back(seconds_since(start_) - statistics_.output_seconds);
    }
    if (report.wedged[0] >= 0 && set_.wedged == "stop")
        fail("{} --wedged go-on carries on.", wedged(script_, statistics_));
    if (output_) write([&] { write_step(report, momentum_error); });
}

void Run::write_step(const StepReport& report, double momentum_error)
{
    const View& view = stepper_->view();
    const bool last = done_ == steps_, due = done_ % set_.record_every == 0;
    output_->impacts(view, (done_ - set_.theta) * set_.h);
    if (due) output_->history(view, report, momentum_error);
    if (done_ == frame_step(frame_)) {
        output_->frame(view);
        while (frame_step(frame_) <= done_) ++frame_;
    }
    if (saves() && (last || seconds_since(saved_at_) >= set_.checkpoint_every)) save();
    // Behind the checkpoint: a run that goes on from here has no line at this step.
    if (last && !due) output_->history(view, report, momentum_error);
}

void Run::write_summary(const std::string& status)
{
    nlohmann::json j = summary(script_, *stepper_, statistics_, notes_);
    if (status != "running") j["verdict"] = verdict_.json();
    j["columns"] = output_->columns();
    if (!script_.results().empty()) j["results"] = results_;
    summary_file_->write(status, j);
}

void Run::save()
{
    checkpoint_.state = stepper_->save();
    statistics_.save(checkpoint_);
    watch_.each([&](const char* number, auto x) { checkpoint_.run[number] = {static_cast<double>(x)}; });
    output_->save(checkpoint_);
    write_checkpoint(output_->folder(), checkpoint_);
    saved_step_ = checkpoint_.state.step;
    saved_at_ = std::chrono::steady_clock::now();
}

void Run::finish(const std::string& status)
{
    statistics_.step_seconds = seconds_since(start_) - statistics_.output_seconds;
    statistics_.energy_end = stepper_->view().energy();
    if (statistics_.unconverged > 0 && !std::exchange(noted_, true))
        notes_.push_back(unconverged(script_, statistics_));
    Watch end = watch_; // a run that goes on from here looks when it would have
    end.look(stepper_->view());
    verdict_ = judge(quality(script_, statistics_, end), Limits(set_.limits));
    progress_->clear();
    if (const auto note = escaped(stepper_->view())) {
        notes_.push_back(*note);
        tell(*note);
    }
    if (!output_) return;
    output_->flush();
    if (status == "finished") {
        const std::size_t before = notes_.size();
        results_ = compute(script_.results(), output_->folder() / "histories.csv", notes_);
        for (std::size_t k = before; k < notes_.size(); ++k) tell(notes_[k]);
    }
    write_summary(status);
}

int Run::conclude(const StopSignals& signals) const
{
    if (!set_.quiet) {
        print_summary(script_, *stepper_, statistics_, verdict_, output_ ? &*output_ : nullptr);
        if (!results_.empty()) print_results(script_.results(), results_);
    }
    const bool absurd = verdict_.worst() == Severity::absurd && !set_.believe;
    bool told = false; // of steps that did not converge
    for (const Finding& f : verdict_.findings) {
        if (f.severity == Severity::good) continue;
        told = told || f.name == "unconverged";
        if (absurd && f.severity == Severity::absurd)
            fmt::print(stderr, "{}: not believable: {}\n", name_, f.sentence);
        else if (!set_.quiet)
            fmt::print(stderr, "{}: doubtful: {}\n", name_, f.sentence);
    }
    if (statistics_.unconverged > 0 && !told) tell(unconverged(script_, statistics_));
    if (signals.caught() == 0) return absurd ? 3 : 0;
    fmt::print(stderr, "{}: interrupted at t = {:g} s{}.\n", name_, stepper_->view().time(),
               saves() ? "; --resume goes on from there" : "");
    return 128 + signals.caught();
}

void Run::tell(const std::string& note) const
{
    if (!set_.quiet) fmt::print(stderr, "{}: note: {}\n", name_, note);
}

} // namespace

int simulate(const Script& script)
{
    Run run(script);
    if (run.complete()) {
        run.tell("The run is complete; a larger --t-end goes on with it.");
        return 0;
    }
    run.prepare();
    const StopSignals signals;
    run.step_to_end(signals);
    return run.conclude(signals);
}

} // namespace tamis
