// Rigid-body kinematics of markers; see interface_motion.hpp.
#include "tamis/cosim/interface_motion.hpp"

#include "tamis/base/error.hpp"
#include "tamis/model/rotation.hpp"

namespace tamis {

using Eigen::Map;
using Eigen::Vector3d;

InterfaceMotion InterfaceMotion::read(std::span<const double> wire)
{
    const double* w = wire.data();
    const auto vector = [&](int first) -> Vector3d { return Map<const Vector3d>(w + first); };
    return {vector(0),  Eigen::Quaterniond(w[3], w[4], w[5], w[6]).normalized(),
            vector(7),  vector(10),
            vector(13), vector(16)};
}

void InterfaceMotion::write(std::span<double> wire) const
{
    double* w = wire.data();
    Map<Vector3d>(w + 0) = x;
    w[3] = turn.w(), w[4] = turn.x(), w[5] = turn.y(), w[6] = turn.z();
    Map<Vector3d>(w + 7) = v;
    Map<Vector3d>(w + 10) = omega;
    Map<Vector3d>(w + 13) = a;
    Map<Vector3d>(w + 16) = alpha;
}

InterfaceMotion InterfaceMotion::carried(const Pose& offset) const
{
    const Vector3d arm = turn * offset.p;
    InterfaceMotion m = *this;
    m.x += arm;
    m.turn = (turn * Eigen::Quaterniond(offset.R)).normalized();
    m.v += omega.cross(arm);
    m.a += alpha.cross(arm) + omega.cross(omega.cross(arm));
    return m;
}

InterfaceMotion InterfaceMotion::seen_from(const Pose& frame) const
{
    return {frame * x,   (Eigen::Quaterniond(frame.R) * turn).normalized(),
            frame.R * v, frame.R * omega,
            frame.R * a, frame.R * alpha};
}

InterfaceMotion InterfaceMotion::coasted(double time) const
{
    InterfaceMotion m = *this;
    m.x += time * v;
    m.turn = exp_turn(time * omega) * turn;
    return m;
}

void check_start(const std::string& who, const InterfaceMotion& first, const InterfaceMotion& marker,
                 double reach, bool turns, double later)
{
    const double distance = (first.x - marker.x).norm(), turn = first.turn.angularDistance(marker.turn);
    const bool turned = turns && turn > 0.1 + later * first.omega.norm();
    if (distance <= reach + later * first.v.norm() && !turned) return;
    const auto text = [](const Vector3d& x) {
        return fmt::format("({:.4g}, {:.4g}, {:.4g})", x[0], x[1], x[2]);
    };
    fail(
        "{} starts at {} m in this world, and the model's marker at {} m, {:.2g} rad apart: give both the same start, "
        "or tell where its world lies.",
        who, text(first.x), text(marker.x), turn);
}

InterfaceMotion between(const InterfaceMotion& from, const InterfaceMotion& to, double s)
{
    const auto line = [s](const Vector3d& p, const Vector3d& q) -> Vector3d { return (1 - s) * p + s * q; };
    return {line(from.x, to.x),         from.turn.slerp(s, to.turn), line(from.v, to.v),
            line(from.omega, to.omega), line(from.a, to.a),          line(from.alpha, to.alpha)};
}

Wrench read_wrench(std::span<const double> wire)
{
    return {Map<const Vector3d>(wire.data()), Map<const Vector3d>(wire.data() + 3)};
}

void write_wrench(const Wrench& wrench, std::span<double> wire)
{
    Map<Vector3d>(wire.data()) = wrench.force;
    Map<Vector3d>(wire.data() + 3) = wrench.moment;
}

} // namespace tamis
