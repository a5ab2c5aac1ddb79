// Bodies that move as prescribed: mechanisms without loops all of whose coordinates are driven, or that have none.
#pragma once

#include "tamis/model/assembly.hpp"
#include "tamis/model/multibody.hpp"
#include "tamis/model/view.hpp"

#include <memory>

namespace tamis {

class DrivenBodies {
  public:
    // Refuses coordinates that are not driven, loops, and what acts on bodies.
    explicit DrivenBodies(const Model& model);

    void place(double t); // bodies where their drives have them
    const BodyMotion& motion(int body) const { return motion_[body]; }
    double q(Coordinate c) const;
    double v(Coordinate c) const { return parts_[c.mechanism].v[c.index]; }

    // A step of drives from where the bodies are to time t: mean force of each drive, of M v' + c = Q + H^T w with the
    // wrenches w on bodies, each at its body's origin.
    void move(double t, double h);
    void drive_forces(std::span<const Wrench> on_bodies);
    double drive_force(Coordinate c) const;
    std::vector<double> forces() const; // of all coordinates
    void set_forces(std::span<const double> forces);
    int coordinates() const;

  private:
    struct Part { // a mechanism
        std::unique_ptr<Multibody> body;
        std::unique_ptr<DrivenCoordinates> driven;
        std::unique_ptr<Placement> placement;
        Eigen::VectorXd q, v, inertia, force; // inertia: M v' + c of the step
        std::vector<Eigen::Matrix<double, 6, 1>> link_velocity;
        Multibody::RowMatrix H;
    };
    void place(Part& part, double t);

    const Model& model_;
    std::vector<Part> parts_;
    std::vector<BodyMotion> motion_;
};

} // namespace tamis
