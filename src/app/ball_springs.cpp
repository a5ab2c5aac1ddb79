// Stiffness of contacts among balls by Biondani et al. (2022): of the material (12), or the least that keeps overlaps
// (7) and durations of contacts small. Against a wall, a ball has twice the effective mass and radius: (12) gives
// 2^0.6 times the stiffness, and sized springs keep this ratio.
#include "tamis/app/script.hpp"
#include "tamis/dem/penalty_law.hpp"

#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace tamis {

BallSprings Script::ball_springs(const BallContacts& c)
{
    const std::string from =
        options_.choice("stiffness-from", asked_method() == Method::dem ? "material" : "rigid",
                        {"rigid", "material", "overlap", "duration", "sized"},
                        "of contacts: none, of the material, for a largest overlap or contact duration, or "
                        "the larger of these two");
    const bool hertz = asked_normal_law() == NormalLaw::hertz;
    if (hertz && from != "material")
        refuse("--normal-law hertz has the stiffness of the material: leave out --stiffness-from {}.", from);
    if (from == "rigid") return {};
    const double r = c.diameter / 2, mass = 4.0 / 3 * std::numbers::pi * r * r * r * c.density;
    const double walls_over_balls = std::pow(2, 0.6);
    const auto told = [&](double k, const std::string& why) {
        note(fmt::format("Contacts have {:.4g} N/m among balls and {:.4g} N/m at walls, {}.", k,
                         walls_over_balls * k, why));
        return BallSprings{k, walls_over_balls * k};
    };
    if (from == "material") {
        const double E =
            options_.number("young", c.young, "Young's modulus of balls and walls", "Pa", positive);
        const auto linear = [&](double v) {
            return stiffness_of_material(v, mass / 2, r / 2, E / (2 * (1 - c.poisson * c.poisson)));
        };
        if (hertz) {
            note(fmt::format("Contacts follow Hertz's law, with E = {:.4g} Pa and nu = {:g}.", E, c.poisson));
            const double k = linear(c.impact_speed);
            return {k, walls_over_balls * k, E, c.poisson};
        }
        const double v =
            options_.number("impact-speed", c.impact_speed, "that stiffness is taken at", "m/s", positive);
        return told(linear(v), fmt::format("of the material at impacts of {:g} m/s", v));
    }
    double overlap = 0, duration = 0;
    if (from != "duration") {
        const double beta = options_.number(
            "beta", 3, "largest overlap over that of one ball at the largest speed", "", positive);
        const double eta = options_.number("eta", 0.05, "largest overlap over the radius", "", {1e-6, 1});
        overlap = stiffness_for_overlap(mass, r, c.speed, beta, eta);
    }
    if (from != "overlap") {
        const double part =
            options_.number("contact-duration", 0.01, "longest contact over a period", "", {1e-6, 1});
        duration = stiffness_for_duration(mass, c.period, part);
    }
    if (!(std::max(overlap, duration) > 0) || !std::isfinite(overlap + duration))
        refuse("Nothing moves that contacts could be sized by: give --stiffness-from material.");
    return told(std::max(overlap, duration),
                overlap >= duration ? "the least for overlaps" : "the least for durations of contacts");
}

} // namespace tamis
