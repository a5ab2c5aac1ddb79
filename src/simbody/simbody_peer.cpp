// A macro step is a sequence of sub-steps, each integrated anew and to its very end, under a wrench that is held. It is
// given on the marker and applied at the body's origin: force, and moment + (R p) x force, with the marker at p on the
// body.
#include "tamis/simbody/simbody_peer.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/state_hash.hpp"

namespace tamis {

using Eigen::Vector3d;

namespace {

Vector3d eigen(const SimTK::Vec3& x)
{
    return {x[0], x[1], x[2]};
}

SimTK::Vec3 simtk(const Vector3d& x)
{
    return {x[0], x[1], x[2]};
}

// Simbody's own words, and the step they belong to.
template <class Work>
void by_simbody(const char* what, const Work& work)
{
    try {
        work();
    } catch (const std::exception& error) {
        fail("Simbody failed to {}: {}", what, error.what());
    }
}

} // namespace

SimbodyPeer::SimbodyPeer(SimTK::MultibodySystem& system, SimTK::GeneralForceSubsystem& forces,
                         const SimTK::SimbodyMatterSubsystem& matter, const SimTK::MobilizedBody& body,
                         const Pose& offset, SimbodyOptions options)
    : system_(system), body_(body), offset_(offset), options_(std::move(options))
{
    if (options_.substeps < 1)
        fail("{} sub-steps of Simbody's side were asked for: give one at least.", options_.substeps);
    if (!(options_.accuracy > 0 && options_.accuracy < 1))
        fail("The accuracy of Simbody's integrator is {}: it must lie between 0 and 1.", options_.accuracy);
    if (system.systemTopologyHasBeenRealized())
        fail("The Simbody system has been realized already: make the peer before, as it adds a force.");
    by_simbody("set up its system", [&] {
        wrench_.emplace(forces, matter);
        state_ = system.realizeTopology();
        system.realizeModel(state_);
        integrator_ = options_.integrator ? options_.integrator(system)
                                          : std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system);
        integrator_->setAccuracy(options_.accuracy);
        integrator_->setAllowInterpolation(false); // ends at the communication point itself
    });
}

InterfaceMotion SimbodyPeer::marker() const
{
    by_simbody("find accelerations", [&] { system_.realize(state_, SimTK::Stage::Acceleration); });
    const SimTK::Transform& X = body_.getBodyTransform(state_);
    const SimTK::SpatialVec &V = body_.getBodyVelocity(state_), &A = body_.getBodyAcceleration(state_);
    const SimTK::Quaternion q = X.R().convertRotationToQuaternion();
    return InterfaceMotion{eigen(X.p()), {q[0], q[1], q[2], q[3]}, eigen(V[1]), eigen(V[0]), eigen(A[1]),
                           eigen(A[0])}
        .carried(offset_);
}

void SimbodyPeer::output(std::span<const double>, std::span<double> y) const
{
    marker().write(y);
}

bool SimbodyPeer::predict(double H, std::span<double> y)
{
    marker().coasted(H).write(y);
    return true;
}

void SimbodyPeer::apply(std::span<const double> wire)
{
    const Wrench w = read_wrench(wire);
    const SimTK::Rotation& R = body_.getBodyRotation(state_);
    const Vector3d arm = eigen(R * simtk(offset_.p)); // from the body's origin, where Simbody wants it
    wrench_->setOneBodyForce(state_, body_, {simtk(w.moment + arm.cross(w.force)), simtk(w.force)});
}

void SimbodyPeer::advance(double H, const Signal& u)
{
    const double start = state_.getTime(), h = H / options_.substeps;
    by_simbody("step", [&] {
        for (int k = 1; k <= options_.substeps; ++k) {
            u.at(k * h, wire_);
            system_.realize(state_, SimTK::Stage::Position);
            apply(wire_);
            integrator_->initialize(state_);
            const double end = k == options_.substeps ? start + H : start + k * h;
            while (integrator_->getTime() < end) { // returns at its start, and at events
                integrator_->stepTo(end, end);
                if (integrator_->isSimulationOver())
                    fail("its integrator ended at {} s.", integrator_->getTime());
            }
            state_ = integrator_->getState();
        }
    });
}

void SimbodyPeer::write(SavedState& out) const
{
    const auto numbers = [](const SimTK::Vector& v) {
        std::vector<double> copy(static_cast<std::size_t>(v.size()));
        for (int i = 0; i < v.size(); ++i) copy[static_cast<std::size_t>(i)] = v[i];
        return copy;
    };
    out.put("time", std::vector{state_.getTime()});
    out.put("q", numbers(state_.getQ()));
    out.put("u", numbers(state_.getU()));
    out.put("z", numbers(state_.getZ()));
    const SimTK::SpatialVec force = wrench_->getOneBodyForce(state_, body_);
    out.put("force",
            std::vector{force[0][0], force[0][1], force[0][2], force[1][0], force[1][1], force[1][2]});
}

void SimbodyPeer::read(const SavedState& in)
{
    const auto vector = [&](const char* name, int size) {
        const std::vector<double>& values = in.get(name, static_cast<std::size_t>(size));
        return SimTK::Vector(size, values.data());
    };
    state_.setTime(in.get("time", 1)[0]);
    state_.updQ() = vector("q", state_.getNQ());
    state_.updU() = vector("u", state_.getNU());
    if (state_.getNZ() > 0) state_.updZ() = vector("z", state_.getNZ());
    const std::vector<double>& f = in.get("force", 6);
    wrench_->setOneBodyForce(state_, body_, {SimTK::Vec3(f[0], f[1], f[2]), SimTK::Vec3(f[3], f[4], f[5])});
}

std::uint64_t SimbodyPeer::state_hash() const
{
    SavedState state;
    write(state);
    StateHash hash;
    for (const auto& [name, values] : state.numbers) hash.add(values.data(), values.size());
    return hash.value;
}

} // namespace tamis
