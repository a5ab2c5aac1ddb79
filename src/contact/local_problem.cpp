// The local form of a contact problem,
//
//     W_ab = sum over sides of a and b on the same block of H_a Y_b^T,   q_a = H_a v_free + drift + b
//
// The relative natural map is the error measure of the FCLIB collection (Acary et al. 2014), with rho = 1.
// Departure: a frictionless contact keeps its three rows, the tangential ones empty.
#include "tamis/contact/local_problem.hpp"

#include "tamis/base/error.hpp"
#include "tamis/contact/contact_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

Vector3d LocalProblem::velocity(int contact, const VectorXd& impulses) const
{
    Vector3d u = q.segment<3>(3 * contact);
    for (int k = row[contact]; k < row[contact + 1]; ++k) u += block[k] * impulses.segment<3>(3 * column[k]);
    if (!R.empty()) u += compliance(contact).cwiseProduct(impulses.segment<3>(3 * contact));
    return u;
}

VectorXd LocalProblem::velocity(const VectorXd& impulses) const
{
    VectorXd u(q.size());
    for (int a = 0; a < contacts(); ++a) u.segment<3>(3 * a) = velocity(a, impulses);
    return u;
}

Matrix3d LocalProblem::diagonal(int contact) const
{
    const auto begin = column.begin() + row[contact], end = column.begin() + row[contact + 1];
    const auto found = std::lower_bound(begin, end, contact);
    Matrix3d W = Matrix3d::Zero();
    if (found != end && *found == contact) W = block[static_cast<std::size_t>(found - column.begin())];
    if (!R.empty()) W.diagonal() += compliance(contact);
    return W;
}

double relative_natural_map(const LocalProblem& problem, const VectorXd& r)
{
    const VectorXd u = problem.velocity(r);
    double sum = 0;
    for (int a = 0; a < problem.contacts(); ++a) {
        const Vector3d r_a = r.segment<3>(3 * a);
        sum += (r_a - project_contact(r_a, u.segment<3>(3 * a), problem.mu[a], 1)).squaredNorm();
    }
    const double scale = std::max({problem.q.norm(), r.norm(), u.norm()});
    return scale == 0 ? 0 : std::sqrt(sum) / scale;
}

bool is_solution(const LocalProblem& problem, const VectorXd& r, double tolerance)
{
    if (!(relative_natural_map(problem, r) <= tolerance)) return false;
    double approach = 0, largest = 0;
    for (int a = 0; a < problem.contacts(); ++a) {
        approach = std::max(approach, -problem.velocity(a, r)[0]);
        largest = std::max(largest, problem.q.segment<3>(3 * a).norm());
    }
    return approach <= std::sqrt(tolerance) * largest;
}

Residual residual(const LocalProblem& problem)
{
    Residual result;
    const VectorXd u = problem.velocity(problem.r);
    double sum_natural = 0, sum_velocity = 0;
    for (int a = 0; a < problem.contacts(); ++a) {
        const Vector3d r_a = problem.r.segment<3>(3 * a), u_a = u.segment<3>(3 * a);
        const double trace = problem.diagonal(a).trace(), rho = trace > 0 ? 3 / trace : 0;
        const double natural = (r_a - project_contact(r_a, u_a, problem.mu[a], rho)).norm();
        result.natural_max = std::max(result.natural_max, natural);
        result.approach = std::max(result.approach, -u_a[0]);
        sum_natural += natural * natural;
        sum_velocity += rho * rho * u_a.squaredNorm();
    }
    // Without impulses the free velocities give the scale.
    const double impulses = problem.r.norm(), scale = impulses > 0 ? impulses : std::sqrt(sum_velocity);
    if (scale == 0) return {.approach = result.approach};
    result.natural_rms = std::sqrt(sum_natural) / scale;
    result.natural_max *= std::sqrt(static_cast<double>(problem.contacts())) / scale;
    return result;
}

LocalProblem local_form(const ContactProblem& problem)
{
    const auto& contacts = problem.contacts;
    const int n = static_cast<int>(contacts.size());
    LocalProblem local;
    local.q = VectorXd::Zero(3 * n);
    local.r = VectorXd::Zero(3 * n);
    local.mu.resize(n);

    std::vector<std::vector<int>> touching(problem.blocks()); // contacts of each block, ascending
    for (int a = 0; a < n; ++a)
        for (const Contact::Side& s : contacts[a].side)
            if (s.block >= 0 && (touching[s.block].empty() || touching[s.block].back() != a))
                touching[s.block].push_back(a);

    if (std::any_of(contacts.begin(), contacts.end(),
                    [](const Contact& c) { return !c.compliance.isZero(0); }))
        local.R.assign(n, Eigen::Vector2d::Zero());
    ContactProblem free = problem;
    free.v = problem.v_free;
    std::vector<int> neighbours;
    for (int a = 0; a < n; ++a) {
        const Contact& contact = contacts[a];
        if (contact.law == Law::bilateral)
            fail("Contact {} is bilateral: the local form holds unilateral contacts only.", a);
        local.mu[a] = contact.friction;
        const int m = contact.active_rows();
        if (!local.R.empty()) local.R[a] = {contact.compliance[0], m == 3 ? contact.compliance[1] : 0};
        for (int i = 0; i < m; ++i) {
            local.q[3 * a + i] = free.relative_velocity(contact, i) + contact.bias[i];
            local.r[3 * a + i] = contact.r[i];
        }
        neighbours.assign(1, a);
        for (const Contact::Side& s : contact.side)
            if (s.block >= 0)
                neighbours.insert(neighbours.end(), touching[s.block].begin(), touching[s.block].end());
        std::sort(neighbours.begin(), neighbours.end());
        neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
        for (const int b : neighbours) {
            Matrix3d W = Matrix3d::Zero();
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < contacts[b].active_rows(); ++j)
                    W(i, j) = problem.delassus(contact, i, contacts[b], j);
            local.column.push_back(b);
            local.block.push_back(W);
        }
        local.row.push_back(static_cast<int>(local.column.size()));
    }
    return local;
}

} // namespace tamis
