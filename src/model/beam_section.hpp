// The section of a beam: stiffness and mass per unit length, in the axes of the section: x along the beam,
// y and z across.
#pragma once

#include <Eigen/Core>

namespace tamis {

struct BeamSection {
    // Maps (extension, shear along y, shear along z, torsion, bending about y, bending about z) to the forces
    // and moments that the part ahead exerts on the part behind; symmetric, N and N m2.
    Eigen::Matrix<double, 6, 6> stiffness = Eigen::Matrix<double, 6, 6>::Zero();
    double mass = 0;                  // kg/m
    Eigen::Vector3d inertia{0, 0, 0}; // rotary, about x, y and z, kg m
};

// How the mass of a beam is distributed. An element has three portions, cut where its strains are evaluated.
enum class BeamInertia {
    consistent, // along the axis, with the acceleration interpolated between nodes
    portions,   // each portion is a rigid body
    nodes       // at the nodes, with the rotary inertia of the section up to halfway to their neighbours
};

struct SectionStiffness {
    double EA, GAy, GAz, GJ, EJy, EJz; // N and N m2
};
BeamSection beam_section(const SectionStiffness& stiffness, double mass, const Eigen::Vector3d& inertia);

struct RectangularSection {
    double E, nu, rho;    // Young's modulus Pa, Poisson's ratio, density kg/m3
    double width, height; // along z and along y, m
    // Fraction of the area that carries shear: 5/6 for a parabolic distribution.
    double shear_factor = 5.0 / 6;
};
BeamSection beam_section(const RectangularSection& rectangle);
double cowper_shear_factor(double nu); // of a rectangle, 10 (1 + nu) / (12 + 11 nu)

} // namespace tamis
