#include "tamis/contact/device_sweeper.hpp"

#include "contact/beds.hpp"
#include "error_of.hpp"
#include "tamis/contact/auto_solver.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace device_test {

using namespace tamis;
using beds::bed;
using Eigen::VectorXd;

namespace {

VectorXd impulses(const ContactProblem& problem)
{
    VectorXd all(3 * problem.contacts.size());
    for (std::size_t a = 0; a < problem.contacts.size(); ++a) all.segment<3>(3 * a) = problem.contacts[a].r;
    return all;
}

// Grains and spheres with rolling resistance, rigid and with compliance; two contacts go to the overflow.
std::vector<ContactProblem> problems()
{
    std::vector<ContactProblem> all{bed({.cells = {9, 8, 7}}),
                                    bed({.cells = {9, 8, 7}, .spheres = true, .rolling = 0.01})};
    for (int k = 0; k < 2; ++k) {
        all.push_back(all[k]);
        beds::soften(all.back(), 0.1, 1e-3);
    }
    for (ContactProblem& problem : all) {
        problem.contacts[40].drift = {0, 1e-3, 0};
        problem.contacts[80].law = Law::bilateral;
        problem.v = problem.v_free;
    }
    return all;
}

// Orders in which a device might run its threads.
struct Backwards {
    template <class F>
    static void run(const F& f, int count)
    {
        for (int i = count - 1; i >= 0; --i) f(i);
    }
};
struct Interleaved {
    template <class F>
    static void run(const F& f, int count)
    {
        for (int first = 0; first < 37; ++first)
            for (int i = first; i < count; i += 37) f(i);
    }
};
template <class Launch>
Device in_the_order_of()
{
    Device device = this_processor;
    device.in_double = device_kernels<Launch, double>("test");
    device.in_float = device_kernels<Launch, float>("test");
    return device;
}

void expect_same_bits(const Device& one, const Device& other)
{
    for (const Precision precision : {Precision::double_, Precision::float_})
        for (const ContactProblem& problem : problems()) {
            ContactProblem a = problem, b = problem;
            NlgsColoured first({.precision = precision, .device = &one}),
                second({.precision = precision, .device = &other});
            first.stop.max_sweeps = second.stop.max_sweeps = 50;
            const SolverReport expected = first.solve(a), found = second.solve(b);
            EXPECT_GT(first.statistics().overflow, 1);
            EXPECT_EQ(found.sweeps, expected.sweeps);
            EXPECT_EQ(found.residual.natural_max, expected.residual.natural_max);
            EXPECT_EQ(impulses(b), impulses(a));
            EXPECT_EQ(b.v, a.v);
        }
}

} // namespace

TEST(Device, OrderOfThreadsDoesNotMatter)
{
    expect_same_bits(this_processor, in_the_order_of<Backwards>());
    expect_same_bits(this_processor, in_the_order_of<Interleaved>());
}

TEST(Device, ChangeOfASweepIsThatOfItsImpulses)
{
    ContactProblem problem = problems()[0], copy = problem;
    DeviceSweeper<double> sweeper, other;
    sweeper.build(problem, this_processor, 1);
    other.build(copy, this_processor, 1);
    sweeper.sweep(problem, 3, 1);
    sweeper.store_impulses(problem, 1);
    const VectorXd before = impulses(problem);
    const Change change = sweeper.sweep(problem, 1, 1);
    sweeper.store_impulses(problem, 1);
    const VectorXd after = impulses(problem), difference = after - before;
    double largest = 0;
    for (int i = 0; i < difference.size(); i += 3)
        largest = std::max(largest, difference.segment<3>(i).squaredNorm());
    EXPECT_NEAR(change.change / change.impulse, difference.squaredNorm() / after.squaredNorm(),
                1e-12 * change.change / change.impulse);
    EXPECT_NEAR(change.largest / change.impulse, largest / after.squaredNorm(),
                1e-12 * change.largest / change.impulse);
    // That of the last sweep alone.
    const Change last = other.sweep(copy, 4, 1);
    EXPECT_EQ(last.largest, change.largest);
    EXPECT_EQ(last.change, change.change);
    EXPECT_EQ(last.impulse, change.impulse);
}

TEST(Device, GoesOnFromOtherVelocities)
{
    ContactProblem one = problems()[1], two = one;
    two.v *= 0.9;
    DeviceSweeper<float> first, second;
    first.build(one, this_processor, 1);
    second.build(two, this_processor, 1);
    one.v = two.v;
    first.load_velocities(one, 1);
    first.sweep(one, 3, 1);
    second.sweep(two, 3, 1);
    first.store_impulses(one, 1);
    second.store_impulses(two, 1);
    EXPECT_EQ(impulses(one), impulses(two));
}

TEST(Device, GoesOnFromASavedState)
{
    for (ContactProblem& problem : problems()) {
        DeviceSweeper<double> sweeper;
        sweeper.build(problem, this_processor, 1);
        sweeper.sweep(problem, 5, 1);
        std::vector<double> state(sweeper.state_size());
        sweeper.save(state, problem);
        const auto go_on = [&] {
            sweeper.sweep(problem, 3, 1);
            sweeper.store_impulses(problem, 1);
            return impulses(problem);
        };
        const VectorXd first = go_on();
        EXPECT_NE(go_on(), first);
        sweeper.restore(state, problem);
        // (Impulses of the overflow are scaled by a power of two.)
        EXPECT_EQ(go_on(), first);
    }
}

TEST(Device, MayChangeBetweenSolutions)
{
    const ContactProblem problem = problems()[0];
    const Device other = in_the_order_of<Backwards>();
    NlgsColoured solver({.device = &this_processor});
    solver.stop.max_sweeps = 10;
    VectorXd r[2];
    for (int k = 0; k < 2; ++k, solver.options.device = &other) {
        ContactProblem copy = problem;
        solver.solve(copy);
        r[k] = impulses(copy);
    }
    EXPECT_EQ(r[0], r[1]);
}

TEST(Device, CudaGivesTheBitsOfTheProcessor)
{
    if (const std::string error = error_of([] { cuda_device(); }); !error.empty())
        GTEST_SKIP() << "no CUDA device here: " << error;
    expect_same_bits(this_processor, cuda_device());
}

TEST(Device, SolverSaysThatCudaIsMissing)
{
    for (const char* name : {"cuda", "cuda-float"}) {
        const std::string error = error_of([&] { make_solver(name); });
        if (error.empty()) GTEST_SKIP() << "there is a CUDA device here";
        EXPECT_TRUE(contains(error, "solver cuda")) << error;
        EXPECT_TRUE(contains(error, "take another solver")) << error;
    }
}

} // namespace device_test
