// The point of C nearest to the origin, after Gilbert, Johnson, Keerthi (1988) with the sub-simplex found by
// signed volumes as in Montanari, Petrinic, Barbieri (2017). A direction with f(n) > alert ends it.
#include "tamis/collision/polyhedra_distance.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace tamis::polyhedra {

namespace {

// The part of a simplex nearest to the origin, v = sum of weight[i] w[corner[i]].
struct Nearest {
    Vector3d v;
    double squared;
    int count;
    std::array<int, 3> corner;
    std::array<double, 3> weight;
};

Nearest nearest_of_segment(const Difference* s, int i, int j)
{
    const Vector3d d = s[j].w - s[i].w;
    const double t = -s[i].w.dot(d), length = d.squaredNorm();
    if (t <= 0) return {s[i].w, s[i].w.squaredNorm(), 1, {i}, {1}};
    if (t >= length) return {s[j].w, s[j].w.squaredNorm(), 1, {j}, {1}};
    const Vector3d v = s[i].w + t / length * d;
    return {v, v.squaredNorm(), 2, {i, j}, {1 - t / length, t / length}};
}

Nearest nearest_of_triangle(const Difference* s, int i, int j, int k)
{
    const Vector3d ij = s[j].w - s[i].w, jk = s[k].w - s[j].w, ki = s[i].w - s[k].w;
    const Vector3d n = ij.cross(jk);
    const double nn = n.squaredNorm();
    // Areas opposite to the corners, seen along n, of the origin's projection: W_j x W_k = W_j x (W_k - W_j).
    const double at_i = n.dot(s[j].w.cross(jk)), at_j = n.dot(s[k].w.cross(ki)),
                 at_k = n.dot(s[i].w.cross(ij));
    if (at_i > 0 && at_j > 0 && at_k > 0) {
        const double distance = n.dot(s[i].w) / nn, sum = at_i + at_j + at_k;
        return {distance * n, distance * distance * nn, 3, {i, j, k}, {at_i / sum, at_j / sum, at_k / sum}};
    }
    Nearest best{.squared = infinity};
    const auto consider = [&](double area, int from, int to) {
        if (area > 0) return;
        const Nearest candidate = nearest_of_segment(s, from, to);
        if (candidate.squared < best.squared) best = candidate;
    };
    consider(at_i, j, k);
    consider(at_j, k, i);
    consider(at_k, i, j);
    return best;
}

// squared = 0 and count = 0 if the origin lies inside.
Nearest nearest_of_tetrahedron(const Difference* s)
{
    const Vector3d c01 = s[0].w.cross(s[1].w), c23 = s[2].w.cross(s[3].w);
    // Volumes opposite to the corners; they add up to that of the tetrahedron.
    const double volume[] = {c23.dot(s[1].w), -c23.dot(s[0].w), c01.dot(s[3].w), -c01.dot(s[2].w)};
    const double whole = (s[1].w - s[0].w).dot((s[2].w - s[0].w).cross(s[3].w - s[0].w)) > 0 ? 1 : -1;
    Nearest best{.squared = infinity};
    bool inside = true;
    for (int i = 0; i < 4; ++i) {
        if (volume[i] * whole > 0) continue;
        inside = false;
        const Nearest candidate = nearest_of_triangle(s, (i + 1) % 4, (i + 2) % 4, (i + 3) % 4);
        if (candidate.squared < best.squared) best = candidate;
    }
    if (inside) return {Vector3d::Zero(), 0, 0, {}, {}};
    return best;
}

} // namespace

Relation closest(const Pair& pair, double alert, Difference* simplex, int& count, Optimum& optimum)
{
    const double offset = pair.p.norm();
    const Vector3d centres = offset > touching * pair.size ? Vector3d(pair.p / offset) : Vector3d::UnitX();
    simplex[0] = pair.support(centres);
    optimum.gap = centres.dot(simplex[0].w);
    if (optimum.gap > alert) return Relation::beyond_alert;
    count = 1;
    Nearest nearest{simplex[0].w, simplex[0].w.squaredNorm(), 1, {0}, {1}};
    while (true) {
        const double distance = std::sqrt(nearest.squared);
        if (distance <= touching * pair.size) return Relation::in_touch;
        // n = v / |v|, but the search need not wait for the root and the division.
        const Difference next = pair.support(nearest.v);
        const double bound = nearest.v.dot(next.w);
        if (bound > alert * distance) {
            optimum.gap = bound / distance;
            return Relation::beyond_alert;
        }
        bool last = nearest.squared - bound <= round_off * pair.size * distance;
        for (int i = 0; i < count; ++i) last |= simplex[i].a == next.a && simplex[i].b == next.b;
        if (!last) {
            simplex[count] = next;
            const Nearest nearer = count == 1   ? nearest_of_segment(simplex, 0, 1)
                                   : count == 2 ? nearest_of_triangle(simplex, 0, 1, 2)
                                                : nearest_of_tetrahedron(simplex);
            if (nearer.count == 0) {
                count = 4;
                return Relation::in_touch;
            }
            last = !(nearer.squared < nearest.squared);
            if (!last) {
                const std::array<Difference, 4> all{simplex[0], simplex[1], simplex[2], simplex[3]};
                nearest = nearer;
                count = nearer.count;
                for (int i = 0; i < count; ++i) {
                    simplex[i] = all[nearer.corner[i]];
                    nearest.corner[i] = i;
                }
            }
        }
        if (last) {
            optimum = witness(pair, nearest.v / distance, distance, simplex, nearest.count, nearest.corner,
                              nearest.weight);
            return Relation::apart;
        }
    }
}

} // namespace tamis::polyhedra
