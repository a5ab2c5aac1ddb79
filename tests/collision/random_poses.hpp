// Random vectors and rotations, and the scales at which geometry is tested.
#pragma once

#include <Eigen/Geometry>
#include <random>

namespace tamis {

inline constexpr double scales[] = {1e-3, 1, 1e3};

inline std::mt19937 random_engine;

inline double uniform(double low, double high)
{
    return std::uniform_real_distribution<>(low, high)(random_engine);
}

inline Eigen::Vector3d random_vector(double reach)
{
    return {uniform(-reach, reach), uniform(-reach, reach), uniform(-reach, reach)};
}

inline Eigen::Matrix3d random_rotation()
{
    std::normal_distribution<> normal;
    Eigen::Quaterniond q(normal(random_engine), normal(random_engine), normal(random_engine),
                         normal(random_engine));
    return q.normalized().toRotationMatrix();
}

} // namespace tamis
