// A square matrix of fixed pattern, factorised again and again: dense if it is small, else by KLU.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tamis {

class NewtonMatrix {
  public:
    // pattern: (column, row) of all entries, in any order and as often as one likes
    NewtonMatrix(int size, std::vector<std::pair<int, int>> pattern);
    ~NewtonMatrix();

    int slot(int row, int column) const; // of an entry of the pattern, in values()
    std::span<double> values() { return values_; }
    // Chooses pivots for the present values; later matrices are first tried with the
    // same, which takes no memory.
    void choose_pivots();
    // x -> A^-1 x with the present values, or with those at the last call that was `anew`; false: singular.
    bool solve(Eigen::VectorXd& x, bool anew);

  private:
    struct Klu;
    bool solve_dense(Eigen::VectorXd& x, bool anew);

    int size_;
    std::vector<int> column_start_, row_;
    std::vector<double> values_;
    std::unique_ptr<Klu> klu_;
    Eigen::MatrixXd dense_;
    std::vector<int> swaps_;
    Eigen::VectorXd rhs_, residual_;
    bool regular_ = false;
};

} // namespace tamis
