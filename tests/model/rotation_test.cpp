// Rotations by their vectors.
#include "tamis/model/rotation.hpp"

#include <gtest/gtest.h>

using namespace tamis;
using Eigen::Vector3d;

// Also on both sides of where the series takes over.
TEST(Rotation, ExponentialsAgreeToRoundOff)
{
    for (const double angle : {0.0, 1e-12, 1.9e-8, 2.1e-8, 1e-5, 0.0099, 0.0101, 0.5, 3.0, 10.0}) {
        const Vector3d phi = angle * Vector3d(1, -2, 2) / 3;
        const Eigen::Vector4d exact(std::sin(angle / 2) / 3, -std::sin(angle / 2) * 2 / 3,
                                    std::sin(angle / 2) * 2 / 3, std::cos(angle / 2));
        EXPECT_LT((exp_quaternion(phi).coeffs() - exact).norm(), 5e-16);
        EXPECT_LT((exp_quaternion(phi, 1e-4).coeffs() - exact).norm(), 5e-16);
        EXPECT_LT((exp_turn(phi).coeffs() - exact).norm(), 5e-16);
    }
}
