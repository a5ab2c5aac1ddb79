// The finite-volume C0 beam: Ghiringhelli, Masarati, Mantegazza (2000), AIAA J. 38(1), 131-138.
//
// Nodes 1, 2, 3 at xi = -1, 0, 1; the sections there have the orientation D_k. With the parabolas N_k,
// N_k(xi_j) = delta_kj, and ()' = d/ds, ds = L/2 dxi:
//
//     p(xi) = sum N_k x_k,   phi(xi) = sum N_k phi_k,   exp phi_k = D_2^T D_k,   D = D_2 exp phi
//     strain   gamma = D^T p',   kappa = D^T k,   k = D_2 T(phi) phi',   both less their values without load
//     section  (F, M) = D C [(gamma, kappa) + tau d/dt (gamma, kappa)],   C the stiffness, tau the damping
//
// are evaluated at xi = -1/sqrt 3 and 1/sqrt 3, where the derivative of a parabola through three points of a
// cubic is that of the cubic. The two points cut the element into the portions of its nodes, and equilibrium
// is that of portions: the part ahead of a cut at p acts with (F, M) on the part behind, with the opposite on
// the part ahead, so the node k behind it carries F and M + (p - x_k) x F. Forces and moments of the three
// nodes balance whatever the strain. The tangent is not symmetric, so that energy is kept only to the order
// of the mesh, and where elements are not much longer than the section is high, consistent mass and rigid
// portions have modes that grow, by up to 2 % of their circular frequency; these lie near sqrt(G A / inertia)
// and above. Steps that do not resolve them damp them if rho_inf < 1; else some damping tau is needed. With
// the mass in the nodes none were found.
//
// Variations, with theta_k of the nodes and theta of the section at xi, in world axes (T as in
// rotation.hpp, T'(b) its derivative along b):
//
//     dphi_k = P_k (theta_k - theta_2),   P_k = T(phi_k)^-1 D_2^T
//     theta  = theta_2 + D_2 T dphi,      theta' = D_2 (T dphi' + T'(phi') dphi)
//     dgamma = D^T (dp' + p' x theta),    dkappa = D^T theta'
//
// Rates are the same with (v_k, omega_k) for (dx_k, theta_k); their own variations at fixed (v_k, omega_k):
//
//     d(dphi_k/dt) = P_k [(omega_k - omega_2) x theta_2] - T_k^-1 T_k'(dphi_k) dphi_k/dt
//     d omega      = theta_2 x (omega - omega_2) + D_2 [T'(dphi) dphi/dt + T d(dphi/dt)]
//     d omega'     = theta_2 x omega' + D_2 d[T dphi'/dt + T'(phi') dphi/dt]
//     d(dgamma/dt) = D^T [(v' - omega x p') x theta - omega x dp' + p' x d omega]
//     d(dkappa/dt) = D^T [omega' x theta + d omega']
//
// Mass: a portion has the momentum, about its node, of the interpolated motion. (With the symmetric matrix of
// the shape functions frequencies would converge with order two; with this one they do so with order four.)
//
//     inertia   sum_j m_k,j (a_j - g),   sum_ij c_k,ij (x_i - x_k) x (a_j - g),
//               c_k,ij = rho A int over the portion of N_i N_j ds,   m_k,j = sum_i c_k,ij
//
// Departures from the source: this mass, where the source has rigid portions (an option of beam_layout.hpp);
// rotation vectors in place of Gibbs-Rodrigues parameters, so that constant curvature and twist are exact
// however large; no offsets between nodes and the beam's axis.
#include "tamis/model/beam.hpp"

#include "tamis/base/error.hpp"
#include "tamis/model/rotation.hpp"

#include <Eigen/LU>
#include <cmath>

namespace tamis {

using Eigen::Matrix3d, Eigen::Vector3d;

namespace {

constexpr int points = 2, middle = 1;
using Rows3 = Eigen::Matrix<double, 3, 18>; // by (dx, theta) of the nodes
using Rows6 = Eigen::Matrix<double, 6, 18>;

double xi(int point)
{
    return (point == 0 ? -1 : 1) / std::sqrt(3.0);
}
Vector3d shape(double xi)
{
    return {xi * (xi - 1) / 2, 1 - xi * xi, xi * (xi + 1) / 2};
}
Vector3d shape_slope(double xi)
{
    return {xi - 0.5, -2 * xi, xi + 0.5};
}

} // namespace

// What both points need to know.
struct Beam::Nodes {
    std::span<const NodeMotion> motion;
    Matrix3d D;                         // of the middle node
    std::array<RotationVector, 3> turn; // phi_k
    std::array<Matrix3d, 3> P;          // dphi_k = P_k (theta_k - theta_2)
    std::array<Vector3d, 3> rate;       // dphi_k/dt
};
struct Beam::Point {
    Vector3d N, slope; // dN/ds
    Vector3d p, p_s, phi_s;
    RotationVector turn; // phi
    Matrix3d D;
    Vector6 strain;
};

Beam::Beam(std::string name, const std::array<int, 3>& nodes, const std::array<Pose, 3>& at,
           const Matrix3d& axes, const BeamSection& section, const BeamOptions& options)
    : Element(std::move(name), {nodes.begin(), nodes.end()}), half_length_((at[2].p - at[0].p).norm() / 2),
      section_(section), options_(options)
{
    if (!(half_length_ > 0) || !std::isfinite(half_length_))
        fail("Beam '{}' has an element without length: place its ends apart.", this->name());
    if ((at[0].p + at[2].p - 2 * at[1].p).norm() > 1e-9 * half_length_)
        fail("Beam '{}' has a node that is not in the middle of its element.", this->name());
    std::array<NodeMotion, 3> start;
    for (int k = 0; k < 3; ++k) {
        axes_[k] = at[k].R.transpose() * axes;
        start[k].R = at[k].R;
        start[k].x = at[k].p;
    }
    const Nodes reference = kinematics(start);
    for (int i = 0; i < points; ++i) unloaded_[i] = point(reference, i).strain;
    if (!options.mass) return;
    const double cut[] = {-1, xi(0), xi(1), 1};
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) { // three points of Gauss: exact for the product of two parabolas
            const double reach = (cut[k + 1] - cut[k]) / 2, gauss = std::sqrt(0.6) * (i - 1);
            const Vector3d N = shape(cut[k] + reach * (1 + gauss));
            mass_[k] += section.mass * half_length_ * reach * (i == 1 ? 8 : 5) / 9 * N * N.transpose();
        }
}

Beam::Nodes Beam::kinematics(std::span<const NodeMotion> motion) const
{
    const Matrix3d D = motion[middle].R * axes_[middle];
    auto turn = [&](int k) { return RotationVector::log(D.transpose() * motion[k].R * axes_[k]); };
    Nodes at{motion, D, {turn(0), RotationVector(Vector3d::Zero()), turn(2)}, {}, {}};
    for (int k = 0; k < 3; ++k) {
        at.P[k] = at.turn[k].T().inverse() * D.transpose();
        at.rate[k] = at.P[k] * (motion[k].omega - motion[middle].omega);
    }
    return at;
}

Beam::Point Beam::point(const Nodes& at, int i) const
{
    const Vector3d N = shape(xi(i)), slope = shape_slope(xi(i)) / half_length_;
    Vector3d p = Vector3d::Zero(), p_s = p, phi = p, phi_s = p;
    for (int k = 0; k < 3; ++k) {
        p += N[k] * at.motion[k].x;
        p_s += slope[k] * at.motion[k].x;
        phi += N[k] * at.turn[k].phi();
        phi_s += slope[k] * at.turn[k].phi();
    }
    const RotationVector turn(phi);
    Point point{N, slope, p, p_s, phi_s, turn, at.D * turn.exp(), {}};
    point.strain.head<3>() = point.D.transpose() * p_s;
    point.strain.tail<3>() = turn.T().transpose() * phi_s; // exp(-phi) T = T^T
    point.strain -= unloaded_[i];
    return point;
}

// On the node behind the point with the plus sign, on the one ahead with the minus sign.
Beam::Load Beam::add_load(const Nodes& at, int i, const Point& q, const Vector6& strain,
                          ElementTerms& terms) const
{
    const Vector6 load = section_.stiffness * strain;
    const Vector3d F = q.D * load.head<3>(), M = q.D * load.tail<3>();
    for (int side : {0, 1}) {
        const int k = i + side;
        const double sign = side == 0 ? -1 : 1; // r is minus the force
        terms.r.segment<3>(6 * k) += sign * F;
        terms.r.segment<3>(6 * k + 3) += sign * (M + (q.p - at.motion[k].x).cross(F));
    }
    return {F, M};
}

void Beam::add_point(const Nodes& at, int i, ElementTerms& terms, bool tangent) const
{
    const Point q = point(at, i);
    const double tau = options_.damping;
    if (!tangent && tau == 0) {
        add_load(at, i, q, q.strain, terms);
        return;
    }
    const Matrix3d D_T = q.D.transpose(), T = q.turn.T(), T_s = q.turn.T_along(q.phi_s);

    // dp, dp', theta, theta' and the strain, by (dx, theta) of the nodes.
    Rows3 dp, dp_s, theta, theta_s;
    for (int k = 0; k < 3; ++k) {
        dp.middleCols<6>(6 * k) << q.N[k] * Matrix3d::Identity(), Matrix3d::Zero();
        dp_s.middleCols<6>(6 * k) << q.slope[k] * Matrix3d::Identity(), Matrix3d::Zero();
    }
    theta.setZero();
    theta_s.setZero();
    theta.middleCols<3>(6 * middle + 3).setIdentity();
    // A map from theta_k - theta_2.
    auto add_relative = [](Rows3& rows, int k, const Matrix3d& map) {
        rows.middleCols<3>(6 * k + 3) += map;
        rows.middleCols<3>(6 * middle + 3) -= map;
    };
    for (int k : {0, 2}) {
        add_relative(theta, k, q.N[k] * at.D * T * at.P[k]);
        add_relative(theta_s, k, at.D * (q.slope[k] * T + q.N[k] * T_s) * at.P[k]);
    }
    Rows6 B, B_rate; // B_rate: of the rate of strain
    B.topRows<3>().noalias() = D_T.lazyProduct(dp_s + cross_matrix(q.p_s).lazyProduct(theta));
    B.bottomRows<3>().noalias() = D_T.lazyProduct(theta_s);
    Vector6 strain = q.strain;

    if (tau > 0) {
        Vector3d v_s = Vector3d::Zero(), rate = v_s, rate_s = v_s;
        for (int k = 0; k < 3; ++k) {
            v_s += q.slope[k] * at.motion[k].v;
            rate += q.N[k] * at.rate[k];
            rate_s += q.slope[k] * at.rate[k];
        }
        const Vector3d relative = at.D * (T * rate), omega = at.motion[middle].omega + relative;
        const Vector3d omega_s = at.D * (T * rate_s + T_s * rate), gamma_t = v_s - omega.cross(q.p_s);
        strain.head<3>() += tau * (D_T * gamma_t);
        strain.tail<3>() += tau * (D_T * omega_s);
        if (tangent) {
            Rows3 domega = Rows3::Zero(), domega_s = Rows3::Zero();
            domega.middleCols<3>(6 * middle + 3) = -cross_matrix(relative);
            domega_s.middleCols<3>(6 * middle + 3) = -cross_matrix(omega_s);
            const Matrix3d dT = q.turn.dT(rate), ddT = q.turn.dT(rate_s) + q.turn.ddT(rate, q.phi_s);
            for (int k : {0, 2}) {
                // d(dphi_k/dt) = A (theta_k - theta_2) + P_k W theta_2
                const Matrix3d A = -at.P[k] * at.D * at.turn[k].dT(at.rate[k]) * at.P[k];
                const Matrix3d W = cross_matrix(at.motion[k].omega - at.motion[middle].omega);
                const Matrix3d slow = at.D * T * q.N[k], fast = at.D * (q.slope[k] * T + q.N[k] * T_s);
                add_relative(domega, k, q.N[k] * at.D * dT * at.P[k] + slow * A);
                domega.middleCols<3>(6 * middle + 3) += slow * at.P[k] * W;
                add_relative(domega_s, k, at.D * (q.N[k] * ddT + q.slope[k] * dT) * at.P[k] + fast * A);
                domega_s.middleCols<3>(6 * middle + 3) += fast * at.P[k] * W;
            }
            B_rate.topRows<3>().noalias() = D_T.lazyProduct(cross_matrix(gamma_t).lazyProduct(theta) -
                                                            cross_matrix(omega).lazyProduct(dp_s) +
                                                            cross_matrix(q.p_s).lazyProduct(domega));
            B_rate.bottomRows<3>().noalias() =
                D_T.lazyProduct(cross_matrix(omega_s).lazyProduct(theta) + domega_s);
        }
    }

    const auto [F, M] = add_load(at, i, q, strain, terms);
    if (!tangent) return;
    Rows6 dload = B;
    if (tau > 0) dload += tau * B_rate;
    dload = section_.stiffness.lazyProduct(dload).eval();
    const Rows3 dF = q.D.lazyProduct(dload.topRows<3>()) - cross_matrix(F).lazyProduct(theta);
    const Rows3 dM = q.D.lazyProduct(dload.bottomRows<3>()) - cross_matrix(M).lazyProduct(theta);
    if (tau > 0) dload = tau * section_.stiffness.lazyProduct(B);
    for (int side : {0, 1}) {
        const int k = i + side;
        const double sign = side == 0 ? -1 : 1;
        const Matrix3d arm = cross_matrix(q.p - at.motion[k].x);
        terms.K.middleRows<3>(6 * k) += sign * dF;
        terms.K.middleRows<3>(6 * k + 3) +=
            sign * (dM + arm.lazyProduct(dF) - cross_matrix(F).lazyProduct(dp));
        terms.K.block<3, 3>(6 * k + 3, 6 * k) += sign * cross_matrix(F);
        if (tau > 0) {
            const Rows3 dF_t = q.D.lazyProduct(dload.topRows<3>());
            terms.C.middleRows<3>(6 * k) += sign * dF_t;
            terms.C.middleRows<3>(6 * k + 3) +=
                sign * (q.D.lazyProduct(dload.bottomRows<3>()) + arm.lazyProduct(dF_t));
        }
    }
}

void Beam::add(const ElementState& state, ElementTerms& terms, bool tangent) const
{
    const Nodes at = kinematics(state.nodes);
    for (int i = 0; i < points; ++i) add_point(at, i, terms, tangent);
    if (!options_.mass) return;
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j) {
            const double m = mass_[k].col(j).sum();
            Vector3d arm = -m * state.nodes[k].x; // sum_i c_k,ij (x_i - x_k)
            for (int i = 0; i < 3; ++i) arm += mass_[k](i, j) * state.nodes[i].x;
            const Vector3d a = state.nodes[j].a - options_.gravity;
            terms.r.segment<3>(6 * k) += m * a;
            terms.r.segment<3>(6 * k + 3) += arm.cross(a);
            if (!tangent) continue;
            terms.M.block<3, 3>(6 * k, 6 * j).diagonal().array() += m;
            terms.M.block<3, 3>(6 * k + 3, 6 * j) += cross_matrix(arm);
            terms.K.block<3, 3>(6 * k + 3, 6 * k) += m * cross_matrix(a);
            for (int i = 0; i < 3; ++i)
                terms.K.block<3, 3>(6 * k + 3, 6 * i) -= mass_[k](i, j) * cross_matrix(a);
        }
}

Energy Beam::energy(const ElementState& state) const
{
    Energy energy;
    for (const Vector6& e : strain(state.nodes))
        energy.potential += half_length_ / 2 * e.dot(section_.stiffness * e);
    const Matrix3d mass = mass_[0] + mass_[1] + mass_[2];
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j) {
            energy.kinetic += mass(k, j) * state.nodes[k].v.dot(state.nodes[j].v) / 2;
            energy.potential -= mass(k, j) * options_.gravity.dot(state.nodes[j].x);
        }
    return energy;
}

std::array<Beam::Vector6, 2> Beam::strain(std::span<const NodeMotion> nodes) const
{
    const Nodes at = kinematics(nodes);
    return {point(at, 0).strain, point(at, 1).strain};
}

} // namespace tamis
