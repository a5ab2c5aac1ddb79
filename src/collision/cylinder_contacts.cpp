// Bullet's closest points tell the gap and the normal. Where the normal is that of a side of a polyhedron, or
// of the cap of another cylinder, one point would let the cylinder tip over: the points are then corners of
// the overlap of the two flat sides, or of a generator and the side, measured along the normal. They are
// - points of the rims over the side,
// - the ends of the lowest generator's part over the side,
// - corners of the side under the cap, and crossings of its outline with the rim.
// Lying on an edge of a polyhedron, along it, a cylinder has one point only.
#include "tamis/collision/cylinder_contacts.hpp"

#include "tamis/collision/bullet_adapter.hpp"
#include "tamis/collision/contact_points.hpp"
#include "tamis/collision/hull_queries.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace tamis {

using Eigen::Vector3d;

namespace {

// Cosines above which a normal is that of a side, and two caps, or a cap and a side, face each other; sine
// below which a cylinder lies.
constexpr double normal_of_side = 1 - 1e-8, facing = 0.98, lying = 0.1;
constexpr double tie = 1e-6; // of gaps, relative to the size: Bullet's accuracy on curved sides

struct Placed { // a in the frame of b
    const Cylinder& a;
    Pose body, frame;
    double size, alert;
    ContactPoint closest;
    std::vector<ContactPoint>& out;
    std::size_t first;

    Placed(const Cylinder& a_, const Pose& pose_a, const Shape& b, const Pose& pose_b, double alert_,
           std::vector<ContactPoint>& out_)
        : a(a_), body{pose_b.R.transpose() * pose_a.R, pose_b.R.transpose() * (pose_a.p - pose_b.p)},
          frame(pose_b), size(std::hypot(a.radius, a.half_length)), alert(alert_), out(out_),
          first(out_.size())
    {
        closest.gap = std::numeric_limits<double>::infinity();
        const double reach = size + bounding_radius(b) + alert;
        if (reach >= 0 && body.p.squaredNorm() <= reach * reach)
            closest = closest_points(a, pose_a, b, pose_b);
    }
    Vector3d outward() const { return frame.R.transpose() * -closest.normal; }
    void add(const Vector3d& on_a, const Vector3d& on_b, const Vector3d& outward_, int feature) const
    {
        const double gap = outward_.dot(on_a - on_b);
        if (gap <= alert) append(out, frame * on_a, frame * on_b, frame.R * -outward_, gap, feature);
    }
    // Four of the points, and the closest if it is deeper than these.
    void finish() const
    {
        if (std::isfinite(alert)) keep_few(out, first, 1e-5 * size);
        if (std::none_of(out.begin() + first, out.end(),
                         [&](const ContactPoint& c) { return c.gap <= closest.gap + tie * size; }))
            out.push_back(closest);
    }
};

void on_side(const Placed& p, const Hull& hull)
{
    if (p.closest.gap > p.alert) return;
    const int f = face_along(hull, p.outward());
    const Vector3d& n = hull.normal[f];
    if (n.dot(p.outward()) < normal_of_side) return p.finish();
    const auto height = [&](const Vector3d& x) { return n.dot(x) - hull.offset[f]; };

    const auto rims = rim_points(p.a, p.body, n);
    for (int i = 0; i < 8; ++i) {
        double t0 = 0, t1 = 0;
        clip(hull, f, rims[i], Vector3d::Zero(), 1e-9 * p.size, t0, t1);
        if (t0 <= t1) p.add(rims[i], rims[i] - height(rims[i]) * n, n, 1 + i);
    }
    const Vector3d axis = p.body.R.col(2);
    if (std::abs(axis.dot(n)) < lying) {
        double t0 = 0, t1 = 1;
        clip(hull, f, rims[0], rims[4] - rims[0], 0, t0, t1);
        for (const double t : {t0, t1})
            if (t0 < t1 && t > 0 && t < 1) {
                const Vector3d x = rims[0] + t * (rims[4] - rims[0]);
                p.add(x, x - height(x) * n, n, t == t0 ? 9 : 10);
            }
    } else if (std::abs(axis.dot(n)) > facing) {
        const Vector3d cap = p.body.p + (axis.dot(n) > 0 ? -p.a.half_length : p.a.half_length) * axis;
        // Up along n from the side to the cap.
        const auto rise = [&](const Vector3d& x) { return (cap - x).dot(axis) / n.dot(axis); };
        int a = hull.face_vertex[hull.face_start[f + 1] - 1], feature = 11;
        for (int i = hull.face_start[f]; i < hull.face_start[f + 1]; ++i, feature += 3) {
            const Vector3d x = hull.vertices[a], side = hull.vertices[hull.face_vertex[i]] - x;
            a = hull.face_vertex[i];
            const Vector3d y = x + rise(x) * n, d = y - cap, u = side + (rise(x + side) - rise(x)) * n;
            const double inside = d.squaredNorm() - p.a.radius * p.a.radius;
            if (inside <= 0) p.add(y, x, n, feature);
            // |d + t u| = radius
            const double half = d.dot(u), uu = u.squaredNorm(), root = half * half - uu * inside;
            if (root <= 0) continue;
            for (const double sign : {-1.0, 1.0}) {
                const double t = (-half + sign * std::sqrt(root)) / uu;
                if (t > 0 && t < 1) p.add(y + t * u, x + t * side, n, feature + (sign < 0 ? 1 : 2));
            }
        }
    }
    p.finish();
}

} // namespace

std::array<Vector3d, 8> rim_points(const Cylinder& a, const Pose& pose_a, const Vector3d& normal)
{
    const Vector3d axis = pose_a.R.col(2);
    const Vector3d down = axis.cross(axis.cross(normal)); // length: sine of the tilt
    const double tilt = down.norm();
    const Vector3d first = a.radius * (tilt > 1e-8 ? Vector3d(down / tilt) : Vector3d(pose_a.R.col(0)));
    const Vector3d second = axis.cross(first), low = pose_a.p - a.half_length * axis,
                   high = pose_a.p + a.half_length * axis;
    return {low + first,  low + second,  low - first,  low - second,
            high + first, high + second, high - first, high - second};
}

void cylinder_points(const Cylinder& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double alert,
                     std::vector<ContactPoint>& out)
{
    on_side(Placed(a, pose_a, b, pose_b, alert, out), hull_of(b));
}

void cylinder_points(const Cylinder& a, const Pose& pose_a, const Polyhedron& b, const Pose& pose_b,
                     double alert, std::vector<ContactPoint>& out)
{
    on_side(Placed(a, pose_a, b, pose_b, alert, out), *b.hull);
}

void cylinder_points(const Cylinder& a, const Pose& pose_a, const Cylinder& b, const Pose& pose_b,
                     double alert, std::vector<ContactPoint>& out)
{
    const Placed p(a, pose_a, b, pose_b, alert, out);
    if (p.closest.gap > alert) return;
    const Vector3d axis = p.body.R.col(2), outward = p.outward();
    if (std::abs(axis.z()) > facing && std::abs(outward.z()) > normal_of_side) {
        // Cap over cap, along z.
        const double up = outward.z() < 0 ? -1 : 1;
        const Vector3d n(0, 0, up), cap = p.body.p - std::copysign(a.half_length, up * axis.z()) * axis;
        const auto under = [&](const Vector3d& x) { return Vector3d(x.x(), x.y(), up * b.half_length); };
        const auto above = [&](const Vector3d& x) {
            return Vector3d(x + (cap - x).dot(axis) / axis.z() * Vector3d::UnitZ());
        };
        const auto rims = rim_points(a, p.body, n);
        const int near = up * axis.z() > 0 ? 0 : 4;
        for (int i = near; i < near + 4; ++i)
            if (rims[i].head<2>().norm() <= b.radius) p.add(rims[i], under(rims[i]), n, 1 + i);
        const Vector3d own[] = {{b.radius, 0, 0}, {0, b.radius, 0}, {-b.radius, 0, 0}, {0, -b.radius, 0}};
        for (int i = 0; i < 4; ++i) {
            const Vector3d x = above(under(own[i]));
            if ((x - cap).norm() <= a.radius) p.add(x, under(x), n, 9 + i);
        }
        // Where circles of radii a and b cross, distance c apart: at x along the
        // line of centres, +- y across.
        const Eigen::Vector2d to_a = cap.head<2>();
        const double c = to_a.norm(), x = (c * c + b.radius * b.radius - a.radius * a.radius) / (2 * c);
        if (c > 0 && x * x < b.radius * b.radius) {
            const Eigen::Vector2d along = to_a / c, across(-along.y(), along.x());
            const double y = std::sqrt(b.radius * b.radius - x * x);
            for (const double side : {-1.0, 1.0}) {
                const Eigen::Vector2d q = x * along + side * y * across;
                const Vector3d on_b(q.x(), q.y(), up * b.half_length);
                p.add(above(on_b), on_b, n, side < 0 ? 13 : 14);
            }
        }
    } else if (std::abs(outward.z()) < lying && axis.head<2>().norm() < lying) {
        // Side by side, along the stretch |z| <= half_length.
        const double middle = -p.body.p.z() / axis.z(), half = b.half_length / std::abs(axis.z());
        const double t0 = std::max(-a.half_length, middle - half),
                     t1 = std::min(a.half_length, middle + half);
        for (const double t : {t0, t1}) {
            if (t1 - t0 < 1e-3 * p.size) break;
            const Vector3d down = -outward + outward.dot(axis) * axis;
            const Vector3d x = p.body.p + t * axis + a.radius * down.normalized();
            const Vector3d radial = Vector3d(x.x(), x.y(), 0).normalized();
            if (radial.dot(outward) > facing)
                p.add(x, {b.radius * radial.x(), b.radius * radial.y(), x.z()}, radial, t == t0 ? 1 : 2);
        }
    }
    p.finish();
}

} // namespace tamis
