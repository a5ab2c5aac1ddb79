// Mass matrix and bias against mechanics that knows nothing of the recursion: closed forms, kinetic energy,
// Lagrange's equations, virtual work.
#include "tamis/mbs_symbolic/newton_euler.hpp"

#include "mbs_symbolic/gallery.hpp"

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

namespace tamis::gallery::newton_euler_test {
namespace {

using Rows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

struct Dynamics {
    Eigen::MatrixXd M;
    Eigen::VectorXd c;
};
Dynamics dynamics(NumericEquations& f, const Mechanism& m, const Sample& x)
{
    const Eigen::VectorXd out = value(f, m, Quantity::dynamics, x);
    const int nv = m.nv();
    return {Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(out.data(), nv, nv),
            out.tail(nv)};
}

// A mechanism without loads and other frames, with one frame at each centre of mass.
class Masses {
  public:
    explicit Masses(const Mechanism& described) : m_(described), first_(static_cast<int>(m_.frames().size()))
    {
        for (const Mechanism::BodyRecord& b : m_.bodies())
            m_.add_frame(b.name + " com", m_.body(b.name), m_.links()[b.link].com);
        frames_ = std::make_unique<NumericEquations>(m_);
    }
    double kinetic_energy(const Sample& x) const
    {
        return sum(x, [&](const Mechanism::Link& l, double mass, const double* frame) {
            const Eigen::Matrix3d R = Eigen::Map<const Rows>(frame + 3);
            const Eigen::Vector3d v(frame + 12), omega = R.transpose() * Eigen::Vector3d(frame + 15);
            Eigen::Matrix3d I;
            for (int i = 0; i < 9; ++i) I(i) = m_.value(l.inertia(i));
            return 0.5 * mass * v.squaredNorm() + 0.5 * omega.dot(I * omega);
        });
    }
    double potential_energy(const Sample& x) const
    {
        const Vector& g = m_.gravity();
        return sum(x, [&](const Mechanism::Link&, double mass, const double* p) {
            return -mass * (m_.value(g[0]) * p[0] + m_.value(g[1]) * p[1] + m_.value(g[2]) * p[2]);
        });
    }

  private:
    template <class Term>
    double sum(const Sample& x, Term term) const
    {
        const Eigen::VectorXd out = value(*frames_, m_, Quantity::frames, x);
        double total = 0;
        for (std::size_t b = 0; b < m_.bodies().size(); ++b) {
            const Mechanism::Link& l = m_.links()[m_.bodies()[b].link];
            total += term(l, m_.value(l.mass), &out[18 * (first_ + b)]);
        }
        return total;
    }

    Mechanism m_;
    int first_;
    std::unique_ptr<NumericEquations> frames_;
};

TEST(NewtonEuler, DoublePendulumMatchesItsTextbookEquations)
{
    const double m1 = 1.2, l1 = 0.8, a1 = 0.3, I1 = 0.05, m2 = 0.9, a2 = 0.25, I2 = 0.03, g = 9.81;
    const Mechanism m = double_pendulum(m1, l1, a1, I1, m2, a2, I2, g);
    NumericEquations f(m);
    for (int seed = 0; seed < 20; ++seed) {
        const Sample x = random_sample(m, seed);
        const double q1 = x.q[0], q2 = x.q[1], v1 = x.v[0], v2 = x.v[1];
        const double k = m2 * l1 * a2;
        Eigen::Matrix2d M;
        M(1, 1) = I2 + m2 * a2 * a2;
        M(0, 1) = M(1, 0) = M(1, 1) + k * std::cos(q2);
        M(0, 0) = I1 + m1 * a1 * a1 + m2 * l1 * l1 + M(1, 1) + 2 * k * std::cos(q2);
        const double lower = m2 * a2 * g * std::cos(q1 + q2);
        const Eigen::Vector2d c(-k * std::sin(q2) * (2 * v1 + v2) * v2 +
                                    (m1 * a1 + m2 * l1) * g * std::cos(q1) + lower,
                                k * std::sin(q2) * v1 * v1 + lower);
        const Dynamics d = dynamics(f, m, x);
        EXPECT_LT(relative_error(d.M, M), 1e-14);
        EXPECT_LT(relative_error(d.c, c), 1e-14);
    }
}

TEST(NewtonEuler, MassMatrixIsSymmetricPositiveDefinite)
{
    for (const Mechanism& m : all()) {
        NumericEquations f(m);
        for (int seed = 0; seed < 10; ++seed) {
            const Dynamics d = dynamics(f, m, random_sample(m, seed));
            EXPECT_EQ(d.M, d.M.transpose()) << m.name();
            EXPECT_EQ(Eigen::LLT<Eigen::MatrixXd>(d.M).info(), Eigen::Success) << m.name();
        }
    }
}

TEST(NewtonEuler, MassMatrixGivesTheKineticEnergyOfTheBodies)
{
    for (const Mechanism& m : all()) {
        NumericEquations f(m);
        const Masses masses(m);
        for (int seed = 0; seed < 20; ++seed) {
            const Sample x = random_sample(m, seed);
            const double T = masses.kinetic_energy(x);
            EXPECT_NEAR(0.5 * x.v.dot(dynamics(f, m, x).M * x.v), T, 1e-12 * T) << m.name();
        }
    }
}

// c_i = sum_jk (dM_ij/dq_k - 1/2 dM_jk/dq_i) v_j v_k + dV/dq_i
TEST(NewtonEuler, BiasSatisfiesLagrangesEquations)
{
    const double t = 1e-5;
    int tested = 0;
    for (const Mechanism& m : all()) {
        if (m.nq() != m.nv()) continue; // quaternions are no coordinates of Lagrange's
        ++tested;
        NumericEquations f(m);
        const Masses masses(m);
        for (int seed = 0; seed < 5; ++seed) {
            Sample x = random_sample(m, seed);
            x.w.setZero();
            const int nv = m.nv();
            Eigen::VectorXd expected = Eigen::VectorXd::Zero(nv);
            for (int k = 0; k < nv; ++k) {
                Sample ahead = x, behind = x;
                ahead.q[k] += t;
                behind.q[k] -= t;
                const Eigen::VectorXd dMv =
                    (dynamics(f, m, ahead).M - dynamics(f, m, behind).M) * x.v / (2 * t);
                expected += dMv * x.v[k];
                expected[k] -= 0.5 * x.v.dot(dMv);
                expected[k] += (masses.potential_energy(ahead) - masses.potential_energy(behind)) / (2 * t);
            }
            EXPECT_LT(relative_error(dynamics(f, m, x).c, expected), 1e-8) << m.name();
        }
    }
    EXPECT_GE(tested, 12);
}

// c . v = d/dt (T + V) while v is held: the power of the joint forces that hold it.
TEST(NewtonEuler, BiasDoesTheWorkThatHoldsTheVelocities)
{
    const double t = 1e-5;
    for (const Mechanism& m : all()) {
        NumericEquations f(m);
        const Masses masses(m);
        for (int seed = 0; seed < 5; ++seed) {
            Sample x = random_sample(m, seed);
            x.w.setZero();
            const Sample ahead{moved(m, x.q, x.v, t), x.v, x.w}, behind{moved(m, x.q, x.v, -t), x.v, x.w};
            const double rate = (masses.kinetic_energy(ahead) + masses.potential_energy(ahead) -
                                 masses.kinetic_energy(behind) - masses.potential_energy(behind)) /
                                (2 * t);
            const double scale = dynamics(f, m, x).c.norm() * x.v.norm();
            EXPECT_NEAR(dynamics(f, m, x).c.dot(x.v), rate, 1e-8 * scale) << m.name();
        }
    }
}

// c(w) - c(0) = - sum J^T w, J from displacements of the frames
TEST(NewtonEuler, WrenchesEnterByVirtualWork)
{
    const double t = 1e-5;
    const Mechanism m = loaded_tree();
    NumericEquations f(m);
    for (int seed = 0; seed < 5; ++seed) {
        const Sample x = random_sample(m, seed);
        Sample unloaded = x;
        unloaded.w.setZero();
        const Eigen::VectorXd effect = dynamics(f, m, x).c - dynamics(f, m, unloaded).c;
        const Eigen::VectorXd here = value(f, m, Quantity::frames, x);
        Eigen::VectorXd expected = Eigen::VectorXd::Zero(m.nv());
        for (int j = 0; j < m.nv(); ++j) {
            const Eigen::VectorXd unit = Eigen::VectorXd::Unit(m.nv(), j);
            const Eigen::VectorXd rate =
                (value(f, m, Quantity::frames, {moved(m, x.q, unit, t), x.v, x.w}) -
                 value(f, m, Quantity::frames, {moved(m, x.q, unit, -t), x.v, x.w})) /
                (2 * t);
            for (int i = 0; i < m.wrenches(); ++i) {
                const int at = 18 * m.wrench_frames()[i];
                const Eigen::Matrix3d R = Eigen::Map<const Rows>(&here[at + 3]);
                const Eigen::Matrix3d S = Eigen::Map<const Rows>(&rate[at + 3]) * R.transpose();
                expected[j] -= rate.segment<3>(at).dot(x.w.segment<3>(6 * i)) +
                               Eigen::Vector3d(S(2, 1), S(0, 2), S(1, 0)).dot(x.w.segment<3>(6 * i + 3));
            }
        }
        EXPECT_LT(relative_error(effect, expected), 1e-8);
    }
}

// Newton and Euler of one body with its centre of mass off the origin: rotational equations in body axes.
TEST(NewtonEuler, FreeBodyObeysEulersEquations)
{
    const Mechanism m = free_body();
    NumericEquations f(m);
    const double mass = 3;
    const Eigen::Vector3d com(0.1, -0.2, 0.05), g(0.3, -0.2, -9.81);
    Eigen::Matrix3d I;
    I << 0.5, 0.02, -0.03, 0.02, 0.7, 0.04, -0.03, 0.04, 0.9;
    const Eigen::Matrix3d I_origin =
        I + mass * (com.squaredNorm() * Eigen::Matrix3d::Identity() - com * com.transpose());
    for (int seed = 0; seed < 20; ++seed) {
        const Sample x = random_sample(m, seed);
        const Eigen::Matrix3d R = Eigen::Quaterniond(x.q[3], x.q[4], x.q[5], x.q[6]).toRotationMatrix();
        const Eigen::Vector3d omega = x.v.tail<3>();
        Eigen::VectorXd c(6);
        c << mass * (R * omega.cross(omega.cross(com)) - g),
            omega.cross(I_origin * omega) - mass * com.cross(R.transpose() * g);
        Eigen::MatrixXd M = Eigen::MatrixXd::Zero(6, 6);
        M.topLeftCorner(3, 3) = mass * Eigen::Matrix3d::Identity();
        M.bottomRightCorner(3, 3) = I_origin;
        for (int k = 0; k < 3; ++k) M.block<3, 1>(0, 3 + k) = mass * R * Eigen::Vector3d::Unit(k).cross(com);
        M.bottomLeftCorner(3, 3) = M.topRightCorner(3, 3).transpose().eval();
        const Dynamics d = dynamics(f, m, x);
        EXPECT_LT(relative_error(d.M, M), 1e-14);
        EXPECT_LT(relative_error(d.c, c), 1e-14);
    }
}

TEST(NewtonEuler, BallJointAtRestCarriesTheMomentOfWeight)
{
    Mechanism m(0, "ball");
    m.set_gravity({0, 0, -9.81});
    m.add({.name = "bob", .joint = spherical(), .at = {1, 2, 3}, .mass = 2, .com = {0.3, 0.1, -0.4}});
    NumericEquations f(m);
    Sample x = random_sample(m, 9);
    x.v.setZero();
    const Eigen::Matrix3d R = Eigen::Quaterniond(x.q[0], x.q[1], x.q[2], x.q[3]).toRotationMatrix();
    const Eigen::Vector3d weight = R.transpose() * Eigen::Vector3d(0, 0, -9.81 * 2);
    EXPECT_LT(relative_error(value(f, m, Quantity::bias, x), -Eigen::Vector3d(0.3, 0.1, -0.4).cross(weight)),
              1e-14);
}

TEST(NewtonEuler, PendulumSwingsAtItsPhysicalFrequency)
{
    const Mechanism m = pendulum();
    NumericEquations f(m);
    const double t = 1e-4, inertia = 0.1 + 2 * 0.25; // about the pivot
    Sample x{Eigen::VectorXd::Constant(1, -1.5707963267948966 + t), Eigen::VectorXd::Zero(1), {}};
    const Dynamics d = dynamics(f, m, x);
    EXPECT_NEAR(d.M(0, 0), inertia, 1e-15);
    EXPECT_NEAR(d.c[0] / d.M(0, 0) / t, 2 * 9.81 * 0.5 / inertia, 1e-7);
}

// Measured 194, 906, 1769, 304: more is a regression of the recursion or of the simplifier.
TEST(NewtonEuler, OperationCountsStayLow)
{
    const auto cost = [](const Mechanism& m) {
        return make_schedule(symbolic(m, Quantity::dynamics)).count();
    };
    EXPECT_LE(cost(planar_chain(5)).total(), 200);
    EXPECT_LE(cost(spatial_chain(6)).total(), 930);
    EXPECT_LE(cost(arm()).total(), 1820);
    EXPECT_LE(cost(tamping_machine()).total(), 315);
}

} // namespace
} // namespace tamis::gallery::newton_euler_test
