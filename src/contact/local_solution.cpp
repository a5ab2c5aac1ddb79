// One contact by itself: the rows of W = H M^-1 H^T + R for it alone, and its law with u - W r as the free velocity.
// Rolling: a projected step, r' = P(r - 3 u / tr W), P on the ball whose radius is the limit of the contact it belongs
// to.
#include "tamis/contact/local_solution.hpp"

#include "tamis/contact/contact_law.hpp"

#include <algorithm>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// The entries of problem.delassus(), with each row of H and Y made once.
static Matrix3d delassus(const ContactProblem& problem, const Contact& contact, int m)
{
    Matrix3d W = Matrix3d::Zero();
    const Contact::Side* sides = contact.side;
    const bool shared = sides[0].block >= 0 && sides[0].block == sides[1].block;
    for (int i = 0; i < m && shared; ++i)
        for (int j = 0; j <= i; ++j) W(i, j) = problem.delassus(contact, i, contact, j);
    for (int s = 0; s < 2 && !shared; ++s) {
        if (sides[s].block < 0) continue;
        ContactProblem::Row6 h[3], y[3];
        const bool rigid = problem.is_rigid(sides[s].block);
        for (int i = 0; i < m && rigid; ++i) {
            h[i] = problem.rigid_row(contact, s, i);
            y[i] = problem.rigid_response(contact, s, i);
        }
        const int n = problem.block_size(sides[s].block);
        for (int i = 0; i < m; ++i)
            for (int j = 0; j <= i; ++j) {
                if (rigid) {
                    W(i, j) += h[i].dot(y[j]);
                    continue;
                }
                const double *h_i = problem.H.data() + sides[s].map + i * n,
                             *y_j = problem.Y.data() + sides[s].map + j * n;
                for (int k = 0; k < n; ++k) W(i, j) += h_i[k] * y_j[k];
            }
    }
    return W;
}

Matrix3d local_matrix(const ContactProblem& problem, const Contact& contact)
{
    const int m = contact.active_rows();
    Matrix3d W = delassus(problem, contact, m);
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < i; ++j) W(j, i) = W(i, j);
        if (contact.law != Law::rolling) W(i, i) += contact.compliance_of(i);
    }
    return contact.law == Law::bilateral ? inverse_of_leading(W, m) : W;
}

Vector3d solve_in_plane(const ContactProblem& problem, const Contact& contact, const Matrix3d& W,
                        const Vector3d& u)
{
    if (contact.law == Law::rolling) {
        const double trace = W.trace();
        return trace > 0 ? project_ball(contact.r - 3 / trace * u, problem.rolling_limit(contact))
                         : Vector3d(0, 0, 0);
    }
    const auto law = contact.law == Law::associated ? solve_associated : solve_contact;
    return law(W, u - W * contact.r, contact.friction, nullptr);
}

} // namespace tamis
