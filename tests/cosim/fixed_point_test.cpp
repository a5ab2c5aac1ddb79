#include "tamis/cosim/fixed_point.hpp"

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace tamis::fixed_point_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// G(x) = S (M x + b) with |M| up to 8, far from a contraction, and entries of very different scale S
struct Expanding {
    MatrixXd M{{-5, 1, 0, 2}, {0.5, -8, 1, 0}, {0, 2, -3, 1}, {1, 0, 0.5, 4}};
    VectorXd S{{1, 1e6, 1e-6, 1}}, b{{1, -2, 3, -4}};
    VectorXd solution() const { return S.cwiseProduct((MatrixXd::Identity(4, 4) - M).inverse() * b); }
    VectorXd operator()(const VectorXd& x) const { return S.cwiseProduct(M * x.cwiseQuotient(S) + b); }
};

TEST(FixedPoint, QuasiNewtonSolvesALinearMapInAsManyStepsAsUnknowns)
{
    const Expanding G;
    const VectorXd weights = G.S.cwiseInverse();
    FixedPoint iteration(Repetition::quasi_newton, 0.5, 4);
    for (int again = 0; again < 2; ++again) { // start() forgets
        iteration.start({weights.data(), 4});
        VectorXd x = VectorXd::Zero(4);
        for (int k = 0; k < 5; ++k) {
            const VectorXd g = G(x);
            iteration.next({x.data(), 4}, {g.data(), 4});
        }
        EXPECT_LT((x - G.solution()).cwiseProduct(weights).norm(), 1e-12);
    }
}

TEST(FixedPoint, QuasiNewtonLeavesOutWhatIsNotIndependent)
{
    // All differences lie in one direction.
    FixedPoint iteration(Repetition::quasi_newton, 1, 3);
    const double weights[] = {1, 1, 1};
    iteration.start(weights);
    VectorXd x = VectorXd::Zero(3);
    for (int k = 0; k < 5; ++k) {
        const VectorXd g = VectorXd::Constant(3, -7 * x.sum() + 22);
        iteration.next({x.data(), 3}, {g.data(), 3});
    }
    EXPECT_LT((x - VectorXd::Ones(3)).norm(), 1e-13);
}

TEST(FixedPoint, AitkenSolvesAScalarLinearMapInTwoSteps)
{
    const double weight = 1;
    FixedPoint iteration(Repetition::aitken, 0.1, 1);
    iteration.start({&weight, 1});
    double x = 0;
    for (int k = 0; k < 2; ++k) {
        const double g = -20 * x + 42;
        iteration.next({&x, 1}, {&g, 1});
    }
    EXPECT_NEAR(x, 2, 1e-14);
}

TEST(FixedPoint, PlainIterationTakesGOrAPartOfTheWay)
{
    for (const double relaxation : {1.0, 0.25}) {
        FixedPoint iteration(Repetition::plain, relaxation, 1);
        double x = 1;
        const double g = 5;
        iteration.next({&x, 1}, {&g, 1});
        EXPECT_EQ(x, 1 + relaxation * 4);
    }
}

} // namespace
} // namespace tamis::fixed_point_test
