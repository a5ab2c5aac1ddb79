// Tapes: the interpreter computes what evaluate() computes, to the last bit.
#include "tamis/mbs_symbolic/tape.hpp"

#include "mbs_symbolic/random_expressions.hpp"

#include <bit>
#include <cstdint>
#include <gtest/gtest.h>

namespace tamis::tape_test {
namespace {

TEST(Tape, EqualsEvaluationBitForBit)
{
    for (unsigned seed = 0; seed < 20; ++seed) {
        Graph graph;
        const RandomExpressions random(graph, seed, 400);
        const auto expressions = random.expressions();
        Tape tape(make_schedule(expressions));
        ASSERT_EQ(tape.outputs(), static_cast<int>(expressions.size()));
        std::vector<double> out(expressions.size());
        for (int call = 0; call < 2; ++call) { // the second finds the slots used
            tape(random.p.data(), random.q.data(), random.v.data(), random.w.data(), out.data());
            for (std::size_t i = 0; i < out.size(); ++i)
                ASSERT_EQ(std::bit_cast<std::uint64_t>(out[i]),
                          std::bit_cast<std::uint64_t>(evaluate(expressions[i], random.inputs())))
                    << to_string(expressions[i]);
        }
    }
}

TEST(Tape, FollowsItsInputs)
{
    Graph graph;
    Tape tape(make_schedule({graph.symbol(Input::q, 1) - 2 * graph.symbol(Input::p, 0)}));
    double p = 1, q[] = {0, 5}, out = 0;
    tape(&p, q, nullptr, nullptr, &out);
    EXPECT_EQ(out, 3);
    p = 4;
    tape(&p, q, nullptr, nullptr, &out);
    EXPECT_EQ(out, -3);
}

TEST(Tape, TakesTimeFromTheInputs)
{
    Graph graph;
    Tape tape(make_schedule({3 * graph.symbol(Input::t, 0)}));
    const double t = 0.5;
    double out = 0;
    tape({.t = &t}, &out);
    EXPECT_EQ(out, 1.5);
}

TEST(Tape, GivesConstantsAndSymbolsUnchanged)
{
    Graph graph;
    Tape tape(make_schedule({-2.5, graph.symbol(Input::v, 0), 0}));
    const double v = 7;
    double out[3] = {9, 9, 9};
    tape(nullptr, nullptr, &v, nullptr, out);
    EXPECT_EQ(out[0], -2.5);
    EXPECT_EQ(out[1], 7);
    EXPECT_EQ(out[2], 0);
}

TEST(Tape, EmptyTapeHasNoOutputs)
{
    Tape tape;
    EXPECT_EQ(tape.outputs(), 0);
    tape(Inputs{}, nullptr);
}

} // namespace
} // namespace tamis::tape_test
