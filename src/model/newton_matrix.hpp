// A square matrix of fixed pattern, factorised again and again: dense if it is small, else sparse.
#pragma once

#include "tamis/model/sparse_lu.hpp"

#include <Eigen/LU>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tamis {

class NewtonMatrix {
  public:
    // pattern: (column, row) of all entries, in any order and as often as one likes
    NewtonMatrix(int size, std::vector<std::pair<int, int>> pattern);
    NewtonMatrix(const NewtonMatrix&) = delete; // its factors refer to its pattern
    NewtonMatrix& operator=(const NewtonMatrix&) = delete;

    int slot(int row, int column) const; // of an entry of the pattern, in values()
    std::span<double> values() { return values_; }
    // Chooses pivots for the present values; later matrices are first tried with the
    // same, which takes no memory.
    void choose_pivots();
    // x -> A^-1 x with the present values, or with those at the last call that was `anew`; false: singular.
    bool solve(Eigen::VectorXd& x, bool anew);
    void multiply(const Eigen::VectorXd& x, Eigen::VectorXd& out) const; // out = A x, with the present values

  private:
    bool solve_dense(Eigen::VectorXd& x, bool anew);
    bool solve_sparse(Eigen::VectorXd& x, bool anew);

    int size_;
    std::vector<int> column_start_, row_;
    std::vector<double> values_;
    Eigen::VectorXd rhs_, residual_;
    // If small.
    Eigen::MatrixXd dense_;
    Eigen::PartialPivLU<Eigen::MatrixXd> dense_lu_;
    // If not: with the pivots of the start, and with pivots of its own if the last matrix needed them.
    std::optional<SparseLu> kept_, own_;
    bool needs_own_ = false;
};

} // namespace tamis
