// Schedules: live nodes only, operands first, operations and uses counted.
#include "tamis/mbs_symbolic/schedule.hpp"

#include "mbs_symbolic/random_expressions.hpp"

#include <gtest/gtest.h>

namespace tamis::schedule_test {
namespace {

struct ScheduleOf : testing::Test {
    Graph graph;
    Expr x = graph.symbol(Input::q, 0), y = graph.symbol(Input::q, 1);
};

TEST_F(ScheduleOf, DeadNodesAreDropped)
{
    const Expr dead = sin(x * y) + 7;
    const Schedule s = make_schedule({x * y});
    EXPECT_GT(graph.size(), 3);
    EXPECT_EQ(dead.node()->op, Op::add);
    EXPECT_EQ(s.instructions.size(), 3u); // x, y, x y
}

TEST_F(ScheduleOf, SharedNodesAreComputedOnce)
{
    const Expr shared = x * y;
    const Schedule s = make_schedule({shared + x, sqrt(shared), shared});
    EXPECT_EQ(s.instructions.size(), 5u);
    EXPECT_EQ(s.instructions[s.outputs[2].slot].op, Op::mul);
    EXPECT_EQ(s.instructions[s.outputs[2].slot].uses, 3);
    EXPECT_EQ(s.instructions[s.outputs[0].slot].uses, 1);
}

TEST_F(ScheduleOf, OperationsAreCounted)
{
    const OperationCount n =
        make_schedule({2 * sin(x) - cos(x), sin(y) / (x * y), sqrt(x) + 1, -sqrt(x)}).count();
    EXPECT_EQ(n.additions, 3); // -, +, negation
    EXPECT_EQ(n.multiplications, 2);
    EXPECT_EQ(n.divisions, 1);
    EXPECT_EQ(n.trigonometric, 2); // sine and cosine of x, sine of y
    EXPECT_EQ(n.square_roots, 1);
    EXPECT_EQ(n.total(), 9);
}

TEST_F(ScheduleOf, SignsGoIntoConstants)
{
    const Schedule s = make_schedule({-2 * x, -3 / y});
    EXPECT_EQ(s.count().total(), 2);
    EXPECT_EQ(s.instructions[s.outputs[0].slot].a.value, -2);
    EXPECT_EQ(s.instructions[s.outputs[1].slot].a.value, -3);
}

TEST_F(ScheduleOf, OutputsMayBeConstantsAndSymbols)
{
    const Schedule s = make_schedule({4, x, 0});
    ASSERT_EQ(s.outputs.size(), 3u);
    EXPECT_EQ(s.outputs[0].slot, -1);
    EXPECT_EQ(s.outputs[0].value, 4);
    EXPECT_EQ(s.outputs[1].slot, 0);
    EXPECT_EQ(s.instructions.size(), 1u);
    EXPECT_EQ(s.count().total(), 0);
}

TEST_F(ScheduleOf, RandomOperandsComeFirstAndUsesAddUp)
{
    Graph fresh;
    const Schedule s = make_schedule(RandomExpressions(fresh, 1, 500).expressions());
    std::vector<int> uses(s.instructions.size());
    const auto refer = [&](const Schedule::Operand& o, std::size_t user) {
        if (o.slot < 0) return;
        EXPECT_LT(static_cast<std::size_t>(o.slot), user);
        ++uses[static_cast<std::size_t>(o.slot)];
    };
    for (std::size_t k = 0; k < s.instructions.size(); ++k) {
        refer(s.instructions[k].a, k);
        refer(s.instructions[k].b, k);
    }
    for (const auto& output : s.outputs) refer(output, s.instructions.size());
    for (std::size_t k = 0; k < s.instructions.size(); ++k) {
        EXPECT_EQ(s.instructions[k].uses, uses[k]);
        EXPECT_GT(uses[k], 0);
    }
}

} // namespace
} // namespace tamis::schedule_test
