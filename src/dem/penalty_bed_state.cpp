// What is known of a bed of balls beside its steps: energies and other sums, contacts, and what a run goes on from.
#include "tamis/dem/penalty_bed.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/state_hash.hpp"
#include "tamis/dem/penalty_overlap.hpp"

#include <algorithm>

namespace tamis {

using Eigen::Vector3d;

double PenaltyBed::kinetic_energy() const
{
    current();
    double twice = 0;
    for (int i = 0; i < count(); ++i) {
        const double* v = v_[i].row;
        twice += vector(v).squaredNorm() / v[3] + vector(v + 4).squaredNorm() / v[7];
    }
    return twice / 2;
}

Vector3d PenaltyBed::momentum() const
{
    current();
    Vector3d sum(0, 0, 0);
    for (int i = 0; i < count(); ++i) sum += vector(v_[i].row) / v_[i].row[3];
    return sum;
}

Vector3d PenaltyBed::centre_of_mass() const
{
    current();
    Vector3d sum(0, 0, 0);
    for (int i = 0; i < count(); ++i) sum += vector(x_[i].data()) / v_[i].row[3];
    return sum / mass_;
}

Eigen::Matrix3d PenaltyBed::inertia() const
{
    current();
    const Vector3d centre = centre_of_mass();
    Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
    for (int i = 0; i < count(); ++i) {
        const Vector3d r = vector(x_[i].data()) - centre;
        const double own = 1 / v_[i].row[7], mass = 1 / v_[i].row[3];
        const Eigen::Matrix3d rr = r * r.transpose(); // first, so that the sum is symmetric to the last bit
        sum += (own + mass * r.squaredNorm()) * Eigen::Matrix3d::Identity() - mass * rr;
    }
    return sum;
}

double PenaltyBed::granular_temperature() const
{
    current();
    Vector3d mean(0, 0, 0);
    for (int i = 0; i < count(); ++i) mean += vector(v_[i].row);
    mean /= count();
    double sum = 0;
    for (int i = 0; i < count(); ++i) sum += (vector(v_[i].row) - mean).squaredNorm();
    return sum / (3 * count());
}

void PenaltyBed::for_pairs(const std::function<void(int, int, const Vec<double>&)>& use) const
{
    struct At {
        int i, j, part, slot;
    };
    std::vector<At> all;
    for (int t = 0; t < static_cast<int>(parts_.size()); ++t)
        for (int k = 0; k < parts_[t].pairs.size(); ++k)
            all.push_back({parts_[t].pairs.i(k), parts_[t].pairs.j(k), t, k});
    if (parts_.size() > 1) std::ranges::sort(all, {}, [](const At& a) { return std::pair(a.i, a.j); });
    for (const At& a : all) use(a.i, a.j, parts_[a.part].pairs.history(a.slot));
}

LawOf<double> PenaltyBed::law(int material_a, int material_b) const
{
    return LawOf<double>(laws_[material_a * materials_ + material_b].row);
}

Dissipation PenaltyBed::spring_parts() const
{
    current();
    Dissipation sum;
    const auto add = [&](const LawOf<double>& l, double delta, double radius, const Vec<double>& u) {
        if (!(delta > 0)) return;
        const SpringEnergy energy = tamis::spring_energy(l, delta, radius, u);
        sum.normal += energy.normal;
        sum.friction += energy.tangential;
    };
    for_pairs([&](int i, int j, const Vec<double>& u) {
        const BallRow &p = x_[i], &q = x_[j];
        const double delta = p[3] + q[3] - (vector(q.data()) - vector(p.data())).norm();
        add(law(material_[i], material_[j]), delta, p[3] * q[3] / (p[3] + q[3]), u);
    });
    wall_list_.visit([&](int ball, int surface, const Vec<double>& u) {
        const WallSurface& s = surfaces_[surface];
        const WallMotion& wall = plain_motion_[s.part];
        const double* q = x_[ball].data();
        const double delta = q[3] - distance(s.plain(), wall, vec<double>(q) - vec<double>(wall.p)).distance;
        add(law(wall_material_[s.part], material_[ball]), delta, q[3], u);
    });
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

namespace {

Vector3d eigen(const Vec<double>& v)
{
    return {v.x, v.y, v.z};
}
template <int n>
void copy(const double* from, double (&to)[n])
{
    std::copy_n(from, n, to);
}

} // namespace

// By the plain numbers: what the kernels must come to.
void PenaltyBed::visit(const std::function<void(const Contact&)>& use) const
{
    current();
    const auto force = [&](const LawOf<double>& l, const Overlap<double>& o, Vec<double> u) {
        return elastic() ? penalty_force<LawKinds<true, true, true>>(l, o, options_.h, u)
                         : penalty_force<LawKinds<false, true, true>>(l, o, options_.h, u);
    };
    double p[4], q[4], a[8], b[8];
    for_pairs([&](int i, int j, const Vec<double>& u) {
        copy(x_[i].data(), p);
        copy(x_[j].data(), q);
        copy(v_[i].row, a);
        copy(v_[j].row, b);
        Arms<double> arms;
        const Overlap<double> o = overlap_of_balls(p, a, q, b, arms);
        if (!(o.delta > 0)) return;
        const PenaltyForce<double> f = force(law(material_[i], material_[j]), o, u);
        use({number_[i], number_[j], 0, -o.delta, vector(p) + arms.a * eigen(o.n), eigen(o.n), eigen(o.u),
             f.normal * eigen(o.n) + eigen(f.tangential), eigen(f.rolling)});
    });
    wall_list_.visit([&](int ball, int surface, const Vec<double>& u) {
        const int part = surfaces_[surface].part;
        const WallMotion& wall = plain_motion_[part];
        copy(x_[ball].data(), q);
        copy(v_[ball].row, b);
        const Vec<double> from_origin = vec<double>(q) - vec<double>(wall.p);
        const DistanceOf<double> to = distance(surfaces_[surface].plain(), wall, from_origin);
        if (!(to.distance < q[3])) return;
        Vec<double> point;
        const Overlap<double> o = overlap_of_wall(wall, to, from_origin, q, b, point);
        const PenaltyForce<double> f = force(law(wall_material_[part], material_[ball]), o, u);
        use({-1 - part, number_[ball], surface - first_surface_[part], -o.delta,
             motion_[part].pose.p + eigen(point), eigen(o.n), eigen(o.u),
             f.normal * eigen(o.n) + eigen(f.tangential), eigen(f.rolling)});
    });
}

std::size_t PenaltyBed::bytes() const
{
    const auto of = [](const auto& list) { return sizeof(list[0]) * list.capacity(); };
    std::size_t sum = of(number_) + of(place_) + of(x_) + of(v_) + of(material_) + of(force_) +
                      of(kept_walls_) + of(sums_) + of(wall_sums_) + of(wall_deepest_) + grid_.bytes() +
                      wall_list_.bytes();
    for (const Part& s : parts_) sum += s.pairs.bytes() + of(s.reaction) + of(s.reaction_on);
    return sum;
}

void PenaltyBed::hash(StateHash& hash) const
{
    current();
    for (int ball = 0; ball < count(); ++ball) {
        hash.add(x_[place_[ball]].data(), 3);
        hash.add(v_[place_[ball]].row, 8);
    }
}

// The order of the balls is that of their sums, and how far they have moved tells when they are sorted next.
void PenaltyBed::write(SavedState& out) const
{
    current();
    std::vector<double> rows; // of each ball: x, v, omega
    for (int i = 0; i < count(); ++i) {
        rows.insert(rows.end(), x_[i].begin(), x_[i].end() - 1);
        rows.insert(rows.end(), v_[i].row, v_[i].row + 3);
        rows.insert(rows.end(), v_[i].row + 4, v_[i].row + 7);
    }
    out.put("balls", rows);
    out.put_integers("ball_order", number_);
    const auto put = [&](const std::string& name, const std::vector<KeptContact>& kept) {
        std::vector<int> between;
        std::vector<double> u;
        for (const KeptContact& c : kept) {
            between.insert(between.end(), {c.i, c.j});
            u.insert(u.end(), c.u, c.u + 3);
        }
        out.put_integers(name, between);
        out.put(name + "_history", u);
    };
    std::vector<KeptContact> pairs(histories()), walls;
    keep(pairs);
    wall_list_.keep(walls);
    name(pairs, walls);
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
    sent_ = on_device_ahead_ = false;
    const std::vector<double>& rows = in.get("balls", 9 * number_.size());
    const auto& order = in.get_integers("ball_order", number_.size());
    std::vector<bool> seen(number_.size());
    for (const std::int64_t n : order) {
        if (n < 0 || n >= count() || seen[n])
            fail("The state to go on from names ball {} twice, or one that is not there: it is damaged.", n);
        seen[n] = true;
    }
    std::vector<int> places;
    for (const std::int64_t n : order) places.push_back(place_[n]);
    put_rows(places);
    for (int i = 0; i < count(); ++i) {
        const double* r = &rows[9 * i];
        std::copy_n(r, 3, x_[i].data());
        std::copy_n(r + 3, 3, v_[i].row);
        std::copy_n(r + 6, 3, v_[i].row + 4);
    }
    place_walls(walls);
    const auto get = [&](const std::string& name, int second) {
        const auto& between = in.get_integers(name);
        const std::vector<double>& u = in.get(name + "_history", between.size() / 2 * 3);
        std::vector<KeptContact> kept;
        for (std::size_t k = 0; k < between.size() / 2; ++k) {
            if (between[2 * k] < 0 || between[2 * k] >= count() || between[2 * k + 1] < 0 ||
                between[2 * k + 1] >= second)
                fail("The state to go on from has a contact between {} and {}, which are not there: it is "
                     "damaged.",
                     between[2 * k], between[2 * k + 1]);
            kept.push_back({static_cast<int>(between[2 * k]),
                            static_cast<int>(between[2 * k + 1]),
                            {u[3 * k], u[3 * k + 1], u[3 * k + 2]}});
        }
        return kept;
    };
    std::vector<KeptContact> pairs = get("ball_contacts", count());
    kept_walls_ = get("wall_contacts", static_cast<int>(surfaces_.size()));
    arrange(pairs, kept_walls_);
    const std::vector<double>& sums = in.get("ball_sums", 13);
    start_springs_ = {sums[2], sums[3], 0};
    std::copy_n(&sums[4], 3, work_);
    std::copy_n(&sums[7], 3, wall_work_);
    mean_ = vector(&sums[10]);
    list_outer();
    refresh(pairs);
    list_walls();
    outer_moved_ = sums[0];
    inner_moved_ = sums[1];
}

} // namespace tamis
