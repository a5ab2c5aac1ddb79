// The beams of a model at rest: nodes, of which the ends follow the bodies that carry them, and elements.
#pragma once

#include "tamis/model/beam_mesh.hpp"
#include "tamis/model/view.hpp"

namespace tamis {

class BeamNodes {
  public:
    // Laid between their ends as the view shows them, free of load there.
    BeamNodes(const Model& model, const View& start);

    struct Node {
        Model::FrameRecord frame; // of an end, where it is clamped
        int inner = -1;           // number of an inner node; -1: an end
    };
    int inner() const { return inner_; }
    const std::vector<Node>& nodes() const { return nodes_; }
    const std::string& name(int inner) const { return names_[inner]; }
    const std::vector<NodeMotion>& motion() const { return motion_; }
    void restore(const std::vector<NodeMotion>& motion) { motion_ = motion; }

    void place_ends(const View& view);
    void move(const Eigen::Ref<const Eigen::VectorXd>& dx); // inner nodes: displacement and turn, world axes

    // Sum over the elements, six rows for each node; M, C and K in ElementTerms, if asked for.
    ElementTerms terms(bool tangent) const;
    Energy energy() const;
    std::span<const BodyMotion> sections(int beam); // as the nodes are now

  private:
    std::vector<Node> nodes_;
    std::vector<NodeMotion> motion_;
    std::vector<std::string> names_; // by inner node
    std::vector<std::vector<int>> of_beam_;
    std::vector<std::vector<Eigen::Matrix3d>>
        turn_; // by beam: from the axes of a node to those of its section
    std::vector<std::unique_ptr<Element>> elements_;
    std::vector<BodyMotion> sections_;
    int inner_ = 0;
};

} // namespace tamis
