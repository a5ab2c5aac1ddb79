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
#include "nscd/contact_law.hpp"

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
    double mu;

    double x(int i, double lambda) const { return -b[i] / (s[i] + lambda); }
    double normal(double x0, double x1) const { return 1 - (g[0] * x0 + g[1] * x1); }

    double sliding_multiplier() const;
};

// Root of h: a Newton step, or a bisection when it leaves the bracket.
double Tangential::sliding_multiplier() const
{
    // |r_t| >= |b| / (max s + lambda) and |r_t| <= |b| / lambda bound the root from below and above.
    const double unit = std::hypot(b[0], b[1]) / mu, skew = mu * std::hypot(g[0], g[1]);
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

} // namespace

Vector3d solve_contact(const Matrix3d& W, const Vector3d& q, double mu, ContactStatus* status)
{
    const auto outcome = [&](ContactStatus s, double n, double t1, double t2) {
        if (status) *status = s;
        return Vector3d(n, t1, t2);
    };
    const double w_nn = W(0, 0);
    const double p = q[0] < 0 && w_nn > 0 ? -q[0] / w_nn : 0;
    if (p <= 0) return outcome(ContactStatus::separation, 0, 0, 0);
    if (mu <= 0) {
        const bool still = q[1] + W(1, 0) * p == 0 && q[2] + W(2, 0) * p == 0;
        return outcome(still ? ContactStatus::sticking : ContactStatus::sliding, p, 0, 0);
    }

    const double g1 = W(1, 0) / w_nn, g2 = W(2, 0) / w_nn;
    const double b1 = q[1] - g1 * q[0], b2 = q[2] - g2 * q[0];
    const double size_b = std::abs(q[1]) + std::abs(q[2]) + (std::abs(g1) + std::abs(g2)) * std::abs(q[0]);
    // So slight an approach separates, lest b / p overflow.
    if (-q[0] <= 1e-200 * size_b) return outcome(ContactStatus::separation, 0, 0, 0);
    const double a = W(1, 1) - g1 * W(1, 0), c = W(2, 1) - g1 * W(2, 0), d = W(2, 2) - g2 * W(2, 0);

    // Jacobi rotation to the axes of S.
    double tangent = 0;
    if (c != 0) {
        const double cot2 = (d - a) / (2 * c);
        tangent = std::copysign(1 / (std::abs(cot2) + std::hypot(1.0, cot2)), cot2);
    }
    const double cosine = 1 / std::sqrt(1 + tangent * tangent), sine = tangent * cosine;

    Tangential local;
    local.mu = mu;
    local.s[0] = a - tangent * c;
    local.s[1] = d + tangent * c;
    local.b[0] = cosine * b1 - sine * b2;
    local.b[1] = sine * b1 + cosine * b2;
    local.g[0] = cosine * g1 - sine * g2;
    local.g[1] = sine * g1 + cosine * g2;

    // No impulse in a direction where nothing can move (a planar mechanism): s = 0 and b = 0 to round-off.
    const double size_W = w_nn + W(1, 1) + W(2, 2);
    for (int i = 0; i < 2; ++i) {
        if (local.s[i] <= 8 * epsilon * size_W && std::abs(local.b[i]) <= 8 * epsilon * size_b)
            local.b[i] = 0;
        local.b[i] /= p;
        local.s[i] = std::max(local.s[i], epsilon * epsilon * size_W);
    }

    double x0 = local.x(0, 0), x1 = local.x(1, 0), r_n = local.normal(x0, x1);
    ContactStatus found = ContactStatus::sticking;
    if (!(std::hypot(x0, x1) <= mu * r_n)) {
        const double lambda = local.sliding_multiplier();
        x0 = local.x(0, lambda);
        x1 = local.x(1, lambda);
        r_n = std::hypot(x0, x1) / mu;
        found = ContactStatus::sliding;
    }
    return outcome(found, p * r_n, p * (cosine * x0 + sine * x1), p * (cosine * x1 - sine * x0));
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
