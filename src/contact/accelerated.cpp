// Anderson acceleration (Walker & Ni 2011), with f = G(x) - x and the latest differences dF, dG as columns:
//
//     gamma = argmin |f - dF gamma|^2 + epsilon |gamma|^2,     x' = G(x) - dG gamma
//
// and the nonsmooth nonlinear conjugate gradients of Silcowitz, Niebe & Erleben (2010), with G one sweep:
//
//     beta = |f|^2 / |f_before|^2,    x' = G(x) + beta p,  p' = f + beta p   if beta <= 1,   else p' = 0
//
// Departures: G of Anderson's is eight sweeps, since a sweep in batches costs little more than a mixture.
// When |f| grows beyond a factor or does not shrink for a while, the state goes back to the sweeps before the
// last mixture, and plain sweeps follow, twice as many after each such failure, so that the loss against
// plain sweeps stays small. Sums run over fixed chunks.
#include "tamis/contact/accelerated.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>

namespace tamis {

namespace {

constexpr std::size_t chunk_size = 2048;
constexpr double growth = 2; // of |f|^2 that a mixture may cause
constexpr int patience = 2;  // mixtures without a smaller |f|

// Eight sums side by side, which the compiler turns into one register.
template <class T>
double dot(const T* a, const T* b, std::size_t n)
{
    double sums[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; ++k) sums[k] += static_cast<double>(a[i + k]) * static_cast<double>(b[i + k]);
    for (; i < n; ++i) sums[0] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

} // namespace

template <class T>
void Accelerator<T>::start(Acceleration kind, std::size_t measured, std::size_t size, int threads)
{
    kind_ = kind;
    measured_ = measured;
    size_ = size;
    threads_ = threads;
    for (std::vector<T>* state : {&before, &after, &plain_}) state->resize(size);
    step_.resize(size);
    for (int j = 0; j < depth && kind == Acceleration::anderson; ++j) {
        d_step_[j].resize(measured);
        d_plain_[j].resize(size);
    }
    partial_.resize((2 * depth + 1) * (size / chunk_size + 1));
    columns_ = next_ = waited_ = rest_ = rejected_ = 0;
    next_rest_ = 4;
    square_ = 0;
    last_ = mixed_ = false;
}

template <class T>
int Accelerator<T>::sweeps() const
{
    return kind_ == Acceleration::anderson ? 8 : 1;
}

template <class T>
template <class Work>
void Accelerator<T>::chunks(const Work& work)
{
    const int count = static_cast<int>((size_ + chunk_size - 1) / chunk_size);
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
    for (int c = 0; c < count; ++c)
        work(c * chunk_size, std::min(size_, (c + 1) * chunk_size), &partial_[c * (2 * depth + 1)]);
}

template <class T>
double Accelerator<T>::sum(int column) const
{
    const std::size_t count = (size_ + chunk_size - 1) / chunk_size;
    double total = 0;
    for (std::size_t c = 0; c < count; ++c) total += partial_[c * (2 * depth + 1) + column];
    return total;
}

template <class T>
void Accelerator<T>::mix()
{
    if (kind_ == Acceleration::anderson)
        mix_anderson();
    else if (kind_ == Acceleration::nncg)
        mix_nncg();
}

template <class T>
void Accelerator<T>::mix_anderson()
{
    chunks([&](std::size_t first, std::size_t end, double* part) {
        end = std::min(end, measured_);
        part[0] = 0;
        for (std::size_t i = first; i < end; ++i) before[i] = after[i] - before[i]; // f
        if (first < end) part[0] = dot(&before[first], &before[first], end - first);
    });
    const double square = sum(0);
    waited_ = last_ && !(square < square_) ? waited_ + 1 : 0;
    if (mixed_ && (!(square <= growth * square_) || waited_ >= patience)) {
        std::copy(plain_.begin(), plain_.end(), before.begin());
        columns_ = next_ = waited_ = 0;
        last_ = mixed_ = false;
        ++rejected_;
        rest_ = next_rest_;
        next_rest_ *= 2;
        return;
    }
    square_ = last_ ? std::min(square, square_) : square;
    const bool difference = last_;
    const int c = next_;
    if (difference) {
        next_ = (next_ + 1) % depth;
        columns_ = std::min(columns_ + 1, depth);
    }
    chunks([&](std::size_t first, std::size_t end, double* part) {
        const std::size_t middle = std::clamp(measured_, first, end);
        if (difference) {
            for (std::size_t i = first; i < middle; ++i) d_step_[c][i] = before[i] - step_[i];
            for (std::size_t i = first; i < end; ++i) d_plain_[c][i] = after[i] - plain_[i];
            for (int j = 0; j < columns_; ++j) {
                const std::size_t n = middle - first;
                part[2 * j] = n ? dot(&d_step_[c][first], &d_step_[j][first], n) : 0;
                part[2 * j + 1] = n ? dot(&before[first], &d_step_[j][first], n) : 0;
            }
        }
        for (std::size_t i = first; i < middle; ++i) step_[i] = before[i];
        for (std::size_t i = first; i < end; ++i) before[i] = plain_[i] = after[i];
    });
    last_ = true;
    mixed_ = false;
    if (!difference) return;
    for (int j = 0; j < columns_; ++j) gram_[c][j] = gram_[j][c] = sum(2 * j);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, depth, depth> A(columns_, columns_);
    Eigen::Matrix<double, Eigen::Dynamic, 1, 0, depth, 1> b(columns_);
    double largest = 0;
    for (int j = 0; j < columns_; ++j) {
        b[j] = sum(2 * j + 1);
        for (int k = 0; k < columns_; ++k) A(j, k) = gram_[j][k];
        largest = std::max(largest, A(j, j));
    }
    if (!(largest > 0)) return;
    A.diagonal().array() += 16 * std::numeric_limits<T>::epsilon() * largest;
    const decltype(b) gamma = A.ldlt().solve(b);
    if (!gamma.allFinite()) return;
    T weight[depth];
    for (int j = 0; j < columns_; ++j) weight[j] = static_cast<T>(gamma[j]);
    mixed_ = true;
    chunks([&](std::size_t first, std::size_t end, double*) {
        for (int j = 0; j < columns_; ++j)
            for (std::size_t i = first; i < end; ++i) before[i] -= weight[j] * d_plain_[j][i];
    });
}

template <class T>
void Accelerator<T>::mix_nncg()
{
    chunks([&](std::size_t first, std::size_t end, double* part) {
        for (std::size_t i = first; i < end; ++i) before[i] = after[i] - before[i]; // f
        end = std::min(end, measured_);
        part[0] = first < end ? dot(&before[first], &before[first], end - first) : 0;
    });
    const double square = sum(0);
    const bool growing = last_ && !(square <= square_);
    const T beta = last_ && !growing && square_ > 0 ? static_cast<T>(square / square_) : T(0);
    rejected_ += growing;
    chunks([&](std::size_t first, std::size_t end, double*) {
        for (std::size_t i = first; i < end; ++i) {
            const T p = last_ ? beta * step_[i] : T(0);
            step_[i] = growing ? T(0) : before[i] + p;
            before[i] = after[i] + p;
        }
    });
    last_ = true;
    square_ = square;
}

template class Accelerator<double>;
template class Accelerator<float>;

} // namespace tamis
