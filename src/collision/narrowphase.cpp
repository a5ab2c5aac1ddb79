// Contact points of a pair of shapes: which routine, and the closed forms of spheres and planes.
//
// Sphere against a solid: with the sphere's centre x in the solid's frame and its projection q on the solid,
// n = (q - x) / |q - x| and gap = |q - x| - r outside; inside, the nearest face replaces q and the distance
// is negative. A body against a plane N.x = c: its extreme points x with gap N.x - c, normal -N. Where the
// direction is undefined (coincident centres, a centre on an axis) it is an axis of the second shape.
#include "tamis/collision/narrowphase.hpp"

#include "tamis/collision/bullet_adapter.hpp"
#include "tamis/collision/capsule_contacts.hpp"
#include "tamis/collision/contact_points.hpp"
#include "tamis/collision/cylinder_contacts.hpp"
#include "tamis/collision/enclosures.hpp"
#include "tamis/collision/hull_queries.hpp"
#include "tamis/collision/mesh_contacts.hpp"
#include "tamis/collision/polyhedra_manifold.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <type_traits>

namespace tamis {

namespace {

using Eigen::Vector3d;
using Points = std::vector<ContactPoint>;

// A plane in the world: height of x above it is normal . (x - p) - offset.
struct WorldPlane {
    Vector3d normal, p;
    double offset;
    WorldPlane(const Plane& plane, const Pose& pose)
        : normal(pose.R * plane.normal), p(pose.p), offset(plane.offset)
    {
    }
    double height(const Vector3d& x) const { return normal.dot(x - p) - offset; }
};

template <class Solid>
void append_nearest(const Sphere& a, const Pose& pose_a, const Solid& solid, const Pose& pose_b, double alert,
                    Points& out)
{
    const Nearest n = nearest(solid, pose_b.R.transpose() * (pose_a.p - pose_b.p));
    if (n.distance - a.radius <= alert)
        append_ball(a.radius, pose_a.p, pose_b.R * n.outward, n.distance, alert, 0, out);
}

void points(const Sphere& a, const Pose& pose_a, const Sphere& b, const Pose& pose_b, double alert,
            Points& out)
{
    const Vector3d d = pose_a.p - pose_b.p;
    const double squared = d.squaredNorm(), distance = std::sqrt(squared);
    const Vector3d outward = squared > no_direction ? Vector3d(d / distance) : Vector3d(pose_b.R.col(0));
    append_ball(a.radius, pose_a.p, outward, distance - b.radius, alert, 0, out);
}

void points(const Sphere& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double alert, Points& out)
{
    append_nearest(a, pose_a, b, pose_b, alert, out);
}

void points(const Sphere& a, const Pose& pose_a, const Cylinder& b, const Pose& pose_b, double alert,
            Points& out)
{
    append_nearest(a, pose_a, b, pose_b, alert, out);
}

void points(const Sphere& a, const Pose& pose_a, const Polyhedron& b, const Pose& pose_b, double alert,
            Points& out)
{
    const double reach = a.radius + b.hull->radius + alert;
    if (reach < 0 || (pose_a.p - pose_b.p).squaredNorm() > reach * reach) return;
    append_nearest(a, pose_a, *b.hull, pose_b, alert, out);
}

void points(const Sphere& a, const Pose& pose_a, const Capsule& b, const Pose& pose_b, double alert,
            Points& out)
{
    const Vector3d d = pose_a.p - pose_b.p, axis = pose_b.R.col(2);
    const Vector3d w = d - std::clamp(axis.dot(d), -b.half_length, b.half_length) * axis;
    const double squared = w.squaredNorm(), distance = std::sqrt(squared);
    const Vector3d outward = squared > no_direction ? Vector3d(w / distance) : Vector3d(pose_b.R.col(0));
    append_ball(a.radius, pose_a.p, outward, distance - b.radius, alert, 0, out);
}

void points(const Sphere& a, const Pose& pose_a, const Plane& b, const Pose& pose_b, double alert,
            Points& out)
{
    const WorldPlane plane(b, pose_b);
    append_ball(a.radius, pose_a.p, plane.normal, plane.height(pose_a.p), alert, 0, out);
}

// Corners x = p +- u_i +- u_j +- u_k, heights h = h_p +- N.u_i +- N.u_j +- N.u_k, numbered as in corners().
void points(const Box& a, const Pose& pose_a, const Plane& b, const Pose& pose_b, double alert, Points& out)
{
    const WorldPlane plane(b, pose_b);
    const double centre = plane.height(pose_a.p);
    const Vector3d rise = (pose_a.R.transpose() * plane.normal).cwiseProduct(a.half);
    if (centre - rise.cwiseAbs().sum() > alert) return;

    const int k = flat_axis(a), i = (k + 1) % 3, j = (k + 2) % 3;
    const Vector3d u_i = pose_a.R.col(i) * a.half[i], u_j = pose_a.R.col(j) * a.half[j];
    const Vector3d plus = u_i + u_j, minus = u_j - u_i;
    const double rise_plus = rise[i] + rise[j], rise_minus = rise[j] - rise[i];
    const auto append_corner = [&](const Vector3d& x, double gap, int corner) {
        if (gap <= alert) append(out, x, x - gap * plane.normal, -plane.normal, gap, corner);
    };
    const int layers = a.half[k] == 0 ? 1 : 2;
    for (int layer = 0; layer < layers; ++layer) {
        const double side = layer == 0 ? -1 : 1;
        const Vector3d x = pose_a.p + side * a.half[k] * pose_a.R.col(k);
        const double height = centre + side * rise[k];
        append_corner(x + plus, height + rise_plus, 4 * layer);
        append_corner(x + minus, height + rise_minus, 4 * layer + 1);
        append_corner(x - plus, height - rise_plus, 4 * layer + 2);
        append_corner(x - minus, height - rise_minus, 4 * layer + 3);
    }
}

void points(const Cylinder& a, const Pose& pose_a, const Plane& b, const Pose& pose_b, double alert,
            Points& out)
{
    const WorldPlane plane(b, pose_b);
    int feature = 0;
    for (const Vector3d& x : rim_points(a, pose_a, plane.normal)) {
        const double gap = plane.height(x);
        if (gap <= alert) append(out, x, x - gap * plane.normal, -plane.normal, gap, feature);
        ++feature;
    }
}

void points(const Capsule& a, const Pose& pose_a, const Plane& b, const Pose& pose_b, double alert,
            Points& out)
{
    const WorldPlane plane(b, pose_b);
    for (int end = 0; end < 2; ++end) {
        const Vector3d x = pose_a.p + (end == 0 ? -a.half_length : a.half_length) * pose_a.R.col(2);
        append_ball(a.radius, x, plane.normal, plane.height(x), alert, end, out);
    }
}

void points(const Polyhedron& a, const Pose& pose_a, const Plane& b, const Pose& pose_b, double alert,
            Points& out)
{
    const WorldPlane plane(b, pose_b);
    const Hull& hull = *a.hull;
    const double centre = plane.height(pose_a.p);
    if (centre - hull.radius > alert) return;
    const Vector3d n = pose_a.R.transpose() * plane.normal;
    const std::size_t first = out.size();
    for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
        const double gap = centre + n.dot(hull.vertices[v]);
        if (gap > alert) continue;
        const Vector3d x = pose_a * hull.vertices[v];
        append(out, x, x - gap * plane.normal, -plane.normal, gap, static_cast<int>(v));
    }
    if (std::isfinite(alert)) keep_few(out, first, 1e-5 * hull.radius);
}

void points(const Plane&, const Pose&, const Plane&, const Pose&, double, Points&) {}

void points(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double alert, Points& out)
{
    const double reach = a.half.norm() + b.half.norm() + alert;
    if (reach < 0 || (pose_b.p - pose_a.p).squaredNorm() > reach * reach) return;
    if (a.half.minCoeff() > 0 && b.half.minCoeff() > 0) {
        polyhedra_manifold(hull_of(a, 0), pose_a, hull_of(b, 1), pose_b, alert, out);
        return;
    }
    const ContactPoint point = closest_points(a, pose_a, b, pose_b);
    if (point.gap <= alert) out.push_back(point);
}

void points(const Polyhedron& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double alert,
            Points& out)
{
    const double reach = a.hull->radius + b.half.norm() + alert;
    if (reach < 0 || (pose_b.p - pose_a.p).squaredNorm() > reach * reach) return;
    if (b.half.minCoeff() > 0) {
        polyhedra_manifold(*a.hull, pose_a, hull_of(b, 1), pose_b, alert, out);
        return;
    }
    const ContactPoint point = closest_points(a, pose_a, b, pose_b);
    if (point.gap <= alert) out.push_back(point);
}

void points(const Polyhedron& a, const Pose& pose_a, const Polyhedron& b, const Pose& pose_b, double alert,
            Points& out)
{
    polyhedra_manifold(*a.hull, pose_a, *b.hull, pose_b, alert, out);
}

template <class Other>
concept MeetsCapsule = std::is_same_v<Other, Capsule> || std::is_same_v<Other, Box> ||
    std::is_same_v<Other, Cylinder> || std::is_same_v<Other, Polyhedron>;

void points(const Capsule& a, const Pose& pose_a, const MeetsCapsule auto& b, const Pose& pose_b,
            double alert, Points& out)
{
    capsule_points(a, pose_a, b, pose_b, alert, out);
}

template <class Other>
concept MeetsCylinder =
    std::is_same_v<Other, Box> || std::is_same_v<Other, Cylinder> || std::is_same_v<Other, Polyhedron>;

void points(const Cylinder& a, const Pose& pose_a, const MeetsCylinder auto& b, const Pose& pose_b,
            double alert, Points& out)
{
    cylinder_points(a, pose_a, b, pose_b, alert, out);
}

// What encloses is treated apart.
template <class S>
constexpr bool encloses = std::is_same_v<S, Hollow> || std::is_same_v<S, Mesh>;

} // namespace

void collide(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double alert,
             Points& out)
{
    const Sphere *sphere_a = std::get_if<Sphere>(&a), *sphere_b = std::get_if<Sphere>(&b);
    if (sphere_a && sphere_b) return points(*sphere_a, pose_a, *sphere_b, pose_b, alert, out);

    // Each pair is written in one order; the other one is swapped on the way in and flipped on the way out.
    const std::size_t first = out.size();
    const auto enclosed = [&](const Shape& inner, const Pose& pose, const Shape& outer,
                              const Pose& pose_outer) {
        if (const Hollow* hollow = std::get_if<Hollow>(&outer)) {
            enclosure_points(inner, pose, *hollow, pose_outer, alert, out);
            return true;
        }
        if (const Mesh* mesh = std::get_if<Mesh>(&outer)) {
            mesh_points(inner, pose, *mesh, pose_outer, alert, out);
            return true;
        }
        return false;
    };
    if (enclosed(a, pose_a, b, pose_b)) return;
    if (enclosed(b, pose_b, a, pose_a)) return swap_sides(out, first);
    const auto pair = [&]<class A, class B>(const A& shape_a, const B& shape_b) {
        if constexpr (encloses<A> || encloses<B>) {
        } else if constexpr (requires { points(shape_a, pose_a, shape_b, pose_b, alert, out); }) {
            points(shape_a, pose_a, shape_b, pose_b, alert, out);
        } else {
            points(shape_b, pose_b, shape_a, pose_a, alert, out);
            swap_sides(out, first);
        }
    };
    std::visit(pair, a, b);
}

} // namespace tamis
