// A model that is finished: all its values are known and checked, and do not change any more. Methods read it.
#pragma once

#include "tamis/model/features.hpp"

namespace tamis {

// A body of any mechanism; the numbers run through all mechanisms.
struct BodyRecord {
    std::string name;
    int mechanism;
    int link; // the link of its mechanism that carries it
    double mass;
    Eigen::Vector3d com;
    Eigen::Matrix3d inertia; // about the centre of mass, body axes
};

class Model {
  public:
    explicit Model(Features features); // checks all values

    const Features& features() const { return features_; }
    const std::string& name() const { return features_.name; }
    const std::deque<Mechanism>& mechanisms() const { return features_.mechanisms; }
    const std::vector<BodyRecord>& bodies() const { return bodies_; }
    int body_number(Body body) const; // in bodies(), -1 for the ground
    Body body(const std::string& name) const { return features_.body(name); }
    const std::vector<AttachedShape>& shapes() const { return features_.shapes; }
    std::string shape_name(int shape) const { return features_.shape_name(shape); }
    // Of each shape: diameter of the ball around it, or around its grain; infinite for planes.
    std::vector<double> sizes() const;
    // Grains are bodies, too: grain g has the number bodies().size() + g.
    const std::vector<GrainRecord>& grains() const { return features_.grains; }
    int body_number(GrainId grain) const { return static_cast<int>(bodies_.size()) + grain.index; }
    int grain_of(int body) const { return body - static_cast<int>(bodies_.size()); } // negative: not a grain
    std::string grain_name(int grain) const { return features_.grain_name(grain); }
    // Unless a rule says otherwise: friction is the geometric mean; restitution and rolling the larger value;
    // anticipation is on if either material has it and neither has restitution, unless both comply; halves of springs
    // in series, that is the harmonic mean of stiffnesses, and twice the other one's if one material is rigid; damping
    // the larger value; the overlap form if either has it.
    Material pair(int material_a, int material_b) const;
    // Body and local pose of a named frame.
    struct FrameRecord {
        int body; // -1: the ground
        Pose local;
    };
    const FrameRecord& frame_record(Frame frame) const { return frames_[frame.mechanism][frame.index]; }
    // Which shapes may touch: those of different bodies that are not both on the ground, not connected by a
    // joint and not ignored.
    const PairFilter& filter() const { return filter_; }
    bool may_touch() const { return touching_shapes_ > 1; } // whether any contact is possible
    int materials() const { return static_cast<int>(features_.materials.size()); }
    const Eigen::Vector3d& gravity_value() const { return gravity_value_; }
    // Start values, independent coordinates and forces, by mechanism where that matters.
    const StartValues& start_of(int mechanism) const { return features_.start[mechanism]; }
    const std::vector<int>& independent_of(int mechanism) const { return features_.independent[mechanism]; }
    const std::vector<Drive>& drives() const { return features_.drives; }
    const std::vector<JointForce>& joint_forces() const { return features_.joint_forces; }
    const std::vector<JointSpring>& joint_springs() const { return features_.joint_springs; }
    const std::vector<PointSpring>& point_springs() const { return features_.point_springs; }
    const std::vector<BeamSpec>& beams() const { return features_.beams; }
    const std::vector<AppliedWrench>& wrenches() const { return features_.wrenches; }
    const std::vector<GrainForce>& grain_forces() const { return features_.grain_forces; }
    const std::vector<MemoryRecord>& memories() const { return features_.memories; }
    // Numbers of the mechanisms' wrench inputs, for point springs (a, then b) and applied wrenches.
    struct WrenchInput {
        int mechanism, number;
    };
    const std::vector<WrenchInput>& wrench_inputs() const { return wrench_inputs_; }

  private:
    void number_bodies();
    void add_wrench_inputs();
    void filter_pairs();

    Features features_;
    Eigen::Vector3d gravity_value_;
    std::vector<BodyRecord> bodies_;
    std::vector<int> body_offset_;                 // by mechanism
    std::vector<std::vector<FrameRecord>> frames_; // by mechanism
    std::vector<WrenchInput> wrench_inputs_;
    PairFilter filter_;
    int touching_shapes_ = 0;
};

} // namespace tamis
