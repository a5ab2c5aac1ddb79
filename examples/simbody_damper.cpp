// A box of balls on a pendulum that Simbody steps: a system of one's own, and grains attached to one of its bodies.
#include <tamis/cosim/attached.hpp>
#include <tamis/model/description.hpp>
#include <tamis/simbody/simbody_peer.hpp>

using namespace tamis;

int main()
{
    // Simbody's side: a pendulum of 0.5 kg, 0.3 m long, about the axis y.
    SimTK::MultibodySystem system;
    SimTK::SimbodyMatterSubsystem matter(system);
    SimTK::GeneralForceSubsystem forces(system);
    const SimTK::Rotation about_y(-SimTK::Pi / 2, SimTK::XAxis); // Simbody's pins turn about z
    SimTK::MobilizedBody::Pin rod(matter.Ground(), SimTK::Transform(about_y),
                                  SimTK::Body::Rigid({0.5, {0, 0, 0}, SimTK::Inertia(5e-4)}),
                                  SimTK::Transform(about_y, SimTK::Vec3(0, 0, 0.3)));
    SimTK::Force::UniformGravity(forces, matter, SimTK::Vec3(0, 0, -9.81));
    SimbodyPeer pendulum(system, forces, matter, rod);
    rod.setQ(pendulum.state(), 0.5);
    const InterfaceMotion start = pendulum.marker();

    // Tamis' side: a box that starts where that body is, and balls in it.
    ModelDescription model("box of balls");
    model.gravity({0, 0, -9.81});
    const Body box_body = model.add({.name = "box", .joint = free_joint(), .at = start.x, .mass = 0.5});
    model.start(box_body, start.turn, {0, 0, 0});
    const MaterialId steel = model.add(Material{.friction = 0.3});
    model.attach(box_body, hollow(box(0.06, 0.06, 0.06)), steel);
    for (int i = 0; i < 27; ++i) {
        const Eigen::Vector3d in_the_box(0.018 * (i % 3 - 1), 0.018 * (i / 3 % 3 - 1), 0.018 * (i / 9 - 1));
        model.grain({.shape = sphere(0.008),
                     .material = steel,
                     .density = 2500,
                     .at = {.p = start.x + start.turn * in_the_box}});
    }

    // One step after the other: each iterated until the force between the two fits both.
    Attached run(model.finish(), {box_body, CutKind::contacts}, pendulum, {.H = 1e-3, .absolute = 1e-3});
    while (run.view().time() < 1) run.step();
    fmt::print("at {:.2f} s: angle {:.3f} rad, force of the balls {:.2f} N\n", run.view().time(),
               rod.getQ(pendulum.state()), run.wrench().force.norm());
}
