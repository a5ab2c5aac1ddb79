// The beams of one mechanism inside the theta-scheme. Their inner nodes have velocities of their own, V (six each,
// world axes); their ends are carried by bodies of the mechanism (or the ground) and move with the joint velocities:
//
//     dV = T dw + b,   w = (v_u, V_inner),   b = J d_beta + h J' v at the ends, 0 elsewhere
//
// With r, K, C, M of the elements (element.hpp) at q_m, a = 0, the theta-scheme with implicit forces is
//
//     T^T (M + S) T dw = -T^T [h r - h theta C dV_k + h^2 (2 theta - 1) K V_n + (M + S) b]
//     S = h theta C + h^2 theta^2 K
//
// beside the terms of the mechanism (mechanisms.hpp). The matrix A is sparse and, like that of the elements, not
// symmetric. Contacts act on bodies: they know v_u alone, which answers impulses by (A^-1)_uu, and the inner nodes
// follow a change of v_u by (A^-1)_iu (A^-1)_uu^-1 times that.
#pragma once

#include "tamis/model/beam_mesh.hpp"
#include "tamis/model/newton_matrix.hpp"
#include "tamis/model/partition.hpp"
#include "tamis/nscd/moreau_jean_options.hpp"
#include "tamis/nscd/relative_view.hpp"
#include "tamis/nscd/state.hpp"

namespace tamis {

class Beams {
  public:
    // Those with an end on a body of this mechanism, laid between their ends as the view shows them. Refuses beams
    // that tie two mechanisms.
    Beams(const Model& model, int mechanism, const View& start);

    bool empty() const { return elements_.empty(); }
    int nodes() const { return inner_; }
    int unknowns() const { return 6 * inner_; }
    const std::vector<int>& numbers() const { return numbers_; } // in Model::beams()
    void start(State::BeamNode* state) const;

    void predict(const State::BeamNode* state, const StepTimes& times); // inner nodes at q_m, with v_n
    // Ends as the view of q_m shows them, and their maps; `first`: with the velocities that the step starts with.
    void place_ends(const RelativeView& middle, const Partition& partition, const double* v, bool first);
    // The matrix of the block, from the mechanism's own part (n_u x n_u).
    void linearise(const StepTimes& times, const Eigen::MatrixXd& M_red);
    void evaluate(const StepTimes& times); // elements at the present motion of the nodes
    // Adds to the right-hand side of the block, n_u + 6 nodes.
    void add_loads(const StepTimes& times, const Eigen::VectorXd& d_beta, bool newton, Eigen::VectorXd& rhs);
    // Adds what the ends take from the mechanism, in all joint coordinates, if the block changes by dw.
    void add_reactions(const StepTimes& times, const Eigen::VectorXd& dw, bool newton,
                       Eigen::VectorXd& missing);
    bool solve(Eigen::VectorXd& x) { return matrix_->solve(x, false); }
    void multiply(const Eigen::VectorXd& x, Eigen::VectorXd& out) const { matrix_->multiply(x, out); }
    const Eigen::MatrixXd& response(); // (A^-1)_uu
    // Adds what inner nodes do when contacts change v_u by the first n_u entries of `change`, which has all of them.
    void follow(Eigen::VectorXd& change);
    // Goes to the velocities of the block just found, v_n + dw.
    void go_to(const StepTimes& times, const Eigen::VectorXd& dw, bool newton);
    void update(State::BeamNode* state, const StepTimes& times, const double* v) const;

    std::span<const BodyMotion> sections(int beam, const State::BeamNode* state, const View& view);
    Energy energy(const State::BeamNode* state, const View& view);

  private:
    struct End {
        Model::FrameRecord frame;                                                // body and place
        int link = -1;                                                           // -1: the ground
        Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor> J, T;          // 6 x nv, 6 x n_u
        Eigen::Matrix<double, 6, 1> drift = Eigen::Matrix<double, 6, 1>::Zero(); // J' v
    };
    NodeMotion end_motion(const End& end, const View& view) const;
    void show(const State::BeamNode* state, const View& view); // fills shown_
    void make_matrix(int n_u);
    template <class Use>
    void loads(const StepTimes& times, const std::vector<Eigen::Matrix<double, 6, 1>>& dV, bool newton,
               Use&& use);
    Eigen::Matrix<double, 6, 1> change(int node, const Eigen::VectorXd& dw) const; // of its velocity
    bool is_end(int node) const { return node >= inner_; }

    std::vector<int> numbers_;
    std::vector<std::vector<int>>
        beam_nodes_; // by beam, from a to b; inner ones first, then ends, two per beam
    std::vector<std::vector<Eigen::Matrix3d>>
        turn_; // by beam: from the axes of a node to those of its section
    std::vector<std::unique_ptr<Element>> elements_;
    std::vector<NodeMotion> start_;
    std::vector<End> ends_;
    int inner_ = 0, n_u_ = 0;

    // The step under way, by node: motion at which elements are evaluated, velocity at its start, change so far.
    std::vector<NodeMotion> nodes_, gathered_;
    std::vector<State::BeamNode> at_m_; // inner nodes at q_m
    std::vector<Eigen::Matrix<double, 6, 1>> V_n_, dV_, b_;
    std::vector<ElementTerms> terms_; // by element
    std::unique_ptr<NewtonMatrix> matrix_;
    bool pivots_ = false;
    // Of A^-1, once a contact has asked for it in this step; rows of v_u, of inner nodes.
    bool condensed_ = false;
    Eigen::MatrixXd response_, inner_response_;
    Eigen::PartialPivLU<Eigen::MatrixXd> response_lu_;
    std::vector<Eigen::Matrix<double, 6, 1>> link_velocity_, link_acceleration_;
    // So that a step takes no memory; each has one size.
    struct Work {
        Eigen::Matrix<double, 6, Eigen::Dynamic> T;
        struct OfElement {
            Eigen::MatrixXd E;
            Eigen::VectorXd x, before, change, product, load;
        };
        std::vector<OfElement> element;
        Eigen::MatrixXd block, left, right, both;
        Eigen::VectorXd on_end, on_joints, none, column, impulse;
        std::vector<Eigen::Matrix<double, 6, 1>> dV;
    } work_;
    std::vector<NodeMotion> shown_;
    std::vector<BodyMotion> sections_;
};

} // namespace tamis
