// Mechanisms on which the equations are tested and timed, and random states of them.
#pragma once

#include "tamis/mbs_symbolic/equations.hpp"
#include "tamis/mbs_symbolic/generate.hpp"

#include <vector>

namespace tamis::gallery {

Mechanism pendulum();
Mechanism double_pendulum(double m1, double l1, double a1, double I1, double m2, double a2, double I2,
                          double g);
Mechanism planar_chain(int joints);  // parameters m1, l1, I1, m2, ...
Mechanism spatial_chain(int joints); // hinges about x, y, z, x, ... with full offsets and inertias
Mechanism arm();                     // six hinges about arbitrary axes on rotated placements
Mechanism branched_tree();           // hinges, slides, a cylindrical and a universal joint
Mechanism ball_chain();
Mechanism free_body();
Mechanism planar_body();
Mechanism slider_crank();     // an open chain: the slider hangs on the rod
Mechanism slider_crank_cut(); // the slider moves on the ground, the rod's end is cut from it
Mechanism four_bar();         // spatial, closed by a hinge
Mechanism rod_loop();
Mechanism ball_loop();
Mechanism tamping_machine();
Mechanism loaded_tree(); // wrenches on three frames
Mechanism welded();
std::vector<Mechanism> all();

struct Sample {
    Eigen::VectorXd q, v, w;
};
Sample random_sample(const Mechanism& m, unsigned seed);

// q after the time t with velocities v held; exact also for quaternions.
Eigen::VectorXd moved(const Mechanism& m, const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t);

// One quantity by any of its evaluators.
template <class Evaluator>
Eigen::VectorXd value(Evaluator& f, const Mechanism& m, Quantity quantity, const Sample& x)
{
    Eigen::VectorXd out(output_size(m, quantity));
    f(quantity, x.q.data(), x.v.data(), x.w.data(), out.data());
    return out;
}

// Largest difference over the largest magnitude of b, or over `floor` where b is smaller.
inline double relative_error(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, double floor = 0)
{
    if (a.size() == 0) return 0;
    const double difference = (a - b).cwiseAbs().maxCoeff();
    return difference == 0 ? 0 : difference / std::max(b.cwiseAbs().maxCoeff(), floor);
}

} // namespace tamis::gallery
