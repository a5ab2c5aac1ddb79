// Kernels for all instruction sets and threads: the same bits, and what the plain law says.
#include "dem/crowd.hpp"

#include <gtest/gtest.h>

namespace tamis::penalty_kernel_test {
namespace {

using Eigen::Vector3d;

std::uint64_t hash(const PenaltyBed& bed)
{
    StateHash h;
    bed.hash(h);
    return h.value;
}

TEST(PenaltyKernel, SameBitsForAnyNumberOfThreadsAndAfterARestart)
{
    for (const FrictionModel model : {FrictionModel::directional, FrictionModel::elastic}) {
        BedOptions options{.h = 5e-6, .gravity = {0, 0, -g}, .friction = model};
        std::vector<BallWall> walls{{"box", hollow(box(0.11, 0.11, 0.12)), 0, shaking(0)[0]}};
        const std::vector<Ball> balls = crowd(10, 0.0102, 3);
        std::uint64_t first = 0;
        for (const int threads : {1, 2, 3}) {
            options.threads = threads;
            PenaltyBed bed(balls, walls, two_materials(1e-5), options);
            shake(bed, 0, 300, options.h);
            SavedState saved;
            bed.write(saved);
            shake(bed, 300, 600, options.h);
            EXPECT_GT(bed.sorts(), 1);
            PenaltyBed other(balls, walls, two_materials(1e-5), options);
            other.read(saved, shaking(300 * options.h));
            shake(other, 300, 600, options.h);
            EXPECT_EQ(hash(bed), hash(other)) << threads;
            EXPECT_EQ(bed.wall_work(), other.wall_work());
            EXPECT_EQ(bed.dissipated().friction, other.dissipated().friction);
            if (threads == 1) first = hash(bed);
            EXPECT_EQ(hash(bed), first) << threads;
        }
    }
}

struct Bed {
    std::vector<Ball> balls;
    std::vector<PenaltyLaw> laws;
    FrictionModel friction;
};
std::vector<Bed> beds()
{
    std::vector<Ball> mixed = crowd(7, 0.0098, 1), equal = mixed;
    for (Ball& b : equal) b = {b.x, b.v, b.omega, 0.5e-2, equal[1].mass, 0};
    std::vector<PenaltyLaw> hertz = two_materials(1e-5), smooth = two_materials();
    hertz[0] = {.stiffness = 1e7,
                .shear_ratio = 0.8,
                .restitution = 0.7,
                .friction = 0.2,
                .rolling = 1e-5,
                .hertz = true};
    smooth[3].friction = 0;
    std::vector<Bed> all;
    for (const FrictionModel model : {FrictionModel::directional, FrictionModel::elastic}) {
        all.push_back({equal, two_materials(), model});
        all.push_back({mixed, two_materials(), model});
        all.push_back({mixed, two_materials(1e-5), model});
        all.push_back({mixed, hertz, model});
        all.push_back({mixed, smooth, model});
    }
    return all;
}
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

// Accelerations, and wrenches on walls, from the contacts that visit() tells of by the plain law.
TEST(PenaltyKernel, ForcesAreThoseOfThePlainLaw)
{
    for (const Bed& b : beds()) {
        BedOptions options{.h = 5e-6, .gravity = {0, 0, -g}, .friction = b.friction};
        PenaltyBed bed(b.balls, walls(), b.laws, options);
        for (int i = 0; i < 300; ++i) bed.step();
        const int n = bed.count();
        std::vector<Vector3d> force(n, Vector3d::Zero()), torque = force, v(n), omega(n);
        std::vector<Wrench> wrench(2);
        int contacts = 0;
        double scale = 0;
        bed.visit([&](const PenaltyBed::Contact& c) {
            ++contacts;
            scale = std::max(scale, c.force.norm());
            force[c.b] += c.force;
            torque[c.b] += (c.point - bed.position(c.b)).cross(c.force) + c.rolling;
            if (c.a >= 0) {
                force[c.a] -= c.force;
                torque[c.a] -= (c.point - bed.position(c.a)).cross(c.force) + c.rolling;
            } else {
                Wrench& on = wrench[-1 - c.a];
                on.force -= c.force;
                on.moment -= (c.point - bed.walls()[-1 - c.a].pose.p).cross(c.force) + c.rolling;
            }
        });
        for (int i = 0; i < n; ++i) {
            v[i] = bed.velocity(i);
            omega[i] = bed.angular_velocity(i);
        }
        bed.step();
        EXPECT_EQ(bed.contacts(), contacts);
        EXPECT_GT(contacts, 150);
        for (int w = 0; w < 2; ++w) {
            EXPECT_NEAR((bed.wall_wrench(w).force - wrench[w].force).norm(), 0, 1e-11 * scale);
            EXPECT_NEAR((bed.wall_wrench(w).moment - wrench[w].moment).norm(), 0, 1e-12 * scale);
        }
        for (int i = 0; i < n; ++i) {
            const double mass = b.balls[i].mass, inertia = 0.4 * mass * b.balls[i].radius * b.balls[i].radius;
            const Vector3d f = mass * ((bed.velocity(i) - v[i]) / options.h - options.gravity),
                           m = inertia / options.h * (bed.angular_velocity(i) - omega[i]);
            ASSERT_NEAR((f - force[i]).norm(), 0, 1e-9 * scale);
            ASSERT_NEAR((m - torque[i]).norm(), 0, 1e-9 * scale * 0.005);
        }
    }
}

TEST(PenaltyKernel, SameBitsForEveryInstructionSet)
{
    int compared = 0;
    for (const Bed& b : beds()) {
        std::uint64_t first = 0;
        double work = 0;
        for (const char* name : {"scalar", "sse2", "avx2", "avx512"}) {
            const PenaltyKernels* kernels = penalty_kernels(name);
            if (!kernels) continue;
            BedOptions options{.h = 5e-6, .gravity = {0, 0, -g}, .friction = b.friction, .kernels = kernels};
            PenaltyBed bed(b.balls, walls(), b.laws, options);
            std::vector<BodyMotion> next(bed.walls().begin(), bed.walls().end());
            for (int i = 0; i < 600; ++i) {
                next[0] = shaking((i + 1) * options.h)[0];
                bed.step(next);
            }
            if (!first) {
                first = hash(bed);
                work = bed.wall_work();
            }
            EXPECT_EQ(hash(bed), first) << name;
            EXPECT_EQ(bed.wall_work(), work) << name;
            ++compared;
        }
    }
    EXPECT_GE(compared, 10);
}

} // namespace
} // namespace tamis::penalty_kernel_test
