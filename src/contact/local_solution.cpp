// One contact by itself: the rows of W = H M^-1 H^T + R for it alone, and its law with u - W r as the free velocity.
// Rolling: a projected step, r' = P(r - 3 u / tr W), P on the ball whose radius is the limit of the contact it belongs
// to.
#include "tamis/contact/local_solution.hpp"

#include "tamis/contact/contact_law.hpp"

#include <algorithm>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Matrix3d local_matrix(const ContactProblem& problem, const Contact& contact)
{
    const int m = contact.active_rows();
    Matrix3d W = Matrix3d::Zero();
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j <= i; ++j) W(i, j) = W(j, i) = problem.delassus(contact, i, contact, j);
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
