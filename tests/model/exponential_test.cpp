#include "tamis/model/rotation.hpp"

#include "model/random_motion.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

namespace exponential_test {

using namespace tamis;
using Eigen::Matrix3d, Eigen::Vector3d;

TEST(RotationVector, ExponentialIsThatOfAngleAndAxis)
{
    RandomVectors random;
    for (double size : {1e-9, 1e-3, 0.5, 1.7, 3.1}) {
        const Vector3d phi = size * random.vector(1).normalized();
        const RotationVector turn(phi);
        EXPECT_LT((turn.exp() - Eigen::AngleAxisd(size, phi / size).matrix()).norm(), 4e-15) << size;
        EXPECT_LT((RotationVector::log(turn.exp()).phi() - phi).norm(), 1e-14) << size;
    }
    EXPECT_EQ(RotationVector::log(Matrix3d::Identity()).phi(), Vector3d::Zero());
}

TEST(RotationVector, DerivativesAreThoseOfDifferences)
{
    RandomVectors random;
    for (double size : {1e-3, 1.0, 3.0}) {
        const Vector3d phi = size * random.vector(1).normalized(), a = random.vector(1), b = random.vector(1);
        const RotationVector turn(phi);
        constexpr double step = 1e-5;
        auto slope = [&](auto&& f) { // of a matrix-valued function of phi, along b
            return ((f(RotationVector(phi + step * b)) - f(RotationVector(phi - step * b))) / (2 * step))
                .eval();
        };
        const Matrix3d spin = slope([](const RotationVector& r) { return r.exp(); }) * turn.exp().transpose();
        EXPECT_LT((spin - cross_matrix(turn.T() * b)).norm(), 1e-9);
        const Matrix3d dT = slope([](const RotationVector& r) { return r.T(); });
        EXPECT_LT((turn.T_along(b) - dT).norm(), 1e-9);
        EXPECT_LT((turn.dT(a) * b - dT * a).norm(), 1e-9);
        const Vector3d c = random.vector(1);
        const Vector3d ddT = slope([&](const RotationVector& r) { return Vector3d(r.dT(a) * c); });
        EXPECT_LT((turn.ddT(a, c) * b - ddT).norm(), 1e-9);
    }
}

TEST(RotationVector, TangentMapIsTheDerivativeOfTheExponential)
{
    for (const double size : {1e-9, 0.05, 0.1, 1.5, 3.0, 4.0}) {
        const Vector3d theta = size * Vector3d(1, -2, 2) / 3, u(0.3, 0.5, -0.7);
        const double d = 1e-5;
        const Matrix3d T = RotationVector(theta).T();
        EXPECT_LT((T * RotationVector(theta).T_inverse() - Matrix3d::Identity()).norm(), 1e-14);
        for (int j = 0; j < 3; ++j) {
            const Vector3d e = d * Vector3d::Unit(j);
            const Matrix3d R = exp_turn(theta).toRotationMatrix();
            const Matrix3d spin =
                (exp_turn(theta + e).toRotationMatrix() - exp_turn(theta - e).toRotationMatrix()) / (2 * d) *
                R.transpose();
            EXPECT_LT((spin - cross_matrix(T.col(j))).norm(), 1e-9) << size;
            const Vector3d D =
                (RotationVector(theta + e).T() * u - RotationVector(theta - e).T() * u) / (2 * d);
            EXPECT_LT((D - RotationVector(theta).dT(u).col(j)).norm(), 1e-9) << size;
        }
    }
}

// Also on both sides of where the series takes over.
TEST(Exponential, MapsAgreeToRoundOff)
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

} // namespace exponential_test
