// Spring between two points, along the unit vector n between them: f = k (l - rest) + c l', with the tangents
//
//     stiffness   k n n^T + f / l (1 - n n^T)
//     damping     c n n^T
#include "tamis/model/spring.hpp"

namespace tamis {

PointSpringForce spring_force(const SpringLaw& law, const Eigen::Vector3d& x, const Eigen::Vector3d& rate)
{
    PointSpringForce out;
    const double length = x.norm();
    if (!(length > 0)) return out;
    const Eigen::Vector3d n = x.normalized();
    const SpringForce along = spring_force(law, length, x.dot(rate) / length);
    const Eigen::Matrix3d N = n * n.transpose();
    out.pull = along.value * n;
    out.stiffness = along.stiffness * N + along.value / length * (Eigen::Matrix3d::Identity() - N);
    out.damping = along.damping * N;
    return out;
}

} // namespace tamis
