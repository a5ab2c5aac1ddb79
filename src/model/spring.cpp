// Spring between two points, along the unit vector n between them: f = k (l - rest) + c l', with the tangents
//
//     stiffness   k n n^T + f / l (1 - n n^T)
//     damping     c n n^T
#include "tamis/model/spring.hpp"

namespace tamis {

Eigen::Vector3d spring_force(const SpringLaw& law, const Eigen::Vector3d& x, const Eigen::Vector3d& rate)
{
    const double length = x.norm();
    if (!(length > 0)) return {0, 0, 0};
    const Eigen::Vector3d n = x.normalized();
    return spring_force(law, length, x.dot(rate) / length).value * n;
}

} // namespace tamis
