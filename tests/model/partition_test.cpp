// Loops and the choice of independent coordinates: the same motion whatever the choice, through dead points,
// with redundant equations, in the plane and in space.
#include "tamis/model/description.hpp"
#include "tamis/model/partition.hpp"

#include "allocations.hpp"
#include "error_of.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <gtest/gtest.h>

namespace partition_test {

using namespace tamis;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

constexpr double g = 9.81;

// A uniform bar along x that turns about z at its end.
Body bar(ModelDescription& model, const std::string& name, Body parent, const Vector3d& at, double length,
         double mass)
{
    const double I = mass * length * length / 12;
    return model.add({.name = name,
                      .parent = parent,
                      .joint = hinge_z(),
                      .at = at,
                      .mass = mass,
                      .com = {length / 2, 0, 0},
                      .inertia = {0, I, I}});
}

// Bar b on bar a, bar c on the ground at distance d, the ends of b and c joined.
struct FourBar {
    ModelDescription model{"four-bar"};
    Body crank, coupler, rocker;
    // A crank-rocker: its shortest bar turns fully (0.1 + 0.4 < 0.35 + 0.3).
    explicit FourBar(LoopKind kind = LoopKind::point_plane) : FourBar(kind, 0.1, 0.35, 0.3, 0.4, 1, 10) {}
    FourBar(LoopKind kind, double a, double b, double c, double d, double angle, double speed)
    {
        model.gravity({0, -g, 0});
        crank = bar(model, "crank", ground, {0, 0, 0}, a, 1);
        coupler = bar(model, "coupler", crank, {a, 0, 0}, b, 0.5);
        rocker = bar(model, "rocker", ground, {d, 0, 0}, c, 0.7);
        model.close({.name = "coupler end",
                     .kind = kind,
                     .a = coupler,
                     .point_a = {b, 0, 0},
                     .b = rocker,
                     .point_b = {c, 0, 0},
                     .axis_b = {0, 0, 1}});
        // Angles of coupler and rocker by the triangle of b, c and the diagonal; rates from their velocities.
        const Eigen::Vector2d A(a * std::cos(angle), a * std::sin(angle)), D = Eigen::Vector2d(d, 0) - A;
        const double diagonal = D.norm();
        const double beta =
            std::atan2(D.y(), D.x()) + std::acos((b * b + diagonal * diagonal - c * c) / (2 * b * diagonal));
        const Eigen::Vector2d end = A + b * Eigen::Vector2d(std::cos(beta), std::sin(beta));
        const double psi = std::atan2(end.y(), end.x() - d);
        const double det = std::sin(psi - beta);
        const double beta_rate = a * speed * std::sin(angle - psi) / (b * det);
        model.start(crank, angle, speed);
        model.start(coupler, beta - angle, beta_rate - speed);
        model.start(rocker, psi, a * speed * std::sin(angle - beta) / (c * det));
    }
    Vector3d angles(const View& view) const
    {
        return {view.q(model.coordinate(crank)), view.q(model.coordinate(coupler)),
                view.q(model.coordinate(rocker))};
    }
};

struct SliderCrank {
    static constexpr double r = 0.15, l = 0.4;
    ModelDescription model{"slider-crank"};
    Body crank, rod, slider;
    explicit SliderCrank(double angle)
    {
        model.gravity({0, -g, 0});
        crank = bar(model, "crank", ground, {0, 0, 0}, r, 1);
        rod = bar(model, "rod", crank, {r, 0, 0}, l, 0.5);
        slider = model.add({.name = "slider", .joint = slide_x(), .mass = 2});
        model.close(
            {.name = "pin", .kind = LoopKind::point_plane, .a = rod, .point_a = {l, 0, 0}, .b = slider});
        const double down = std::asin(r * std::sin(angle) / l);
        model.start(crank, angle, 0);
        model.start(rod, -down - angle, 0);
        model.start(slider, r * std::cos(angle) + l * std::cos(down), 0);
    }
};

} // namespace

TEST(Partition, GradientOfDependentVelocitiesIsThatOfTheClosedForm)
{
    // x = r cos + sqrt(l^2 - r^2 sin^2): dx/dphi = -r sin x / (x - r cos).
    SliderCrank s(0.8);
    const Mechanism& m = s.model.finish().mechanisms()[0];
    Multibody body(m);
    VectorXd q = s.model.finish().start_of(0).q;
    Partition partition(body, {0}, {}, q.data());
    EXPECT_EQ(partition.nu(), 1);
    partition.close(q.data(), 0);
    partition.project();
    const double rs = s.r * std::sin(0.8), rc = s.r * std::cos(0.8), root = std::sqrt(s.l * s.l - rs * rs);
    EXPECT_EQ(partition.B(0, 0), 1);
    EXPECT_NEAR(partition.B(1, 0), -1 - rc / root, 1e-14);
    EXPECT_NEAR(partition.B(2, 0), -rs * (rc + root) / root, 1e-14);
    EXPECT_LT(partition.loop_error(), 1e-13);
}

TEST(Partition, DependentCoordinatesAreFoundFromARoughGuess)
{
    SliderCrank s(0.8);
    s.model.start(s.rod, -1.4, 0);
    s.model.start(s.slider, 0.3, 0);
    s.model.independent({s.model.coordinate(s.crank)});
    MoreauJean stepper(s.model.finish(), {});
    const double rs = s.r * std::sin(0.8);
    EXPECT_NEAR(stepper.view().q(s.model.coordinate(s.slider)),
                s.r * std::cos(0.8) + std::sqrt(s.l * s.l - rs * rs), 1e-13);
    EXPECT_EQ(stepper.view().q(s.model.coordinate(s.crank)), 0.8);
}

TEST(Partition, MotionDoesNotDependOnTheChoice)
{
    std::vector<Vector3d> ends;
    for (int choice = 0; choice < 4; ++choice) {
        FourBar bars;
        const Body named[] = {bars.crank, bars.coupler, bars.rocker};
        if (choice < 3) bars.model.independent({bars.model.coordinate(named[choice])});
        MoreauJean stepper(bars.model.finish(), {.h = 5e-6});
        for (int n = 0; n < 10000; ++n) stepper.step();
        ends.push_back(bars.angles(stepper.view()));
    }
    for (int choice = 1; choice < 4; ++choice)
        EXPECT_NEAR((ends[choice] - ends[0]).norm(), 0, 1e-9) << choice;
}

TEST(Partition, ChosenPartitionSwingsThroughDeadPointsOfEveryBarWithContinuousEnergy)
{
    // A triple rocker (0.2 + 0.4 > 0.25 + 0.25): no bar turns fully, each has dead points.
    auto worst = [](double h) {
        FourBar bars(LoopKind::point_plane, 0.25, 0.2, 0.25, 0.4, 1, 12);
        MoreauJean stepper(bars.model.finish(), {.h = h});
        const double start = stepper.view().energy();
        double error = 0, loop_error = 0;
        for (long n = std::lround(2 / h); n > 0; --n) {
            loop_error = std::max(loop_error, stepper.step().loop_error);
            error = std::max(error, std::abs(stepper.view().energy() / start - 1));
        }
        EXPECT_LT(loop_error, 1e-12);
        EXPECT_GT(stepper.partition_changes(), 5);
        return error;
    };
    const double coarse = worst(4e-5), fine = worst(2e-5);
    EXPECT_LT(fine, 2e-3);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
}

TEST(Partition, ParallelogramTurnsThroughItsFlatPositions)
{
    // Without gravity its bars turn steadily and the top does not turn.
    ModelDescription model("parallelogram");
    const Body left = bar(model, "left", ground, {0, 0, 0}, 0.2, 1);
    const Body right = bar(model, "right", ground, {0.5, 0, 0}, 0.2, 1);
    const Body top = bar(model, "top", left, {0.2, 0, 0}, 0.5, 1);
    model.close({.name = "corner",
                 .kind = LoopKind::point_plane,
                 .a = top,
                 .point_a = {0.5, 0, 0},
                 .b = right,
                 .point_b = {0.2, 0, 0}});
    model.start(left, 1, 10);
    model.start(top, -1, -10);
    model.start(right, 1, 10);
    MoreauJean stepper(model.finish(), {.h = 1e-3});
    const View& view = stepper.view();
    for (int n = 1; n <= 5000; ++n) { // eight turns
        ASSERT_LT(stepper.step().loop_error, 1e-12);
        const double angle = view.q(model.coordinate(left));
        ASSERT_NEAR(angle, 1 + 10 * view.time(), 1e-8);
        ASSERT_NEAR(view.q(model.coordinate(right)), angle, 1e-9);
        ASSERT_NEAR(view.q(model.coordinate(top)), -angle, 1e-9);
    }
}

TEST(Partition, NamedPartitionThatIsSingularAtTheStartNamesTheCoordinates)
{
    SliderCrank s(0);
    s.model.independent({s.model.coordinate(s.slider)});
    const std::string error = error_of([&] { MoreauJean stepper(s.model.finish(), {}); });
    EXPECT_TRUE(contains(error, "singular") && contains(error, "'crank', 'rod'")) << error;
}

TEST(Partition, NamedPartitionThatMeetsItsDeadPointNamesTheCoordinates)
{
    for (double h : {1e-3, 1e-4, 1e-5}) {
        SliderCrank s(1);
        s.model.independent({s.model.coordinate(s.slider)});
        s.model.start(s.slider, s.model.features().start[0].q[2], 3);
        MoreauJean stepper(s.model.finish(), {.h = h});
        const double start = stepper.view().energy();
        const std::string error = error_of([&] {
            for (double t = 0; t < 1; t += h) {
                EXPECT_NEAR(stepper.view().energy() / start, 1, 0.1);
                stepper.step();
            }
        });
        EXPECT_TRUE(contains(error, "'slider'")) << error;
    }
}

TEST(Partition, LoopThatCannotBeClosedIsNamed)
{
    ModelDescription model("gap");
    const Body a = bar(model, "a", ground, {0, 0, 0}, 0.1, 1), b = bar(model, "b", ground, {1, 0, 0}, 0.1, 1);
    model.close({.name = "too far",
                 .kind = LoopKind::rod,
                 .a = a,
                 .point_a = {0.1, 0, 0},
                 .b = b,
                 .point_b = {0.1, 0, 0},
                 .length = 2});
    model.start(a, 1.5, 0);
    model.start(b, 1.2, 0);
    const std::string error = error_of([&] { MoreauJean stepper(model.finish(), {}); });
    EXPECT_TRUE(contains(error, "'too far'") && contains(error, "assembled")) << error;
}

TEST(Partition, RedundantEquationsOfASpatialHingeAreReportedAndChangeNothing)
{
    FourBar plane, space(LoopKind::hinge);
    for (FourBar* bars : {&plane, &space}) {
        bars->model.independent({bars->model.coordinate(bars->crank)});
        bars->model.finish();
    }
    MoreauJean in_plane(plane.model.finish(), {.h = 1e-3}), in_space(space.model.finish(), {.h = 1e-3});
    EXPECT_TRUE(in_plane.messages().empty());
    ASSERT_EQ(in_space.messages().size(), 1u);
    const std::string message = in_space.messages()[0];
    EXPECT_TRUE(contains(message, "'four-bar'") && contains(message, "3 of 5") &&
                contains(message, "'coupler end'"))
        << message;
    for (int n = 0; n < 2000; ++n) {
        in_plane.step();
        ASSERT_LT(in_space.step().loop_error, 1e-12);
    }
    EXPECT_NEAR((plane.angles(in_plane.view()) - space.angles(in_space.view())).norm(), 0, 1e-10);
    EXPECT_NE(plane.angles(in_plane.view())[0], 1);
}

TEST(Partition, RodLoopMovesLikeARodOfVanishingMass)
{
    const double a = 0.1, b = 0.35, c = 0.3, d = 0.4;
    auto run = [&](bool massless, double h) {
        ModelDescription model("rod");
        model.gravity({0, -g, 0});
        const Body crank = bar(model, "crank", ground, {0, 0, 0}, a, 1);
        const Body rocker = bar(model, "rocker", ground, {d, 0, 0}, c, 0.7);
        if (massless) {
            model.close({.name = "rod",
                         .kind = LoopKind::rod,
                         .a = crank,
                         .point_a = {a, 0, 0},
                         .b = rocker,
                         .point_b = {c, 0, 0},
                         .length = b});
        } else {
            const Body rod = bar(model, "rod", crank, {a, 0, 0}, b, 1e-9);
            model.close({.name = "pin",
                         .kind = LoopKind::point_plane,
                         .a = rod,
                         .point_a = {b, 0, 0},
                         .b = rocker,
                         .point_b = {c, 0, 0}});
            model.start(rod, -0.3, 0);
        }
        model.start(crank, 1, 10);
        model.start(rocker, 1.5, 0);
        model.independent({model.coordinate(crank)});
        MoreauJean stepper(model.finish(), {.h = h});
        for (long n = std::lround(0.5 / h); n > 0; --n) EXPECT_LT(stepper.step().loop_error, 1e-12);
        return Eigen::Vector2d(stepper.view().q(model.coordinate(crank)),
                               stepper.view().q(model.coordinate(rocker)));
    };
    auto difference = [&](double h) { return (run(true, h) - run(false, h)).norm(); };
    const double coarse = difference(2e-4), fine = difference(1e-4);
    EXPECT_LT(fine, 1e-6);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
}

namespace {

// Crank about z, rocker about x, joined by a coupler on two balls; the coupler may spin about itself.
struct SpatialFourBar {
    static constexpr double a = 0.1, b = 0.55, c = 0.3, d = 0.35, drop = 0.3;
    ModelDescription model{"spatial four-bar"};
    Body crank, coupler, rocker;
    SpatialFourBar()
    {
        model.gravity({0, 0, -g});
        crank = bar(model, "crank", ground, {0, 0, 0}, a, 1);
        coupler = model.add({.name = "coupler",
                             .parent = crank,
                             .joint = spherical(),
                             .at = {a, 0, 0},
                             .mass = 0.5,
                             .com = {b / 2, 0, 0},
                             .inertia = {0.001, 0.01, 0.01}});
        rocker = model.add({.name = "rocker",
                            .joint = hinge_x(),
                            .at = {d, 0, -drop},
                            .mass = 0.7,
                            .com = {0, 0, c / 2},
                            .inertia = {0.005, 0.005, 0.001}});
        model.close({.name = "ball",
                     .kind = LoopKind::ball,
                     .a = coupler,
                     .point_a = {b, 0, 0},
                     .b = rocker,
                     .point_b = {0, 0, c}});
        const double angle = 0.5, turn = rocker_angle(angle);
        const Vector3d A(a * std::cos(angle), a * std::sin(angle), 0);
        const Vector3d B(d, -c * std::sin(turn), c * std::cos(turn) - drop);
        const Eigen::Quaterniond in_crank = Eigen::Quaterniond(Eigen::AngleAxisd(-angle, Vector3d::UnitZ())) *
                                            Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitX(), B - A);
        model.start(crank, angle, 8);
        model.start(coupler, in_crank, {1, 0, 0}); // a spin about its own axis; the rest follows
        model.start(rocker, turn, 0);
    }
    // |A - B| = b with B = (d, -c sin, c cos - drop): P sin - Q cos = R.
    static double rocker_angle(double phi)
    {
        const double x = d - a * std::cos(phi), y = a * std::sin(phi), P = 2 * y * c, Q = 2 * drop * c;
        const double R = b * b - x * x - y * y - c * c - drop * drop;
        return std::atan2(-P, Q) + std::acos(-R / std::hypot(P, Q));
    }
};

} // namespace

TEST(Partition, BallLoopInSpaceFollowsTheClosedFormOfADrivenCrank)
{
    SpatialFourBar bars;
    bars.model.drive(bars.model.coordinate(bars.crank), motion([](Expr t) { return 0.5 + 8 * t; }));
    MoreauJean stepper(bars.model.finish(), {.h = 1e-3});
    EXPECT_EQ(stepper.independent(0).size(), 1u); // the spin of the coupler
    for (int n = 1; n <= 2000; ++n) {             // two turns and a half
        ASSERT_LT(stepper.step().loop_error, 1e-12);
        ASSERT_NEAR(stepper.view().q(bars.model.coordinate(bars.rocker)), bars.rocker_angle(0.5 + 8e-3 * n),
                    1e-11)
            << n;
    }
}

TEST(Partition, BallLoopInSpaceKeepsEnergyToSecondOrder)
{
    auto worst = [](double h) {
        SpatialFourBar bars;
        MoreauJean stepper(bars.model.finish(), {.h = h});
        EXPECT_EQ(stepper.independent(0).size(), 2u);
        const double start = stepper.view().energy();
        double error = 0;
        for (long n = std::lround(1 / h); n > 0; --n) {
            EXPECT_LT(stepper.step().loop_error, 1e-12);
            error = std::max(error, std::abs(stepper.view().energy() / start - 1));
        }
        return error;
    };
    const double coarse = worst(4e-4), fine = worst(2e-4);
    EXPECT_LT(fine, 2e-6);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.05);
}

TEST(Partition, ChangedPartitionIsPartOfTheState)
{
    FourBar bars(LoopKind::hinge, 0.25, 0.2, 0.25, 0.4, 1, 12);
    MoreauJean original(bars.model.finish(), {.h = 1e-4}), copy(bars.model.finish(), {.h = 1e-4});
    for (int n = 0; n < 2000; ++n) original.step();
    EXPECT_GT(original.partition_changes(), 0);
    while (original.independent(0) == copy.independent(0)) original.step();
    copy.restore(original.state());
    for (int n = 0; n < 2000; ++n) {
        original.step();
        copy.step();
    }
    EXPECT_EQ(copy.state_hash(), original.state_hash());
}

TEST(Partition, StepsWithLoopsAllocateNothingOnceWarm)
{
    SpatialFourBar space;
    FourBar plane(LoopKind::hinge);
    for (const Model* model : {&space.model.finish(), &plane.model.finish()}) {
        MoreauJean stepper(*model, {.h = 1e-4});
        for (int n = 0; n < 10; ++n) stepper.step();
        const long before = allocations;
        for (int n = 0; n < 1000; ++n) stepper.step();
        EXPECT_EQ(stepper.partition_changes(), 0);
        EXPECT_EQ(allocations - before, 0) << model->name();
    }
}

TEST(Partition, GivenStartVelocitiesAreKeptWhicheverCoordinatesAreChosen)
{
    // A four-bar given the speed of one bar only, each bar in turn: that bar keeps it, and the loop is
    // satisfied.
    for (int given = 0; given < 3; ++given) {
        FourBar f(LoopKind::point_plane, 0.1, 0.35, 0.3, 0.4, 1, 0);
        const Body bars[] = {f.crank, f.coupler, f.rocker};
        f.model.start(bars[given], f.model.features().start[0].q[given], 3);
        MoreauJean stepper(f.model.finish(), {.h = 1e-4});
        EXPECT_NEAR(stepper.state().v[given], 3, 1e-12);
        const Vector3d closing =
            stepper.view().velocity(f.coupler, {0.35, 0, 0}) - stepper.view().velocity(f.rocker, {0.3, 0, 0});
        EXPECT_LT(closing.norm(), 1e-12);
    }
}

TEST(Partition, StartVelocitiesThatContradictTheLoopAreRefused)
{
    FourBar f(LoopKind::point_plane, 0.1, 0.35, 0.3, 0.4, 1, 3);
    f.model.start(f.rocker, f.model.features().start[0].q[2], -50);
    const std::string said = error_of([&] { MoreauJean stepper(f.model.finish(), {.h = 1e-4}); });
    EXPECT_TRUE(contains(said, "four-bar") && contains(said, "start velocities")) << said;
}

} // namespace partition_test
