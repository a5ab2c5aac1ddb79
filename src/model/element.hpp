// An element of a smooth mechanical system: it acts on nodes, with forces, inertia or constraints.
//
//   node   a frame: origin x, orientation R; velocity v and angular velocity omega, accelerations a and alpha,
//          all in world axes. A variation moves x by a sum and turns R on the left: R -> exp(delta theta) R.
//   r      of each node: inertia minus applied forces, and their moments about x, in world axes; after all
//          nodes, the constraint equations phi of the element. The sum over all elements vanishes.
//   lambda multipliers, one for each constraint: they add phi_q^T lambda to r of the nodes.
#pragma once

#include "tamis/model/energy.hpp"

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

namespace tamis {

inline constexpr int ground_node = -1; // at rest in the world's origin; what acts on it is left out

struct NodeMotion {
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    Eigen::Vector3d x{0, 0, 0}, v{0, 0, 0}, omega{0, 0, 0}, a{0, 0, 0}, alpha{0, 0, 0};
};

struct ElementState {
    double t = 0, h = 0;               // h: the step, for laws of which only values are known
    std::span<const NodeMotion> nodes; // in the order of Element::nodes()
    std::span<const double> lambda;    // of the element's own rows
};

// Residual and its derivatives, of one element. Rows: six for each node (force, then moment), then the
// constraints. Columns: six for each node (translation, then turn); in K, the multipliers follow.
struct ElementTerms {
    Eigen::VectorXd r;
    Eigen::MatrixXd K; // with respect to (delta x, delta theta) at fixed v, omega, a, alpha, and to lambda
    Eigen::MatrixXd C; // with respect to (delta v, delta omega)
    Eigen::MatrixXd M; // with respect to (delta a, delta alpha)

    void resize(int nodes, int rows)
    {
        r.setZero(6 * nodes + rows);
        K.setZero(6 * nodes + rows, 6 * nodes + rows);
        C.setZero(6 * nodes + rows, 6 * nodes);
        M.setZero(6 * nodes + rows, 6 * nodes);
    }
    void clear()
    {
        r.setZero();
        K.setZero();
        C.setZero();
        M.setZero();
    }
};

class Element {
  public:
    virtual ~Element() = default;

    const std::string& name() const { return name_; }        // for messages
    const std::vector<int>& nodes() const { return nodes_; } // numbers in the system, or ground_node
    virtual int rows() const { return 0; }                   // constraint equations

    // Adds to r and, if `tangent`, to K, C and M. All of `terms` has the element's size; it is not cleared
    // here. Must not allocate.
    virtual void add(const ElementState& state, ElementTerms& terms, bool tangent) const = 0;

    // First and second derivatives of the constraints in time at a = alpha = 0, for the start.
    virtual void rates(const ElementState& /*state*/, std::span<double> /*phi_t*/,
                       std::span<double> /*phi_tt*/) const
    {
    }

    // As far as the element knows one.
    virtual Energy energy(const ElementState& /*state*/) const { return {}; }

  protected:
    Element(std::string name, std::vector<int> nodes) : name_(std::move(name)), nodes_(std::move(nodes)) {}
    Element(const Element&) = default;
    Element& operator=(const Element&) = default;

  private:
    std::string name_;
    std::vector<int> nodes_;
};

} // namespace tamis
