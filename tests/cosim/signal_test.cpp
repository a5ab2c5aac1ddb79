#include "tamis/cosim/signal.hpp"

#include <gtest/gtest.h>

namespace tamis::signal_test {
namespace {

// u = (t^2 - 3 t + 2, 4 t, 7)
struct Sampled {
    explicit Sampled(double t) : u{t * t - 3 * t + 2, 4 * t, 7}, sample{t, u} {}
    double u[3];
    Signal::Sample sample;
};

TEST(Signal, IsThePolynomialThroughItsSamples)
{
    const Sampled end(0.5), start(0), before(-0.75);
    const Signal::Sample samples[] = {end.sample, start.sample, before.sample};
    Signal signal(3);
    double u[3];
    for (const int order : {2, 1, 0, 2}) { // the last fit leaves nothing behind
        signal.through(std::span(samples).first(static_cast<std::size_t>(order) + 1));
        EXPECT_EQ(signal.order(), order);
        for (int k = 0; k <= order; ++k) {
            signal.at(samples[k].t, u);
            for (int i = 0; i < 3; ++i) EXPECT_NEAR(u[i], samples[k].u[i], 4e-15) << order << k << i;
        }
    }
    const Sampled inside(0.2);
    signal.at(0.2, u);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(u[i], inside.u[i], 4e-15);
    signal.slope(0.2, u);
    EXPECT_NEAR(u[0], 2 * 0.2 - 3, 4e-15);
    EXPECT_NEAR(u[1], 4, 4e-15);
    EXPECT_EQ(u[2], 0);
}

TEST(Signal, MeetsItsNewestSampleToTheLastBit)
{
    const double newest = 0.1, middle = 1e16, oldest = -3;
    const Signal::Sample samples[] = {{0.3, {&newest, 1}}, {0, {&middle, 1}}, {-0.3, {&oldest, 1}}};
    Signal signal(1);
    signal.through(samples);
    double u;
    signal.at(0.3, {&u, 1});
    EXPECT_EQ(u, newest);
}

} // namespace
} // namespace tamis::signal_test
