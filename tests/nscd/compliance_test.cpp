// Compliant contacts against closed forms and direct integrations of the same springs.
#include "error_of.hpp"
#include "nscd/grain_scenes.hpp"

#include <numbers>
#include <random>

namespace tamis::compliance_test {
namespace {

using namespace scenes;
using std::numbers::pi;

constexpr ContactForm forms[] = {ContactForm::rate, ContactForm::overlap};

double density_for(double mass, double radius)
{
    return mass / (4.0 / 3 * pi * radius * radius * radius);
}

class Compliant : public AtEveryScale {};

// A ball that is laid on the floor without load sinks by F/k.
TEST_P(Compliant, BallAtRestOverlapsByItsWeightOverTheStiffness)
{
    for (const ContactForm form : forms) {
        const double mass = 2 * s * s * s, radius = 0.1 * s, sag = 1e-4 * s, k = mass * g / sag;
        ModelDescription model("ball");
        model.gravity({0, 0, -g});
        const MaterialId soft =
            model.add(Material{.stiffness = k, .damping = 0.3 * std::sqrt(sag / g), .form = form});
        model.grain({.shape = sphere(radius),
                     .material = soft,
                     .density = density_for(mass, radius),
                     .at = {.p = {0, 0, radius}}});
        model.attach(ground, wall({0, 0, 1}, 0), soft);
        MoreauJean run(model.finish(), with_step(0.05 * std::sqrt(sag / g)));
        advance(run, 4000);
        const double overlap = radius - run.view().position(GrainId{0}).z();
        EXPECT_NEAR(overlap / sag, 1, form == ContactForm::rate ? 2e-2 : 1e-8) << static_cast<int>(form);
        EXPECT_NEAR(run.view().contacts()[0].impulse[0], mass * g * run.options().h,
                    1e-8 * mass * g * run.options().h);
        EXPECT_NEAR(run.view().contact_energy(), mass * g * sag / 2, 1e-6 * mass * g * sag);
    }
}

// x'' = w^2 (1 - x - tau x'), from rest at x = 0.
double sinking(double w, double tau, double t)
{
    const double decay = w * w * tau / 2, damped = std::sqrt(w * w - decay * decay);
    return 1 - std::exp(-decay * t) * (std::cos(damped * t) + decay / damped * std::sin(damped * t));
}

// A ball that is laid on the floor swings about that overlap, at sqrt(k/m), to first order in h.
TEST_P(Compliant, BallSwingsOnItsSpringAsInClosedForm)
{
    for (const ContactForm form : forms)
        for (const double part : {0.0, 0.2}) {
            const double mass = 2 * s * s * s, radius = 0.1 * s, sag = 1e-4 * s, w = std::sqrt(g / sag),
                         tau = part / w, t_end = 1.7 * pi / w;
            const auto error = [&](int steps) {
                ModelDescription model("ball");
                model.gravity({0, 0, -g});
                const MaterialId soft =
                    model.add(Material{.stiffness = mass * g / sag, .damping = tau, .form = form});
                const GrainId ball = model.grain({.shape = sphere(radius),
                                                  .material = soft,
                                                  .density = density_for(mass, radius),
                                                  .at = {.p = {0, 0, radius}}});
                model.attach(ground, wall({0, 0, 1}, 0), soft);
                MoreauJean run(model.finish(), with_step(t_end / steps));
                advance(run, steps);
                return std::abs((radius - run.view().position(ball).z()) / sag - sinking(w, tau, t_end));
            };
            const double coarse = error(2000), fine = error(4000);
            EXPECT_LT(fine, 6e-3) << static_cast<int>(form) << " " << part;
            EXPECT_NEAR(std::log2(coarse / fine), 1, 0.1) << static_cast<int>(form) << " " << part;
        }
}

INSTANTIATE_TEST_SUITE_P(Scales, Compliant, scales());

// A rod on a hinge, moved by nothing but its weight, whose end lies on the floor: w = L sqrt(k / I), and half of the
// weight is on the spring.
TEST(Compliance, HingedRodSwingsOnTheSpringAtItsEnd)
{
    constexpr double mass = 3, length = 0.8, k = 2e6, sag = mass * g / (2 * k), tau = 2e-4;
    const double central = mass * length * length / 12, w = std::sqrt(k * 3 / mass), t_end = 1.7 * pi / w;
    for (const ContactForm form : forms) {
        const auto error = [&](int steps) {
            ModelDescription model("rod");
            model.gravity({0, 0, -g});
            const MaterialId soft = model.add(Material{.stiffness = k, .damping = tau, .form = form});
            const Body rod = model.add({.name = "rod",
                                        .joint = hinge_y(),
                                        .mass = mass,
                                        .com = {length / 2, 0, 0},
                                        .inertia = {1, central, 1}});
            model.attach(rod, sphere(0.05), soft, {.p = {length, 0, 0}});
            model.attach(ground, wall({0, 0, 1}, -0.05), soft);
            MoreauJean run(model.finish(), with_step(t_end / steps));
            advance(run, steps);
            return std::abs(run.view().q(model.coordinate(rod)) * length / sag - sinking(w, tau, t_end));
        };
        const double coarse = error(2000), fine = error(4000);
        EXPECT_LT(fine, 6e-3) << static_cast<int>(form);
        EXPECT_NEAR(std::log2(coarse / fine), 1, 0.1) << static_cast<int>(form);
    }
}

// Whatever the springs do meanwhile: by the momenta about the point of contact, a rolling ball loses 5/7 g l / R of its
// speed in a second, as a rigid one does.
TEST(Compliance, RollingResistanceSlowsABallOnSpringsAsOnARigidFloor)
{
    constexpr double radius = 0.1, mass = 2, sag = 1e-5, k = mass * g / sag, arm = 1e-3, t_end = 0.2;
    for (const ContactForm form : forms) {
        ModelDescription model("ball");
        model.gravity({0, 0, -g});
        const MaterialId soft = model.add(
            Material{.friction = 0.5, .rolling = arm, .stiffness = k, .damping = 4e-4, .form = form});
        const GrainId ball = model.grain({.shape = sphere(radius),
                                          .material = soft,
                                          .density = density_for(mass, radius),
                                          .at = {.p = {0, 0, radius}},
                                          .velocity = {0.5, 0, 0},
                                          .angular_velocity = {0, 5, 0}});
        model.attach(ground, wall({0, 0, 1}, 0), soft);
        MoreauJean run(model.finish(), with_step(1e-4));
        advance(run, static_cast<int>(std::lround(t_end / 1e-4)));
        const double lost = 5.0 / 7 * g * arm / radius * t_end;
        EXPECT_NEAR(run.view().velocity(ball).x(), 0.5 - lost, 2e-3 * lost) << static_cast<int>(form);
        EXPECT_NEAR(angular_velocity(run, ball).y() * radius, 0.5 - lost, 1e-2 * lost);
    }
}

// x'' = -w^2 (x + tau x'), from x = 0 with speed v.
double oscillation(double w, double tau, double v, double t)
{
    const double decay = w * w * tau / 2, damped = std::sqrt(w * w - decay * decay);
    return v / damped * std::exp(-decay * t) * std::sin(damped * t);
}

// A mass on the spring normal to the floor, and on that along it, swings as in closed form, to first order in h.
TEST(Compliance, BlockSwingsOnItsSpringsAsInClosedForm)
{
    constexpr double mass = 2, k = 8e4, ratio = 0.6, v = 0.01;
    for (const double tau : {0.0, 2e-3})
        for (const bool along : {false, true}) {
            const double w = std::sqrt(k * (along ? ratio : 1) / mass), t_end = 2.3 * pi / w;
            const auto error = [&](int steps) {
                ModelDescription model("block");
                model.gravity({0, 0, -g});
                const Body block =
                    model.add({.name = "block", .joint = planar_y(), .mass = mass, .inertia = {1, 1e9, 1}});
                const MaterialId soft = model.add(Material{.friction = 0.9,
                                                           .stiffness = k,
                                                           .shear_ratio = ratio,
                                                           .damping = tau,
                                                           .form = ContactForm::overlap});
                model.attach(block, sphere(0.1), soft);
                model.attach(ground, wall({0, 0, 1}, -0.1), soft);
                model.start(block, 0, along ? v : 0, 0);
                model.start(block, -mass * g / k, along ? 0 : v, 1); // where its weight is carried
                MoreauJean run(model.finish(), with_step(t_end / steps));
                advance(run, steps);
                const double x =
                    run.view().q(model.coordinate(block, along ? 0 : 1)) + (along ? 0 : mass * g / k);
                return std::abs(x - oscillation(w, tau, v, t_end));
            };
            const double coarse = error(2000), fine = error(4000);
            EXPECT_LT(fine, 6e-3 * v / w) << along << " " << tau;
            EXPECT_NEAR(std::log2(coarse / fine), 1, 0.1) << along << " " << tau;
        }
}

// A ball that hits the floor obliquely, by explicit steps so small that they do not matter: the law of penalty methods.
struct Impact {
    double v_x, v_z, omega; // after it; omega about y
};
Impact penalty_impact(double mass, double radius, double k, double ratio, double tau, double mu, double v_x,
                      double v_z, double omega)
{
    const double h = 2e-5 * std::sqrt(mass / k), inertia = 0.4 * mass * radius * radius;
    double overlap = 0, spring = 0; // along x: the spring's force
    do {
        const double arm = radius - overlap / 2; // forces act in the middle between the surfaces
        const double f_n = std::max(k * overlap - k * tau * v_z, 0.0), slip = v_x - arm * omega,
                     k_t = ratio * k;
        double f_t = spring - k_t * tau * slip;
        const bool slides = std::abs(f_t) > mu * f_n;
        if (slides) f_t = std::copysign(mu * f_n, f_t);
        // The spring behind a slider relaxes through its damper.
        spring = slides ? (tau > 0 ? spring + h / tau * (f_t - spring) : f_t) : spring - h * k_t * slip;
        v_z += h * f_n / mass;
        v_x += h * f_t / mass;
        omega -= h * arm * f_t / inertia;
        overlap -= h * v_z;
    } while (overlap > 0);
    return {v_x, v_z, omega};
}

TEST(Compliance, ObliqueImpactTendsToThatOfThePenaltyMethod)
{
    constexpr double mass = 0.3, radius = 0.05, k = 5e4;
    for (const ContactForm form : forms)
        for (const double ratio : {1.0, 2.0 / 7})
            for (const double v_x : {0.05, 0.4, 3.0}) { // sticks, sticks and slides, slides
                const double mu = 0.3;
                const Impact expected = penalty_impact(mass, radius, k, ratio, 0, mu, v_x, -1, 0);
                const auto impact = [&](double h) {
                    ModelDescription model("ball");
                    const MaterialId m = model.add(
                        Material{.friction = mu, .stiffness = k, .shear_ratio = ratio, .form = form});
                    model.grain({.shape = sphere(radius),
                                 .material = m,
                                 .density = density_for(mass, radius),
                                 .at = {.p = {0, 0, radius}},
                                 .velocity = {v_x, 0, -1}});
                    model.attach(ground, wall({0, 0, 1}, 0), m);
                    MoreauJean run(model.finish(), with_step(h));
                    advance(run, static_cast<int>(3 * pi * std::sqrt(mass / k) / h));
                    const Vector3d v = run.view().velocity(GrainId{0});
                    return Vector3d(v.x() - expected.v_x, v.z() - expected.v_z,
                                    radius * (angular_velocity(run, GrainId{0}).y() - expected.omega))
                        .norm();
                };
                const double h = 4e-3 * std::sqrt(mass / k), coarse = impact(h), fine = impact(h / 4);
                EXPECT_LT(fine, 4e-3) << static_cast<int>(form) << " " << ratio << " " << v_x;
                EXPECT_LT(fine, 0.4 * coarse) << static_cast<int>(form) << " " << ratio << " " << v_x;
            }
}

// A bounce has the coefficient of restitution that its damping was derived from, in the limit of small steps. A spring
// and damper that let go before they pull (as here) bounce a little higher.
TEST(Compliance, DampingFollowsFromRestitution)
{
    constexpr double mass = 0.3, radius = 0.05, k = 5e4;
    for (const double e : {0.3, 0.6, 0.9}) {
        ModelDescription model("ball");
        const MaterialId m =
            model.add(Material{.restitution = e, .stiffness = k, .form = ContactForm::overlap});
        model.grain({.shape = sphere(radius),
                     .material = m,
                     .density = density_for(mass, radius),
                     .at = {.p = {0, 0, radius}},
                     .velocity = {0, 0, -1}});
        model.attach(ground, wall({0, 0, 1}, 0), m);
        const double h = 2e-4 * std::sqrt(mass / k);
        MoreauJean run(model.finish(), with_step(h));
        advance(run, static_cast<int>(4 * std::sqrt(mass / k) / h));
        const double zeta = -std::log(e) / std::hypot(pi, std::log(e));
        const double expected =
            penalty_impact(mass, radius, k, 1, 2 * zeta * std::sqrt(mass / k), 0, 0, -1, 0).v_z;
        EXPECT_NEAR(run.view().velocity(GrainId{0}).z(), expected, 2e-3) << e;
        EXPECT_NEAR(expected, e, 0.12) << e;
    }
}

// Newton's cradle with springs between its balls: not one ball flies off but a wave arrives.
TEST(Compliance, CradleTendsToTheWaveInAChainOfSprings)
{
    constexpr int n = 5;
    constexpr double mass = 1, radius = 0.5, k = 1e4, t_end = 0.1;
    std::array<double, n> x{}, v{1}; // direct integration
    const double step = 1e-7;
    for (long j = 0; j < std::lround(t_end / step); ++j) {
        std::array<double, n> force{};
        for (int i = 0; i + 1 < n; ++i) {
            const double f = k * std::max(x[i] - x[i + 1], 0.0);
            force[i] -= f;
            force[i + 1] += f;
        }
        for (int i = 0; i < n; ++i) x[i] += step * (v[i] += step * force[i] / mass);
    }
    for (const ContactForm form : forms) {
        const auto error = [&](double h) {
            ModelDescription model("cradle");
            const MaterialId m = model.add(Material{.stiffness = k, .form = form});
            for (int i = 0; i < n; ++i)
                model.grain({.shape = sphere(radius),
                             .material = m,
                             .density = density_for(mass, radius),
                             .at = {.p = {2 * radius * i, 0, 0}},
                             .velocity = {i == 0 ? 1.0 : 0.0, 0, 0}});
            MoreauJean run(model.finish(), with_step(h));
            advance(run, static_cast<int>(std::lround(t_end / h)));
            double sum = 0;
            for (int i = 0; i < n; ++i) sum += std::abs(run.view().velocity(GrainId{i}).x() - v[i]);
            return sum;
        };
        const double coarse = error(2e-5), fine = error(5e-6);
        EXPECT_LT(fine, 2e-2) << static_cast<int>(form);
        EXPECT_LT(fine, 0.4 * coarse) << static_cast<int>(form);
    }
    EXPECT_GT(std::abs(v[3]), 0.05); // more than one ball moves: unlike rigid ones
}

// A ball between two plates that close, inside the friction angle: no rigid solution, a finite force that grows with k.
TEST(Compliance, WedgedBallHasAForceThatGrowsWithTheStiffness)
{
    double before = 0;
    for (const double k : {1e4, 1e5, 1e6}) {
        ModelDescription model("wedge");
        const MaterialId m =
            model.add(Material{.friction = 0.8, .stiffness = k, .form = ContactForm::overlap});
        const Body plate = model.add({.name = "plate", .joint = slide_z(), .mass = 1});
        model.attach(plate, wall({0, 0, -1}, -0.2), m);
        model.attach(ground, wall({0, 0, 1}, 0), m);
        constexpr double speed = -0.01;
        model.drive(model.coordinate(plate),
                    {[=](double t) { return speed * t; }, [=](double) { return speed; }});
        model.grain({.shape = sphere(0.1), .material = m, .density = 10, .at = {.p = {0, 0, 0.1}}});
        MoreauJean run(model.finish(), with_step(1e-3));
        for (int n = 0; n < 100; ++n) ASSERT_TRUE(run.step().converged);
        // Two springs in a row, closed by 1 mm.
        const double force = run.view().contact_force(plate).force.z();
        EXPECT_NEAR(force, k * 1e-3 / 2, 2e-2 * force);
        EXPECT_GT(force, 5 * before);
        before = force;
    }
}

struct Crowd {
    ModelDescription model{"crowd"};
    explicit Crowd(const Material& law)
    {
        std::mt19937_64 random(3);
        const auto number = [&] { return 2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1; };
        const MaterialId m = model.add(law);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                for (int l = 0; l < 4; ++l)
                    model.grain({.shape = sphere(0.1),
                                 .material = m,
                                 .density = 1000,
                                 .at = {.p = {0.21 * i, 0.21 * j, 0.21 * l}},
                                 .velocity = {number(), number(), number()},
                                 .angular_velocity = {3 * number(), 3 * number(), 3 * number()}});
        model.attach(ground, hollow(box(0.9, 0.9, 0.9)), m, {.p = {0.315, 0.315, 0.315}});
    }
};

TEST(Compliance, NeverCreatesEnergyAndKeepsMomentum)
{
    // (The overlap form must not find an overlap that no work was done for: it anticipates.)
    for (const auto& [form, theta] : {std::pair{ContactForm::rate, 0.5},
                                      {ContactForm::rate, 1.0},
                                      {ContactForm::overlap, 0.5},
                                      {ContactForm::overlap, 1.0}})
        for (const double damping : {0.0, 1e-4}) {
            Crowd crowd({.friction = 0.4,
                         .anticipation = form == ContactForm::overlap,
                         .stiffness = 1e6,
                         .damping = damping,
                         .form = form});
            MoreauJeanOptions options = with_step(1e-4, 1e-11);
            options.theta = theta;
            options.contacts.max_sweeps = 100000;
            MoreauJean run(crowd.model.finish(), options);
            double energy = run.view().energy();
            const double start = energy;
            for (int n = 0; n < 2000; ++n) {
                ASSERT_TRUE(run.step().converged);
                EXPECT_LT(run.view().energy(), energy + 1e-9 * start) << n;
                EXPECT_LT(run.momentum_error(), 1e-12);
                energy = run.view().energy();
            }
            EXPECT_LT(energy, 0.9 * start);
            EXPECT_GT(energy, 1e-3 * start);
        }
}

// Threads, and a stop in between, change nothing.
TEST(Compliance, ResumesToTheSameBitsOnAnyNumberOfThreads)
{
    for (const ContactForm form : forms)
        for (const char* solver : {"auto", "coloured", "nlgs"}) {
            Crowd crowd({.friction = 0.4, .stiffness = 1e6, .damping = 1e-4, .form = form});
            const auto stepper = [&](int threads) {
                MoreauJeanOptions options = with_step(1e-4, 1e-8);
                options.contacts.threads = threads;
                options.contacts.solver = solver;
                return MoreauJean(crowd.model.finish(), options);
            };
            MoreauJean whole = stepper(1), other = stepper(3);
            advance(whole, 300);
            other.restore(whole.save());
            advance(whole, 300);
            advance(other, 300);
            EXPECT_EQ(whole.state_hash(), other.state_hash()) << solver;
        }
}

TEST(Compliance, StiffnessTendsToRigidContacts)
{
    const auto speed = [](double k) {
        ModelDescription model("block");
        model.gravity({0, 0, -g});
        const MaterialId m = model.add(Material{.friction = 0.3, .anticipation = true, .stiffness = k});
        const GrainId block = model.grain({.shape = box(0.2, 0.2, 0.1),
                                           .material = m,
                                           .density = 1000,
                                           .at = {.p = {0, 0, 0.05}},
                                           .velocity = {1, 0, 0}});
        model.attach(ground, wall({0, 0, 1}, 0), m);
        MoreauJean run(model.finish(), with_step(1e-3));
        advance(run, 200);
        return run.view().velocity(block).x();
    };
    const double rigid = speed(0);
    EXPECT_NEAR(rigid, 1 - 0.3 * g * 0.2, 1e-9);
    EXPECT_NEAR(speed(1e12), rigid, 1e-6);
    EXPECT_NEAR(speed(1e7), rigid, 1e-2);
}

TEST(Compliance, PairsAreHalvesOfSpringsInSeries)
{
    ModelDescription description("pairs");
    const MaterialId soft = description.add(Material{.stiffness = 1e6, .shear_ratio = 0.5, .damping = 1e-4});
    const MaterialId hard = description.add(Material{.stiffness = 3e6, .form = ContactForm::overlap});
    const MaterialId rigid = description.add(Material{});
    const Model& model = description.finish();
    const Material same = model.pair(soft.index, soft.index), mixed = model.pair(hard.index, soft.index);
    EXPECT_EQ(same.stiffness, 1e6);
    EXPECT_EQ(same.shear_ratio, 0.5);
    EXPECT_DOUBLE_EQ(mixed.stiffness, 1.5e6);
    EXPECT_DOUBLE_EQ(mixed.shear_ratio * mixed.stiffness, 2 * 0.5e6 * 3e6 / 3.5e6);
    EXPECT_EQ(mixed.damping, 1e-4);
    EXPECT_EQ(mixed.form, ContactForm::overlap);
    EXPECT_DOUBLE_EQ(model.pair(soft.index, rigid.index).stiffness, 2e6);
    EXPECT_EQ(model.pair(rigid.index, rigid.index).stiffness, 0);
}

TEST(Compliance, HertzianStiffnessIsTheSlopeOfHertzsLaw)
{
    const double young = 50e9, poisson = 0.25, radius = 4e-3, force = 300;
    const double modulus = young / (2 * (1 - poisson * poisson));
    const auto law = [&](double d) { return 4.0 / 3 * modulus * std::sqrt(radius) * std::pow(d, 1.5); };
    const double d = std::pow(force / (4.0 / 3 * modulus * std::sqrt(radius)), 2.0 / 3), step = 1e-4 * d;
    EXPECT_NEAR(hertz_stiffness(young, poisson, force, radius), (law(d + step) - law(d - step)) / (2 * step),
                1.0);
    EXPECT_NE(error_of([] { hertz_stiffness(-1, 0.3, 1, 1); }), "");
    EXPECT_NE(error_of([] { hertz_stiffness(1, 0.7, 1, 1); }), "");
}

TEST(Compliance, ImpossibleValuesAreRefused)
{
    ModelDescription model("m");
    for (const Material& m :
         {Material{.stiffness = -1}, Material{.stiffness = NAN}, Material{.stiffness = 1, .shear_ratio = 0},
          Material{.stiffness = 1, .damping = -1}, Material{.damping = 1e-3},
          Material{.restitution = 0.5, .stiffness = 1, .damping = 1e-3}})
        EXPECT_NE(error_of([&] { model.add(m); }), "");
}

} // namespace
} // namespace tamis::compliance_test
