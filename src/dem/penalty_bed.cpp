// See penalty_bed.hpp for the scheme and penalty_law.hpp for the force of a contact.
#include "tamis/dem/penalty_bed.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/parallel_for.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tamis {

using Eigen::Vector3d;

namespace {

WallMotion plain(const BodyMotion& m)
{
    WallMotion out;
    for (int k = 0; k < 9; ++k) out.R[k] = m.pose.R(k / 3, k % 3);
    for (int k = 0; k < 3; ++k) {
        out.p[k] = m.pose.p[k];
        out.v[k] = m.velocity[k];
        out.w[k] = m.angular_velocity[k];
    }
    return out;
}

// The deeper one, of equal ones that of the balls that come first.
void deepen(DeepestOverlap& to, const DeepestOverlap& d)
{
    const int contacts = to.contacts + d.contacts;
    if (d.delta > to.delta || (d.delta == to.delta && d.one >= 0 && d.one < to.one)) to = d;
    to.contacts = contacts;
}

} // namespace

PenaltyBed::PenaltyBed(const std::vector<Ball>& balls, const std::vector<BallWall>& walls,
                       const std::vector<PenaltyLaw>& laws, const BedOptions& options)
    : options_(options), kernels_(options.kernels ? options.kernels : &penalty_kernels()),
      materials_(static_cast<int>(std::lround(std::sqrt(static_cast<double>(laws.size())))))
{
    if (!(options.h > 0) || !std::isfinite(options.h))
        fail("The step size is {} s: it must be positive.", options.h);
    if (!(options.inner_skin > 0) || !(options.skin > options.inner_skin) || !(options.wall_skin > 0))
        fail("The skins are {}, {} and {}: they must be positive, the outer one wider than the inner one.",
             options.skin, options.inner_skin, options.wall_skin);
    for (const PenaltyLaw& law : laws) {
        LongRow& row = laws_.emplace_back();
        std::ranges::copy(law.row(), row.row);
        rolls_ = rolls_ || law.rolling > 0;
        hertz_ = hertz_ || law.hertz;
    }
    if (rolls_ || hertz_) force_rows_ = 4;
    double block_mass = 0;
    Vector3d block_momentum(0, 0, 0);
    int in_block = 0;
    for (const Ball& b : balls) {
        const int number = count();
        if (!(b.radius > 0) || !(b.mass > 0) || !std::isfinite(b.radius + b.mass + b.x.sum() + b.v.sum()))
            fail("Ball {} has radius {} m and mass {} kg: both must be positive, and its place and velocity "
                 "finite.",
                 number, b.radius, b.mass);
        const double inertia = 0.4 * b.mass * b.radius * b.radius;
        number_.push_back(number);
        x_.push_back({b.x[0], b.x[1], b.x[2], b.radius});
        v_.push_back({{b.v[0], b.v[1], b.v[2], 1 / b.mass, b.omega[0], b.omega[1], b.omega[2], 1 / inertia}});
        material_.push_back(b.material);
        const Ball& first = balls.front();
        uniform_ =
            uniform_ && b.radius == first.radius && b.mass == first.mass && b.material == first.material;
        size_ = std::max(size_, 2 * b.radius);
        // By blocks: the sum of a million terms one by one would lose five digits.
        block_mass += b.mass;
        block_momentum += b.mass * b.v;
        if (++in_block < block_size && &b != &balls.back()) continue;
        mass_ += std::exchange(block_mass, 0.0);
        mean_ += std::exchange(block_momentum, Vector3d(0, 0, 0));
        in_block = 0;
    }
    if (balls.empty()) fail("There are no balls: the method dem needs some.");
    mean_ /= mass_;
    x_.insert(x_.end(), {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, -1e150}}); // see BallRows
    v_.insert(v_.end(), 3, {{0, 0, 0, 1, 0, 0, 0, 1}});
    material_.insert(material_.end(), 3, material_[0]);
    place_ = number_;
    force_.assign(static_cast<std::size_t>(force_rows_) * x_.size(), Row{});
    for (const BallWall& w : walls) {
        first_surface_.push_back(static_cast<int>(surfaces_.size()));
        add_surfaces(w.shape, static_cast<int>(motion_.size()), w.name, surfaces_);
        wall_material_.push_back(w.material);
        motion_.push_back(w.motion);
        plain_motion_.push_back(plain(w.motion));
    }
    wrench_.assign(walls.size(), Wrench{});
    wall_push_.resize(walls.size());
    sums_.resize(blocks());
    wall_deepest_.resize(blocks());
    wall_sums_.resize(static_cast<std::size_t>(blocks()) * walls.size());
    if (options.device) on_device_ = std::make_shared<DeviceBalls>(*options.device);
    const int threads = options.device ? 1 : std::clamp(options.threads, 1, blocks());
    const int part = (blocks() + threads - 1) / threads * block_size;
    for (int first = 0; first < count(); first += part) {
        Part& s = parts_.emplace_back();
        s.first_ball = first;
        s.end_ball = std::min(first + part, count());
    }
    sort();
    start_springs_ = spring_parts();
}

BallRows PenaltyBed::rows() const
{
    // (Kernels write to what they are asked to.)
    PenaltyBed* bed = const_cast<PenaltyBed*>(this);
    return {count(),    bed->x_[0].data(), bed->v_[0].row, bed->force_[0].row, material_.data(), laws_[0].row,
            materials_, 4 * force_rows_,   options_.h,     elastic(),          rolls_,           hertz_,
            uniform_};
}

// ---------------------------------------------------------------------------------------------------------
// A step

void PenaltyBed::forces()
{
    if (on_device_) return push_on_device();
    const int parts = static_cast<int>(parts_.size());
    parallel_for(parts, parts, [&](int first, int last) {
        for (int t = first; t < last; ++t) {
            Part& s = parts_[t];
            s.deepest = {0, -1, -1, 0};
            s.reactions = kernels_->pairs(rows(), s.pairs.slots(), s.apart, s.reaction.data()->row,
                                          s.reaction_on.data(), s.deepest);
        }
    });
    parallel_for(parts, parts, [&](int first, int last) {
        for (int t = first; t < last; ++t) {
            take_reactions(parts_[t]);
            for (int b = parts_[t].first_ball / block_size; b * block_size < parts_[t].end_ball; ++b)
                wall_forces(b);
        }
    });
    reduce_forces();
}

void PenaltyBed::push_on_device()
{
    PairList& pairs = parts_[0].pairs;
    if (!std::exchange(sent_, true)) {
        std::vector<DeviceSurface> surfaces;
        for (const WallSurface& s : surfaces_)
            surfaces.push_back({s.plain(), s.part, wall_material_[s.part]});
        on_device_->send(rows(), materials_ * materials_, pairs, wall_list_, surfaces,
                         static_cast<int>(motion_.size()));
    }
    on_device_->push(plain_motion_, parts_[0].deepest, wall_deepest_, wall_sums_);
    reduce_forces();
}

void PenaltyBed::fetch() const
{
    PenaltyBed* bed = const_cast<PenaltyBed*>(this);
    on_device_->fetch(rows(), bed->parts_[0].pairs, bed->wall_list_);
    on_device_ahead_ = false;
}

void PenaltyBed::take_reactions(const Part& part)
{
    for (const Part& other : parts_) {
        if (other.first_ball <= part.first_ball) continue;
        const int* on = other.reaction_on.data();
        for (const int* k = std::lower_bound(on, on + other.reactions, part.first_ball);
             k != on + other.reactions && *k < part.end_ball; ++k) {
            const Row* from = &other.reaction[(k - on) * force_rows_];
            Row* to = &force_[static_cast<std::size_t>(*k) * force_rows_];
            for (int r = 0; r < force_rows_; ++r)
                for (int c = 0; c < 4; ++c) to[r].row[c] += from[r].row[c];
        }
    }
}

void PenaltyBed::wall_forces(int block)
{
    WallPush* on = wall_sums_.data() + block * motion_.size();
    std::fill(on, on + motion_.size(), WallPush{});
    wall_deepest_[block] = {0, -1, -1, 0};
    for (const WallList::Group& g : wall_list_.groups(block)) {
        const int part = surfaces_[g.surface].part;
        kernels_->wall(rows(), surfaces_[g.surface].plain(), plain_motion_[part], wall_material_[part], part,
                       wall_list_.slots(g), on[part], wall_deepest_[block]);
    }
}

void PenaltyBed::reduce_forces()
{
    deepest_ = {0, -1, -1, 0};
    for (const Part& s : parts_) deepen(deepest_, s.deepest);
    for (const DeepestOverlap& d : wall_deepest_) deepen(deepest_, d);
    if (deepest_.one >= 0) deepest_.one = number_[deepest_.one];
    if (deepest_.other >= 0) deepest_.other = number_[deepest_.other];
    const std::size_t walls = motion_.size();
    for (std::size_t w = 0; w < walls; ++w) {
        WallPush& sum = wall_push_[w] = {};
        for (int b = 0; b < blocks(); ++b) {
            const WallPush& part = wall_sums_[b * walls + w];
            for (int k = 0; k < 6; ++k) {
                sum.normal[k] += part.normal[k];
                sum.tangential[k] += part.tangential[k];
            }
            for (int k = 0; k < 3; ++k) sum.rolling[k] += part.rolling[k];
        }
        wrench_[w] = {-vector(sum.normal) - vector(sum.tangential),
                      -vector(sum.normal + 3) - vector(sum.tangential + 3) - vector(sum.rolling)};
    }
}

void PenaltyBed::advance(std::span<const BodyMotion> next)
{
    const int parts = static_cast<int>(parts_.size());
    if (on_device_)
        on_device_->move(options_.gravity, mean_, sums_);
    else
        parallel_for(parts, parts, [&](int first, int last) {
            for (int t = first; t < last; ++t)
                for (int i = parts_[t].first_ball; i < parts_[t].end_ball; i += block_size)
                    kernels_->move(rows(), i, std::min(i + block_size, parts_[t].end_ball),
                                   options_.gravity.data(), mean_.data(), sums_[i / block_size]);
        });
    on_device_ahead_ = on_device_ != nullptr;
    move_walls(next); // with the mean velocity of the step
    reduce();
    renew();
}

void PenaltyBed::move_walls(std::span<const BodyMotion> next)
{
    double most = 0;
    const double half = options_.h / 2, slack = 2 * options_.wall_skin * size_;
    for (std::size_t w = 0; w < motion_.size(); ++w) {
        const BodyMotion &before = motion_[w], &now = next.empty() ? before : next[w];
        // Work by the mean velocity over the step.
        const Vector3d way = half * (before.velocity + now.velocity),
                       turn = half * (before.angular_velocity + now.angular_velocity);
        const WallPush& on = wall_push_[w];
        wall_work_[0] += vector(on.normal).dot(way) + vector(on.normal + 3).dot(turn);
        wall_work_[1] += vector(on.tangential).dot(way) + vector(on.tangential + 3).dot(turn);
        wall_work_[2] += vector(on.rolling).dot(turn);
        most = std::max(most, (now.pose.p - before.pose.p - options_.h * mean_).norm() +
                                  (now.pose.R - before.pose.R).norm() *
                                      (wall_list_.reach(static_cast<int>(w)) + slack));
    }
    wall_moved_ += most;
    place_walls(next);
}

void PenaltyBed::place_walls(std::span<const BodyMotion> motions)
{
    for (std::size_t w = 0; w < motions.size(); ++w) {
        motion_[w] = motions[w];
        plain_motion_[w] = plain(motions[w]);
    }
}

void PenaltyBed::reduce()
{
    const double h = options_.h;
    MotionSums all{};
    for (const MotionSums& s : sums_) {
        for (int k = 0; k < 3; ++k) {
            all.work[k] += s.work[k];
            all.momentum[k] += s.momentum[k];
        }
        all.pushed += s.pushed;
        all.speed = std::max(all.speed, s.speed);
    }
    const Vector3d momentum = vector(all.momentum);
    if (!momentum.allFinite() || !std::isfinite(all.speed))
        fail("The step diverged: velocities are not finite; reduce the step, or the stiffness of the "
             "contacts.");
    for (int k = 0; k < 3; ++k) work_[k] += all.work[k];
    Vector3d push = mass_ * options_.gravity;
    for (const Wrench& w : wrench_) push -= w.force;
    const Vector3d error = momentum - mass_ * mean_ - h * push;
    // With gravity among the pushes: contacts that begin push by next to nothing, and what round-off leaves of the
    // momentum would be compared with that.
    momentum_error_ =
        all.pushed > 0 ? error.norm() / (h * (all.pushed + mass_ * options_.gravity.norm())) : 0;
    mean_ = momentum / mass_;
    const double moved = h * std::sqrt(all.speed);
    outer_moved_ += 2 * moved;
    inner_moved_ += 2 * moved;
    wall_moved_ += moved;
}

// ---------------------------------------------------------------------------------------------------------
// Lists

void PenaltyBed::renew()
{
    const bool inner = inner_moved_ > options_.inner_skin * size_,
               walls = wall_moved_ > options_.wall_skin * size_;
    if (!inner && !walls) return;
    current();
    sent_ = false;
    if (inner && outer_moved_ > (options_.skin - options_.inner_skin) * size_) return sort();
    if (walls) {
        kept_walls_.clear();
        wall_list_.keep(kept_walls_);
        list_walls();
    }
    if (!inner) return;
    const std::span<KeptContact> kept = lend(histories());
    keep(kept);
    refresh(kept);
    give_back(kept);
    inner_moved_ = 0;
}

// The forces, which are zero between steps, lend their memory: a row for each.
std::span<KeptContact> PenaltyBed::lend(int count)
{
    static_assert(sizeof(KeptContact) == sizeof(Row) && alignof(KeptContact) <= alignof(Row));
    if (force_.size() < static_cast<std::size_t>(count)) force_.resize(count);
    return {reinterpret_cast<KeptContact*>(force_.data()), static_cast<std::size_t>(count)};
}

void PenaltyBed::give_back(std::span<const KeptContact> lent)
{
    std::fill_n(force_.begin(), lent.size(), Row{});
}

int PenaltyBed::histories() const
{
    int count = 0;
    for (const Part& s : parts_) count += s.pairs.histories();
    return count;
}

void PenaltyBed::keep(std::span<KeptContact> kept) const
{
    KeptContact* to = kept.data();
    for (const Part& s : parts_) to = s.pairs.keep(to);
}

void PenaltyBed::name(std::span<KeptContact> pairs, std::span<KeptContact> walls) const
{
    for (KeptContact& c : pairs) {
        c.i = number_[c.i];
        c.j = number_[c.j];
    }
    for (KeptContact& c : walls) c.i = number_[c.i];
}

void PenaltyBed::arrange(std::span<KeptContact> pairs, std::span<KeptContact> walls)
{
    const int part = parts_[0].end_ball;
    for (KeptContact& c : pairs) {
        c.i = place_[c.i];
        c.j = place_[c.j];
        if (c.i > c.j) c = {c.j, c.i, {-c.u[0], -c.u[1], -c.u[2]}};
    }
    std::ranges::sort(pairs, {}, [&](const KeptContact& c) { return std::tuple(c.j / part, c.i, c.j); });
    for (KeptContact& c : walls) c.i = place_[c.i];
    std::sort(walls.begin(), walls.end(), WallList::in_order);
}

// Cycle by cycle. Places, which change anyway, hold what is still to be done: a row that has come is its own origin.
void PenaltyBed::put_rows(std::span<const int> order)
{
    std::ranges::copy(order, place_.begin());
    for (int start = 0; start < count(); ++start) {
        if (place_[start] == start) continue;
        const auto row = [&](int i) { return std::tie(v_[i], x_[i], number_[i], material_[i]); };
        const std::tuple<LongRow, BallRow, int, int> first = row(start);
        int to = start;
        for (int from; (from = std::exchange(place_[to], to)) != start; to = from) row(to) = row(from);
        row(to) = first;
    }
    for (int i = 0; i < count(); ++i) place_[number_[i]] = i;
}

void PenaltyBed::sort()
{
    const std::span<KeptContact> pairs = lend(histories());
    keep(pairs);
    kept_walls_.clear();
    wall_list_.keep(kept_walls_);
    name(pairs, kept_walls_);
    put_rows(grid_.sort({x_.data(), number_.size()}, options_.skin * size_));
    arrange(pairs, kept_walls_);
    list_outer();
    refresh(pairs);
    give_back(pairs);
    list_walls();
    outer_moved_ = inner_moved_ = 0;
    ++sorts_;
}

void PenaltyBed::list_outer()
{
    for (Part& s : parts_) s.pairs.clear();
    const int part = parts_[0].end_ball;
    const bool sorted = grid_.pairs({x_.data(), number_.size()}, options_.skin * size_, [&](int i, int j) {
        if (!options_.balls_touch || options_.balls_touch(number_[i], number_[j]))
            parts_[j / part].pairs.add(i, j);
    });
    if (sorted) return;
    for (Part& s : parts_) s.pairs.sort();
}

// With histories that are sorted by parts, and in each as its list.
void PenaltyBed::refresh(std::span<const KeptContact> kept)
{
    const int parts = static_cast<int>(parts_.size());
    parallel_for(parts, parts, [&](int first, int last) {
        for (int t = first; t < last; ++t) {
            Part& s = parts_[t];
            const auto first_of = [&](int part) {
                return std::ranges::partition_point(
                    kept, [&](const KeptContact& c) { return c.j / parts_[0].end_ball < part; });
            };
            s.pairs.refresh(*kernels_, rows(), options_.inner_skin * size_, {first_of(t), first_of(t + 1)});
            s.apart = s.pairs.before(s.first_ball);
            s.reaction.resize(static_cast<std::size_t>(s.apart + 1) * force_rows_);
            s.reaction_on.resize(s.apart + 1);
        }
    });
}

void PenaltyBed::list_walls()
{
    wall_moved_ = 0;
    std::function<bool(int, int)> may_touch;
    if (options_.wall_touches)
        may_touch = [&](int ball, int part) { return options_.wall_touches(number_[ball], part); };
    wall_list_.renew(rows(), surfaces_, plain_motion_, options_.wall_skin * size_, may_touch, kept_walls_);
}

} // namespace tamis
