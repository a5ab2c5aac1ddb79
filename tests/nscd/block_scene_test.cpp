// Blocks on planes, against closed forms of rigid bodies with Coulomb friction. Under constant forces the
// scheme is exact at theta = 1/2: v = a t and x = a t^2 / 2 to the tolerance of the contact solver.
#include "nscd/grain_scenes.hpp"

namespace tamis::block_scene_test {
namespace {

using namespace scenes;

class Block : public AtEveryScale {};
INSTANTIATE_TEST_SUITE_P(Scales, Block, scales());

// A block of the given half lengths on a plane of the given slope.
struct OnASlope {
    OnASlope(double angle, double mu, const Vector3d& half) : slope(angle), model("slope")
    {
        model.gravity({0, 0, -g});
        const MaterialId m = model.add(Material{.friction = mu, .anticipation = true});
        block = model.grain({.shape = box(2 * half.x(), 2 * half.y(), 2 * half.z()),
                             .material = m,
                             .density = 2000,
                             .at = {slope.R, half.z() * slope.normal()}});
        model.attach(ground, wall(slope.normal(), 0), m);
        model.finish();
    }
    Slope slope;
    ModelDescription model;
    GrainId block;
};

TEST_P(Block, SticksUpToAtanMuAndSlidesBeyond)
{
    const double mu = 0.5, h = 1e-3 * root;
    const int steps = 300;
    for (double part : {0.2, 0.9, 1 - 1e-6, 1 + 1e-6, 1.1, 3.0}) { // of tan(angle) = mu
        const double angle = std::atan(part * mu);
        OnASlope scene(angle, mu, s * Vector3d(0.5, 0.4, 0.1));
        MoreauJean run(scene.model.finish(), with_step(h));
        const Vector3d start = run.view().position(scene.block);
        for (int k = 0; k < steps; ++k) ASSERT_TRUE(run.step().converged) << part;
        const double t = steps * h, gain = g * h; // speed that a free step gives
        const double a = part < 1 ? 0 : g * (std::sin(angle) - mu * std::cos(angle));
        const Vector3d v = run.view().velocity(scene.block), x = run.view().position(scene.block) - start;
        EXPECT_LT((v + a * t * scene.slope.up()).norm(), 1e-9 * steps * gain) << part;
        EXPECT_LT((x + a * t * t / 2 * scene.slope.up()).norm(), 1e-9 * steps * gain * t) << part;
        EXPECT_LT(angular_velocity(run, scene.block).norm(), 1e-9 * steps * gain / (0.1 * s)) << part;
        if (part < 1) {
            EXPECT_LT(v.norm(), 1e-9 * gain) << part;
        } else {
            EXPECT_NEAR(-v.dot(scene.slope.up()) / (a * t), 1, 1e-3) << part; // also where a is 1e-6 g
        }
    }
}

TEST_P(Block, TallOneTipsOverItsEdgeWhereItsCentrePassesIt)
{
    const double b = 0.1 * s, c = 0.3 * s, h = 1e-3 * root;
    for (double part : {0.98, 1.02}) { // of tan(angle) = b / c
        const double angle = std::atan(part * b / c);
        OnASlope scene(angle, 2, {b, 0.2 * s, c});
        MoreauJean run(scene.model.finish(), with_step(h));
        run.step();
        // about the lower edge: (4/3) m (b^2 + c^2) alpha = m g (c sin - b cos)
        const double alpha =
            part < 1 ? 0 : 3 * g * (c * std::sin(angle) - b * std::cos(angle)) / (4 * (b * b + c * c));
        const Vector3d rate = angular_velocity(run, scene.block);
        EXPECT_NEAR(rate.y(), -alpha * h, 1e-10 * g * h / c) << part;
        EXPECT_NEAR(std::hypot(rate.x(), rate.z()), 0, 1e-10 * g * h / c) << part;
        advance(run, 1500);
        const double upright = run.view().motion(scene.block).pose.R.col(2).dot(scene.slope.normal());
        if (part < 1)
            EXPECT_NEAR(upright, 1, 1e-12);
        else
            EXPECT_LT(upright, 0.1); // it fell
    }
}

TEST_P(Block, PushedOnFourPointsMovesAsIfTheLoadsWereKnown)
{
    const double mu = 0.3, h = 1e-3 * root;
    for (double part : {0.5, 2.0}) { // of the force that moves it
        ModelDescription model("push");
        model.gravity({0, 0, -g});
        const MaterialId m = model.add(Material{.friction = mu, .anticipation = true});
        const GrainId block = model.grain({.shape = box(s, 0.8 * s, 0.2 * s),
                                           .material = m,
                                           .density = 2000,
                                           .at = {.p = {0, 0, 0.1 * s}}});
        model.attach(ground, wall({0, 0, 1}, 0), m);
        const double weight = model.grains()[0].mass * g;
        const Vector3d push = part * mu * weight * Vector3d(0.6, 0.8, 0);
        model.grain_force([=](const View&, GrainId) { return Wrench{push, {0, 0, 0}}; });
        MoreauJean run(model.finish(), with_step(h));
        advance(run, 200);
        const double a = std::max(part - 1, 0.0) * mu * g, t = 200 * h;
        EXPECT_LT((run.view().velocity(block) - a * t * push.normalized()).norm(), 1e-9 * g * t);
        EXPECT_LT(angular_velocity(run, block).norm(), 1e-8 * g * t / s);
        ASSERT_EQ(run.view().contacts().size(), 4u);
        EXPECT_NEAR(normal_impulse(run, -1, 0), weight * h, 1e-9 * weight * h);
    }
}

TEST_P(Block, TwoFeetShareTheLoadAsThePushingHeightAsks)
{
    // Feet at x = +-d, centre at height R, friction mu N at each: moments about the centre give
    // (N_front - N_back) d = mu (N_front + N_back) R.
    const double mu = 0.25, h = 1e-3 * root, R = 0.1 * s, d = 0.4 * s;
    ModelDescription model("dumbbell");
    model.gravity({0, 0, -g});
    const MaterialId m = model.add(Material{.friction = mu, .anticipation = true});
    const GrainId feet =
        model.grain({.parts = {{sphere(R), {.p = {d, 0, 0}}}, {sphere(R), {.p = {-d, 0, 0}}}},
                     .material = m,
                     .density = 2000,
                     .at = {.p = {0, 0, R}},
                     .velocity = {root, 0, 0}});
    model.attach(ground, wall({0, 0, 1}, 0), m);
    const double weight = model.grains()[0].mass * g;
    model.grain_force([=](const View&, GrainId) { return Wrench{{0.1 * weight, 0, 0}, {0, 0, 0}}; });
    MoreauJean run(model.finish(), with_step(h));
    advance(run, 200);
    EXPECT_NEAR(run.view().velocity(feet).x(), root + (0.1 - mu) * g * 200 * h, 1e-9 * root);
    ASSERT_EQ(run.view().contacts().size(), 2u);
    const double front = run.view().contacts()[0].impulse[0], back = run.view().contacts()[1].impulse[0];
    EXPECT_NEAR((front + back) / (weight * h), 1, 1e-9);
    EXPECT_NEAR((front - back) * d / (mu * weight * h * R), 1, 1e-8);
}

// A slender rod at the angle phi to the plane slides on its lower end, which moves towards -x while the rod
// leans towards +x. With N the normal force, c = cos(phi) and the contact at (-l c, -l sin(phi) - R) from
// the centre,
//
//     N (1/m + l c (l c - mu (l sin(phi) + R)) / I) = g - l sin(phi) phi'^2,
//     x'' = mu N / m,  phi'' = -N (l c - mu (l sin(phi) + R)) / I.
//
// Where the bracket is negative no sliding exists: Painleve's paradox.
struct Rod {
    Rod(double angle, double mu_, double speed, double s) : mu(mu_), l(0.5 * s), R(0.005 * s), model("rod")
    {
        model.gravity({0, 0, -g});
        const MaterialId m = model.add(Material{.friction = mu, .anticipation = true});
        // its axis z turned to (cos, 0, sin)
        grain =
            model.grain({.shape = capsule(R, 2 * l),
                         .material = m,
                         .density = 2000,
                         .at = {turn(M_PI / 2 - angle, Vector3d::UnitY()), {0, 0, l * std::sin(angle) + R}},
                         .velocity = {-speed, 0, 0}});
        model.attach(ground, wall({0, 0, 1}, 0), m);
        model.finish();
        mass = model.grains()[0].mass;
        inertia = model.grains()[0].inertia.maxCoeff();
    }
    double arm(double phi) const { return l * std::cos(phi) - mu * (l * std::sin(phi) + R); }
    double bracket(double phi) const { return 1 / mass + l * std::cos(phi) * arm(phi) / inertia; }
    double normal_force(double phi, double rate) const
    {
        return (g - l * std::sin(phi) * rate * rate) / bracket(phi);
    }
    double mu, l, R, mass, inertia;
    ModelDescription model;
    GrainId grain;
};

TEST_P(Block, RodSlidesWithTheAccelerationsOfTheClosedFormOutsidePainlevesParadox)
{
    const double angle = 1.1;
    for (double mu : {0.0, 0.3, 1.0}) {
        const double speed = 4 * root;
        Rod rod(angle, mu, speed, s);
        ASSERT_GT(rod.bracket(angle), 0);
        const double h = 1e-4 * root;
        MoreauJean run(rod.model.finish(), with_step(h));
        ASSERT_TRUE(run.step().converged);
        const double N = rod.normal_force(angle, 0);
        EXPECT_NEAR(run.view().velocity(rod.grain).x(), -speed + mu * N / rod.mass * h, 1e-9 * g * h);
        EXPECT_NEAR(run.view().velocity(rod.grain).z(), (N / rod.mass - g) * h, 1e-9 * g * h);
        // phi grows against the turn about y
        EXPECT_NEAR(angular_velocity(run, rod.grain).y(), N * rod.arm(angle) / rod.inertia * h,
                    1e-9 * g * h / rod.l);

        // and later, where phi' matters, to the order of the step: Heun's method on the equations above
        const int steps = 500;
        double phi = angle, rate = 0, x = -speed;
        auto acceleration = [&](double p, double r) {
            return -rod.normal_force(p, r) * rod.arm(p) / rod.inertia;
        };
        for (int k = 0; k < steps; ++k) {
            const double a = acceleration(phi, rate), phi_1 = phi + h * rate, rate_1 = rate + h * a;
            const double force = rod.normal_force(phi, rate) + rod.normal_force(phi_1, rate_1);
            x += h * mu * force / (2 * rod.mass);
            phi += h * (rate + rate_1) / 2;
            rate += h * (a + acceleration(phi_1, rate_1)) / 2;
            ASSERT_GT(force, 0);
        }
        advance(run, steps - 1);
        EXPECT_GT(std::abs(phi - angle), 0.005);
        EXPECT_NEAR(-angular_velocity(run, rod.grain).y() / rate, 1, 2e-3) << mu;
        EXPECT_NEAR(run.view().velocity(rod.grain).x(), x, 1e-3 * speed) << mu;
    }
}

TEST_P(Block, RodInPainlevesParadoxIsStoppedByAnImpactWithoutCollision)
{
    const double angle = 1.1, mu = 3, speed = 4 * root, h = 1e-4 * root;
    Rod rod(angle, mu, speed, s);
    ASSERT_LT(rod.bracket(angle), 0);
    MoreauJean run(rod.model.finish(), with_step(h));
    const double energy = run.view().kinetic_energy();
    const StepReport report = run.step();
    EXPECT_TRUE(report.converged);
    ASSERT_EQ(run.view().contacts().size(), 1u);
    const ContactRecord& c = run.view().contacts()[0];
    EXPECT_LT(c.u_plus.norm(), 1e-9 * speed); // it sticks: the only law that has a solution
    EXPECT_LE(c.impulse.tail<2>().norm(), mu * c.impulse[0] * (1 + 1e-12));
    EXPECT_GT(c.impulse[0], 0.1 * rod.mass * speed); // finite, however small the step
    EXPECT_LT(run.view().kinetic_energy(), 0.9 * energy);
    for (int k = 0; k < 200; ++k) ASSERT_TRUE(run.step().converged);
    EXPECT_TRUE(all_finite(run));
}

} // namespace
} // namespace tamis::block_scene_test
