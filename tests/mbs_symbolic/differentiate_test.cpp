// Derivatives: closed forms, and the complex step on random expressions.
#include "tamis/mbs_symbolic/differentiate.hpp"

#include "mbs_symbolic/random_expressions.hpp"

#include <complex>
#include <gtest/gtest.h>

namespace tamis::differentiate_test {
namespace {

struct Differentiate : testing::Test {
    Graph graph;
    Expr x = graph.symbol(Input::q, 0), y = graph.symbol(Input::q, 1), u = graph.symbol(Input::v, 0),
         w = graph.symbol(Input::v, 1);

    // d/dt with q̇ = v, v held
    Derivative in_time()
    {
        return Derivative(
            [this](Input input, int i) { return input == Input::q ? graph.symbol(Input::v, i) : 0; });
    }
    static Derivative along(Input input, int index)
    {
        return Derivative([=](Input kind, int i) { return Expr(kind == input && i == index ? 1 : 0); });
    }
};

TEST_F(Differentiate, EachOperationHasItsRule)
{
    Derivative D = in_time();
    EXPECT_TRUE(D(3).is(0));
    EXPECT_EQ(D(x), u);
    EXPECT_TRUE(D(u).is(0));
    EXPECT_EQ(D(x + y), u + w);
    EXPECT_EQ(D(x - y), u - w);
    EXPECT_EQ(D(-x), -u);
    EXPECT_EQ(D(x * y), x * w + u * y);
    EXPECT_EQ(D(3 * x), 3 * u);
    EXPECT_EQ(D(x / y), (u - (x / y) * w) / y);
    EXPECT_EQ(D(sin(x)), cos(x) * u);
    EXPECT_EQ(D(cos(x)), -(sin(x) * u));
    EXPECT_EQ(D(sqrt(x)), u / (2 * sqrt(x)));
}

TEST_F(Differentiate, DerivativesOfConstantsLeaveNoTrace)
{
    const Expr length = graph.symbol(Input::p, 0), e = sqrt(length * length + 1) / length;
    const int size = graph.size();
    EXPECT_TRUE(in_time()(e).is(0));
    EXPECT_EQ(graph.size(), size);
}

TEST_F(Differentiate, CentripetalAccelerationOfAPendulum)
{
    const Expr length = graph.symbol(Input::p, 0);
    Derivative first = in_time(), second = in_time();
    const double p[] = {1.5}, q[] = {0.4}, v[] = {2.5};
    const Inputs in{.p = p, .q = q, .v = v};
    EXPECT_NEAR(evaluate(first(length * sin(x)), in), 1.5 * 2.5 * std::cos(0.4), 1e-14);
    EXPECT_NEAR(evaluate(second(first(length * sin(x))), in), -1.5 * 2.5 * 2.5 * std::sin(0.4), 1e-14);
}

TEST_F(Differentiate, MixedDerivativesCommute)
{
    const Expr e = sin(x * y) / sqrt(2 + x) + y * y * cos(x - y);
    Derivative dx = along(Input::q, 0), dy = along(Input::q, 1);
    const double q[] = {0.7, -1.3};
    EXPECT_NEAR(evaluate(dx(dy(e)), {.q = q}), evaluate(dy(dx(e)), {.q = q}), 1e-14);
    EXPECT_GT(std::abs(evaluate(dx(dy(e)), {.q = q})), 0.1);
}

using Complex = std::complex<double>;

// The value of an expression with one symbol moved by i h.
Complex evaluate_at_complex_step(const Expr& e, const Inputs& in, Input input, int index, double h)
{
    if (e.is_constant()) return e.value();
    std::unordered_map<const Node*, Complex> values;
    const auto value = [&](const Expr& x) { return x.is_constant() ? x.value() : values.at(x.node()); };
    const auto compute = [&](const Node* n) -> Complex {
        switch (n->op) {
        case Op::symbol:
            return {in(n->input, n->index), n->input == input && n->index == index ? h : 0};
        case Op::add:
            return value(n->a) + value(n->b);
        case Op::sub:
            return value(n->a) - value(n->b);
        case Op::mul:
            return value(n->a) * value(n->b);
        case Op::div:
            return value(n->a) / value(n->b);
        case Op::neg:
            return -value(n->a);
        case Op::sin:
            return std::sin(value(n->a));
        case Op::cos:
            return std::cos(value(n->a));
        case Op::sqrt:
            break;
        }
        return std::sqrt(value(n->a));
    };
    post_order(
        e.node(), [&](const Node* n) { return values.contains(n); },
        [&](const Node* n) { values.emplace(n, compute(n)); });
    return value(e);
}

TEST_F(Differentiate, RandomExpressionsAgreeWithTheComplexStep)
{
    for (unsigned seed = 0; seed < 40; ++seed) {
        Graph fresh;
        const RandomExpressions random(fresh, seed, 120);
        const Inputs in = random.inputs();
        Derivative dq = along(Input::q, 1), dv = along(Input::v, 2);
        for (const Expr& e : random.expressions()) {
            const double h = 1e-30;
            const Expr first = dq(e), second = dv(first);
            const double expected = evaluate_at_complex_step(e, in, Input::q, 1, h).imag() / h;
            ASSERT_NEAR(evaluate(first, in), expected, 1e-12 * (1 + std::abs(expected))) << to_string(e);
            const double expected2 = evaluate_at_complex_step(first, in, Input::v, 2, h).imag() / h;
            ASSERT_NEAR(evaluate(second, in), expected2, 1e-12 * (1 + std::abs(expected2))) << to_string(e);
        }
    }
}

} // namespace
} // namespace tamis::differentiate_test
