// Scenes on which both methods in absolute coordinates are tested.
#pragma once

#include "model/scenes.hpp"
#include "tamis/model/description.hpp"
#include "tamis/model/stepper.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace tamis::scenes {

inline constexpr double anything = std::numeric_limits<double>::infinity();

// Every step converges, and no joint is open by more, m.
inline void run(Stepper& stepper, long steps, double most_open = anything)
{
    for (long k = 0; k < steps; ++k) {
        const StepReport report = stepper.step();
        ASSERT_TRUE(report.converged);
        ASSERT_LE(report.loop_error, most_open);
    }
}

// Distance from the relative formulation at time `end`.
template <class Method>
double difference(const Model& model, double end, long steps, double most_open = anything)
{
    Method absolute(model, {.h = end / static_cast<double>(steps)});
    MoreauJean relative(model, {.h = end / 20000});
    run(absolute, steps, most_open);
    run(relative, 20000, most_open);
    return largest_distance(absolute.view(), relative.view());
}

inline void double_pendulum(ModelDescription& model)
{
    model.gravity({0, -gravity, 0});
    const Body a = add_link(model, "a", ground, hinge({1, 0.2, 1}), {0, 0, 0});
    const Body b = add_link(model, "b", a, hinge({0, 1, 1}), {0.5, 0, 0});
    model.start(a, 0.3, 1);
    model.start(b, -0.4, 2);
    model.finish();
}

struct SpringChain {
    Body a, b, c;
};
// Three links by joints of several kinds, with springs on joints and between points.
inline SpringChain spring_chain(ModelDescription& model)
{
    const Body a = add_link(model, "a", ground, universal({1, 0, 0}, {1, 1, 0}), {0, 0, 0});
    const Body b = add_link(model, "b", a, cylindrical({0, 1, 1}), {0.3, 0, 0.2});
    const Body c = add_link(model, "c", b, spherical(), {0.2, 0.2, 0});
    model.spring(model.coordinate(a, 0), {.stiffness = 20, .damping = 0.3, .rest = 0.1});
    model.spring(model.coordinate(a, 1), {.stiffness = 15, .damping = 0.2, .rest = -0.2});
    model.spring(model.coordinate(b, 0), {.stiffness = 100, .damping = 1, .rest = 0.05});
    const Coordinate turn = model.coordinate(b, 1);
    model.force(turn, [turn](const View& view) { return -2 * view.v(turn); });
    model.spring(model.frame("eye", c, {0, 0.3, 0}), model.frame("anchor", ground, {1, 1, 1}),
                 {.stiffness = 30, .damping = 0.5, .rest = 0.8});
    model.start(a, 0.3, 1, 0);
    model.start(a, -0.5, 0.5, 1);
    return {a, b, c};
}

// A ball of this radius, let go at a height above the plane y = 0.
inline Body bouncing_ball(ModelDescription& model, double radius, double restitution, double height)
{
    const Body ball =
        model.add({.name = "ball", .joint = free_joint(), .mass = 2, .inertia = {0.008, 0.008, 0.008}});
    const MaterialId rubber = model.add(Material{.friction = 0, .restitution = restitution});
    model.attach(ball, sphere(radius), rubber);
    model.attach(ground, wall({0, 1, 0}, 0), rubber);
    model.start(ball, height + radius, 0, 1);
    model.finish();
    return ball;
}

// A box of 3 kg that stands on the plane z = 0.
inline Body standing_box(ModelDescription& model, const Material& material)
{
    const Body block =
        model.add({.name = "block", .joint = free_joint(), .mass = 3, .inertia = {0.02, 0.03, 0.04}});
    const MaterialId wood = model.add(material);
    model.attach(block, box(0.4, 0.3, 0.2), wood);
    model.attach(ground, wall({0, 0, 1}, 0), wood);
    model.start(block, 0.1, 0, 2);
    model.finish();
    return block;
}

inline double normal_force(const Stepper& stepper, double h)
{
    double sum = 0;
    for (const ContactRecord& c : stepper.view().contacts()) sum += c.impulse[0] / h;
    return sum;
}

// Compares the impacts of the slider with those that ever smaller steps converge to.
class SliderImpacts {
  public:
    SliderImpacts(double time_tolerance, double speed_tolerance, double least_speed)
        : time_tolerance_(time_tolerance), speed_tolerance_(speed_tolerance), least_speed_(least_speed)
    {
    }
    void after_step(const View& view)
    {
        constexpr double times[] = {0.002693181, 0.005608435, 0.007467498},
                         speeds[] = {0.841573, 0.247839, 0.084196};
        for (const ContactRecord& c : view.contacts()) {
            if (c.feature != 0 || c.u_minus[0] > -least_speed_) continue;
            ASSERT_LT(count_, 3);
            EXPECT_NEAR(view.time(), times[count_], time_tolerance_);
            EXPECT_NEAR(-c.u_minus[0], speeds[count_], speed_tolerance_);
            ++count_;
        }
    }
    int count() const { return count_; }

  private:
    double time_tolerance_, speed_tolerance_, least_speed_;
    int count_ = 0;
};

// Equal runs have equal hashes, and a step more or less another one.
template <class Method>
void expect_repeatable(const Model& model)
{
    Method first(model, {.h = 1e-5}), second(model, {.h = 1e-5});
    for (int n = 0; n < 300; ++n) ASSERT_TRUE(first.step().converged);
    for (int n = 0; n < 299; ++n) ASSERT_TRUE(second.step().converged);
    EXPECT_NE(first.state_hash(), second.state_hash());
    second.step();
    EXPECT_EQ(first.state_hash(), second.state_hash());
}

} // namespace tamis::scenes
