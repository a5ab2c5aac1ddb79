// Many grains that collide freely: what is conserved, what only decreases, what does not depend on scale.
#include "allocations.hpp"
#include "nscd/grain_scenes.hpp"

#include <random>

namespace tamis::gas_scene_test {
namespace {

using namespace scenes;

double random_number(std::mt19937_64& random)
{
    return 2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1;
}
Vector3d random_vector(std::mt19937_64& random)
{
    const double x = random_number(random), y = random_number(random);
    return {x, y, random_number(random)};
}
Matrix3d random_turn(std::mt19937_64& random)
{
    const Vector3d axis = random_vector(random);
    return turn(3 * random_number(random), axis);
}

const std::vector<std::pair<Shape, Pose>> three_parts{{sphere(0.3), {.p = {0.5, 0, 0}}},
                                                      {box(0.4, 0.3, 0.2), {.p = {-0.2, 0.1, 0}}},
                                                      {sphere(0.2), {.p = {0, 0.5, 0.3}}}};

TEST(Gas, AFreeClusterKeepsItsMomentaToTheLastDigitAndItsEnergyToSecondOrder)
{
    auto drift = [](double h) {
        ModelDescription model("cluster");
        const MaterialId m = model.add(Material{});
        model.grain({.parts = three_parts,
                     .material = m,
                     .density = 700,
                     .velocity = {1, 2, 3},
                     .angular_velocity = {1, -4, 2}});
        MoreauJean run(model.finish(), with_step(h));
        const GrainState start = run.state().grains[0];
        const double energy = run.view().energy();
        double worst = 0;
        for (int k = 0; k * h < 5; ++k) {
            run.step();
            EXPECT_EQ(run.state().grains[0].L, start.L);
            EXPECT_EQ(run.state().grains[0].v, start.v);
            worst = std::max(worst, std::abs(run.view().energy() / energy - 1));
        }
        return worst;
    };
    const double coarse = drift(1e-2), fine = drift(5e-3);
    EXPECT_LT(fine, 1e-3);
    EXPECT_GT(coarse / fine, 3.5);
}

TEST(Gas, TwoGrainsOfAnyShapeExchangeMomentumAndAngularMomentumToRoundOff)
{
    GrainSpec ball{.shape = sphere(0.5), .density = 700}, block{.shape = box(1, 0.7, 0.4), .density = 700},
        cluster{.parts = three_parts, .density = 700};
    std::mt19937_64 random(5);
    for (const auto& [a, b] : {std::pair{ball, ball},
                               {block, block},
                               {cluster, cluster},
                               {ball, block},
                               {block, cluster},
                               {cluster, ball}})
        for (const Material& material :
             {Material{}, Material{.restitution = 1}, Material{.friction = 0.5, .restitution = 0.5},
              Material{.friction = 0.5, .rolling = 0.01}, Material{.friction = 0.5, .anticipation = true}}) {
            ModelDescription model("pair");
            const MaterialId m = model.add(material);
            for (GrainSpec spec : {a, b}) {
                const double side = model.grains().empty() ? -1 : 1;
                spec.material = m;
                spec.at = {random_turn(random), Vector3d(side, 0, 0) + 0.1 * random_vector(random)};
                spec.velocity = Vector3d(-2 * side, 0, 0) + 0.1 * random_vector(random);
                spec.angular_velocity = 3 * random_vector(random);
                model.grain(spec);
            }
            MoreauJean run(model.finish(), with_step(1e-3));
            const auto before = momenta(run);
            const double size = model.grains()[0].mass * 2 + model.grains()[1].mass * 2;
            const Vector3d v = run.view().velocity(GrainId{0});
            for (int k = 0; k < 1000; ++k) {
                run.step();
                ASSERT_LT((momenta(run) - before).norm(), 1e-12 * size);
            }
            EXPECT_GT((run.view().velocity(GrainId{0}) - v).norm(), 0.1); // they did meet
        }
}

// Balls and blocks with random velocities in a closed box of size 8, without gravity. The inertia of cubes is
// the same about all axes, so that no energy hides in the error of the tumbling motion.
struct Gas {
    Gas(const Material& material, bool cubes, unsigned seed = 1) : model("gas")
    {
        std::mt19937_64 random(seed);
        const MaterialId m = model.add(material);
        for (int k = 0; k < 30; ++k) {
            const Vector3d place(-2.4 + 1.6 * (k % 4), -2.4 + 1.6 * (k / 4 % 4), -2.4 + 1.6 * (k / 16));
            const Shape block = cubes ? box(0.7, 0.7, 0.7) : box(0.9, 0.7, 0.4);
            model.grain({.shape = k % 2 ? block : sphere(0.3 + 0.2 * (k % 3)),
                         .material = m,
                         .density = 1000,
                         .at = {random_turn(random), place},
                         .velocity = 5 * random_vector(random),
                         .angular_velocity = 5 * random_vector(random)});
        }
        for (int axis = 0; axis < 3; ++axis)
            for (double side : {-1.0, 1.0}) model.attach(ground, wall(side * Vector3d::Unit(axis), -4), m);
        model.finish();
    }
    ModelDescription model;
};

TEST(Gas, EnergyWithoutFrictionNeverGrowsAndIsKeptWhenElastic)
{
    for (double e : {0.0, 0.5, 1.0}) {
        Gas gas(Material{.restitution = e}, true);
        MoreauJean run(gas.model.finish(), with_step(2e-3));
        const double start = run.view().energy();
        double before = start;
        int contacts = 0;
        for (int k = 0; k < 400; ++k) {
            const StepReport report = run.step();
            ASSERT_TRUE(report.converged) << e << ' ' << k;
            contacts += report.contacts;
            const double energy = run.view().energy();
            ASSERT_LT(energy, before + 1e-12 * start) << e << ' ' << k;
            if (e == 1) {
                ASSERT_NEAR(energy / start, 1, 1e-10) << k;
            }
            before = energy;
        }
        EXPECT_GT(contacts, 50);
        if (e < 1) {
            EXPECT_LT(before, 0.9 * start);
        }
    }
}

TEST(Gas, WorkOfContactsIsTheLossOfEnergyAndFrictionOnlyDissipates)
{
    for (bool cubes : {true, false}) {
        Gas gas(Material{.friction = 0.5}, cubes);
        MoreauJean run(gas.model.finish(), with_step(2e-3));
        const double start = run.view().energy();
        double before = start, slid = 0;
        for (int k = 0; k < 400; ++k) {
            run.step();
            double work = 0;
            for (const ContactRecord& c : run.view().contacts()) {
                work += c.impulse.dot(c.u_plus + c.u_minus) / 2;
                const double friction = c.impulse.tail<2>().dot(c.u_plus.tail<2>());
                ASSERT_LT(friction, 1e-11 * start) << k;
                slid -= friction;
            }
            ASSERT_LT(work, 1e-11 * start) << k;
            if (cubes) {
                ASSERT_NEAR(run.view().energy() - before, work, 1e-11 * start) << k;
            }
            before = run.view().energy();
        }
        EXPECT_GT(slid, 1e-3 * start);
        EXPECT_LT(before, 0.9 * start);
    }
}

// A convex stone of twelve points near a sphere.
Shape stone(int seed, double s)
{
    std::mt19937_64 random(seed);
    std::vector<Vector3d> points;
    for (int k = 0; k < 12; ++k)
        points.push_back(s * (0.4 + 0.05 * random_number(random)) * random_vector(random).normalized());
    return polyhedron(points);
}

// Twenty balls, five boxes and five stones that fall into a box; some bounce.
struct Fall {
    explicit Fall(double s, double mu = 0.5) : model("fall")
    {
        std::mt19937_64 random(3);
        model.gravity({0, 0, -g});
        const MaterialId soft = model.add(Material{.friction = mu, .anticipation = true});
        const MaterialId hard = model.add(Material{.friction = mu, .restitution = 0.3});
        for (int k = 0; k < 30; ++k) {
            const Vector3d place(-1 + k % 3, -1 + k / 3 % 3, 0.7 + k / 9 * 1.1);
            const Vector3d aside = 0.05 * random_vector(random);
            const Matrix3d R = random_turn(random);
            model.grain({.shape = k % 3   ? sphere((0.3 + 0.1 * (k % 2)) * s)
                                  : k % 2 ? box(0.7 * s, 0.5 * s, 0.4 * s)
                                          : stone(k, s),
                         .material = k % 5 ? soft : hard,
                         .density = 1000,
                         .at = {R, s * (place + aside)},
                         .velocity = std::sqrt(s) * (random_vector(random) - Vector3d(0, 0, 3))});
        }
        model.attach(ground, wall({0, 0, 1}, 0), soft);
        for (double side : {-1.0, 1.0}) {
            model.attach(ground, wall({side, 0, 0}, -1.6 * s), soft);
            model.attach(ground, wall({0, side, 0}, -1.6 * s), soft);
        }
        model.finish();
    }
    ModelDescription model;
};

TEST(Gas, MotionDoesNotDependOnTheLengthScale)
{
    // Powers of four scale lengths, times and masses without rounding: whatever compares with an absolute
    // length, speed or mass shows.
    const double h = 4e-3;
    for (const std::string solver : {"auto", "nlgs", "coloured"}) {
        auto options = [&](double s) {
            MoreauJeanOptions o = with_step(h * std::sqrt(s), 1e-4);
            o.contacts.solver = solver;
            return o;
        };
        Fall reference(1);
        MoreauJean run(reference.model.finish(), options(1));
        int contacts = 0;
        for (int k = 0; k < 100; ++k) contacts += run.step().contacts;
        EXPECT_GT(contacts, 500);
        for (double s : {0x1p-10, 0x1p10}) {
            Fall scene(s);
            MoreauJean scaled(scene.model.finish(), options(s));
            advance(scaled, 100);
            for (int i = 0; i < 30; ++i) {
                const GrainState &a = run.state().grains[i], &b = scaled.state().grains[i];
                ASSERT_EQ((b.x / s - a.x).norm(), 0) << solver << ' ' << s << ' ' << i;
                ASSERT_EQ((b.v / std::sqrt(s) - a.v).norm(), 0) << solver << ' ' << s << ' ' << i;
                ASSERT_EQ((b.q.coeffs() - a.q.coeffs()).norm(), 0) << solver << ' ' << s << ' ' << i;
            }
        }
    }
}

// Lengths times s, times and speeds times sqrt(s), masses times s^3: factors that round, so that trajectories
// agree as far as round-off grows in a hundred steps. Where sweeps stagnate they end at their limit, the same
// at each size.
TEST(Gas, MotionAtAThousandthAndAThousandTimesTheSizeIsTheSame)
{
    for (const std::string solver : {"nlgs", "coloured"}) {
        auto run_at = [&](double s) {
            Fall scene(s);
            MoreauJeanOptions options = with_step(4e-3 * std::sqrt(s), 1e-12);
            options.contacts.solver = solver;
            options.contacts.max_sweeps = 2000;
            MoreauJean run(scene.model.finish(), options);
            int contacts = 0;
            for (int k = 0; k < 100; ++k) contacts += run.step().contacts;
            EXPECT_GT(contacts, 500);
            return run.state().grains;
        };
        const auto at_one = run_at(1);
        for (const double s : {1e-3, 1e3}) {
            const auto scaled = run_at(s);
            double worst = 0;
            for (std::size_t i = 0; i < at_one.size(); ++i)
                worst = std::max(worst, (scaled[i].x / s - at_one[i].x).norm());
            EXPECT_LT(worst, 1e-9 * 0.3) << solver << ' ' << s; // 0.3: the smallest radius
        }
    }
}

TEST(Gas, EqualRunsHaveEqualBitsAndARestoredOneContinuesThem)
{
    for (const std::string solver : {"auto", "nlgs", "coloured"}) {
        Fall scene(1);
        MoreauJeanOptions options = with_step(4e-3, 1e-4);
        options.contacts.solver = solver;
        MoreauJean a(scene.model.finish(), options), b(scene.model.finish(), options),
            c(scene.model.finish(), options);
        advance(a, 60);
        const State middle = a.state();
        EXPECT_GT(middle.impulses.size(), 20u); // in contact
        advance(a, 40);
        advance(b, 100);
        EXPECT_EQ(a.state_hash(), b.state_hash()) << solver;
        c.restore(middle);
        b.restore(middle); // after other work
        advance(b, 40);
        advance(c, 40);
        EXPECT_EQ(b.state_hash(), a.state_hash()) << solver;
        EXPECT_EQ(c.state_hash(), a.state_hash()) << solver;
    }
}

TEST(Gas, BitsDoNotDependOnTheNumberOfThreads)
{
    std::uint64_t hash[2];
    for (int threads : {1, 2}) {
        Fall scene(1);
        MoreauJeanOptions options = with_step(4e-3, 1e-4);
        options.contacts.threads = threads;
        MoreauJean run(scene.model.finish(), options);
        advance(run, 120);
        hash[threads - 1] = run.state_hash();
    }
    EXPECT_EQ(hash[0], hash[1]);
}

// Enough contacts that threads share their assembly, some with a mechanism, some with a driven body, some
// that resist rolling.
TEST(Gas, BitsOfManyContactsDoNotDependOnTheNumberOfThreads)
{
    ModelDescription model("crowd");
    model.gravity({0, 0, -g});
    const MaterialId rough = model.add(Material{.friction = 0.4, .rolling = 0.01, .anticipation = true});
    const MaterialId plain = model.add(Material{.friction = 0.3, .restitution = 0.2});
    const Body tray = model.add({.name = "tray", .joint = slide_z(), .mass = 1, .inertia = {1, 1, 1}});
    model.drive(model.coordinate(tray), motion([](Expr t) { return 0.01 * sin(50 * t); }));
    model.attach(tray, wall({0, 0, 1}, 0), rough);
    const Body lid = model.add({.name = "lid", .joint = slide_z(), .mass = 500, .inertia = {1, 1, 1}});
    model.attach(lid, wall({0, 0, -1}, -1.1), plain);
    for (int k = 0; k < 11 * 10 * 10; ++k) // each a little into its neighbours
        model.grain({.shape = sphere(0.0505),
                     .material = k % 3 ? rough : plain,
                     .density = 1000,
                     .at = {.p = {0.1 * (k % 10), 0.1 * (k / 10 % 10), 0.05 + 0.1 * (k / 100)}}});
    model.finish();
    std::vector<std::uint64_t> hash;
    for (const int threads : {1, 2, 3}) {
        MoreauJeanOptions options = with_step(1e-3, 1e-4);
        options.contacts.solver = "coloured";
        options.contacts.threads = threads;
        options.contacts.max_sweeps = 40;
        MoreauJean run(model.finish(), options);
        for (int k = 0; k < 3; ++k) EXPECT_GT(run.step().contacts, 2000);
        hash.push_back(run.state_hash());
    }
    EXPECT_EQ(hash[0], hash[1]);
    EXPECT_EQ(hash[0], hash[2]);
}

// A driven box shakes grains of every kind for ten thousand steps.
TEST(Gas, MemoryDoesNotGrow)
{
    const long before = heap_in_use();
    const std::vector<double> some(1000);
    if (heap_in_use() - before < 8000) GTEST_SKIP() << "the heap is not seen here";
    for (const std::string solver : {"auto", "coloured"}) {
        ModelDescription model("shaker");
        model.gravity({0, 0, -g});
        const MaterialId soft = model.add(Material{.friction = 0.4, .rolling = 0.01, .anticipation = true});
        const MaterialId hard = model.add(Material{.friction = 0.4, .restitution = 0.5});
        const Body tray = model.add({.name = "tray", .joint = slide_z(), .mass = 1, .inertia = {1, 1, 1}});
        model.drive(model.coordinate(tray), motion([](Expr t) { return 0.2 * sin(15 * t); }));
        model.attach(tray, hollow(box(2.2, 2.2, 8)), soft);
        const std::vector<Shape> shapes{sphere(0.3), box(0.5, 0.4, 0.6), cylinder(0.25, 0.5),
                                        capsule(0.2, 0.4), stone(1, 0.8)};
        std::mt19937_64 random(5);
        for (int k = 0; k < 12; ++k) {
            GrainSpec grain{.material = k % 4 ? soft : hard,
                            .density = 1000,
                            .at = {random_turn(random), {-0.5 + k % 2, -0.5 + k / 2 % 2, -3 + k / 4 * 1.5}}};
            if (k % 6 == 5)
                grain.parts = three_parts;
            else
                grain.shape = shapes[k % 6];
            model.grain(grain);
        }
        MoreauJeanOptions options = with_step(2e-3, 1e-4);
        options.contacts.solver = solver;
        options.contacts.threads = 2;
        MoreauJean run(model.finish(), options);
        advance(run, 5000); // until solvers of hard problems have had their turn, too
        const long warm = heap_in_use();
        long contacts = 0;
        for (int k = 0; k < 5000; ++k) contacts += run.step().contacts;
        EXPECT_GT(contacts, 20 * 5000 / 10);
        // A fuller step than all before makes a few vectors longer, by a few kB here; the least block, lost in
        // each step, would be 160 kB.
        EXPECT_LT(heap_in_use() - warm, 32768) << solver;
    }
}

} // namespace
} // namespace tamis::gas_scene_test
