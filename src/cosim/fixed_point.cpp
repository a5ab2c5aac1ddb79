// With r = G(x) - x, all entries weighted:
//
//     Aitken (Irons & Tuck 1969):         omega' = -omega r_before.(r - r_before) / |r - r_before|^2,
//                                         x' = x + omega' r
//     IQN-ILS (Degroote et al. 2009):     c = argmin |V c + r|,   x' = G(x) + W c
//
// where the columns of V and W are the differences of r and of G(x) between successive iterates.
//
// Departure: columns are those of the present macro step only, and a column of V that is a combination of
// newer ones to within `dependent` is left out.
#include "tamis/cosim/fixed_point.hpp"

#include <algorithm>
#include <cmath>

namespace tamis {

namespace {

constexpr std::size_t max_depth = 16;
constexpr double dependent = 1e-8;

} // namespace

FixedPoint::FixedPoint(Repetition kind, double relaxation, int size)
    : kind_(kind), relaxation_(relaxation), omega_(relaxation), size_(static_cast<std::size_t>(size)),
      depth_(kind == Repetition::quasi_newton ? std::min(size_, max_depth) : 0), weights_(size_, 1),
      r_(size_), r_before_(size_), g_before_(size_), V_(depth_ * size_), W_(depth_ * size_),
      Q_(depth_ * size_), R_(depth_ * depth_), c_(depth_)
{
}

void FixedPoint::start(std::span<const double> weights)
{
    std::copy(weights.begin(), weights.end(), weights_.begin());
    columns_ = 0;
    first_ = true;
    omega_ = relaxation_;
}

void FixedPoint::next(std::span<double> x, std::span<const double> g)
{
    if (kind_ == Repetition::plain && relaxation_ == 1) {
        std::copy(g.begin(), g.end(), x.begin());
        return;
    }
    for (std::size_t i = 0; i < size_; ++i) r_[i] = g[i] - x[i];
    if (!first_ && kind_ == Repetition::aitken)
        aitken(x);
    else if (!first_ && kind_ == Repetition::quasi_newton)
        quasi_newton(x, g);
    else
        for (std::size_t i = 0; i < size_; ++i) x[i] += relaxation_ * r_[i];
    r_before_ = r_;
    std::copy(g.begin(), g.end(), g_before_.begin());
    first_ = false;
}

void FixedPoint::aitken(std::span<double> x)
{
    double along = 0, square = 0;
    for (std::size_t i = 0; i < size_; ++i) {
        const double d = weights_[i] * (r_[i] - r_before_[i]);
        along += weights_[i] * r_before_[i] * d;
        square += d * d;
    }
    if (square > 0) omega_ *= -along / square;
    for (std::size_t i = 0; i < size_; ++i) x[i] += omega_ * r_[i];
}

void FixedPoint::quasi_newton(std::span<double> x, std::span<const double> g)
{
    columns_ = std::min(columns_ + 1, depth_);
    std::copy_backward(V_.begin(), V_.begin() + static_cast<long>((columns_ - 1) * size_),
                       V_.begin() + static_cast<long>(columns_ * size_));
    std::copy_backward(W_.begin(), W_.begin() + static_cast<long>((columns_ - 1) * size_),
                       W_.begin() + static_cast<long>(columns_ * size_));
    for (std::size_t i = 0; i < size_; ++i) {
        V_[i] = weights_[i] * (r_[i] - r_before_[i]);
        W_[i] = g[i] - g_before_[i];
        x[i] = weights_[i] * r_[i]; // what is left of r
    }
    // V = Q R by modified Gram-Schmidt; c = -R^-1 Q^T r.
    for (std::size_t j = 0; j < columns_; ++j) {
        double* q = &Q_[j * size_];
        std::copy_n(&V_[j * size_], size_, q);
        const double length = std::sqrt(dot(q, q));
        for (std::size_t k = 0; k < j; ++k) {
            const double* before = &Q_[k * size_];
            const double along = R_[k * depth_ + j] = dot(before, q);
            for (std::size_t i = 0; i < size_; ++i) q[i] -= along * before[i];
        }
        const double rest = std::sqrt(dot(q, q));
        const bool independent = rest > dependent * length;
        R_[j * depth_ + j] = independent ? rest : 0;
        for (std::size_t i = 0; i < size_; ++i) q[i] = independent ? q[i] / rest : 0;
        c_[j] = -dot(q, x.data());
        for (std::size_t i = 0; i < size_; ++i) x[i] += c_[j] * q[i];
    }
    for (std::size_t j = columns_; j-- > 0;) {
        for (std::size_t k = j + 1; k < columns_; ++k) c_[j] -= R_[j * depth_ + k] * c_[k];
        c_[j] = R_[j * depth_ + j] > 0 ? c_[j] / R_[j * depth_ + j] : 0;
    }
    std::copy(g.begin(), g.end(), x.begin());
    for (std::size_t j = 0; j < columns_; ++j)
        for (std::size_t i = 0; i < size_; ++i) x[i] += c_[j] * W_[j * size_ + i];
}

double FixedPoint::dot(const double* a, const double* b) const
{
    double sum = 0;
    for (std::size_t i = 0; i < size_; ++i) sum += a[i] * b[i];
    return sum;
}

} // namespace tamis
