// Grains at rest on each other and between walls, against statics.
#include "nscd/grain_scenes.hpp"

namespace tamis::stack_scene_test {
namespace {

using namespace scenes;

class Stack : public AtEveryScale {};
INSTANTIATE_TEST_SUITE_P(Scales, Stack, scales());

// Runs a stack that is built at rest: it stays where it is.
void stand(MoreauJean& run, double size)
{
    const std::vector<GrainState> start = run.state().grains;
    for (int k = 0; k < 1000; ++k) ASSERT_TRUE(run.step().converged) << k;
    for (std::size_t i = 0; i < start.size(); ++i) {
        EXPECT_LT((run.state().grains[i].x - start[i].x).norm(), 1e-6 * size) << i;
        EXPECT_LT(run.state().grains[i].q.angularDistance(start[i].q), 1e-6) << i;
    }
}

TEST_P(Stack, TenBoxesStandAndEachCarriesThoseAbove)
{
    const int n = 10;
    const double h = 1e-2 * root;
    ModelDescription model("boxes");
    model.gravity({0, 0, -g});
    const MaterialId m = model.add(Material{.friction = 0.5, .anticipation = true});
    for (int k = 0; k < n; ++k)
        model.grain({.shape = box(s, 0.8 * s, 0.6 * s),
                     .material = m,
                     .density = 1000,
                     .at = {.p = {0, 0, (0.3 + 0.6 * k) * s}}});
    model.attach(ground, wall({0, 0, 1}, 0), m);
    MoreauJean run(model.finish(), with_step(h));
    stand(run, s);
    const double weight = model.grains()[0].mass * g * h;
    for (int k = 0; k < n; ++k) EXPECT_NEAR(normal_impulse(run, k - 1, k) / weight, n - k, 1e-9) << k;
}

TEST_P(Stack, TenBallsInATubeLeanOnItsWallsAsStaticsSays)
{
    // Balls touch the walls x = +-w / 2 in turn. Between neighbours, at the angle asin(c) to the horizontal,
    // N c carries the weight above, and the walls hold what N is off the vertical.
    const int n = 10;
    const double h = 1e-3 * root, R = 0.1 * s, width = 2.6 * R, off = width - 2 * R;
    const double rise = std::sqrt(4 * R * R - off * off), c = rise / (2 * R);
    ModelDescription model("tube");
    model.gravity({0, 0, -g});
    const MaterialId m = model.add(Material{.anticipation = true});
    for (int k = 0; k < n; ++k)
        model.grain({.shape = sphere(R),
                     .material = m,
                     .density = 1000,
                     .at = {.p = {(k % 2 ? 0.5 : -0.5) * off, 0, R + k * rise}}});
    model.attach(ground, wall({0, 0, 1}, 0), m);
    for (double side : {-1.0, 1.0}) {
        model.attach(ground, wall({side, 0, 0}, -width / 2), m);
        model.attach(ground, wall({0, side, 0}, -R), m);
    }
    MoreauJean run(model.finish(), with_step(h, 1e-11));
    stand(run, R);
    const double weight = model.grains()[0].mass * g * h, lean = off / rise;
    for (int k = 1; k < n; ++k) EXPECT_NEAR(normal_impulse(run, k - 1, k) * c / weight, n - k, 1e-7) << k;
    for (const ContactRecord& contact : run.view().contacts()) {
        const Vector3d normal = contact.frame.col(0);
        const int ball = std::min(contact.shape_a, contact.shape_b);
        if (contact.shape_b < n) continue;
        const double above = n - 1 - ball, below = ball == 0 ? 0 : n - ball;
        if (std::abs(normal.x()) > 0.5) {
            EXPECT_NEAR(contact.impulse[0] / weight, lean * (above + below), 1e-6);
        }
        if (std::abs(normal.z()) > 0.5) {
            EXPECT_NEAR(contact.impulse[0] / weight, n, 1e-7);
        }
    }
}

TEST_P(Stack, TinyMassOnAHeavyOneAndAHeavyOneOnALightOneAreCarried)
{
    const double h = 1e-3 * root, R = 0.1 * s;
    for (double above : {1e-6, 1e3}) { // mass of the upper box over that of the lower one
        ModelDescription model("ratio");
        model.gravity({0, 0, -g});
        const MaterialId m = model.add(Material{.friction = 0.5, .anticipation = true});
        for (int k : {0, 1})
            model.grain({.shape = box(2 * R, 2 * R, 2 * R),
                         .material = m,
                         .density = k == 0 ? 1000 : 1000 * above,
                         .at = {.p = {0, 0, (2 * k + 1) * R}}});
        model.attach(ground, wall({0, 0, 1}, 0), m);
        MoreauJean run(model.finish(), with_step(h, 1e-10));
        stand(run, R);
        const double lower = model.grains()[0].mass * g * h, upper = model.grains()[1].mass * g * h;
        EXPECT_NEAR(normal_impulse(run, 0, 1) / upper, 1, above < 1 ? 1e-3 : 1e-6);
        EXPECT_NEAR(normal_impulse(run, -1, 0) / (lower + upper), 1, 1e-6);
    }
}

TEST_P(Stack, BallInAGrooveOfAnyAnglesIsCarriedByBothWalls)
{
    // Walls at angles a and b to the vertical: N_a = W cos(b) / sin(a + b) and the other way round.
    const double R = 0.1 * s, h = 1e-3 * root;
    for (const auto& [a, b] : {std::pair{0.5, 0.5}, {0.1, 0.1}, {0.3, 1.2}}) {
        const Vector3d left(std::cos(a), 0, std::sin(a)), right(-std::cos(b), 0, std::sin(b));
        // touches both: left . x = right . x = R
        Eigen::Matrix2d normals;
        normals << left.x(), left.z(), right.x(), right.z();
        const Eigen::Vector2d x = normals.inverse() * Eigen::Vector2d(R, R);
        for (double mu : {0.0, 0.3}) {
            ModelDescription model("groove");
            model.gravity({0, 0, -g});
            const MaterialId m = model.add(Material{.friction = mu, .anticipation = true});
            model.grain({.shape = sphere(R), .material = m, .density = 1000, .at = {.p = {x[0], 0, x[1]}}});
            model.attach(ground, wall(left, 0), m);
            model.attach(ground, wall(right, 0), m);
            MoreauJean run(model.finish(), with_step(h));
            advance(run, 100);
            EXPECT_LT(run.view().velocity(GrainId{0}).norm(), 1e-9 * g * h);
            if (mu > 0) continue; // not determined
            const double weight = model.grains()[0].mass * g * h;
            ASSERT_EQ(run.view().contacts().size(), 2u);
            for (const ContactRecord& c : run.view().contacts()) {
                const bool on_left = std::max(c.shape_a, c.shape_b) == 1;
                EXPECT_NEAR(c.impulse[0] / weight, std::cos(on_left ? b : a) / std::sin(a + b), 1e-9);
            }
        }
    }
}

// A ball between two jaws that forces F press together, each at the angle a to the plane of symmetry. It is
// held if tan(a) <= mu; else it is thrown out along the plane while both contacts slide:
//
//     m v' = 2 N (sin a - mu cos a),  M w' = F - N (cos a + mu sin a),  v sin a = w cos a.
TEST_P(Stack, BallBetweenPressedJawsIsHeldUpToAtanMuAndThrownOutBeyond)
{
    const double R = 0.1 * s, h = 1e-3 * root, mu = 0.4, jaw = 20 * s * s * s;
    for (double part : {0.5, 0.99, 1.01, 2.0}) { // of tan(a) = mu
        const double a = std::atan(part * mu);
        ModelDescription model("jaws");
        const MaterialId m = model.add(Material{.friction = mu, .anticipation = true});
        const GrainId ball = model.grain({.shape = sphere(R), .material = m, .density = 1000});
        const double mass = model.grains()[0].mass, F = mass * g;
        for (double side : {-1.0, 1.0}) {
            const Body body =
                model.add({.name = side < 0 ? "left" : "right", .joint = slide_x(), .mass = jaw});
            model.attach(body, wall({-side * std::cos(a), 0, std::sin(a)}, -R), m);
            model.force(model.coordinate(body), [=](const View&) { return -side * F; });
        }
        MoreauJean run(model.finish(), with_step(h));
        for (int k = 0; k < 100; ++k) ASSERT_TRUE(run.step().converged) << part;
        const double t = 100 * h, lift = std::sin(a) - mu * std::cos(a);
        const double N = F / (std::cos(a) + mu * std::sin(a) + 2 * jaw / mass * std::tan(a) * lift);
        const double expected = part < 1 ? 0 : 2 * N * lift / mass * t;
        EXPECT_LT((run.view().velocity(ball) - Vector3d(0, 0, expected)).norm(), 1e-8 * g * t) << part;
        EXPECT_LT(angular_velocity(run, ball).norm(), 1e-7 * g * t / R) << part;
    }
}

} // namespace
} // namespace tamis::stack_scene_test
