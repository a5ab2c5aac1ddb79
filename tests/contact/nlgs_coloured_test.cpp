#include "tamis/contact/nlgs_coloured.hpp"

#include "allocations.hpp"
#include "contact/beds.hpp"
#include "error_of.hpp"
#include "tamis/contact/device.hpp"
#include "tamis/contact/nlgs.hpp"
#include "tamis/contact/nlgs_coloured_kernel.hpp"

#include <Eigen/Dense>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace nlgs_coloured_test {

using namespace tamis;
using beds::bed;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

// Sets TAMIS_SIMD and puts it back.
class Isa {
  public:
    explicit Isa(const char* name)
    {
        if (const char* old = std::getenv("TAMIS_SIMD")) old_ = old;
        setenv("TAMIS_SIMD", name, 1);
    }
    ~Isa() { old_.empty() ? unsetenv("TAMIS_SIMD") : setenv("TAMIS_SIMD", old_.c_str(), 1); }

  private:
    std::string old_;
};

struct Solved {
    ContactProblem problem;
    SolverReport report;
    VectorXd r() const
    {
        VectorXd all(3 * problem.contacts.size());
        for (std::size_t a = 0; a < problem.contacts.size(); ++a)
            all.segment<3>(3 * a) = problem.contacts[a].r;
        return all;
    }
};

Solved solve(ContactProblem problem, ContactSolver& solver)
{
    const SolverReport report = solver.solve(problem);
    return {std::move(problem), report};
}
// SIMD lanes, and what a device does, done by the processor.
const Device* const sweepers[] = {nullptr, &this_processor};

Solved solve(ContactProblem problem, double tolerance, NlgsColouredOptions options = {})
{
    NlgsColoured solver(options);
    solver.stop.natural_max = tolerance;
    return solve(std::move(problem), solver);
}

// All converge to the same velocities, in units of the free ones; angular velocitys count by the size of
// grains.
void expect_agreement(const ContactProblem& problem, double size = 1)
{
    const double tolerance = 1e-9;
    const auto distance = [&](const VectorXd& a, const VectorXd& b) {
        VectorXd d = a - b;
        for (int i = problem.general_offset.back(); i < d.size(); i += 6) d.segment<3>(i + 3) *= size;
        return d.lpNorm<Eigen::Infinity>();
    };
    Nlgs reference({.tolerance = tolerance, .direct = 0});
    const Solved expected = solve(problem, reference);
    EXPECT_EQ(expected.report.status, SolverStatus::converged);
    const double scale = distance(problem.v_free, VectorXd::Zero(problem.v_free.size()));
    for (const Device* device : sweepers) {
        const Solved found = solve(problem, tolerance, {.device = device});
        EXPECT_EQ(found.report.status, SolverStatus::converged) << found.report.residual.natural_max;
        EXPECT_LE(found.report.residual.natural_max, tolerance);
        EXPECT_STREQ(found.report.solver, device ? "colours" : "coloured");
        EXPECT_LT(distance(found.problem.v, expected.problem.v), 1e-6 * scale) << found.report.solver;

        const Solved single = solve(problem, 1e-4, {.precision = Precision::float_, .device = device});
        EXPECT_EQ(single.report.status, SolverStatus::converged) << single.report.residual.natural_max;
        EXPECT_STREQ(single.report.solver, device ? "colours-float" : "coloured-float");
        EXPECT_LT(distance(single.problem.v, expected.problem.v), 1e-2 * scale) << single.report.solver;
    }
}

// A mechanism with n velocities that touches rigid block `rigid` at `point` by random maps.
void add_mechanism_contact(ContactProblem& problem, beds::Random& random, int general,
                           const Eigen::MatrixXd& inverse_mass, int rigid, const Vector3d& point)
{
    const int n = problem.block_size(general), block = problem.general() + rigid;
    Contact contact;
    contact.frame = beds::frame_of(Vector3d(0.1, -0.2, 1));
    contact.friction = 0.3;
    contact.side[0] = {general, problem.reserve_map(general)};
    for (int row = 0; row < 3; ++row) {
        VectorXd h(n);
        for (int k = 0; k < n; ++k) h[k] = random(-1, 1);
        Eigen::Map<VectorXd>(&problem.H[contact.side[0].map + row * n], n) = h;
        Eigen::Map<VectorXd>(&problem.Y[contact.side[0].map + row * n], n) = inverse_mass * h;
    }
    contact.side[1].block = block;
    contact.arm[1] = point - problem.rigid[rigid].centre;
    problem.contacts.push_back(contact);
}

// The bed with a mechanism of n velocities in front of its blocks.
ContactProblem with_mechanism(const ContactProblem& source, int n)
{
    ContactProblem problem = source;
    problem.general_offset.push_back(n);
    for (Contact& contact : problem.contacts)
        for (Contact::Side& side : contact.side)
            if (side.block >= 0) ++side.block;
    problem.v_free.resize(n + source.v_free.size());
    problem.v_free << VectorXd::Constant(n, -0.02), source.v_free;
    return problem;
}

} // namespace

TEST(NlgsColoured, AgreesWithTheReferenceOnHeapsOfSpheres)
{
    for (const double friction : {0.0, 0.1, 0.4})
        for (const double rolling : {0.0, 0.02})
            expect_agreement(bed({.cells = {4, 3, 2},
                                  .friction = friction,
                                  .spheres = true,
                                  .rolling = rolling,
                                  .walls = false}));
}

TEST(NlgsColoured, AgreesWithTheReferenceOnManifoldsOfGrains)
{
    expect_agreement(bed({.cells = {4, 3, 3}, .friction = 0}));
    expect_agreement(bed({.cells = {4, 3, 1}, .friction = 0.4, .walls = false}));
}

TEST(NlgsColoured, AgreesWithTheReferenceAcrossSlabs)
{
    const ContactProblem problem = bed({.cells = {60, 5, 4}, .friction = 0, .spheres = true, .walls = false});
    NlgsColoured solver;
    solver.stop.natural_max = 1e-6;
    const Solved found = solve(problem, solver);
    EXPECT_GT(solver.statistics().slabs, 3);
    EXPECT_EQ(solver.statistics().overflow, 0);
    Nlgs reference({.tolerance = 1e-6});
    const Solved expected = solve(problem, reference);
    EXPECT_LT((found.problem.v - expected.problem.v).norm(), 1e-4 * problem.v_free.norm());
}

// Four corners a box: impulses are indeterminate, velocities are not.
TEST(NlgsColoured, StackOfBoxesComesToRest)
{
    for (const double size : {1e-3, 1.0, 1e3}) {
        ContactProblem problem;
        const double mass = size * size * size;
        for (int k = 0; k < 5; ++k)
            beds::add_grain(problem, {0, 0, size * (k + 0.5)}, mass,
                            mass * size * size / 6 * Matrix3d::Identity(), {0, 0, -0.01}, {0, 0, 0});
        for (int k = 0; k < 5; ++k)
            beds::add_manifold(problem, k - 1, k, {0, 0, size * k}, {0, 0, 1}, 4, 0.6 * size, 0.5, 0, 0);
        expect_agreement(problem, size);
        const Solved found = solve(problem, 1e-9);
        for (int i = 0; i < found.problem.v.size(); ++i)
            EXPECT_NEAR(found.problem.v[i] * (i % 6 < 3 ? 1 : size), 0, 1e-8);
        double sum = 0;
        for (int k = 0; k < 4; ++k) sum += found.problem.contacts[k].r[0];
        EXPECT_NEAR(sum, 5 * mass * 0.01, 1e-8 * mass);
    }
}

TEST(NlgsColoured, SolvesOneContactExactly)
{
    // A sphere that lands with sliding: r_n = m v, |r_t| = mu r_n.
    for (const double mu : {0.0, 0.1})
        for (const Device* device : sweepers) {
            ContactProblem problem;
            beds::add_grain(problem, {0, 0, 1}, 2, 0.8 * Matrix3d::Identity(), {3, 0, -1}, {0, 0, 0});
            beds::add_manifold(problem, -1, 0, {0, 0, 0}, {0, 0, 1}, 1, 0, mu, 0, 0);
            const Solved found = solve(problem, 1e-14, {.device = device});
            EXPECT_EQ(found.report.status, SolverStatus::converged);
            EXPECT_NEAR(found.problem.contacts[0].r[0], 2, 1e-13);
            EXPECT_NEAR(found.problem.contacts[0].r.tail<2>().norm(), 2 * mu, 1e-13);
            EXPECT_NEAR(found.problem.v[0], 3 - mu, 1e-13);
            EXPECT_NEAR(found.problem.v[4], mu * 2 / 0.8, 1e-13);
        }
}

TEST(NlgsColoured, LeavesFreeMotionWithoutContacts)
{
    ContactProblem problem = bed({.cells = {2, 2, 2}});
    problem.contacts.clear();
    for (const Device* device : sweepers) {
        const Solved found = solve(problem, 1e-10, {.device = device});
        EXPECT_EQ(found.report.sweeps, 0);
        EXPECT_EQ(found.problem.v, problem.v_free);
    }
}

TEST(NlgsColoured, ManifoldsMayHaveManyPoints)
{
    ContactProblem problem;
    for (const double z : {0.5, 1.5})
        beds::add_grain(problem, {0, 0, z}, 1, Vector3d(0.1, 0.12, 0.15).asDiagonal(), {0.002, 0.001, -0.01},
                        {0.01, 0, 0});
    beds::add_manifold(problem, 0, 1, {0, 0, 1}, {0, 0, 1}, 20, 0.4, 0.3, 0, 0);
    beds::add_manifold(problem, -1, 0, {0, 0, 0}, {0, 0, 1}, 3, 0.5, 0.3, 0, 0);
    expect_agreement(problem);
}

// More neighbours than there are open batches.
TEST(NlgsColoured, BodyMayTouchHundreds)
{
    ContactProblem problem;
    beds::Random random(3);
    beds::add_grain(problem, {0, 0, 0}, 100, 100 * Matrix3d::Identity(), {0, 0, 0}, {0, 0, 0});
    for (int k = 1; k <= 200; ++k) {
        const Vector3d n = random.vector(1).normalized();
        beds::add_grain(problem, 1.1 * n, 0.1, 1e-3 * Matrix3d::Identity(), -n + random.vector(0.3),
                        random.vector(1));
        beds::add_manifold(problem, 0, k, n, n, 1, 0, 0.3, 0, 0);
    }
    expect_agreement(problem);
}

TEST(NlgsColoured, PrescribedBodiesMoveAsPrescribed)
{
    ContactProblem problem = bed({.cells = {4, 3, 2}, .spheres = true, .walls = false});
    const Vector3d v(0.004, 0, 0.003), w(0, 0.01, 0);
    problem.rigid.push_back({Vector3d(0, 0, -1)});
    const int floor = static_cast<int>(problem.rigid.size()) - 1;
    problem.v_free.conservativeResize(problem.velocities());
    problem.v_free.tail<6>() << v, w;
    for (Contact& contact : problem.contacts)
        if (contact.side[0].block < 0) {
            contact.side[0].block = floor;
            contact.arm[0] =
                problem.rigid[contact.side[1].block].centre + contact.arm[1] - Vector3d(0, 0, -1);
        }
    expect_agreement(problem);
    for (const Device* device : sweepers) {
        const Solved found = solve(problem, 1e-8, {.device = device});
        EXPECT_EQ(found.problem.v.tail<6>(), problem.v_free.tail<6>());
    }
}

TEST(NlgsColoured, AgreesWithTheReferenceOnMechanismsInABed)
{
    const int n = 5;
    ContactProblem problem = with_mechanism(bed({.cells = {4, 3, 2}, .spheres = true, .walls = false}), n);
    beds::Random random(5);
    const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return random(-1, 1); });
    const Eigen::MatrixXd inverse_mass = 1e-3 * (root * root.transpose() + Eigen::MatrixXd::Identity(n, n));
    for (int grain : {12, 13, 17, 20})
        add_mechanism_contact(problem, random, 0, inverse_mass, grain,
                              problem.rigid[grain].centre + Vector3d(0, 0.1, 0.5));
    problem.contacts[3].drift = {1e-3, 2e-3, -1e-3};
    expect_agreement(problem);
}

TEST(NlgsColoured, BilateralContactsHold)
{
    ContactProblem problem = bed({.cells = {4, 3, 2}, .friction = 0.1, .spheres = true, .walls = false});
    for (const int rows : {3, 2, 1}) {
        problem.contacts[5 * rows].law = Law::bilateral;
        problem.contacts[5 * rows].rows = rows;
    }
    expect_agreement(problem);
    const Solved found = solve(problem, 1e-9);
    EXPECT_LT(found.problem.relative_velocity(found.problem.contacts[15]).norm(), 1e-10);
}

TEST(NlgsColoured, MassRatiosAndScalesDoNotMatter)
{
    expect_agreement(bed({.cells = {3, 3, 1}, .spheres = true, .mass_ratio = 1e6, .walls = false}));
    for (const double size : {1e-3, 1e3}) {
        const Solved one = solve(bed({.cells = {4, 3, 2}, .spheres = true, .walls = false}), 1e-8);
        const Solved other =
            solve(bed({.cells = {4, 3, 2}, .size = size, .spheres = true, .walls = false}), 1e-8);
        EXPECT_NEAR(other.report.sweeps, one.report.sweeps, 1 + one.report.sweeps / 10);
        const Solved single = solve(bed({.cells = {4, 3, 2}, .size = size, .spheres = true, .walls = false}),
                                    1e-4, {.precision = Precision::float_});
        EXPECT_EQ(single.report.status, SolverStatus::converged);
    }
}

TEST(NlgsColoured, SameBitsForAnyNumberOfThreadsAndInstructionSet)
{
    for (const Precision precision : {Precision::double_, Precision::float_})
        for (const int kind : {0, 1, 2, 3}) {
            const bool spheres = kind % 2 == 1;
            ContactProblem problem =
                bed({.cells = {24, 8, 7}, .spheres = spheres, .rolling = spheres ? 0.01 : 0.0});
            if (kind >= 2) beds::soften(problem, 0.1, 1e-3);
            Solved first;
            for (const char* isa : {"scalar", "sse2", "avx2", "avx512"}) {
                if (!contact_kernels(isa)) continue;
                const Isa choose(isa);
                for (const int threads : {1, 2, 4, 8}) {
                    if (threads > 2 && std::string(isa) != "sse2") continue;
                    NlgsColoured solver({.precision = precision, .threads = threads});
                    solver.stop.max_sweeps = 8;
                    Solved found = solve(problem, solver);
                    EXPECT_GT(solver.statistics().slabs, 2);
                    if (first.problem.contacts.empty())
                        first = std::move(found);
                    else {
                        EXPECT_EQ(found.r(), first.r()) << isa << ' ' << threads;
                        EXPECT_EQ(found.problem.v, first.problem.v) << isa << ' ' << threads;
                    }
                    // again with the same object, after another problem
                    NlgsColoured& again = solver;
                    solve(bed({.cells = {5, 5, 5}}), again);
                    EXPECT_EQ(solve(problem, again).r(), first.r());
                }
            }
        }
}

// One thread may be in the overflow while others are ahead by a sweep.
TEST(NlgsColoured, SameBitsWithAMechanismForAnyNumberOfThreads)
{
    constexpr int n = 3;
    ContactProblem problem = with_mechanism(bed({.cells = {24, 8, 7}}), n);
    beds::Random random(5);
    const int middle = 3 * 24 * 8 + 4 * 24 + 12; // near one end, and near the middle
    for (const int grain : {middle, middle + 1, middle + 24, 2 * 24 + 2})
        add_mechanism_contact(problem, random, 0, 1e-3 * Eigen::MatrixXd::Identity(n, n), grain,
                              problem.rigid[grain].centre + Vector3d(0, 0.1, 0.5));
    Solved first;
    for (const int threads : {1, 2, 3, 8})
        for (int again = 0; again < 5; ++again) {
            NlgsColoured solver({.threads = threads});
            solver.stop.max_sweeps = 40;
            const Solved found = solve(problem, solver);
            EXPECT_GT(solver.statistics().slabs, 4);
            EXPECT_GE(solver.statistics().overflow, 4);
            if (first.problem.contacts.empty()) first = found;
            EXPECT_EQ(found.r(), first.r()) << threads;
        }
}

// Beds in which sweeps in one order never end: residuals of 7e-3 to 7e-5 after 8000 of them.
TEST(NlgsColoured, LeavesCircles)
{
    for (const unsigned seed : {3, 6, 7, 11}) {
        ContactProblem problem = bed({.cells = {4, 4, 4}, .friction = 1, .mass_ratio = 10, .seed = seed});
        for (Contact& c : problem.contacts) c.compliance.setConstant(0.05 / 1300);
        NlgsColoured solver({.threads = 1});
        solver.stop = {.natural_max = 1e30, .natural_rms = 1e-6, .max_sweeps = 4000};
        EXPECT_EQ(solver.solve(problem).status, SolverStatus::converged) << seed;
        EXPECT_GT(solver.statistics().shuffled, 0) << seed;
    }
}

TEST(NlgsColoured, SameBitsWhenShuffled)
{
    ContactProblem problem = bed({.cells = {16, 6, 6}, .friction = 1, .mass_ratio = 10, .seed = 3});
    for (Contact& c : problem.contacts) c.compliance.setConstant(0.05 / 1300);
    Solved first;
    for (const char* isa : {"scalar", "avx512"})
        for (const int threads : {1, 2, 3}) {
            if (!contact_kernels(isa)) continue;
            const Isa choose(isa);
            NlgsColoured solver({.threads = threads});
            solver.stop.max_sweeps = 2000;
            Solved found = solve(problem, solver);
            EXPECT_GT(solver.statistics().shuffled, 100);
            if (first.problem.contacts.empty())
                first = std::move(found);
            else
                EXPECT_EQ(found.r(), first.r()) << isa << ' ' << threads;
        }
}

TEST(NlgsColoured, RefusesAnUnknownInstructionSet)
{
    const Isa choose("mmx");
    EXPECT_TRUE(contains(error_of([] { NlgsColoured solver; }), "TAMIS_SIMD=mmx"));
}

TEST(NlgsColoured, FillsLanesOfALargeBed)
{
    ContactProblem problem = bed({.cells = {24, 14, 14}});
    for (const Precision precision : {Precision::double_, Precision::float_}) {
        NlgsColoured solver({.precision = precision});
        solver.stop.max_sweeps = 1;
        solve(problem, solver);
        EXPECT_GT(solver.statistics().lanes_filled, 0.9);
        EXPECT_EQ(solver.statistics().overflow, 0);
    }
}

TEST(NlgsColoured, DoesNotAllocateAfterTheFirstSolution)
{
    for (const Precision precision : {Precision::double_, Precision::float_})
        for (const Device* device : sweepers) {
            const ContactProblem problem = bed({.cells = {8, 8, 8}, .spheres = true, .rolling = 0.01});
            NlgsColoured solver({.precision = precision, .threads = 1, .device = device});
            solver.stop.max_sweeps = 20;
            ContactProblem first = problem, second = problem;
            second.v = second.v_free;
            solver.solve(first);
            const long before = allocations;
            solver.solve(second);
            EXPECT_EQ(allocations - before, 0);
        }
}

} // namespace nlgs_coloured_test
