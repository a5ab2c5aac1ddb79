// Mechanisms that the balls of the penalty method move, stepped together with them.
#include "tamis/dem/dem.hpp"

#include "allocations.hpp"
#include "error_of.hpp"
#include "tamis/model/description.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace tamis::dem_mechanism_test {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

constexpr double g = 9.81, radius = 2e-3, density = 7800;

const Material springy{.friction = 0.3, .restitution = 0.7, .stiffness = 2e4, .shear_ratio = 0.8};

GrainId add_ball(ModelDescription& model, MaterialId material, const Vector3d& at, const Vector3d& velocity)
{
    return model.grain({.shape = sphere(radius),
                        .material = material,
                        .density = density,
                        .at = {.p = at},
                        .velocity = velocity});
}

// Balls around a point, each with another small velocity.
void add_balls(ModelDescription& model, MaterialId material, int side, const Vector3d& centre)
{
    for (int i = 0; i < side * side * side; ++i) {
        const Vector3d at(i % side, i / side % side, i / (side * side));
        add_ball(model, material, centre + 2.02 * radius * (at - Vector3d::Constant((side - 1) / 2.0)),
                 {0.05 * std::sin(i), 0.05 * std::cos(2 * i), 0.05 * std::sin(3 * i)});
    }
}

// A box on a spring, with one ball that bounces between its floor and its lid.
struct Bouncer {
    ModelDescription model{"bouncer"};
    Body body;
    GrainId ball;
    double mass = 2e-3, spring = 40, half = 0.01;

    explicit Bouncer(const Material& material)
    {
        model.gravity({0, 0, -g});
        body = model.add({.name = "box", .joint = slide_z(), .mass = mass});
        model.spring(model.coordinate(body), {.stiffness = spring});
        const MaterialId steel = model.add(material);
        model.attach(body, hollow(box(2 * half, 2 * half, 2 * half)), steel);
        ball = add_ball(model, steel, {0, 0, 0}, {0, 0, 0.5});
        model.start(body, 1e-3, -0.2);
    }
};

TEST(DemMechanism, BoxOnASpringWithOneBallIsIntegratedAsWrittenDown)
{
    Bouncer scene(springy);
    const Model& model = scene.model.finish();
    const double h = hart_step(model), m = model.grains()[0].mass, k = springy.stiffness;
    const double log_e = std::log(springy.restitution);
    const double c = -2 * log_e / std::sqrt(pi * pi + log_e * log_e) * std::sqrt(k * m);
    Dem run(model, {h});
    double x = 0, v = 0.5, q = 1e-3, w = -0.2;
    int touched = 0;
    for (int n = 0; n < 8000; ++n) { // (later, impacts have made much of round-off)
        run.step();
        double f = 0; // on the ball
        const double floor = q - scene.half - (x - radius), lid = (x + radius) - (q + scene.half);
        if (floor > 0) f += k * floor - c * (v - w);
        if (lid > 0) f -= k * lid + c * (v - w);
        touched += f != 0;
        v += h * (f / m - g);
        w += h * ((-scene.spring * q - f) / scene.mass - g);
        x += h * v;
        q += h * w;
    }
    EXPECT_GT(touched, 50);
    EXPECT_NEAR(run.view().position(scene.ball).z(), x, 1e-10);
    EXPECT_NEAR(run.view().position(scene.body).z(), q, 1e-10);
    EXPECT_NEAR(run.view().velocity(scene.body).z(), w, 1e-7);
}

// The compliant contacts of the nonsmooth scheme are the same springs.
TEST(DemMechanism, CompliantMoreauJeanConvergesToIt)
{
    Material spring = springy;
    spring.restitution = 0;
    spring.form = ContactForm::overlap;
    Bouncer scene(spring);
    const Model& model = scene.model.finish();
    const double t_end = 0.05;
    const auto after = [&](Stepper&& run, int steps) {
        for (int n = 0; n < steps; ++n) run.step();
        return Eigen::Vector2d(run.view().position(scene.body).z(), run.view().position(scene.ball).z());
    };
    const Eigen::Vector2d reference = after(Dem(model, {t_end / 200000}), 200000);
    double last = 0;
    for (const int steps : {5000, 20000}) {
        const double error = (after(MoreauJean(model, {.h = t_end / steps}), steps) - reference).norm();
        EXPECT_LT(error, 5e-3 * 5000 / steps);
        if (last > 0) {
            EXPECT_LT(error, 0.5 * last);
        }
        last = error;
    }
}

// A cavity that floats among nothing, full of balls.
struct Floating {
    ModelDescription model{"floating"};
    Body body;

    explicit Floating(int side = 4, const Vector3d& gravity = {0, 0, 0})
    {
        model.gravity(Vector(gravity));
        body =
            model.add({.name = "cavity", .joint = free_joint(), .mass = 0.05, .inertia = {1e-5, 2e-5, 3e-5}});
        const double room = 2.02 * radius * side + 4e-3;
        const MaterialId steel = model.add(springy);
        model.attach(body, hollow(box(room, room, room)), steel, {}, "inside");
        model.start(body, Eigen::Quaterniond::Identity(), {20, -10, 5});
        model.start(body, 0, 0.4, 0);
        add_balls(model, steel, side, {0, 0, 0});
    }
};

TEST(DemMechanism, MomentumStays)
{
    Floating scene;
    Dem run(scene.model.finish(), {hart_step(scene.model.finish())});
    const View& view = run.view();
    const auto spin = [&] { // about the origin
        const BodyMotion m = view.motion(scene.body);
        const Vector3d omega = m.pose.R.transpose() * m.angular_velocity;
        Vector3d sum =
            m.pose.R * Vector3d(1e-5, 2e-5, 3e-5).cwiseProduct(omega) + 0.05 * m.pose.p.cross(m.velocity);
        for (std::size_t i = 0; i < view.grains().size(); ++i) {
            const GrainState& s = view.grains()[i];
            sum += s.L + scene.model.grains()[i].mass * s.x.cross(s.v);
        }
        return sum;
    };
    const Vector3d before = view.momentum(), spun = spin();
    const Vector3d v = view.velocity(scene.body);
    for (int n = 0; n < 5000; ++n) run.step();
    EXPECT_GT((view.velocity(scene.body) - v).norm(), 0.05);
    EXPECT_LT((view.momentum() - before).norm(), 1e-12 * before.norm());
    EXPECT_LT((spin() - spun).norm(), 2e-3 * spun.norm()); // of first order in h
    EXPECT_LT(run.momentum_error(), 1e-9);
}

// A pendulum on a carriage that is driven, with a spring, a damper, and a cavity of balls.
struct Pendulum {
    ModelDescription model{"pendulum"};
    Body carriage, arm;
    Coordinate drive, angle;
    double damping = 2e-4;

    Pendulum()
    {
        model.gravity({0, 0, -g});
        carriage = model.add({.name = "carriage", .joint = slide_x(), .mass = 0.1});
        drive = model.coordinate(carriage);
        model.drive(drive, motion([](Expr t) { return 4e-3 * sin(2 * pi * 12 * t); }));
        arm = model.add({.name = "arm",
                         .parent = carriage,
                         .joint = hinge_y(),
                         .mass = 0.06,
                         .com = {0, 0, -0.04},
                         .inertia = {1e-5, 1e-5, 1e-5}});
        angle = model.coordinate(arm);
        model.spring(angle, {.stiffness = 0.5, .damping = damping});
        const MaterialId steel = model.add(springy);
        model.attach(arm, hollow(cylinder(0.0125, 0.024)), steel, {.p = {0, 0, -0.05}}, "cavity");
        model.start(arm, 0.2, 0);
        add_balls(model, steel, 4, Vector3d(-0.05 * std::sin(0.2), 0, -0.05 * std::cos(0.2)));
    }
};

TEST(DemMechanism, EnergyBalanceCloses)
{
    Pendulum scene;
    const Model& model = scene.model.finish();
    Dem run(model, {hart_step(model)});
    const View& view = run.view();
    const double before = view.energy(), h = view.step_size();
    double work = 0, given = 0, damped = 0, q = view.q(scene.drive), angle = view.q(scene.angle);
    while (view.time() < 0.2) {
        const double rate = view.v(scene.angle);
        run.step();
        const double added = view.drive_force(scene.drive) * (view.q(scene.drive) - q);
        work += added;
        given += std::abs(added);
        damped += scene.damping * rate * (view.q(scene.angle) - angle);
        q = view.q(scene.drive);
        angle = view.q(scene.angle);
    }
    EXPECT_GT(h, 0);
    EXPECT_GT(damped, 0.01 * given);
    EXPECT_GT(view.dissipated().normal, 0);
    EXPECT_GT(view.dissipated().friction, 0);
    EXPECT_NEAR(view.energy() - before + damped + view.dissipated().sum(), work, 1e-3 * given);
    for (const GrainState& s : view.grains()) // in the cavity
        EXPECT_LT((s.x - view.position(scene.arm, {0, 0, -0.05})).norm(), 0.0175);
}

// What a drive gives is what all bodies gain beyond gravity.
TEST(DemMechanism, DriveForceIsNewtons)
{
    ModelDescription model("lift");
    model.gravity({0, 0, -g});
    const Body lift = model.add({.name = "lift", .joint = slide_z(), .mass = 0.1});
    const Coordinate c = model.coordinate(lift);
    model.drive(c, motion([](Expr t) { return 2e-3 * sin(2 * pi * 30 * t); }));
    const Body tray = model.add({.name = "tray", .parent = lift, .joint = slide_z(), .mass = 0.03});
    model.spring(model.coordinate(tray), {.stiffness = 500, .damping = 0.1});
    const MaterialId steel = model.add(springy);
    model.attach(tray, hollow(box(0.02, 0.02, 0.024)), steel);
    add_balls(model, steel, 4, {0, 0, 0});
    const Model& m = model.finish();
    Dem run(m, {hart_step(m)});
    double mass = 0.13, largest = 0;
    for (const GrainRecord& grain : m.grains()) mass += grain.mass;
    for (int n = 0; n < 3000; ++n) {
        const double before = run.view().momentum().z();
        run.step();
        const double force = run.view().drive_force(c), gained = run.view().momentum().z() - before;
        largest = std::max(largest, std::abs(force));
        ASSERT_NEAR(force, gained / run.view().step_size() + mass * g, 1e-7 * (largest + mass * g)) << n;
    }
    EXPECT_GT(largest, mass * g);
}

// Four bars, a parallelogram whose coupler does not turn, and a cavity on it.
TEST(DemMechanism, LoopsStayClosed)
{
    ModelDescription model("swing");
    model.gravity({0, 0, -g});
    const auto bar = [&](const char* name, Body parent, const Vector& at, const Vector& com, double mass) {
        return model.add({.name = name,
                          .parent = parent,
                          .joint = hinge_y(),
                          .at = at,
                          .mass = mass,
                          .com = com,
                          .inertia = {1e-5, 1e-5, 1e-5}});
    };
    const Body left = bar("left", ground, {0, 0, 0}, {0, 0, -0.05}, 0.01);
    const Body coupler = bar("coupler", left, {0, 0, -0.1}, {0.025, 0, 0}, 0.05);
    const Body right = bar("right", ground, {0.05, 0, 0}, {0, 0, -0.05}, 0.01);
    model.close({.name = "right on coupler",
                 .kind = LoopKind::point_plane,
                 .a = coupler,
                 .point_a = {0.05, 0, 0},
                 .b = right,
                 .point_b = {0, 0, -0.1},
                 .axis = {0, 1, 0}});
    const double start = 0.5;
    for (const auto& [body, angle] : {std::pair{left, start}, {coupler, -start}, {right, start}})
        model.start(body, angle, 0);
    const MaterialId steel = model.add(springy);
    model.attach(coupler, hollow(box(0.02, 0.02, 0.024)), steel, {.p = {0.025, 0, 0}}, "cavity");
    add_balls(model, steel, 3, {0.025 - 0.1 * std::sin(start), 0, -0.1 * std::cos(start)});
    const Model& m = model.finish();
    Dem run(m, {hart_step(m)});
    const double before = run.view().energy(), scale = run.view().model().bodies()[1].mass * g * 0.1;
    double error = 0, moved = 0;
    while (run.view().time() < 0.2) {
        const StepReport report = run.step();
        ASSERT_TRUE(report.loops);
        error = std::max(error, report.loop_error);
        moved = std::max(moved, std::abs(run.view().q(model.coordinate(left)) - start));
    }
    EXPECT_LT(error, 1e-11);
    EXPECT_GT(moved, 0.5);
    EXPECT_NEAR(run.view().rotation(coupler)(0, 2), 0, 1e-10); // it does not turn
    EXPECT_NEAR(before - run.view().energy(), run.view().dissipated().sum(), 1e-3 * scale);
}

// Implicit springs far beyond the step neither diverge nor lose energy.
TEST(DemMechanism, StiffImplicitSpringsKeepTheirAmplitude)
{
    const double start = 1e-4, mass = 4.0 / 3 * pi * density * radius * radius * radius;
    const double h = hart_step(mass, springy.stiffness), omega = 10 / h;
    ModelDescription model("stiff");
    const Body body = model.add({.name = "body", .joint = slide_x(), .mass = 1});
    model.spring(model.coordinate(body), {.stiffness = omega * omega, .treatment = ForceTreatment::implicit});
    add_ball(model, model.add(springy), {0, 0, 1}, {0, 0, 0});
    model.start(body, start, 0);
    Dem run(model.finish(), {h});
    double largest = 0, late = 0;
    for (int n = 0; n < 20000; ++n) {
        run.step();
        const double x = std::abs(run.view().position(body).x());
        largest = std::max(largest, x);
        if (n > 19000) late = std::max(late, x);
    }
    EXPECT_LT(largest, 6 * start); // v lags by half a step
    EXPECT_NEAR(late, largest, 1e-3 * largest);
}

TEST(DemMechanism, BeamCarriesACavity)
{
    ModelDescription model("beam");
    const Body tip =
        model.add({.name = "tip", .joint = free_joint(), .mass = 0.02, .inertia = {1e-6, 1e-6, 1e-6}});
    model.start(tip, 0.1, 0, 0);
    model.start(tip, 0, 1, 2);
    const RectangularSection steel_section{
        .E = 210e9, .nu = 0.3, .rho = 7800, .width = 0.01, .height = 0.001};
    model.beam({.name = "beam",
                .a = model.frame("clamp", ground),
                .b = model.frame("end", tip),
                .section = beam_section(steel_section),
                .elements = 4,
                .y = {0, 0, 1}});
    Material spring = springy;
    spring.restitution = 0;
    spring.form = ContactForm::overlap;
    const MaterialId steel = model.add(spring);
    model.attach(tip, hollow(box(0.008, 0.008, 0.008)), steel, {}, "cavity");
    const GrainId ball = add_ball(model, steel, {0.1, 0, 0}, {0, 0, 0});
    const Model& m = model.finish();
    const double t_end = 0.01;
    const int steps = 2000;
    const auto run = [&](Stepper&& stepper) {
        const View& view = stepper.view();
        const double before = view.energy();
        Vector3d pushed(0, 0, 0);
        for (int n = 0; n < steps; ++n) {
            stepper.step();
            pushed -= t_end / steps * view.contact_force(tip).force;
        }
        EXPECT_NEAR(view.energy() + view.dissipated().sum(), before, 0.01 * before);
        const double gained = m.grains()[0].mass * view.velocity(ball).z();
        EXPECT_GT(std::abs(gained), 1e-4); // it was hit
        EXPECT_NEAR(pushed.z(), gained, 1e-9 * std::abs(gained));
        return view.position(tip).z();
    };
    EXPECT_NEAR(run(Dem(m, {t_end / steps})), run(MoreauJean(m, {.h = t_end / steps, .theta = 0.55})), 2e-5);
}

TEST(DemMechanism, GoesOnToTheSameBitsAndDoesNotAllocate)
{
    Pendulum scene;
    const Memory turns =
        scene.model.memory("turns", 0, [](const View& s, double x) { return x + s.step_size(); });
    const Model& model = scene.model.finish();
    Dem run(model, {hart_step(model)});
    for (int n = 0; n < 3000; ++n) run.step();
    const SavedState saved = run.save();
    Dem again(model, {hart_step(model)});
    again.restore(saved);
    EXPECT_EQ(again.state_hash(), run.state_hash());
    EXPECT_EQ(again.view().drive_force(scene.drive), run.view().drive_force(scene.drive));
    const long before = allocations;
    for (int n = 0; n < 2000; ++n) run.step();
    EXPECT_LT(allocations - before, 10); // lists that grow
    for (int n = 0; n < 2000; ++n) again.step();
    EXPECT_EQ(again.state_hash(), run.state_hash());
    EXPECT_EQ(again.view().dissipated().sum(), run.view().dissipated().sum());
    EXPECT_NEAR(run.view().memory(turns), run.view().time(), 1e-12);
    // Back to a mark, by another way.
    again.keep();
    for (int n = 0; n < 500; ++n) again.step();
    const std::uint64_t hash = again.state_hash();
    again.go_back();
    EXPECT_EQ(again.state_hash(), run.state_hash());
    for (int n = 0; n < 500; ++n) again.step();
    EXPECT_EQ(again.state_hash(), hash);
}

TEST(DemMechanism, SameBitsForAnyNumberOfThreads)
{
    Floating scene(13, {0, 0, -g}); // 2197 balls
    const Model& model = scene.model.finish();
    const auto hash = [&](int threads) {
        Dem run(model, {hart_step(model), FrictionModel::elastic, threads});
        for (int n = 0; n < 20; ++n) run.step();
        return run.state_hash();
    };
    EXPECT_EQ(hash(1), hash(2));
}

TEST(DemMechanism, BodiesThatMayTouchAreRefusedByName)
{
    const auto refusal = [](bool ignore) {
        ModelDescription model("hammer");
        const MaterialId steel = model.add(springy);
        add_ball(model, steel, {0, 0, 1}, {0, 0, 0});
        const Body hammer = model.add({.name = "hammer", .joint = slide_z(), .mass = 1});
        const ShapeId head = model.attach(hammer, box(0.1, 0.1, 0.1), steel, {}, "head");
        const ShapeId floor = model.attach(ground, wall({0, 0, 1}, -1), steel, {}, "floor");
        if (ignore) model.ignore(head, floor);
        return error_of([&] { Dem(model.finish(), {1e-7}); });
    };
    EXPECT_EQ(refusal(true), "");
    const std::string sentence = refusal(false);
    EXPECT_TRUE(contains(sentence, "'head' and 'floor' may touch") && contains(sentence, "model.ignore"))
        << sentence;
}

} // namespace
} // namespace tamis::dem_mechanism_test
