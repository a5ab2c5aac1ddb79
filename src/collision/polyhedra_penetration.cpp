// The face of C nearest to the origin by growing a polytope within C, as in van den Bergen (2001). Its
// other faces bound the depth from below, so that the result is the deepest penetration proper and not
// just a local one. Distances to its faces are signed: it need not contain the origin at first. Where
// the polytope degenerates, all faces and all pairs of edges whose arcs cross on the Gauss map are
// tried, after Gregorius (2013).
#include "tamis/collision/polyhedra_penetration.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace tamis::polyhedra {

namespace {

// Adds points of C, each as far as possible from the span of those before, up to a tetrahedron.
bool complete(const Pair& pair, Difference* s, int count)
{
    const auto height = [&](const Vector3d& x) { // above the triangle
        const Vector3d n = (s[1].w - s[0].w).cross(s[2].w - s[0].w);
        return std::abs(n.dot(x - s[0].w)) / n.norm();
    };
    const double least = 1e-8 * pair.size;
    if (count == 4 && height(s[3].w) < least) count = 3;
    while (count < 4) {
        std::array<Vector3d, 3> directions{Vector3d::UnitX(), Vector3d::UnitY(), Vector3d::UnitZ()};
        if (count == 2) {
            const Vector3d d = (s[1].w - s[0].w).normalized();
            directions[0] = d.unitOrthogonal();
            directions[1] = directions[2] = d.cross(directions[0]);
        } else if (count == 3) {
            directions.fill((s[1].w - s[0].w).cross(s[2].w - s[0].w).normalized());
        }
        double best = -1;
        Difference chosen = s[0];
        for (int k = 0; k < 6; ++k) {
            const Difference d = pair.support(k % 2 ? directions[k / 2] : Vector3d(-directions[k / 2]));
            const Vector3d x = d.w - s[0].w;
            const double away = count == 1   ? x.norm()
                                : count == 2 ? x.cross((s[1].w - s[0].w).normalized()).norm()
                                             : height(d.w);
            if (away > best) {
                best = away;
                chosen = d;
            }
        }
        if (!(best > least)) return false;
        s[count++] = chosen;
    }
    return true;
}

// A triangle of the polytope within C: outward normal m, distance of its plane from the origin.
struct Facet {
    std::array<int, 3> corner;
    Vector3d m;
    double distance;
};

// From the tetrahedron in `simplex`. False if the polytope degenerates.
bool grow(const Pair& pair, const Difference* simplex, Optimum& optimum)
{
    constexpr int most_points = 64, most_facets = 2 * most_points;
    std::array<Difference, most_points> points;
    std::array<Facet, most_facets> facets;
    int point_count = 4, facet_count = 0;
    const double degenerate = 1e-14 * pair.size * pair.size, slack = 1e-13 * pair.size;
    const auto add = [&](int i, int j, int k) {
        const Vector3d &x = points[i].w, &y = points[j].w, &z = points[k].w;
        const Vector3d normal = (y - x).cross(z - y);
        const double area = normal.norm();
        if (facet_count == most_facets || !(area > degenerate)) return false;
        Facet& f = facets[facet_count++];
        f.corner = {i, j, k};
        f.m = normal / area;
        f.distance = f.m.dot(x);
        return true;
    };
    std::copy(simplex, simplex + 4, points.begin());
    if ((points[1].w - points[0].w).cross(points[2].w - points[0].w).dot(points[3].w - points[0].w) > 0)
        std::swap(points[0], points[1]);
    if (!add(0, 1, 2) || !add(0, 3, 1) || !add(0, 2, 3) || !add(1, 3, 2)) return false;

    int best;
    while (true) {
        best = 0;
        for (int f = 1; f < facet_count; ++f)
            if (facets[f].distance < facets[best].distance) best = f;
        const Difference next = pair.support(-facets[best].m);
        if (facets[best].m.dot(next.w) - facets[best].distance <= tolerance * pair.size) break;
        if (point_count == most_points) return false;
        const int w = point_count++;
        points[w] = next;

        // Facets that see the new point, or lie in one plane with it, give way to a fan around it. Their
        // directed edges without a reverse are the horizon.
        std::array<std::array<int, 2>, most_facets> horizon;
        int edges = 0;
        for (int f = 0; f < facet_count;) {
            if (facets[f].m.dot(next.w) - facets[f].distance <= -slack) {
                ++f;
                continue;
            }
            for (int k = 0; k < 3; ++k) {
                const int from = facets[f].corner[k], to = facets[f].corner[(k + 1) % 3];
                int e = 0;
                while (e < edges && !(horizon[e][0] == to && horizon[e][1] == from)) ++e;
                if (e < edges)
                    horizon[e] = horizon[--edges];
                else if (edges == most_facets)
                    return false;
                else
                    horizon[edges++] = {from, to};
            }
            facets[f] = facets[--facet_count];
        }
        // One closed loop, or else the polytope would tear.
        if (edges < 3) return false;
        for (int e = 0; e + 1 < edges; ++e) {
            int follower = e + 1;
            while (follower < edges && horizon[follower][0] != horizon[e][1]) ++follower;
            if (follower == edges) return false;
            std::swap(horizon[e + 1], horizon[follower]);
        }
        if (horizon[edges - 1][1] != horizon[0][0]) return false;
        for (int e = 0; e < edges; ++e)
            if (!add(horizon[e][0], horizon[e][1], w)) return false;
    }

    // Of the facets in this plane, the one that holds the projection of the origin.
    const double distance = facets[best].distance;
    const Vector3d outward = facets[best].m;
    double least_weight = -infinity;
    std::array<double, 3> weight{};
    for (int f = 0; f < facet_count; ++f) {
        if (facets[f].distance > distance + slack || (facets[f].m - outward).squaredNorm() > 1e-12) continue;
        const auto& [i, j, k] = facets[f].corner;
        const Vector3d &x = points[i].w, &y = points[j].w, &z = points[k].w, &m = facets[f].m;
        const std::array<double, 3> area{m.dot(y.cross(z - y)), m.dot(z.cross(x - z)), m.dot(x.cross(y - x))};
        const double sum = area[0] + area[1] + area[2];
        const double least = *std::min_element(area.begin(), area.end()) / sum;
        if (least <= least_weight) continue;
        least_weight = least;
        best = f;
        for (int c = 0; c < 3; ++c) weight[c] = area[c] / sum;
    }
    optimum = witness(pair, -outward, -distance, points.data(), 3, facets[best].corner, weight);
    return true;
}

// f(n) for all n that can be the best one.
Optimum best_of_all_axes(const Pair& pair)
{
    Optimum best{.gap = -infinity};
    for (int f = 0; f < pair.a.faces(); ++f) {
        const Vector3d& n = pair.a.normal[f];
        const Difference d = pair.support(n);
        const double gap = n.dot(d.w);
        if (gap <= best.gap) continue;
        const Vector3d x = pair.of_b(d.b);
        best = {n, gap, x - gap * n, 1, {pair.a.face_vertex[pair.a.face_start[f]]}, {d.b}};
    }
    for (int f = 0; f < pair.b.faces(); ++f) {
        const Vector3d n = -(pair.R * pair.b.normal[f]);
        const Difference d = pair.support(n);
        const double gap = n.dot(d.w);
        if (gap <= best.gap) continue;
        const Vector3d x = pair.of_a(d.a);
        best = {n, gap, x, 1, {d.a}, {pair.b.face_vertex[pair.b.face_start[f]]}};
    }
    for (const Hull::Edge& ea : pair.a.edges) {
        const Vector3d &left_a = pair.a.normal[ea.left], &right_a = pair.a.normal[ea.right];
        const Vector3d d_a = pair.of_a(ea.b) - pair.of_a(ea.a);
        for (const Hull::Edge& eb : pair.b.edges) {
            const Vector3d left_b = -(pair.R * pair.b.normal[eb.left]);
            const Vector3d right_b = -(pair.R * pair.b.normal[eb.right]);
            const Vector3d d_b = pair.R * (pair.b.vertices[eb.b] - pair.b.vertices[eb.a]);
            // The arcs of normals of the two edges cross on the sphere.
            if (left_b.dot(d_a) * right_b.dot(d_a) >= 0 || left_a.dot(d_b) * right_a.dot(d_b) >= 0) continue;
            Vector3d n = d_a.cross(d_b);
            const double length = n.norm();
            if (!(length > tolerance * d_a.norm() * d_b.norm())) continue;
            n *= (n.dot(left_a + right_a) > 0 ? 1 : -1) / length;
            if (n.dot(left_b + right_b) <= 0) continue;
            const Vector3d x = pair.of_a(ea.a), y = pair.of_b(eb.a);
            const double gap = n.dot(y - x);
            if (gap <= best.gap) continue;
            // x + s d_a + gap n = y + t d_b
            const double s = n.dot((y - x).cross(d_b)) / length * (n.dot(d_a.cross(d_b)) > 0 ? 1 : -1);
            best = {n, gap, x + s * d_a, 2, {ea.a, ea.b}, {eb.a, eb.b}};
        }
    }
    return best;
}

} // namespace

Optimum deepest(const Pair& pair, Difference* simplex, int count)
{
    Optimum o;
    return complete(pair, simplex, count) && grow(pair, simplex, o) ? o : best_of_all_axes(pair);
}

} // namespace tamis::polyhedra
