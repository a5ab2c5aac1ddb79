// LU with partial pivoting. Of a sparse matrix, pivots chosen at the start serve all later
// matrices as long as the solution satisfies its equations; where they do not, that matrix alone gets pivots
// of its own. So the result depends on the matrix, not on those before it, and a step repeated gives the same
// bits.
#include "tamis/model/newton_matrix.hpp"

#include <algorithm>

namespace tamis {

namespace {

constexpr int largest_dense = 30;
constexpr double acceptable = 1e-11; // backward error of a linear solution

} // namespace

NewtonMatrix::NewtonMatrix(int size, std::vector<std::pair<int, int>> pattern)
    : size_(size), column_start_(size + 1, 0), rhs_(size), residual_(size)
{
    std::sort(pattern.begin(), pattern.end());
    pattern.erase(std::unique(pattern.begin(), pattern.end()), pattern.end());
    for (const auto& [column, row] : pattern) {
        ++column_start_[column + 1];
        row_.push_back(row);
    }
    for (int j = 0; j < size; ++j) column_start_[j + 1] += column_start_[j];
    values_.assign(pattern.size(), 0);
    if (size <= largest_dense) {
        dense_.resize(size, size);
        dense_lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(size);
        return;
    }
    for (std::optional<SparseLu>* lu : {&kept_, &own_}) // the rows are scaled already
        lu->emplace(size, column_start_.data(), row_.data(), SparseLu::Scaling::none);
}

int NewtonMatrix::slot(int row, int column) const
{
    const auto first = row_.begin() + column_start_[column], last = row_.begin() + column_start_[column + 1];
    return static_cast<int>(std::lower_bound(first, last, row) - row_.begin());
}

void NewtonMatrix::choose_pivots()
{
    if (kept_) kept_->factorise(values_.data());
}

void NewtonMatrix::multiply(const Eigen::VectorXd& x, Eigen::VectorXd& out) const
{
    out.setZero(size_);
    for (int j = 0; j < size_; ++j)
        for (int k = column_start_[j]; k < column_start_[j + 1]; ++k) out[row_[k]] += values_[k] * x[j];
}

bool NewtonMatrix::solve(Eigen::VectorXd& x, bool anew)
{
    return kept_ ? solve_sparse(x, anew) : solve_dense(x, anew);
}

bool NewtonMatrix::solve_dense(Eigen::VectorXd& x, bool anew)
{
    if (anew) {
        dense_.setZero();
        for (int j = 0; j < size_; ++j)
            for (int k = column_start_[j]; k < column_start_[j + 1]; ++k) dense_(row_[k], j) = values_[k];
        dense_lu_.compute(dense_);
    }
    if ((dense_lu_.matrixLU().diagonal().array() == 0).any()) return false;
    rhs_ = x;
    x = dense_lu_.solve(rhs_);
    return x.allFinite();
}

bool NewtonMatrix::solve_sparse(Eigen::VectorXd& x, bool anew)
{
    if (!anew) return (needs_own_ ? own_ : kept_)->solve(x.data()) && x.allFinite();
    rhs_ = x;
    auto solved_by = [&](SparseLu& lu) {
        x = rhs_;
        if (!lu.solve(x.data()) || !x.allFinite()) return false;
        residual_ = rhs_;
        for (int j = 0; j < size_; ++j)
            for (int k = column_start_[j]; k < column_start_[j + 1]; ++k)
                residual_[row_[k]] -= values_[k] * x[j];
        const double size =
            Eigen::Map<const Eigen::VectorXd>(values_.data(), values_.size()).lpNorm<Eigen::Infinity>() *
            x.lpNorm<Eigen::Infinity>();
        return residual_.lpNorm<Eigen::Infinity>() <= acceptable * size;
    };
    needs_own_ = !(kept_->refactorise(values_.data()) && solved_by(*kept_));
    return !needs_own_ || (own_->factorise(values_.data()) && solved_by(*own_));
}

} // namespace tamis
