// Assignment of working frames; see tree.hpp.
#include "tamis/mbs_symbolic/tree.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace tamis {

namespace {

// k if x is +-e_k to round-off, else -1.
int coordinate_axis(const Eigen::Vector3d& x)
{
    for (int k = 0; k < 3; ++k)
        if (std::abs(std::abs(x[k]) - 1) < 1e-14) return k;
    return -1;
}

// Entries within round-off of 0, 1 and -1 become exact, so that they vanish from generated expressions.
Eigen::Matrix3d cleaned(Eigen::Matrix3d R)
{
    for (double& x : R.reshaped())
        for (double exact : {0.0, 1.0, -1.0})
            if (std::abs(x - exact) < 1e-15) x = exact;
    return R;
}

bool is_signed_permutation(const Eigen::Matrix3d& R)
{
    return (R.array() == 0 || R.array().abs() == 1).all();
}

// A rotation that takes e_z to the unit vector `axis`.
Eigen::Matrix3d z_to(const Eigen::Vector3d& axis)
{
    return Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), axis).toRotationMatrix();
}

} // namespace

Tree::Tree(const Mechanism& mechanism)
{
    const auto& described = mechanism.links();
    // A turning link stays in the world frame only if a later link turns about the same
    // axis: then their angles add.
    auto has_parallel_descendant = [&](int i) {
        for (std::size_t j = i + 1; j < described.size(); ++j) {
            if (described[j].joint.kind != ElementaryJoint::revolute) continue;
            Eigen::Vector3d axis = described[j].orientation * described[j].joint.axis;
            int p = described[j].parent;
            while (p > i && (described[p].joint.kind == ElementaryJoint::fixed ||
                             described[p].joint.kind == ElementaryJoint::prismatic)) {
                axis = described[p].orientation * axis;
                p = described[p].parent;
            }
            if (p == i && axis.cross(described[i].joint.axis).norm() < 1e-14) return true;
        }
        return false;
    };

    frames.push_back({});
    for (std::size_t i = 0; i < described.size(); ++i) {
        const Mechanism::Link& d = described[i];
        const Link* parent = d.parent < 0 ? nullptr : &links[d.parent];
        const int frame = parent ? parent->frame : 0;
        const Eigen::Matrix3d A =
            cleaned((parent ? parent->D : Eigen::Matrix3d::Identity().eval()) * d.orientation);
        Link link;
        link.frame = frame;
        link.D = A;
        link.turned = parent && parent->turned;
        if (d.joint.kind == ElementaryJoint::prismatic) {
            link.slide = A * d.joint.axis;
        } else if (d.joint.kind == ElementaryJoint::revolute) {
            const Eigen::Vector3d a = A * d.joint.axis;
            const int k = coordinate_axis(a);
            const bool joins = k >= 0 && frames[frame].axis == k;
            const bool adopts =
                k >= 0 && frame == 0 && frames[0].axis < 0 && has_parallel_descendant(static_cast<int>(i));
            if (joins || adopts) {
                frames[frame].axis = k;
                link.axis = k;
                link.sign = a[k];
                link.turned = true;
            } else {
                const int own = coordinate_axis(d.joint.axis);
                const Eigen::Matrix3d C = own >= 0 ? Eigen::Matrix3d::Identity().eval() : z_to(d.joint.axis);
                link.starts_frame = true;
                link.axis = own >= 0 ? own : 2;
                link.sign = own >= 0 ? d.joint.axis[own] : 1;
                link.A = cleaned(A * C);
                link.D = cleaned(C.transpose());
                link.permutes = is_signed_permutation(link.A);
                for (int j = 0; j < 3; ++j) link.A.col(j).cwiseAbs().maxCoeff(&link.place[j]);
                const Eigen::Vector3d euler = link.A.eulerAngles(2, 1, 2);
                link.cosines = euler.array().cos();
                link.sines = euler.array().sin();
                link.turned = false;
                link.frame = static_cast<int>(frames.size());
                frames.push_back({d.parent, static_cast<int>(i), link.axis});
            }
        } else if (d.joint.kind == ElementaryJoint::spherical) {
            link.starts_frame = true;
            link.A = A;
            link.D = Eigen::Matrix3d::Identity();
            link.turned = false;
            link.frame = static_cast<int>(frames.size());
            frames.push_back({d.parent, static_cast<int>(i), -1});
        }
        links.push_back(link);
    }
}

} // namespace tamis
