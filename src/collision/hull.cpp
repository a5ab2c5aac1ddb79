// Convex hulls by quickhull (Barber, Dobkin, Huhdanpaa, ACM TOMS 22, 1996) and the mass of polyhedra.
//
// Departures: the combinatorics are exact. Points are rounded to a lattice of 2^-40 of the half size, on
// which the side of a triangle that a point lies on is the sign of an integer of less than 127 bits; it is
// taken from doubles where their error bound allows. So the triangulated hull is a valid one whatever the
// input. Tolerances enter afterwards only: triangles merge into the facet of a larger one if they lie within
// 1e-9 of the size of its plane, vertices that do not then separate three facets are left out, as is the
// later one of two that almost coincide, and the hull of the rest is made anew.
//
// Mass: with c the mean of the vertices, sum over the tetrahedra (c, a, b, d) of the fans of all faces,
// D = a . (b x d), s = a + b + d, all seen from c:
//     V = sum D / 6,   int x = sum D s / 24,   int x x' = sum D (a a' + b b' + d d' + s s') / 120.
#include "tamis/collision/hull.hpp"

#include "tamis/base/error.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace tamis {

namespace {

using Eigen::Vector3d;

constexpr double tolerance = 1e-9; // of the size of the point set

struct Triangle {
    std::array<int, 3> vertex, neighbour{}; // neighbour i is across the edge vertex i -> vertex i + 1
    Vector3d normal;                        // of length twice the area
    double error;      // of `height`, for a point at distance one in the largest component
    int outside = -1;  // first of the list of points kept here: each outside point is in one list
    int farthest = -1; // of them
    double farthest_height = 0;
    bool alive = true, visible = false;
};

Triangle triangle(const std::vector<Vector3d>& x, int a, int b, int c)
{
    Triangle t;
    t.vertex = {a, b, c};
    const Vector3d u = x[b] - x[a], v = x[c] - x[a];
    t.normal = u.cross(v);
    // Rounding errors of `height` sum up to less than 30 x 2^-53 of the product of the largest components.
    t.error = 1e-14 * u.lpNorm<Eigen::Infinity>() * v.lpNorm<Eigen::Infinity>();
    return t;
}

// Of the point over the triangle's plane, times twice the triangle's area; the sign is exact, and the value
// to less than half of it.
double height(const std::vector<Vector3d>& x, const Triangle& t, int point)
{
    const Vector3d w = x[point] - x[t.vertex[0]]; // exact, as are all differences of lattice points
    const double h = t.normal.dot(w);
    if (std::abs(h) > t.error * w.lpNorm<Eigen::Infinity>()) return h;
    __extension__ typedef __int128 Integer;
    const auto difference = [&](int i, int k) {
        return static_cast<Integer>(static_cast<std::int64_t>(x[i][k] - x[t.vertex[0]][k]));
    };
    Integer exact = 0;
    for (int k = 0, i = 1, j = 2; k < 3; i = j, j = k++)
        exact += (difference(t.vertex[1], i) * difference(t.vertex[2], j) -
                  difference(t.vertex[1], j) * difference(t.vertex[2], i)) *
                 difference(point, k);
    return static_cast<double>(exact);
}

// The triangulated hull of the lattice points `members`.
class Quickhull {
  public:
    Quickhull(const std::vector<Vector3d>& lattice, const std::vector<int>& members,
              const std::array<int, 4>& simplex)
        : x_(lattice), next_(lattice.size()), at_vertex_(lattice.size())
    {
        const auto [a, b, c, d] = simplex;
        const int first = add(a, b, c);
        if (height(triangles_[first], d) > 0)
            std::swap(triangles_[first].vertex[1], triangles_[first].vertex[2]);
        const auto base = triangles_[first].vertex;
        triangles_.clear();
        // Seen from outside, d is behind the base.
        add(base[0], base[1], base[2]), add(base[1], base[0], d), add(base[2], base[1], d),
            add(base[0], base[2], d);
        triangles_[0].neighbour = {1, 2, 3};
        triangles_[1].neighbour = {0, 3, 2};
        triangles_[2].neighbour = {0, 1, 3};
        triangles_[3].neighbour = {0, 2, 1};
        for (int point : members)
            if (std::find(simplex.begin(), simplex.end(), point) == simplex.end()) hand_over(point, 0);
        for (std::size_t t = 0; t < triangles_.size(); ++t)
            if (triangles_[t].alive && triangles_[t].farthest >= 0) include(static_cast<int>(t));
        std::vector<int> number(triangles_.size(), -1);
        int count = 0;
        for (std::size_t t = 0; t < triangles_.size(); ++t)
            if (triangles_[t].alive) number[t] = count++;
        std::erase_if(triangles_, [](const Triangle& t) { return !t.alive; });
        for (Triangle& t : triangles_)
            for (int& n : t.neighbour) n = number[n];
    }

    const std::vector<Triangle>& triangles() const { return triangles_; }

  private:
    int add(int a, int b, int c)
    {
        triangles_.push_back(triangle(x_, a, b, c));
        return static_cast<int>(triangles_.size()) - 1;
    }

    double height(const Triangle& t, int point) const { return tamis::height(x_, t, point); }

    // Gives the point to the first triangle from `begin` on that sees it; a point that none sees is inside.
    void hand_over(int point, int begin)
    {
        for (std::size_t i = begin; i < triangles_.size(); ++i) {
            Triangle& t = triangles_[i];
            const double h = height(t, point);
            if (!(h > 0)) continue;
            next_[point] = t.outside;
            t.outside = point;
            // Of points that coincide, the first.
            if (h > t.farthest_height || (h == t.farthest_height && point < t.farthest)) {
                t.farthest = point;
                t.farthest_height = h;
            }
            return;
        }
    }

    // Replaces what the farthest point of triangle `start` sees by triangles from the horizon to the point.
    // A point that has lost its triangle and is still outside sees one of the new: what it sees is connected.
    void include(int start)
    {
        const int apex = triangles_[start].farthest;
        visible_.assign(1, start);
        triangles_[start].visible = true;
        const int begin = static_cast<int>(triangles_.size());
        for (std::size_t i = 0; i < visible_.size(); ++i) {
            const int t = visible_[i];
            triangles_[t].alive = false;
            for (int e = 0; e < 3; ++e) {
                const int n = triangles_[t].neighbour[e];
                if (triangles_[n].visible) continue;
                if (height(triangles_[n], apex) > 0) {
                    triangles_[n].visible = true;
                    visible_.push_back(n);
                    continue;
                }
                const int a = triangles_[t].vertex[e], b = triangles_[t].vertex[(e + 1) % 3];
                const int made = add(a, b, apex);
                triangles_[made].neighbour[0] = n;
                auto& back = triangles_[n];
                back.neighbour[std::find(back.vertex.begin(), back.vertex.end(), b) - back.vertex.begin()] =
                    made;
                at_vertex_[a] = made;
            }
        }
        for (std::size_t i = begin; i < triangles_.size(); ++i) {
            const int after = at_vertex_[triangles_[i].vertex[1]];
            triangles_[i].neighbour[1] = after;
            triangles_[after].neighbour[2] = static_cast<int>(i);
        }
        for (int t : visible_)
            for (int point = triangles_[t].outside; point >= 0;) {
                const int following = next_[point];
                if (point != apex) hand_over(point, begin);
                point = following;
            }
    }

    const std::vector<Vector3d>& x_;
    std::vector<Triangle> triangles_;
    std::vector<int> next_;      // in the list of points outside a triangle
    std::vector<int> at_vertex_; // new triangle whose horizon edge starts here
    std::vector<int> visible_;
};

// Four points far apart: the ends along the longest axis, the farthest from their line, from their plane.
std::array<int, 4> simplex(const std::vector<Vector3d>& x, const std::vector<int>& members, double least,
                           const std::string& name)
{
    const auto farthest = [&](auto&& measure) {
        return *std::max_element(members.begin(), members.end(),
                                 [&](int i, int j) { return measure(i) < measure(j); });
    };
    Vector3d low = x[members[0]], high = low;
    for (int i : members) low = low.cwiseMin(x[i]), high = high.cwiseMax(x[i]);
    int axis;
    (high - low).maxCoeff(&axis);
    const int a = farthest([&](int i) { return -x[i][axis]; });
    const int b = farthest([&](int i) { return x[i][axis]; });
    const Vector3d u = (x[b] - x[a]).normalized();
    const int c = farthest([&](int i) { return u.cross(x[i] - x[a]).squaredNorm(); });
    if (!(u.cross(x[c] - x[a]).norm() > least))
        fail("The points of {} lie on a line: give it at least four points that do not lie in a plane.",
             name);
    // (Near a line, the plane's normal would be too inexact to tell d from a, b and c.)
    const Triangle base = triangle(x, a, b, c);
    const int d = farthest([&](int i) { return std::abs(height(x, base, i)); });
    if (!(std::abs(height(x, base, d)) > least * base.normal.norm()))
        fail("The points of {} lie in a plane: give it at least one more point out of the plane.", name);
    return {a, b, c, d};
}

// The facet of each triangle, numbered 0..: larger triangles first, each spreading over its neighbours whose
// vertices lie within `least` of its plane and that face the same way.
std::vector<int> merge(const std::vector<Triangle>& triangles, const std::vector<Vector3d>& x, double least)
{
    const int count = static_cast<int>(triangles.size());
    std::vector<int> order(count), facet(count, -1), stack;
    std::vector<double> area(count);
    for (int t = 0; t < count; ++t) area[t] = triangles[t].normal.norm();
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int s, int t) { return area[s] != area[t] ? area[s] > area[t] : s < t; });
    int facets = 0;
    for (int seed : order) {
        if (facet[seed] >= 0) continue;
        const Vector3d normal = triangles[seed].normal / area[seed], &origin = x[triangles[seed].vertex[0]];
        facet[seed] = facets;
        stack.assign(1, seed);
        while (!stack.empty()) {
            const Triangle& t = triangles[stack.back()];
            stack.pop_back();
            for (int n : t.neighbour) {
                const Triangle& other = triangles[n];
                if (facet[n] >= 0 || !(other.normal.dot(normal) > 0) ||
                    std::any_of(other.vertex.begin(), other.vertex.end(),
                                [&](int v) { return std::abs(normal.dot(x[v] - origin)) > least; }))
                    continue;
                facet[n] = facets;
                stack.push_back(n);
            }
        }
        ++facets;
    }
    return facet;
}

// The members that separate three facets, without the later one of two closer than `least`; ascending.
std::vector<int> significant(const std::vector<Triangle>& triangles, const std::vector<int>& facet,
                             const std::vector<Vector3d>& x, double least)
{
    std::vector<std::pair<int, int>> meeting, close; // (vertex, facet), (later vertex, earlier vertex)
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (int e = 0; e < 3; ++e) {
            const int a = triangles[t].vertex[e], b = triangles[t].vertex[(e + 1) % 3];
            meeting.emplace_back(a, facet[t]);
            if (a < b && (x[a] - x[b]).norm() <= least) close.emplace_back(b, a);
        }
    std::sort(meeting.begin(), meeting.end());
    meeting.erase(std::unique(meeting.begin(), meeting.end()), meeting.end());
    std::vector<int> kept;
    for (std::size_t i = 0; i + 2 < meeting.size(); ++i)
        if (meeting[i].first == meeting[i + 2].first && (kept.empty() || kept.back() != meeting[i].first))
            kept.push_back(meeting[i].first);
    std::sort(close.begin(), close.end());
    for (const auto& [later, earlier] : close)
        if (std::binary_search(kept.begin(), kept.end(), earlier)) std::erase(kept, later);
    return kept;
}

struct Border { // edge a -> b of a facet
    int facet, a, b, other;
    auto operator<=>(const Border&) const = default;
};

// Borders of the facets, those of a facet together and in order around it. A facet that is not a disc (which
// takes points that leave its plane by about the tolerance) falls apart into its triangles.
std::vector<Border> borders(const std::vector<Triangle>& triangles, std::vector<int> facet,
                            std::size_t vertices)
{
    std::vector<Border> edges, ordered;
    std::vector<int> position(vertices);
    int next_facet = static_cast<int>(triangles.size());
    for (bool discs = false; !discs;) {
        discs = true;
        edges.clear(), ordered.clear();
        for (std::size_t t = 0; t < triangles.size(); ++t)
            for (int e = 0; e < 3; ++e) {
                const int other = facet[triangles[t].neighbour[e]];
                if (other != facet[t])
                    edges.push_back(
                        {facet[t], triangles[t].vertex[e], triangles[t].vertex[(e + 1) % 3], other});
            }
        std::sort(edges.begin(), edges.end());
        for (std::size_t begin = 0, end; begin < edges.size(); begin = end) {
            const int f = edges[begin].facet;
            bool pinched = false;
            for (end = begin; end < edges.size() && edges[end].facet == f; ++end) {
                position[edges[end].a] = static_cast<int>(end);
                pinched |= end > begin && edges[end].a == edges[end - 1].a;
            }
            const std::size_t walked = ordered.size();
            if (!pinched) {
                std::size_t i = begin;
                do {
                    ordered.push_back(edges[i]);
                    i = position[edges[i].b];
                } while (i != begin);
            }
            if (ordered.size() - walked == end - begin) continue;
            discs = false;
            for (int& g : facet)
                if (g == f) g = next_facet++;
        }
    }
    return ordered;
}

// Whether volume and moments of inertia are positive beyond round-off, at size one, whatever the unit of
// length. The moment of a needle about its axis falls with the square of its thickness.
bool has_inertia(Hull hull, const Vector3d& centre, double size)
{
    for (Vector3d& v : hull.vertices) v = (v - centre) / size;
    const MassProperties of = mass_properties(hull);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> moments(of.inertia, Eigen::EigenvaluesOnly);
    return of.volume > 0 && moments.eigenvalues()[0] > 1e-14 * moments.eigenvalues()[2];
}

} // namespace

Hull make_hull(const std::vector<Vector3d>& points, const std::string& name)
{
    if (points.size() < 4)
        fail("{} has {} points: give it at least four points that do not lie in a plane.", name,
             points.size());
    Vector3d low = points[0], high = points[0];
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!points[i].allFinite())
            fail("Point {} of {} is ({}, {}, {}): give it finite coordinates.", i, name, points[i].x(),
                 points[i].y(), points[i].z());
        low = low.cwiseMin(points[i]), high = high.cwiseMax(points[i]);
    }
    const double size = (high - low).maxCoeff();
    if (!(size > 0)) fail("All points of {} coincide: give it four points that do not lie in a plane.", name);
    if (!std::isfinite(size))
        fail("The points of {} are too far apart for the arithmetic: scale them down.", name);

    int exponent;
    std::frexp(size / 2, &exponent); // size / 2 < 2^exponent
    const Vector3d centre = low + (high - low) / 2;
    std::vector<Vector3d> x(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
        for (int k = 0; k < 3; ++k)
            x[i][k] = std::nearbyint(std::ldexp(points[i][k] - centre[k], 40 - exponent));
    const double least = tolerance * std::ldexp(size, 40 - exponent);

    std::vector<int> members(points.size());
    std::iota(members.begin(), members.end(), 0);
    std::vector<Border> ring;
    for (;;) {
        const Quickhull hull(x, members, simplex(x, members, least, name));
        const std::vector<int> facet = merge(hull.triangles(), x, least);
        members = significant(hull.triangles(), facet, x, least);
        std::vector<int> corners;
        for (const Triangle& t : hull.triangles())
            corners.insert(corners.end(), t.vertex.begin(), t.vertex.end());
        std::sort(corners.begin(), corners.end());
        corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
        if (members.size() == corners.size()) {
            ring = borders(hull.triangles(), facet, points.size());
            break;
        }
        if (members.size() < 4)
            fail("The points of {} lie almost in a plane: give it at least one more point out of the plane.",
                 name);
    }

    // Numbers that do not depend on the way the hull was found: vertices as in the input, faces in the order
    // of their first edge, which starts at their first vertex.
    Hull hull;
    std::vector<int> number(points.size());
    for (int i : members) {
        number[i] = static_cast<int>(hull.vertices.size());
        hull.vertices.push_back(points[i]);
        hull.radius = std::max(hull.radius, points[i].norm());
    }
    std::vector<std::array<int, 4>> faces; // first edge (a, b), then start and end of its facet in the ring
    for (int begin = 0, end, count = static_cast<int>(ring.size()); begin < count; begin = end) {
        for (end = begin; end < count && ring[end].facet == ring[begin].facet; ++end) {
        }
        // (The facet's edges were sorted by their first vertex: it starts with its lowest.)
        faces.push_back({number[ring[begin].a], number[ring[begin].b], begin, end});
    }
    std::sort(faces.begin(), faces.end());
    std::vector<int> face_number(1 + std::max_element(ring.begin(), ring.end())->facet);
    for (std::size_t f = 0; f < faces.size(); ++f) face_number[ring[faces[f][2]].facet] = static_cast<int>(f);
    std::vector<int> degree(hull.vertices.size());
    for (std::size_t f = 0; f < faces.size(); ++f) {
        const auto [a, b, begin, end] = faces[f];
        const Vector3d& origin = hull.vertices[a];
        Vector3d normal = Vector3d::Zero();
        double above = 0; // the origin, so that all vertices of the face are in the plane or behind it
        for (int i = begin; i < end; ++i) {
            const int v = number[ring[i].a], w = number[ring[i].b];
            hull.face_vertex.push_back(v);
            normal += (hull.vertices[v] - origin).cross(hull.vertices[w] - origin);
            if (v < w) {
                hull.edges.push_back({v, w, static_cast<int>(f), face_number[ring[i].other]});
                ++degree[v], ++degree[w];
            }
        }
        normal.normalize();
        for (int i = begin; i < end; ++i)
            above = std::max(above, normal.dot(hull.vertices[number[ring[i].a]] - origin));
        hull.face_start.push_back(static_cast<int>(hull.face_vertex.size()));
        hull.normal.push_back(normal);
        hull.offset.push_back(normal.dot(origin) + above);
    }
    for (int d : degree) hull.vertex_start.push_back(hull.vertex_start.back() + d);
    hull.vertex_edge.resize(2 * hull.edges.size());
    hull.vertex_neighbour.resize(2 * hull.edges.size());
    std::vector<int> end(hull.vertex_start.begin(), hull.vertex_start.end() - 1);
    for (std::size_t e = 0; e < hull.edges.size(); ++e) {
        const auto [a, b, left, right] = hull.edges[e];
        hull.vertex_edge[end[a]] = hull.vertex_edge[end[b]] = static_cast<int>(e);
        hull.vertex_neighbour[end[a]++] = b;
        hull.vertex_neighbour[end[b]++] = a;
    }
    hull.arrange_quads();
    if (!has_inertia(hull, centre, size))
        fail("The {} is so thin for its length that its moments of inertia are lost to rounding: make it "
             "thicker.",
             name);
    return hull;
}

void Hull::arrange_quads()
{
    const std::size_t lanes = (vertices.size() + 3) / 4 * 4;
    quads.resize(3 * lanes);
    for (std::size_t i = 0; i < lanes; ++i)
        for (int k = 0; k < 3; ++k)
            quads[i / 4 * 12 + 4 * k + i % 4] = vertices[i < vertices.size() ? i : 0][k];
}

MassProperties mass_properties(const Hull& hull)
{
    Vector3d centre = Vector3d::Zero();
    for (const Vector3d& v : hull.vertices) centre += v - hull.vertices[0];
    centre = hull.vertices[0] + centre / static_cast<double>(hull.vertices.size());
    double volume = 0;
    Vector3d first = Vector3d::Zero();
    Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
    for (int f = 0; f < hull.faces(); ++f) {
        const int begin = hull.face_start[f];
        const Vector3d a = hull.vertices[hull.face_vertex[begin]] - centre;
        for (int i = begin + 2; i < hull.face_start[f + 1]; ++i) {
            const Vector3d b = hull.vertices[hull.face_vertex[i - 1]] - centre,
                           d = hull.vertices[hull.face_vertex[i]] - centre, s = a + b + d;
            const double D = a.dot(b.cross(d));
            volume += D / 6;
            first += D / 24 * s;
            second +=
                D / 120 * (a * a.transpose() + b * b.transpose() + d * d.transpose() + s * s.transpose());
        }
    }
    const Vector3d com = first / volume;
    second -= volume * com * com.transpose();
    return {volume, centre + com, second.trace() * Eigen::Matrix3d::Identity() - second};
}

} // namespace tamis
