// Beams of a model.
#include "error_of.hpp"
#include "smooth/damper.hpp"
#include "tamis/absolute/absolute.hpp"
#include "tamis/model/description.hpp"
#include "tamis/smooth/smooth.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace beam_model_test {

using namespace tamis;
using namespace tamis::scenes;
using Eigen::Matrix3d, Eigen::Vector3d;
using std::numbers::pi;

namespace {

// The damper as a model; the body on the tip has its frame there, or elsewhere.
struct DamperModel {
    ModelDescription model{"damper"};
    Body tip;
    explicit DamperModel(double offset)
    {
        tip = model.add({.name = "tip",
                         .joint = free_joint(),
                         .at = {damper_length + offset, 0, 0},
                         .mass = tip_mass,
                         .com = {-offset, 0, 0},
                         .inertia = {2.66e-6, 4.85e-6, tip_inertia}});
        const Frame wall = model.frame("wall", ground), end = model.frame("end", tip, {-offset, 0, 0});
        model.beam({.name = "beam", .a = wall, .b = end, .section = damper_section()});
        model.wrench(end, [](const View& view) {
            return Wrench{.force = {0, 0.25 * std::sin(2 * pi * 15.5 * view.time()), 0}};
        });
    }
};

} // namespace

TEST(Beam, OfAModelMovesAsTheSystemMadeByHand)
{
    Damper damper(10);
    SmoothSolver by_hand(damper.system, {.h = 1e-3});
    DamperModel at_tip(0), aside(0.01);
    Smooth shared(at_tip.model.finish(), {.h = 1e-3}), fixed(aside.model.finish(), {.h = 1e-3});
    for (int step = 1; step <= 50; ++step) {
        damper.load->set({.force = {0, 0.25 * std::sin(2 * pi * 15.5 * step * 1e-3), 0}});
        by_hand.predict();
        by_hand.solve();
        by_hand.accept();
        shared.step();
        fixed.step();
    }
    const Vector3d tip = by_hand.node(damper.nodes.back()).x;
    const Pose a = shared.view().motion(0).pose, b = fixed.view().motion(0).pose;
    EXPECT_GT(std::abs(tip[1]), 1e-4);
    EXPECT_LT((a.p - tip).norm(), 1e-11);
    EXPECT_LT((b * Vector3d(-0.01, 0, 0) - tip).norm(), 1e-11);
}

TEST(Beam, OfAModelShowsItsSectionsAndCountsItsEnergy)
{
    for (const double offset : {0.0, 0.01}) {
        DamperModel damper(offset);
        damper.model.gravity({0, 0, -9.81});
        Smooth run(damper.model.finish(), {.h = 1e-3});
        const View& view = run.view();
        ASSERT_EQ(view.sections(0).size(), 21u);
        for (int k = 0; k <= 20; ++k) {
            const BodyMotion& section = view.sections(0)[k];
            EXPECT_LT((section.pose.p - Vector3d(damper_length * k / 20, 0, 0)).norm(), 1e-15);
            EXPECT_LT((section.pose.R - Matrix3d::Identity()).norm(), 1e-15);
        }
        EXPECT_EQ(view.energy(), 0); // at rest, all of it at z = 0

        for (int step = 0; step < 20; ++step) run.step();
        EXPECT_NEAR(view.energy(), run.solver().energy(), 1e-12 * view.kinetic_energy());
        EXPECT_GT(view.beam_energy().kinetic, 0);
        EXPECT_NE(view.beam_energy().potential, 0);
        const BodyMotion &tip = view.motion(0), &end = view.sections(0)[20];
        EXPECT_LT((tip.pose * Vector3d(-offset, 0, 0) - end.pose.p).norm(), 1e-12);
        EXPECT_LT((tip.pose.R - end.pose.R).norm(), 1e-12);
        EXPECT_LT(
            (tip.velocity - offset * tip.angular_velocity.cross(tip.pose.R.col(0)) - end.velocity).norm(),
            1e-8);
    }
}

TEST(Beam, AbsoluteCoordinatesRefuseIt)
{
    DamperModel damper(0);
    EXPECT_EQ(error_of([&] { Absolute(damper.model.finish(), {}); }),
              "This method has no beams, but the model has 'beam': run it by the smooth method.");
}

TEST(Beam, OfAModelIsChecked)
{
    ModelDescription model("beam");
    const Frame wall = model.frame("wall", ground);
    EXPECT_EQ(error_of([&] { model.beam({.name = "b", .a = wall, .section = damper_section()}); }),
              "Beam 'b' has an end without a frame: give both ends what frame() returned.");
    EXPECT_EQ(error_of([&] { model.beam({.name = "b", .a = wall, .b = wall}); }),
              "The stiffness of beam 'b' is not symmetric and positive definite: make its section by "
              "beam_section().");
    model.beam({.name = "b", .a = wall, .b = wall, .section = damper_section()});
    EXPECT_EQ(error_of([&] { SmoothModel smooth(model.finish()); }),
              "Beam 'b' has no length: its ends stand in one place.");
}

} // namespace beam_model_test
