// A mechanism as its designer sees it: a tree of bodies and joints, loop closures, and named frames.
//
// Lengths, masses and inertias are Expr: a plain number is folded into the generated equations, a parameter()
// stays a symbol in them and may change from run to run without generating them again.
#pragma once

#include "tamis/mbs_symbolic/expression.hpp"

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tamis {

template <class S>
using Vector3 = Eigen::Matrix<S, 3, 1>;
template <class S>
using Matrix3 = Eigen::Matrix<S, 3, 3>;

// A vector whose components may be symbols; model files write {l1, 0, 0}.
struct Vector : Vector3<Expr> {
    Vector() : Vector3<Expr>(Expr(0), Expr(0), Expr(0)) {}
    Vector(Expr x, Expr y, Expr z) : Vector3<Expr>(x, y, z) {}
    Vector(const Eigen::Vector3d& x) : Vector3<Expr>(Expr(x[0]), Expr(x[1]), Expr(x[2])) {}
};

// Inertia tensor about the centre of mass, in the body's axes.
struct Inertia {
    Inertia() = default;
    Inertia(Expr xx, Expr yy, Expr zz, Expr xy = 0, Expr xz = 0, Expr yz = 0);
    Matrix3<Expr> tensor = Matrix3<Expr>::Constant(Expr(0));
};

// A joint is composed of elementary joints with massless links in between.
struct ElementaryJoint {
    enum Kind { fixed, revolute, prismatic, spherical } kind;
    Eigen::Vector3d axis{0, 0, 0}; // unit, in the frame before the joint; none for fixed and spherical
    std::string suffix;            // appended to the name of the coordinate: "slider" + ".x"
};
struct Joint {
    std::vector<ElementaryJoint> parts;
};
Joint hinge(const Eigen::Vector3d& axis);
Joint hinge_x();
Joint hinge_y();
Joint hinge_z();
Joint slide(const Eigen::Vector3d& axis);
Joint slide_x();
Joint slide_y();
Joint slide_z();
Joint cylindrical(const Eigen::Vector3d& axis);                               // displacement, then angle
Joint universal(const Eigen::Vector3d& first, const Eigen::Vector3d& second); // angles about first, second
Joint planar_x();                                                             // y, z, angle about x
Joint planar_y();                                                             // x, z, angle about y
Joint planar_z();                                                             // x, y, angle about z
Joint spherical(); // 4 coordinates (unit quaternion w, x, y, z), 3 velocities (angular velocity in body axes)
Joint free_joint(); // x, y, z, then spherical
Joint fixed_joint();

struct Body {
    int mechanism = -1;
    int index = -1;
    bool is_ground() const { return index < 0; }
    friend bool operator==(const Body&, const Body&) = default;
};
inline constexpr Body ground{};

// One velocity of a mechanism (and its position, unless it belongs to a spherical joint).
struct Coordinate {
    int mechanism = -1;
    int index = -1; // among the velocities
};

// A named frame carried by a body or by the ground.
struct Frame {
    int mechanism = -1;
    int index = -1;
};

struct BodySpec {
    std::string name;
    Body parent = ground;
    Joint joint = fixed_joint();
    Vector at;                                                 // origin of the joint in the parent's frame
    Eigen::Matrix3d orientation = Eigen::Matrix3d::Identity(); // of the body in the parent's frame at q = 0
    Expr mass = 0;
    Vector com;      // centre of mass in the body's frame
    Inertia inertia; // about the centre of mass
};

enum class LoopKind {
    point_plane, // two points coincide in projection along `axis`: 2 equations
    ball,        // two points coincide: 3 equations
    hinge,       // two points coincide and two axes are parallel: 5 equations
    rod,         // two points keep their distance `length`: 1 equation
};
struct LoopSpec {
    std::string name;
    LoopKind kind = LoopKind::ball;
    Body a;
    Vector point_a; // in the frame of a
    Body b;
    Vector point_b;
    Eigen::Vector3d axis{0, 0, 1};   // point_plane: normal, world frame; hinge: axis in the frame of a
    Eigen::Vector3d axis_b{0, 0, 0}; // hinge: the same axis in the frame of b
    Expr length = 0;                 // of a rod
};
int loop_equations(LoopKind kind);

class Mechanism {
  public:
    Mechanism(int number, std::string name);

    // A symbol whose value may be changed later.
    Expr parameter(const std::string& name, double value);
    void set_gravity(const Vector& gravity);
    Body add(const BodySpec& spec);
    void close(const LoopSpec& loop);
    Frame add_frame(const std::string& name, Body body, const Vector& at = {},
                    const Eigen::Matrix3d& orientation = Eigen::Matrix3d::Identity());
    // Declares that a wrench acts at this frame: it (force, then moment, world axes) becomes an input of the
    // generated equations. Returns the number of the wrench.
    int add_wrench(Frame frame);

    // One elementary joint and the body, possibly massless, that it moves.
    struct Link {
        std::string name;
        int parent = -1; // -1: the ground
        ElementaryJoint joint;
        Vector at;
        Eigen::Matrix3d orientation = Eigen::Matrix3d::Identity();
        Expr mass = 0;
        Vector com;
        Matrix3<Expr> inertia = Matrix3<Expr>::Constant(Expr(0));
        int q = 0, v = 0; // first coordinate and first velocity
        int nq() const { return joint.kind == ElementaryJoint::spherical ? 4 : nv(); }
        int nv() const
        {
            return joint.kind == ElementaryJoint::spherical ? 3
                   : joint.kind == ElementaryJoint::fixed   ? 0
                                                            : 1;
        }
    };
    struct NamedFrame {
        std::string name;
        int link = -1;
        Vector at;
        Eigen::Matrix3d orientation = Eigen::Matrix3d::Identity();
    };
    struct BodyRecord {
        std::string name;
        int link;       // the link that carries its mass
        int first_link; // first link of its joint
    };
    struct ParameterRecord {
        std::string name;
        double value;
    };

    int number() const { return number_; }
    const std::string& name() const { return name_; }
    int nq() const { return nq_; }
    int nv() const { return nv_; }
    int loop_rows() const; // number of equations of all loops
    int wrenches() const { return static_cast<int>(wrench_frames_.size()); }
    const std::vector<Link>& links() const { return links_; }
    const std::vector<BodyRecord>& bodies() const { return bodies_; }
    const std::vector<LoopSpec>& loops() const { return loops_; }
    const std::vector<NamedFrame>& frames() const { return frames_; }
    const std::vector<int>& wrench_frames() const { return wrench_frames_; }
    const Vector& gravity() const { return gravity_; }
    // Values of the parameters and, last, the length scale: the largest offset or distance of a centre of
    // mass (1 if all vanish), which converts angles to lengths where the two are compared.
    Eigen::VectorXd parameter_values() const;
    Expr length_scale_symbol() const
    {
        return graph_->symbol(Input::p, static_cast<int>(parameters_.size()));
    }
    const std::vector<ParameterRecord>& parameters() const { return parameters_; }
    Graph& graph() const { return *graph_; }

    int link_of(Body body) const; // -1 for the ground
    Body body(const std::string& name) const;
    Coordinate coordinate(Body body, int k = 0) const; // k-th velocity of the body's joint
    Coordinate coordinate(const std::string& name) const;
    std::string coordinate_name(int velocity) const;
    // Index in q of a velocity's position; for a spherical joint, of its first quaternion component.
    int position_index(int velocity) const;
    double value(const Expr& e) const; // with the current parameters

    // Equal for mechanisms whose generated equations are equal; parameters count by name, not by value.
    std::uint64_t hash() const;
    // Throws if a value (mass, inertia, length) is not physical with the current parameters.
    void validate() const;

  private:
    double length_scale(const Eigen::VectorXd& p) const;

    int number_;
    std::string name_;
    std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
    std::vector<ParameterRecord> parameters_;
    Vector gravity_;
    std::vector<Link> links_;
    std::vector<BodyRecord> bodies_;
    std::vector<LoopSpec> loops_;
    std::vector<NamedFrame> frames_;
    std::vector<int> wrench_frames_;
    int nq_ = 0, nv_ = 0;
};

} // namespace tamis
