// States as bytes in memory.
#include "tamis/io/saved_state_bytes.hpp"

#include "error_of.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace tamis::saved_state_bytes_test {

namespace {

SavedState some_state()
{
    SavedState state;
    state.t = 0.1;
    state.step = 12;
    state.put("x", std::vector{1.0, -0.0, 1e-310, std::numeric_limits<double>::infinity()});
    state.put("none", std::vector<double>{});
    state.put_integers("n", std::vector<std::int64_t>{1, -5, std::numeric_limits<std::int64_t>::min()});
    return state;
}

} // namespace

TEST(SavedStateBytes, HoldEveryBit)
{
    const SavedState state = some_state(), back = from_bytes(to_bytes(state), "it");
    EXPECT_EQ(back.t, state.t);
    EXPECT_EQ(back.step, state.step);
    EXPECT_EQ(back.numbers, state.numbers);
    EXPECT_TRUE(std::signbit(back.get("x")[1]));
    EXPECT_EQ(back.integers, state.integers);
    EXPECT_EQ(to_bytes(back), to_bytes(state));
}

TEST(SavedStateBytes, RefuseEveryOther)
{
    const std::string bytes = to_bytes(some_state());
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        EXPECT_PRED2(contains, error_of([&] { from_bytes(bytes.substr(0, n), "it"); }), "it is damaged") << n;
        std::string flipped = bytes;
        flipped[n] = static_cast<char>(flipped[n] ^ 16);
        EXPECT_PRED2(contains, error_of([&] { from_bytes(flipped, "it"); }), "it is damaged") << n;
    }
    EXPECT_PRED2(contains, error_of([&] { from_bytes(bytes + "x", "it"); }), "it is damaged");
}

} // namespace tamis::saved_state_bytes_test
