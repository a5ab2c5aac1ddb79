// Rotations by their vectors: exp(phi) turns by |phi| about phi. With phi^ a = phi x a and x = |phi|^2,
//
//     a_n(x) = sum over k of (-x)^k / (2k + n)!     a_1 = sin |phi| / |phi|,  a_2 = (1 - cos |phi|) / x, ...
//     exp phi = 1 + a_1 phi^ + a_2 phi^^2
//     T(phi)  = 1 + a_2 phi^ + a_3 phi^^2,          (exp phi)' (exp phi)^T = (T phi')^
//     T^-1    = 1 - phi^ / 2 + (a_3 - 2 a_4) / (2 a_2) phi^^2
//
// and da_n = (n a_n+2 - a_n+1) phi . dphi, so that derivatives need no quotients, whatever |phi|. The sums
// are taken for n = 6 and 7, where they do not cancel up to |phi| = 4; the others by a_n = 1/n! - x a_n+2.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cmath>

namespace tamis {

inline Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& x)
{
    Eigen::Matrix3d X;
    X << 0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0;
    return X;
}

// exp phi = (cos |phi| / 2, sin(|phi| / 2) / |phi| phi), for angles of any size. Where |phi|^2 < `series`, up to 1e-4,
// by the first terms of the series; the others are below round-off. At the default only those count that sine and
// cosine round to; a larger one saves both, which may change the last bit.
inline Eigen::Quaterniond exp_quaternion(const Eigen::Vector3d& phi, double series = 4e-16)
{
    const double square = phi.squaredNorm();
    double cosine, sinc; // sin(|phi| / 2) / |phi|
    if (square < series) {
        const double s = square / 4;
        cosine = 1 - s / 2 + s * s / 24 - s * s * s / 720;
        sinc = 0.5 * (1 - s / 6 + s * s / 120 - s * s * s / 5040);
    } else {
        const double angle = std::sqrt(square);
        cosine = std::cos(angle / 2);
        sinc = std::sin(angle / 2) / angle;
    }
    const Eigen::Vector3d s = sinc * phi;
    return {cosine, s.x(), s.y(), s.z()};
}

// The same by axis and angle, sin(|phi| / 2) (phi / |phi|), which rounds otherwise: nodes of beams and of smooth
// systems turn by it, and keep it so that their runs keep their bits.
inline Eigen::Quaterniond exp_turn(const Eigen::Vector3d& phi)
{
    const double angle = phi.norm();
    return angle > 0 ? Eigen::Quaterniond(Eigen::AngleAxisd(angle, phi / angle))
                     : Eigen::Quaterniond::Identity();
}

// For angles up to 4: a step, or the difference of two sections, turns by less than pi.
class RotationVector {
  public:
    explicit RotationVector(const Eigen::Vector3d& phi) : phi_(phi)
    {
        const double x = phi.squaredNorm();
        double sum[2] = {0, 0};
        for (int k = 12; k >= 0; --k) // Horner: (1 - x / (8 * 7) (1 - x / (10 * 9) ..)) / 6!
            for (int odd : {0, 1}) sum[odd] = 1 - x * sum[odd] / ((2 * k + 8 + odd) * (2 * k + 7 + odd));
        a_[6] = sum[0] / 720;
        a_[7] = sum[1] / 5040;
        constexpr double factorial[] = {1, 1, 2, 6, 24, 120};
        for (int n = 5; n >= 0; --n) a_[n] = 1 / factorial[n] - x * a_[n + 2];
    }
    // Of a rotation by less than pi.
    static RotationVector log(const Eigen::Matrix3d& R)
    {
        Eigen::Quaterniond q(R);
        if (q.w() < 0) q.coeffs() *= -1;
        const double s = q.vec().norm();
        return RotationVector((s > 0 ? 2 * std::atan2(s, q.w()) / s : 2) * q.vec());
    }

    const Eigen::Vector3d& phi() const { return phi_; }
    Eigen::Matrix3d exp() const { return quadratic(a_[1], a_[2]); }
    Eigen::Matrix3d T() const { return quadratic(a_[2], a_[3]); }
    Eigen::Matrix3d T_inverse() const { return quadratic(-0.5, (a_[3] - 2 * a_[4]) / (2 * a_[2])); }
    // Derivative of T in the direction b: T'(b) a.
    Eigen::Matrix3d T_along(const Eigen::Vector3d& b) const
    {
        const double d = phi_.dot(b);
        const Eigen::Matrix3d P = cross_matrix(phi_), B = cross_matrix(b);
        return d * (b1() * P + c1() * P * P) + a_[2] * B + a_[3] * (B * P + P * B);
    }
    // Derivative of T a with respect to phi: the same T'(b) a, as a matrix times b.
    Eigen::Matrix3d dT(const Eigen::Vector3d& a) const
    {
        const Eigen::Vector3d pa = phi_.cross(a), ppa = phi_.cross(pa);
        return (b1() * pa + c1() * ppa) * phi_.transpose() - a_[2] * cross_matrix(a) -
               a_[3] * (cross_matrix(pa) + cross_matrix(phi_) * cross_matrix(a));
    }
    // Derivative of T'(b) a with respect to phi.
    Eigen::Matrix3d ddT(const Eigen::Vector3d& a, const Eigen::Vector3d& b) const
    {
        const double d = phi_.dot(b);
        const Eigen::Vector3d pa = phi_.cross(a), ppa = phi_.cross(pa), ba = b.cross(a);
        const double b2 = 8 * a_[6] - 5 * a_[5] + a_[4], c2 = 15 * a_[7] - 7 * a_[6] + a_[5];
        return (d * (b2 * pa + c2 * ppa) + b1() * ba + c1() * (b.cross(pa) + phi_.cross(ba))) *
                   phi_.transpose() +
               (b1() * pa + c1() * ppa) * b.transpose() - b1() * d * cross_matrix(a) -
               c1() * d * (cross_matrix(pa) + cross_matrix(phi_) * cross_matrix(a)) -
               a_[3] * (cross_matrix(b) * cross_matrix(a) + cross_matrix(ba));
    }

  private:
    double b1() const { return 2 * a_[4] - a_[3]; } // da_2 = b1 phi . dphi
    double c1() const { return 3 * a_[5] - a_[4]; } // da_3 = c1 phi . dphi
    Eigen::Matrix3d quadratic(double b, double c) const
    {
        const Eigen::Matrix3d P = cross_matrix(phi_);
        return Eigen::Matrix3d::Identity() + b * P + c * P * P;
    }

    Eigen::Vector3d phi_;
    std::array<double, 8> a_;
};

} // namespace tamis
