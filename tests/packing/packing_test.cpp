// Packings from models and back.
#include "tamis/model/description.hpp"
#include "tamis/packing/packing.hpp"

#include "error_of.hpp"
#include "tamis/nscd/moreau_jean.hpp"
#include "tamis/packing/deposit.hpp"

#include <gtest/gtest.h>

namespace packing_test {

using namespace tamis;

namespace {

Packing packing_of_one(const GrainSpec& spec)
{
    ModelDescription model("m");
    GrainSpec grain = spec;
    grain.material = model.add(Material{});
    grain.density = 1000;
    model.grain(grain);
    return packing_of(MoreauJean(model.finish(), {}).view());
}

Packing ball_above_the_floor()
{
    Packing loose;
    loose.add(sphere(0.05), {.p = {0, 0, 0.1}});
    return loose;
}

const Walls floor_alone{{{wall({0, 0, 1}, 0), Pose{}}}};

} // namespace

TEST(Packing, ClusterIsRefusedByName)
{
    const std::string error = error_of([] {
        packing_of_one(
            {.name = "dumbbell", .parts = {{sphere(0.1), Pose{}}, {sphere(0.1), Pose{.p = {0.1, 0, 0}}}}});
    });
    EXPECT_TRUE(contains(error, "'dumbbell' is a cluster of 2 shapes")) << error;
}

TEST(Packing, OnlyPartOfAClusterStandsWhereItIs)
{
    const Packing packing =
        packing_of_one({.parts = {{sphere(0.1), Pose{.p = {0.3, 0, 0}}}}, .at = {.p = {1, 2, 3}}});
    EXPECT_LT((packing.poses.at(0).p - Eigen::Vector3d(1.3, 2, 3)).norm(), 1e-14);
}

TEST(Deposit, WatchSeesEveryStepOfItsThreadAndMayEndIt)
{
    const Deposit how{.longest = 20, .threads = 1};
    long outer = 0, inner = 0;
    const DepositWatch watch([&](const DepositStep& s) { outer = s.steps; });
    const Deposited whole = deposit(ball_above_the_floor(), floor_alone, how);
    EXPECT_EQ(outer, whole.steps);
    {
        const DepositWatch other([&](const DepositStep&) {
            if (++inner == 5) throw std::runtime_error("enough");
        });
        EXPECT_THROW(deposit(ball_above_the_floor(), floor_alone, how), std::runtime_error);
    }
    EXPECT_EQ(inner, 5);
    EXPECT_EQ(outer, whole.steps);
    deposit(ball_above_the_floor(), floor_alone, how);
    EXPECT_EQ(inner, 5);
}

// One clock over both halves of the descent.
TEST(Deposit, TimeIsThatOfAllSteps)
{
    const Deposit how{.step = 0.02, .threads = 1};
    const Deposited rest = deposit(ball_above_the_floor(), floor_alone, how);
    EXPECT_NEAR(rest.time, static_cast<double>(rest.steps) * 0.02 * std::sqrt(0.1 / 9.81), 1e-9 * rest.time);
}

} // namespace packing_test
