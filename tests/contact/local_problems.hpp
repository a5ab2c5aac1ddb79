// Contact problems in local form, made by hand or at random.
#pragma once

#include "tamis/contact/local_problem.hpp"

#include <random>

namespace tamis::test {

struct RandomMatrices {
    std::mt19937 generator;
    double uniform(double low = -1, double high = 1)
    {
        return low + (high - low) * (generator() / 4294967296.0);
    }
    Eigen::MatrixXd matrix(int rows, int columns)
    {
        return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(); });
    }
    Eigen::Vector3d vector() { return matrix(3, 1); }
};

inline LocalProblem from_matrix(const Eigen::MatrixXd& W, const Eigen::VectorXd& q,
                                const std::vector<double>& mu)
{
    LocalProblem problem;
    problem.q = q;
    problem.r = Eigen::VectorXd::Zero(q.size());
    problem.mu = mu;
    for (int a = 0; a < problem.contacts(); ++a) {
        for (int b = 0; b < problem.contacts(); ++b) {
            const Eigen::Matrix3d block = W.block<3, 3>(3 * a, 3 * b);
            if (a != b && block.isZero(0)) continue;
            problem.column.push_back(b);
            problem.block.push_back(block);
        }
        problem.row.push_back(static_cast<int>(problem.column.size()));
    }
    return problem;
}

} // namespace tamis::test
