// The map z_n+1 = A z_n of a co-simulation, column by column, by a step from each unit vector of the state z: x, v, a
// of the first mass with the last step, v and a that the two-step scheme keeps of it, and x, v of the second.
#include "support/two_masses.hpp"

#include "tamis/cosim/coupled.hpp"
#include "tamis/model/description.hpp"

namespace tamis {

namespace {

constexpr double spring_length = 10; // m

} // namespace

TwoMassBodies add_two_masses(ModelDescription& model, const TwoMasses& masses)
{
    const auto inertia = [](double m) { return Inertia(m, m, m); }; // of no consequence
    TwoMassBodies b;
    b.first = model.add(
        {.name = "first mass", .joint = slide_x(), .mass = masses.m1, .inertia = inertia(masses.m1)});
    b.second = model.add({.name = "second mass",
                          .parent = b.first,
                          .joint = fixed_joint(),
                          .mass = masses.m2,
                          .inertia = inertia(masses.m2)});
    b.along = model.coordinate(b.first);
    model.start(b.first, masses.x, masses.v);
    model.spring(b.along, {.stiffness = masses.k1, .damping = masses.c1});
    if (masses.k2 > 0 || masses.c2 > 0)
        model.spring(model.frame("anchor", ground, {-spring_length, 0, 0}), model.frame("clamp", b.second),
                     {.stiffness = masses.k2, .damping = masses.c2, .rest = spring_length});
    return b;
}

Eigen::MatrixXd coupled_map(const StabilityParameters& p)
{
    check(p);
    ModelDescription model("two masses");
    const double w = p.w01h, w2 = p.r_k * w, xi2 = p.r_c * p.xi1;
    const double tiny = 1e-9; // m2 = 0 is no body
    TwoMasses masses{.m2 = std::max(p.r_m, tiny)};
    masses.k1 = w * w;
    masses.c1 = 2 * w * p.xi1;
    masses.k2 = masses.m2 * w2 * w2;
    masses.c2 = 2 * masses.m2 * w2 * xi2;
    const TwoMassBodies bodies = add_two_masses(model, masses);
    model.finish();

    CoupledOptions options{.H = 1,
                           .scheme = p.scheme,
                           .weights = p.weights,
                           .repeat = Repetition::quasi_newton,
                           .absolute = 1e-14,
                           .max_iterations = 200};
    options.smooth.rho_inf = p.rho_inf;
    Coupled run(model.finish(), {bodies.second}, options);
    SmoothSolver& solver = run.smooth().solver();
    const GuidedStepper& stepper = run.nonsmooth().stepper();
    run.step(); // so that there is a step before
    SmoothState smooth = solver.state();
    State nonsmooth = stepper.state();
    const double scale = 1e-3; // of the motion: it is linear as long as springs do not turn over
    Eigen::MatrixXd map(8, 8);
    for (int k = 0; k < 8; ++k) {
        Eigen::Matrix<double, 8, 1> z = Eigen::Matrix<double, 8, 1>::Zero();
        z[k] = scale;
        NodeState& node = smooth.nodes[0];
        node.now.x[0] = z[0], node.now.v[0] = z[1], node.now.a[0] = z[2];
        node.step_x[0] = z[0] - z[3], node.v[0] = z[4], node.a[0] = z[5];
        nonsmooth.q[0] = z[6], nonsmooth.v[0] = z[7];
        run.restart(smooth, nonsmooth);
        run.step();
        const NodeState& after = solver.state().nodes[0];
        map.col(k) << after.now.x[0], after.now.v[0], after.now.a[0], after.now.x[0] - after.step_x[0],
            after.v[0], after.a[0], stepper.state().q[0], stepper.state().v[0];
    }
    return map / scale;
}

} // namespace tamis
