// A convex body inside a convex cavity: it is inside if its extreme points are, so that contacts are those of
// its vertices, of its end balls (capsule) or of its rims (cylinder) with each wall. With x in the frame of
// the cavity, the distance to a wall and its normal into the free side are
//     plane  c - n.x, -n      side of a cylinder  R - |x_xy|, -x_xy / |x_xy|
//     sphere R - |x|, -x/|x|  capsule             R - |x - s|, s the nearest point of its segment.
// The point of a rim c + e1 cos phi + e2 sin phi nearest to a plane or a sphere lies against the wall's
// normal at c; to the other walls, where the distance along the rim has at most two minima, it is found from
// 16 samples and bisection of the slope. It gets three companions, a quarter turn apart each, as the points
// of a cylinder on a plane.
#include "tamis/collision/enclosures.hpp"

#include "tamis/base/error.hpp"
#include "tamis/collision/contact_points.hpp"
#include "tamis/collision/hull_queries.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace tamis {

using Eigen::Vector3d;

namespace {

constexpr int most_walls = 8;

// Radial distance to a round wall of radius R, y being the way from its axis or centre.
Nearest round_wall(double radius, const Vector3d& y)
{
    const double squared = y.squaredNorm(), rho = std::sqrt(squared);
    return {squared > no_direction ? Vector3d(-y / rho) : Vector3d(-Vector3d::UnitX()), radius - rho};
}

int walls(const Sphere&)
{
    return 1;
}
int walls(const Capsule&)
{
    return 1;
}
int walls(const Cylinder&)
{
    return 3;
}
int walls(const Box&)
{
    return 6;
}

Nearest to_wall(const Sphere& cavity, int, const Vector3d& x)
{
    return round_wall(cavity.radius, x);
}
Nearest to_wall(const Capsule& cavity, int, const Vector3d& x)
{
    return round_wall(cavity.radius,
                      {x.x(), x.y(), x.z() - std::clamp(x.z(), -cavity.half_length, cavity.half_length)});
}
Nearest to_wall(const Cylinder& cavity, int wall, const Vector3d& x)
{
    if (wall == 0) return round_wall(cavity.radius, {x.x(), x.y(), 0});
    const double side = wall == 1 ? -1 : 1;
    return {{0, 0, -side}, cavity.half_length - side * x.z()};
}
Nearest to_wall(const Box& cavity, int wall, const Vector3d& x)
{
    const int k = wall / 2;
    const double side = wall % 2 == 0 ? -1 : 1;
    return {-side * Vector3d::Unit(k), cavity.half[k] - side * x[k]};
}

// Whether the wall is a plane or a sphere.
bool is_even(const Sphere&, int)
{
    return true;
}
bool is_even(const Capsule&, int)
{
    return false;
}
bool is_even(const Cylinder&, int wall)
{
    return wall > 0;
}
bool is_even(const Box&, int)
{
    return true;
}

// Angle on the rim c + e1 cos phi + e2 sin phi of the point nearest to the wall; 0 if all are equally near.
template <class Cavity>
double nearest_angle(const Cavity& cavity, int wall, const Vector3d& c, const Vector3d& e1,
                     const Vector3d& e2)
{
    // Within 1e-8 rad of level, the nearest direction is noise.
    constexpr double level = 1e-8;
    if (is_even(cavity, wall)) {
        const Vector3d outward = to_wall(cavity, wall, c).outward;
        const double x = -outward.dot(e1), y = -outward.dot(e2);
        return std::hypot(x, y) <= level * e1.norm() ? 0 : std::atan2(y, x);
    }
    const auto point = [&](double phi) { return Vector3d(c + std::cos(phi) * e1 + std::sin(phi) * e2); };
    const auto distance = [&](double phi) { return to_wall(cavity, wall, point(phi)).distance; };
    // d distance / d phi = outward . dx / d phi: the wall's normal is the gradient of the distance.
    const auto slope = [&](double phi) {
        return to_wall(cavity, wall, point(phi)).outward.dot(std::cos(phi) * e2 - std::sin(phi) * e1);
    };
    constexpr int samples = 16;
    constexpr double step = 2 * std::numbers::pi / samples;
    double low = distance(0), high = low;
    int best = 0;
    for (int i = 1; i < samples; ++i) {
        const double d = distance(i * step);
        high = std::max(high, d);
        if (d < low) {
            low = d;
            best = i;
        }
    }
    if (high - low <= 2 * level * e1.norm()) return 0;
    double left = (best - 1) * step, right = (best + 1) * step;
    for (int i = 0; i < 50; ++i) {
        const double middle = (left + right) / 2;
        (slope(middle) > 0 ? right : left) = middle;
    }
    return (left + right) / 2;
}

template <class Cavity>
struct Enclosure {
    const Cavity& cavity;
    const Pose& pose;
    double alert;
    std::vector<ContactPoint>& out;

    Pose in_cavity(const Pose& body) const
    {
        return {pose.R.transpose() * body.R, pose.R.transpose() * (body.p - pose.p)};
    }
    void add(double radius, const Vector3d& x, int wall, int point) const
    {
        const Nearest n = to_wall(cavity, wall, x);
        if (n.distance - radius <= alert)
            append_ball(radius, pose * x, pose.R * n.outward, n.distance, alert, wall + most_walls * point,
                        out);
    }

    void points(const Sphere& a, const Pose& pose_a) const
    {
        const Vector3d x = in_cavity(pose_a).p;
        for (int wall = 0; wall < walls(cavity); ++wall) add(a.radius, x, wall, 0);
    }
    void points(const Capsule& a, const Pose& pose_a) const
    {
        const Pose body = in_cavity(pose_a);
        for (int wall = 0; wall < walls(cavity); ++wall)
            for (int end = 0; end < 2; ++end)
                add(a.radius, body * Vector3d(0, 0, end == 0 ? -a.half_length : a.half_length), wall, end);
    }
    template <class Vertex>
    void polyhedron(const Pose& pose_a, double radius, int count, Vertex&& vertex) const
    {
        const Pose body = in_cavity(pose_a);
        for (int wall = 0; wall < walls(cavity); ++wall) {
            // No wall falls off faster than the distance from it.
            if (to_wall(cavity, wall, body.p).distance - radius > alert) continue;
            const std::size_t first = out.size();
            for (int v = 0; v < count; ++v) add(0, body * vertex(v), wall, v);
            if (std::isfinite(alert)) keep_few(out, first, 1e-5 * radius);
        }
    }
    void points(const Box& a, const Pose& pose_a) const
    {
        polyhedron(pose_a, a.half.norm(), corner_count(a), [&](int c) { return corner(a, c); });
    }
    void points(const Polyhedron& a, const Pose& pose_a) const
    {
        const Hull& hull = *a.hull;
        polyhedron(pose_a, hull.radius, static_cast<int>(hull.vertices.size()),
                   [&](int v) -> const Vector3d& { return hull.vertices[v]; });
    }
    void points(const Cylinder& a, const Pose& pose_a) const
    {
        const Pose body = in_cavity(pose_a);
        for (int wall = 0; wall < walls(cavity); ++wall) {
            if (to_wall(cavity, wall, body.p).distance - std::hypot(a.radius, a.half_length) > alert)
                continue;
            for (int rim = 0; rim < 2; ++rim) {
                const Vector3d c = body * Vector3d(0, 0, rim == 0 ? -a.half_length : a.half_length);
                const Vector3d e1 = a.radius * body.R.col(0), e2 = a.radius * body.R.col(1);
                const double phi = nearest_angle(cavity, wall, c, e1, e2);
                const Vector3d u = std::cos(phi) * e1 + std::sin(phi) * e2,
                               v = std::cos(phi) * e2 - std::sin(phi) * e1;
                int point = 4 * rim;
                for (const Vector3d& spoke : {u, v, Vector3d(-u), Vector3d(-v)})
                    add(0, c + spoke, wall, point++);
            }
        }
    }
    template <class Wall>
    void points(const Wall&, const Pose&) const
    {
        // A plane, a mesh or another hollow shape is a wall itself.
    }
};

} // namespace

void enclosure_points(const Shape& a, const Pose& pose_a, const Hollow& b, const Pose& pose_b, double alert,
                      std::vector<ContactPoint>& out)
{
    std::visit(
        [&](const auto& shape, const auto& cavity) {
            Enclosure<std::decay_t<decltype(cavity)>>{cavity, pose_b, alert, out}.points(shape, pose_a);
        },
        a, b.cavity);
}

} // namespace tamis
