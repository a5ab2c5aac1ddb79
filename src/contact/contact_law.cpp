// One contact in local variables, u = W r + q:
//
//     separation   q_n >= 0,                       r = 0
//     sticking     r = -W^-1 q in K_mu,            u = 0
//     sliding      u_n = 0,  u_t = -lambda r_t,    |r_t| = mu r_n,  lambda > 0
//
// Eliminating r_n = p - g.r_t with p = -q_n / W_nn and g = W_nt / W_nn leaves
//
//     r_t(lambda) = -(S + lambda I)^-1 b,   S = W_tt - W_tn W_nt / W_nn,   b = q_t - W_tn q_n / W_nn
//     h(lambda) = mu r_n / |r_t| - 1 = 0
//
// and in the axes of S an evaluation costs two divisions. Not sticking means h(0) < 0, and h grows without
// bound: a root lies between. For g = 0, h is concave and Newton from the left converges monotonically, as in
// trust-region methods (More & Sorensen 1983); for g != 0 it is kept in a bracket. Departures: with large mu
// the root need not be unique and the one that the bracketed iteration meets is taken; r_n = |r_t| / mu
// closes the sliding case, so that r lies on the cone and the error is in u_n, where it is of the order of
// round-off in W r.
#include "tamis/contact/contact_law.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// The tangential problem in the axes of S, impulses in units of p.
struct Tangential {
    double s[2], b[2], g[2];
    double mu, skew; // mu |g|

    double x(int i, double lambda) const { return -b[i] / (s[i] + lambda); }
    double normal(double x0, double x1) const { return 1 - (g[0] * x0 + g[1] * x1); }

    double sliding_multiplier() const;
};

// Root of h: a Newton step, or a bisection when it leaves the bracket.
double Tangential::sliding_multiplier() const
{
    // |r_t| >= |b| / (max s + lambda) and |r_t| <= |b| / lambda bound the root from below and above.
    const double unit = std::hypot(b[0], b[1]) / mu;
    const double s_max = std::max(s[0], s[1]), s_min = std::min(s[0], s[1]);
    double low = 0, high = std::min(2 * unit * (1 + skew), std::numeric_limits<double>::max() / 4);
    double lambda = std::clamp(unit * (1 - skew) - s_max, 0.0, high);
    for (int iteration = 0; iteration < 200; ++iteration) {
        const double inverse0 = 1 / (s[0] + lambda), inverse1 = 1 / (s[1] + lambda);
        const double x0 = -b[0] * inverse0, x1 = -b[1] * inverse1;
        const double y0 = x0 * inverse0, y1 = x1 * inverse1; // -dx/dlambda
        const double square = x0 * x0 + x1 * x1, r_n = normal(x0, x1);
        const double h = mu * r_n - std::sqrt(square); // times |r_t|
        (h < 0 ? low : high) = lambda;
        const double slope = mu * (g[0] * y0 + g[1] * y1 + r_n * (x0 * y0 + x1 * y1) / square);
        const double next = slope > 0 ? lambda - h / slope : -1;
        if (next >= low && next <= high) {
            const double step = std::abs(next - lambda);
            lambda = next;
            if (step <= 1e-9 * (s_min + lambda)) break; // the next, quadratic step would be below round-off
        } else {
            lambda = low + (high - low) / 2;
            if (high - low <= epsilon * (s_min + low)) break;
        }
    }
    return lambda;
}

// std::hypot(x, y) <= limit, which mostly needs no root.
bool within(double x, double y, double limit)
{
    const double square = x * x + y * y, most = limit * limit;
    if (limit > 1e-100 && square < most * (1 - 1e-12)) return true;
    if (limit > 1e-100 && square > most * (1 + 1e-12)) return false;
    return std::hypot(x, y) <= limit;
}

} // namespace

ContactLaw::ContactLaw(const Matrix3d& W, double mu)
    : mu_(mu), w_{W(0, 0), W(1, 0), W(2, 0)}, size_W_(W(0, 0) + W(1, 1) + W(2, 2))
{
    if (!(w_[0] > 0)) return; // nothing acts
    const double g1 = g_[0] = w_[1] / w_[0], g2 = g_[1] = w_[2] / w_[0];
    const double a = W(1, 1) - g1 * w_[1], c = W(2, 1) - g1 * w_[2], d = W(2, 2) - g2 * w_[2];
    // Jacobi rotation to the axes of S.
    double tangent = 0;
    if (c != 0) {
        const double cot2 = (d - a) / (2 * c);
        tangent = std::copysign(1 / (std::abs(cot2) + std::hypot(1.0, cot2)), cot2);
    }
    cosine_ = 1 / std::sqrt(1 + tangent * tangent);
    sine_ = tangent * cosine_;
    s_[0] = a - tangent * c;
    s_[1] = d + tangent * c;
    g_in_axes_[0] = cosine_ * g1 - sine_ * g2;
    g_in_axes_[1] = sine_ * g1 + cosine_ * g2;
    skew_ = mu * std::hypot(g_in_axes_[0], g_in_axes_[1]);
}

Vector3d ContactLaw::solve(const Vector3d& q, ContactStatus* status) const
{
    const auto outcome = [&](ContactStatus s, double n, double t1, double t2) {
        if (status) *status = s;
        return Vector3d(n, t1, t2);
    };
    const double p = q[0] < 0 && w_[0] > 0 ? -q[0] / w_[0] : 0;
    if (p <= 0) return outcome(ContactStatus::separation, 0, 0, 0);
    if (mu_ <= 0) {
        const bool still = q[1] + w_[1] * p == 0 && q[2] + w_[2] * p == 0;
        return outcome(still ? ContactStatus::sticking : ContactStatus::sliding, p, 0, 0);
    }

    const double g1 = g_[0], g2 = g_[1];
    const double b1 = q[1] - g1 * q[0], b2 = q[2] - g2 * q[0];
    const double size_b = std::abs(q[1]) + std::abs(q[2]) + (std::abs(g1) + std::abs(g2)) * std::abs(q[0]);
    // So slight an approach separates, lest b / p overflow.
    if (-q[0] <= 1e-200 * size_b) return outcome(ContactStatus::separation, 0, 0, 0);

    Tangential local;
    local.mu = mu_;
    local.skew = skew_;
    local.b[0] = cosine_ * b1 - sine_ * b2;
    local.b[1] = sine_ * b1 + cosine_ * b2;

    // No impulse in a direction where nothing can move (a planar mechanism): s = 0 and b = 0 to round-off.
    for (int i = 0; i < 2; ++i) {
        if (s_[i] <= 8 * epsilon * size_W_ && std::abs(local.b[i]) <= 8 * epsilon * size_b) local.b[i] = 0;
        local.b[i] /= p;
        local.g[i] = g_in_axes_[i];
        local.s[i] = std::max(s_[i], epsilon * epsilon * size_W_);
    }

    double x0 = local.x(0, 0), x1 = local.x(1, 0), r_n = local.normal(x0, x1);
    ContactStatus found = ContactStatus::sticking;
    if (!within(x0, x1, mu_ * r_n)) {
        const double lambda = local.sliding_multiplier();
        x0 = local.x(0, lambda);
        x1 = local.x(1, lambda);
        r_n = std::hypot(x0, x1) / mu_;
        found = ContactStatus::sliding;
    }
    return outcome(found, p * r_n, p * (cosine_ * x0 + sine_ * x1), p * (cosine_ * x1 - sine_ * x0));
}

// The cone of the associated law is that of light in x = (r_n, r_t / mu), and u = W r + q becomes
//     c = Z q,  W' = Z W Z,  Z = diag(1, mu, mu),  D = diag(1, -1, -1)
// Sliding is x'Dx = 0 with W'x + c = lambda D x. In axes that diagonalise both, x = T y with T'W'T = I and
// T'DT = diag(d_1 > 0, -d_2, -d_3), and with b = T'c
//     y_k = -b_k / (1 + lambda d_k), k = 2, 3,   y_1 = sqrt((d_2 y_2^2 + d_3 y_3^2) / d_1)
//     F(lambda) = y_1 (1 - lambda d_1) + b_1 = 0
// F(0) <= 0 is sticking, F(infinity) >= 0 separation; else the convex problem has
// one solution, and F one root.
Vector3d solve_associated(const Matrix3d& W, const Vector3d& q, double mu, ContactStatus* status)
{
    const auto outcome = [&](ContactStatus s, const Vector3d& x) {
        if (status) *status = s;
        return Vector3d(x[0], mu * x[1], mu * x[2]);
    };
    const Vector3d Z(1, mu, mu), c = Z.cwiseProduct(q);
    if (c[0] >= std::hypot(c[1], c[2])) return outcome(ContactStatus::separation, Vector3d::Zero());
    const Eigen::SelfAdjointEigenSolver<Matrix3d> of_W(Z.asDiagonal() * W * Z.asDiagonal());
    // A direction in which nothing moves (a planar mechanism) is as good as very heavy.
    const double least = epsilon * of_W.eigenvalues()[2];
    if (!(least > 0)) return outcome(ContactStatus::separation, Vector3d::Zero());
    Matrix3d T = of_W.eigenvectors();
    for (int k = 0; k < 3; ++k) T.col(k) /= std::sqrt(std::max(of_W.eigenvalues()[k], least));
    const Matrix3d D = Vector3d(1, -1, -1).asDiagonal();
    const Eigen::SelfAdjointEigenSolver<Matrix3d> of_D(T.transpose() * D * T); // -d_2, -d_3, d_1
    T = (T * of_D.eigenvectors()).eval();
    if (T(0, 2) < 0) T.col(2) = -T.col(2); // y_1 > 0 is the upper half of the cone
    const double d1 = of_D.eigenvalues()[2], d2 = -of_D.eigenvalues()[0], d3 = -of_D.eigenvalues()[1];
    Vector3d b = T.transpose() * c;
    // Round-off of a direction in which nothing moves.
    for (int k = 0; k < 3; ++k)
        if (std::abs(b[k]) <= 8 * epsilon * T.col(k).cwiseAbs().dot(c.cwiseAbs())) b[k] = 0;

    double y1 = 0, y2 = 0, y3 = 0;
    const auto F = [&](double lambda) {
        y2 = -b[0] / (1 + lambda * d2);
        y3 = -b[1] / (1 + lambda * d3);
        y1 = std::sqrt((d2 * y2 * y2 + d3 * y3 * y3) / d1);
        return y1 * (1 - lambda * d1) + b[2];
    };
    if (F(0) <= 0) return outcome(ContactStatus::sticking, -(T * Vector3d(b[0], b[1], b[2])));
    double low = 0, high = 1 / d1;
    while (F(high) > 0 && high < 1e300) low = high, high *= 4;
    for (int k = 0; k < 200 && high - low > epsilon * high; ++k) {
        const double lambda = low + (high - low) / 2;
        (F(lambda) > 0 ? low : high) = lambda;
    }
    F(high);
    return outcome(ContactStatus::sliding, T * Vector3d(y2, y3, y1));
}

// With z = r - rho u^, alpha = z_n + mu |z_t| decides: alpha <= 0 is the polar cone. Its terms rho mu |u_t|
// cancel and are never formed:  |z_t| - rho |u_t| = r_t.(r_t - 2 rho u_t) / (|z_t| + rho |u_t|).
Vector3d project_contact(const Vector3d& r, const Vector3d& u, double mu, double rho)
{
    const Eigen::Vector2d r_t = r.tail<2>(), u_t = u.tail<2>(), z_t = r_t - rho * u_t;
    const double size = z_t.norm(), sum = size + rho * u_t.norm();
    const double growth = sum > 0 ? r_t.dot(r_t - 2 * rho * u_t) / sum : 0;
    const double alpha = r[0] - rho * u[0] + mu * growth;
    if (alpha <= 0) return Vector3d::Zero();
    const double n = alpha / (1 + mu * mu);
    if (!(size > mu * n)) return {alpha - mu * size, z_t[0], z_t[1]};
    return {n, mu * n * (z_t[0] / size), mu * n * (z_t[1] / size)};
}

Vector3d project_cone(const Vector3d& r, double mu)
{
    return project_contact(r, Vector3d::Zero(), mu, 0);
}

// By Gauss-Jordan.
Matrix3d inverse_of_leading(Matrix3d A, int m)
{
    const Vector3d diagonal = A.diagonal();
    bool swept[3] = {};
    for (int k = 0; k < m; ++k) {
        const double pivot = A(k, k);
        if (!(pivot > 16 * epsilon * diagonal[k])) continue;
        swept[k] = true;
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < m; ++j)
                if (i != k && j != k) A(i, j) -= A(i, k) * A(k, j) / pivot;
        for (int i = 0; i < m; ++i) {
            if (i == k) continue;
            A(i, k) /= pivot;
            A(k, i) /= -pivot;
        }
        A(k, k) = 1 / pivot;
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (!swept[i] || !swept[j]) A(i, j) = 0;
    return A;
}

} // namespace tamis
