// The linear algebra of one block: its matrix, what implicit forces add, and its balance; see mechanism_block.hpp and
// mechanisms.hpp.
#include "tamis/nscd/mechanism_block.hpp"

#include "tamis/base/error.hpp"

#include <cmath>

namespace tamis {

using Eigen::VectorXd;

namespace {

std::string coordinate_names(const Mechanism& m, const std::vector<int>& velocities)
{
    std::string names;
    for (int j : velocities) names += (names.empty() ? "'" : ", '") + m.coordinate_name(j) + "'";
    return names;
}

} // namespace

void MechanismBlock::factorise(const StepTimes& s)
{
    const Partition& p = *partition;
    if (forces->implicit)
        M_S = body.M + s.h * s.theta * forces->C + s.h * s.h * s.theta * s.theta * forces->K;
    if (p.nu() > 0) {
        if (p.trivial()) {
            if (forces->implicit)
                M_red = M_S;
            else if (beams)
                M_red = body.M;
        } else {
            if (forces->implicit)
                MB.noalias() = M_S * p.B;
            else
                MB.noalias() = body.M * p.B;
            M_red.noalias() = p.B.transpose() * MB;
        }
    }
    if (beams) return beams->linearise(s, M_red);
    if (p.nu() == 0) return;
    if (!(p.trivial() && !forces->implicit ? M_red_factor.compute(body.M) : M_red_factor.compute(M_red)))
        fail("At t = {:.6g} s the mass matrix of mechanism '{}' is not positive definite: a coordinate among "
             "{} moves no mass; give its body an inertia, or reduce the step if the motion diverged.",
             s.t, body.mechanism.name(), coordinate_names(body.mechanism, p.u));
}

const VectorXd& MechanismBlock::correction(const StepTimes& s, const VectorXd& v_n)
{
    if (newton) {
        implicit.noalias() = M_S * dv;
        implicit.noalias() -= body.M * dv;
    } else {
        implicit.noalias() = s.h * s.theta * (forces->C * dv);
        implicit_late.noalias() = s.h * s.h * (2 * s.theta - 1) * (forces->K * v_of(v_n));
        implicit -= implicit_late;
    }
    return implicit;
}

double MechanismBlock::momentum_error(const ContactProblem& problem, int block)
{
    if (partition->nu() == 0) return 0;
    return beams ? error_with_beams(problem, block) : error_by_cholesky(problem, block);
}

// H^T r of a contact on this block, or Y^T r, which is that divided by the matrix; of v_u.
VectorXd MechanismBlock::impulse_of(const std::vector<double>& maps, const Contact& contact, int map) const
{
    const int n = partition->nu();
    VectorXd sum = VectorXd::Zero(n);
    for (int row = 0; row < contact.active_rows(); ++row)
        sum += contact.r[row] * Eigen::Map<const VectorXd>(maps.data() + map + row * n, n);
    return sum;
}

// In the metric of M_red^-1 = (L L^T)^-1. What forces gave counts as given, or round-off would be all there is of a
// touch by hundredths of a newton.
double MechanismBlock::error_by_cholesky(const ContactProblem& problem, int block) const
{
    const int first = problem.offset(block), n = size();
    VectorXd left = M_red_factor.U() * (problem.v.segment(first, n) - problem.v_free.segment(first, n)),
             impulse = M_red_factor.U() * rhs;
    double given = impulse.norm();
    for (const Contact& contact : problem.contacts)
        for (const Contact::Side& side : contact.side) {
            if (side.block != block) continue;
            impulse = impulse_of(problem.H, contact, side.map);
            M_red_factor.L().solveInPlace(impulse);
            left -= impulse;
            given += impulse.norm();
        }
    return given > 0 ? left.norm() / given : 0;
}

// The same with the matrix A of a block with beams, which has no Cholesky factor: |x|^2 = x A^-1 x.
double MechanismBlock::error_with_beams(const ContactProblem& problem, int block)
{
    const int n_u = partition->nu();
    const VectorXd change = velocities(problem.v.data() + problem.offset(block)) - w_free;
    VectorXd left, by_forces;
    beams->multiply(change, left);
    beams->multiply(rhs, by_forces);
    double given = std::sqrt(std::abs(rhs.dot(by_forces)));
    for (const Contact& contact : problem.contacts)
        for (const Contact::Side& side : contact.side) {
            if (side.block != block) continue;
            const VectorXd impulse = impulse_of(problem.H, contact, side.map);
            left.head(n_u) -= impulse;
            given += std::sqrt(std::abs(impulse.dot(impulse_of(problem.Y, contact, side.map))));
        }
    VectorXd divided = left;
    beams->solve(divided);
    return given > 0 ? std::sqrt(std::abs(left.dot(divided))) / given : 0;
}

} // namespace tamis
