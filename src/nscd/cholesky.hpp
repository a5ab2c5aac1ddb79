// M = L L^T of the mass matrix of a block, and x = M^-1 b by it.
//
// Most mechanisms have few freedoms, for which the kernels of Eigen, made for large matrices, take hundreds of
// instructions where a dozen operations are needed. Up to three, the loops are written out here, with the operations of
// Eigen in its order: the results have the same bits.
#pragma once

#include <Eigen/Cholesky>
#include <cmath>

namespace tamis {

class Cholesky {
  public:
    auto L() const { return L_.triangularView<Eigen::Lower>(); }
    auto U() const { return L_.transpose().triangularView<Eigen::Upper>(); } // L^T
    void resize(int n) { L_ = Eigen::MatrixXd::Identity(n, n); }
    // Of the lower triangle of M, which has that size. False: M is not positive definite.
    template <class Matrix>
    bool compute(const Matrix& M)
    {
        const int n = size();
        if (n > most_) {
            L_ = M;
            return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(L_).info() == Eigen::Success;
        }
        for (int k = 0; k < n; ++k) {
            double x = M(k, k), sum = 0;
            for (int j = 0; j < k; ++j) sum += L_(k, j) * L_(k, j);
            x -= sum;
            if (x <= 0) return false;
            L_(k, k) = x = std::sqrt(x);
            for (int i = k + 1; i < n; ++i) {
                double y = M(i, k);
                for (int j = 0; j < k; ++j) y -= L_(i, j) * L_(k, j);
                L_(i, k) = y / x;
            }
        }
        return true;
    }
    void solve(double* x) const // in place
    {
        const int n = size();
        if (n > most_) {
            Eigen::Map<Eigen::VectorXd> all(x, n);
            L().solveInPlace(all);
            U().solveInPlace(all);
            return;
        }
        for (int i = 0; i < n; ++i) {
            if (x[i] == 0) continue;
            x[i] /= L_(i, i);
            for (int j = i + 1; j < n; ++j) x[j] -= x[i] * L_(j, i);
        }
        for (int i = n - 1; i >= 0; --i) {
            if (i + 1 < n) {
                double sum = L_(i + 1, i) * x[i + 1];
                for (int j = i + 2; j < n; ++j) sum += L_(j, i) * x[j];
                x[i] -= sum;
            }
            x[i] /= L_(i, i);
        }
    }

  private:
    static constexpr int most_ = 3; // freedoms, for the loops here
    int size() const { return static_cast<int>(L_.rows()); }

    Eigen::MatrixXd L_; // its lower triangle
};

} // namespace tamis
