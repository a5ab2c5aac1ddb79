// The kernels of a device, run by this processor: the same bits as those of the processor, in any order of its threads.
#include "dem/crowd.hpp"
#include "error_of.hpp"
#include "tamis/contact/device.hpp"

#include <gtest/gtest.h>

namespace tamis::penalty_device_test {
namespace {

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

std::vector<BallWall> walls()
{
    std::vector<BallWall> parts = shaken_box();
    parts[0].motion = shaking(0)[0];
    BallWall block{"block", cylinder(0.02, 0.05), 1, {}};
    block.motion.pose.p = {0.0539, 0, 0};
    block.motion.angular_velocity = {0, 3, 1};
    parts.push_back(block);
    return parts;
}

PenaltyBed bed_on(const PenaltyDevice* device, FrictionModel friction, double rolling, bool equal = false)
{
    std::vector<Ball> balls = crowd(7, 0.0098, 1);
    if (equal)
        for (Ball& b : balls) b = {b.x, b.v, b.omega, 0.5e-2, balls[1].mass, 0};
    return {balls,
            walls(),
            two_materials(rolling),
            {.h = 5e-6, .gravity = {0, 0, -g}, .friction = friction, .device = device}};
}

void shake_from(PenaltyBed& bed, int from, int to)
{
    std::vector<BodyMotion> next(bed.walls().begin(), bed.walls().end());
    for (int i = from; i < to; ++i) {
        next[0] = shaking((i + 1) * 5e-6)[0];
        bed.step(next);
    }
}

void expect_same_bits(const PenaltyBed& bed, const PenaltyBed& other)
{
    StateHash one, two;
    bed.hash(one);
    other.hash(two);
    EXPECT_EQ(one.value, two.value);
    EXPECT_EQ(bed.wall_work(), other.wall_work());
    EXPECT_EQ(bed.contacts(), other.contacts());
    EXPECT_EQ(bed.deepest(), other.deepest());
    EXPECT_EQ(bed.largest_overlap(), other.largest_overlap());
    EXPECT_EQ(bed.dissipated().normal, other.dissipated().normal);
    EXPECT_EQ(bed.dissipated().friction, other.dissipated().friction);
    EXPECT_EQ(bed.dissipated().rolling, other.dissipated().rolling);
    EXPECT_EQ(bed.momentum_error(), other.momentum_error());
}

TEST(PenaltyDevice, BitsAreThoseOfTheProcessorInAnyOrderOfTheThreads)
{
    const PenaltyDevice backwards = penalty_device<Backwards>(this_processor),
                        interleaved = penalty_device<Interleaved>(this_processor);
    for (const FrictionModel friction : {FrictionModel::directional, FrictionModel::elastic})
        for (const double rolling : {0.0, 1e-5}) {
            PenaltyBed plain = bed_on(nullptr, friction, rolling);
            shake_from(plain, 0, 600);
            EXPECT_GT(plain.contacts(), 100);
            for (const PenaltyDevice* device : {&penalty_on_this_processor(), &backwards, &interleaved}) {
                PenaltyBed bed = bed_on(device, friction, rolling);
                shake_from(bed, 0, 600);
                EXPECT_GT(bed.sorts(), 1);
                expect_same_bits(bed, plain);
            }
        }
}

TEST(PenaltyDevice, EqualBallsMoveAsOnTheProcessorToRoundOff)
{
    PenaltyBed plain = bed_on(nullptr, FrictionModel::elastic, 0, true),
               bed = bed_on(&penalty_on_this_processor(), FrictionModel::elastic, 0, true);
    shake_from(plain, 0, 100);
    shake_from(bed, 0, 100);
    EXPECT_GT(plain.contacts(), 100);
    for (int i = 0; i < plain.count(); ++i) {
        ASSERT_NEAR((bed.position(i) - plain.position(i)).norm(), 0, 1e-12);
        ASSERT_NEAR((bed.velocity(i) - plain.velocity(i)).norm(), 0, 1e-9);
    }
}

TEST(PenaltyDevice, GoesOnFromASavedState)
{
    PenaltyBed bed = bed_on(&penalty_on_this_processor(), FrictionModel::elastic, 1e-5),
               plain = bed_on(nullptr, FrictionModel::elastic, 1e-5);
    shake_from(bed, 0, 300);
    SavedState saved;
    bed.write(saved);
    shake_from(bed, 300, 600);
    PenaltyBed other = bed_on(&penalty_on_this_processor(), FrictionModel::elastic, 1e-5);
    for (PenaltyBed* again : {&other, &plain}) {
        std::vector<BodyMotion> motions(again->walls().begin(), again->walls().end());
        motions[0] = shaking(300 * 5e-6)[0];
        again->read(saved, motions);
        shake_from(*again, 300, 600);
        expect_same_bits(*again, bed);
    }
}

TEST(PenaltyDevice, CudaGivesTheBitsOfTheProcessor)
{
    if (const std::string error = error_of([] { penalty_cuda(); }); !error.empty()) {
        EXPECT_TRUE(contains(error, "take another solver")) << error;
        GTEST_SKIP() << "no CUDA device here: " << error;
    }
    PenaltyBed plain = bed_on(nullptr, FrictionModel::elastic, 1e-5),
               bed = bed_on(&penalty_cuda(), FrictionModel::elastic, 1e-5);
    shake_from(plain, 0, 600);
    shake_from(bed, 0, 600);
    expect_same_bits(bed, plain);
}

} // namespace
} // namespace tamis::penalty_device_test
