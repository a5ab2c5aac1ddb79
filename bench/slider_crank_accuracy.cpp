// Accuracy of every formulation of the slider-crank against its converged solution: ./tamis bench
// slider_crank_accuracy
//
// Columns: worst error of the slider's y up to 0.1 s and of the crank angle over two turns, worst error of
// the times of impacts above 0.2 m/s up to 0.03 s and 0.1 s, deepest penetration, largest joint error.
#include "models/slider_crank_reference.hpp"
#include "tamis/app/script.hpp"
#include "tamis/model/view.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace {

using namespace tamis;

struct Errors {
    double y = 0, theta1 = 0, impacts_early = 0, impacts = 0, penetration = 0, joint = 0;
};

Errors errors(const std::string& formulation, const std::string& force, const std::string& h)
{
    const auto script =
        make_script("slider_crank", {"--formulation", formulation, "--force", force, "--h", h});
    script->prepare();
    const auto stepper = script->make_stepper();
    std::map<std::string, double> now, before;
    auto observe = [&] {
        for (const Record& r : script->records()) {
            std::vector<double> values(r.columns.size());
            r.write(stepper->view(), values.data());
            for (std::size_t k = 0; k < values.size(); ++k) now[r.columns[k]] = values[k];
        }
    };
    Errors e;
    std::vector<double> closest(std::size(reference::slider_crank_impacts), 1.0);
    const double step = script->settings().h, t_end = script->settings().t_end;
    const long steps = std::lround(t_end / step);
    const reference::Sample* sample = std::begin(reference::slider_crank);
    observe();
    for (long n = 0; n < steps; ++n) {
        before = now;
        stepper->step();
        observe();
        const double t = (n + 1) * step;
        for (; sample != std::end(reference::slider_crank) && sample->t <= t + 1e-12; ++sample) {
            const double s = 1 - (t - sample->t) / step;
            auto value = [&](const char* name) { return before[name] + s * (now[name] - before[name]); };
            if (sample->t <= 0.1) e.y = std::max(e.y, std::abs(value("y") - sample->y));
            e.theta1 = std::max(e.theta1, std::abs(value("theta1") - sample->theta1));
        }
        for (const char* gap : {"g1", "g2", "g3", "g4"}) e.penetration = std::max(e.penetration, -now[gap]);
        e.joint = std::max(e.joint, now["loop_error"]);
        for (const ContactRecord& c : stepper->view().contacts())
            for (std::size_t k = 0; k < closest.size(); ++k) {
                const reference::Impact& r = reference::slider_crank_impacts[k];
                const bool upper = stepper->view().position(Body{0, 2})[1] > 0;
                if (c.impulse[0] > 0 && upper == r.upper &&
                    std::abs(-c.u_minus[0] / r.approach_speed - 1) < 0.1)
                    closest[k] = std::min(closest[k], std::abs(t - step / 2 - r.t));
            }
    }
    for (std::size_t k = 0; k < closest.size(); ++k) {
        const double t = reference::slider_crank_impacts[k].t;
        if (t <= 0.03) e.impacts_early = std::max(e.impacts_early, closest[k]);
        if (t <= 0.1) e.impacts = std::max(e.impacts, closest[k]);
    }
    return e;
}

void print(const std::string& formulation, const std::string& force, const std::string& h)
{
    const Errors e = errors(formulation, force, h);
    fmt::print("{:18} {:9} {:>7} {:>9.2e} {:>11.2e} {:>15.1e} {:>14.1e} {:>12.2e} {:>9.1e}\n", formulation,
               force, h, e.y, e.theta1, e.impacts_early, e.impacts, e.penetration, e.joint);
}

} // namespace

int main()
{
    fmt::print("{:18} {:9} {:>7} {:>9} {:>11} {:>15} {:>14} {:>12} {:>9}\n", "formulation", "force", "h [s]",
               "dy [m]", "dtheta1", "impacts<.03 [s]", "impacts<.1 [s]", "penetr. [m]", "joint [m]");
    for (const char* force : {"explicit", "midpoint"})
        for (const char* formulation : {"chain", "cut-xy", "cut-y", "auto"})
            for (const char* h : {"1e-4", "4e-5", "2e-5", "1e-5", "5e-6", "2.5e-6"})
                print(formulation, force, h);
    for (const char* h : {"1e-5", "5e-6", "2e-6", "1e-6"}) print("absolute", "explicit", h);
    for (const char* h : {"1e-4", "1e-5", "5e-6"}) print("generalized-alpha", "explicit", h);
}
