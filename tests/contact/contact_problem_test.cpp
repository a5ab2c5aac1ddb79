#include "tamis/contact/contact_problem.hpp"

#include "contact/beds.hpp"
#include "tamis/contact/nlgs_coloured_kernel.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace contact_problem_test {

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

// A problem with random velocities, impulses and maps, and the same as dense matrices.
struct Dense {
    ContactProblem problem;
    MatrixXd H, Y; // 3 contacts x velocities

    Dense(std::vector<int> sizes, std::vector<std::array<int, 2>> pairs, unsigned seed)
    {
        std::mt19937 generator(seed);
        std::normal_distribution<double> normal;
        for (const int n : sizes) problem.general_offset.push_back(problem.general_offset.back() + n);
        const int size = problem.general_offset.back();
        MatrixXd inverse_mass = MatrixXd::Zero(size, size);
        for (int b = 0; b < problem.blocks(); ++b) {
            const int n = problem.block_size(b), at = problem.offset(b);
            const MatrixXd root = MatrixXd::NullaryExpr(n, n, [&] { return normal(generator); });
            inverse_mass.block(at, at, n, n) = root * root.transpose() + MatrixXd::Identity(n, n);
        }
        H.setZero(3 * pairs.size(), size);
        for (std::size_t a = 0; a < pairs.size(); ++a) {
            Contact contact;
            for (int s = 0; s < 2; ++s) {
                const int block = pairs[a][s];
                contact.side[s].block = block;
                if (block < 0) continue;
                const int n = problem.block_size(block), at = problem.offset(block);
                const int map = contact.side[s].map = problem.reserve_map(block);
                for (int i = 0; i < 3; ++i) {
                    VectorXd row = VectorXd::NullaryExpr(n, [&] { return normal(generator); });
                    Eigen::Map<VectorXd>(&problem.H[map + i * n], n) = row;
                    Eigen::Map<VectorXd>(&problem.Y[map + i * n], n) = inverse_mass.block(at, at, n, n) * row;
                    H.block(3 * a + i, at, 1, n) += row.transpose();
                }
            }
            contact.drift = Vector3d(normal(generator), normal(generator), normal(generator));
            contact.bias = Vector3d(normal(generator), normal(generator), normal(generator));
            if (a % 3 > 0) contact.compliance = {std::abs(normal(generator)), std::abs(normal(generator))};
            contact.friction = a % 4 == 0 ? 0 : 0.2 * a;
            if (a % 4 == 1) {
                contact.law = Law::bilateral;
                contact.rows = 2;
            }
            for (int row = 0; row < contact.active_rows(); ++row) contact.r[row] = normal(generator);
            problem.contacts.push_back(contact);
        }
        Y = H * inverse_mass;
        problem.v_free = VectorXd::NullaryExpr(size, [&] { return normal(generator); });
        problem.rebuild_velocities();
    }
};

Dense example()
{
    return Dense({6, 4, 1}, {{0, 1}, {1, 1}, {-1, 0}, {2, 1}, {0, -1}, {0, 2}, {1, 0}}, 7);
}

} // namespace

TEST(ContactProblem, VelocitiesAndDelassusBlocksEqualTheDenseProducts)
{
    const Dense dense = example();
    const ContactProblem& problem = dense.problem;
    const int count = static_cast<int>(problem.contacts.size());
    VectorXd r(3 * count), drift(3 * count);
    for (int a = 0; a < count; ++a) {
        r.segment<3>(3 * a) = problem.contacts[a].r;
        drift.segment<3>(3 * a) = problem.contacts[a].drift;
    }
    EXPECT_NEAR((problem.v - problem.v_free - dense.Y.transpose() * r).norm(), 0, 1e-12);
    const VectorXd u = dense.H * problem.v + drift;
    const MatrixXd W = dense.H * dense.Y.transpose();
    for (int a = 0; a < count; ++a) {
        const Contact& contact = problem.contacts[a];
        EXPECT_NEAR((problem.relative_velocity(contact) - u.segment<3>(3 * a)).norm(), 0, 1e-12);
        EXPECT_NEAR((problem.local_delassus(contact) - W.block<3, 3>(3 * a, 3 * a)).norm(), 0, 1e-12);
        for (int b = 0; b < count; ++b)
            EXPECT_NEAR(problem.delassus(contact, 2, problem.contacts[b], 1), W(3 * a + 2, 3 * b + 1), 1e-12);
    }
}

TEST(ContactProblem, ResidualEqualsTheDenseNaturalMap)
{
    const Dense dense = example();
    const ContactProblem& problem = dense.problem;
    const MatrixXd W = dense.H * dense.Y.transpose();
    double largest = 0, squares = 0, impulses = 0, approach = 0;
    int worst = -1;
    for (std::size_t a = 0; a < problem.contacts.size(); ++a) {
        const Contact& contact = problem.contacts[a];
        const Vector3d R(contact.compliance[0], contact.compliance[1], contact.compliance[1]);
        const Matrix3d block = W.block<3, 3>(3 * a, 3 * a) + Matrix3d(R.asDiagonal());
        const double mu = contact.friction;
        const Vector3d r = contact.r;
        Vector3d u = dense.H.middleRows<3>(3 * a) * problem.v + contact.drift;
        u += contact.bias + R.cwiseProduct(r);
        double natural;
        if (contact.law == Law::bilateral) {
            natural = 2 / (block(0, 0) + block(1, 1)) * u.head<2>().norm();
            approach = std::max(approach, u.head<2>().norm());
        } else {
            approach = std::max(approach, -u[0]);
            if (mu == 0) {
                natural = std::abs(r[0] - std::max(0.0, r[0] - u[0] / block(0, 0)));
            } else {
                const double rho = 3 / block.trace();
                Vector3d z = r - rho * u;
                z[0] -= rho * mu * u.tail<2>().norm();
                const double t = z.tail<2>().norm();
                Vector3d projection = z;
                if (z[0] + mu * t <= 0) {
                    projection.setZero();
                } else if (t > mu * z[0]) {
                    projection[0] = (z[0] + mu * t) / (1 + mu * mu);
                    projection.tail<2>() *= mu * projection[0] / t;
                }
                natural = (r - projection).norm();
            }
        }
        if (natural > largest) worst = static_cast<int>(a);
        largest = std::max(largest, natural);
        squares += natural * natural;
        impulses += r.squaredNorm();
    }
    const Residual result = residual(problem);
    const double count = static_cast<double>(problem.contacts.size());
    EXPECT_NEAR(result.natural_max, largest / std::sqrt(impulses / count), 1e-12 * result.natural_max);
    EXPECT_NEAR(result.natural_rms, std::sqrt(squares / impulses), 1e-12 * result.natural_rms);
    EXPECT_EQ(result.worst, worst);
    EXPECT_NEAR(result.approach, approach, 1e-12 * approach);
    EXPECT_GT(result.round_off, 0);
    EXPECT_LT(result.round_off, 1e-12);
}

namespace {

// One unit mass that moves along the normal of one frictionless contact.
ContactProblem point_mass(double velocity, double shift, double impulse)
{
    ContactProblem problem;
    problem.general_offset = {0, 1};
    problem.v_free = VectorXd::Constant(1, velocity);
    Contact contact;
    contact.side[1] = {0, problem.reserve_map(0)};
    problem.H[0] = problem.Y[0] = 1;
    contact.bias[0] = shift;
    contact.r[0] = impulse;
    problem.contacts.push_back(contact);
    problem.rebuild_velocities();
    return problem;
}

} // namespace

TEST(ContactProblem, SeparatingContactsWithoutImpulsesHaveNoResidual)
{
    for (const double velocity : {0.0, 2.0}) {
        const Residual result = residual(point_mass(velocity, 0, 0));
        EXPECT_EQ(result.natural_max, 0);
        EXPECT_EQ(result.natural_rms, 0);
        EXPECT_EQ(result.approach, 0);
    }
}

TEST(ContactProblem, MissingImpulseIsAResidualOfOne)
{
    const Residual result = residual(point_mass(-3, 1, 0));
    EXPECT_EQ(result.natural_max, 1);
    EXPECT_EQ(result.natural_rms, 1);
    EXPECT_EQ(result.approach, 2);
}

TEST(ContactProblem, ImpulseOfASeparatingContactIsAResidual)
{
    // v = 1 + 2: u = 3 with r = 2, r - max(r - u, 0) = 2.
    EXPECT_EQ(residual(point_mass(1, 0, 2)).natural_max, 1);
}

TEST(ContactProblem, ResidualDoesNotHideWhatIsNotANumber)
{
    ContactProblem problem = point_mass(-3, 0, 3);
    EXPECT_EQ(residual(problem).natural_max, 0);
    problem.v[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(residual(problem).natural_max));
}

TEST(ContactProblem, ClearingContactsKeepsMemoryAndZeroesNewMaps)
{
    ContactProblem problem = example().problem;
    const double* pool = problem.H.data();
    const Contact* contacts = problem.contacts.data();
    problem.clear_contacts();
    EXPECT_TRUE(problem.contacts.empty());
    EXPECT_EQ(problem.reserve_map(1), 0);
    EXPECT_EQ(problem.reserve_map(0), 12);
    EXPECT_EQ(problem.H.size(), 30u);
    for (std::size_t k = 0; k < problem.H.size(); ++k) EXPECT_EQ(problem.H[k] + problem.Y[k], 0);
    problem.contacts.emplace_back();
    EXPECT_EQ(problem.H.data(), pool);
    EXPECT_EQ(problem.contacts.data(), contacts);
}

// Rigid blocks are general blocks whose maps follow from frame, arm and inertia.
TEST(ContactProblem, RigidBlocksEqualGeneralBlocksWithTheSameMaps)
{
    for (const bool spheres : {false, true}) {
        ContactProblem rigid =
            beds::bed({.cells = {4, 3, 3}, .spheres = spheres, .rolling = spheres ? 0.02 : 0.0});
        beds::Random random(4);
        int count = 0;
        for (Contact& contact : rigid.contacts) {
            if (count++ % 5 == 0) contact.friction = 0;
            contact.drift = random.vector(1e-3);
            contact.bias = random.vector(1e-3);
            if (count % 3 == 0) contact.compliance = {random(0, 1e-3), random(0, 1e-3)};
            contact.r = contact.active_rows() == 1 ? Vector3d(random(0, 1), 0, 0) : random.vector(1);
        }
        ContactProblem general = rigid;
        general.rigid.clear();
        for (int b = 0; b < rigid.blocks(); ++b) general.general_offset.push_back(6 * (b + 1));
        for (Contact& contact : general.contacts)
            for (int s = 0; s < 2; ++s) {
                if (contact.side[s].block < 0) continue;
                const Contact source = contact;
                const int map = contact.side[s].map = general.reserve_map(contact.side[s].block);
                for (int row = 0; row < 3; ++row) {
                    using Row = Eigen::Map<ContactProblem::Row6>;
                    Row(&general.H[map + 6 * row]) = rigid.rigid_row(source, s, row);
                    Row(&general.Y[map + 6 * row]) = rigid.rigid_response(source, s, row);
                }
            }
        rigid.rebuild_velocities();
        general.rebuild_velocities();
        EXPECT_LT((rigid.v - general.v).norm(), 1e-13 * general.v.norm());
        for (ContactProblem* problem : {&rigid, &general})
            for (const int threads : {2, 3, 100}) {
                const VectorXd v = problem->v;
                problem->v.setOnes();
                problem->rebuild_velocities(threads);
                EXPECT_TRUE((problem->v.array() == v.array()).all()) << threads << " threads";
            }
        const Residual a = residual(rigid), b = residual(general);
        EXPECT_NEAR(a.natural_max, b.natural_max, 1e-12 * b.natural_max);
        EXPECT_NEAR(a.natural_rms, b.natural_rms, 1e-12 * b.natural_rms);
        EXPECT_NEAR(a.approach, b.approach, 1e-12 * b.approach);
        EXPECT_NEAR(a.round_off, b.round_off, 1e-12 * b.round_off);
    }
}

// Contacts with friction between rigid bodies are taken by eight, in fewer than eight one by one; to the same bits.
TEST(ContactProblem, ResidualOfManyContactsIsThatOfEach)
{
    beds::Random random(7);
    ContactProblem problem = beds::bed({.cells = {7, 5, 4}});
    beds::soften(problem, 0.1, 1e-3);
    problem.rigid[3].inverse_mass = 0; // prescribed
    problem.rigid[3].inverse_inertia.setZero();
    for (std::size_t a = 0; a < problem.contacts.size(); ++a) {
        Contact& contact = problem.contacts[a];
        contact.r = (a % 4 == 0 ? 0 : 3) * random.vector(1);
        contact.r[0] = a % 5 == 0 ? 0 : std::abs(contact.r[0]);
        contact.drift = random.vector(1e-3);
        if (a > 200 && a % 16 == 0) contact.friction = 0;
    }
    problem.rebuild_velocities();
    problem.contacts[300].r[1] = std::numeric_limits<double>::infinity(); // not a number, if anything
    const std::size_t count = problem.contacts.size();
    ASSERT_GT(count, 500u);
    std::vector<double> one(count), all(count);
    Residual worst;
    for (std::size_t first = 0; first < count; first += 7) {
        ContactProblem few = problem;
        few.contacts.assign(problem.contacts.begin() + first,
                            problem.contacts.begin() + std::min(first + 7, count));
        const Residual found = residual(few, 1, &one[first]);
        worst.approach = std::max(worst.approach, found.approach);
    }
    for (const char* isa : {"scalar", "sse2", "avx2", "avx512"}) {
        if (!contact_kernels(isa)) continue;
        setenv("TAMIS_SIMD", isa, 1);
        const Residual found = residual(problem, 1, all.data());
        unsetenv("TAMIS_SIMD");
        for (std::size_t a = 0; a < count; ++a) {
            const bool neither = std::isnan(one[a]) && std::isnan(all[a]);
            EXPECT_TRUE(neither || all[a] == one[a]) << isa << ' ' << a;
        }
        EXPECT_EQ(found.approach, worst.approach) << isa;
    }
}

} // namespace contact_problem_test
