// Measures of packings.
//
// A ball in a box: with F(a, b, c) the volume of the part of the ball that lies in x > a, y > b, z >
// c, the part in the box is the sum of (-1)^k F over its corners, k the number of upper coordinates.
// By symmetry, F(-a, b, c) = 2 F(0, b, c) - F(a, b, c). For a, b, c >= 0 and a^2 + b^2 + c^2 < r^2,
// the divergence theorem gives
//     3 F = r^3 Omega - a A_a - b A_b - c A_c.
// The plane part at x = a has the radius rho_a = sqrt(r^2 - a^2) and an arc of angle
// phi_a = pi / 2 - asin(b / rho_a) - asin(c / rho_a):
//     2 A_a = rho_a^2 phi_a - b (sqrt(rho_a^2 - b^2) - c) - c (sqrt(rho_a^2 - c^2) - b),
// and the solid angle of the round part follows from Gauss and Bonnet,
//     Omega = pi / 2 - sum asin(a b / (rho_a rho_b)) - sum (a / r) phi_a.
//
// A polyhedron in a box: 3 V = sum of (height over a point) x (area), over the faces of the polyhedron cut by
// the box and the faces of the box cut by the polyhedron. Nothing degenerates: faces cut away have no area.
// The box is taken larger by 1e-13 of the polyhedron, so that of two faces that coincide one counts.
#include "tamis/packing/measures.hpp"

#include "tamis/base/error.hpp"
#include "tamis/packing/region.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tamis {

namespace {

using Eigen::Vector3d;
using std::numbers::pi;

// Of the unit ball, all arguments >= 0.
double corner(const Vector3d& a)
{
    if (a.squaredNorm() >= 1) return 0;
    double omega = pi / 2, planes = 0;
    for (int i = 0; i < 3; ++i) {
        const double b = a[(i + 1) % 3], c = a[(i + 2) % 3];
        const double square = 1 - a[i] * a[i], rho = std::sqrt(square);
        const double phi = pi / 2 - std::asin(b / rho) - std::asin(c / rho);
        const double area =
            square * phi - b * (std::sqrt(square - b * b) - c) - c * (std::sqrt(square - c * c) - b);
        omega -= std::asin(a[i] * b / (rho * std::sqrt(1 - b * b))) + a[i] * phi;
        planes += a[i] * area / 2;
    }
    return (omega - planes) / 3;
}

// Of the unit ball, any arguments.
double beyond(Vector3d a)
{
    for (int i = 0; i < 3; ++i)
        if (a[i] < 0) {
            Vector3d middle = a;
            middle[i] = 0, a[i] = -a[i];
            return 2 * beyond(middle) - beyond(a);
        }
    return corner(a);
}

using Polygon = std::vector<Vector3d>;

// Keeps the part with n . x <= offset of a convex polygon (Sutherland and Hodgman).
void cut(Polygon& polygon, Polygon& scratch, const Vector3d& n, double offset)
{
    scratch.clear();
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Vector3d &x = polygon[i], &y = polygon[i + 1 < polygon.size() ? i + 1 : 0];
        const double h = n.dot(x) - offset, k = n.dot(y) - offset;
        if (h <= 0) scratch.push_back(x);
        if ((h < 0 && k > 0) || (h > 0 && k < 0)) scratch.push_back(x + h / (h - k) * (y - x));
    }
    polygon.swap(scratch);
}

double area(const Polygon& polygon, const Vector3d& n)
{
    Vector3d twice = Vector3d::Zero();
    for (std::size_t i = 2; i < polygon.size(); ++i)
        twice += (polygon[i - 1] - polygon[0]).cross(polygon[i] - polygon[0]);
    return n.dot(twice) / 2;
}

double volume_within(const Bounds& region, const Hull& hull, const Pose& pose)
{
    // Seen from the grain's origin, in the axes of the region.
    const Vector3d reach = Vector3d::Constant(2 * hull.radius),
                   wider = Vector3d::Constant(1e-13 * hull.radius);
    const Vector3d low = (region.low - pose.p - wider).cwiseMax(-reach),
                   high = (region.high - pose.p + wider).cwiseMin(reach);
    Polygon polygon, scratch;
    double three = 0;
    for (int f = 0; f < hull.faces(); ++f) {
        polygon.clear();
        for (int i = hull.face_start[f]; i < hull.face_start[f + 1]; ++i)
            polygon.push_back(pose.R * hull.vertices[hull.face_vertex[i]]);
        for (int i = 0; i < 3; ++i) {
            cut(polygon, scratch, Vector3d::Unit(i), high[i]);
            cut(polygon, scratch, -Vector3d::Unit(i), -low[i]);
        }
        three += hull.offset[f] * area(polygon, pose.R * hull.normal[f]);
    }
    for (int i = 0; i < 3; ++i)
        for (const bool upper : {false, true}) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            polygon.assign(4, upper ? high : low);
            polygon[0][j] = polygon[3][j] = low[j], polygon[1][j] = polygon[2][j] = high[j];
            polygon[0][k] = polygon[1][k] = low[k], polygon[2][k] = polygon[3][k] = high[k];
            for (int f = 0; f < hull.faces() && !polygon.empty(); ++f)
                cut(polygon, scratch, pose.R * hull.normal[f], hull.offset[f]);
            three += (upper ? high[i] : -low[i]) * area(polygon, Vector3d::Unit(i));
        }
    return three / 3;
}

double volume(const Bounds& region)
{
    const Vector3d size = region.high - region.low;
    check_lengths({size.x(), size.y(), size.z()}, "The region of a solid fraction");
    return size.prod();
}

// Whether a ball lies wholly within the region (1), wholly outside of one of its faces
// (-1), or perhaps across them (0).
int place(const Bounds& region, const Vector3d& x, double r)
{
    if (((x - region.low).array() <= -r).any() || ((x - region.high).array() >= r).any()) return -1;
    return ((x - region.low).array() >= r).all() && ((region.high - x).array() >= r).all();
}

} // namespace

double volume_within(const Bounds& region, const Vector3d& centre, double radius)
{
    const int where = place(region, centre, radius);
    if (where < 0) return 0;
    if (where > 0) return 4 * pi / 3 * radius * radius * radius;
    // Beyond -1 or 1 the ball has ended.
    const Vector3d one = Vector3d::Ones();
    const Vector3d low = ((region.low - centre) / radius).cwiseMax(-one).cwiseMin(one),
                   high = ((region.high - centre) / radius).cwiseMax(-one).cwiseMin(one);
    double v = 0;
    for (int k = 0; k < 8; ++k) {
        const Vector3d a(k & 1 ? high.x() : low.x(), k & 2 ? high.y() : low.y(), k & 4 ? high.z() : low.z());
        v += ((k ^ k >> 1 ^ k >> 2) & 1 ? -1 : 1) * beyond(a);
    }
    return std::max(v, 0.0) * radius * radius * radius;
}

double volume_within(const Bounds& region, const Shape& shape, const Pose& pose)
{
    if (const auto* ball = std::get_if<Sphere>(&shape)) return volume_within(region, pose.p, ball->radius);
    const double whole = mass_properties(shape).volume;
    const int where = place(region, pose.p, bounding_radius(shape));
    if (where != 0) return where < 0 ? 0 : whole;
    if (const auto* polyhedron = std::get_if<Polyhedron>(&shape))
        return std::max(volume_within(region, *polyhedron->hull, pose), 0.0);
    const Hull drawn = make_hull(surface(shape, 0).vertices);
    return std::max(whole * volume_within(region, drawn, pose) / mass_properties(drawn).volume, 0.0);
}

double solid_fraction(const Bounds& region, std::span<const Vector3d> centres, std::span<const double> radii)
{
    if (centres.size() != radii.size())
        fail("A solid fraction of {} centres and {} radii: give as many of both.", centres.size(),
             radii.size());
    double solid = 0;
    for (std::size_t i = 0; i < centres.size(); ++i) solid += volume_within(region, centres[i], radii[i]);
    return solid / volume(region);
}

double solid_fraction(const Bounds& region, std::span<const Shape> shapes, std::span<const Pose> poses)
{
    if (shapes.size() != poses.size())
        fail("A solid fraction of {} shapes and {} poses: give as many of both.", shapes.size(),
             poses.size());
    double solid = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i) solid += volume_within(region, shapes[i], poses[i]);
    return solid / volume(region);
}

double middle_solid_fraction(std::span<const Vector3d> centres, std::span<const double> radii)
{
    Bounds middle;
    double radius = 0; // mean
    for (double r : radii) radius += r / static_cast<double>(radii.size());
    std::vector<double> along(centres.size());
    for (int axis = 0; axis < 3; ++axis) {
        for (std::size_t i = 0; i < along.size(); ++i) along[i] = centres[i][axis];
        const auto quartile = [&](std::size_t k) {
            const auto at = along.begin() + static_cast<std::ptrdiff_t>(k * along.size() / 4);
            if (at == along.end()) return 0.0;
            std::nth_element(along.begin(), at, along.end());
            return *at;
        };
        middle.low[axis] = quartile(1);
        middle.high[axis] = quartile(3);
        if (!(middle.high[axis] - middle.low[axis] > 2 * radius))
            return std::numeric_limits<double>::quiet_NaN();
    }
    return solid_fraction(middle, centres, radii);
}

Coordination coordination(int grains, std::span<const std::pair<int, int>> touching, int least)
{
    if (grains < 1) return {};
    std::vector<int> contacts(grains, 0), start(grains + 1, 0);
    for (const auto& [a, b] : touching) {
        if (std::max(a, b) >= grains || std::min(a, b) < -1 || a == b)
            fail("Grains {} and {} cannot touch among {} grains: number them from 0, and walls -1.", a, b,
                 grains);
        for (int g : {a, b})
            if (g >= 0) ++contacts[g];
    }
    for (int g = 0; g < grains; ++g) start[g + 1] = start[g] + contacts[g];
    std::vector<int> neighbour(start[grains]), fill = start;
    for (const auto& [a, b] : touching) {
        if (a >= 0) neighbour[fill[a]++] = b;
        if (b >= 0) neighbour[fill[b]++] = a;
    }
    Coordination result{.mean = double(start[grains]) / grains, .grains = grains};
    std::vector<int> leaving;
    std::vector<char> gone(grains, 0);
    const auto check = [&](int g) {
        if (!gone[g] && contacts[g] < least) gone[g] = 1, leaving.push_back(g);
    };
    for (int g = 0; g < grains; ++g) check(g);
    for (; !leaving.empty(); ++result.rattlers) {
        const int g = leaving.back();
        leaving.pop_back();
        for (int i = start[g]; i < start[g + 1]; ++i)
            if (const int other = neighbour[i]; other >= 0) --contacts[other], check(other);
    }
    double sum = 0;
    for (int g = 0; g < grains; ++g)
        if (!gone[g]) sum += contacts[g];
    if (result.rattlers < grains) result.without_rattlers = sum / (grains - result.rattlers);
    return result;
}

Coordination coordination(const Bounds& region, std::span<const Pose> poses,
                          std::span<const std::pair<int, int>> touching, int least)
{
    std::vector<int> number(poses.size(), -1);
    int inside = 0;
    for (std::size_t i = 0; i < poses.size(); ++i)
        if (place(region, poses[i].p, 0) > 0) number[i] = inside++;
    const auto within = [&](int g) {
        if (g < -1 || g >= static_cast<int>(poses.size()))
            fail("Grain {} cannot touch among {} poses: number grains from 0, and walls -1.", g,
                 poses.size());
        return g < 0 ? -1 : number[g];
    };
    std::vector<std::pair<int, int>> pairs;
    for (const auto& [a, b] : touching)
        if (const std::pair pair{within(a), within(b)}; std::max(pair.first, pair.second) >= 0)
            pairs.push_back(pair);
    return coordination(inside, pairs, least);
}

} // namespace tamis
