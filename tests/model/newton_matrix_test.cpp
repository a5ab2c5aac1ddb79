#include "tamis/model/newton_matrix.hpp"

#include <gtest/gtest.h>
#include <random>

namespace newton_matrix_test {

using namespace tamis;

TEST(NewtonMatrix, SolvesWhateverThePivotsOfTheStartWere)
{
    for (const int n : {7, 29, 31, 60}) { // dense and sparse
        std::mt19937 random(n);
        std::uniform_real_distribution<double> u(-1, 1);
        std::vector<std::pair<int, int>> pattern;
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                if (n < 31 || i == j || (i + 3 * j) % 7 == 0) pattern.emplace_back(j, i);
        NewtonMatrix matrix(n, pattern);
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
        auto fill = [&](double diagonal) {
            for (const auto& [j, i] : pattern) {
                A(i, j) = u(random) + (i == j ? diagonal : 0);
                matrix.values()[matrix.slot(i, j)] = A(i, j);
            }
        };
        fill(100); // the diagonal is a good choice here, and a bad one later
        matrix.choose_pivots();
        for (const double diagonal : {50.0, 0.0, -1e-3}) {
            fill(diagonal);
            const Eigen::VectorXd exact = Eigen::VectorXd::Random(n);
            Eigen::VectorXd x = A * exact;
            ASSERT_TRUE(matrix.solve(x, true));
            EXPECT_LT((x - exact).norm(), 1e-9);
            x = 2 * (A * exact);
            ASSERT_TRUE(matrix.solve(x, false)); // with the factors at hand
            EXPECT_LT((x - 2 * exact).norm(), 1e-9);
        }
        std::fill(matrix.values().begin(), matrix.values().end(), 0);
        Eigen::VectorXd x = Eigen::VectorXd::Ones(n);
        EXPECT_FALSE(matrix.solve(x, true));
    }
}

} // namespace newton_matrix_test
