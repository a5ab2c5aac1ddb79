#include "tamis/cosim/coupling.hpp"

#include "allocations.hpp"
#include "cosim/linear_peer.hpp"
#include "error_of.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tamis::coupling_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd scalar(double value)
{
    return MatrixXd::Constant(1, 1, value);
}

void exchange(std::span<const double> y, std::span<double> u)
{
    u[0] = y[1];
    u[1] = y[0];
}

void run_until(Coupling& coupling, double t)
{
    while (coupling.time() < t - coupling.options().H / 2) coupling.step();
}

// z1' = -z1 + z2 + t^3/6, z2' = -z1 - 2 z2 from rest, where 1, t, t^2/2, t^3/6 are states as well. It starts
// so smoothly that the lower order of the first steps does not show.
struct Smooth {
    static MatrixXd A()
    {
        MatrixXd A = MatrixXd::Zero(5, 5);
        A(0, 0) = -1;
        A(0, 4) = A(4, 3) = A(3, 2) = A(2, 1) = 1;
        return A;
    }
    LinearPeer one{
        "one", A(), VectorXd::Unit(5, 0), VectorXd::Unit(5, 0).transpose(), scalar(0), VectorXd::Unit(5, 1)};
    LinearPeer two{"two", scalar(-2), scalar(-1), scalar(1), scalar(0), VectorXd::Zero(1)};

    double error(double t) const
    {
        MatrixXd whole = MatrixXd::Zero(6, 6);
        whole.topLeftCorner(5, 5) = A();
        whole(0, 5) = 1;
        whole(5, 0) = -1;
        whole(5, 5) = -2;
        const VectorXd exact = (whole * t).exp() * VectorXd::Unit(6, 1);
        return std::hypot(one.z[0] - exact[0], two.z[0] - exact[5]);
    }
};

TEST(Coupling, InputsOfOrderKGiveAnErrorOfOrderKPlusOne)
{
    for (const Sweep sweep : {Sweep::jacobi, Sweep::gauss_seidel})
        for (const Repetition repeat : {Repetition::none, Repetition::plain})
            for (const int k : {0, 1, 2}) {
                std::array<double, 3> errors;
                for (int i = 0; i < 3; ++i) {
                    Smooth pair;
                    Coupling coupling({&pair.one, &pair.two}, exchange,
                                      {.H = 0.04 / (1 << i),
                                       .sweep = sweep,
                                       .extrapolation = k,
                                       .signal = k,
                                       .repeat = repeat,
                                       .relative = 1e-12});
                    run_until(coupling, 2);
                    errors[i] = pair.error(2);
                }
                for (int i = 0; i < 2; ++i)
                    EXPECT_NEAR(std::log2(errors[i] / errors[i + 1]), k + 1, 0.15)
                        << static_cast<int>(sweep) << static_cast<int>(repeat) << " " << errors[i];
            }
}

constexpr Repetition repetitions[] = {Repetition::plain, Repetition::aitken, Repetition::quasi_newton};

// One step with inputs held at their end values is the linear system z = Phi z_n + Gamma c(z).
TEST(Coupling, IteratedToTheMonolithicDiscreteSolution)
{
    const double H = 0.2, a = -1, b = -2;
    MatrixXd system(2, 2);
    system << 1, -std::expm1(a * H) / a, std::expm1(b * H) / b, 1;
    VectorXd z = VectorXd::Ones(2);
    for (int n = 0; n < 10; ++n)
        z = system.inverse() * (VectorXd(2) << std::exp(a * H) * z[0], std::exp(b * H) * z[1]).finished();

    for (const Sweep sweep : {Sweep::jacobi, Sweep::gauss_seidel})
        for (const Repetition repeat : repetitions)
            for (const int first : {0, 1}) {
                LinearPeer one("one", scalar(a), scalar(1), scalar(1), scalar(0), VectorXd::Ones(1));
                LinearPeer two("two", scalar(b), scalar(-1), scalar(1), scalar(0), VectorXd::Ones(1));
                Coupling coupling(
                    {&one, &two}, exchange,
                    {.H = H, .sweep = sweep, .first = first, .repeat = repeat, .relative = 1e-13});
                run_until(coupling, 10 * H);
                EXPECT_NEAR(one.z[0], z[0], 1e-12);
                EXPECT_NEAR(two.z[0], z[1], 1e-12);
                EXPECT_EQ(coupling.statistics().steps, 10);
                EXPECT_EQ(coupling.statistics().not_converged, 0);
            }
}

// A sprung mass m gives its acceleration to an added mass, which gives back its inertia force:
// u = (-m_added y_2, y_1). A pass multiplies an error of the force by -m_added/m.
struct AddedMass {
    static constexpr double k = 100, m_added = 10, H = 0.01;

    static Eigen::Matrix2d A() { return (Eigen::Matrix2d() << 0, 1, -k, 0).finished(); }
    LinearPeer mass{"mass",
                    A(),
                    VectorXd::Unit(2, 1),
                    (MatrixXd(1, 2) << -k, 0).finished(),
                    scalar(1),
                    VectorXd::Unit(2, 0)};
    LinearPeer added{"added mass", MatrixXd(0, 0), MatrixXd(0, 1), MatrixXd(1, 0), scalar(1), VectorXd(0)};

    static void connect(std::span<const double> y, std::span<double> u)
    {
        u[0] = -m_added * y[1];
        u[1] = y[0];
    }
    // The force that is held over a step: f = -m_added (f - k x), x = x_free + (1 - cos wH)/k f
    static VectorXd solution(int steps)
    {
        const MatrixXd Phi = (A() * H).exp();
        const double w = std::sqrt(k);
        const VectorXd Gamma = (VectorXd(2) << (1 - std::cos(w * H)) / k, std::sin(w * H) / w).finished();
        VectorXd z = VectorXd::Unit(2, 0);
        for (int n = 0; n < steps; ++n) {
            const VectorXd free = Phi * z;
            z = free + Gamma * (m_added * k * free[0] / (1 + m_added - m_added * k * Gamma[0]));
        }
        return z;
    }
};

TEST(Coupling, AcceleratedIterationsConvergeWherePlainOnesDoNot)
{
    const VectorXd z = AddedMass::solution(20);
    for (const Sweep sweep : {Sweep::jacobi, Sweep::gauss_seidel})
        for (const Repetition repeat : {Repetition::aitken, Repetition::quasi_newton}) {
            if (sweep == Sweep::jacobi && repeat == Repetition::aitken) continue; // see below
            AddedMass pair;
            Coupling coupling({&pair.mass, &pair.added}, AddedMass::connect,
                              {.H = AddedMass::H, .sweep = sweep, .repeat = repeat, .relative = 1e-12});
            run_until(coupling, 20 * AddedMass::H);
            EXPECT_EQ(coupling.statistics().not_converged, 0);
            EXPECT_LE(coupling.statistics().iterations, 6 * 20);
            EXPECT_LT((pair.mass.z - z).norm(), 1e-11 * z.norm());
        }
    // A map that turns its argument (u_1 from u_2, u_2 from u_1) is what one factor cannot help.
    for (const Repetition repeat : {Repetition::plain, Repetition::aitken}) {
        AddedMass pair;
        Coupling coupling({&pair.mass, &pair.added}, AddedMass::connect,
                          {.H = AddedMass::H, .sweep = Sweep::jacobi, .repeat = repeat, .max_iterations = 5});
        coupling.step();
        EXPECT_EQ(coupling.statistics().not_converged, 1);
    }
}

TEST(Coupling, CountsStepsThatDoNotConverge)
{
    AddedMass pair;
    CouplingOptions options{.H = AddedMass::H, .repeat = Repetition::plain, .max_iterations = 3};
    Coupling coupling({&pair.mass, &pair.added}, AddedMass::connect, options);
    for (int n = 0; n < 3; ++n) coupling.step();
    EXPECT_EQ(coupling.statistics().not_converged, 3);
    EXPECT_EQ(coupling.statistics().iterations, 9);
    EXPECT_GT(coupling.statistics().worst_change, 1);
    EXPECT_EQ(pair.mass.advances, 9);

    options.must_converge = true;
    AddedMass strict;
    Coupling fatal({&strict.mass, &strict.added}, AddedMass::connect, options);
    EXPECT_TRUE(contains(error_of([&] { fatal.step(); }),
                         "iterated Gauss-Seidel coupling of mass and added mass did not converge in 3 "
                         "iterations at t = 0.01 s"));
}

TEST(Coupling, DivergenceIsNamed)
{
    AddedMass pair;
    Coupling coupling({&pair.mass, &pair.added}, AddedMass::connect, {.H = AddedMass::H});
    const std::string error = error_of([&] { run_until(coupling, 10); });
    for (const char* part :
         {"explicit Gauss-Seidel coupling of mass and added mass diverges at t = ", "with H = 0.01 s",
          "the inputs of", "grow exponentially, by ", "in the last", "smaller step", "iterated"})
        EXPECT_TRUE(contains(error, part)) << error;
    EXPECT_LT(coupling.time(), 0.2);

    AddedMass unwatched;
    Coupling to_the_end({&unwatched.mass, &unwatched.added}, AddedMass::connect,
                        {.H = AddedMass::H, .growth = std::numeric_limits<double>::infinity()});
    EXPECT_TRUE(contains(error_of([&] { run_until(to_the_end, 10); }), "are no longer finite"));
}

// The first step, from 0, in which steady growth is seen, or -1.
template <class Law>
long seen_growing(Law&& value, long steps = 100000)
{
    GrowthWatch watch(1e6);
    for (long n = 0; n < steps; ++n)
        if (watch.grows(n, value(static_cast<double>(n)))) return n;
    return -1;
}

TEST(GrowthWatch, SeesInstabilityOfAnyRateAndLateOnset)
{
    for (const double radius : {1.001, 1.01, 1.105, 2.0, 1e3}) {
        const long n =
            seen_growing([=](double t) { return std::pow(radius, t) * std::abs(std::sin(t + 1)); });
        EXPECT_GT(n, 0) << radius;
        EXPECT_LT(n, 10 + 7 * std::log(10) / std::log(radius)) << radius;
    }
    const long late = seen_growing([](double t) { return 5 + std::pow(1.1, t - 5000); });
    EXPECT_GT(late, 5000);
    EXPECT_LT(late, 5000 + 200);
}

TEST(GrowthWatch, LetsResonanceLoadsAndMotionsPass)
{
    EXPECT_EQ(seen_growing([](double t) { return t * std::abs(std::sin(t)); }), -1);
    for (const int power : {1, 2, 3, 4, 5})
        EXPECT_EQ(seen_growing([=](double t) { return 1e-9 * std::pow(t, power); }), -1) << power;
    // round-off, then a load that sets in and meets resonance
    EXPECT_EQ(seen_growing([](double t) { return t < 700 ? 1e-17 * t : 1e3 * (t - 699); }), -1);
    EXPECT_EQ(seen_growing([](double) { return 0.0; }), -1);
}

// Tells what happens to it.
class Witness : public Peer {
  public:
    explicit Witness(double output) : y(output) {}
    std::string name() const override { return "witness"; }
    int inputs() const override { return 1; }
    int outputs() const override { return 1; }
    void output(std::span<const double>, std::span<double> value) const override { value[0] = y; }
    bool predict(double, std::span<double> value) override
    {
        if (predicts) value[0] = 100;
        return predicts;
    }
    void advance(double H, const Signal& u) override
    {
        log += 'a';
        u.at(0, {&at_start, 1});
        u.at(H, {&at_end, 1});
        y = y_next;
    }
    void save() override { log += 's'; }
    void restore() override { log += 'r'; }

    double y, y_next = 0, at_start = 0, at_end = 0;
    bool predicts = false;
    std::string log;
};

TEST(Coupling, GoesBackBeforeItRepeats)
{
    Witness one(1), two(2);
    one.y_next = 3;
    Coupling coupling({&one, &two}, exchange, {.repeat = Repetition::plain});
    coupling.step();
    coupling.step();
    EXPECT_EQ(one.log, "sarasara");
    EXPECT_EQ(two.log, "sarasara");
    Witness three(1), four(2);
    Coupling once({&three, &four}, exchange, {});
    once.step();
    EXPECT_EQ(three.log, "a"); // an explicit coupling asks for no way back
}

// The last of several passes leaves the bits that one pass with its inputs would.
TEST(Coupling, RepeatedStepsLeaveNoTrace)
{
    for (const Repetition repeat : repetitions) {
        Smooth pair, fresh;
        Coupling coupling({&pair.two, &pair.one}, exchange, {.H = 0.5, .repeat = repeat});
        coupling.step();
        ASSERT_GE(pair.one.advances, 3);
        const Signal::Sample held[] = {{0.5, coupling.inputs(1)}};
        Signal signal(1);
        signal.through(held);
        fresh.one.advance(0.5, signal);
        EXPECT_EQ(fresh.one.z, pair.one.z);
    }
}

// Loose coupling: the first peer sees the prediction of the second, the second what the first has found.
TEST(Coupling, FirstPeerIsGivenThePredictionOfTheSecond)
{
    for (const int first : {0, 1}) {
        Witness a(1), b(2);
        Witness &leads = first == 0 ? a : b, &follows = first == 0 ? b : a;
        leads.y_next = 10;
        follows.y_next = 20;
        follows.predicts = true;
        const double known = follows.y, found = leads.y;
        Coupling coupling({&a, &b}, exchange, {.first = first, .predict = true, .signal = 1});
        coupling.step();
        EXPECT_EQ(leads.at_start, known);
        EXPECT_EQ(leads.at_end, 100);
        EXPECT_EQ(follows.at_start, found);
        EXPECT_EQ(follows.at_end, 10);
        follows.predicts = false; // falls back on extrapolation, here of order 0
        coupling.step();
        EXPECT_EQ(leads.at_end, 20);
        EXPECT_EQ(coupling.inputs(first)[0], 20);
        EXPECT_EQ(coupling.outputs(first)[0], 10);
    }
}

TEST(Coupling, NothingIsAllocatedInAStep)
{
    for (const Sweep sweep : {Sweep::jacobi, Sweep::gauss_seidel})
        for (const Repetition repeat :
             {Repetition::none, Repetition::plain, Repetition::aitken, Repetition::quasi_newton}) {
            Smooth pair;
            Coupling coupling(
                {&pair.one, &pair.two}, exchange,
                {.sweep = sweep, .extrapolation = 2, .predict = true, .signal = 2, .repeat = repeat});
            coupling.step(); // the test's peers prepare themselves
            const long before = allocations;
            for (int n = 0; n < 10; ++n) coupling.step();
            EXPECT_EQ(allocations - before, 0);
        }
}

TEST(Coupling, RefusesWhatMakesNoSense)
{
    Witness one(1), two(2);
    const auto refused = [&](const CouplingOptions& options) {
        return error_of([&] { Coupling({&one, &two}, exchange, options); });
    };
    EXPECT_TRUE(contains(refused({.H = 0}), "macro step"));
    EXPECT_TRUE(contains(refused({.H = NAN}), "macro step"));
    EXPECT_TRUE(contains(refused({.first = 2}), "Peer 2"));
    EXPECT_TRUE(contains(refused({.extrapolation = 3}), "order 3"));
    EXPECT_TRUE(
        contains(refused({.repeat = Repetition::plain, .max_iterations = 1}), "at least 2 iterations"));
    EXPECT_TRUE(contains(error_of([&] { Coupling({&one}, exchange, {}); }), "two peers"));

    struct OneWay : Witness {
        using Witness::Witness;
        void save() override { Peer::save(); }
    } one_way(1);
    Coupling coupling({&one_way, &two}, exchange, {.repeat = Repetition::plain});
    EXPECT_TRUE(contains(error_of([&] { coupling.step(); }), "witness cannot repeat a macro step"));
}

// Direct feed-through: y = 2 z + 3 u, where u belongs to the same time as z.
TEST(Coupling, OutputsBelongToTheInputsOfTheirTime)
{
    LinearPeer feeds("feeds", scalar(0), scalar(0), scalar(2), scalar(3), VectorXd::Ones(1));
    LinearPeer grows("grows", scalar(0), scalar(1), scalar(1), scalar(0), VectorXd::Constant(1, 5));
    Coupling coupling({&feeds, &grows}, exchange, {.H = 1});
    EXPECT_EQ(coupling.outputs(0)[0], 2 + 3 * 5);
    coupling.step(); // grows: 5 + 17
    EXPECT_EQ(grows.z[0], 22);
    EXPECT_EQ(coupling.outputs(0)[0], 2 + 3 * 22);
    EXPECT_EQ(coupling.inputs(1)[0], 2 + 3 * 22);
}

} // namespace
} // namespace tamis::coupling_test
