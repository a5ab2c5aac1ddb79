// Both lists are in the same order, so that histories are found by going along.
#include "tamis/dem/pair_list.hpp"

#include <algorithm>
#include <memory>

namespace tamis {

namespace {

// Room for so many, and some more, but of a long list not for twice as many.
template <class T>
void make_room(std::vector<T>& list, std::size_t count)
{
    if (list.capacity() < count) list.reserve(count + count / 32 + 1024);
}

} // namespace

void PairList::clear()
{
    outer_i_.clear();
    outer_j_.clear();
}

void PairList::sort()
{
    sorted_.clear();
    make_room(sorted_, outer_i_.size());
    for (std::size_t k = 0; k < outer_i_.size(); ++k) sorted_.emplace_back(outer_i_[k], outer_j_[k]);
    std::ranges::sort(sorted_);
    clear();
    for (const auto& [i, j] : sorted_) add(i, j);
}

void PairList::refresh(const PenaltyKernels& kernels, const BallRows& rows, double margin,
                       std::span<const KeptContact> kept)
{
    constexpr int chunk = 1024;
    int found[chunk + 8];
    const int pairs = static_cast<int>(outer_i_.size());
    while (outer_i_.size() % 8 != 0) add(rows.count, rows.count + 1);
    i_.clear();
    j_.clear();
    for (int from = 0; from < pairs; from += chunk) {
        const int to = std::min(from + chunk, static_cast<int>(outer_i_.size()));
        const int n = kernels.near(rows, &outer_i_[from], &outer_j_[from], to - from, margin, found);
        make_room(i_, i_.size() + n + 8);
        make_room(j_, j_.size() + n + 8);
        for (int k = 0; k < n; ++k) {
            if (from + found[k] >= pairs) break;
            i_.push_back(outer_i_[from + found[k]]);
            j_.push_back(outer_j_[from + found[k]]);
        }
    }
    outer_i_.resize(pairs);
    outer_j_.resize(pairs);
    used_ = static_cast<int>(i_.size());
    do {
        i_.push_back(rows.count);
        j_.push_back(rows.count + 1);
    } while (i_.size() % 8 != 0);
    make_room(touched_, i_.size() / 8);
    touched_.clear();
    touched_.resize(i_.size() / 8);
    if (!rows.elastic) return;
    make_room(u_, 3 * i_.size() + 1);
    u_.resize(3 * i_.size() + 1);
    std::fill_n(&u_[3 * used_], u_.size() - 3 * used_, 0.0);
    auto at = kept.begin();
    for (int k = 0; k < used_ && at != kept.end(); ++k) {
        while (at != kept.end() && (at->i < i_[k] || (at->i == i_[k] && at->j < j_[k]))) ++at;
        if (at == kept.end() || at->i != i_[k] || at->j != j_[k]) continue;
        std::copy_n(at->u, 3, &u_[3 * k]);
        touched_[k / 8] |= static_cast<unsigned char>(1 << k % 8);
    }
}

void PairList::add(int i, int j)
{
    make_room(outer_i_, outer_i_.size() + 8);
    make_room(outer_j_, outer_j_.size() + 8);
    outer_i_.push_back(i);
    outer_j_.push_back(j);
}

int PairList::histories() const
{
    int count = 0;
    for (int k = 0; k < used_ && !u_.empty(); ++k) count += touched(k);
    return count;
}

KeptContact* PairList::keep(KeptContact* to) const
{
    for (int k = 0; k < used_ && !u_.empty(); ++k)
        if (touched(k))
            std::construct_at(to++, KeptContact{i_[k], j_[k], {u_[3 * k], u_[3 * k + 1], u_[3 * k + 2]}});
    return to;
}

Vec<double> PairList::history(int slot) const
{
    if (u_.empty() || !touched(slot)) return {0, 0, 0};
    return {u_[3 * slot], u_[3 * slot + 1], u_[3 * slot + 2]};
}

PairSlots PairList::slots()
{
    return {i_.data(), j_.data(), static_cast<int>(i_.size()), u_.data(), touched_.data()};
}

int PairList::before(int begin) const
{
    return static_cast<int>(std::lower_bound(i_.begin(), i_.begin() + used_, begin) - i_.begin());
}

std::size_t PairList::bytes() const
{
    return 4 * (outer_i_.capacity() + outer_j_.capacity() + i_.capacity() + j_.capacity()) +
           8 * (sorted_.capacity() + u_.capacity()) + touched_.capacity();
}

} // namespace tamis
