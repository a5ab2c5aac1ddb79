// Coordinates whose velocity is set from outside, step by step.
#include "tamis/model/description.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include "error_of.hpp"

#include <gtest/gtest.h>

namespace guided_test {

using namespace tamis;
using Eigen::Quaterniond;
using Eigen::Vector3d;

namespace {

constexpr double h = 1e-2, mass = 3;

// A body moved as a whole, and a second one that hangs on it by a hinge.
struct Scene {
    ModelDescription model{"guided"};
    Body carrier, arm;
    MoreauJeanOptions options{.h = h, .theta = 1, .force = ForceEvaluation::explicit_};

    explicit Scene(bool with_arm = false)
    {
        model.gravity({0, 0, -10});
        carrier =
            model.add({.name = "carrier", .joint = free_joint(), .mass = mass, .inertia = {0.2, 0.2, 0.2}});
        if (with_arm)
            arm = model.add({.name = "arm",
                             .parent = carrier,
                             .joint = hinge_y(),
                             .mass = 1,
                             .com = {0.5, 0, 0},
                             .inertia = {0.1, 0.1, 0.1}});
        for (int k = 0; k < 6; ++k) options.guided.push_back(model.coordinate(carrier, k));
        model.finish();
    }
    Vector3d force(const MoreauJean& stepper, int first) const
    {
        Vector3d f;
        for (int k = 0; k < 3; ++k) f[k] = stepper.view().drive_force(options.guided[first + k]);
        return f;
    }
};

} // namespace

TEST(Guided, BodyFollowsVelocitiesAndTellsWhatThatTakes)
{
    Scene scene;
    MoreauJean stepper(scene.model.finish(), scene.options);
    Vector3d x(0, 0, 0), v_before(0, 0, 0), omega_before(0, 0, 0);
    Quaterniond turn = Quaterniond::Identity();
    for (int n = 1; n <= 50; ++n) {
        const Vector3d v(std::sin(n), 0.3 * n, 1), omega(0.5 * n, std::cos(n), -2); // omega in body axes
        const double guide[6] = {v[0], v[1], v[2], omega[0], omega[1], omega[2]};
        stepper.guide(guide);
        stepper.step();
        x += h * v;
        const double angle = h * omega.norm();
        turn = turn * Quaterniond(Eigen::AngleAxisd(angle, omega.normalized()));
        ASSERT_NEAR((stepper.view().position(scene.carrier) - x).norm(), 0, 1e-13);
        ASSERT_NEAR((stepper.view().rotation(scene.carrier) - turn.toRotationMatrix()).norm(), 0, 1e-12);
        ASSERT_NEAR((scene.force(stepper, 0) - mass * ((v - v_before) / h + Vector3d(0, 0, 10))).norm(), 0,
                    1e-10);
        ASSERT_NEAR((scene.force(stepper, 3) - 0.2 * (omega - omega_before) / h).norm(), 0, 1e-10);
        v_before = v;
        omega_before = omega;
    }
}

TEST(Guided, RestoredRunTellsTheSameForces)
{
    Scene scene(true);
    MoreauJean stepper(scene.model.finish(), scene.options);
    const double guide[6] = {0.1, 0.2, -0.3, 0.4, 1, -2}, other[6] = {1, 0, 0, 0, 0, 3};
    for (int n = 0; n < 10; ++n) {
        stepper.guide(guide);
        stepper.step();
    }
    const State saved = stepper.state();
    stepper.guide(other);
    stepper.step();
    const Vector3d force = scene.force(stepper, 0), moment = scene.force(stepper, 3);
    const std::uint64_t hash = stepper.state_hash();
    stepper.restore(saved);
    stepper.guide(guide);
    stepper.step();
    EXPECT_NE(stepper.state_hash(), hash);
    stepper.restore(saved);
    stepper.guide(other);
    stepper.step();
    EXPECT_EQ(stepper.state_hash(), hash);
    EXPECT_EQ(scene.force(stepper, 0), force);
    EXPECT_EQ(scene.force(stepper, 3), moment);
}

TEST(Guided, MistakesAreNamed)
{
    Scene scene;
    MoreauJean stepper(scene.model.finish(), scene.options);
    const double few[2] = {0, 0};
    EXPECT_EQ(error_of([&] { stepper.guide(few); }), "2 velocities were given to 6 guided coordinates.");
    scene.options.guided.push_back(scene.options.guided.front());
    EXPECT_EQ(error_of([&] { MoreauJean twice(scene.model.finish(), scene.options); }),
              "Coordinate 'carrier.x' is driven and guided, or guided twice: one of them must go.");
}

} // namespace guided_test
