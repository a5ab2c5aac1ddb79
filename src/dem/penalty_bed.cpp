// See penalty_bed.hpp for the scheme and penalty_law.hpp for the force of a contact.
#include "tamis/dem/penalty_bed.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/parallel_for.hpp"
#include "tamis/base/state_hash.hpp"

#include <algorithm>
#include <limits>

namespace tamis {

using Eigen::Vector3d;

PenaltyBed::PenaltyBed(const std::vector<Ball>& balls, const std::vector<BallWall>& walls,
                       std::vector<PenaltyLaw> laws, const BedOptions& options)
    : options_(options), laws_(std::move(laws)),
      materials_(static_cast<int>(std::lround(std::sqrt(static_cast<double>(laws_.size())))))
{
    if (!(options.h > 0) || !std::isfinite(options.h))
        fail("The step size is {} s: it must be positive.", options.h);
    if (!(options.inner_skin > 0) || !(options.skin > options.inner_skin) || !(options.wall_skin > 0))
        fail("The skins are {}, {} and {}: they must be positive, the outer one wider than the inner one.",
             options.skin, options.inner_skin, options.wall_skin);
    for (PenaltyLaw& law : laws_) {
        law.prepare();
        rolls_ = rolls_ || law.rolling > 0;
    }
    for (const Ball& b : balls) {
        const int number = static_cast<int>(x_.size());
        if (!(b.radius > 0) || !(b.mass > 0) || !std::isfinite(b.radius + b.mass + b.x.sum() + b.v.sum()))
            fail("Ball {} has radius {} m and mass {} kg: both must be positive, and its place and velocity "
                 "finite.",
                 number, b.radius, b.mass);
        const double inertia = 0.4 * b.mass * b.radius * b.radius;
        number_.push_back(number);
        x_.push_back({b.x[0], b.x[1], b.x[2], b.radius});
        v_.push_back({b.v[0], b.v[1], b.v[2], 1 / b.mass, b.omega[0], b.omega[1], b.omega[2], 1 / inertia});
        material_.push_back(b.material);
        size_ = std::max(size_, 2 * b.radius);
        mass_ += b.mass;
        mean_ += b.mass * b.v;
    }
    if (balls.empty()) fail("There are no balls: the method dem needs some.");
    mean_ /= mass_;
    place_ = number_;
    force_.assign(balls.size(), Force{});
    for (const BallWall& w : walls) {
        first_surface_.push_back(static_cast<int>(surfaces_.size()));
        add_surfaces(w.shape, static_cast<int>(motion_.size()), w.name, surfaces_);
        wall_material_.push_back(w.material);
        motion_.push_back(w.motion);
    }
    reach_.assign(walls.size(), 0);
    wrench_.assign(walls.size(), Wrench{});
    sums_.resize(blocks());
    depth_.resize(blocks());
    wall_sums_.resize(static_cast<std::size_t>(blocks()) * walls.size());
    sort();
    list_walls();
    start_springs_ = spring_parts();
}

void PenaltyBed::step(std::span<const BodyMotion> next)
{
    pair_forces();
    parallel_for(blocks(), options_.threads, [&](int first, int last) {
        for (int b = first; b < last; ++b) {
            sums_[b] = {};
            wall_forces(b, next.empty() ? motion_ : next, sums_[b]);
            move(b * block_size, std::min((b + 1) * block_size, count()), sums_[b]);
        }
    });
    move_walls(next); // with the mean velocity of the step
    reduce();
    renew();
}

// ---------------------------------------------------------------------------------------------------------
// Forces

// (Inlined, what it finds stays in registers.)
[[gnu::always_inline]] inline bool PenaltyBed::push(int i, int j, Vector3d* u_T, Pushed& out) const
{
    const BallRow &p = x_[i], &q = x_[j];
    const Vector3d way(q[0] - p[0], q[1] - p[1], q[2] - p[2]);
    const double squared = way.squaredNorm(), reach = p[3] + q[3];
    if (!(squared < reach * reach)) {
        if (u_T) u_T->setZero();
        return false;
    }
    const PenaltyLaw& l = law(material_[i], material_[j]);
    const double d = std::sqrt(squared);
    const auto &a = v_[i], &b = v_[j];
    Overlap o;
    o.n = d > 0 ? Vector3d((1 / d) * way) : Vector3d(1, 0, 0);
    o.delta = reach - d;
    out.arm_a = p[3] - o.delta / 2; // both reach the middle of the overlap
    out.arm_b = q[3] - o.delta / 2;
    const Vector3d omega_a = vector(&a[4]), omega_b = vector(&b[4]);
    o.u = vector(&b[0]) - vector(&a[0]) - (out.arm_a * omega_a + out.arm_b * omega_b).cross(o.n);
    o.w = omega_b - omega_a;
    o.inverse_mass = a[3] + b[3];
    o.inverse_mass_T = o.inverse_mass + out.arm_a * out.arm_a * a[7] + out.arm_b * out.arm_b * b[7];
    o.inverse_inertia = a[7] + b[7];
    o.radius = l.hertz ? p[3] * q[3] / reach : 0;
    out.answer(o, penalty_force(l, o, options_.h, u_T));
    return true;
}

// The wall is a, its surface flat as seen from the ball.
bool PenaltyBed::push_wall(int i, int s, Vector3d* u_T, Pushed& out) const
{
    const WallSurface& surface = surfaces_[s];
    const BodyMotion& wall = motion_[surface.part];
    const BallRow& q = x_[i];
    const WallDistance near = distance(surface, wall.pose.R.transpose() * (vector(q.data()) - wall.pose.p));
    if (!(near.distance < q[3])) {
        if (u_T) u_T->setZero();
        return false;
    }
    const PenaltyLaw& l = law(wall_material_[surface.part], material_[i]);
    const auto& b = v_[i];
    Overlap o;
    o.n = wall.pose.R * near.normal;
    o.delta = q[3] - near.distance;
    out.arm_a = 0;
    out.arm_b = near.distance; // to the surface
    const Vector3d omega = vector(&b[4]);
    const Vector3d point = vector(q.data()) - near.distance * o.n;
    const Vector3d v_wall = wall.velocity + wall.angular_velocity.cross(point - wall.pose.p);
    o.u = vector(&b[0]) - out.arm_b * omega.cross(o.n) - v_wall;
    o.w = omega - wall.angular_velocity;
    o.inverse_mass = b[3];
    o.inverse_mass_T = b[3] + out.arm_b * out.arm_b * b[7];
    o.inverse_inertia = b[7];
    o.radius = q[3];
    out.answer(o, penalty_force(l, o, options_.h, u_T));
    return true;
}

// b is pushed, a the other way; the torque -arm n x f_T is the same for both.
inline void PenaltyBed::add(Force& force, const Pushed& p, double sign, double arm) const
{
    for (int k = 0; k < 3; ++k) {
        force[k] += sign * p.normal[k];
        force[3 + k] += sign * p.tangential[k];
        force[6 + k] -= arm * p.turning[k];
    }
    if (!rolls_) return;
    for (int k = 0; k < 3; ++k) force[9 + k] += sign * p.rolling[k];
}

void PenaltyBed::pair_forces()
{
    if (options_.threads <= 1) {
        Pushed p;
        for (int b = 0; b < blocks(); ++b) {
            Deepest deepest;
            for (int i = b * block_size; i < std::min((b + 1) * block_size, count()); ++i) {
                if (inner_start_[i] == inner_start_[i + 1]) continue;
                Force sum = force_[i];
                for (int k = inner_start_[i]; k < inner_start_[i + 1]; ++k) {
                    const int j = inner_[k];
                    if (!push(i, j, elastic() ? &u_[k] : nullptr, p)) continue;
                    deepest.add(p.delta, number_[i], number_[j]);
                    add(sum, p, -1, p.arm_a);
                    add(force_[j], p, 1, p.arm_b);
                }
                force_[i] = sum;
            }
            depth_[b] = deepest;
        }
        return;
    }
    parallel_for(blocks(), options_.threads, [&](int first, int last) {
        for (int b = first; b < last; ++b) {
            Deepest deepest;
            for (int i = b * block_size; i < std::min((b + 1) * block_size, count()); ++i)
                for (int k = inner_start_[i]; k < inner_start_[i + 1]; ++k) {
                    Pushed& p = pushed_[k];
                    if (push(i, inner_[k], elastic() ? &u_[k] : nullptr, p))
                        deepest.add(p.delta, number_[i], number_[inner_[k]]);
                    else
                        p.delta = 0;
                }
            depth_[b] = deepest;
        }
    });
    parallel_for(count(), options_.threads, [&](int begin, int end) { // sums in the same order
        for (int i = begin; i < end; ++i) {
            Force sum = force_[i];
            for (int m = in_start_[i]; m < in_start_[i + 1]; ++m)
                if (const Pushed& p = pushed_[in_[m]]; p.delta > 0) add(sum, p, 1, p.arm_b);
            for (int k = inner_start_[i]; k < inner_start_[i + 1]; ++k)
                if (const Pushed& p = pushed_[k]; p.delta > 0) add(sum, p, -1, p.arm_a);
            force_[i] = sum;
        }
    });
}

void PenaltyBed::wall_forces(int block, std::span<const BodyMotion> next, Sums& sums)
{
    const std::size_t walls = motion_.size();
    std::array<double, 6>* on = wall_sums_.data() + block * walls;
    std::fill(on, on + walls, std::array<double, 6>{});
    Pushed p;
    for (int m = wall_first_[block]; m < wall_first_[block + 1]; ++m) {
        WallContact& c = wall_list_[m];
        if (!push_wall(c.ball, c.surface, elastic() ? &c.u : nullptr, p)) continue;
        const int part = surfaces_[c.surface].part;
        depth_[block].add(p.delta, number_[c.ball], -1 - part);
        add(force_[c.ball], p, 1, p.arm_b);
        const BodyMotion& wall = motion_[part];
        const Vector3d arm = vector(x_[c.ball].data()) - p.arm_b * p.n - wall.pose.p;
        // Work by the mean velocity of the wall over the step.
        const Vector3d omega = (wall.angular_velocity + next[part].angular_velocity) / 2;
        const Vector3d v = (wall.velocity + next[part].velocity) / 2 + omega.cross(arm);
        const Vector3d f = p.normal + p.tangential, moment = arm.cross(f) + p.rolling;
        sums.wall_work[0] += p.normal.dot(v);
        sums.wall_work[1] += p.tangential.dot(v);
        sums.wall_work[2] += p.rolling.dot(omega);
        for (int k = 0; k < 3; ++k) {
            on[part][k] -= f[k];
            on[part][3 + k] -= moment[k];
            sums.push[k] += f[k];
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Motion

void PenaltyBed::move(int begin, int end, Sums& sums)
{
    const double h = options_.h, half = h / 2;
    const double g[3] = {options_.gravity[0], options_.gravity[1], options_.gravity[2]};
    const double c[3] = {mean_[0], mean_[1], mean_[2]};
    for (int i = begin; i < end; ++i) {
        Force& f = force_[i];
        auto& v = v_[i];
        BallRow& x = x_[i];
        const double mass = 1 / v[3];
        double speed = 0;
        for (int k = 0; k < 3; ++k) {
            const double force = f[k] + f[3 + k], torque = f[6 + k] + f[9 + k];
            const double next = v[k] + h * (v[3] * force + g[k]), turn = v[4 + k] + h * v[7] * torque;
            const double twice = v[k] + next, twice_turn = v[4 + k] + turn;
            sums.work[0] += f[k] * twice;
            sums.work[1] += f[3 + k] * twice + f[6 + k] * twice_turn;
            sums.work[2] += f[9 + k] * twice_turn;
            sums.pushed += std::abs(force);
            sums.momentum[k] += mass * next;
            speed += (next - c[k]) * (next - c[k]);
            v[k] = next;
            v[4 + k] = turn;
            x[k] += h * next;
        }
        sums.speed = std::max(sums.speed, speed);
        f = {};
    }
    for (double& w : sums.work) w *= half;
}

void PenaltyBed::move_walls(std::span<const BodyMotion> next)
{
    double most = 0;
    const double slack = 2 * options_.wall_skin * size_;
    for (std::size_t w = 0; w < motion_.size(); ++w) {
        const Pose &now = next.empty() ? motion_[w].pose : next[w].pose, &before = motion_[w].pose;
        most = std::max(most, (now.p - before.p - options_.h * mean_).norm() +
                                  (now.R - before.R).norm() * (reach_[w] + slack));
    }
    wall_moved_ += most;
    std::copy(next.begin(), next.end(), motion_.begin());
}

void PenaltyBed::reduce()
{
    const double h = options_.h;
    Sums all{};
    deepest_ = {};
    for (int b = 0; b < blocks(); ++b) {
        const Sums& s = sums_[b];
        for (int k = 0; k < 3; ++k) {
            all.work[k] += s.work[k];
            all.wall_work[k] += s.wall_work[k];
            all.momentum[k] += s.momentum[k];
            all.push[k] += s.push[k];
        }
        all.pushed += s.pushed;
        all.speed = std::max(all.speed, s.speed);
        deepest_.add(depth_[b]);
    }
    const Vector3d momentum = vector(all.momentum);
    if (!momentum.allFinite() || !std::isfinite(all.speed))
        fail("The step diverged: velocities are not finite; reduce the step, or the stiffness of the "
             "contacts.");
    for (int k = 0; k < 3; ++k) {
        work_[k] += all.work[k];
        wall_work_[k] += h * all.wall_work[k];
    }
    const Vector3d error = momentum - mass_ * mean_ - h * (mass_ * options_.gravity + vector(all.push));
    momentum_error_ = all.pushed > 0 ? error.norm() / (h * all.pushed) : 0;
    mean_ = momentum / mass_;
    const std::size_t walls = motion_.size();
    for (std::size_t w = 0; w < walls; ++w) {
        Wrench& sum = wrench_[w] = {};
        for (int b = 0; b < blocks(); ++b) {
            const auto& on = wall_sums_[b * walls + w];
            sum.force += vector(on.data());
            sum.moment += vector(on.data() + 3);
        }
    }
    const double moved = h * std::sqrt(all.speed);
    outer_moved_ += 2 * moved;
    inner_moved_ += 2 * moved;
    wall_moved_ += moved;
}

// ---------------------------------------------------------------------------------------------------------
// Lists

void PenaltyBed::renew()
{
    if (wall_moved_ > options_.wall_skin * size_) list_walls();
    if (!(inner_moved_ > options_.inner_skin * size_)) return;
    if (outer_moved_ > (options_.skin - options_.inner_skin) * size_)
        sort();
    else
        refresh();
    inner_moved_ = 0;
}

void PenaltyBed::keep(std::vector<Kept>& pairs, std::vector<Kept>& walls) const
{
    pairs.clear();
    walls.clear();
    if (!elastic() || inner_start_.empty()) return;
    for (int i = 0; i < count(); ++i)
        for (int k = inner_start_[i]; k < inner_start_[i + 1]; ++k)
            if (!u_[k].isZero(0)) pairs.push_back({number_[i], number_[inner_[k]], u_[k]});
    for (const WallContact& c : wall_list_)
        if (!c.u.isZero(0)) walls.push_back({number_[c.ball], c.surface, c.u});
}

void PenaltyBed::arrange(std::vector<Kept>& pairs, std::span<const Kept> walls)
{
    for (Kept& c : pairs) {
        c = {place_[c.i], place_[c.j], c.u};
        if (c.i > c.j) c = {c.j, c.i, -c.u};
    }
    std::sort(pairs.begin(), pairs.end(),
              [](const Kept& a, const Kept& b) { return a.i != b.i ? a.i < b.i : a.j < b.j; });
    inner_start_.assign(count() + 1, 0);
    inner_.clear();
    u_.clear();
    for (const Kept& c : pairs) {
        ++inner_start_[c.i + 1];
        inner_.push_back(c.j);
        u_.push_back(c.u);
    }
    for (int i = 0; i < count(); ++i) inner_start_[i + 1] += inner_start_[i];
    wall_list_.clear();
    for (const Kept& c : walls) wall_list_.push_back({place_[c.i], c.j, c.u});
    std::sort(wall_list_.begin(), wall_list_.end(), [](const WallContact& a, const WallContact& b) {
        return a.ball != b.ball ? a.ball < b.ball : a.surface < b.surface;
    });
}

void PenaltyBed::sort()
{
    keep(kept_pairs_, kept_walls_);
    const std::vector<int>& order = grid_.sort(x_, options_.skin * size_);
    const auto permute = [&](auto& list, auto& old) {
        old = list;
        for (int i = 0; i < count(); ++i) list[i] = old[order[i]];
    };
    permute(number_, old_);
    permute(material_, old_);
    permute(x_, old_x_);
    permute(v_, old_v_);
    for (int i = 0; i < count(); ++i) place_[number_[i]] = i;
    arrange(kept_pairs_, kept_walls_);
    list_outer();
    refresh();
    list_walls();
    outer_moved_ = inner_moved_ = 0;
    ++sorts_;
}

void PenaltyBed::list_outer()
{
    grid_.pairs(x_, options_.skin * size_, outer_start_, outer_);
    if (!options_.balls_touch) return;
    int kept = 0;
    for (int i = 0, k = 0; i < count(); ++i) {
        for (; k < outer_start_[i + 1]; ++k)
            if (options_.balls_touch(number_[i], number_[outer_[k]])) outer_[kept++] = outer_[k];
        outer_start_[i + 1] = kept;
    }
    outer_.resize(kept);
}

void PenaltyBed::refresh()
{
    std::swap(inner_start_, before_start_);
    std::swap(inner_, before_);
    std::swap(u_, u_before_);
    inner_start_.resize(count() + 1);
    inner_start_[0] = 0;
    inner_.clear();
    u_.clear();
    const double skin = options_.inner_skin * size_;
    for (int i = 0; i < count(); ++i) {
        const BallRow& p = x_[i];
        int old = elastic() ? before_start_[i] : 0;
        for (int k = outer_start_[i]; k < outer_start_[i + 1]; ++k) {
            const int j = outer_[k];
            const BallRow& q = x_[j];
            const double x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2], reach = p[3] + q[3] + skin;
            if (x * x + y * y + z * z > reach * reach) continue;
            inner_.push_back(j);
            if (!elastic()) continue;
            while (old < before_start_[i + 1] && before_[old] < j) ++old;
            const bool known = old < before_start_[i + 1] && before_[old] == j;
            u_.push_back(known ? u_before_[old] : Vector3d(0, 0, 0));
        }
        inner_start_[i + 1] = static_cast<int>(inner_.size());
    }
    if (options_.threads <= 1) return;
    pushed_.resize(inner_.size());
    in_start_.assign(count() + 1, 0);
    for (const int j : inner_) ++in_start_[j + 1];
    for (int i = 0; i < count(); ++i) in_start_[i + 1] += in_start_[i];
    in_fill_.assign(in_start_.begin(), in_start_.end() - 1);
    in_.resize(inner_.size());
    for (std::size_t k = 0; k < inner_.size(); ++k) in_[in_fill_[inner_[k]]++] = static_cast<int>(k);
}

void PenaltyBed::list_walls()
{
    std::swap(wall_list_, wall_before_);
    wall_list_.clear();
    wall_moved_ = 0;
    const double skin = options_.wall_skin * size_;
    std::fill(reach_.begin(), reach_.end(), 0.0);
    wall_first_.assign(1, 0);
    std::size_t old = 0;
    for (int i = 0; i < count(); ++i) {
        const Vector3d x = vector(x_[i].data());
        Vector3d local(0, 0, 0);
        for (int s = 0, part = -1; s < static_cast<int>(surfaces_.size()); ++s) {
            if (surfaces_[s].part != part) {
                part = surfaces_[s].part;
                const Pose& pose = motion_[part].pose;
                local = pose.R.transpose() * (x - pose.p);
                reach_[part] = std::max(reach_[part], local.norm() + x_[i][3]);
            }
            if (distance(surfaces_[s], local).distance > x_[i][3] + skin) continue;
            if (options_.wall_touches && !options_.wall_touches(number_[i], part)) continue;
            while (old < wall_before_.size() &&
                   (wall_before_[old].ball < i ||
                    (wall_before_[old].ball == i && wall_before_[old].surface < s)))
                ++old;
            const bool known =
                old < wall_before_.size() && wall_before_[old].ball == i && wall_before_[old].surface == s;
            wall_list_.push_back({i, s, known ? wall_before_[old].u : Vector3d(0, 0, 0)});
        }
        if (i % block_size == block_size - 1 || i + 1 == count())
            wall_first_.push_back(static_cast<int>(wall_list_.size()));
    }
}

// ---------------------------------------------------------------------------------------------------------
// The state

double PenaltyBed::kinetic_energy() const
{
    double twice = 0;
    for (const auto& v : v_) twice += vector(&v[0]).squaredNorm() / v[3] + vector(&v[4]).squaredNorm() / v[7];
    return twice / 2;
}

Vector3d PenaltyBed::momentum() const
{
    Vector3d sum(0, 0, 0);
    for (const auto& v : v_) sum += vector(&v[0]) / v[3];
    return sum;
}

Vector3d PenaltyBed::centre_of_mass() const
{
    Vector3d sum(0, 0, 0);
    for (int i = 0; i < count(); ++i) sum += vector(x_[i].data()) / v_[i][3];
    return sum / mass_;
}

double PenaltyBed::granular_temperature() const
{
    Vector3d mean(0, 0, 0);
    for (const auto& v : v_) mean += vector(&v[0]);
    mean /= count();
    double sum = 0;
    for (const auto& v : v_) sum += (vector(&v[0]) - mean).squaredNorm();
    return sum / (3 * count());
}

Dissipation PenaltyBed::spring_parts() const
{
    Dissipation sum;
    const auto add = [&](const PenaltyLaw& l, double delta, double radius, const Vector3d* u_T) {
        const double normal = overlap_energy(l, delta, radius, nullptr);
        sum.normal += normal;
        if (u_T) sum.friction += overlap_energy(l, delta, radius, u_T) - normal;
    };
    for (int i = 0; i < count(); ++i)
        for (int k = inner_start_[i]; k < inner_start_[i + 1]; ++k) {
            const BallRow &p = x_[i], &q = x_[inner_[k]];
            const double delta = p[3] + q[3] - (vector(q.data()) - vector(p.data())).norm();
            if (!(delta > 0)) continue;
            add(law(material_[i], material_[inner_[k]]), delta, p[3] * q[3] / (p[3] + q[3]),
                elastic() ? &u_[k] : nullptr);
        }
    for (const WallContact& c : wall_list_) {
        const WallSurface& s = surfaces_[c.surface];
        const Pose& pose = motion_[s.part].pose;
        const BallRow& q = x_[c.ball];
        const double delta = q[3] - distance(s, pose.R.transpose() * (vector(q.data()) - pose.p)).distance;
        if (!(delta > 0)) continue;
        add(law(wall_material_[s.part], material_[c.ball]), delta, q[3], elastic() ? &c.u : nullptr);
    }
    return sum;
}

double PenaltyBed::spring_energy() const
{
    const Dissipation parts = spring_parts();
    return parts.normal + parts.friction;
}

Dissipation PenaltyBed::dissipated() const
{
    const Dissipation now = spring_parts();
    return {wall_work_[0] - work_[0] - (now.normal - start_springs_.normal),
            wall_work_[1] - work_[1] - (now.friction - start_springs_.friction), wall_work_[2] - work_[2]};
}

void PenaltyBed::visit(const std::function<void(const Contact&)>& use) const
{
    Pushed p;
    for (int i = 0; i < count(); ++i)
        for (int k = inner_start_[i]; k < inner_start_[i + 1]; ++k) {
            Vector3d u = elastic() ? u_[k] : Vector3d(0, 0, 0);
            if (!push(i, inner_[k], elastic() ? &u : nullptr, p)) continue;
            use({number_[i], number_[inner_[k]], 0, -p.delta, vector(x_[i].data()) + p.arm_a * p.n, p.n, p.u,
                 p.normal + p.tangential, p.rolling});
        }
    for (const WallContact& c : wall_list_) {
        Vector3d u = c.u;
        if (!push_wall(c.ball, c.surface, elastic() ? &u : nullptr, p)) continue;
        const int part = surfaces_[c.surface].part;
        use({-1 - part, number_[c.ball], c.surface - first_surface_[part], -p.delta,
             vector(x_[c.ball].data()) - p.arm_b * p.n, p.n, p.u, p.normal + p.tangential, p.rolling});
    }
}

void PenaltyBed::hash(StateHash& hash) const
{
    for (int ball = 0; ball < count(); ++ball) {
        hash.add(x_[place_[ball]].data(), 3);
        hash.add(v_[place_[ball]].data(), 8);
    }
}

// The order of the balls is that of their sums, and how far they have moved tells when they are sorted next.
void PenaltyBed::write(SavedState& out) const
{
    std::vector<double> rows;
    for (int i = 0; i < count(); ++i) {
        rows.insert(rows.end(), x_[i].begin(), x_[i].end() - 1);
        rows.insert(rows.end(), v_[i].begin(), v_[i].begin() + 3);
        rows.insert(rows.end(), v_[i].begin() + 4, v_[i].begin() + 7);
    }
    out.put("balls", rows);
    out.put_integers("ball_order", number_);
    const auto put = [&](const std::string& name, const std::vector<Kept>& kept) {
        std::vector<int> between;
        std::vector<double> u;
        for (const Kept& c : kept) {
            between.insert(between.end(), {c.i, c.j});
            u.insert(u.end(), c.u.data(), c.u.data() + 3);
        }
        out.put_integers(name, between);
        out.put(name + "_history", u);
    };
    std::vector<Kept> pairs, walls;
    keep(pairs, walls);
    put("ball_contacts", pairs);
    put("wall_contacts", walls);
    std::vector<double> sums{outer_moved_, inner_moved_, start_springs_.normal, start_springs_.friction};
    sums.insert(sums.end(), work_, work_ + 3);
    sums.insert(sums.end(), wall_work_, wall_work_ + 3);
    sums.insert(sums.end(), mean_.data(), mean_.data() + 3);
    out.put("ball_sums", sums);
}

void PenaltyBed::read(const SavedState& in, std::span<const BodyMotion> walls)
{
    std::copy(walls.begin(), walls.end(), motion_.begin());
    const std::vector<double>& rows = in.get("balls", 9 * x_.size());
    const auto& order = in.get_integers("ball_order", x_.size());
    std::vector<bool> seen(x_.size());
    for (const std::int64_t n : order) {
        if (n < 0 || n >= count() || seen[n])
            fail("The state to go on from names ball {} twice, or one that is not there: it is damaged.", n);
        seen[n] = true;
    }
    const auto old_x = x_;
    const auto old_v = v_;
    const auto old_material = material_;
    const auto old_place = place_;
    for (int i = 0; i < count(); ++i) {
        const int number = static_cast<int>(order[i]), old = old_place[number];
        const double* r = &rows[9 * i];
        number_[i] = number;
        place_[number] = i;
        x_[i] = {r[0], r[1], r[2], old_x[old][3]};
        v_[i] = {r[3], r[4], r[5], old_v[old][3], r[6], r[7], r[8], old_v[old][7]};
        material_[i] = old_material[old];
    }
    const auto get = [&](const std::string& name, int second) {
        const auto& between = in.get_integers(name);
        const std::vector<double>& u = in.get(name + "_history", between.size() / 2 * 3);
        std::vector<Kept> kept;
        for (std::size_t k = 0; k < between.size() / 2; ++k) {
            if (between[2 * k] < 0 || between[2 * k] >= count() || between[2 * k + 1] < 0 ||
                between[2 * k + 1] >= second)
                fail("The state to go on from has a contact between {} and {}, which are not there: it is "
                     "damaged.",
                     between[2 * k], between[2 * k + 1]);
            kept.push_back(
                {static_cast<int>(between[2 * k]), static_cast<int>(between[2 * k + 1]), vector(&u[3 * k])});
        }
        return kept;
    };
    std::vector<Kept> pairs = get("ball_contacts", count());
    arrange(pairs, get("wall_contacts", static_cast<int>(surfaces_.size())));
    const std::vector<double>& sums = in.get("ball_sums", 13);
    start_springs_ = {sums[2], sums[3], 0};
    std::copy_n(&sums[4], 3, work_);
    std::copy_n(&sums[7], 3, wall_work_);
    mean_ = vector(&sums[10]);
    list_outer();
    refresh();
    list_walls();
    outer_moved_ = sums[0];
    inner_moved_ = sums[1];
}

} // namespace tamis
