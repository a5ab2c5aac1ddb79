// LU with partial pivoting. KLU's symbolic analysis is done once. Pivots chosen at the start serve all
// later matrices as long as the solution satisfies its equations; where they do not, that matrix alone
// gets pivots of its own. So the result depends on the matrix, not on those before it, and a step
// repeated gives the same bits.
#include "tamis/smooth/newton_matrix.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <klu.h>

namespace tamis {

namespace {

constexpr int largest_dense = 30;
constexpr double acceptable = 1e-11; // backward error of a linear solution

} // namespace

struct NewtonMatrix::Klu {
    klu_common common;
    klu_symbolic* symbolic = nullptr;
    klu_numeric *kept = nullptr, *own = nullptr; // pivots of the start, and of the last matrix if it needed
    ~Klu()
    {
        klu_free_numeric(&own, &common);
        klu_free_numeric(&kept, &common);
        klu_free_symbolic(&symbolic, &common);
    }
};

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
        swaps_.resize(size);
        return;
    }
    klu_ = std::make_unique<Klu>();
    klu_defaults(&klu_->common);
    klu_->common.scale = -1; // the rows are scaled already, and the pattern is known to be sound
    klu_->symbolic = klu_analyze(size, column_start_.data(), row_.data(), &klu_->common);
}

NewtonMatrix::~NewtonMatrix() = default;

int NewtonMatrix::slot(int row, int column) const
{
    const auto first = row_.begin() + column_start_[column], last = row_.begin() + column_start_[column + 1];
    return static_cast<int>(std::lower_bound(first, last, row) - row_.begin());
}

void NewtonMatrix::choose_pivots()
{
    if (!klu_ || !klu_->symbolic) return;
    klu_free_numeric(&klu_->kept, &klu_->common);
    klu_->kept = klu_factor(column_start_.data(), row_.data(), values_.data(), klu_->symbolic, &klu_->common);
}

bool NewtonMatrix::solve_dense(Eigen::VectorXd& x, bool anew)
{
    if (anew) {
        dense_.setZero();
        for (int j = 0; j < size_; ++j)
            for (int k = column_start_[j]; k < column_start_[j + 1]; ++k) dense_(row_[k], j) = values_[k];
        regular_ = true;
        for (int j = 0; j < size_ && regular_; ++j) {
            int pivot = 0;
            regular_ = dense_.col(j).tail(size_ - j).cwiseAbs().maxCoeff(&pivot) > 0;
            if (!regular_) break;
            swaps_[j] = j + pivot;
            if (pivot > 0) dense_.row(j).swap(dense_.row(j + pivot));
            dense_.col(j).tail(size_ - j - 1) /= dense_(j, j);
            for (int k = j + 1; k < size_; ++k)
                dense_.col(k).tail(size_ - j - 1) -= dense_(j, k) * dense_.col(j).tail(size_ - j - 1);
        }
    }
    if (!regular_) return false;
    for (int j = 0; j < size_; ++j) std::swap(x[j], x[swaps_[j]]);
    for (int j = 0; j < size_; ++j) x.tail(size_ - j - 1) -= x[j] * dense_.col(j).tail(size_ - j - 1);
    for (int j = size_ - 1; j >= 0; --j) {
        x[j] /= dense_(j, j);
        x.head(j) -= x[j] * dense_.col(j).head(j);
    }
    return x.allFinite();
}

bool NewtonMatrix::solve(Eigen::VectorXd& x, bool anew)
{
    if (!klu_) return solve_dense(x, anew);
    if (!klu_->symbolic) return false;
    klu_common* common = &klu_->common;
    rhs_ = x;
    auto solved_by = [&](klu_numeric* numeric) {
        x = rhs_;
        if (!numeric || !klu_solve(klu_->symbolic, numeric, size_, 1, x.data(), common) || !x.allFinite())
            return false;
        residual_ = rhs_;
        for (int j = 0; j < size_; ++j)
            for (int k = column_start_[j]; k < column_start_[j + 1]; ++k)
                residual_[row_[k]] -= values_[k] * x[j];
        const double size =
            Eigen::Map<const Eigen::VectorXd>(values_.data(), values_.size()).lpNorm<Eigen::Infinity>() *
            x.lpNorm<Eigen::Infinity>();
        return residual_.lpNorm<Eigen::Infinity>() <= acceptable * size;
    };
    if (!anew) {
        klu_solve(klu_->symbolic, klu_->own ? klu_->own : klu_->kept, size_, 1, x.data(), common);
        return x.allFinite();
    }
    klu_free_numeric(&klu_->own, common);
    if (klu_->kept &&
        klu_refactor(column_start_.data(), row_.data(), values_.data(), klu_->symbolic, klu_->kept, common))
        if (solved_by(klu_->kept)) return true;
    klu_->own = klu_factor(column_start_.data(), row_.data(), values_.data(), klu_->symbolic, common);
    return solved_by(klu_->own);
}

} // namespace tamis
