#include "tamis/model/rigid_body.hpp"

#include "model/random_motion.hpp"

namespace rigid_body_test {

using namespace tamis;
using Eigen::Matrix3d;

TEST(RigidBody, DerivativesAreExact)
{
    std::mt19937 random(1);
    Matrix3d J;
    J << 0.4, 0.05, -0.02, 0.05, 0.5, 0.03, -0.02, 0.03, 0.7;
    const RigidBody body({"b", 0, 1.3, {0.2, -0.4, 0.3}, J, {0, 0, -9.81}});
    expect_exact_derivatives(body, {random_motion(random)});
}

} // namespace rigid_body_test
