// A wrench (F, m) at x + R p adds -F and -(R p x F + m) to the residual.
#include "tamis/smooth/load.hpp"

#include "tamis/model/laws.hpp"
#include "tamis/model/rotation.hpp"

namespace tamis {

using Eigen::Vector3d;

namespace {

void add_wrench(const NodeMotion& n, const Vector3d& marker, const Wrench& w, ElementTerms& terms,
                bool tangent)
{
    const Vector3d p = n.R * marker;
    terms.r.head<3>() -= w.force;
    terms.r.segment<3>(3) -= p.cross(w.force) + w.moment;
    if (tangent) terms.K.block<3, 3>(3, 3) -= cross_matrix(w.force) * cross_matrix(p);
}

} // namespace

MarkerWrench::MarkerWrench(std::string name, int node, const Vector3d& marker)
    : Element(std::move(name), {node}), marker_(marker)
{
}

void MarkerWrench::add(const ElementState& state, ElementTerms& terms, bool tangent) const
{
    add_wrench(state.nodes[0], marker_, wrench_, terms, tangent);
}

LawWrench::LawWrench(std::string name, int node, const Vector3d& marker, const AppliedWrench& wrench,
                     const View& view)
    : Element(std::move(name), {node}), marker_(marker), wrench_(wrench), view_(view)
{
}

void LawWrench::add(const ElementState& state, ElementTerms& terms, bool tangent) const
{
    add_wrench(state.nodes[0], marker_, law_wrench(view_.model(), wrench_, view_), terms, tangent);
}

LawForce::LawForce(std::string name, int node_a, int node_b, const JointForce& force,
                   const AbsoluteJoints& joints, const View& view)
    : Element(std::move(name), {node_a, node_b}), force_(force), joints_(joints), view_(view)
{
}

void LawForce::add(const ElementState& state, ElementTerms& terms, bool /*tangent*/) const
{
    const auto load = joints_.unit_load(force_.on, view_);
    const double value = law_force(view_.model(), force_, view_);
    const Vector3d arm = state.nodes[1].x - state.nodes[0].x; // the force acts at the origin of b
    terms.r.head<3>() += value * load.force;
    terms.r.segment<3>(3) += value * (arm.cross(load.force) + load.moment);
    terms.r.segment<3>(6) -= value * load.force;
    terms.r.segment<3>(9) -= value * load.moment;
}

} // namespace tamis
