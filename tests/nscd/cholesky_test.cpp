// The factor of a small mass matrix, and of larger ones, against that of Eigen.
#include "tamis/nscd/cholesky.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace cholesky_test {

using namespace tamis;

namespace {

// With zeros and negative numbers among the right-hand sides, as maps of contacts have them.
Eigen::VectorXd right_hand_side(int n, int k)
{
    Eigen::VectorXd b = Eigen::VectorXd::Random(n);
    for (int i = 0; i < n; ++i)
        if ((k >> i) % 2 == 1) b[i] = 0;
    return b;
}

} // namespace

TEST(Cholesky, HasTheBitsOfEigen)
{
    for (int n = 1; n <= 6; ++n)
        for (int k = 0; k < 200; ++k) {
            const Eigen::MatrixXd A = Eigen::MatrixXd::Random(n, n);
            const Eigen::MatrixXd M = A * A.transpose() + 0.01 * Eigen::MatrixXd::Identity(n, n);
            const Eigen::LLT<Eigen::MatrixXd> expected(M);
            Cholesky factor;
            factor.resize(n);
            ASSERT_TRUE(factor.compute(M));
            EXPECT_EQ(Eigen::MatrixXd(factor.L()), Eigen::MatrixXd(expected.matrixL()));
            Eigen::VectorXd x = right_hand_side(n, k), y = x;
            factor.solve(x.data());
            expected.solveInPlace(y);
            EXPECT_EQ(x, y);
        }
}

TEST(Cholesky, RefusesWhatIsNotPositiveDefinite)
{
    for (int n = 1; n <= 6; ++n) {
        Eigen::MatrixXd M = Eigen::MatrixXd::Identity(n, n);
        M(n - 1, n - 1) = -1;
        Cholesky factor;
        factor.resize(n);
        EXPECT_FALSE(factor.compute(M));
    }
}

} // namespace cholesky_test
