// A capsule is a segment x + t u, |t| <= L, and all points within r of it: its gaps are
// those of the segment less r.
//
// Two segments: the closed form of Ericson (2005), Real-Time Collision Detection, 5.1.9.
//
// Segment against a convex solid: the distance d(t) of x + t u is convex, and d d' = (x + t u - q(t)) . u
// with the nearest point q(t) of the solid, so d is least at an end or at the root of that slope. The slope
// grows with t; for a polyhedron it is linear by pieces, on the last of which the Illinois secant hits the
// root. A segment that enters the solid is deeper than r: then the direction is that of the largest
// separation, over the faces and the products of u with the edges for a polyhedron, by Bullet for a cylinder.
//
// A capsule that lies on a flat side, along an edge or along a cylinder rests on two points: the ends of the
// part of the segment that is above the side, measured along the normal of the closest point.
#include "tamis/collision/capsule_contacts.hpp"

#include "tamis/collision/bullet_adapter.hpp"
#include "tamis/collision/contact_points.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace tamis {

using Eigen::Vector3d;

namespace {

// Normals closer than this cosine belong to one side; segments closer to parallel than this sine lie.
constexpr double same_side = 0.98, lying = 0.1;
// Relative to the sizes: gaps that differ by less are equal, and a segment beside a side by less is on it.
constexpr double tie = 1e-9, beside = 1e-3;

struct Segment {
    Vector3d x, u;
    double length; // half of it
    Segment(const Capsule& c, const Pose& pose, const Pose& frame)
        : x(frame.R.transpose() * (pose.p - frame.p)), u(frame.R.transpose() * pose.R.col(2)),
          length(c.half_length)
    {
    }
};

template <class Solid>
bool shortest(const Solid& solid, const Vector3d& x, const Vector3d& u, double length, double& t,
              Nearest& found)
{
    // A segment through a rectangle has no point inside; this close, the direction is noise.
    const double inside = 1e-12 * length;
    const auto slope = [&](double at) {
        t = at;
        found = nearest(solid, x + t * u);
        return found.distance * found.outward.dot(u);
    };
    double t0 = -length, s0 = slope(t0);
    if (found.distance <= inside || s0 >= 0) return found.distance > inside;
    double t1 = length, s1 = slope(t1);
    if (found.distance <= inside || s1 <= 0) return found.distance > inside;
    int side = 0;
    for (int i = 0; i < 100 && t1 - t0 > 1e-15 * length; ++i) {
        const double secant = t0 - s0 * (t1 - t0) / (s1 - s0);
        const double s = slope(i % 4 == 3 || !(secant > t0 && secant < t1) ? (t0 + t1) / 2 : secant);
        if (found.distance <= inside) return false;
        if (std::abs(s) <= 1e-13 * found.distance) break;
        if (s < 0) {
            t0 = t;
            s0 = s;
            if (side < 0) s1 /= 2;
            side = -1;
        } else {
            t1 = t;
            s1 = s;
            if (side > 0) s0 /= 2;
            side = 1;
        }
    }
    return true;
}

// The direction of the largest separation of a segment that enters the hull, and where it is attained.
void deepest(const Hull& hull, const Segment& a, double& t, Nearest& found)
{
    found.distance = -std::numeric_limits<double>::infinity();
    for (int f = 0; f < hull.faces(); ++f) {
        const double slope = hull.normal[f].dot(a.u);
        const double height = hull.normal[f].dot(a.x) - hull.offset[f] - a.length * std::abs(slope);
        if (height > found.distance) {
            found = {hull.normal[f], height};
            t = slope == 0 ? 0 : slope > 0 ? -a.length : a.length;
        }
    }
    for (const Hull::Edge& edge : hull.edges) {
        const Vector3d from = hull.vertices[edge.a], e = hull.vertices[edge.b] - from;
        Vector3d n = a.u.cross(e);
        const double sine = n.norm();
        if (sine <= 1e-9 * e.norm()) continue;
        n /= sine;
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (const Vector3d& v : hull.vertices) {
            const double h = n.dot(v - a.x);
            low = std::min(low, h);
            high = std::max(high, h);
        }
        if (std::max(-high, low) <= found.distance + tie * hull.radius) continue;
        // Of parallel edges, the one on which the hull ends.
        const double level = n.dot(from - a.x), end = -high > low ? high : low;
        if (std::abs(level - end) > tie * hull.radius) continue;
        found = -high > low ? Nearest{n, -high} : Nearest{-n, low};
        const double b = a.u.dot(e), c = e.squaredNorm();
        const Vector3d d = a.x - from;
        t = std::clamp((b * e.dot(d) - c * a.u.dot(d)) / (c - b * b), -a.length, a.length);
    }
}

// Appends the points of a at the parameters t0 and t1 whose nearest points `at` gives, and the point at t if
// it is deeper than both.
template <class At>
void append_stretch(double radius, const Segment& a, const Pose& frame, double t, const Nearest& found,
                    double t0, double t1, double size, double alert, At&& at, std::vector<ContactPoint>& out)
{
    const auto add = [&](double parameter, const Nearest& n, int feature) {
        append_ball(radius, frame * (a.x + parameter * a.u), frame.R * n.outward, n.distance, alert, feature,
                    out);
    };
    bool covered = false;
    if (t1 - t0 > beside * a.length)
        for (const double end : {t0, t1}) {
            const Nearest n = at(end);
            if (!(n.outward.dot(found.outward) >= same_side)) continue;
            covered |= n.distance <= found.distance + tie * size;
            add(end, n, end == t0 ? 1 : 2);
        }
    if (!covered) add(t, found, 0);
}

template <class Solid>
void polyhedral(const Capsule& a, const Pose& pose_a, const Solid& solid, const Hull& hull,
                const Pose& pose_b, double alert, std::vector<ContactPoint>& out)
{
    const Segment s(a, pose_a, pose_b);
    const double reach = s.length + a.radius + hull.radius + alert;
    if (reach < 0 || s.x.squaredNorm() > reach * reach) return;
    double t;
    Nearest found;
    if (!shortest(solid, s.x, s.u, s.length, t, found)) deepest(hull, s, t, found);
    if (found.distance - a.radius > alert) return;

    double t0 = 0, t1 = 0;
    const int f = face_along(hull, found.outward);
    const Vector3d& n = hull.normal[f];
    const double cosine = n.dot(found.outward);
    const auto above = [&](const Vector3d& x) { return (n.dot(x) - hull.offset[f]) / cosine; };
    if (cosine > same_side && std::abs(s.u.dot(found.outward)) < lying) {
        // Along an edge, the segment is over the face or beside it by rounding.
        const auto over_face = [&](double slack) {
            t0 = -s.length;
            t1 = s.length;
            clip(hull, f, s.x - above(s.x) * found.outward, s.u - n.dot(s.u) / cosine * found.outward,
                 slack * a.radius, t0, t1);
        };
        over_face(tie);
        if (t1 - t0 <= beside * s.length) over_face(beside);
        if (t1 - t0 <= lying * s.length) t0 = t1 = 0;
    }
    append_stretch(
        a.radius, s, pose_b, t, found, t0, t1, a.radius + s.length, alert,
        [&](double end) {
            // Beside the side, by the slack of clip, its plane is not the surface.
            return Nearest{found.outward, std::max(above(s.x + end * s.u), found.distance)};
        },
        out);
}

} // namespace

SegmentPair closest_on_segments(const Vector3d& d, const Vector3d& u, double length_u, const Vector3d& v,
                                double length_v)
{
    // |d + s u - t v|^2 is least where s = b t - u.d and t = b s + v.d.
    const double b = u.dot(v), ud = u.dot(d), vd = v.dot(d), sine2 = u.cross(v).squaredNorm();
    double s = sine2 > 1e-24 ? std::clamp((b * vd - ud) / sine2, -length_u, length_u) : 0;
    double t = b * s + vd;
    if (std::abs(t) > length_v) t = std::copysign(length_v, t);
    s = std::clamp(b * t - ud, -length_u, length_u);
    return {s, t};
}

bool nearest_on_segment(const Cylinder& solid, const Vector3d& x, const Vector3d& u, double length, double& t,
                        Nearest& found)
{
    return shortest(solid, x, u, length, t, found);
}

void capsule_points(const Capsule& a, const Pose& pose_a, const Capsule& b, const Pose& pose_b, double alert,
                    std::vector<ContactPoint>& out)
{
    const Segment s(a, pose_a, pose_b);
    const double reach = s.length + a.radius + b.half_length + b.radius + alert;
    if (reach < 0 || s.x.squaredNorm() > reach * reach) return;
    const Vector3d axis = Vector3d::UnitZ();
    const auto from = [&](double at, double on_b) {
        const Vector3d w = s.x + at * s.u - on_b * axis;
        const double squared = w.squaredNorm(), distance = std::sqrt(squared);
        if (squared > no_direction) return Nearest{w / distance, distance - b.radius};
        const Vector3d n = axis.cross(s.u);
        return Nearest{n.squaredNorm() > 1e-24 ? Vector3d(n.normalized()) : Vector3d::UnitX(), -b.radius};
    };
    const SegmentPair pair = closest_on_segments(s.x, s.u, s.length, axis, b.half_length);
    const Nearest found = from(pair.s, pair.t);
    if (found.distance - a.radius > alert) return;

    // The part of a beside b.
    double t0 = 0, t1 = 0;
    const double b_axis = s.u.z();
    if (s.u.head<2>().norm() < lying) {
        const double middle = -s.u.dot(s.x), half = b.half_length * std::abs(b_axis);
        t0 = std::max(-s.length, middle - half);
        t1 = std::min(s.length, middle + half);
    }
    append_stretch(
        a.radius, s, pose_b, pair.s, found, t0, t1, a.radius + s.length, alert,
        [&](double end) {
            return from(end, std::clamp(s.x.z() + end * b_axis, -b.half_length, b.half_length));
        },
        out);
}

void capsule_points(const Capsule& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double alert,
                    std::vector<ContactPoint>& out)
{
    polyhedral(a, pose_a, b, hull_of(b), pose_b, alert, out);
}

void capsule_points(const Capsule& a, const Pose& pose_a, const Polyhedron& b, const Pose& pose_b,
                    double alert, std::vector<ContactPoint>& out)
{
    polyhedral(a, pose_a, *b.hull, *b.hull, pose_b, alert, out);
}

void capsule_points(const Capsule& a, const Pose& pose_a, const Cylinder& b, const Pose& pose_b, double alert,
                    std::vector<ContactPoint>& out)
{
    const Segment s(a, pose_a, pose_b);
    const double reach = s.length + a.radius + std::hypot(b.radius, b.half_length) + alert;
    if (reach < 0 || s.x.squaredNorm() > reach * reach) return;
    double t;
    Nearest found;
    if (!shortest(b, s.x, s.u, s.length, t, found)) {
        const ContactPoint c = closest_points(a, pose_a, b, pose_b);
        const Vector3d outward = pose_b.R.transpose() * -c.normal;
        t = std::clamp(s.u.dot(pose_b.R.transpose() * (c.on_a - pose_b.p) + a.radius * outward - s.x),
                       -s.length, s.length);
        found = {outward, c.gap + a.radius};
    }
    if (found.distance - a.radius > alert) return;

    // The part of a over the cap, |x + t u| <= radius across the axis, or along the side, |z| <= half_length.
    double t0 = 0, t1 = 0;
    const bool cap = std::abs(found.outward.z()) > same_side;
    const double top = found.outward.z() < 0 ? -1 : 1;
    if (cap && std::abs(s.u.z()) < lying) {
        const double p = s.x.head<2>().dot(s.u.head<2>()), q = s.u.head<2>().squaredNorm(),
                     c = s.x.head<2>().squaredNorm() - b.radius * b.radius, root = p * p - q * c;
        if (root > 0) {
            t0 = std::max(-s.length, (-p - std::sqrt(root)) / q);
            t1 = std::min(s.length, (-p + std::sqrt(root)) / q);
        }
    } else if (!cap && s.u.head<2>().norm() < lying) {
        const double middle = -s.x.z() / s.u.z(), half = b.half_length / std::abs(s.u.z());
        t0 = std::max(-s.length, middle - half);
        t1 = std::min(s.length, middle + half);
    }
    append_stretch(
        a.radius, s, pose_b, t, found, t0, t1, a.radius + s.length, alert,
        [&](double end) {
            const Vector3d x = s.x + end * s.u;
            if (cap) return Nearest{{0, 0, top}, top * x.z() - b.half_length};
            const double rho = x.head<2>().norm();
            return Nearest{Vector3d(x.x(), x.y(), 0) / rho, rho - b.radius}; // rho = 0: not the same side
        },
        out);
}

} // namespace tamis
