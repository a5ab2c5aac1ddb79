#include "tamis/contact/local_solution.hpp"

#include "tamis/contact/contact_law.hpp"

#include <algorithm>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Vector3d solve_locally(const ContactProblem& problem, const Contact& contact, const Matrix3d& W, Vector3d u)
{
    Vector3d r = Vector3d::Zero();
    if (contact.law == Law::bilateral) {
        r.head(contact.rows) = (contact.r - W * u).head(contact.rows);
        return r;
    }
    if (contact.law == Law::rolling) {
        const double trace = W.trace();
        return trace > 0 ? project_ball(contact.r - 3 / trace * u, problem.rolling_limit(contact)) : r;
    }
    u[0] += contact.shift;
    if (contact.active_rows() == 1) {
        if (W(0, 0) > 0) r[0] = std::max(contact.r[0] - u[0] / W(0, 0), 0.0);
        return r;
    }
    const auto law = contact.law == Law::associated ? solve_associated : solve_contact;
    return law(W, u - W * contact.r, contact.friction, nullptr);
}

} // namespace tamis
