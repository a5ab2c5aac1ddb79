#include "tamis/contact/accelerated.hpp"

#include "allocations.hpp"
#include "contact/beds.hpp"
#include "tamis/contact/nlgs_coloured.hpp"

#include <Eigen/Dense>
#include <functional>
#include <gtest/gtest.h>

namespace accelerated_test {

using namespace tamis;
using Eigen::VectorXd;

namespace {

// Applications of G until |G(x) - x| falls to a part of what it was.
int groups(Acceleration kind, int size, const std::function<VectorXd(const VectorXd&)>& G, double part,
           VectorXd* solution = nullptr)
{
    Accelerator<double> accelerator;
    accelerator.start(kind, size, size, 1);
    VectorXd x = VectorXd::Zero(size);
    std::copy(x.begin(), x.end(), accelerator.before.begin());
    double first = 0;
    for (int k = 1; k < 20000; ++k) {
        const VectorXd g = G(x);
        const double f = (g - x).norm();
        if (k == 1) first = f;
        if (f <= part * first) {
            if (solution) *solution = g;
            return k;
        }
        x = g;
        if (kind == Acceleration::none) continue;
        if (accelerator.rest()) {
            if (accelerator.awake()) std::copy(x.begin(), x.end(), accelerator.before.begin());
            continue;
        }
        std::copy(g.begin(), g.end(), accelerator.after.begin());
        accelerator.mix();
        std::copy(accelerator.before.begin(), accelerator.before.end(), x.begin());
    }
    return 20000;
}

} // namespace

// Five slow modes among many quick ones: differences of five steps are enough to find them.
TEST(Accelerator, FindsTheSlowModesOfALinearMap)
{
    const int size = 5000;
    VectorXd rate = VectorXd::Constant(size, 0.1), b(size);
    for (int i = 0; i < size; ++i) b[i] = 1 + i % 7;
    for (int i = 0; i < 5; ++i) rate[1000 * i] = 0.99 + 0.001 * i;
    const auto G = [&](const VectorXd& x) { return VectorXd(rate.cwiseProduct(x) + b); };
    const VectorXd exact = b.cwiseQuotient(VectorXd::Ones(size) - rate);
    const int plain = groups(Acceleration::none, size, G, 1e-8);
    for (const Acceleration kind : {Acceleration::anderson, Acceleration::nncg}) {
        VectorXd found;
        EXPECT_LT(groups(kind, size, G, 1e-8, &found), plain / 3);
        EXPECT_LT((found - exact).norm(), 1e-4 * exact.norm());
    }
}

// A contraction with kinks everywhere, for which extrapolation is of little use.
TEST(Accelerator, LosesLittleWhereMixturesFail)
{
    const int size = 64;
    const auto G = [&](const VectorXd& x) {
        VectorXd y(size);
        for (int i = 0; i < size; ++i)
            y[i] = 0.1 * x[i] + 0.89 * std::abs(x[(i + 1) % size] - x[(i + 7) % size] / 2) / 1.5 +
                   (i % 2 ? 1 : -1) * (1 + i % 3);
        return y;
    };
    const int plain = groups(Acceleration::none, size, G, 1e-6);
    ASSERT_LT(plain, 20000);
    EXPECT_LE(groups(Acceleration::anderson, size, G, 1e-6), 1.1 * plain + 10);
}

TEST(Accelerator, BedsComeToTheSameVelocities)
{
    for (const Precision precision : {Precision::double_, Precision::float_}) {
        const double tolerance = precision == Precision::double_ ? 1e-7 : 1e-5;
        ContactProblem plain = beds::bed({.cells = {6, 4, 3}, .friction = 0});
        const ContactProblem start = plain;
        NlgsColoured reference;
        reference.stop.natural_max = 1e-8;
        const int sweeps = reference.solve(plain).sweeps;
        for (const Acceleration kind : {Acceleration::anderson, Acceleration::nncg}) {
            ContactProblem problem = start;
            NlgsColoured solver({.precision = precision, .acceleration = kind});
            solver.stop.natural_max = tolerance;
            const SolverReport report = solver.solve(problem);
            EXPECT_EQ(report.status, SolverStatus::converged);
            EXPECT_LT(report.sweeps, sweeps);
            EXPECT_LT((problem.v - plain.v).norm(), 1e3 * tolerance * plain.v_free.norm());
        }
    }
}

TEST(Accelerator, LosesLittleOnAnyBed)
{
    for (const double friction : {0.2, 0.8})
        for (const bool walls : {false, true}) {
            const ContactProblem start =
                beds::bed({.cells = {7, 5, 5}, .friction = friction, .walls = walls});
            int sweeps[2];
            for (const bool accelerated : {false, true}) {
                ContactProblem problem = start;
                NlgsColoured solver(
                    {.acceleration = accelerated ? Acceleration::anderson : Acceleration::none});
                solver.stop = {.natural_max = 1e3, .natural_rms = 2e-4, .max_sweeps = 4000};
                sweeps[accelerated] = solver.solve(problem).sweeps;
            }
            EXPECT_LE(sweeps[1], 1.1 * sweeps[0] + 96) << friction << walls; // the residual is asked every 96
        }
}

TEST(Accelerator, MixesMechanismsAndRollingTooWithTheSameBitsForAnyNumberOfThreads)
{
    ContactProblem start = beds::bed({.cells = {24, 6, 6}, .spheres = true, .rolling = 0.02});
    start.contacts[6].drift = {0, 1e-3, 0}; // goes to the overflow
    for (const Acceleration kind : {Acceleration::anderson, Acceleration::nncg})
        for (const Precision precision : {Precision::double_, Precision::float_}) {
            VectorXd first;
            for (const int threads : {1, 3}) {
                ContactProblem problem = start;
                NlgsColoured solver({precision, threads, kind});
                solver.stop = {.natural_max = 0, .max_sweeps = 40};
                solver.solve(problem);
                if (threads == 1) first = problem.v;
                EXPECT_EQ(problem.v, first);
                // what was mixed belongs together: v of the last state is v_free + M^-1 H^T r
                ContactProblem rebuilt = problem;
                rebuilt.rebuild_velocities();
                EXPECT_EQ(rebuilt.v, problem.v);
            }
        }
}

TEST(Accelerator, DoesNotAllocateAfterTheFirstSolution)
{
    const ContactProblem start = beds::bed({.cells = {8, 6, 6}});
    for (const Acceleration kind : {Acceleration::anderson, Acceleration::nncg}) {
        NlgsColoured solver({.threads = 1, .acceleration = kind});
        solver.stop.max_sweeps = 80;
        ContactProblem first = start, second = start;
        second.v = second.v_free;
        solver.solve(first);
        const long before = allocations;
        solver.solve(second);
        EXPECT_EQ(allocations, before);
    }
}

} // namespace accelerated_test
