// One sub-step of length h from q2_n to q2_n+1 = q2_n + h v2_n+1, with the motion q1 of the marker given:
//
//     original   v2_n+1 = v1_n+1 - (q2_n - q1_n) / h
//     modified   alpha (q2 - q1) + beta (v2 - v1) + gamma (a2 - a1) = 0 at n+1, a2 = (v2_n+1 - v2_n) / h
//
// and for orientations R: q2_n - q1 stands for the rotation vector of R2_n R1^T.
#include "tamis/cosim/nonsmooth_peer.hpp"

#include "tamis/base/error.hpp"

#include <cmath>

namespace tamis {

using Eigen::Vector3d;

namespace {

NonsmoothPeerOptions with_substeps(NonsmoothPeerOptions options, const Split& split, double H)
{
    if (options.dem && options.substeps == 0)
        options.substeps = std::max(1, static_cast<int>(std::ceil(H / hart_step(*split.nonsmooth))));
    if (options.substeps < 1)
        fail("{} sub-steps of the nonsmooth side were asked for: give one at least.", options.substeps);
    return options;
}

std::unique_ptr<GuidedStepper> make_stepper(const Split& split, MoreauJeanOptions moreau_jean,
                                            std::optional<DemOptions> dem, double h)
{
    std::vector<Coordinate> guided;
    for (int k = 0; k < 6; ++k)
        guided.push_back(split.nonsmooth->mechanisms()[0].coordinate(split.interface, k));
    if (dem) {
        dem->h = h;
        dem->guided = std::move(guided);
        return std::make_unique<Dem>(*split.nonsmooth, *dem);
    }
    moreau_jean.h = h;
    moreau_jean.theta = 1;
    moreau_jean.force = ForceEvaluation::explicit_;
    moreau_jean.guided = std::move(guided);
    return std::make_unique<MoreauJean>(*split.nonsmooth, moreau_jean);
}

Vector3d rotation_vector(const Eigen::Quaterniond& q)
{
    const double s = q.vec().norm();
    const double half = std::atan2(s, std::abs(q.w()));
    return (q.w() < 0 ? -1 : 1) * (s > 1e-10 ? 2 * half / s : 2.0) * q.vec();
}

} // namespace

NonsmoothPeer::NonsmoothPeer(const Split& split, CutKind kind, MoreauJeanOptions options, double H,
                             const InterfaceMotion& start, const NonsmoothPeerOptions& peer)
    : split_(split), kind_(kind), options_(with_substeps(peer, split, H)), h_(H / options_.substeps),
      stepper_(make_stepper(split, std::move(options), peer.dem, h_))
{
    const BaumgarteWeights& w = peer.weights;
    if (!peer.original && !(w.alpha >= 0 && w.beta >= 0 && w.gamma >= 0 && w.alpha + w.beta + w.gamma > 0))
        fail("The weights of the modified inputs are alpha = {}, beta = {}, gamma = {}: none may be negative "
             "and not all zero.",
             w.alpha, w.beta, w.gamma);
    State state = stepper_->state();
    const InterfaceMotion m = start.seen_from(peer.frame);
    state.q.head<3>() = m.x;
    state.q.segment<4>(3) << m.turn.w(), m.turn.x(), m.turn.y(), m.turn.z();
    state.v.head<3>() = m.v;
    state.v.segment<3>(3) = m.turn.conjugate() * m.omega;
    stepper_->start_from(state);
}

void NonsmoothPeer::divide(double H, int substeps)
{
    options_.substeps = substeps;
    h_ = H / substeps;
    stepper_->set_step(h_);
}

void NonsmoothPeer::restart(const State& state)
{
    stepper_->start_from(state);
    wrench_ = {};
}

void NonsmoothPeer::write(SavedState& out) const
{
    out = stepper_->save();
    std::array<double, wrench_size> wrench;
    write_wrench(wrench_, wrench);
    out.put("wrench", wrench);
}

void NonsmoothPeer::read(const SavedState& in)
{
    stepper_->restore(in);
    wrench_ = read_wrench(in.get("wrench", wrench_size));
}

void NonsmoothPeer::report(StepReport& report)
{
    const bool loops = report.loops || report_.loops;
    const double loop_error = std::max(report.loop_error, report_.loop_error);
    report = report_;
    report.loops = loops;
    report.loop_error = loop_error;
}

void NonsmoothPeer::output(std::span<const double>, std::span<double> y) const
{
    write_wrench(wrench_, y);
}

void NonsmoothPeer::advance(double H, const Signal& u)
{
    u.at(0, wire_);
    const InterfaceMotion start = InterfaceMotion::read(wire_).seen_from(options_.frame);
    u.at(H, wire_);
    const InterfaceMotion end = InterfaceMotion::read(wire_).seen_from(options_.frame);
    Vector3d force(0, 0, 0), moment(0, 0, 0);
    const auto& guided = stepper_->guided();
    unconverged_ = 0;
    for (int k = 1; k <= options_.substeps; ++k) {
        const double part = 1.0 / options_.substeps;
        // Forces are those at the start of the sub-step: contact points are there, and the moments of the
        // spherical part in body axes.
        const State& state = stepper_->state();
        const Vector3d origin = state.q.head<3>();
        const Eigen::Quaterniond turn(state.q[3], state.q[4], state.q[5], state.q[6]);
        follow(between(start, end, (k - 1) * part),
               k == options_.substeps ? end : between(start, end, k * part));
        const View& view = stepper_->view();
        if (kind_ == CutKind::contacts) {
            const Wrench w = view.contact_force(split_.interface, origin);
            force += part * w.force;
            moment += part * w.moment;
        } else {
            for (int i = 0; i < 3; ++i) force[i] -= part * view.drive_force(guided[i]);
            Vector3d m;
            for (int i = 0; i < 3; ++i) m[i] = view.drive_force(guided[3 + i]);
            moment -= part * (turn * m);
        }
    }
    const Eigen::Matrix3d back = options_.frame.R.transpose();
    wrench_ = {back * force, back * moment};
}

void NonsmoothPeer::follow(const InterfaceMotion& before, const InterfaceMotion& after)
{
    const State& state = stepper_->state(); // the interface has the first coordinates
    const Vector3d x = state.q.head<3>(), v = state.v.head<3>();
    const Eigen::Quaterniond turn(state.q[3], state.q[4], state.q[5], state.q[6]);
    const Vector3d omega = turn * state.v.segment<3>(3);
    const auto to = [&](const InterfaceMotion& m) { return rotation_vector(m.turn * turn.conjugate()); };

    std::array<double, 6> guide;
    Eigen::Map<Vector3d> v_next(guide.data()), omega_next(guide.data() + 3);
    if (options_.original) {
        v_next = after.v + (before.x - x) / h_;
        omega_next = after.omega + to(before) / h_;
    } else {
        const auto [alpha, beta, gamma] = options_.weights;
        const double sum = alpha + beta + gamma;
        v_next = (alpha * (after.x - x) / h_ + beta * after.v + gamma * (v + h_ * after.a)) / sum;
        omega_next = (alpha * to(after) / h_ + beta * after.omega + gamma * (omega + h_ * after.alpha)) / sum;
    }
    omega_next = (turn.conjugate() * Vector3d(omega_next)).eval();
    stepper_->guide(guide);
    report_ = stepper_->step();
    unconverged_ += report_.converged ? 0 : 1;
}

} // namespace tamis
