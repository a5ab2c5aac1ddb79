// One contact: given W (3x3, symmetric positive definite) and q, find r and u = W r + q with
//
//     r in K_mu = {|r_t| <= mu r_n},  u + mu |u_t| n in K_mu*,  r _|_ u + mu |u_t| n       (de Saxce)
//
// Outcomes: separation (r = 0), sticking (u = 0), sliding (u_n = 0, |r_t| = mu r_n opposite to u_t).
#pragma once

#include <Eigen/Core>
#include <algorithm>

namespace tamis {

enum class ContactStatus { separation, sticking, sliding };

// Exact solution (to round-off), with what depends on W alone made once.
class ContactLaw {
  public:
    ContactLaw() = default; // on which nothing acts
    ContactLaw(const Eigen::Matrix3d& W, double mu);
    Eigen::Vector3d solve(const Eigen::Vector3d& q, ContactStatus* status = nullptr) const;

  private:
    double mu_ = 0, w_[3] = {0, 0, 0}, size_W_ = 0; // first column and trace of W
    double g_[2] = {0, 0};                          // W_nt / W_nn
    double s_[2] = {0, 0}, cosine_ = 1, sine_ = 0;  // S in its axes, and these
    double g_in_axes_[2] = {0, 0}, skew_ = 0;       // and mu |g|
};
inline Eigen::Vector3d solve_contact(const Eigen::Matrix3d& W, const Eigen::Vector3d& q, double mu,
                                     ContactStatus* status = nullptr)
{
    return ContactLaw(W, mu).solve(q, status);
}

// The same without mu |u_t|: r in K_mu, u in K_mu*, r _|_ u (Anitescu 2006). When it slides, u_n = mu |u_t|.
Eigen::Vector3d solve_associated(const Eigen::Matrix3d& W, const Eigen::Vector3d& q, double mu,
                                 ContactStatus* status = nullptr);

// One projection step r <- P_K(r - rho u^).
Eigen::Vector3d project_contact(const Eigen::Vector3d& r, const Eigen::Vector3d& u, double mu, double rho);

// Projection on the cone |r_t| <= mu r_n.
Eigen::Vector3d project_cone(const Eigen::Vector3d& r, double mu);

// Inverse of the leading m x m part, zero elsewhere; a row that depends on earlier ones gets no impulse.
Eigen::Matrix3d inverse_of_leading(Eigen::Matrix3d A, int m);

// Projection on the ball |r| <= limit. A limit that has rounded below zero is zero, and r whose norm
// underflows is within any: at rest impulses that have no load fade to 1e-180.
inline Eigen::Vector3d project_ball(const Eigen::Vector3d& r, double limit)
{
    const double size = r.norm();
    limit = std::max(limit, 0.0);
    return size > limit ? Eigen::Vector3d(r * (limit / size)) : r;
}

} // namespace tamis
