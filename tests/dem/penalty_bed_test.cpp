// Balls on springs and dampers against closed forms and a direct integration of the same equations.
#include "tamis/dem/penalty_bed.hpp"

#include "allocations.hpp"
#include "dem/crowd.hpp"
#include "error_of.hpp"

#include <gtest/gtest.h>

namespace tamis::penalty_bed_test {
namespace {

using Eigen::Vector3d;

BallWall floor_plane()
{
    return {"floor", wall({0, 0, 1}, 0), 0, {}};
}

double effective(double a, double b)
{
    return a * b / (a + b);
}

TEST(PenaltyLaw, RulesForStiffnessAndStep)
{
    const double mass = 7800 * pi / 6 * 27e-9, radius = 1.5e-3; // steel, 3 mm
    EXPECT_NEAR(hart_step(mass, 1.182e6), 1.366e-6, 1e-9);
    // (7) inverts (8): beta s_ref = eta r.
    const double v = 0.6, k = stiffness_for_overlap(mass, radius, v, 3, 0.05);
    EXPECT_NEAR(3 * std::sqrt(mass / k) * v, 0.05 * radius, 1e-15);
    EXPECT_NEAR(pi * std::sqrt(mass / 2 / stiffness_for_duration(mass, 0.1)), 1e-3, 1e-15);
    // (12) has the elastic energy of Hertz: k delta^2 = m' v^2 = (16/15) E' sqrt(R') delta^(5/2), where delta is that
    // of Hertz.
    const double m = mass / 2, R = radius / 2, E = 110e9;
    const double delta = std::pow(15 * m * v * v / (16 * E * std::sqrt(R)), 0.4);
    EXPECT_NEAR(stiffness_of_material(v, m, R, E) / (m * v * v / (delta * delta)), 1, 1e-3);
}

struct Impact {
    double e, duration, overlap, dissipated;
};

// Two balls of different size meet head-on with the speed v.
Impact head_on(const PenaltyLaw& law, double v, double h)
{
    BedOptions options;
    options.h = h;
    const Ball a{.x = {0, 0, 0}, .v = {0.4 * v, 0, 0}, .radius = 0.01, .mass = 0.02},
        b{.x = {0.03 + 0.37 * v * h, 0, 0}, .v = {-0.6 * v, 0, 0}, .radius = 0.02, .mass = 0.05};
    PenaltyBed bed({a, b}, {}, {law}, options);
    Impact out{};
    int steps = 0;
    do {
        bed.step();
        steps += bed.contacts();
        out.overlap = std::max(out.overlap, bed.largest_overlap());
    } while (bed.contacts() > 0 || steps == 0);
    out.e = (bed.velocity(1).x() - bed.velocity(0).x()) / v;
    out.duration = steps * h;
    out.dissipated = bed.dissipated().normal;
    return out;
}

// x'' + 2 zeta w x' + w^2 x = 0 for half a period.
TEST(PenaltyBed, HeadOnImpactIsHalfAPeriodOfTheDampedOscillator)
{
    const double m = effective(0.02, 0.05), k = 1e5, w = std::sqrt(k / m), v = 0.3;
    for (const double e : {1.0, 0.7, 0.3}) {
        const double log_e = std::log(e), zeta = -log_e / std::hypot(pi, log_e),
                     damped = w * std::sqrt(1 - zeta * zeta);
        for (const double wh : {0.05, 0.0125}) {
            const Impact impact = head_on({.stiffness = k, .restitution = e}, v, wh / w);
            EXPECT_NEAR(impact.e, e, wh * (zeta + wh)) << e;
            EXPECT_NEAR(impact.duration, pi / damped, 1.5 * wh / w) << e;
            // The largest overlap is where x' vanishes.
            const double at = std::atan2(std::sqrt(1 - zeta * zeta), zeta);
            const double most = v / w * std::exp(-zeta / std::sqrt(1 - zeta * zeta) * at);
            EXPECT_NEAR(impact.overlap / most, 1, wh) << e;
            // Exactly what the kinetic energy lost.
            EXPECT_NEAR(impact.dissipated, m * v * v / 2 * (1 - impact.e * impact.e), 1e-13 * m * v * v);
        }
    }
}

TEST(PenaltyBed, HertzianImpactHasItsOverlapAndDuration)
{
    const double m = effective(0.02, 0.05), R = effective(0.01, 0.02), E = 1e8, v = 0.3;
    const double most = std::pow(15 * m * v * v / (16 * E * std::sqrt(R)), 0.4), T = 2.9432751 * most / v;
    const Impact elastic = head_on({.stiffness = E, .restitution = 1, .hertz = true}, v, T / 500);
    EXPECT_NEAR(elastic.overlap / most, 1, 1e-3);
    EXPECT_NEAR(elastic.duration, T, 1.5 * T / 500);
    EXPECT_NEAR(elastic.e, 1, 1e-4);
    // Damped by the tangent stiffness, e does not depend on the speed.
    for (const double speed : {0.03, 3.0}) {
        const Impact damped = head_on({.stiffness = E, .restitution = 0.6, .hertz = true}, speed,
                                      T / 500 * std::pow(v / speed, 0.2));
        EXPECT_NEAR(damped.e, 0.6, 5e-3) << speed;
    }
}

// Two equal balls in the plane, by the midpoint rule with a fine step: no class of the library.
struct Oblique {
    double x = 0, y = 0, vx = 0, vy = 0, w = 0; // of b against a; the spin of each ball, which are equal
};
Oblique oblique_directly(Oblique s, const PenaltyLaw& law, double radius, double mass, double h, int steps)
{
    const double m = mass / 2, inertia = 0.4 * mass * radius * radius, log_e = std::log(law.restitution);
    const double c = -2 * log_e / std::hypot(pi, log_e) * std::sqrt(law.stiffness * m);
    const double k_T = law.shear_ratio * law.stiffness, c_T = law.shear_ratio * c;
    double u = 0; // along t
    for (int i = 0; i < steps; ++i) {
        const Oblique start = s;
        Oblique at = s;
        double u_next = u;
        for (const double part : {0.5, 1.0}) {
            const double d = std::hypot(at.x, at.y), nx = at.x / d, ny = at.y / d, tx = -ny, ty = nx;
            const double delta = 2 * radius - d, v_n = at.vx * nx + at.vy * ny;
            double f_N = 0, f_T = 0;
            if (delta > 0) {
                const double v_t = at.vx * tx + at.vy * ty - 2 * (radius - delta / 2) * at.w;
                f_N = law.stiffness * delta - c * v_n;
                u_next = u + part * h * v_t;
                f_T = -k_T * u_next - c_T * v_t;
                if (std::abs(f_T) > law.friction * std::abs(f_N)) {
                    f_T = -std::copysign(law.friction * std::abs(f_N), v_t);
                    u_next = (-f_T - c_T * v_t) / k_T;
                }
            } else
                u_next = 0;
            s.x = start.x + part * h * at.vx;
            s.y = start.y + part * h * at.vy;
            s.vx = start.vx + part * h / m * (f_N * nx + f_T * tx);
            s.vy = start.vy + part * h / m * (f_N * ny + f_T * ty);
            s.w = start.w - part * h / inertia * (radius - delta / 2) * f_T;
            at = s;
        }
        u = u_next;
    }
    return s;
}

TEST(PenaltyBed, ObliqueImpactConvergesToADirectIntegration)
{
    const double radius = 0.01, mass = 0.03, w = std::sqrt(2e5 / (mass / 2));
    const PenaltyLaw law{.stiffness = 2e5, .shear_ratio = 0.6, .restitution = 0.8, .friction = 0.4};
    for (const double slope : {0.2, 1.0, 3.0}) { // sticks, sticks and slides, slides
        const Oblique start{0.02 + 1e-6, 0, -0.5, 0.5 * slope, 1.0};
        const double T = 5 / w;
        const int fine = 200000;
        const Oblique exact = oblique_directly(start, law, radius, mass, T / fine, fine);
        double last = 0;
        for (const int steps : {500, 2000}) {
            BedOptions options;
            options.h = T / steps;
            const Ball a{.v = {0.25, -0.25 * slope, 0}, .omega = {0, 0, 1}, .radius = radius, .mass = mass},
                b{.x = {start.x, 0, 0},
                  .v = {-0.25, 0.25 * slope, 0},
                  .omega = {0, 0, 1},
                  .radius = radius,
                  .mass = mass};
            PenaltyBed bed({a, b}, {}, {law}, options);
            for (int i = 0; i < steps; ++i) bed.step();
            const Vector3d v = bed.velocity(1) - bed.velocity(0);
            const double error = std::hypot(v.x() - exact.vx, v.y() - exact.vy) +
                                 radius * std::abs(bed.angular_velocity(1).z() - exact.w);
            EXPECT_LT(error, 2 * w * options.h * 0.5) << slope;
            EXPECT_NEAR(bed.angular_velocity(0).z(), bed.angular_velocity(1).z(), 1e-12);
            if (last > 0) { // a quarter, of first order
                EXPECT_LT(error, 0.5 * last) << slope;
            }
            last = error;
        }
    }
}

TEST(PenaltyBed, BallAtRestOverlapsByItsWeightOverTheStiffness)
{
    const double mass = 0.1, k = 1e4;
    BedOptions options{.h = hart_step(mass, k), .gravity = {0, 0, -g}};
    PenaltyBed bed({{.x = {0, 0, 0.05}, .radius = 0.05, .mass = mass}}, {floor_plane()},
                   {{.stiffness = k, .restitution = 0.2}}, options);
    for (int i = 0; i < 5000; ++i) bed.step();
    EXPECT_NEAR(bed.largest_overlap(), mass * g / k, 1e-9 * mass * g / k);
    EXPECT_NEAR(bed.wall_wrench(0).force.z(), -mass * g, 1e-9 * mass * g);
    EXPECT_NEAR(bed.spring_energy(), mass * g * mass * g / k / 2, 1e-8 * mass * g * mass * g / k);
}

// A ball that starts to slide rolls after 2 v / (7 mu g), with 5/7 of its speed.
TEST(PenaltyBed, SlidingBallComesToRoll)
{
    const double mass = 0.1, k = 1e6, radius = 0.05, v = 0.5, mu = 0.3, t = 2 * v / (7 * mu * g);
    for (const FrictionModel model : {FrictionModel::directional, FrictionModel::elastic}) {
        BedOptions options{.h = hart_step(mass, k), .gravity = {0, 0, -g}, .friction = model};
        const Ball ball{.x = {0, 0, radius - mass * g / k}, .v = {v, 0, 0}, .radius = radius, .mass = mass};
        PenaltyBed bed({ball}, {floor_plane()}, {{.stiffness = k, .restitution = 0.5, .friction = mu}},
                       options);
        const int steps = static_cast<int>(t / options.h);
        for (int i = 0; i < steps / 2; ++i) bed.step();
        EXPECT_NEAR(bed.velocity(0).x(), v - mu * g * steps / 2 * options.h, 2e-4 * v);
        EXPECT_NEAR(bed.wall_wrench(0).force.x(), mu * mass * g, 1e-6 * mass * g);
        for (int i = 0; i < steps; ++i) bed.step();
        EXPECT_NEAR(bed.velocity(0).x(), 5.0 / 7 * v, 2e-4 * v);
        EXPECT_NEAR(bed.angular_velocity(0).y() * radius, bed.velocity(0).x(), 2e-4 * v);
        EXPECT_NEAR(bed.dissipated().friction, mass * v * v / 7, 1e-3 * mass * v * v / 7);
    }
}

// v' = -(5/7) b g / r with the offset b of the normal force; then it stays.
TEST(PenaltyBed, RollingResistanceBringsABallToRest)
{
    const double mass = 0.1, k = 1e6, radius = 0.05, v = 0.1, b = 2e-3, slowing = 5.0 / 7 * b * g / radius;
    for (const FrictionModel model : {FrictionModel::directional, FrictionModel::elastic}) {
        BedOptions options{.h = hart_step(mass, k), .gravity = {0, 0, -g}, .friction = model};
        const Ball ball{.x = {0, 0, radius - mass * g / k},
                        .v = {v, 0, 0},
                        .omega = {0, v / radius, 0},
                        .radius = radius,
                        .mass = mass};
        PenaltyBed bed({ball}, {floor_plane()},
                       {{.stiffness = k, .restitution = 0.5, .friction = 0.5, .rolling = b}}, options);
        const int steps = static_cast<int>(1.2 * v / slowing / options.h);
        for (int i = 0; i < steps; ++i) bed.step();
        EXPECT_NEAR(bed.position(0).x(), v * v / (2 * slowing), 2e-3 * v * v / (2 * slowing));
        EXPECT_NEAR(bed.velocity(0).x(), 0, 1e-4 * v);
        EXPECT_NEAR(bed.dissipated().rolling, 0.7 * mass * v * v, 2e-3 * mass * v * v);
    }
}

TEST(PenaltyBed, MomentumIsKeptToRoundOff)
{
    BedOptions options{.h = 5e-6};
    std::vector<Ball> balls = crowd(6, 0.0102, 0.5);
    for (Ball& b : balls) b.v -= 10 * b.x; // towards each other
    PenaltyBed bed(balls, {}, two_materials(1e-5), options);
    const auto angular = [&] {
        Vector3d L(0, 0, 0);
        for (int i = 0; i < bed.count(); ++i)
            L += balls[i].mass * (bed.position(i).cross(bed.velocity(i)) +
                                  0.4 * balls[i].radius * balls[i].radius * bed.angular_velocity(i));
        return L;
    };
    const Vector3d p = bed.momentum(), L = angular();
    double scale = 0;
    for (const Ball& b : balls) scale += b.mass * b.v.norm();
    int contacts = 0;
    for (int i = 0; i < 2000; ++i) {
        bed.step();
        contacts += bed.contacts();
        EXPECT_LT(bed.momentum_error(), 1e-12);
    }
    EXPECT_GT(contacts, 1000);
    EXPECT_LT((bed.momentum() - p).norm(), 1e-13 * scale);
    EXPECT_LT((angular() - L).norm(), 1e-12 * scale * 0.03); // the forces of a step act at its start
}

// Energy of balls, gravity and springs, and what was dissipated, is what the walls gave.
TEST(PenaltyBed, EnergyBalanceOfAShakenBoxCloses)
{
    for (const FrictionModel model : {FrictionModel::directional, FrictionModel::elastic}) {
        BedOptions options{.h = 5e-6, .gravity = {0, 0, -g}, .friction = model};
        std::vector<BallWall> walls = shaken_box();
        walls[0].motion = shaking(0)[0];
        PenaltyBed bed(crowd(6, 0.0102, 0), walls, two_materials(1e-5), options);
        double mass = 0;
        for (const Ball& b : crowd(6, 0.0102, 0)) mass += b.mass;
        const auto energy = [&] {
            return bed.kinetic_energy() + bed.spring_energy() + mass * g * bed.centre_of_mass().z();
        };
        const double before = energy();
        shake(bed, 0, 40000, options.h);
        const Dissipation lost = bed.dissipated();
        EXPECT_GT(lost.normal, 0.05 * bed.wall_work());
        EXPECT_GT(lost.friction, 0.05 * bed.wall_work());
        EXPECT_GT(lost.rolling, 0);
        EXPECT_GT(bed.granular_temperature(), 0);
        EXPECT_NEAR(energy() - before + lost.normal + lost.friction + lost.rolling, bed.wall_work(),
                    1e-3 * bed.wall_work());
    }
}

// Steel balls of 3 mm in a cylinder of 25 mm that is shaken at 10 Hz and 10 mm along its axis (Biondani et al.),
// softer.
TEST(PenaltyBed, EnergyBalanceOfAShakenCylinderCloses)
{
    const double d = 3e-3, size = 25e-3, mass = 7800 * pi / 6 * d * d * d, k = 1e4, w = 2 * pi * 10;
    std::vector<Ball> balls;
    for (int i = 0; i < 150; ++i)
        balls.push_back({.x = 1.1 * d * Vector3d(i % 5 - 2 + 0.03 * std::sin(i), i / 5 % 5 - 2, i / 25 + 0.5),
                         .radius = d / 2,
                         .mass = mass}); // not in columns
    const BallWall container{
        "container", hollow(cylinder(size / 2, size)), 0, {.pose = {.p = {0, 0, size / 2}}}};
    const PenaltyLaw law{
        .stiffness = k, .shear_ratio = 2.0 / 7, .restitution = 0.7, .friction = 0.3, .rolling = 1e-6};
    PenaltyBed bed(balls, {container}, {law}, {.h = hart_step(mass, k), .gravity = {0, 0, -g}});
    const auto energy = [&] {
        return bed.kinetic_energy() + bed.spring_energy() + bed.count() * mass * g * bed.centre_of_mass().z();
    };
    const double before = energy(), h = hart_step(mass, k);
    std::vector<BodyMotion> next(bed.walls().begin(), bed.walls().end());
    for (int i = 1; i * h < 0.25; ++i) {
        next[0].pose.p.z() = size / 2 + 10e-3 * std::sin(w * i * h);
        next[0].velocity.z() = 10e-3 * w * std::cos(w * i * h);
        bed.step(next);
    }
    const Dissipation lost = bed.dissipated();
    EXPECT_GT(bed.wall_work(), 2 * bed.kinetic_energy());
    for (const double part : {lost.normal, lost.friction, lost.rolling}) EXPECT_GT(part, 1e-3 * lost.sum());
    EXPECT_NEAR(energy() - before + lost.sum(), bed.wall_work(), 1e-3 * bed.wall_work());
}

TEST(PenaltyBed, InertiaIsThatOfTheBallsAboutTheirCentreOfMass)
{
    const std::vector<Ball> balls = crowd(4, 0.0102, 1);
    PenaltyBed bed(balls, {}, two_materials(), {.h = 1e-6});
    const Vector3d c = bed.centre_of_mass(), axis = Vector3d(1, 2, -3).normalized();
    double about_axis = 0, trace = 0;
    for (const Ball& b : balls) {
        const Vector3d r = b.x - c;
        about_axis += b.mass * (r.cross(axis).squaredNorm() + 0.4 * b.radius * b.radius);
        trace += b.mass * (2 * r.squaredNorm() + 1.2 * b.radius * b.radius);
    }
    EXPECT_NEAR(axis.dot(bed.inertia() * axis), about_axis, 1e-13 * about_axis);
    EXPECT_NEAR(bed.inertia().trace(), trace, 1e-13 * trace);
    EXPECT_EQ(bed.inertia(), bed.inertia().transpose());
}

// A piston on balls in a tube, moved by its weight and by what they push. With the weight at the end of each step, what
// is kept is E - (h / 2) g p.
TEST(PenaltyBed, WallIsAcceleratedByWhatTheBallsPush)
{
    BedOptions options{.h = 5e-6, .gravity = {0, 0, -g}};
    std::vector<BallWall> walls{{"piston", box(0.1, 0.1, 0.02), 0, {}},
                                {"sides", hollow(cylinder(0.04, 1)), 0, {}},
                                {"floor", wall({0, 0, 1}, -0.03), 0, {}}};
    walls[0].motion.pose.p = {0, 0, 0.06};
    PenaltyBed bed(crowd(5, 0.0102, 0.3), walls, two_materials(1e-5), options);
    const double piston = 0.2;
    double mass = piston;
    for (const Ball& b : crowd(5, 0.0102, 0)) mass += b.mass;
    std::vector<BodyMotion> next(bed.walls().begin(), bed.walls().end());
    const auto energy = [&] {
        const double v = next[0].velocity.z();
        return bed.kinetic_energy() + bed.spring_energy() + piston * v * v / 2 +
               g * (piston * next[0].pose.p.z() + (mass - piston) * bed.centre_of_mass().z()) -
               options.h / 2 * g * (bed.momentum().z() + piston * v);
    };
    const double before = energy();
    double p = bed.momentum().z(), pushed = 0, scale = 0;
    for (int i = 0; i < 20000; ++i) {
        bed.forces();
        const double force = bed.wall_wrench(0).force.z();
        pushed = std::max(pushed, force);
        scale += options.h * (std::abs(force) + mass * g);
        p -= options.h * (mass * g + bed.wall_wrench(1).force.z() + bed.wall_wrench(2).force.z());
        next[0].velocity.z() += options.h * (force / piston - g);
        next[0].pose.p.z() += options.h * next[0].velocity.z();
        bed.advance(next);
    }
    EXPECT_GT(pushed, 5 * piston * g);
    EXPECT_NEAR(bed.momentum().z() + piston * next[0].velocity.z(), p, 1e-12 * scale);
    const double lost = before - energy();
    EXPECT_GT(lost, 0.5 * piston * g * 0.03); // much of what the piston had
    EXPECT_NEAR(bed.dissipated().sum(), lost, 1e-9 * lost);
}

TEST(PenaltyBed, ListsMissNoContact)
{
    BedOptions options{.h = 5e-6, .gravity = {0, 0, -g}};
    std::vector<BallWall> walls = shaken_box();
    walls[0].motion = shaking(0)[0];
    const std::vector<Ball> balls = crowd(6, 0.0102, 1);
    PenaltyBed bed(balls, walls, two_materials(), options);
    int touching = 0;
    for (int i = 0; i < 60; ++i) {
        shake(bed, 100 * i, 100 * (i + 1), options.h);
        std::vector<std::pair<int, int>> found, expected;
        bed.visit([&](const PenaltyBed::Contact& c) {
            found.emplace_back(std::min(c.a, c.b), std::max(c.a, c.b));
        });
        for (int a = 0; a < bed.count(); ++a) {
            for (int b = a + 1; b < bed.count(); ++b)
                if ((bed.position(a) - bed.position(b)).norm() < balls[a].radius + balls[b].radius)
                    expected.emplace_back(a, b);
            const Pose& pose = bed.walls()[0].pose;
            const Vector3d x = (pose.R.transpose() * (bed.position(a) - pose.p)).cwiseAbs();
            for (int k = 0; k < 3; ++k)
                if (x[k] + balls[a].radius > (k == 2 ? 0.045 : 0.04)) expected.emplace_back(-1, a);
        }
        std::sort(found.begin(), found.end());
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(found, expected) << i;
        touching += static_cast<int>(found.size());
    }
    EXPECT_GT(touching, 1000);
}

// Without friction and damping, a ball keeps its energy between impacts and never leaves.
TEST(PenaltyBed, BallBouncesInEveryContainer)
{
    const double radius = 0.01, mass = 0.03, k = 1e6, h = hart_step(mass, k, 0.02);
    for (const Shape& cavity :
         {sphere(0.05), box(0.1, 0.08, 0.06), cylinder(0.04, 0.1), capsule(0.03, 0.06)}) {
        const WallSurface::Kind inside = WallSurface::Kind::inside;
        std::vector<WallSurface> surfaces;
        add_surfaces(hollow(cavity), 0, "", surfaces);
        BallWall container{"container", hollow(cavity), 0, {}};
        container.motion.pose = {Eigen::AngleAxisd(0.7, Vector3d(1, 2, 3).normalized()).toRotationMatrix(),
                                 {1, 2, 3}};
        PenaltyBed bed({{.x = {1, 2, 3}, .v = {0.9, 0.4, 0.7}, .radius = radius, .mass = mass}}, {container},
                       {{.stiffness = k, .restitution = 1}}, {.h = h});
        const double K = bed.kinetic_energy(), deepest = std::sqrt(2 * K / k);
        int impacts = 0;
        for (int i = 0; i < 400000; ++i) {
            const bool before = bed.contacts() > 0;
            bed.step();
            impacts += !before && bed.contacts() > 0;
            ASSERT_LT(bed.largest_overlap(), 1.01 * deepest);
        }
        EXPECT_GT(impacts, 5);
        EXPECT_NEAR(bed.kinetic_energy() + bed.spring_energy(), K, 1e-2 * K) << surfaces.size();
        EXPECT_EQ(std::any_of(surfaces.begin(), surfaces.end(), [&](auto& s) { return s.kind == inside; }),
                  surfaces.size() != 6);
    }
}

TEST(WallSurface, DistancesFromSolids)
{
    std::vector<WallSurface> s;
    add_surfaces(box(2, 4, 6), 0, "", s);
    add_surfaces(cylinder(1, 4), 1, "", s);
    add_surfaces(capsule(1, 4), 2, "", s);
    add_surfaces(sphere(2), 3, "", s);
    ASSERT_EQ(s.size(), 4u);
    EXPECT_NEAR(distance(s[0], {4, 6, 0}).distance, 5, 1e-15); // 3, 4 beyond the edge
    EXPECT_NEAR((distance(s[0], {4, 6, 0}).normal - Vector3d(0.6, 0.8, 0)).norm(), 0, 1e-15);
    EXPECT_NEAR(distance(s[0], {0.5, 0, 0}).distance, -0.5, 1e-15);
    EXPECT_NEAR(distance(s[1], {0, 4, 6}).distance, 5, 1e-15); // beyond the rim
    EXPECT_NEAR((distance(s[1], {0, 4, 6}).normal - Vector3d(0, 0.6, 0.8)).norm(), 0, 1e-15);
    EXPECT_NEAR(distance(s[1], {0, 0, -1.9}).distance, -0.1, 1e-15);
    EXPECT_NEAR(distance(s[2], {3, 0, 6}).distance, 4, 1e-15);
    EXPECT_NEAR(distance(s[3], {0, 0, 3}).distance, 1, 1e-15);
}

// But for lists that grow, which happens less and less often.
TEST(PenaltyBed, StepsDoNotAllocate)
{
    BedOptions options{.h = 5e-6, .gravity = {0, 0, -g}};
    std::vector<BallWall> walls = shaken_box();
    PenaltyBed bed(crowd(6, 0.0102, 0.3), walls, two_materials(), options);
    for (int i = 0; i < 20000; ++i) bed.step();
    const long before = allocations, sorts = bed.sorts();
    for (int i = 0; i < 5000; ++i) bed.step();
    EXPECT_LT(allocations - before, 5);
    EXPECT_GT(bed.sorts(), sorts + 5);
}

TEST(PenaltyBed, RefusesWhatItCannotStep)
{
    const Ball ball{.radius = 0.01, .mass = 1};
    const auto make = [](const Ball& b, const std::vector<BallWall>& walls, double h) {
        return error_of([&] { PenaltyBed({b}, walls, {{.stiffness = 1e4}}, {.h = h}); });
    };
    EXPECT_EQ(make(ball, {}, 1e-5), "");
    EXPECT_TRUE(contains(make(ball, {}, 0), "step size"));
    Ball wrong = ball;
    wrong.mass = 0;
    EXPECT_TRUE(contains(make(wrong, {}, 1e-5), "Ball 0"));
    const Shape stone = polyhedron({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    const std::string sentence = make(ball, {{"stone", stone, 0, {}}}, 1e-5);
    EXPECT_TRUE(contains(sentence, "'stone' is a polyhedron")) << sentence;
    // Far beyond Hart's step.
    Ball other = ball;
    other.x = {0.019, 0, 0};
    EXPECT_TRUE(contains(error_of([&] {
                             PenaltyBed bed({ball, other}, {}, {{.stiffness = 1e30}}, {.h = 1e300});
                             for (int i = 0; i < 10; ++i) bed.step();
                         }),
                         "diverged"));
}

} // namespace
} // namespace tamis::penalty_bed_test
