// Contact points of a pair of shapes, by closed forms wherever one exists.
//
// Sphere against box or cylinder: the sphere's centre x in the other's frame, its projection q on the solid;
// outside, n = (q - x) / |q - x| and gap = |q - x| - r; inside, the nearest face replaces q and the distance
// is negative. Box and cylinder against a plane N.x = c: points of the body with gap N.x - c, normal -N. The
// other convex pairs go to Bullet and get one point. Where the direction is undefined (coincident centres, a
// centre on an axis) it is an axis of the second shape.
#include "collision/narrowphase.hpp"

#include "collision/bullet_adapter.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tamis {

namespace {

using Eigen::Vector3d;
using Points = std::vector<ContactPoint>;

// Below this squared length, a vector has lost its direction to underflow.
constexpr double no_direction = std::numeric_limits<double>::min();

// Filled in place: a copy of a freshly written point costs more than the point.
void append(Points& out, const Vector3d& on_a, const Vector3d& on_b, const Vector3d& normal, double gap,
            int feature)
{
    ContactPoint& c = out.emplace_back();
    c.on_a = on_a;
    c.on_b = on_b;
    c.normal = normal;
    c.gap = gap;
    c.feature = feature;
}

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

// The sphere's point against the nearest point of a surface at signed distance `distance` from the centre,
// whose outward normal there is `outward`.
void append_sphere(const Sphere& sphere, const Vector3d& centre, const Vector3d& outward, double distance,
                   double alert, Points& out)
{
    const double gap = distance - sphere.radius;
    if (gap <= alert)
        append(out, centre - sphere.radius * outward, centre - distance * outward, -outward, gap, 0);
}

void points(const Sphere& a, const Pose& pose_a, const Sphere& b, const Pose& pose_b, double alert,
            Points& out)
{
    const Vector3d d = pose_a.p - pose_b.p;
    const double squared = d.squaredNorm(), distance = std::sqrt(squared);
    const Vector3d outward = squared > no_direction ? Vector3d(d / distance) : Vector3d(pose_b.R.col(0));
    append_sphere(a, pose_a.p, outward, distance - b.radius, alert, out);
}

void points(const Sphere& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double alert, Points& out)
{
    const Vector3d x = pose_b.R.transpose() * (pose_a.p - pose_b.p);
    const Vector3d away = x - x.cwiseMax(-b.half).cwiseMin(b.half);
    const double squared = away.squaredNorm();
    if (squared > no_direction) {
        const double distance = std::sqrt(squared);
        append_sphere(a, pose_a.p, pose_b.R * (away / distance), distance, alert, out);
    } else {
        int k;
        const double depth = (b.half - x.cwiseAbs()).minCoeff(&k);
        append_sphere(a, pose_a.p, std::copysign(1.0, x[k]) * pose_b.R.col(k), -depth, alert, out);
    }
}

// In the half-plane (rho, z) through the axis and the centre, the cylinder is the rectangle of width its
// radius.
void points(const Sphere& a, const Pose& pose_a, const Cylinder& b, const Pose& pose_b, double alert,
            Points& out)
{
    const Vector3d x = pose_b.R.transpose() * (pose_a.p - pose_b.p);
    const double rho = std::hypot(x.x(), x.y());
    const Vector3d radial =
        rho * rho > no_direction ? Vector3d(x.x() / rho, x.y() / rho, 0) : Vector3d::UnitX();
    const Vector3d axial(0, 0, std::copysign(1.0, x.z()));
    const double beyond_side = rho - b.radius, beyond_cap = std::abs(x.z()) - b.half_length;
    Vector3d outward;
    double distance;
    if (beyond_side > 0 && beyond_cap > 0) {
        distance = std::hypot(beyond_side, beyond_cap);
        outward = (beyond_side * radial + beyond_cap * axial) / distance;
    } else if (beyond_side > beyond_cap) {
        distance = beyond_side;
        outward = radial;
    } else {
        distance = beyond_cap;
        outward = axial;
    }
    append_sphere(a, pose_a.p, pose_b.R * outward, distance, alert, out);
}

void points(const Sphere& a, const Pose& pose_a, const Plane& b, const Pose& pose_b, double alert,
            Points& out)
{
    const WorldPlane plane(b, pose_b);
    append_sphere(a, pose_a.p, plane.normal, plane.height(pose_a.p), alert, out);
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

// Four points a quarter turn apart on each rim, the first of them the deepest: a lying cylinder touches by
// one point of each rim, a standing one by four of one rim, and nothing changes abruptly in between. Standing
// within 1e-8 rad, the deepest direction is noise, and the points keep to the cylinder's own x and y.
// Features 0..3 on the rim at -z, 4..7 on the rim at +z.
void points(const Cylinder& a, const Pose& pose_a, const Plane& b, const Pose& pose_b, double alert,
            Points& out)
{
    const WorldPlane plane(b, pose_b);
    const Vector3d axis = pose_a.R.col(2);
    const Vector3d down = axis.cross(axis.cross(plane.normal)); // length: sine of the tilt
    const double tilt = down.norm();
    const Vector3d first = a.radius * (tilt > 1e-8 ? Vector3d(down / tilt) : Vector3d(pose_a.R.col(0)));
    const Vector3d second = axis.cross(first);
    for (int rim = 0; rim < 2; ++rim) {
        const Vector3d centre = pose_a.p + (rim == 0 ? -a.half_length : a.half_length) * axis;
        int feature = 4 * rim;
        for (const Vector3d& spoke : {first, second, Vector3d(-first), Vector3d(-second)}) {
            const Vector3d x = centre + spoke;
            const double gap = plane.height(x);
            if (gap <= alert) append(out, x, x - gap * plane.normal, -plane.normal, gap, feature);
            ++feature;
        }
    }
}

void points(const Plane&, const Pose&, const Plane&, const Pose&, double, Points&) {}

void append_closest(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double alert,
                    Points& out)
{
    const double reach = bounding_radius(a) + bounding_radius(b) + alert;
    if (reach < 0 || (pose_b.p - pose_a.p).squaredNorm() > reach * reach) return;
    const ContactPoint point = closest_points(a, pose_a, b, pose_b);
    if (point.gap <= alert) out.push_back(point);
}

void points(const Box& a, const Pose& pose_a, const Box& b, const Pose& pose_b, double alert, Points& out)
{
    append_closest(a, pose_a, b, pose_b, alert, out);
}

void points(const Box& a, const Pose& pose_a, const Cylinder& b, const Pose& pose_b, double alert,
            Points& out)
{
    append_closest(a, pose_a, b, pose_b, alert, out);
}

void points(const Cylinder& a, const Pose& pose_a, const Cylinder& b, const Pose& pose_b, double alert,
            Points& out)
{
    append_closest(a, pose_a, b, pose_b, alert, out);
}

} // namespace

void collide(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double alert,
             Points& out)
{
    // Each pair is written in one order; the other one is swapped on the way in and flipped on the way out.
    const auto pair = [&](const auto& shape_a, const auto& shape_b) {
        if constexpr (requires { points(shape_a, pose_a, shape_b, pose_b, alert, out); }) {
            points(shape_a, pose_a, shape_b, pose_b, alert, out);
        } else {
            const std::size_t first = out.size();
            points(shape_b, pose_b, shape_a, pose_a, alert, out);
            for (std::size_t i = first; i < out.size(); ++i) {
                std::swap(out[i].on_a, out[i].on_b);
                out[i].normal = -out[i].normal;
            }
        }
    };
    std::visit(pair, a, b);
}

} // namespace tamis
