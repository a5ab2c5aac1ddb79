// The solver's step is predicted, solved for as often as the coupling wants, and accepted when time goes on.
#include "tamis/cosim/smooth_peer.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>

namespace tamis {

namespace {

SmoothOptions with_step(SmoothOptions options, double h)
{
    options.h = h;
    return options;
}

} // namespace

SmoothPeer::SmoothPeer(SmoothModel& model, Body carrier, const Pose& offset, double H, int substeps,
                       SmoothOptions options)
    : substeps_(substeps), h_(H / std::max(substeps, 1)), node_(model.node(carrier)), offset_(offset),
      wrench_(model.marker("of the nonsmooth side", carrier, offset.p)),
      solver_(model.system(), with_step(options, h_))
{
    if (substeps < 1) fail("{} sub-steps of the smooth side were asked for: give one at least.", substeps);
}

InterfaceMotion SmoothPeer::marker() const
{
    const NodeMotion& n = solver_.node(node_);
    return InterfaceMotion{n.x, Eigen::Quaterniond(n.R), n.v, n.omega, n.a, n.alpha}.carried(offset_);
}

void SmoothPeer::output(std::span<const double>, std::span<double> y) const
{
    marker().write(y);
}

void SmoothPeer::accept()
{
    if (!solved_) return;
    solver_.accept();
    predicted_ = solved_ = false;
}

bool SmoothPeer::predict(double H, std::span<double> y)
{
    accept();
    if (substeps_ > 1) {
        marker().coasted(H).write(y); // the solver looks one sub-step ahead only
        return true;
    }
    solver_.predict();
    predicted_ = true;
    marker().write(y);
    return true;
}

void SmoothPeer::advance(double, const Signal& u)
{
    for (int k = 1; k <= substeps_; ++k) {
        accept();
        u.at(k * h_, wire_);
        wrench_.set(read_wrench(wire_));
        if (!predicted_) solver_.predict();
        predicted_ = true;
        solver_.solve();
        solved_ = true;
    }
}

void SmoothPeer::restart(const SmoothState& state)
{
    solver_.restore(state);
    predicted_ = solved_ = false;
}

void SmoothPeer::read(const SavedState& in)
{
    SmoothState state = solver_.state();
    state.read(in);
    restart(state);
}

void SmoothPeer::report(StepReport& report)
{
    report.loops = true;
    report.loop_error = std::max(report.loop_error, solver_.constraint_error());
}

void SmoothPeer::save()
{
    if (substeps_ == 1) return;
    accept();
    saved_ = solver_.state();
}

void SmoothPeer::restore()
{
    if (substeps_ > 1) solver_.restore(saved_), predicted_ = false;
    // else the step stays under way, its motion is the guess to go on from
    solved_ = false;
}

} // namespace tamis
