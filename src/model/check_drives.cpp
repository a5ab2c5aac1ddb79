// Looks at 64 places of the run. At each, the mean velocity over three intervals in a row,
//
//     (x(t + d) - x(t)) / d = v(t + d / 2) + O(d^2),     d = 1e-6 min(t_end, 1 s),
//
// is compared with v in their middles. A jump, or a corner of a motion made of pieces, spoils one of the
// three, or two if it lies between them: a motion is refused if all three are off by a hundredth of its
// largest velocity. What round-off leaves of the difference of two positions is allowed for.
#include "tamis/model/check_drives.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace tamis {

void check_drives(const Model& model, double t_end)
{
    constexpr int places = 64, intervals = 3;
    const double d = 1e-6 * std::min(t_end, 1.0);
    for (const Drive& drive : model.drives()) {
        struct Interval {
            double t, mean, v, round_off;
        };
        std::vector<std::array<Interval, intervals>> found;
        double largest = 0;
        for (int k = 0; k < places; ++k) {
            const double start = (k + 0.5) / places * t_end;
            auto& here = found.emplace_back();
            for (int i = 0; i < intervals; ++i) {
                const double a = start + i * d, b = start + (i + 1) * d, x = drive.motion.position(a),
                             y = drive.motion.position(b), v = drive.motion.velocity((a + b) / 2);
                here[i] = {a, (y - x) / (b - a), v,
                           16 * std::numeric_limits<double>::epsilon() * (std::abs(x) + std::abs(y)) /
                               (b - a)};
                // (The positions may jump.)
                largest = std::max(largest, std::abs(v));
            }
        }
        for (const auto& here : found) {
            const bool wrong = std::all_of(here.begin(), here.end(), [&](const Interval& i) {
                return std::abs(i.mean - i.v) > 0.01 * std::max(largest, std::abs(i.mean)) + i.round_off;
            });
            if (wrong)
                fail("The drive of '{}' has the velocity {:.6g} at t = {:.6g} s, but its position changes by "
                     "{:.6g} per "
                     "second: give the derivative of the position, or make the motion by motion(formula).",
                     model.mechanisms()[drive.on.mechanism].coordinate_name(drive.on.index), here[0].v,
                     here[0].t, here[0].mean);
        }
    }
}

} // namespace tamis
