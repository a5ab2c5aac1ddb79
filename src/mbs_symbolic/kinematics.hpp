// Kinematics of a tree of links, for any scalar S: double computes, Expr generates,
// complex<double> differentiates.
//
// Frames are those of tree.hpp. For link i with parent p:
//
//     d_i   = R_F(p),p at_i (+ z q)            from the parent's origin to the link's, in F(p)
//     R_WF  = R_WF(p) E                        E = orientation of a new frame in its parent's
//     p_Wi  = p_Wp + R_WF(p) d_i
#pragma once

#include "tamis/mbs_symbolic/tree.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <tuple>
#include <utility>

namespace tamis {

// The numbers of a mechanism as scalars of type S.
template <class S>
struct LinkData {
    Vector3<S> at; // in the parent's axes D (tree.hpp)
    Vector3<S> com;
    S mass;
    Matrix3<S> inertia; // about the centre of mass
};
template <class S>
struct MechanismData {
    Tree tree;
    std::vector<LinkData<S>> links;
    std::vector<Vector3<S>> frame_at;
    std::vector<Vector3<S>> loop_a, loop_b;
    std::vector<S> rod_length;
    Vector3<S> gravity;
    S length_scale; // multiplies the rows of loops that are pure angles, so that all of h is in metres
};

template <class S>
Vector3<S> constant_times(const Eigen::Matrix3d& R, const Vector3<S>& x)
{
    Vector3<S> out;
    for (int i = 0; i < 3; ++i) out[i] = S(R(i, 0)) * x[0] + S(R(i, 1)) * x[1] + S(R(i, 2)) * x[2];
    return out;
}

// `number` turns an Expr of the description into S.
template <class S, class Number>
MechanismData<S> mechanism_data(const Mechanism& m, Number&& number)
{
    auto vec = [&](const Vector3<Expr>& x) { return Vector3<S>(number(x[0]), number(x[1]), number(x[2])); };
    MechanismData<S> data{Tree(m), {}, {}, {}, {}, {}, vec(m.gravity()), number(m.length_scale_symbol())};
    for (const Mechanism::Link& l : m.links()) {
        const Vector3<S> at =
            l.parent < 0 ? vec(l.at) : constant_times<S>(data.tree.links[l.parent].D, vec(l.at));
        LinkData<S> d{at, vec(l.com), number(l.mass), {}};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) d.inertia(i, j) = number(l.inertia(i, j));
        data.links.push_back(d);
    }
    for (const Mechanism::NamedFrame& f : m.frames()) data.frame_at.push_back(vec(f.at));
    for (const LoopSpec& l : m.loops()) {
        data.loop_a.push_back(vec(l.point_a));
        data.loop_b.push_back(vec(l.point_b));
        data.rod_length.push_back(number(l.length));
    }
    return data;
}

// Eigen's own dot() and cross() conjugate complex numbers.
template <class S>
S dot(const Vector3<S>& a, const Vector3<S>& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class S>
Vector3<S> cross(const Vector3<S>& a, const Vector3<S>& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <class S>
Matrix3<S> scalar_matrix(const Eigen::Matrix3d& R)
{
    Matrix3<S> out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out(i, j) = S(R(i, j));
    return out;
}

// Rotation about e_k by an angle whose cosine and sine are c, s.
template <class S>
Vector3<S> turn(int k, const S& c, const S& s, const Vector3<S>& x)
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    Vector3<S> y;
    y[k] = x[k];
    y[i] = c * x[i] - s * x[j];
    y[j] = s * x[i] + c * x[j];
    return y;
}
// R times that rotation.
template <class S>
Matrix3<S> times_turn(const Matrix3<S>& R, int k, const S& c, const S& s)
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    Matrix3<S> out;
    out.col(k) = R.col(k);
    out.col(i) = R.col(i) * c + R.col(j) * s;
    out.col(j) = R.col(j) * c - R.col(i) * s;
    return out;
}
// Rot J Rot^T of a symmetric J, in 7 multiplications.
template <class S>
Matrix3<S> turn_tensor(int k, const S& c, const S& s, const Matrix3<S>& J)
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const S t = s * (J(i, i) - J(j, j)) + S(2) * (c * J(i, j));
    Matrix3<S> out;
    out(k, k) = J(k, k);
    out(i, i) = J(i, i) - s * t;
    out(j, j) = J(j, j) + s * t;
    out(i, j) = out(j, i) = c * t - J(i, j);
    out(i, k) = out(k, i) = c * J(i, k) - s * J(j, k);
    out(j, k) = out(k, j) = s * J(i, k) + c * J(j, k);
    return out;
}
// Rotation matrix of a unit quaternion (w, x, y, z).
template <class S>
Matrix3<S> quaternion_matrix(const S* q)
{
    const S w = q[0], x = q[1], y = q[2], z = q[3], two(2), one(1);
    Matrix3<S> R;
    R << one - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y), //
        two * (x * y + w * z), one - two * (x * x + z * z), two * (y * z - w * x),  //
        two * (x * z - w * y), two * (y * z + w * x), one - two * (x * x + y * y);
    return R;
}

struct CosineSine {
    template <class S>
    std::pair<S, S> operator()(const S& angle) const
    {
        using std::cos, std::sin;
        return {cos(angle), sin(angle)};
    }
};

template <class S>
class Kinematics {
  public:
    Kinematics(const Mechanism& mechanism, MechanismData<S> numbers)
        : m(mechanism), data(std::move(numbers)), n(static_cast<int>(m.links().size())), c(n), s(n), angle(n),
          d(n), E(n), qc(n), qs(n), R_WF(data.tree.frames.size()), p_W(n)
    {
    }

    // Relative positions and orientations, in working frames.
    template <class Trigonometry = CosineSine>
    void local(const S* q, Trigonometry&& cosine_sine = {})
    {
        for (int i = 0; i < n; ++i) {
            const Mechanism::Link& l = m.links()[i];
            const Tree::Link& t = data.tree.links[i];
            const int p = l.parent;
            d[i] = turned(p, data.links[i].at);
            angle[i] = p >= 0 && !t.starts_frame ? angle[p] : S(0);
            if (l.joint.kind == ElementaryJoint::prismatic) d[i] += axis(i) * q[l.q];
            if (l.joint.kind == ElementaryJoint::revolute) {
                if (t.starts_frame) {
                    std::tie(qc[i], qs[i]) = cosine_sine(q[l.q]);
                    qs[i] = S(t.sign) * qs[i];
                    E[i] = turned(p, times_turn<S>(scalar_matrix<S>(t.A), t.axis, qc[i], qs[i]));
                } else {
                    angle[i] = angle[i] + S(t.sign) * q[l.q];
                }
            }
            if (l.joint.kind == ElementaryJoint::spherical)
                E[i] = turned(p, (scalar_matrix<S>(t.A) * quaternion_matrix<S>(q + l.q)).eval());
            if (t.turned) std::tie(c[i], s[i]) = cosine_sine(angle[i]);
        }
    }

    // World positions of link origins and world orientations of working frames.
    void world()
    {
        R_WF[0] = scalar_matrix<S>(Eigen::Matrix3d::Identity());
        for (int i = 0; i < n; ++i) {
            const Tree::Link& t = data.tree.links[i];
            const int p = m.links()[i].parent;
            const Matrix3<S>& R = R_WF[p < 0 ? 0 : data.tree.links[p].frame];
            p_W[i] = R * d[i];
            if (p >= 0) p_W[i] += p_W[p];
            if (t.starts_frame) R_WF[t.frame] = R * E[i];
        }
    }

    // A vector fixed in link i (or the ground, -1), written in the working frame.
    Vector3<S> in_frame(int i, const Vector3<S>& x) const
    {
        if (i < 0) return x;
        const Tree::Link& t = data.tree.links[i];
        return turned(i, constant_times<S>(t.D, x));
    }
    // A vector, the columns of a matrix or a symmetric tensor given in link i's axes D,
    // written in the working frame.
    Vector3<S> turned(int i, const Vector3<S>& x) const
    {
        if (i < 0 || !data.tree.links[i].turned) return x;
        return turn<S>(data.tree.frames[data.tree.links[i].frame].axis, c[i], s[i], x);
    }
    Matrix3<S> turned(int i, const Matrix3<S>& R) const
    {
        if (i < 0 || !data.tree.links[i].turned) return R;
        Matrix3<S> out;
        for (int j = 0; j < 3; ++j) out.col(j) = turned(i, Vector3<S>(R.col(j)));
        return out;
    }
    Matrix3<S> turned_tensor(int i, const Matrix3<S>& J) const
    {
        if (i < 0 || !data.tree.links[i].turned) return J;
        return turn_tensor<S>(data.tree.frames[data.tree.links[i].frame].axis, c[i], s[i], J);
    }
    // Tensor of the frame that link i starts, in the parent's frame.
    Matrix3<S> tensor_to_parent(int i, const Matrix3<S>& J) const
    {
        const Tree::Link& t = data.tree.links[i];
        if (!t.starts_frame) return J;
        if (t.axis < 0) return (E[i] * J * E[i].transpose()).eval();
        const Matrix3<S> T = turn_tensor<S>(t.axis, qc[i], qs[i], J);
        Matrix3<S> out = T;
        if (t.permutes) {
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b)
                    out(t.place[a], t.place[b]) = S(t.A(t.place[a], a) * t.A(t.place[b], b)) * T(a, b);
        } else {
            for (int a = 2; a >= 0; --a)
                out = turn_tensor<S>(a == 1 ? 1 : 2, S(t.cosines[a]), S(t.sines[a]), out);
        }
        return turned_tensor(m.links()[i].parent, out);
    }
    Vector3<S> to_parent(int i, const Vector3<S>& x) const
    {
        return data.tree.links[i].starts_frame ? (E[i] * x).eval() : x;
    }
    Vector3<S> from_parent(int i, const Vector3<S>& x) const
    {
        return data.tree.links[i].starts_frame ? (E[i].transpose() * x).eval() : x;
    }
    // Axis of a revolute or prismatic joint in the working frame of its link; k-th axis of a spherical joint.
    Vector3<S> axis(int i, int k = 0) const
    {
        const Tree::Link& t = data.tree.links[i];
        Vector3<S> z(S(0), S(0), S(0));
        switch (m.links()[i].joint.kind) {
        case ElementaryJoint::revolute:
            z[t.axis] = S(t.sign);
            break;
        case ElementaryJoint::prismatic: {
            const int p = m.links()[i].parent;
            return turned(p, Vector3<S>(S(t.slide[0]), S(t.slide[1]), S(t.slide[2])));
        }
        case ElementaryJoint::spherical:
            z[k] = S(1);
            break;
        case ElementaryJoint::fixed:
            break;
        }
        return z;
    }

    // The component of a force or moment along that axis: the force that the joint's actuator feels.
    S along(int i, int k, const Vector3<S>& force, const Vector3<S>& moment) const
    {
        const Tree::Link& t = data.tree.links[i];
        switch (m.links()[i].joint.kind) {
        case ElementaryJoint::prismatic:
            return dot<S>(axis(i), force);
        case ElementaryJoint::revolute:
            return S(t.sign) * moment[t.axis];
        default:
            return moment[k];
        }
    }

    // World quantities, after world().
    Vector3<S> to_world(int i, const Vector3<S>& x) const // x in the working frame of i
    {
        return i < 0 ? x : (R_WF[data.tree.links[i].frame] * x).eval();
    }
    Vector3<S> point(int i, const Vector3<S>& x) const // x fixed in link i
    {
        return i < 0 ? x : (p_W[i] + to_world(i, in_frame(i, x))).eval();
    }
    Matrix3<S> rotation(int i) const
    {
        if (i < 0) return scalar_matrix<S>(Eigen::Matrix3d::Identity());
        const Tree::Link& t = data.tree.links[i];
        return R_WF[t.frame] * turned(i, scalar_matrix<S>(t.D));
    }
    // Velocity of link origins and angular velocitys in the world, from v_W and omega_W of the parents.
    void velocities(const S* v, std::vector<Vector3<S>>& v_W, std::vector<Vector3<S>>& omega_W) const
    {
        const Vector3<S> zero(S(0), S(0), S(0));
        v_W.assign(n, zero);
        omega_W.assign(n, zero);
        for (int i = 0; i < n; ++i) {
            const Mechanism::Link& l = m.links()[i];
            const int p = l.parent;
            if (p >= 0) {
                omega_W[i] = omega_W[p];
                v_W[i] = v_W[p] + cross<S>(omega_W[p], to_world(p, d[i]));
            }
            for (int k = 0; k < l.nv(); ++k) {
                const Vector3<S> z = to_world(i, axis(i, k)) * v[l.v + k];
                (l.joint.kind == ElementaryJoint::prismatic ? v_W[i] : omega_W[i]) += z;
            }
        }
    }

    // h(q) of all loops (16), in metres.
    void loops(S* h) const
    {
        for (std::size_t k = 0; k < m.loops().size(); ++k) {
            const LoopSpec& l = m.loops()[k];
            const int a = m.link_of(l.a), b = m.link_of(l.b);
            const Vector3<S> e = point(a, data.loop_a[k]) - point(b, data.loop_b[k]);
            switch (l.kind) {
            case LoopKind::ball:
            case LoopKind::hinge:
                for (int i = 0; i < 3; ++i) *h++ = e[i];
                break;
            case LoopKind::point_plane: {
                const Eigen::Matrix3d B = basis(l.axis);
                for (int i = 1; i < 3; ++i) *h++ = S(B(0, i)) * e[0] + S(B(1, i)) * e[1] + S(B(2, i)) * e[2];
                break;
            }
            case LoopKind::rod:
                *h++ = (dot<S>(e, e) / data.rod_length[k] - data.rod_length[k]) * S(0.5);
                break;
            }
            if (l.kind == LoopKind::hinge) {
                const Eigen::Matrix3d B = basis(l.axis);
                const Matrix3<S> Ra = rotation(a), Rb = rotation(b);
                const Vector3<S> axis_b = Rb * Vector3<S>(S(l.axis_b[0]), S(l.axis_b[1]), S(l.axis_b[2]));
                for (int i = 1; i < 3; ++i) {
                    const Vector3<S> t = Ra * Vector3<S>(S(B(0, i)), S(B(1, i)), S(B(2, i)));
                    *h++ = data.length_scale * dot<S>(t, axis_b);
                }
            }
        }
    }

    // Right-handed orthonormal basis whose first column is the unit vector `first`;
    // along the axes where possible.
    static Eigen::Matrix3d basis(const Eigen::Vector3d& first)
    {
        int smallest;
        first.cwiseAbs().minCoeff(&smallest);
        for (int k = 0; k < 3; ++k)
            if (std::abs(first[k]) == 1) smallest = (k + 1) % 3;
        Eigen::Matrix3d B;
        B.col(0) = first;
        B.col(1) = Eigen::Vector3d::Unit(smallest) - first[smallest] * first;
        B.col(1).normalize();
        B.col(2) = first.cross(B.col(1));
        return B;
    }

    const Mechanism& m;
    MechanismData<S> data;
    int n;
    std::vector<S> c, s, angle;   // of alpha_i
    std::vector<Vector3<S>> d;    // offsets, in the parent's working frame
    std::vector<Matrix3<S>> E;    // orientation of a frame in its parent's, by the link that starts it
    std::vector<S> qc, qs;        // cosine and signed sine of the turn that starts a frame
    std::vector<Matrix3<S>> R_WF; // by frame
    std::vector<Vector3<S>> p_W;  // by link
};

} // namespace tamis
