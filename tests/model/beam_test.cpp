#include "tamis/model/beam.hpp"

#include "allocations.hpp"
#include "model/random_motion.hpp"
#include "tamis/model/rotation.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace beam_test {

using namespace tamis;
using Eigen::Matrix3d, Eigen::Vector3d;
using std::numbers::pi;

namespace {

// Everything coupled with everything.
BeamSection coupled_section()
{
    BeamSection section = beam_section({900, 300, 250, 20, 15, 25}, 1.3, {0.02, 0.01, 0.01});
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
            if (i != j) section.stiffness(i, j) = 3.0 / (1 + std::abs(i - j));
    return section;
}

// Straight along x in its own axes; the nodes have axes of their own.
struct Single {
    RandomVectors random;
    Pose place{random.rotation(2), random.vector(3)};
    std::array<Pose, 3> at;
    std::array<NodeMotion, 3> nodes;
    Single()
    {
        for (int k = 0; k < 3; ++k) {
            at[k] = {random.rotation(2), place * Vector3d(0.4 * k, 0, 0)};
            nodes[k].x = at[k].p;
            nodes[k].R = at[k].R;
        }
    }
    Beam beam(const BeamOptions& options = {}) const
    {
        return Beam("beam", {0, 1, 2}, at, place.R, coupled_section(), options);
    }
    void deform(double size)
    {
        for (NodeMotion& n : nodes) {
            n.x += random.vector(0.3 * size);
            n.R = random.rotation(size) * n.R;
        }
    }
    void move()
    {
        for (NodeMotion& n : nodes)
            for (Vector3d* rate : {&n.v, &n.omega, &n.a, &n.alpha}) *rate = random.vector(2);
    }
};

ElementTerms terms_of(const Beam& beam, std::span<const NodeMotion> nodes, bool tangent = true)
{
    ElementTerms terms;
    terms.resize(3, 0);
    beam.add({.nodes = nodes}, terms, tangent);
    return terms;
}

} // namespace

TEST(Beam, RigidMotionGivesNoForce)
{
    Single s;
    const Beam beam = s.beam({.damping = 0.1, .mass = false});
    const Matrix3d Q = s.random.rotation(3);
    const Vector3d shift = s.random.vector(10), v = s.random.vector(1), omega = s.random.vector(1);
    for (NodeMotion& n : s.nodes) {
        n.x = Q * n.x + shift;
        n.R = Q * n.R;
        n.v = v + omega.cross(n.x);
        n.omega = omega;
    }
    // Strains of a few units of rounding, times a stiffness of 1000.
    EXPECT_LT(terms_of(beam, s.nodes).r.norm(), 1e-11);
}

TEST(Beam, ForcesTurnWithASuperposedRotation)
{
    Single s;
    const Beam beam = s.beam({.damping = 0.1, .mass = false});
    s.deform(0.8);
    s.move();
    const Eigen::VectorXd before = terms_of(beam, s.nodes).r;
    ASSERT_GT(before.norm(), 10);
    const Matrix3d Q = s.random.rotation(3);
    const Vector3d shift = s.random.vector(10), spin = s.random.vector(1);
    for (NodeMotion& n : s.nodes) {
        n.x = Q * n.x + shift;
        n.R = Q * n.R;
        n.v = Q * n.v + spin.cross(n.x);
        n.omega = Q * n.omega + spin;
    }
    const Eigen::VectorXd after = terms_of(beam, s.nodes).r;
    for (int k = 0; k < 6; ++k)
        EXPECT_LT((after.segment<3>(3 * k) - Q * before.segment<3>(3 * k)).norm(), 1e-12 * before.norm());
}

TEST(Beam, ForcesBalanceWhateverTheStrain)
{
    Single s;
    s.deform(1);
    const Eigen::VectorXd r = terms_of(s.beam(), s.nodes).r;
    Vector3d force = Vector3d::Zero(), moment = force;
    for (int k = 0; k < 3; ++k) {
        force += r.segment<3>(6 * k);
        moment += r.segment<3>(6 * k + 3) + s.nodes[k].x.cross(r.segment<3>(6 * k));
    }
    EXPECT_LT(force.norm(), 1e-14 * r.norm());
    EXPECT_LT(moment.norm(), 1e-13 * r.norm());
}

TEST(Beam, DerivativesAreExactAtLargeStrains)
{
    Single s;
    const Beam beam = s.beam({.damping = 0.3, .gravity = {1, 2, 3}});
    const auto straight = s.nodes;
    for (int trial = 0; trial < 20; ++trial) {
        s.nodes = straight;
        s.deform(0.9);
        s.move();
        expect_exact_derivatives(beam, {s.nodes.begin(), s.nodes.end()});
    }
}

TEST(Beam, ConstantStretchAndShearAreExactAndInBalance)
{
    Single s;
    const Beam beam = s.beam();
    Beam::Vector6 strain;
    strain << 0.3, -0.2, 0.25, 0, 0, 0;
    for (int k = 0; k < 3; ++k) s.nodes[k].x = s.place * (0.4 * k * (Vector3d::UnitX() + strain.head<3>()));
    for (const Beam::Vector6& e : beam.strain(s.nodes)) EXPECT_LT((e - strain).norm(), 1e-14);
    const Beam::Vector6 load = coupled_section().stiffness * strain;
    const Eigen::VectorXd r = terms_of(beam, s.nodes).r;
    EXPECT_LT((r.head<3>() + s.place.R * load.head<3>()).norm(), 1e-11);
    EXPECT_LT((r.segment<3>(12) - s.place.R * load.head<3>()).norm(), 1e-11);
    EXPECT_LT(r.segment<3>(6).norm(), 1e-11); // no load in the field
}

TEST(Beam, ConstantStretchAndTwistAreExactHoweverLarge)
{
    Single s;
    const Beam beam = s.beam();
    Beam::Vector6 strain;
    strain << 0.3, 0, 0, 3.5, 0, 0;
    for (int k = 0; k < 3; ++k) {
        s.nodes[k].x = s.place * Vector3d(0.4 * k * 1.3, 0, 0);
        s.nodes[k].R =
            s.place.R * RotationVector(0.4 * k * strain.tail<3>()).exp() * s.place.R.transpose() * s.at[k].R;
    }
    for (const Beam::Vector6& e : beam.strain(s.nodes)) EXPECT_LT((e - strain).norm(), 1e-14);
}

TEST(Beam, ConstantCurvatureIsExactHoweverLarge)
{
    Single s;
    const Beam beam = s.beam();
    const Vector3d kappa = s.random.vector(2);
    for (int k = 0; k < 3; ++k)
        s.nodes[k].R = s.place.R * RotationVector(0.4 * k * kappa).exp() * s.place.R.transpose() * s.at[k].R;
    for (const Beam::Vector6& e : beam.strain(s.nodes)) EXPECT_LT((e.tail<3>() - kappa).norm(), 1e-14);
}

namespace {

// A cantilever along x, clamped at the first node; its loads act on the last one.
class Cantilever {
  public:
    Cantilever(int elements, double length, const BeamSection& section, const BeamOptions& options = {})
    {
        const double dx = length / (2 * elements);
        for (int k = 0; k < 2 * elements + 1; ++k) nodes.emplace_back().x = {k * dx, 0, 0};
        for (int e = 0; e < elements; ++e) {
            std::array<Pose, 3> at;
            for (int k = 0; k < 3; ++k) at[k].p = nodes[2 * e + k].x;
            beams.emplace_back("beam", std::array{2 * e, 2 * e + 1, 2 * e + 2}, at, Matrix3d::Identity(),
                               section, options);
        }
    }
    // r, K and M of the free nodes.
    ElementTerms assemble() const
    {
        ElementTerms all, one;
        all.resize(static_cast<int>(nodes.size()), 0);
        one.resize(3, 0);
        for (std::size_t e = 0; e < beams.size(); ++e) {
            one.clear();
            beams[e].add({.nodes = std::span(nodes).subspan(2 * e, 3)}, one, true);
            all.r.segment<18>(12 * e) += one.r;
            all.K.block<18, 18>(12 * e, 12 * e) += one.K;
            all.M.block<18, 18>(12 * e, 12 * e) += one.M;
        }
        const auto free = all.r.size() - 6;
        return {
            all.r.tail(free), all.K.bottomRightCorner(free, free), {}, all.M.bottomRightCorner(free, free)};
    }
    // Equilibrium with force and moment on the tip, by Newton's method, the load in `steps` equal parts.
    void bend(const Vector3d& force, const Vector3d& moment, int steps)
    {
        for (int s = 1; s <= steps; ++s)
            for (int iteration = 0;; ++iteration) {
                ASSERT_LT(iteration, 30);
                ElementTerms system = assemble();
                system.r.tail<6>().head<3>() -= force * s / steps;
                system.r.tail<3>() -= moment * s / steps;
                const Eigen::VectorXd d = system.K.lu().solve(-system.r);
                for (std::size_t k = 1; k < nodes.size(); ++k) {
                    nodes[k].x += d.segment<3>(6 * (k - 1));
                    nodes[k].R = RotationVector(d.segment<3>(6 * (k - 1) + 3)).exp() * nodes[k].R;
                }
                if (d.norm() < 1e-9) break;
            }
    }
    const NodeMotion& tip() const { return nodes.back(); }

    std::vector<NodeMotion> nodes;
    std::vector<Beam> beams;
};

// Slender: shear and stretch are negligible beside bending about z, of stiffness 1.
BeamSection slender_section()
{
    return beam_section({1e8, 1e8, 1e8, 1, 1, 1}, 1, {0, 0, 0});
}

// Deflection (u, w) and slope of the tip of an inextensible cantilever of unit length and stiffness under a
// force P across. The slope has theta'^2 = 2 P (sin theta_0 - sin theta), theta_0 at the tip; with k =
// sin(pi/4 + theta_0/2) and sin phi_1 = 1 / (k sqrt 2), sqrt P = K(k) - F(phi_1, k).
Vector3d elastica(double P)
{
    auto length = [](double k) {
        return std::comp_ellint_1(k) - std::ellint_1(k, std::asin(1 / (k * std::sqrt(2.0))));
    };
    double low = std::sqrt(0.5), high = 1;
    while (high - low > 1e-16) {
        const double k = (low + high) / 2;
        if (k == low || k == high) break;
        (length(k) < std::sqrt(P) ? low : high) = k;
    }
    const double k = low, phi = std::asin(1 / (k * std::sqrt(2.0)));
    const double w = 1 - 2 * (std::comp_ellint_2(k) - std::ellint_2(k, phi)) / std::sqrt(P);
    const double x = std::sqrt(2 * (2 * k * k - 1) / P);
    return {1 - x, w, 2 * (std::asin(k) - pi / 4)};
}

} // namespace

// Mattiasson (1981), Int. J. Numer. Methods Eng. 17(1), doi 10.1002/nme.1620170113.
TEST(Elastica, HasTheTabulatedDeflections)
{
    const double table[][3] = {
        {1, 0.30172, 0.05643}, {2, 0.49346, 0.16064}, {5, 0.71379, 0.38763}, {10, 0.81061, 0.55500}};
    for (const auto& [P, w, u] : table) {
        EXPECT_NEAR(elastica(P)[1], w, 5.1e-6);
        EXPECT_NEAR(elastica(P)[0], u, 5.1e-6);
    }
}

TEST(Beam, LargeDeflectionConvergesToTheElasticaWithOrderFour)
{
    for (double P : {1.0, 2.0, 5.0, 10.0}) {
        const Vector3d exact = elastica(P);
        Vector3d error[2];
        for (int k : {0, 1}) {
            Cantilever c(4 << k, 1, slender_section());
            c.bend({0, P, 0}, {0, 0, 0}, 4);
            const Matrix3d& R = c.tip().R;
            error[k] = Vector3d(1 - c.tip().x[0], c.tip().x[1], std::atan2(R(1, 0), R(0, 0))) - exact;
        }
        EXPECT_LT(error[1].norm(), std::pow(exact[2] / 16, 4)) << P; // a node turns by about exact[2] / 16

        EXPECT_NEAR(std::log2(error[0].norm() / error[1].norm()), 4, 0.1) << P;
    }
}

// By an end moment M a straight beam becomes an arc of the radius 1 / M.
TEST(Beam, EndMomentRollsItUpIntoACircle)
{
    for (double M : {pi, 1.5 * pi, 2 * pi}) {
        double error[2];
        for (int k : {0, 1}) {
            const int n = 4 << k;
            Cantilever c(n, 1, slender_section());
            c.bend({0, 0, 0}, {0, 0, M}, 16);
            EXPECT_LT((c.tip().R - Eigen::AngleAxisd(M, Vector3d::UnitZ()).matrix()).norm(), 1e-12);
            // At the quarter, since by symmetry the full circle closes exactly.
            const double angle = M / 4;
            error[k] = (c.nodes[n / 2].x - Vector3d(std::sin(angle), 1 - std::cos(angle), 0) / M).norm();
            EXPECT_LT(c.tip().x.norm(), M == 2 * pi ? 1e-12 : 1);
        }
        EXPECT_LT(error[1], 1e-7 * std::pow(M, 4));
        EXPECT_NEAR(std::log2(error[0] / error[1]), 4, 0.1);
    }
}

TEST(Beam, DampingIsProportionalToStiffness)
{
    Single s;
    const ElementTerms terms = terms_of(s.beam({.damping = 0.3, .mass = false}), s.nodes);
    EXPECT_LT((terms.C - 0.3 * terms.K).norm(), 1e-13 * terms.K.norm());
}

TEST(Beam, AddingItsTermsAllocatesNothing)
{
    Single s;
    s.deform(0.5);
    const Beam beam = s.beam({.damping = 0.1});
    ElementTerms terms;
    terms.resize(3, 0);
    const long before = allocations;
    beam.add({.nodes = s.nodes}, terms, true);
    EXPECT_EQ(allocations, before);
}

} // namespace beam_test
