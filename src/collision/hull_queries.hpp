// Where a point or a segment is with respect to a convex polyhedron, in its frame.
#pragma once

#include "tamis/collision/shapes.hpp"

namespace tamis {

// The hull of a box that is not flat, or of a flat one as two coincident faces with four sides of no height.
// It lives until the thread's next call with the same slot, 0 or 1; no allocation after the first.
const Hull& hull_of(const Box& box, int slot = 0);

// corners(box)[c], without a vector.
inline int corner_count(const Box& box)
{
    return box.half[flat_axis(box)] == 0 ? 4 : 8;
}
inline Eigen::Vector3d corner(const Box& box, int c)
{
    const int k = flat_axis(box), i = (k + 1) % 3, j = (k + 2) % 3;
    Eigen::Vector3d x;
    x[i] = c % 4 == 0 || c % 4 == 3 ? box.half[i] : -box.half[i];
    x[j] = c % 4 < 2 ? box.half[j] : -box.half[j];
    x[k] = c < 4 ? -box.half[k] : box.half[k];
    return x;
}

// Nearest point of a surface: x - distance * outward. Distance is negative inside.
struct Nearest {
    Eigen::Vector3d outward;
    double distance;
};
Nearest nearest(const Hull& hull, const Eigen::Vector3d& x);
Nearest nearest(const Box& box, const Eigen::Vector3d& x);
Nearest nearest(const Cylinder& cylinder, const Eigen::Vector3d& x);

// The part [t0, t1] of x + t u, within the t0 and t1 given, that is over the polygon of face f or no farther
// than `slack` beside it; t0 > t1 if none.
void clip(const Hull& hull, int f, const Eigen::Vector3d& x, const Eigen::Vector3d& u, double slack,
          double& t0, double& t1);

// The face whose normal is closest to n.
int face_along(const Hull& hull, const Eigen::Vector3d& n);

} // namespace tamis
