// The one-step map of the co-simulation of two masses, measured on a simulation as plain as the flow charts
// of Zhang et al. (2020), Figs 3 and 4, and Zhang et al. (2022), Fig. 2(b): the smooth solver predicts the
// motion at the end of the step; the nonsmooth solver makes its step with that motion and returns the force
// of the clamp; the smooth solver makes its step with that force; in the tight scheme this is repeated until
// the force no longer changes. Nothing here is taken from the recurrence matrices or from the solvers, which
// it is compared with.
#pragma once

#include "support/stability.hpp"
#include "tamis/smooth/two_step.hpp"

namespace tamis::test::plain {

struct Motion {
    double x, v, a;
};

// A mass on a spring and a damper, by the two-step scheme.
struct SmoothSolver {
    double k, c;
    TwoStep s;
    Motion now, before;

    Motion predict() const
    {
        const double v = -12 * (now.x - before.x) + 8 * now.v + 5 * before.v;
        const double x = s.a1 * now.x + s.a2 * before.x + s.b0 * v + s.b1 * now.v + s.b2 * before.v;
        return {x, v, now.a};
    }
    // x = x~ + b0 v, v = v~ + b0 a, a = f - k x - c v
    Motion step(double force) const
    {
        const double x_known = s.a1 * now.x + s.a2 * before.x + s.b1 * now.v + s.b2 * before.v;
        const double v_known = s.a1 * now.v + s.a2 * before.v + s.b1 * now.a + s.b2 * before.a;
        const double a = (force - k * (x_known + s.b0 * v_known) - c * v_known) / (1 + s.b0 * (c + s.b0 * k));
        const double v = v_known + s.b0 * a;
        return {x_known + s.b0 * v, v, a};
    }
};

// A mass on a spring and a damper whose motion is prescribed at velocity level with a correction of position,
// (x - u1) / h + v = u2, by the semi-implicit Euler scheme.
struct NonsmoothSolver {
    double m, k, c;
    double x, v;

    struct Step {
        double x, v, force; // that it exerts on what prescribes its motion
    };
    Step step(double u1, double u2) const
    {
        const double v_new = u2 - (x - u1);
        const double applied = -k * x - c * v;
        return {x + v_new, v_new, applied - m * (v_new - v)};
    }
};

struct CoSimulation {
    CouplingScheme scheme;
    BaumgarteWeights weights;
    SmoothSolver smooth;
    NonsmoothSolver nonsmooth;

    NonsmoothSolver::Step prescribe(const Motion& end) const
    {
        const NonsmoothSolver& n = nonsmooth;
        switch (scheme) {
        case CouplingScheme::tight:
        case CouplingScheme::loose: // along the straight line from the position now to that at the end
            return n.step(smooth.now.x, end.x - smooth.now.x);
        case CouplingScheme::original:
            return n.step(smooth.now.x, end.v);
        case CouplingScheme::modified:
        case CouplingScheme::staggered: // not asked for
            break;
        }
        const auto [alpha, beta, gamma] = weights;
        const double by_position = end.x - n.x, by_acceleration = n.v + end.a;
        return n.step(n.x, (alpha * by_position + beta * end.v + gamma * by_acceleration) /
                               (alpha + beta + gamma));
    }

    void step()
    {
        NonsmoothSolver::Step reply = prescribe(smooth.predict());
        double force = reply.force;
        if (scheme == CouplingScheme::tight) {
            // Where a repetition no longer changes the force. The change is linear in the force, so that
            // Newton's method finds the place, also where plain repetition diverges; its second step takes
            // back round-off.
            const auto change = [&](double f) { return prescribe(smooth.step(f)).force - f; };
            const double slope = change(1) - change(0);
            for (int k = 0; k < 2; ++k) force -= change(force) / slope;
            reply = prescribe(smooth.step(force));
        }
        const Motion end = smooth.step(force);
        smooth.before = smooth.now;
        smooth.now = end;
        nonsmooth.x = reply.x;
        nonsmooth.v = reply.v;
    }
};

} // namespace tamis::test::plain

namespace tamis::test {

// Column k is the state after one step from the state e_k: (x1, v1, v1', x1 before, v1 before, v1' before,
// x2, v2) as the two solvers hold it, with h = m1 = 1.
inline Eigen::MatrixXd plain_map(const StabilityParameters& p)
{
    check(p);
    const double w02h = p.r_k * p.w01h;
    Eigen::MatrixXd map(8, 8);
    for (int k = 0; k < 8; ++k) {
        const auto start = [k](int place) { return k == place ? 1.0 : 0.0; };
        plain::CoSimulation run{
            p.scheme,
            p.weights,
            {p.w01h * p.w01h,
             2 * p.xi1 * p.w01h,
             TwoStep::with_radius(p.rho_inf),
             {start(0), start(1), start(2)},
             {start(3), start(4), start(5)}},
            {p.r_m, p.r_m * w02h * w02h, 2 * p.r_m * p.r_c * p.xi1 * w02h, start(6), start(7)}};
        run.step();
        const plain::Motion &now = run.smooth.now, &before = run.smooth.before;
        map.col(k) << now.x, now.v, now.a, before.x, before.v, before.a, run.nonsmooth.x, run.nonsmooth.v;
    }
    return map;
}

} // namespace tamis::test
