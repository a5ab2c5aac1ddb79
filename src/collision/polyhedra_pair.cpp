// Points of the difference, and what they say of the best direction.
#include "tamis/collision/polyhedra_pair.hpp"

#include "tamis/collision/support_point.hpp"

namespace tamis::polyhedra {

Difference Pair::support(const Vector3d& n) const
{
    const int i = support_point(a, n), j = support_point(b, -(R.transpose() * n));
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
