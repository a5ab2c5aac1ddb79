// Each block of balls against all surfaces.
#include "tamis/dem/wall_list.hpp"

#include "tamis/dem/penalty_overlap.hpp"

#include <algorithm>
#include <tuple>

namespace tamis {

namespace {

// With room for twice as many where there is not enough: a list that was cleared would else grow to just what it needs,
// again and again.
template <class T>
void renew_zeros(std::vector<T>& list, std::size_t count)
{
    list.clear();
    if (list.capacity() < count) list.reserve(2 * count);
    list.resize(count);
}

} // namespace

bool WallList::in_order(const KeptContact& a, const KeptContact& b)
{
    return std::tuple(a.i / block_size, a.j, a.i) < std::tuple(b.i / block_size, b.j, b.i);
}

void WallList::renew(const BallRows& rows, const std::vector<WallSurface>& surfaces,
                     const std::vector<WallMotion>& walls, double skin,
                     const std::function<bool(int, int)>& may_touch, const std::vector<KeptContact>& kept)
{
    groups_.clear();
    first_.clear();
    first_.push_back(0);
    ball_.clear();
    reach_.assign(walls.size(), 0);
    for (int begin = 0; begin < rows.count; begin += block_size) {
        const int end = std::min(begin + block_size, rows.count);
        for (int s = 0; s < static_cast<int>(surfaces.size()); ++s) {
            const PlainSurface surface = surfaces[s].plain();
            const int part = surfaces[s].part, first = static_cast<int>(ball_.size());
            double squared = 0;
            for (int i = begin; i < end; ++i) {
                const double* x = rows.x + 4 * i;
                const Vec<double> from = vec<double>(x) - vec<double>(walls[part].p);
                squared = std::max(squared, dot(from, from));
                if (distance(surface, walls[part], from).distance > x[3] + skin) continue;
                if (may_touch && !may_touch(i, part)) continue;
                ball_.push_back(i);
            }
            reach_[part] = std::max(reach_[part], squared);
            const int count = static_cast<int>(ball_.size()) - first;
            if (count == 0) continue;
            while (ball_.size() % 8 != 0) ball_.push_back(rows.count + 2);
            groups_.push_back({s, first, count});
        }
        first_.push_back(static_cast<int>(groups_.size()));
    }
    for (double& r : reach_) r = std::sqrt(r);
    renew_zeros(touched_, ball_.size() / 8);
    if (!rows.elastic) return;
    renew_zeros(u_, 3 * ball_.size() + 1);
    auto at = kept.begin();
    for (const Group& g : groups_)
        for (int k = g.first; k < g.first + g.count && at != kept.end(); ++k) {
            const KeptContact here{ball_[k], g.surface, {}};
            while (at != kept.end() && in_order(*at, here)) ++at;
            if (at == kept.end() || at->i != here.i || at->j != here.j) continue;
            std::copy_n(at->u, 3, &u_[3 * k]);
            touched_[k / 8] |= static_cast<unsigned char>(1 << k % 8);
        }
}

void WallList::visit(const std::function<void(int, int, const Vec<double>&)>& use) const
{
    for (const Group& g : groups_)
        for (int k = g.first; k < g.first + g.count; ++k) {
            const bool known = !u_.empty() && touched_[k / 8] >> k % 8 & 1;
            use(ball_[k], g.surface, known ? vec<double>(&u_[3 * k]) : Vec<double>{0, 0, 0});
        }
}

void WallList::keep(std::vector<KeptContact>& kept) const
{
    if (u_.empty()) return;
    for (const Group& g : groups_)
        for (int k = g.first; k < g.first + g.count; ++k)
            if (touched_[k / 8] >> k % 8 & 1)
                kept.push_back({ball_[k], g.surface, {u_[3 * k], u_[3 * k + 1], u_[3 * k + 2]}});
}

WallSlots WallList::slots(const Group& g)
{
    return {&ball_[g.first], (g.count + 7) / 8 * 8, u_.data() + 3 * g.first, &touched_[g.first / 8]};
}

WallSlots WallList::slots()
{
    return {ball_.data(), static_cast<int>(ball_.size()), u_.data(), touched_.data()};
}

std::size_t WallList::bytes() const
{
    return sizeof(Group) * groups_.capacity() + 4 * (first_.capacity() + ball_.capacity()) +
           8 * u_.capacity() + touched_.capacity();
}

} // namespace tamis
