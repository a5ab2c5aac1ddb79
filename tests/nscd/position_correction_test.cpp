// Position correction: overlaps of grains that are removed by moving the grains: how far, by whom, and that
// nothing else changes.
#include "tamis/model/description.hpp"
#include "tamis/nscd/position_correction.hpp"

#include "allocations.hpp"
#include "contact/beds.hpp"
#include "nscd/grain_scenes.hpp"

#include <limits>

namespace tamis::position_correction_test {
namespace {

using namespace scenes;

class Overlap : public AtEveryScale {
  protected:
    // A cube with its corners cut, of width d.
    Shape stone(double d) const
    {
        std::vector<Vector3d> corners;
        for (int c = 0; c < 8; ++c)
            for (int cut = 0; cut < 3; ++cut) {
                Vector3d x(c & 1 ? 1 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : -1);
                x[cut] *= 0.8;
                corners.push_back(d / 2 * x);
            }
        return polyhedron(corners);
    }
    double mean_size(const ModelDescription& model) const
    {
        double sum = 0;
        for (const GrainRecord& grain : model.grains()) sum += 2 * grain.radius;
        return sum / static_cast<double>(model.grains().size());
    }
    static double kinetic_energy(const MoreauJean& run)
    {
        double sum = 0;
        for (std::size_t i = 0; i < run.state().grains.size(); ++i) {
            const GrainRecord& record = run.view().model().grains()[i];
            const GrainState& grain = run.state().grains[i];
            const Vector3d L = grain.q.conjugate() * grain.L;
            sum += 0.5 * record.mass * grain.v.squaredNorm() + 0.5 * L.dot(L.cwiseQuotient(record.inertia));
        }
        return sum;
    }
};
INSTANTIATE_TEST_SUITE_P(Scales, Overlap, scales());

// Face to face the gap is that of the centres: it tends to the slop, by a fifth of the rest a step.
TEST_P(Overlap, OfTwoStonesAtRestIsTakenBackToTheSlopAboutTheirCentreOfMass)
{
    const double d = 0.1 * s, depth = 0.05 * d;
    ModelDescription model("pair");
    const MaterialId m = model.add(Material{.friction = 0.5, .anticipation = true});
    for (double side : {-1.0, 1.0})
        model.grain({.shape = stone(d),
                     .material = m,
                     .density = side < 0 ? 1000.0 : 3000.0,
                     .at = {.p = {side * (d - depth) / 2, 0, 0}}});
    const double slop = 0.005 * mean_size(model);
    MoreauJean run(model.finish(), with_step(1e-3 * root));
    const auto& grains = run.state().grains;
    double excess = depth - slop;
    for (int k = 0; k < 60; ++k) {
        const long before = allocations;
        run.step();
        if (k > 4) { // once warm: a tilt beyond round-off doubles the points of the pair
            ASSERT_EQ(allocations, before);
        }
        const double rest = d - (grains[1].x - grains[0].x).norm() - slop;
        ASSERT_GE(rest, -1e-12 * d);
        // What four passes over four points leave.
        ASSERT_NEAR(rest, 0.8 * excess, 1e-3 * excess + 1e-12 * d) << k;
        excess = rest;
        const Vector3d centre = (1000 * grains[0].x + 3000 * grains[1].x) / 4000;
        ASSERT_LT((centre - Vector3d((d - depth) / 4, 0, 0)).norm(), 1e-13 * d);
        for (const GrainState& grain : grains) {
            ASSERT_EQ(grain.v.norm(), 0);
            ASSERT_EQ(grain.L.norm(), 0);
            // Passes that leave 1e-3 of the way tilt the way by as much.
            ASSERT_LT(std::hypot(grain.x.y(), grain.x.z()), 1e-3 * depth * depth / d);
        }
    }
    EXPECT_LT(excess, 1e-5 * d);
}

TEST_P(Overlap, OfAStonePressedIntoTheFloorIsTakenBackAndItRests)
{
    const double d = 0.1 * s, h = 1e-3 * root;
    ModelDescription model("pressed");
    model.gravity({0, 0, -g});
    const MaterialId m = model.add(Material{.friction = 0.5, .anticipation = true});
    model.attach(ground, wall({0, 0, 1}, 0), m);
    model.grain({.shape = stone(d), .material = m, .density = 2500, .at = {.p = {0, 0, 0.46 * d}}});
    const double slop = 0.005 * mean_size(model), mass = model.grains()[0].mass;
    MoreauJean run(model.finish(), with_step(h));
    for (int k = 0; k < 100; ++k) {
        ASSERT_TRUE(run.step().converged);
        ASSERT_LT(kinetic_energy(run), 1e-16 * mass * g * d);
    }
    EXPECT_NEAR(run.state().grains[0].x.z() / d, 0.5 - slop / d, 1e-8);
    EXPECT_LT(Eigen::AngleAxisd(run.state().grains[0].q).angle(), 1e-8);
}

// Each stone is lifted with those above it, and nothing of it becomes motion.
TEST_P(Overlap, OfAStackAtRestIsTakenBackWithoutMotion)
{
    const double d = 0.1 * s, h = 1e-3 * root;
    ModelDescription model("stack");
    model.gravity({0, 0, -g});
    const MaterialId m = model.add(Material{.friction = 0.7, .anticipation = true});
    model.attach(ground, wall({0, 0, 1}, 0), m);
    const double depth[] = {0.03, 0.005, 0.02, 0.04, 0};
    double z = -d / 2;
    for (double overlap : depth) {
        z += (1 - overlap) * d;
        model.grain({.shape = stone(d), .material = m, .density = 2500, .at = {.p = {0, 0, z}}});
    }
    const double slop = 0.005 * mean_size(model), mass = model.grains()[0].mass;
    MoreauJean run(model.finish(), with_step(h));
    double penetration = 0;
    for (int k = 0; k < 400; ++k) {
        penetration = run.step().penetration;
        ASSERT_LT(kinetic_energy(run), 1e-12 * mass * g * d) << k;
    }
    EXPECT_LT(penetration, 1.001 * slop);
}

// Without an overlap that is deeper than the slop, or without the correction, not a bit changes.
TEST_P(Overlap, BelowTheSlopStays)
{
    const double d = 0.1 * s;
    ModelDescription model("pair");
    const MaterialId m = model.add(Material{.friction = 0.5, .anticipation = true});
    for (double side : {-1.0, 1.0})
        model.grain(
            {.shape = stone(d), .material = m, .density = 1000, .at = {.p = {side * 0.499 * d, 0, 0}}});
    MoreauJean run(model.finish(), with_step(1e-3 * root));
    const std::uint64_t start = run.state_hash();
    advance(run, 5);
    EXPECT_EQ(run.state_hash(), start);
    MoreauJeanOptions options = with_step(1e-3 * root);
    options.overlap = 1e-4;
    MoreauJean tight(model.finish(), options);
    advance(tight, 5);
    EXPECT_NE(tight.state_hash(), start);
}

TEST_P(Overlap, OfContactsThatBounceStays)
{
    const double d = 0.1 * s;
    ModelDescription model("bouncing");
    const MaterialId m = model.add(Material{.restitution = 0.5});
    for (double side : {-1.0, 1.0})
        model.grain(
            {.shape = stone(d), .material = m, .density = 1000, .at = {.p = {side * 0.48 * d, 0, 0}}});
    MoreauJean run(model.finish(), with_step(1e-3 * root));
    const std::uint64_t start = run.state_hash();
    advance(run, 5);
    EXPECT_EQ(run.state_hash(), start);
}

// 200 stones in a trough and a blade among them, driven to and fro and vibrating at 35 Hz, as a tamping tool
// does.
class StirredBed : public testing::Test {
  protected:
    explicit StirredBed(double moves = 1)
    {
        beds::Random random(3);
        const double d = 0.04, pitch = 0.07;
        model.gravity({0, 0, -g});
        const MaterialId m = model.add(Material{.friction = 0.7, .anticipation = true});
        const Body blade = model.add({.name = "blade", .joint = slide_x(), .mass = 1});
        model.attach(blade, box(0.02, 0.08, 0.6), m, {.p = {0, 0, 0.34}});
        model.drive(model.coordinate(blade),
                    motion([=](Expr t) { return moves * (0.04 * sin(6 * t) + 0.005 * sin(220 * t)); }));
        model.attach(ground, hollow(box(0.36, 0.3, 2)), m, {.p = {0, 0, 1}});
        for (int layer = 0, n = 0; n < 200; ++layer)
            for (int i = 0; i < 5; ++i)
                for (int j = 0; j < 4; ++j) {
                    if (std::abs(i - 2) < 1 && (j == 1 || j == 2)) continue; // the blade
                    if (n++ >= 200) continue;
                    std::vector<Vector3d> corners;
                    const double width = d * random(0.8, 1.2);
                    for (int k = 0; k < 20; ++k)
                        corners.push_back(width / 2 *
                                          Vector3d(1.2, 1, 0.8).cwiseProduct(random.vector(1).normalized()));
                    model.grain({.shape = polyhedron(corners),
                                 .material = m,
                                 .density = 2700,
                                 .at = {random.rotation(),
                                        {pitch * (i - 2), pitch * (j - 1.5), 0.04 + 0.06 * layer}}});
                }
        model.finish();
        for (const GrainRecord& grain : model.grains()) size += 2 * grain.radius / 200;
    }
    MoreauJeanOptions options(int threads) const
    {
        MoreauJeanOptions o{.h = 5e-4, .force = ForceEvaluation::explicit_};
        o.contacts = {.tolerance = 1e-3, .max_sweeps = 200, .solver = "coloured", .threads = threads};
        return o;
    }
    ModelDescription model{"stirred bed"};
    double size = 0; // mean
};

TEST_F(StirredBed, OverlapsByLessThanTwoPercentAtAllTimes)
{
    MoreauJean run(model.finish(), options(1));
    double worst = 0;
    for (int n = 0; n < 2000; ++n) worst = std::max(worst, run.step().penetration);
    EXPECT_LT(worst, 0.02 * size);
}

// The bed settled about a blade that rests, squeezed sideways and from above: stones overlap everywhere.
class SqueezedBed : public StirredBed {
  protected:
    SqueezedBed() : StirredBed(0)
    {
        static const State settled = [&] {
            MoreauJean run(model.finish(), options(1));
            advance(run, 1000);
            return run.state();
        }();
        squeezed = settled;
        for (GrainState& grain : squeezed.grains) {
            grain.x *= 0.96;
            grain.v.setZero();
            grain.L.setZero();
        }
    }
    State squeezed;
};

TEST_F(SqueezedBed, ComesApartWithoutLeaping)
{
    for (const bool corrected : {true, false}) {
        MoreauJeanOptions o = options(1);
        if (!corrected) o.overlap = std::numeric_limits<double>::infinity();
        MoreauJean run(model.finish(), o);
        run.restore(squeezed);
        const double start = run.step().penetration;
        ASSERT_GT(start, 0.03 * size);
        double end = start, fastest = 0;
        for (int n = 0; n < 100; ++n) {
            end = run.step().penetration;
            for (const GrainState& grain : run.state().grains) fastest = std::max(fastest, grain.v.norm());
        }
        if (corrected)
            EXPECT_LT(end, 1.02 * 0.005 * size);
        else
            EXPECT_GT(end, 0.02 * size);
        EXPECT_LT(fastest, g * run.state().t - g * squeezed.t); // nothing is faster than free fall
    }
}

TEST_F(SqueezedBed, HasTheSameBitsForAnyNumberOfThreadsAndAfterARestart)
{
    std::uint64_t hash[3];
    for (int k = 0; k < 3; ++k) {
        MoreauJean run(model.finish(), options(1 << k));
        run.restore(squeezed);
        advance(run, 20);
        hash[k] = run.state_hash();
    }
    EXPECT_EQ(hash[0], hash[1]);
    EXPECT_EQ(hash[0], hash[2]);
    MoreauJean first(model.finish(), options(1)), second(model.finish(), options(1));
    first.restore(squeezed);
    advance(first, 7);
    second.restore(first.state());
    advance(second, 13);
    EXPECT_EQ(second.state_hash(), hash[0]);
}

} // namespace
} // namespace tamis::position_correction_test
