// What users give: materials in pairs, small and overlapping scenes, and what is refused.
#include "error_of.hpp"
#include "nscd/grain_scenes.hpp"

#include <limits>

namespace tamis::grain_input_scene_test {
namespace {

using namespace scenes;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(GrainInput, PairsOfMaterialsSlideByTheirGeometricMeanOrTheirOwnRule)
{
    ModelDescription model("pairs");
    model.gravity({0, 0, -g});
    const double h = 1e-3, v0 = 3;
    const MaterialId floor = model.add(Material{.friction = 0.45, .anticipation = true});
    const MaterialId wood = model.add(Material{.friction = 0.2});
    const MaterialId ice = model.add(Material{.friction = 0});
    const MaterialId rubber = model.add(Material{.friction = 0.1});
    model.contact(rubber, floor, Material{.friction = 0.7, .anticipation = true});
    const std::vector<std::pair<MaterialId, double>> expected{
        {floor, 0.45}, {wood, std::sqrt(0.45 * 0.2)}, {ice, 0}, {rubber, 0.7}};
    for (std::size_t k = 0; k < expected.size(); ++k)
        model.grain({.shape = box(1, 1, 0.2),
                     .material = expected[k].first,
                     .density = 1000,
                     .at = {.p = {0, 3.0 * static_cast<double>(k), 0.1}},
                     .velocity = {v0, 0, 0}});
    model.attach(ground, wall({0, 0, 1}, 0), floor);
    MoreauJean run(model.finish(), with_step(h));
    advance(run, 300);
    for (int k = 0; k < 4; ++k)
        EXPECT_NEAR(run.view().velocity(GrainId{k}).x(), v0 - expected[k].second * g * 0.3, 1e-9) << k;
}

TEST(GrainInput, AContactAnticipatesIfEitherSideAsksAndNeitherBounces)
{
    const double h = 2e-3, drop = 0.5;
    ModelDescription model("pairs");
    model.gravity({0, 0, -g});
    const MaterialId floor = model.add(Material{});
    const MaterialId soft = model.add(Material{.anticipation = true});
    const MaterialId hard = model.add(Material{.restitution = 0.5});
    const MaterialId ruled = model.add(Material{.anticipation = true});
    model.contact(ruled, floor, Material{.restitution = 0.8});
    int k = 0;
    for (MaterialId m : {floor, soft, hard, ruled})
        model.grain(
            {.shape = sphere(0.1), .material = m, .density = 1000, .at = {.p = {k++ * 1.0, 0, 0.1 + drop}}});
    model.attach(ground, wall({0, 0, 1}, 0), floor);
    EXPECT_TRUE(model.finish().pair(floor.index, soft.index).anticipation);
    EXPECT_FALSE(model.finish().pair(soft.index, hard.index).anticipation);
    EXPECT_EQ(model.finish().pair(soft.index, hard.index).restitution, 0.5);
    MoreauJean run(model.finish(), with_step(h));
    double lowest[4] = {1, 1, 1, 1}, fastest[4] = {};
    while (run.state().t < 1.3 * std::sqrt(2 * drop / g)) {
        run.step();
        for (int i = 0; i < 4; ++i) {
            lowest[i] = std::min(lowest[i], run.view().position(GrainId{i}).z() - 0.1);
            fastest[i] = std::max(fastest[i], run.view().velocity(GrainId{i}).z());
        }
    }
    const double speed = std::sqrt(2 * g * drop);
    EXPECT_GT(lowest[1], -1e-12); // stops at contact
    EXPECT_LT(lowest[0], -1e-9);  // overlaps first, by the way of a step at most
    EXPECT_GT(lowest[0], -h * speed - g * h * h);
    EXPECT_NEAR(fastest[1], 0, 1e-9);
    EXPECT_NEAR(fastest[2], 0.5 * speed, 2 * g * h);
    EXPECT_NEAR(fastest[3], 0.8 * speed, 2 * g * h);
}

TEST(GrainInput, NothingAndASingleGrainAreScenes)
{
    ModelDescription empty("empty");
    MoreauJean still(empty.finish(), with_step(0.5));
    advance(still, 4);
    EXPECT_EQ(still.state().t, 2);
    EXPECT_EQ(still.view().energy(), 0);

    ModelDescription one("one");
    one.gravity({0, 0, -g});
    one.grain({.shape = box(1, 2, 3), .material = one.add(Material{}), .density = 1});
    MoreauJean falls(one.finish(), with_step(0.5));
    const StepReport report = falls.step();
    EXPECT_TRUE(report.converged);
    EXPECT_EQ(report.contacts, 0);
    EXPECT_DOUBLE_EQ(falls.view().velocity(GrainId{0}).z(), -0.5 * g);
}

TEST(GrainInput, OverlappingGrainsAreBornWithoutEnergyAndReportHowDeepTheyAre)
{
    std::vector<GrainSpec> shapes;
    for (const Shape& shape :
         {sphere(0.5), box(1, 1, 1), box(1, 0.6, 0.3), capsule(0.2, 0.8), cylinder(0.4, 1)})
        shapes.push_back({.shape = shape, .density = 1000});
    for (const Material& material :
         {Material{.friction = 0.5, .anticipation = true}, Material{.restitution = 0.5}})
        for (const GrainSpec& a : shapes)
            for (const GrainSpec& b : shapes)
                for (double apart : {0.0, 1e-9, 0.3}) { // also one inside the other
                    ModelDescription model("overlap");
                    const MaterialId m = model.add(material);
                    for (GrainSpec spec : {a, b}) {
                        spec.material = m;
                        if (!model.grains().empty()) spec.at.p = {apart, 0.3 * apart, 0.2 * apart};
                        model.grain(spec);
                    }
                    MoreauJean run(model.finish(), with_step(1e-3));
                    const StepReport report = run.step();
                    EXPECT_GT(report.contacts, 0) << a.shape.index() << ' ' << b.shape.index();
                    EXPECT_GT(report.penetration, 0.05) << a.shape.index() << ' ' << b.shape.index();
                    EXPECT_TRUE(std::isfinite(report.residual));
                    advance(run, 20);
                    EXPECT_TRUE(all_finite(run));
                    EXPECT_EQ(run.view().kinetic_energy(), 0); // overlap is not turned into velocity
                }
}

TEST(GrainInput, RefusalsNameTheGrain)
{
    auto refusal = [](const GrainSpec& spec) {
        return error_of([&] {
            ModelDescription model("refused");
            model.add(Material{});
            model.grain(spec);
        });
    };
    const Shape ball = sphere(1);
    EXPECT_EQ(refusal({.shape = ball, .density = 1}), "");
    for (double density : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()})
        EXPECT_TRUE(contains(refusal({.name = "pebble", .shape = ball, .density = density}), "'pebble'"))
            << density;
    EXPECT_TRUE(contains(refusal({.shape = ball, .density = 0}), "'grain 1' has density 0 kg/m3"));
    EXPECT_TRUE(contains(refusal({.name = "pebble", .shape = ball, .density = 1, .at = {.p = {0, nan, 0}}}),
                         "'pebble' starts at a place"));
    EXPECT_TRUE(contains(refusal({.name = "pebble", .shape = ball, .density = 1, .velocity = {0, 0, nan}}),
                         "'pebble' starts"));
    EXPECT_TRUE(
        contains(refusal({.name = "pebble", .shape = ball, .density = 1, .angular_velocity = {nan, 0, 0}}),
                 "'pebble' starts"));
    EXPECT_TRUE(contains(
        refusal({.name = "pebble", .shape = ball, .density = 1, .at = {.R = 2 * Matrix3d::Identity()}}),
        "'pebble' starts with an orientation"));
    EXPECT_TRUE(contains(refusal({.name = "pebble", .shape = ball, .material = {3}, .density = 1}),
                         "'pebble' has an unknown material"));
    EXPECT_TRUE(contains(refusal({.name = "pebble", .density = 1}), "'pebble' has no volume"));
    EXPECT_NE(refusal({.name = "pebble", .shape = wall({0, 0, 1}, 0), .density = 1}), "");
    EXPECT_NE(refusal({.name = "pebble", .shape = hollow(ball), .density = 1}), "");
}

TEST(GrainInput, AForceThatIsNotFiniteNamesTheGrainAndTheTime)
{
    ModelDescription model("force");
    const MaterialId m = model.add(Material{});
    for (int k = 0; k < 3; ++k)
        model.grain({.name = fmt::format("pebble {}", k),
                     .shape = sphere(0.1),
                     .material = m,
                     .density = 1,
                     .at = {.p = {1.0 * k, 0, 0}}});
    model.grain_force([](const View& view, GrainId grain) {
        return Wrench{{0, 0, grain.index == 1 && view.time() > 0.2 ? nan : 1.0}, {0, 0, 0}};
    });
    MoreauJean run(model.finish(), with_step(0.1));
    advance(run, 2);
    const std::string error = error_of([&] { run.step(); });
    EXPECT_TRUE(contains(error, "'pebble 1'")) << error;
    EXPECT_TRUE(contains(error, "0.25 s")) << error;
}

} // namespace
} // namespace tamis::grain_input_scene_test
