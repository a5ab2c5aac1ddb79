// Expressions: identity of equal expressions, each simplification, values.
#include "tamis/mbs_symbolic/expression.hpp"

#include "mbs_symbolic/random_expressions.hpp"
#include "tamis/base/error.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace tamis::expression_test {
namespace {

struct Expression : testing::Test {
    Graph graph;
    Expr x = graph.symbol(Input::q, 0), y = graph.symbol(Input::q, 1), z = graph.symbol(Input::q, 2);
};

TEST_F(Expression, EqualExpressionsAreTheSameNode)
{
    EXPECT_EQ(graph.symbol(Input::q, 0).node(), x.node());
    EXPECT_NE(graph.symbol(Input::v, 0).node(), x.node());
    const Expr e = sin(x) * (y + z) / sqrt(x + 3);
    const int size = graph.size();
    EXPECT_EQ((sin(x) * (z + y) / sqrt(3 + x)).node(), e.node());
    EXPECT_EQ(graph.size(), size);
    EXPECT_NE((x - y).node(), (y - x).node());
    EXPECT_NE((x / y).node(), (y / x).node());
}

TEST_F(Expression, OperandsComeBeforeTheirUsers)
{
    const Expr e = cos(x * y) - z * sin(x * y);
    std::vector<const Node*> order;
    const auto done = [&](const Node* n) { return std::ranges::find(order, n) != order.end(); };
    post_order(e.node(), done, [&](const Node* n) {
        for (const Expr& operand : operands_of(n)) {
            if (operand.is_constant()) continue;
            EXPECT_TRUE(done(operand.node()));
            EXPECT_LT(operand.node()->id, n->id);
        }
        order.push_back(n);
    });
    EXPECT_EQ(order.size(), 8u); // x, y, xy, cos, z, sin, product, difference
    EXPECT_EQ(order.back(), e.node());
}

TEST_F(Expression, ConstantsFold)
{
    EXPECT_TRUE((Expr(2) + 3).is(5));
    EXPECT_TRUE((Expr(2) - 3).is(-1));
    EXPECT_TRUE((Expr(2) * 3).is(6));
    EXPECT_TRUE((Expr(3) / 4).is(0.75));
    EXPECT_TRUE((-Expr(3)).is(-3));
    EXPECT_TRUE(sqrt(Expr(9)).is(3));
    EXPECT_TRUE(sin(Expr(0.3)).is(std::sin(0.3)));
    EXPECT_TRUE(cos(Expr(-0.3)).is(std::cos(0.3)));
}

TEST_F(Expression, RightAnglesAreExact)
{
    const double right = std::numbers::pi / 2;
    EXPECT_TRUE(cos(Expr(right)).is(0));
    EXPECT_TRUE(sin(Expr(right)).is(1));
    EXPECT_TRUE(sin(Expr(2 * right)).is(0));
    EXPECT_TRUE(cos(Expr(-2 * right)).is(-1));
    EXPECT_TRUE(sin(Expr(3 * right)).is(-1));
    EXPECT_EQ(cos(x + right), -sin(x));
    EXPECT_EQ(sin(x - right), -cos(x));
    EXPECT_EQ(sin(right - x), cos(x));
    EXPECT_EQ(cos(2 * right - x), -cos(x));
    EXPECT_EQ(cos(3 * right - x), -sin(x));
}

TEST_F(Expression, ZeroAndOneAreAbsorbed)
{
    EXPECT_EQ(x + 0, x);
    EXPECT_EQ(0 + x, x);
    EXPECT_EQ(x - 0, x);
    EXPECT_EQ(0 - x, -x);
    EXPECT_TRUE((x * 0).is(0));
    EXPECT_EQ(x * 1, x);
    EXPECT_EQ(x * -1, -x);
    EXPECT_TRUE((0 / x).is(0));
    EXPECT_EQ(x / 1, x);
    EXPECT_EQ(x / -1, -x);
    EXPECT_TRUE((x / x).is(1));
}

TEST_F(Expression, LikeTermsAreCollected)
{
    EXPECT_TRUE((x - x).is(0));
    EXPECT_EQ(x + x, 2 * x);
    EXPECT_EQ(3 * x + x, 4 * x);
    EXPECT_EQ(3 * x - 2 * x, x);
    EXPECT_EQ(2 * x - 3 * x, -x);
}

TEST_F(Expression, SignsMoveOutwardsAndCancel)
{
    EXPECT_EQ(-(-x), x);
    EXPECT_EQ(x + -y, x - y);
    EXPECT_EQ(-x + y, y - x);
    EXPECT_EQ(x - -y, x + y);
    EXPECT_EQ(-x - y, -(x + y));
    EXPECT_EQ(-(x - y), y - x);
    EXPECT_EQ(-x * y, -(x * y));
    EXPECT_EQ(-x * -y, x * y);
    EXPECT_EQ(-x / y, -(x / y));
    EXPECT_EQ(-x / -y, x / y);
    EXPECT_EQ(x * -2, -(2 * x));
    EXPECT_EQ(-2 / x, -(2 / x));
    EXPECT_EQ(y + -2 * x, y - 2 * x);
    EXPECT_EQ(sin(-x), -sin(x));
    EXPECT_EQ(cos(-x), cos(x));
    EXPECT_EQ(sin(y - x), -sin(x - y));
    EXPECT_EQ(cos(y - x), cos(x - y));
}

TEST_F(Expression, ConstantsAreGathered)
{
    EXPECT_EQ(2 * (x * 4), 8 * x);
    EXPECT_EQ((2 * x) * (4 * y), 8 * (x * y));
    EXPECT_EQ(x / 4, 0.25 * x);
    EXPECT_EQ(2 * x / 2, x);
    EXPECT_EQ(1 + (x + 2), 3 + x);
    EXPECT_EQ((x - 2) + 2, x);
    EXPECT_EQ(1 - (x + 3), -2 - x);
    EXPECT_EQ(1 - (x - 3), 4 - x);
    EXPECT_EQ((3 - x) - 1, 2 - x);
    EXPECT_EQ(x + -2, x - 2);
}

TEST_F(Expression, DivisionByZeroIsRefused)
{
    EXPECT_THROW(x / 0, Error);
}

TEST_F(Expression, GraphsDoNotMix)
{
    Graph other;
    EXPECT_THROW(x + other.symbol(Input::q, 0), Error);
}

TEST_F(Expression, EigenMultipliesExpressions)
{
    Eigen::Matrix<Expr, 2, 2> A;
    A << x, 0, 1, y;
    const Eigen::Matrix<Expr, 2, 2> B = A * A;
    EXPECT_EQ(B(0, 0), x * x);
    EXPECT_TRUE(B(0, 1).is(0));
    EXPECT_EQ(B(1, 0), x + y);
    const Eigen::Matrix<Expr, 2, 1> u(x, 0);
    EXPECT_EQ(u.squaredNorm(), x * x);
}

TEST_F(Expression, TextIsInfix)
{
    EXPECT_EQ(to_string(x - 2 * sin(y)), "(q[0] - (2 * sin(q[1])))");
    EXPECT_EQ(to_string(-(x * y) / sqrt(graph.symbol(Input::t, 0))), "-(((q[0] * q[1]) / sqrt(t[0])))");
}

TEST_F(Expression, EveryInputIsLookedUpInItsArray)
{
    const double p[] = {1, 2}, q[] = {3, 5}, v[] = {7, 11}, w[] = {13, 17}, t[] = {19};
    Expr product = graph.symbol(Input::t, 0);
    for (const Input input : {Input::p, Input::q, Input::v, Input::w}) product *= graph.symbol(input, 1);
    EXPECT_EQ(evaluate(product, {.p = p, .q = q, .v = v, .w = w, .t = t}), 2. * 5 * 11 * 17 * 19);
}

TEST_F(Expression, LongSumsAreEvaluatedWithoutRecursion)
{
    Expr sum = 0;
    const int n = 100000;
    for (int i = 0; i < n; ++i) sum += graph.symbol(Input::p, i % 7) * graph.symbol(Input::p, i);
    const std::vector<double> p(n, 0.5);
    EXPECT_EQ(evaluate(sum, {.p = p.data()}), 0.25 * n);
}

TEST_F(Expression, RandomExpressionsHaveTheValueOfPlainArithmetic)
{
    for (unsigned seed = 0; seed < 200; ++seed) {
        Graph fresh;
        const RandomExpressions random(fresh, seed, 150);
        for (const auto& t : random.terms)
            ASSERT_NEAR(evaluate(t.e, random.inputs()), t.value, 1e-14) << seed << ": " << to_string(t.e);
    }
}

} // namespace
} // namespace tamis::expression_test
