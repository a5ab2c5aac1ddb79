// Random convex stones.
//
// Crushed rock is bounded by planes of fracture: a stone is the intersection of half-spaces n_i . x <= h_i,
// whose normals are spread over the sphere as blue noise (D. P. Mitchell's best candidate, Computer Graphics
// 25, 1991) and whose distances h_i scatter around one. Its vertices are the faces m . y = o of the hull of
// the points n_i / h_i, at m / o (polar duality). They are stretched along the axes, then one end of the
// shortest edge is left out until the given number of vertices remains: a vertex of a convex body is a vertex
// of the hull of any of them. At last the stone is stretched along its caliper axes until elongation and
// flatness are the ones drawn.
//
// Calipers: the smallest width of a convex polyhedron is met by a face and a vertex, or by two edges whose
// arcs of normals cross, one of them reversed (M. E. Houle, G. T. Toussaint, IEEE PAMI 10, 1988). The
// smallest width of its shadow along s is met by an edge e of the shadow, in the direction s x e.
#include "tamis/packing/stones.hpp"

#include "tamis/base/error.hpp"
#include "tamis/packing/region.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tamis {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double parallel = 1e-9; // sine of an angle; what parallel edges would give, faces do

double width(const Hull& hull, const Vector3d& direction)
{
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Vector3d& x : hull.vertices) {
        const double h = direction.dot(x);
        low = std::min(low, h), high = std::max(high, h);
    }
    return high - low;
}

double edge_length(const Hull& hull, const Hull::Edge& e)
{
    return (hull.vertices[e.b] - hull.vertices[e.a]).norm();
}

double shortest_edge(const Hull& hull)
{
    double least = std::numeric_limits<double>::infinity();
    for (const Hull::Edge& e : hull.edges) least = std::min(least, edge_length(hull, e));
    return least;
}

// The smallest ratio, over the faces, of the area to half the square of the longest edge or diagonal: the
// height of a triangle over its base.
double slenderness(const Hull& hull)
{
    double worst = 1;
    for (int f = 0; f < hull.faces(); ++f) {
        const int begin = hull.face_start[f], end = hull.face_start[f + 1];
        Vector3d area = Vector3d::Zero();
        double longest = 0;
        for (int i = begin; i < end; ++i) {
            const Vector3d& x = hull.vertices[hull.face_vertex[i]];
            area += x.cross(hull.vertices[hull.face_vertex[i + 1 < end ? i + 1 : begin]]);
            for (int j = begin; j < i; ++j)
                longest = std::max(longest, (x - hull.vertices[hull.face_vertex[j]]).squaredNorm());
        }
        worst = std::min(worst, area.norm() / longest);
    }
    return worst;
}

// The vertices of the intersection of `faces` random half-spaces; none if it is open or has a spike.
std::vector<Vector3d> random_polytope(int faces, double roughness, Random& random)
{
    constexpr int candidates = 30;
    std::vector<Vector3d> normals, dual, vertices;
    for (int i = 0; i < faces; ++i) {
        Vector3d best;
        double farthest = -1;
        for (int c = 0; c < candidates; ++c) {
            const Vector3d n = random.direction();
            double nearest = 8;
            for (const Vector3d& other : normals) nearest = std::min(nearest, (n - other).squaredNorm());
            if (nearest > farthest) farthest = nearest, best = n;
        }
        normals.push_back(best);
        dual.push_back(best / (1 + roughness * std::clamp(random.normal(), -2.0, 2.0)));
    }
    const Hull hull = make_hull(dual, "stone");
    for (int f = 0; f < hull.faces(); ++f) {
        if (hull.offset[f] < 0.5) return {};
        vertices.push_back(hull.normal[f] / hull.offset[f]);
    }
    return vertices;
}

Hull with_vertices(std::vector<Vector3d> points, std::size_t count)
{
    Hull hull = make_hull(points, "stone");
    while (hull.vertices.size() > count) {
        const auto shortest = std::min_element(hull.edges.begin(), hull.edges.end(), [&](auto& a, auto& b) {
            return edge_length(hull, a) < edge_length(hull, b);
        });
        points = hull.vertices;
        points.erase(points.begin() + shortest->b);
        hull = make_hull(points, "stone");
    }
    return hull;
}

Hull stretched(const Hull& hull, const Matrix3d& A, const Vector3d& centre)
{
    std::vector<Vector3d> points;
    for (const Vector3d& x : hull.vertices) points.push_back(A * (x - centre));
    return make_hull(points, "stone");
}

} // namespace

Calipers calipers(const Hull& hull)
{
    double shortest = std::numeric_limits<double>::infinity(), intermediate = shortest;
    Vector3d s = Vector3d::UnitZ(), i = Vector3d::UnitY();
    const auto try_shortest = [&](const Vector3d& n) {
        const double w = width(hull, n);
        if (w < shortest) shortest = w, s = n;
    };
    for (const Vector3d& n : hull.normal) try_shortest(n);
    const auto direction = [&](const Hull::Edge& e) { return hull.vertices[e.b] - hull.vertices[e.a]; };
    for (std::size_t a = 0; a < hull.edges.size(); ++a) {
        const Hull::Edge& e = hull.edges[a];
        const Vector3d d_e = direction(e);
        for (std::size_t b = a + 1; b < hull.edges.size(); ++b) {
            const Hull::Edge& f = hull.edges[b];
            const double f_left = hull.normal[f.left].dot(d_e), f_right = hull.normal[f.right].dot(d_e);
            if (f_left * f_right >= 0) continue;
            const Vector3d d_f = direction(f);
            const double e_left = hull.normal[e.left].dot(d_f), e_right = hull.normal[e.right].dot(d_f);
            if (e_left * e_right >= 0 || f_left * e_right >= 0) continue;
            const Vector3d n = d_e.cross(d_f);
            if (n.norm() > parallel * d_e.norm() * d_f.norm()) try_shortest(n.normalized());
        }
    }
    for (const Hull::Edge& e : hull.edges) {
        const Vector3d d = direction(e), n = s.cross(d);
        if (n.norm() <= parallel * d.norm()) continue; // seen as a point
        const double w = width(hull, n.normalized());
        if (w < intermediate) intermediate = w, i = n.normalized();
    }
    Calipers result;
    result.axes << i.cross(s), i, s;
    result.shortest = shortest;
    result.intermediate = intermediate;
    result.longest = width(hull, result.axes.col(0));
    return result;
}

double sieve_size(const Hull& hull)
{
    return calipers(hull).intermediate;
}

double surface_area(const Hull& hull)
{
    double twice = 0;
    for (int f = 0; f < hull.faces(); ++f) {
        const int begin = hull.face_start[f], end = hull.face_start[f + 1];
        const Vector3d& o = hull.vertices[hull.face_vertex[begin]];
        for (int i = begin + 1; i + 1 < end; ++i)
            twice += (hull.vertices[hull.face_vertex[i]] - o)
                         .cross(hull.vertices[hull.face_vertex[i + 1]] - o)
                         .norm();
    }
    return twice / 2;
}

double sphericity(const Hull& hull)
{
    const double d = std::cbrt(6 * mass_properties(hull).volume / std::numbers::pi);
    return std::numbers::pi * d * d / surface_area(hull);
}

double shape_index(std::span<const Polyhedron> stones)
{
    double all = 0, long_ones = 0;
    for (const Polyhedron& stone : stones) {
        const Calipers c = calipers(*stone.hull);
        const double volume = mass_properties(*stone.hull).volume;
        all += volume;
        if (c.longest > 3 * c.shortest) long_ones += volume;
    }
    return long_ones / all;
}

double flakiness_index(std::span<const Polyhedron> stones)
{
    // Sieves of ascending width; the bars that belong to a class are as far apart as the sieve two below it.
    static constexpr double sieve[] = {2.5e-3, 3.15e-3, 4e-3,    5e-3,  6.3e-3, 8e-3,  10e-3, 12.5e-3, 16e-3,
                                       20e-3,  25e-3,   31.5e-3, 40e-3, 50e-3,  63e-3, 80e-3, 100e-3};
    double all = 0, flat = 0;
    for (const Polyhedron& stone : stones) {
        const Calipers c = calipers(*stone.hull);
        const auto wider = std::ranges::upper_bound(sieve, c.intermediate);
        if (c.intermediate < sieve[2] || wider == std::end(sieve)) continue;
        const double volume = mass_properties(*stone.hull).volume;
        all += volume;
        if (c.shortest < wider[-3]) flat += volume;
    }
    return flat / all;
}

Hull make_stone(const StoneForm& form, double sieve_size, Random& random)
{
    constexpr double exactness = 1e-3, needle = 0.1, short_edge = 0.05;
    check_lengths({sieve_size}, "A stone");
    if (form.vertices < 8 || form.vertices > 200)
        fail("A stone cannot have {} vertices: give it 8 to 200.", form.vertices);
    const auto within = [](double x, double low, double high) { return x >= low && x <= high; };
    if (!within(form.elongation, 0.3, 1) || !within(form.flatness, 0.3, 1) || !within(form.scatter, 0, 0.1) ||
        !within(form.roughness, 0, 0.2))
        fail("A stone cannot have elongation {}, flatness {}, scatter {} and roughness {}: give it the first "
             "two from 0.3 to 1, scatter up to 0.1, roughness up to 0.2.",
             form.elongation, form.flatness, form.scatter, form.roughness);
    const auto ratio = [&](double mean) {
        return std::clamp(mean + form.scatter * std::clamp(random.normal(), -2.0, 2.0), 0.2, 0.95);
    };
    for (int attempt = 0; attempt < 1000; ++attempt) {
        const double elongation = ratio(form.elongation), flatness = ratio(form.flatness);
        // Where three faces meet at each vertex, there are 2 faces - 4; a fifth more, to be left out.
        std::vector<Vector3d> points =
            random_polytope((form.vertices + form.vertices / 5) / 2 + 3, form.roughness, random);
        if (static_cast<int>(points.size()) < form.vertices) continue;
        const Vector3d axes(1, elongation, elongation * flatness);
        for (Vector3d& x : points) x = axes.cwiseProduct(x);
        Hull stone = with_vertices(points, form.vertices);
        for (int i = 0; i < 20; ++i) {
            const Calipers c = calipers(stone);
            const double e = elongation / c.elongation(), f = flatness / c.flatness();
            const bool done = std::abs(e - 1) < exactness && std::abs(f - 1) < exactness;
            if (done && (slenderness(stone) < needle || shortest_edge(stone) < short_edge * c.intermediate))
                break;
            if (done) {
                const Matrix3d A = Matrix3d::Identity() * (sieve_size / c.intermediate);
                stone = stretched(stone, A, mass_properties(stone).com);
                if (static_cast<int>(stone.vertices.size()) == form.vertices) return stone;
                break;
            }
            stone = stretched(stone, c.axes * Vector3d(1, e, e * f).asDiagonal() * c.axes.transpose(),
                              Vector3d::Zero());
        }
    }
    fail("No stone of {} vertices, elongation {} and flatness {} was found in 1000 attempts: ask for a less "
         "extreme form.",
         form.vertices, form.elongation, form.flatness);
}

std::vector<Polyhedron> make_stones(const StoneForm& form, std::span<const double> sieve_sizes,
                                    std::uint64_t seed)
{
    Random random(seed);
    std::vector<Polyhedron> stones;
    for (double size : sieve_sizes)
        stones.push_back({std::make_shared<const Hull>(make_stone(form, size, random))});
    return stones;
}

} // namespace tamis
