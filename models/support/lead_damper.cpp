// Zhang et al. (2020), Sects 3.2.1 and 5.2; Zhang et al. (2022), Sect. 4.3. See lead_damper.hpp.
#include "support/lead_damper.hpp"

#include "tamis/packing/deposit.hpp"
#include "tamis/packing/lattices.hpp"

#include <cmath>
#include <numbers>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

// Turns the z axis of packings and of cylinders to y.
Matrix3d upright()
{
    Matrix3d R;
    R << 1, 0, 0, 0, 0, 1, 0, -1, 0;
    return R;
}

Inertia bar(double m, double length) // along y, about its centre, a millimetre thick
{
    const double d = 1e-3, along = m * d * d / 8, across = m * (d * d / 16 + length * length / 12);
    return Inertia(across, along, across);
}

} // namespace

BeamSection SteelBeam::section() const
{
    return beam_section(
        RectangularSection{.E = E, .nu = nu, .rho = rho, .width = width, .height = thickness});
}

double LeadShot::mass() const
{
    return count * density * 4.0 / 3 * std::numbers::pi * radius * radius * radius;
}

Packing LeadShot::packing(double friction) const
{
    const std::vector<double> radii(count, radius);
    const auto cavity = [this](double height) { return tamis::cylinder(cylinder, height); };
    Packing loose;
    for (const Vector3d& centre : drop_lattice(cavity(1), radii)) loose.add(sphere(radius), {.p = centre});
    const double height = bounds(loose).high.z() + radius;
    return shake(loose, cavity, height, {.amplitude = radius / 2, .frequency = 40}, {.friction = {friction}})
        .packing;
}

void LeadShot::fill(ModelDescription& model, const Packing& bed, MaterialId lead, const Vector3d& floor,
                    const Vector3d& turning) const
{
    for (int i = 0; i < bed.size(); ++i) {
        const Vector3d at = floor + upright() * bed.poses[i].p;
        model.grain({.shape = bed.shapes[i],
                     .material = lead,
                     .density = density,
                     .at = {upright() * bed.poses[i].R, at},
                     .velocity = turning.cross(at),
                     .angular_velocity = turning});
    }
}

ShapeId LeadShot::enclose(ModelDescription& model, Body container, double height, MaterialId lead) const
{
    return model.attach(container, hollow(tamis::cylinder(cylinder, height)), lead, {.R = upright()},
                        "container");
}

std::vector<double> centre_of_shot(const View& view, Body container, double height)
{
    Vector3d sum(0, 0, 0);
    double mass = 0;
    for (std::size_t i = 0; i < view.grains().size(); ++i) {
        sum += view.model().grains()[i].mass * view.grains()[i].x;
        mass += view.model().grains()[i].mass;
    }
    const Vector3d p = view.rotation(container).transpose() * (sum / mass - view.position(container));
    return {p.x(), p.y() + height / 2, p.z()};
}

double torque_at_end(const View& view, double torsional_stiffness)
{
    const auto sections = view.sections(0);
    const Pose &a = sections[sections.size() - 2].pose, &b = sections.back().pose;
    const Matrix3d turn = a.R.transpose() * b.R;
    return torsional_stiffness * (turn(2, 1) - turn(1, 2)) / 2 / (b.p - a.p).norm();
}

std::vector<double> late_vibration(const TimeSeries& series, double frequency)
{
    const Window late{series.t.back() / 2, series.t.back()};
    const double offset = mean(series, late), all = rms(series, late);
    return {std::sqrt(std::max(all * all - offset * offset, 0.0)),
            harmonic(series, frequency, late).amplitude};
}

Body CrankDrive::add(ModelDescription& model) const
{
    const double rod_mass = 1, slider_mass = 2;
    const Body wheel = model.add({.name = "crank",
                                  .joint = hinge_z(),
                                  .mass = 1,
                                  .com = {0, radius / 2, 0},
                                  .inertia = bar(1, radius)});
    const Body arm = model.add({.name = "rod",
                                .parent = wheel,
                                .joint = hinge_z(),
                                .at = {0, radius, 0},
                                .mass = rod_mass,
                                .com = {0, rod / 2, 0},
                                .inertia = bar(rod_mass, rod)});
    const Body slider = model.add({.name = "slider",
                                   .joint = slide_y(),
                                   .at = {0, radius + rod, 0},
                                   .mass = slider_mass,
                                   .com = {0, rod / 2, 0},
                                   .inertia = bar(slider_mass, rod)});
    model.close({.name = "pin",
                 .kind = LoopKind::point_plane,
                 .a = arm,
                 .point_a = {0, rod, 0},
                 .b = slider,
                 .axis = {0, 0, 1}});
    model.drive(model.coordinate(wheel), motion([w = w](Expr t) { return w * t; }));
    return slider;
}

Expr CrankDrive::height(Expr t) const
{
    const Expr c = radius * cos(w * t + std::numbers::pi / 2), s = radius * sin(w * t + std::numbers::pi / 2);
    return sqrt(rod * rod - c * c) + s + rod;
}

} // namespace tamis
