// Farthest vertices, and what is known of the best direction.
#include "collision/polyhedra_pair.hpp"

namespace tamis::polyhedra {

namespace {

// Along a direction n of the hull's own frame.
int farthest(const Hull& hull, const Vector3d& n)
{
    int best = 0;
    double reach = -infinity;
    const int count = static_cast<int>(hull.vertices.size());
    for (int i = 0; i < count; ++i) {
        const double x = n.dot(hull.vertices[i]);
        if (x > reach) {
            reach = x;
            best = i;
        }
    }
    return best;
}

} // namespace

Difference Pair::support(const Vector3d& n) const
{
    const int i = farthest(a, n), j = farthest(b, -(R.transpose() * n));
    return {of_b(j) - of_a(i), i, j};
}

Optimum witness(const Pair& pair, const Vector3d& n, double gap, const Difference* s, int count,
                const std::array<int, 3>& corner, const std::array<double, 3>& weight)
{
    Optimum o{n, gap, Vector3d::Zero(), count, {}, {}};
    for (int i = 0; i < count; ++i) {
        const Difference& d = s[corner[i]];
        o.a[i] = d.a;
        o.b[i] = d.b;
        o.on_a += weight[i] * pair.of_a(d.a);
    }
    return o;
}

} // namespace tamis::polyhedra
