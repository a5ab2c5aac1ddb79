// Beams as the elements of model/beam.hpp, assembled over their nodes; see beam_nodes.hpp.
#include "tamis/mechanics/beam_nodes.hpp"

#include "tamis/model/rotation.hpp"

namespace tamis {

namespace {

NodeMotion clamped(const Model::FrameRecord& frame, const View& view)
{
    const Pose pose = view.body_motion(frame.body).pose * frame.local;
    NodeMotion node;
    node.R = pose.R;
    node.x = pose.p;
    return node;
}

} // namespace

BeamNodes::BeamNodes(const Model& model, const View& view)
{
    for (const BeamSpec& s : model.beams()) {
        const Model::FrameRecord &a = model.frame_record(s.a), &b = model.frame_record(s.b);
        const NodeMotion start = clamped(a, view);
        const BeamLayout layout{s.name,    s.elements,           s.section, start.R * s.y, s.damping,
                                s.inertia, model.gravity_value()};
        const std::vector<NodeMotion> laid = beam_nodes(layout, start, clamped(b, view));
        std::vector<int>& numbers = of_beam_.emplace_back();
        std::vector<Eigen::Matrix3d>& turn = turn_.emplace_back();
        for (std::size_t k = 0; k < laid.size(); ++k) {
            const bool end = k == 0 || k + 1 == laid.size();
            numbers.push_back(static_cast<int>(nodes_.size()));
            turn.push_back(laid[k].R.transpose() * laid[1].R);
            nodes_.push_back({k == 0 ? a : b, end ? -1 : inner_});
            motion_.push_back(laid[k]);
            if (end) continue;
            motion_.back().v.setZero();
            motion_.back().omega.setZero();
            names_.push_back(fmt::format("{}, node {}", s.name, k));
            ++inner_;
        }
        for (auto& element : beam_elements(layout, laid, numbers)) elements_.push_back(std::move(element));
    }
}

void BeamNodes::place_ends(const View& view)
{
    for (std::size_t k = 0; k < nodes_.size(); ++k)
        if (nodes_[k].inner < 0) motion_[k] = clamped(nodes_[k].frame, view);
}

void BeamNodes::move(const Eigen::Ref<const Eigen::VectorXd>& dx)
{
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
        if (nodes_[k].inner < 0) continue;
        const auto step = dx.segment<6>(6 * nodes_[k].inner);
        motion_[k].x += step.head<3>();
        motion_[k].R =
            (exp_turn(step.tail<3>()) * Eigen::Quaterniond(motion_[k].R)).normalized().toRotationMatrix();
    }
}

ElementTerms BeamNodes::terms(bool tangent) const
{
    ElementTerms sum, own;
    sum.resize(static_cast<int>(nodes_.size()), 0);
    std::vector<NodeMotion> motion;
    for (const auto& element : elements_) {
        const std::vector<int>& numbers = element->nodes();
        motion.clear();
        for (const int node : numbers) motion.push_back(motion_[node]);
        own.resize(static_cast<int>(numbers.size()), 0);
        element->add({.nodes = motion}, own, tangent);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            sum.r.segment<6>(6 * numbers[i]) += own.r.segment<6>(6 * i);
            if (!tangent) continue;
            for (std::size_t j = 0; j < numbers.size(); ++j) {
                const auto add = [&](Eigen::MatrixXd& to, const Eigen::MatrixXd& from) {
                    to.block<6, 6>(6 * numbers[i], 6 * numbers[j]) += from.block<6, 6>(6 * i, 6 * j);
                };
                add(sum.M, own.M);
                add(sum.C, own.C);
                add(sum.K, own.K);
            }
        }
    }
    return sum;
}

Energy BeamNodes::energy() const
{
    Energy sum;
    std::vector<NodeMotion> motion;
    for (const auto& element : elements_) {
        motion.clear();
        for (const int node : element->nodes()) motion.push_back(motion_[node]);
        sum += element->energy({.nodes = motion});
    }
    return sum;
}

std::span<const BodyMotion> BeamNodes::sections(int beam)
{
    sections_.clear();
    for (std::size_t k = 0; k < of_beam_[beam].size(); ++k) {
        const NodeMotion& n = motion_[of_beam_[beam][k]];
        sections_.push_back({{n.R * turn_[beam][k], n.x}, n.v, n.omega});
    }
    return sections_;
}

} // namespace tamis
