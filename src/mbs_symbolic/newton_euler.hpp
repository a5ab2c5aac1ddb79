// Mass matrix and bias of a tree, for any scalar S: M(q) v' + c(q, v, w) = Q.
//
// Bias by the recursive Newton-Euler algorithm with v' = 0 (Samin and Fisette 2003), gravity as an
// acceleration of the ground, applied wrenches w subtracted:
//
//     w_i = w_p + z q',   w'_i = w'_p + w_p x z q',   a_i = a_p + B_p d_i (+ 2 w x z q'),   B = w'~ + w~ w~
//     F_i = m a_i + B_i mc,   N_i = I w' + w x I w + mc x a_i       about the link's origin
//
// Origins are first shifted along their axes and inertias regrouped to the combinations that the joints can
// tell apart (Khalil and Kleinfinger 1987): constants of the mechanism.
//
// Mass matrix by composite rigid bodies: the momentum (f, n) of all that hangs on joint j per unit velocity,
// carried down the tree and projected on each joint it passes.
#pragma once

#include "tamis/mbs_symbolic/kinematics.hpp"

namespace tamis {

template <class S>
class NewtonEuler {
  public:
    explicit NewtonEuler(Kinematics<S>& kinematics)
        : k(kinematics), n(k.n), own(n), shift(n), at(n), d(n), mass(n), mc(n), I(n), omega(n), omega_dot(n),
          a(n), F(n), N(n), B(n)
    {
        shift_origins();
        regroup();
    }

    // Offsets and inertias in working frames about link origins: after k.local(q).
    void inertias(const S* q)
    {
        for (int i = 0; i < n; ++i) {
            const Mechanism::Link& l = k.m.links()[i];
            d[i] = k.turned(l.parent, at[i]);
            if (l.joint.kind == ElementaryJoint::prismatic) d[i] += k.axis(i) * q[l.q];
            mass[i] = own[i].mass;
            mc[i] = k.turned(i, own[i].mc);
            I[i] = k.turned_tensor(i, own[i].I);
        }
    }

    // c(q, v, w): after k.local(), k.world() if wrenches or rotated frames need gravity, and inertias().
    void bias(const S* v, const S* w, S* c)
    {
        const Vector3<S> zero(S(0), S(0), S(0));
        const Vector3<S> minus_g = -k.data.gravity;
        for (int i = 0; i < n; ++i) {
            const Mechanism::Link& l = k.m.links()[i];
            const int p = l.parent;
            Vector3<S> a_p = p < 0 ? minus_g : (a[p] + B[p] * d[i]).eval();
            Vector3<S> omega_p = p < 0 ? zero : omega[p], omega_dot_p = p < 0 ? zero : omega_dot[p];
            omega[i] = k.from_parent(i, omega_p);
            omega_dot[i] = k.from_parent(i, omega_dot_p);
            a[i] = k.from_parent(i, a_p);
            Vector3<S> relative = zero;
            for (int j = 0; j < l.nv(); ++j) relative += k.axis(i, j) * v[l.v + j];
            if (l.joint.kind == ElementaryJoint::prismatic) {
                a[i] += S(2) * cross<S>(omega[i], relative);
            } else if (l.nv() > 0) {
                omega_dot[i] += cross<S>(omega[i], relative);
                omega[i] += relative;
            }
            B[i] = rate_matrix(omega[i], omega_dot[i]);
            F[i] = mass[i] * a[i] + B[i] * mc[i];
            N[i] = torque(I[i], B[i], omega[i], omega_dot[i]) + cross<S>(mc[i], a[i]);
        }
        for (int j = 0; j < k.m.wrenches(); ++j) {
            const int frame = k.m.wrench_frames()[j], i = k.m.frames()[frame].link;
            if (i < 0) continue;
            const Matrix3<S>& R = k.R_WF[k.data.tree.links[i].frame];
            const Vector3<S> f = R.transpose() * Vector3<S>(w[6 * j], w[6 * j + 1], w[6 * j + 2]);
            const Vector3<S> moment = R.transpose() * Vector3<S>(w[6 * j + 3], w[6 * j + 4], w[6 * j + 5]);
            F[i] -= f;
            N[i] -= moment + cross<S>(k.in_frame(i, k.data.frame_at[frame]) - shift[i], f);
        }
        for (int i = n - 1; i >= 0; --i) {
            const Mechanism::Link& l = k.m.links()[i];
            for (int j = 0; j < l.nv(); ++j) c[l.v + j] = k.along(i, j, F[i], N[i]);
            if (l.parent < 0) continue;
            const Vector3<S> f = k.to_parent(i, F[i]);
            F[l.parent] += f;
            N[l.parent] += k.to_parent(i, N[i]) + cross<S>(d[i], f);
        }
    }

    // M(q), row-major, both triangles; consumes the inertias.
    void mass_matrix(S* M)
    {
        const int nv = k.m.nv();
        for (int i = 0; i < nv * nv; ++i) M[i] = S(0);
        for (int i = n - 1; i >= 0; --i) {
            const Mechanism::Link& l = k.m.links()[i];
            for (int j = 0; j < l.nv(); ++j) {
                const Vector3<S> z = k.axis(i, j);
                const bool slides = l.joint.kind == ElementaryJoint::prismatic;
                Vector3<S> f = slides ? (z * mass[i]).eval() : cross<S>(z, mc[i]);
                Vector3<S> moment = slides ? cross<S>(mc[i], z) : (I[i] * z).eval();
                for (int b = i;; b = k.m.links()[b].parent) {
                    const Mechanism::Link& lb = k.m.links()[b];
                    for (int jb = 0; jb < (b == i ? j + 1 : lb.nv()); ++jb)
                        M[(l.v + j) * nv + lb.v + jb] = M[(lb.v + jb) * nv + l.v + j] =
                            k.along(b, jb, f, moment);
                    if (lb.parent < 0) break;
                    moment = k.to_parent(b, moment);
                    f = k.to_parent(b, f);
                    moment += cross<S>(d[b], f);
                }
            }
            if (l.parent < 0) continue;
            const Vector3<S> mc_p = k.to_parent(i, mc[i]);
            mass[l.parent] += mass[i];
            I[l.parent] += k.tensor_to_parent(i, I[i]) + parallel_axes(d[i], mc_p, mass[i]);
            mc[l.parent] += mc_p + d[i] * mass[i];
        }
    }

  private:
    // The origin of a turning link may lie anywhere on its axis: there, the offset of its first child has no
    // component along the axis.
    void shift_origins()
    {
        for (int i = n - 1; i >= 0; --i) {
            shift[i] = Vector3<S>(S(0), S(0), S(0));
            at[i] = k.data.links[i].at;
            if (k.m.links()[i].joint.kind != ElementaryJoint::revolute) continue;
            const int axis = k.data.tree.links[i].axis;
            for (int j = i + 1; j < n; ++j)
                if (k.m.links()[j].parent == i) {
                    shift[i][axis] = at[j][axis];
                    break;
                }
            at[i] += constant_times<S>(k.data.tree.links[i].A, shift[i]);
        }
        for (int i = 0; i < n; ++i)
            if (const int p = k.m.links()[i].parent; p >= 0) at[i] -= shift[p];
    }

    // Inertias as the joints see them, in the axes D of the links. What moves with the parent whatever the
    // joint does is given to the parent:
    //
    //   weld     everything
    //   slide    the tensor
    //   turn     the mass, the moment along the axis e, and y (1 - e e^T) of the tensor
    //   ball     the mass
    //
    // y is a diagonal term across the axis, which so becomes zero.
    void regroup()
    {
        for (int i = 0; i < n; ++i) {
            const LinkData<S>& l = k.data.links[i];
            const Eigen::Matrix3d& D = k.data.tree.links[i].D;
            const Vector3<S> com = constant_times<S>(D, l.com) - shift[i], none(S(0), S(0), S(0));
            own[i] = {l.mass, com * l.mass,
                      constant_rotation(D, l.inertia) + parallel_axes(com, none, l.mass)};
        }
        for (int i = n - 1; i >= 0; --i) {
            const Tree::Link& t = k.data.tree.links[i];
            const Vector3<S> zero(S(0), S(0), S(0));
            RigidInertia rest{S(0), zero, Matrix3<S>::Constant(S(0))}, &all = own[i];
            switch (k.m.links()[i].joint.kind) {
            case ElementaryJoint::fixed:
                break;
            case ElementaryJoint::spherical:
                rest.mc = all.mc;
                rest.I = all.I;
                break;
            case ElementaryJoint::prismatic:
                rest.mass = all.mass;
                rest.mc = all.mc;
                break;
            case ElementaryJoint::revolute: {
                const int y = (t.axis + 2) % 3;
                rest.mc = all.mc;
                rest.mc[t.axis] = S(0);
                rest.I = all.I;
                for (int j = 0; j < 3; ++j)
                    if (j != t.axis) rest.I(j, j) -= all.I(y, y);
                break;
            }
            }
            if (const int p = k.m.links()[i].parent; p >= 0) {
                const S moved = all.mass - rest.mass;
                const Vector3<S> moment = constant_times<S>(t.A, all.mc - rest.mc);
                own[p].mass += moved;
                own[p].mc += moment + at[i] * moved;
                own[p].I +=
                    constant_rotation(t.A, (all.I - rest.I).eval()) + parallel_axes(at[i], moment, moved);
            }
            own[i] = rest;
        }
    }

    static Matrix3<S> constant_rotation(const Eigen::Matrix3d& R, const Matrix3<S>& J)
    {
        if (R.isIdentity(0)) return J;
        const Matrix3<S> Rs = scalar_matrix<S>(R);
        return Rs * J * Rs.transpose();
    }

    // What the tensor about a point gains when the point moves by -x; y = mc before:
    //
    //     m (x.x 1 - x x^T) + 2 x.y 1 - x y^T - y x^T
    static Matrix3<S> parallel_axes(const Vector3<S>& x, const Vector3<S>& y, const S& m)
    {
        const Vector3<S> mx = x * m;
        Matrix3<S> J;
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, l = (i + 2) % 3;
            J(i, i) = (x[j] * mx[j] + x[l] * mx[l]) + S(2) * (x[j] * y[j] + x[l] * y[l]);
            J(j, l) = J(l, j) = -(x[j] * (mx[l] + y[l]) + x[l] * y[j]);
        }
        return J;
    }
    // I w' + w x I w, by the elements of B = w'~ + w~ w~
    static Vector3<S> torque(const Matrix3<S>& I, const Matrix3<S>& B, const Vector3<S>& w,
                             const Vector3<S>& wd)
    {
        Vector3<S> out;
        for (int x = 0; x < 3; ++x) {
            const int y = (x + 1) % 3, z = (x + 2) % 3;
            out[x] = I(x, x) * wd[x] + (I(z, z) - I(y, y)) * (w[y] * w[z]) + I(y, z) * (B(y, y) - B(z, z)) -
                     I(x, y) * B(z, x) + I(x, z) * B(y, x);
        }
        return out;
    }
    // w'~ + w~ w~
    static Matrix3<S> rate_matrix(const Vector3<S>& w, const Vector3<S>& wd)
    {
        const S xx = w[0] * w[0], yy = w[1] * w[1], zz = w[2] * w[2], xy = w[0] * w[1], xz = w[0] * w[2],
                yz = w[1] * w[2];
        Matrix3<S> out;
        out << -(yy + zz), xy - wd[2], xz + wd[1], xy + wd[2], -(xx + zz), yz - wd[0], xz - wd[1], yz + wd[0],
            -(xx + yy);
        return out;
    }

    struct RigidInertia {
        S mass;
        Vector3<S> mc; // mass times position of the centre of mass
        Matrix3<S> I;  // about the link's origin
    };

    Kinematics<S>& k;
    int n;
    std::vector<RigidInertia> own; // constant, in axes D
    std::vector<Vector3<S>> shift; // of the origin along the axis, in axes D as in the working frame
    std::vector<Vector3<S>> at;    // offsets between shifted origins, in the parent's axes D
    std::vector<Vector3<S>> d;     // the same in the parent's working frame, with the slide
    std::vector<S> mass;
    std::vector<Vector3<S>> mc;
    std::vector<Matrix3<S>> I;
    std::vector<Vector3<S>> omega, omega_dot, a, F, N;
    std::vector<Matrix3<S>> B;
};

} // namespace tamis
