// Smooth sides stepped by Simbody.
#include "tamis/simbody/simbody_peer.hpp"

#include "cosim/cut_scenes.hpp"
#include "error_of.hpp"
#include "tamis/cosim/attached.hpp"
#include "tamis/model/description.hpp"

#include <gtest/gtest.h>

namespace tamis::simbody_peer_test {

using namespace tamis::scenes;
using Eigen::Vector3d;

namespace {

struct System {
    SimTK::MultibodySystem system;
    SimTK::SimbodyMatterSubsystem matter{system};
    SimTK::GeneralForceSubsystem forces{system};
};

// The carrier of scenes::Chain.
struct Carrier : System {
    SimTK::MobilizedBody::Pin body;
    SimbodyPeer peer;

    explicit Carrier(const Pose& marker, const SimbodyOptions& options = {})
        : body(add()), peer(system, forces, matter, body, marker, options)
    {
        body.setQ(peer.state(), 0.3);
        body.setU(peer.state(), 1.5);
    }

  private:
    SimTK::MobilizedBody::Pin add()
    {
        const SimTK::Rotation axis(SimTK::UnitVec3(1, 2, 3), SimTK::ZAxis); // Simbody's pins turn about z
        const SimTK::Vec3 com(0.2, 0.1, 0);
        const SimTK::MassProperties mass(2, com, SimTK::Inertia(0.2, 0.25, 0.3).shiftFromMassCenter(com, 2));
        SimTK::MobilizedBody::Pin pin(matter.Ground(), axis, SimTK::Body::Rigid(mass), axis);
        SimTK::Force::UniformGravity(forces, matter, SimTK::Vec3(0, -gravity, 1));
        SimTK::Force::MobilityLinearSpring(forces, pin, SimTK::MobilizerQIndex(0), 40, 0);
        SimTK::Force::MobilityLinearDamper(forces, pin, SimTK::MobilizerUIndex(0), 0.1);
        return pin;
    }
};

struct NoView : CoupledView {
    using CoupledView::CoupledView;
};

Pose marker_of(const Model& model, const Cut& cut)
{
    const NoView view(model);
    return split(model, cut, view).marker;
}

double distance_from(const View& whole, double t_end, int steps, CouplingScheme scheme, int substeps)
{
    Chain chain;
    const CoupledOptions options{.H = t_end / steps, .scheme = scheme, .absolute = 1e-9};
    Carrier carrier(marker_of(chain.model.finish(), {chain.arm}), {.substeps = substeps});
    Attached run(chain.model.finish(), {chain.arm}, carrier.peer, options);
    for (int n = 0; n < steps; ++n) run.step();
    return largest_distance(run.view(), whole);
}

} // namespace

// As with the built-in solver: halving the step halves the error.
TEST(SimbodyPeer, ChainConvergesToTheWhole)
{
    Chain chain;
    MoreauJean whole(chain.model.finish(), {.h = 1e-5});
    for (int n = 0; n < 20000; ++n) whole.step();
    for (const CouplingScheme scheme : {CouplingScheme::tight, CouplingScheme::modified})
        for (const int substeps : {1, 3}) {
            const double coarse = distance_from(whole.view(), 0.2, 100, scheme, substeps),
                         fine = distance_from(whole.view(), 0.2, 200, scheme, substeps);
            EXPECT_LT(fine, 5e-3);
            EXPECT_NEAR(coarse / fine, 2, 0.4) << coarse << " " << fine;
        }
}

TEST(SimbodyPeer, RepeatsAStepToTheSameBitsAndGoesOnFromASavedState)
{
    Carrier carrier({});
    SimbodyPeer& peer = carrier.peer;
    Signal push(wrench_size);
    const std::array<double, wrench_size> u{1, 2, 3, 0.1, 0.2, 0.3};
    push.through(std::array{Signal::Sample{0, u}});
    peer.advance(1e-2, push);
    SavedState saved;
    peer.write(saved);
    peer.save();
    peer.advance(1e-2, push);
    const std::uint64_t once = peer.state_hash();
    peer.restore();
    peer.advance(1e-2, push);
    EXPECT_EQ(peer.state_hash(), once);
    Carrier other({});
    other.peer.read(saved);
    other.peer.advance(1e-2, push);
    EXPECT_EQ(other.peer.state_hash(), once);
}

// A free body under a wrench on a marker away from its centre: Newton's and Euler's equations at its start.
TEST(SimbodyPeer, AWrenchOnAMarkerMovesTheBodyAsItShould)
{
    struct Free : System {
        SimTK::MobilizedBody::Free body{
            matter.Ground(), SimTK::Body::Rigid(SimTK::MassProperties(2, SimTK::Vec3(0), SimTK::Inertia(1)))};
        SimbodyPeer peer{system, forces, matter, body, {.p = {0, 1, 0}}};
    } free;
    Signal push(wrench_size);
    const std::array<double, wrench_size> u{4, 0, 0, 0, 0, 1}; // 4 N along x, 1 m above: -4 N m about z
    push.through(std::array{Signal::Sample{0, u}});
    const double h = 1e-4;
    free.peer.advance(h, push);
    const InterfaceMotion m = free.peer.marker();
    EXPECT_NEAR(m.omega[2], (1 - 4) * h, 1e-10);
    EXPECT_NEAR(m.v[0], (2 + 3) * h, 1e-10); // v + w x (0, 1, 0)
    EXPECT_NEAR(m.a[0], 2 + 3, 1e-6);
}

namespace {

// Five balls in a box on a spring, and that oscillator in Simbody.
struct BoxOnASpring {
    ModelDescription description{"box on a spring"};
    Body box_body = description.add({.name = "box", .joint = slide_x(), .mass = 0.3});

    BoxOnASpring()
    {
        description.gravity({0, 0, -gravity});
        description.spring(description.coordinate(box_body), {.stiffness = 1600, .damping = 0.1});
        description.start(box_body, 0.005, 0);
        const MaterialId steel = description.add(Material{.friction = 0.3});
        description.attach(box_body, hollow(box(0.06, 0.04, 0.04)), steel);
        for (int i = 0; i < 5; ++i)
            description.grain({.shape = sphere(0.006),
                               .material = steel,
                               .density = 1200,
                               .at = {.p = {0.0121 * i - 0.024, 0.002 * (i % 2), -0.0139}}});
    }
};
struct Oscillator : System {
    SimTK::MobilizedBody::Slider body{
        matter.Ground(), SimTK::Body::Rigid(SimTK::MassProperties(0.3, SimTK::Vec3(0), SimTK::Inertia(1)))};
    SimTK::Force::MobilityLinearSpring spring{forces, body, SimTK::MobilizerQIndex(0), 1600, 0};
    SimTK::Force::MobilityLinearDamper damper{forces, body, SimTK::MobilizerUIndex(0), 0.1};
    SimbodyPeer peer{system, forces, matter, body};

    Oscillator() { body.setQ(peer.state(), 0.005); }
};

// Of the box by Simbody from the box by the built-in solver, over 0.1 s.
double distance_from_own(double H)
{
    BoxOnASpring box;
    const Model& model = box.description.finish();
    const CoupledOptions options{.H = H, .scheme = CouplingScheme::tight, .absolute = 1e-9};
    Coupled own(model, {box.box_body, CutKind::contacts}, options);
    Oscillator oscillator;
    Attached attached(model, {box.box_body, CutKind::contacts}, oscillator.peer, options);
    double largest = 0, moved = 0;
    for (long n = std::lround(0.1 / H); n > 0; --n) {
        own.step();
        attached.step();
        largest = std::max(largest, std::abs(attached.view().position(box.box_body)[0] -
                                             own.view().position(box.box_body)[0]));
        moved = std::max(moved, std::abs(attached.wrench().force[0]));
    }
    EXPECT_GT(moved, 0.1); // the grains do push
    EXPECT_LT(attached.nonsmooth().momentum_error(), 1e-9);
    return largest;
}

} // namespace

// Both couplings are of first order, and so is what they differ by.
TEST(SimbodyPeer, GrainsInABoxOnASpringMoveAsWithTheBuiltInSolver)
{
    const double coarse = distance_from_own(2e-4), fine = distance_from_own(1e-4);
    EXPECT_LT(fine, 1e-4);
    EXPECT_NEAR(coarse / fine, 2, 0.5) << coarse << " " << fine;
}

TEST(SimbodyPeer, RefusesWhatItCannotUse)
{
    struct Pendulum : System {
        SimTK::MobilizedBody::Pin body{
            matter.Ground(), SimTK::Body::Rigid(SimTK::MassProperties(1, SimTK::Vec3(0), SimTK::Inertia(1)))};
    } p;
    EXPECT_PRED2(contains,
                 error_of([&] { SimbodyPeer(p.system, p.forces, p.matter, p.body, {}, {.substeps = 0}); }),
                 "0 sub-steps");
    EXPECT_PRED2(contains,
                 error_of([&] { SimbodyPeer(p.system, p.forces, p.matter, p.body, {}, {.accuracy = 0}); }),
                 "accuracy");
    p.system.realizeTopology();
    EXPECT_PRED2(contains, error_of([&] { SimbodyPeer(p.system, p.forces, p.matter, p.body); }),
                 "realized already");
}

} // namespace tamis::simbody_peer_test
