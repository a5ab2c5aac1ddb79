// Gravity deposition and shaking; see deposit.hpp. Everything scales with the mean size d of the grains and
// the time sqrt(d / g) in which one falls by half its size, so that millimetres and kilometres behave alike.
#include "tamis/packing/deposit.hpp"

#include "tamis/base/error.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <algorithm>
#include <numbers>
#include <set>

namespace tamis {

namespace {

double mean_size(const Packing& packing)
{
    if (packing.size() == 0) fail("There are no grains to deposit.");
    double sum = 0;
    for (const Shape& s : packing.shapes) sum += 2 * bounding_radius(s);
    return sum / packing.size();
}

double rms_speed(const View& view)
{
    double sum = 0;
    for (const GrainState& g : view.grains()) sum += g.v.squaredNorm();
    return std::sqrt(sum / static_cast<double>(view.grains().size()));
}

struct Scale {
    double d, g, time, speed;
    Scale(const Packing& packing, const Deposit& how)
        : d(mean_size(packing)), g(how.gravity.norm()), time(std::sqrt(d / g)), speed(std::sqrt(d * g))
    {
        if (!(g > 0)) fail("A deposit needs gravity: give one that is not zero.");
    }
};

MoreauJeanOptions options(const Scale& scale, const Deposit& how)
{
    MoreauJeanOptions o;
    o.h = how.step * scale.time;
    o.force = ForceEvaluation::explicit_;
    o.contacts = {.tolerance = how.tolerance, .max_sweeps = how.max_sweeps, .threads = how.threads};
    return o;
}

void note_result(const MoreauJean& run, const StepReport& report, Deposited& result)
{
    result.packing = packing_of(run.view());
    result.rms_speed = rms_speed(run.view());
    result.penetration = report.penetration;
    result.contacts = report.contacts;
    std::set<std::pair<int, int>> touching;
    const Model& model = run.view().model();
    for (const ContactRecord& c : run.view().contacts()) {
        const int a = model.grain_of(model.shapes()[c.shape_a].body),
                  b = model.grain_of(model.shapes()[c.shape_b].body);
        if (c.impulse[0] > 0 && a >= 0 && b >= 0) touching.insert(std::minmax(a, b));
    }
    result.touching.assign(touching.begin(), touching.end());
}

thread_local std::function<void(const DepositStep&)> watch;

// Until the grains rest, in the end with a tenth of the tolerance; `least` steps of each are made at any rate.
void settle(const Model& model, const Scale& scale, const Deposit& how, long least, Deposited& result)
{
    MoreauJean run(model, options(scale, how));
    StepReport report;
    const long longest = std::lround(how.longest / how.step);
    auto until = [&](double speed, long limit) {
        for (long n = 0; n < limit; ++n) {
            report = run.step();
            ++result.steps;
            const double now = rms_speed(run.view());
            if (watch) watch({result.steps, now / scale.speed, report.contacts, report.sweeps});
            if (how.tell && result.steps % 100 == 0)
                how.tell(fmt::format(
                    "step {}: rms speed {:.2g} of sqrt(g d), {} contacts, {} sweeps, residual {:.1e}",
                    result.steps, now / scale.speed, report.contacts, report.sweeps, report.residual_rms));
            // Grains that have not begun to fall do not rest.
            if (n >= least && now < speed) break;
        }
    };
    until(10 * how.rest * scale.speed, longest);
    run.set_tolerance(how.tolerance / 10);
    until(how.rest * scale.speed, longest / 4);
    result.time += run.state().t;
    note_result(run, report, result);
}

} // namespace

DepositWatch::DepositWatch(std::function<void(const DepositStep&)> inner) : outer_(std::move(watch))
{
    watch = std::move(inner);
}

DepositWatch::~DepositWatch()
{
    watch = std::move(outer_);
}

Deposited deposit(const Packing& loose, const Walls& walls, const Deposit& how)
{
    const Scale scale(loose, how);
    Deposited result;
    result.packing = loose;
    bool first = true;
    for (double mu : how.friction) {
        ModelDescription model("deposit");
        model.gravity({how.gravity.x(), how.gravity.y(), how.gravity.z()});
        const MaterialId material = model.add(Material{.friction = mu, .anticipation = true});
        add_grains(model, result.packing, material, 1000);
        for (const auto& [shape, pose] : walls.shapes) model.attach(ground, shape, material, pose);
        settle(model.finish(), scale, how, first ? std::lround(1 / how.step) : 20, result);
        first = false;
    }
    return result;
}

Deposited shake(const Packing& loose, const std::function<Shape(double height)>& cavity, double height,
                const Shake& how, const Deposit& rest)
{
    const Scale scale(loose, rest);
    Deposited result;
    result.packing = loose;
    double top = bounds(loose).high.z();
    for (int cycle = 0; cycle < how.cycles; ++cycle) {
        ModelDescription model("shake");
        model.gravity({rest.gravity.x(), rest.gravity.y(), rest.gravity.z()});
        const MaterialId material =
            model.add(Material{.friction = rest.friction.back(), .anticipation = true});
        add_grains(model, result.packing, material, 1000);
        const Body container = model.add({.name = "container", .joint = slide_z(), .mass = 1});
        model.attach(container, hollow(cavity(height)), material, {.p = {0, 0, height / 2}}, "container");
        const double omega = 2 * std::numbers::pi * how.frequency, end = 1 / how.frequency;
        model.drive(model.coordinate(container),
                    {[=](double t) { return t < end ? how.amplitude * std::sin(omega * t) : 0.0; },
                     [=](double t) { return t < end ? how.amplitude * omega * std::cos(omega * t) : 0.0; }});
        settle(model.finish(), scale, rest, std::lround(end / (rest.step * scale.time)) + 1, result);
        const double new_top = bounds(result.packing).high.z();
        const bool done = cycle > 0 && top - new_top < how.settled * scale.d;
        top = new_top;
        height = std::min(height, top + 0.1 * scale.d);
        if (done) break;
    }
    return result;
}

} // namespace tamis
