// A model accepts what makes sense and names the culprit of what does not.
#include "tamis/model/description.hpp"

#include "error_of.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace model_test {

using namespace tamis;

namespace {

BodySpec arm(const std::string& name, Body parent = ground)
{
    return {.name = name,
            .parent = parent,
            .joint = hinge_z(),
            .at = {1, 0, 0},
            .mass = 1,
            .com = {0.5, 0, 0},
            .inertia = {0.1, 0.1, 0.1}};
}

// Two arms on the ground at x = 1 and x = 2, a third on the first closes the loop: one degree of freedom.
struct FourBar {
    ModelDescription model{"four-bar"};
    Body crank = model.add(arm("crank")), coupler = model.add(arm("coupler", crank));
    Body rocker = model.add({.name = "rocker",
                             .joint = hinge_z(),
                             .at = {2.5, 0, 0},
                             .mass = 1,
                             .com = {0.5, 0, 0},
                             .inertia = {0.1, 0.1, 0.1}});
    FourBar()
    {
        model.close({.name = "coupler end",
                     .kind = LoopKind::point_plane,
                     .a = coupler,
                     .point_a = {1.5, 0, 0},
                     .b = rocker,
                     .point_b = {1, 0, 0}});
        model.start(crank, 1.2, 0);
        model.start(coupler, -1.2, 0);
        model.start(rocker, 1.2, 0);
    }
    std::string error()
    {
        return error_of([&] { MoreauJean stepper(model.finish(), {}); });
    }
};

} // namespace

TEST(Model, MassThatIsNotPositiveNamesTheBody)
{
    for (double mass : {-2.0, 0.0}) {
        ModelDescription model("test");
        model.add({.name = "lead weight", .joint = slide_x(), .mass = mass});
        const std::string error = error_of([&] { model.finish(); });
        EXPECT_TRUE(contains(error, "'lead weight'") && contains(error, "mass")) << error;
    }
}

TEST(Model, NegativeInertiaNamesTheBody)
{
    ModelDescription model("test");
    model.add({.name = "wheel", .joint = hinge_z(), .mass = 1, .inertia = {1, 1, -1}});
    EXPECT_TRUE(contains(error_of([&] { model.finish(); }), "'wheel'"));
}

TEST(Model, UnknownBodyIsNamedWithTheKnownOnes)
{
    ModelDescription model("test");
    model.add(arm("crank"));
    model.mechanism("second").add(arm("hammer"));
    EXPECT_EQ(model.body("hammer").mechanism, 1);
    const std::string error = error_of([&] { (void)model.body("crnak"); });
    EXPECT_TRUE(contains(error, "'crnak'") && contains(error, "crank") && contains(error, "hammer")) << error;
}

TEST(Model, TwoBodiesOfOneNameAreRefused)
{
    ModelDescription model("test");
    model.add(arm("crank"));
    EXPECT_TRUE(contains(error_of([&] { model.add(arm("crank")); }), "'crank'"));
}

TEST(Model, CoordinateIsDrivenOnce)
{
    ModelDescription model("test");
    const Coordinate angle = model.coordinate(model.add(arm("crank")));
    const Motion turn = motion([](Expr t) { return 2 * t; });
    model.drive(angle, turn);
    const std::string error = error_of([&] { model.drive(angle, turn); });
    EXPECT_TRUE(contains(error, "'crank'") && contains(error, "twice")) << error;
}

TEST(Model, DriveNeedsPositionAndVelocityAndNoSphericalJoint)
{
    ModelDescription model("test");
    const Coordinate angle = model.coordinate(model.add(arm("crank")));
    EXPECT_TRUE(contains(error_of([&] {
                             model.drive(angle, {[](double t) { return t; }, nullptr});
                         }),
                         "'crank'"));
    const Body ball = model.add({.name = "ball", .joint = free_joint(), .mass = 1, .inertia = {1, 1, 1}});
    const Motion turn = motion([](Expr t) { return t; });
    EXPECT_TRUE(contains(error_of([&] { model.drive(model.coordinate(ball, 4), turn); }), "'ball.turn.y'"));
    EXPECT_EQ(error_of([&] { model.drive(model.coordinate(ball, 2), turn); }), "");
}

TEST(Model, DrivenCoordinateIsNotIndependent)
{
    FourBar bars;
    bars.model.drive(bars.model.coordinate(bars.crank), motion([](Expr t) { return 1.2 + t; }));
    bars.model.independent({bars.model.coordinate(bars.crank)});
    const std::string error = bars.error();
    EXPECT_TRUE(contains(error, "'crank'") && contains(error, "driven")) << error;
}

TEST(Model, IndependentCoordinatesAreAsManyAsDegreesOfFreedom)
{
    FourBar bars;
    EXPECT_EQ(bars.error(), "");
    FourBar two;
    two.model.independent({two.model.coordinate(two.crank), two.model.coordinate(two.rocker)});
    const std::string error = two.error();
    EXPECT_TRUE(contains(error, "'four-bar' has 1 degrees of freedom") && contains(error, "2 independent"))
        << error;
}

TEST(Model, IndependentCoordinatesAreNamedOnceAndByMechanism)
{
    ModelDescription model("test");
    const Coordinate a = model.coordinate(model.add(arm("crank")));
    const Coordinate b = model.coordinate(model.mechanism("second").add(arm("hammer")));
    EXPECT_TRUE(contains(error_of([&] { model.independent({a, b}); }), "once for each mechanism"));
    model.independent({b});
    EXPECT_TRUE(contains(error_of([&] { model.independent({b}); }), "'hammer' is named twice"));
}

TEST(Model, MaterialsAndPairsStayInTheirRange)
{
    ModelDescription model("test");
    const MaterialId steel = model.add(Material{.friction = 0.2, .restitution = 1});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (double e : {-0.1, 1.1, nan}) {
        EXPECT_TRUE(contains(error_of([&] { model.add(Material{.restitution = e}); }), "restitution"));
        EXPECT_TRUE(
            contains(error_of([&] { model.contact(steel, steel, {.restitution = e}); }), "restitution"));
    }
    for (double mu : {-0.1, nan}) {
        EXPECT_TRUE(contains(error_of([&] { model.add(Material{.friction = mu}); }), "friction"));
        EXPECT_TRUE(contains(error_of([&] { model.contact(steel, steel, {.friction = mu}); }), "friction"));
    }
    EXPECT_TRUE(contains(error_of([&] { model.contact(steel, {7}, {}); }), "unknown material"));
    EXPECT_TRUE(contains(error_of([&] { model.attach(ground, sphere(1), {7}, {}, "pebble"); }), "'pebble'"));
}

TEST(Model, PairHasGeometricMeanOfFrictionAndLargerRestitutionUnlessToldOtherwise)
{
    for (const bool told : {false, true}) {
        ModelDescription description("test");
        const MaterialId steel = description.add(Material{.friction = 0.2, .restitution = 0.3});
        const MaterialId rubber = description.add(Material{.friction = 0.8, .restitution = 0.7});
        if (told) description.contact(rubber, steel, {.friction = 0.5, .restitution = 0.1});
        const Model& model = description.finish();
        EXPECT_DOUBLE_EQ(model.pair(steel.index, rubber.index).friction, told ? 0.5 : 0.4);
        EXPECT_EQ(model.pair(rubber.index, steel.index).restitution, told ? 0.1 : 0.7);
        EXPECT_EQ(model.pair(steel.index, steel.index).friction, 0.2);
        EXPECT_EQ(model.pair(rubber.index, rubber.index).restitution, 0.7);
    }
}

// A finished model does not change.
TEST(Model, NothingIsAddedToAFinishedModel)
{
    ModelDescription model("test");
    const Body body = model.add(arm("arm"));
    const MaterialId steel = model.add(Material{});
    const Coordinate angle = model.coordinate(body);
    const Frame frame = model.frame("tip", body);
    const Model& finished = model.finish();
    EXPECT_EQ(&model.finish(), &finished);
    const std::function<void()> additions[] = {
        [&] { model.add(arm("forearm", body)); },
        [&] { model.add(Material{}); },
        [&] { model.parameter("length", 1); },
        [&] {
            model.gravity({0, 0, -1});
        },
        [&] { model.frame("other", body); },
        [&] { model.start(body, 1, 0); },
        [&] { model.independent({angle}); },
        [&] { model.drive(angle, motion([](Expr t) { return t; })); },
        [&] { model.contact(steel, steel, {}); },
        [&] { model.attach(body, sphere(1), steel); },
        [&] { model.grain({.shape = sphere(1), .material = steel, .density = 1}); },
        [&] { model.show(body, sphere(1)); },
        [&] { model.spring(angle, {.stiffness = 1}); },
        [&] { model.spring(frame, frame, {.stiffness = 1}); },
        [&] { model.force(angle, [](const View&) { return 1.0; }); },
        [&] { model.wrench(frame, [](const View&) { return Wrench{}; }); },
        [&] { model.grain_force([](const View&, GrainId) { return Wrench{}; }); },
        [&] { model.memory("latch", 0, [](const View&, double now) { return now; }); },
    };
    for (const auto& add : additions)
        EXPECT_EQ(error_of(add),
                  "The model 'test' is finished already: add all that belongs to it before it is stepped.");
    EXPECT_EQ(model.coordinate(body).index, angle.index); // what only reads goes on
    EXPECT_EQ(model.name(), "test");
}

TEST(Model, ShapesOfOneBodyOfJoinedBodiesAndOfTheGroundDoNotTouch)
{
    ModelDescription model("test");
    const MaterialId steel = model.add(Material{});
    const Body upper = model.add(arm("upper")), lower = model.add(arm("lower", upper));
    const Body hand = model.add({.name = "hand", .parent = lower, .joint = planar_z(), .mass = 1});
    const int u1 = model.attach(upper, sphere(1), steel).index,
              u2 = model.attach(upper, sphere(1), steel).index;
    const int l = model.attach(lower, sphere(1), steel).index, f = model.attach(hand, sphere(1), steel).index;
    const int g1 = model.attach(ground, sphere(1), steel).index,
              g2 = model.attach(ground, sphere(1), steel).index;
    model.show(hand, sphere(2));
    model.ignore({g2}, {u1}); // in either order
    const Model& finished = model.finish();
    const std::vector<std::pair<int, int>> expected = {{u1, f}, {u1, g1}, {u2, f}, {u2, g1}, {u2, g2},
                                                       {l, g1}, {l, g2},  {f, g1}, {f, g2}};
    std::vector<std::pair<int, int>> pairs;
    for (int a = 0; a < static_cast<int>(finished.shapes().size()); ++a)
        for (int b = a + 1; b < static_cast<int>(finished.shapes().size()); ++b)
            if (finished.filter()(a, b)) pairs.emplace_back(a, b);
    EXPECT_EQ(pairs, expected);
}

TEST(Model, MotionOfAFormulaCarriesItsDerivative)
{
    const Motion m = motion([](Expr t) { return 0.3 * sin(7 * t) + t * t; });
    for (double t : {0.0, 0.4, 3.0}) {
        EXPECT_NEAR(m.position(t), 0.3 * std::sin(7 * t) + t * t, 1e-14);
        EXPECT_NEAR(m.velocity(t), 2.1 * std::cos(7 * t) + 2 * t, 1e-14);
    }
}

TEST(Model, StartValuesFitTheirJoint)
{
    ModelDescription model("test");
    const Body crank = model.add(arm("crank"));
    const Body ball = model.add({.name = "ball", .joint = free_joint(), .mass = 1, .inertia = {1, 1, 1}});
    EXPECT_TRUE(contains(error_of([&] { model.start(ball, 1, 0, 3); }), "quaternion"));
    EXPECT_TRUE(contains(error_of([&] {
                             model.start(crank, Eigen::Quaterniond::Identity(), {0, 0, 1});
                         }),
                         "'crank'"));
    EXPECT_TRUE(contains(error_of([&] { model.start(crank, std::nan(""), 0); }), "'crank'"));
    EXPECT_TRUE(contains(error_of([&] { model.start(crank, 0, 0, 1); }), "'crank'"));
    EXPECT_TRUE(contains(error_of([&] { model.start(ground, 0, 0); }), "ground"));
    model.start(crank, 0.5, 2);
    model.start(ball, 3, 4, 2);
    model.start(ball, Eigen::Quaterniond(0, 2, 0, 0), {5, 6, 7});
    model.finish();
    const Eigen::VectorXd q{{0.5, 0, 0, 3, 0, 1, 0, 0}}, v{{2, 0, 0, 4, 5, 6, 7}};
    EXPECT_EQ(model.finish().start_of(0).q, q);
    EXPECT_EQ(model.finish().start_of(0).v, v);
}

TEST(Model, UnstartedSphericalJointIsUpright)
{
    ModelDescription model("test");
    model.add({.name = "ball", .joint = free_joint(), .mass = 1, .inertia = {1, 1, 1}});
    model.finish();
    const Eigen::VectorXd q{{0, 0, 0, 1, 0, 0, 0}};
    EXPECT_EQ(model.finish().start_of(0).q, q);
}

TEST(Model, BodiesAndFramesAreNumberedThroughTheMechanisms)
{
    ModelDescription model("test");
    const Expr length = model.parameter("length", 0.7);
    const Body crank = model.add(arm("crank"));
    Mechanism& second = model.mechanism("second");
    const Body base = second.add({.name = "base", .joint = slide_x(), .mass = 2});
    const Body hammer = model.add(arm("hammer", base)); // to the mechanism of its parent
    const Frame tip = model.frame("tip", hammer, {0.4, 0, 0}), here = model.frame("here", ground, {0, 1, 0});
    const Frame crank_end = model.frame("end", crank, {2 * length, 0, 0});
    model.finish();
    EXPECT_EQ(model.finish().body_number(crank), 0);
    EXPECT_EQ(model.finish().body_number(hammer), 2);
    EXPECT_EQ(model.finish().body_number(ground), -1);
    EXPECT_EQ(model.finish().frame_record(tip).body, 2);
    EXPECT_EQ(model.finish().frame_record(here).body, -1);
    EXPECT_EQ(model.finish().frame_record(crank_end).local.p, Eigen::Vector3d(1.4, 0, 0));
    EXPECT_EQ(model.finish().bodies()[1].mass, 2);
}

TEST(Model, StepAndThetaOutOfRangeAreRefused)
{
    ModelDescription model("test");
    model.add(arm("crank"));
    EXPECT_TRUE(contains(error_of([&] { MoreauJean(model.finish(), {.h = 0}); }), "step size"));
    EXPECT_TRUE(contains(error_of([&] { MoreauJean(model.finish(), {.theta = 0.4}); }), "theta"));
    EXPECT_TRUE(contains(error_of([&] { MoreauJean(model.finish(), {.theta = 1.1}); }), "theta"));
}

} // namespace model_test
