// With one freedom, h(q) = 0 is a curve. It is followed by its length: a step along the tangent t, J t = 0, and
// Newton's method across it,
//
//     (J; t^T) dq = (-h; 0)
//
// which is regular where the swept coordinate turns round (Keller 1977). Between two points where a component of t
// changes sign, that coordinate has an extreme value, found by bisection; where the determinant of (J; t^T) does, two
// curves cross. Turns and lengths are compared by the length of the mechanism.
#include "tamis/mechanics/travel.hpp"

#include "tamis/base/error.hpp"
#include "tamis/mechanics/prescribed.hpp"
#include "tamis/model/rotation.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace tamis {

using Eigen::MatrixXd, Eigen::VectorXd;

namespace {

constexpr double closing = 1e-12; // of loops, over the length of the mechanism
constexpr double still = 1e-9;    // a component of the tangent that counts as zero
constexpr double far = 100;       // lengths that a slide may go
constexpr long most_points = 200000;
constexpr double shortest = 1e-7; // step

class Curve {
  public:
    Curve(Multibody& body, const Partition& partition)
        : body_(body), rows_(partition.loop_rows), scale_(body.nv), free_()
    {
        for (int j = 0; j < body.nv; ++j) scale_[j] = body.turns(j) ? 1 : body.length_scale;
        free_ = partition.u;
        free_.insert(free_.end(), partition.v.begin(), partition.v.end());
        std::sort(free_.begin(), free_.end());
    }

    struct Place {
        VectorXd q, t; // t: of all velocities, scaled
        double determinant = 1;
    };
    // The tangent at q, on the side of `along`.
    Place at(const VectorXd& q, const VectorXd& along)
    {
        const MatrixXd A = gradient(q);
        const auto n = static_cast<Eigen::Index>(free_.size());
        VectorXd t = VectorXd::Unit(n, n - 1);
        if (!rows_.empty())
            t = Eigen::HouseholderQR<MatrixXd>(A.transpose()).householderQ() * VectorXd::Unit(n, n - 1);
        double side = 0;
        for (Eigen::Index k = 0; k < n; ++k) side += t[k] * along[free_[k]];
        if (side < 0) t = -t;
        MatrixXd both(n, n);
        both << A, t.transpose();
        Place out{q, VectorXd::Zero(body_.nv), both.partialPivLu().determinant()};
        for (Eigen::Index k = 0; k < n; ++k) out.t[free_[k]] = t[k];
        return out;
    }
    // The place of the curve across from a step along the tangent; nothing if loops do not close there.
    std::optional<Place> step(const Place& from, double distance)
    {
        VectorXd q = advanced(from.q, distance * from.t);
        const auto n = static_cast<Eigen::Index>(free_.size()), m = static_cast<Eigen::Index>(rows_.size());
        double previous = std::numeric_limits<double>::infinity();
        for (int iteration = 0; iteration < 12; ++iteration) {
            const MatrixXd A = gradient(q);
            VectorXd rhs = VectorXd::Zero(n);
            for (Eigen::Index i = 0; i < m; ++i) rhs[i] = -body_.h[rows_[i]] / body_.length_scale;
            const double error = m > 0 ? rhs.cwiseAbs().maxCoeff() : 0;
            if (error <= 1e-15 || (error <= closing && error >= previous / 2)) return at(q, from.t);
            if (!(error < 1e3)) return {};
            previous = error;
            MatrixXd both(n, n);
            both.topRows(m) = A;
            for (Eigen::Index k = 0; k < n; ++k) both(m, k) = from.t[free_[k]];
            const VectorXd d = both.partialPivLu().solve(rhs);
            if (!d.allFinite() || d.norm() > 2 * std::abs(distance) + 1e-3) return {};
            VectorXd all = VectorXd::Zero(body_.nv);
            for (Eigen::Index k = 0; k < n; ++k) all[free_[k]] = d[k];
            q = advanced(q, all);
        }
        return {};
    }
    // From q to another place, scaled, turns to their nearest equals.
    VectorXd between(const VectorXd& q, const VectorXd& other) const
    {
        VectorXd d = VectorXd::Zero(body_.nv);
        for (const Mechanism::Link& l : body_.mechanism.links()) {
            if (l.joint.kind == ElementaryJoint::spherical) {
                const auto turn = [](const double* x) { return Eigen::Quaterniond(x[0], x[1], x[2], x[3]); };
                const Eigen::Quaterniond relative = turn(&q[l.q]).conjugate() * turn(&other[l.q]);
                d.segment<3>(l.v) = RotationVector::log(relative.toRotationMatrix()).phi();
            } else if (l.nv() == 1) {
                d[l.v] = (other[l.q] - q[l.q]) / scale_[l.v];
                if (body_.turns(l.v)) d[l.v] = std::remainder(d[l.v], 2 * std::numbers::pi);
            }
        }
        return d;
    }
    const std::vector<int>& free() const { return free_; }
    double scale(int j) const { return scale_[j]; }
    double value(const VectorXd& q, int j) const { return q[body_.mechanism.position_index(j)]; }

  private:
    MatrixXd gradient(const VectorXd& q) // of the loops that count, by free velocities, scaled
    {
        MatrixXd A(rows_.size(), free_.size());
        if (rows_.empty()) return A;
        body_.loops(q.data());
        for (std::size_t i = 0; i < rows_.size(); ++i)
            for (std::size_t k = 0; k < free_.size(); ++k)
                A(i, k) = body_.J(rows_[i], free_[k]) * scale_[free_[k]] / body_.length_scale;
        return A;
    }
    VectorXd advanced(const VectorXd& q, const VectorXd& scaled) const
    {
        VectorXd out(body_.nq);
        const VectorXd v = scaled.cwiseProduct(scale_);
        body_.advance(q.data(), v.data(), out.data());
        return out;
    }

    Multibody& body_;
    std::vector<int> rows_;
    VectorXd scale_;
    std::vector<int> free_;
};

class Sweep {
  public:
    Sweep(Curve& curve, const Travel& travel, int swept, const TravelOptions& options)
        : curve_(curve), travel_(travel), swept_(swept), options_(options)
    {
    }
    struct Way { // in one direction
        std::vector<Travel::Point> points;
        std::vector<Turning> turnings;
        std::vector<double> branches;
        Travel::End end = Travel::End::lost;
    };

    Way follow(const Curve::Place& start)
    {
        Way way;
        Curve::Place here = start;
        double step = options_.step;
        const double first = value(here);
        bool left = false; // far enough from the start to come back to it
        for (long n = 0; n < most_points; ++n) {
            const std::optional<Curve::Place> next = curve_.step(here, step);
            if (!next || next->t.dot(here.t) < 0.97) {
                if (step < shortest) return way;
                step /= 2;
                continue;
            }
            if (const auto stop = limit(here, *next, step)) {
                add_turnings(way, here, stop->place, stop->distance);
                way.points.push_back(point(stop->place));
                way.end = Travel::End::limit;
                return way;
            }
            const VectorXd back = curve_.between(next->q, start.q);
            if (left && back.norm() < 1.5 * step && back.dot(next->t) <= 0) {
                add_turnings(way, here, *next, step, &start);
                way.points.push_back(point(*next));
                way.end = Travel::End::closed;
                return way;
            }
            left = left || back.norm() > 3 * step;
            add_turnings(way, here, *next, step);
            here = *next;
            way.points.push_back(point(here));
            if (std::abs(value(here) - first) > far * curve_.scale(swept_)) {
                way.end = Travel::End::endless;
                return way;
            }
            step = std::min(2 * step, options_.step);
        }
        return way;
    }
    Travel::Point point(const Curve::Place& at) const
    {
        VectorXd values(travel_.moving.size());
        for (std::size_t k = 0; k < travel_.moving.size(); ++k)
            values[k] = curve_.value(at.q, travel_.moving[k].index);
        return {values, std::abs(at.t[swept_])};
    }
    double value(const Curve::Place& at) const { return curve_.value(at.q, swept_); }

  private:
    // The place between where a function changes its sign, by bisection.
    struct Found {
        Curve::Place place;
        double distance;
    };
    template <class F>
    Found root(const Curve::Place& here, double step, F&& f)
    {
        double low = 0, high = step;
        Curve::Place at = here;
        const bool sign = f(here) > 0;
        for (int k = 0; k < 60 && high - low > 1e-15 * step; ++k) {
            const double middle = (low + high) / 2;
            const auto there = curve_.step(here, middle);
            if (!there) break;
            at = *there;
            ((f(at) > 0) == sign ? low : high) = middle;
        }
        return {at, high};
    }
    std::optional<Found> limit(const Curve::Place& here, const Curve::Place& next, double step)
    {
        for (const double x : {options_.from, options_.to}) {
            const bool lower = x == options_.from;
            const auto over = [&](const Curve::Place& at) { return lower ? x - value(at) : value(at) - x; };
            if (over(next) >= 0 && over(here) <= 0) return root(here, step, over);
        }
        return {};
    }
    // `closed`: the start, which lies in this step, for extremes behind it were found at first.
    void add_turnings(Way& way, const Curve::Place& here, const Curve::Place& next, double step,
                      const Curve::Place* closed = nullptr)
    {
        const auto beyond = [&](const Curve::Place& at) {
            return closed && curve_.between(at.q, closed->q).dot(at.t) < 0;
        };
        for (std::size_t k = 0; k < travel_.moving.size(); ++k) {
            const int j = travel_.moving[k].index;
            if (std::abs(here.t[j]) < still || here.t[j] * next.t[j] >= 0) continue;
            const Curve::Place at = root(here, step, [&](const Curve::Place& x) { return x.t[j]; }).place;
            if (!beyond(at))
                way.turnings.push_back(
                    {travel_.moving[k], here.t[j] < 0, curve_.value(at.q, j), value(at), at.q});
        }
        if (here.determinant * next.determinant < 0) {
            const Curve::Place at =
                root(here, step, [](const Curve::Place& x) { return x.determinant; }).place;
            if (!beyond(at)) way.branches.push_back(value(at));
        }
    }

    Curve& curve_;
    const Travel& travel_;
    int swept_;
    const TravelOptions& options_;
};

} // namespace

const char* end_name(Travel::End end)
{
    switch (end) {
    case Travel::End::closed:
        return "comes back to its start";
    case Travel::End::limit:
        return "stopped where it was asked to";
    case Travel::End::endless:
        return "goes on without end";
    case Travel::End::lost:
        break;
    }
    return "ends where loops cannot be closed";
}

Travel find_travel(const Model& whole, Coordinate swept, const TravelOptions& options)
{
    const std::string name = coordinate_name(whole, swept);
    const Model model = with_drives(whole, {}, {swept});
    Travel out;
    Parts parts(model);
    Part& part = *parts.all[swept.mechanism];
    VectorXd q = parts.q_of(part);
    // Beside the swept coordinate: whatever else is free.
    std::vector<int> driven = part.driven.index();
    std::vector<int> with_swept = driven;
    with_swept.push_back(swept.index);
    const std::vector<int>& named = whole.independent_of(swept.mechanism);
    std::vector<int> others;
    for (const int j : named)
        if (j != swept.index && std::find(driven.begin(), driven.end(), j) == driven.end())
            others.push_back(j);
    const Partition all(part.body, {}, driven, q.data());
    if (all.nu() == 0)
        fail(
            "'{}' cannot move: nothing of mechanism '{}' is free with the coordinates that are driven or held.",
            name, part.body.mechanism.name());
    if (static_cast<int>(others.size()) != all.nu() - 1)
        others = Partition(part.body, {}, with_swept, q.data()).u;
    for (const int j : others) {
        if (static_cast<int>(out.held.size()) == all.nu() - 1) break;
        out.held.push_back({swept.mechanism, j});
        driven.push_back(j);
    }
    const Partition one(part.body, {}, driven, q.data());
    if (one.nu() != 1)
        fail("'{}' cannot be swept from where it starts: it is at a dead point there, start elsewhere.",
             name);
    for (const Mechanism::Link& l : part.body.mechanism.links())
        if (l.nv() == 1) out.moving.push_back({swept.mechanism, l.v});
    if (const double x = q[part.body.mechanism.position_index(swept.index)];
        !(x >= options.from && x <= options.to))
        fail("'{}' starts at {:g}, which is not between the limits {:g} and {:g} of its sweep.", name, x,
             options.from, options.to);

    Curve curve(part.body, one);
    Sweep sweep(curve, out, swept.index, options);
    // From a little beyond the start: models like to start where some coordinate is at an extreme.
    Curve::Place up = curve.at(q, VectorXd::Unit(part.body.nv, swept.index));
    if (const auto beyond = curve.step(up, 0.3 * options.step);
        beyond && sweep.value(*beyond) > options.from && sweep.value(*beyond) < options.to)
        up = *beyond;
    const Sweep::Way forth = sweep.follow(up);
    out.up = out.down = forth.end;
    if (forth.end != Travel::End::closed) {
        Curve::Place down = up;
        down.t = -down.t;
        down.determinant = -down.determinant;
        const Sweep::Way back = sweep.follow(down);
        out.down = back.end;
        out.points.assign(back.points.rbegin(), back.points.rend());
        out.turnings.assign(back.turnings.rbegin(), back.turnings.rend());
        out.branches.assign(back.branches.rbegin(), back.branches.rend());
    }
    out.points.push_back(sweep.point(up));
    out.points.insert(out.points.end(), forth.points.begin(), forth.points.end());
    out.turnings.insert(out.turnings.end(), forth.turnings.begin(), forth.turnings.end());
    out.branches.insert(out.branches.end(), forth.branches.begin(), forth.branches.end());
    out.least = std::numeric_limits<double>::infinity();
    out.most = -out.least;
    const auto count = [&](double x) {
        out.least = std::min(out.least, x);
        out.most = std::max(out.most, x);
    };
    for (std::size_t k = 0; k < out.moving.size(); ++k)
        if (out.moving[k].index == swept.index)
            for (const Travel::Point& p : out.points) count(p.values[k]);
    for (const Turning& t : out.turnings)
        if (t.of.index == swept.index) count(t.value);
    return out;
}

} // namespace tamis
