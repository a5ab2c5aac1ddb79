// Models stepped by the penalty method.
#include "tamis/dem/dem.hpp"

#include "error_of.hpp"
#include "tamis/model/description.hpp"
#include "tamis/model/grain_summary.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace tamis::dem_test {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

constexpr double g = 9.81, radius = 2e-3, density = 7800;

const Material springy{.friction = 0.3, .restitution = 0.7, .stiffness = 2e4, .shear_ratio = 0.8};

// Balls on a lattice, each with another small velocity.
void add_balls(ModelDescription& model, MaterialId material, int side)
{
    for (int i = 0; i < side * side * side; ++i) {
        const Vector3d at(i % side, i / side % side, i / (side * side));
        model.grain({.shape = sphere(radius),
                     .material = material,
                     .density = density,
                     .at = {.p = 2.02 * radius * (at - Vector3d::Constant((side - 1) / 2.0))},
                     .velocity = {0.05 * std::sin(i), 0.05 * std::cos(2 * i), 0.05 * std::sin(3 * i)}});
    }
}

// A cavity that is shaken up and down, filled with balls.
struct Shaker {
    ModelDescription model{"shaker"};
    Coordinate lift;
    ShapeId cavity;
    Body body;

    explicit Shaker(const Shape& shape, int side = 4, const Material& material = springy)
    {
        model.gravity({0, 0, -g});
        body = model.add({.name = "cavity", .joint = slide_z(), .mass = 0.2, .inertia = {1e-4, 1e-4, 1e-4}});
        lift = model.coordinate(body);
        model.drive(lift, motion([](Expr t) { return 2e-3 * sin(2 * pi * 30 * t); }));
        const MaterialId steel = model.add(material);
        cavity = model.attach(body, hollow(shape), steel, {.p = {0, 0, 1e-3}}, "cavity");
        add_balls(model, steel, side);
    }
};

DemOptions with_hart(const Model& model, FrictionModel friction = FrictionModel::elastic)
{
    return {hart_step(model), friction, 1};
}

TEST(Dem, BallRestsOnTheGroundByItsMaterial)
{
    ModelDescription model("ball");
    model.gravity({0, 0, -g});
    const MaterialId soft = model.add(springy);
    const GrainId ball = model.grain(
        {.shape = sphere(radius), .material = soft, .density = density, .at = {.p = {0, 0, radius}}});
    const ShapeId floor = model.attach(ground, wall({0, 0, 1}, 0), soft, {}, "floor");
    Dem run(model.finish(), with_hart(model.finish()));
    for (int i = 0; i < 20000; ++i) run.step();
    const double weight = model.grains()[0].mass * g;
    EXPECT_NEAR(radius - run.view().position(ball).z(), weight / springy.stiffness,
                1e-6 * weight / springy.stiffness);
    const Wrench on = run.view().contact_force(floor, {0.1, 0, 0}), pushed = run.view().contact_force(ground);
    EXPECT_NEAR(on.force.z(), -weight, 1e-6 * weight);
    EXPECT_NEAR(on.moment.y(), -0.1 * weight, 1e-7 * weight);
    EXPECT_EQ(pushed.force, on.force);
    EXPECT_EQ(run.view().contacts().size(), 1u);
}

// K + V + springs + what was dissipated is what the drive gave, for every cavity.
TEST(Dem, EnergyBalanceOfADrivenCavityCloses)
{
    for (const Shape& shape :
         {box(0.02, 0.02, 0.024), cylinder(0.0125, 0.024), capsule(0.0125, 0.02), sphere(0.017)}) {
        Shaker shaker(shape);
        Dem run(shaker.model.finish(), with_hart(shaker.model.finish()));
        const View& view = run.view();
        const auto energy = [&] { return view.energy(); };
        const double before = energy();
        double work = 0, q = view.q(shaker.lift), largest = 0, momentum = 0;
        const double h = view.step_size();
        for (int i = 0; i < 0.1 / h; ++i) {
            largest = std::max(largest, run.step().overlap);
            momentum = std::max(momentum, run.momentum_error());
            work += view.drive_force(shaker.lift) * (view.q(shaker.lift) - q);
            q = view.q(shaker.lift);
        }
        EXPECT_GT(run.bed().wall_work(), 0);
        EXPECT_GT(run.bed().dissipated().friction, 0);
        EXPECT_EQ(run.bed().dissipated().sum(), view.dissipated().sum());
        EXPECT_NEAR(energy() - before + view.dissipated().sum(), work, 1e-3 * run.bed().wall_work());
        EXPECT_LT(largest, 0.05);
        EXPECT_LT(momentum, 1e-8); // round-off of all momentum over the weakest push
        for (const GrainState& s : view.grains()) EXPECT_LT(s.x.norm(), 0.03);
    }
}

// By Hertz's law, T = 2.9432751 delta / v, delta^(5/2) = 15 m v^2 / (16 E' sqrt(r)), 1/E' = (1 - nu1^2) / E1 +
// (1 - nu2^2) / E2; damped by the tangent stiffness, e does not depend on the speed.
TEST(Dem, HertzianBallBouncesOffAWallInItsTime)
{
    const Material steel{.restitution = 1, .young = 200e9, .poisson = 0.3},
        rubber{.restitution = 1, .young = 1e8, .poisson = 0.48};
    for (const double e : {1.0, 0.6})
        for (const double v : {0.05, 0.5})
            for (const bool same : {true, false}) {
                ModelDescription model("hertz");
                Material of_ball = steel, of_wall = same ? steel : rubber;
                of_ball.restitution = of_wall.restitution = e;
                const MaterialId a = model.add(of_ball), b = model.add(of_wall);
                model.attach(ground, wall({0, 0, 1}, 0), b, {}, "wall");
                const double h0 = 1e-9;
                const GrainId ball = model.grain({.shape = sphere(radius),
                                                  .material = a,
                                                  .density = density,
                                                  .at = {.p = {0, 0, radius + v * h0}},
                                                  .velocity = {0, 0, -v}});
                model.normal_law(NormalLaw::hertz);
                const Model& m = model.finish();
                const auto c = [](const Material& of) { return (1 - of.poisson * of.poisson) / of.young; };
                const double E = 1 / (c(of_ball) + c(of_wall)), mass = m.grains()[0].mass;
                const double most = std::pow(15 * mass * v * v / (16 * E * std::sqrt(radius)), 0.4),
                             T = 2.9432751 * most / v;
                const double h = T / 1000;
                ASSERT_LT(h, hart_step(m));
                Dem run(m, {h});
                double overlap = 0;
                int steps = 0;
                while (run.view().velocity(ball).z() < 0 || run.bed().contacts() > 0) {
                    run.step();
                    steps += run.bed().contacts();
                    overlap = std::max(overlap, grain_summary(run.view()).overlap);
                }
                EXPECT_NEAR(run.view().velocity(ball).z(), e * v, 5e-3 * v) << e << ' ' << v << ' ' << same;
                EXPECT_NEAR(run.bed().dissipated().sum() / (mass * v * v / 2), 1 - e * e, 1e-2);
                if (e < 1) continue;
                EXPECT_NEAR(steps * h, T, 3 * h) << v << ' ' << same;
                EXPECT_NEAR(overlap, most, 2e-3 * most);
            }
}

// The step of Hart is that of impacts of 1 m/s, 0.2 sqrt(m / 2 S) with S = 2 E' sqrt(r delta).
TEST(Dem, HertzianStepFollowsFromTheMaterial)
{
    ModelDescription model("hertz");
    const double E = 200e9 / (2 * (1 - 0.09));
    const MaterialId steel = model.add(Material{.young = 200e9, .poisson = 0.3});
    model.grain({.shape = sphere(radius), .material = steel, .density = density});
    model.normal_law(NormalLaw::hertz);
    const double mass = density * 4 / 3 * pi * radius * radius * radius;
    const double most = std::pow(15 * mass / (16 * E * std::sqrt(radius)), 0.4);
    const double h = 0.2 * std::sqrt(mass / (4 * E * std::sqrt(radius * most)));
    EXPECT_NEAR(hart_step(model.finish()), h, 1e-9 * h);
}

TEST(Dem, EnergyBalanceOfHertzianBallsCloses)
{
    Shaker shaker(cylinder(0.0125, 0.024), 4,
                  {.friction = 0.3, .restitution = 0.7, .young = 1e7, .poisson = 0.3});
    shaker.model.normal_law(NormalLaw::hertz);
    Dem run(shaker.model.finish(), with_hart(shaker.model.finish()));
    const View& view = run.view();
    const double before = view.energy(), h = view.step_size();
    double work = 0, q = view.q(shaker.lift);
    for (int i = 0; i < 0.1 / h; ++i) {
        run.step();
        work += view.drive_force(shaker.lift) * (view.q(shaker.lift) - q);
        q = view.q(shaker.lift);
    }
    EXPECT_GT(run.bed().dissipated().friction, 0);
    EXPECT_NEAR(view.energy() - before + view.dissipated().sum(), work, 1e-3 * run.bed().wall_work());
}

TEST(Dem, SummaryOfGrainsIsThatOfTheBed)
{
    Shaker shaker(cylinder(0.0125, 0.024));
    Dem run(shaker.model.finish(), with_hart(shaker.model.finish()));
    while (run.view().time() < 0.02 || (run.bed().contacts() == 0 && run.view().time() < 0.1)) run.step();
    const GrainSummary all = grain_summary(run.view());
    const PenaltyBed& bed = run.bed();
    EXPECT_LT((all.centre_of_mass - bed.centre_of_mass()).norm(), 1e-15);
    EXPECT_LT((all.mass * all.velocity - bed.momentum()).norm(), 1e-14 * bed.momentum().norm());
    EXPECT_LT((all.inertia - bed.inertia()).norm(), 1e-13 * bed.inertia().norm());
    EXPECT_NEAR(all.temperature, bed.granular_temperature(), 1e-13 * bed.granular_temperature());
    // Contacts of the view are those of the next forces().
    run.step();
    EXPECT_NEAR(all.overlap, bed.largest_overlap(), 1e-15);
    EXPECT_GT(all.overlap, 0);
}

TEST(Dem, GoesOnToTheSameBits)
{
    for (const FrictionModel friction : {FrictionModel::elastic, FrictionModel::directional}) {
        Shaker shaker(cylinder(0.0125, 0.024));
        const Model& model = shaker.model.finish();
        Dem run(model, with_hart(model, friction));
        for (int i = 0; i < 3000; ++i) run.step();
        const SavedState saved = run.save();
        Dem again(model, with_hart(model, friction));
        again.restore(saved);
        EXPECT_EQ(again.state_hash(), run.state_hash());
        EXPECT_EQ(again.view().drive_force(shaker.lift), run.view().drive_force(shaker.lift));
        EXPECT_EQ(again.view().contact_force(shaker.cavity).moment,
                  run.view().contact_force(shaker.cavity).moment);
        for (int i = 0; i < 3000; ++i) {
            run.step();
            again.step();
        }
        EXPECT_EQ(again.state_hash(), run.state_hash());
        EXPECT_EQ(again.view().time(), run.view().time());
        EXPECT_EQ(again.bed().dissipated().sum(), run.bed().dissipated().sum());
        SavedState damaged = saved;
        damaged.integers["ball_order"][0] = 1 << 20;
        EXPECT_TRUE(contains(error_of([&] { again.restore(damaged); }), "damaged"));
    }
}

// The compliant contacts of the nonsmooth scheme are the same springs: as h goes to zero, an impact that slides is the
// same. (Where one sticks first, (3) lets friction jump against the motion in the end.)
TEST(Dem, CompliantMoreauJeanConvergesToIt)
{
    ModelDescription model("impact");
    Material spring = springy;
    spring.restitution = 0;
    spring.stiffness = 2e8; // forces act within the overlap, there or here
    spring.form = ContactForm::overlap;
    const MaterialId material = model.add(spring);
    model.attach(ground, wall({0, 0, 1}, 0), material);
    const GrainId ball = model.grain({.shape = sphere(radius),
                                      .material = material,
                                      .density = density,
                                      .at = {.p = {0, 0, 1.001 * radius}},
                                      .velocity = {1, 0, -0.3}});
    const Model& m = model.finish();
    const double T = 3 * pi * std::sqrt(m.grains()[0].mass / spring.stiffness);
    const auto after = [&](Stepper&& run, int steps) {
        for (int i = 0; i < steps; ++i) run.step();
        Eigen::Matrix<double, 6, 1> v;
        v << run.view().velocity(ball), radius * run.view().motion(ball).angular_velocity;
        return v;
    };
    const auto reference = after(Dem(m, {T / 32000}), 32000);
    EXPECT_NEAR(reference[2], 0.3, 1e-3);
    double last = 0;
    for (const int steps : {2000, 8000}) {
        const double error = (after(MoreauJean(m, {.h = T / steps}), steps) - reference).norm();
        EXPECT_LT(error, 0.3 * 20 * 2 * pi / steps);
        if (last > 0) {
            EXPECT_LT(error, 0.5 * last); // a quarter, of first order
        }
        last = error;
    }
}

TEST(Dem, SaysWhatItCannotStep)
{
    const auto refusal = [](const std::function<void(ModelDescription&, MaterialId)>& add,
                            double stiffness = 2e4, double h = 1e-7) {
        ModelDescription model("model");
        Material material = springy;
        material.stiffness = stiffness;
        const MaterialId steel = model.add(material);
        model.grain({.name = "ball", .shape = sphere(radius), .material = steel, .density = density});
        model.attach(ground, wall({0, 0, 1}, -1), steel, {}, "floor");
        add(model, steel);
        return error_of([&] { Dem(model.finish(), {h}); });
    };
    const auto nothing = [](ModelDescription&, MaterialId) {};
    EXPECT_EQ(refusal(nothing), "");
    const std::string rigid = refusal(nothing, 0);
    EXPECT_TRUE(contains(rigid, "'ball' with 'ball' have no stiffness") &&
                contains(rigid, "give their materials one"))
        << rigid;
    const std::string hertz =
        refusal([](ModelDescription& m, MaterialId) { m.normal_law(NormalLaw::hertz); });
    EXPECT_TRUE(contains(hertz, "'ball' with 'ball' have no Young's modulus") &&
                contains(hertz, "linear law"))
        << hertz;
    const std::string late = refusal(nothing, 2e4, 1e-3);
    EXPECT_TRUE(contains(late, "Hart for grain 'ball'") && contains(late, "give a step of")) << late;
    const std::string stone = refusal([](ModelDescription& m, MaterialId steel) {
        m.attach(ground, polyhedron({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), steel, {}, "stone");
    });
    EXPECT_TRUE(contains(stone, "'stone' is a polyhedron") && contains(stone, "by the Moreau-Jean scheme"))
        << stone;
    const std::string mesh_wall = refusal([](ModelDescription& m, MaterialId steel) {
        m.attach(ground, mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}), steel, {}, "funnel");
    });
    EXPECT_TRUE(contains(mesh_wall, "'funnel' is a mesh")) << mesh_wall;
    const std::string cube = refusal([](ModelDescription& m, MaterialId steel) {
        m.grain({.name = "cube",
                 .shape = box(1, 1, 1),
                 .material = steel,
                 .density = density,
                 .at = {.p = {5, 5, 5}}});
    });
    EXPECT_TRUE(contains(cube, "'cube' is no single sphere")) << cube;
    const std::string force = refusal([](ModelDescription& m, MaterialId) {
        m.grain_force([](const View&, GrainId) { return Wrench{}; });
    });
    EXPECT_TRUE(contains(force, "a force on grains")) << force;
}

// Balls and walls in groups that do not touch each other pass through.
TEST(Dem, GroupsAreHeeded)
{
    ModelDescription model("groups");
    const MaterialId steel = model.add(springy);
    const auto ball = [&](double z, double v, unsigned group, unsigned mask) {
        return model.grain({.shape = sphere(radius),
                            .material = steel,
                            .density = density,
                            .at = {.p = {0, 0, z}},
                            .velocity = {0, 0, v},
                            .group = group,
                            .mask = mask});
    };
    const GrainId a = ball(0.01, 1, 1, 1), b = ball(0.02, -1, 2, 2);
    model.groups(model.attach(ground, wall({0, 0, 1}, 0), steel), 1, 1);
    Dem run(model.finish(), with_hart(model.finish()));
    while (run.view().time() < 0.03) run.step();
    EXPECT_NEAR(run.view().position(a).z(), 0.01 + run.view().time(), 1e-12);
    EXPECT_NEAR(run.view().position(b).z(), 0.02 - run.view().time(), 1e-12);
}

} // namespace
} // namespace tamis::dem_test
