// The operators of expressions, which simplify as nodes are made.
//
// Normal form of what the operators return:
//   - a sign is outermost: -(a b), -(a / b), a - b; a negative constant appears nowhere inside a node;
//   - a constant is the left factor of a product and occurs once: c (x y);
//   - in a sum a constant occurs once: c + x, c - x or x - c;
//   - the operands of + and * are in order of creation, which makes equal expressions the same node;
//   - angles of sines and cosines are in the normal form of trigonometry.hpp.
// Division by a constant becomes multiplication by its reciprocal, exact for powers of two and to round-off
// otherwise; folding and gathering of constants are likewise exact to round-off.
#include "tamis/base/error.hpp"
#include "tamis/mbs_symbolic/expression.hpp"
#include "tamis/mbs_symbolic/trigonometry.hpp"

#include <cmath>

namespace tamis {

namespace {

bool is_op(const Expr& e, Op op)
{
    return !e.is_constant() && e.node()->op == op;
}

Expr make(Op op, const Expr& a, const Expr& b = 0)
{
    return (a.is_constant() ? b : a).node()->graph->make(op, a, b);
}

Expr make_commutative(Op op, const Expr& a, const Expr& b)
{
    const bool swap = !a.is_constant() && (b.is_constant() || b.node()->id < a.node()->id);
    return swap ? make(op, b, a) : make(op, a, b);
}

// e = c x
struct Scaled {
    double c;
    Expr x;
};

Scaled scaled(const Expr& e)
{
    if (is_op(e, Op::mul) && e.node()->a.is_constant()) return {e.node()->a.value(), e.node()->b};
    return {1, e};
}

// e = c + s x
struct Shifted {
    double c;
    int s;
    Expr x;
};

Shifted shifted(const Expr& e)
{
    if (is_op(e, Op::add) && e.node()->a.is_constant()) return {e.node()->a.value(), 1, e.node()->b};
    if (is_op(e, Op::sub) && e.node()->a.is_constant()) return {e.node()->a.value(), -1, e.node()->b};
    if (is_op(e, Op::sub) && e.node()->b.is_constant()) return {-e.node()->b.value(), 1, e.node()->a};
    return {0, 1, e};
}

// c + s x, x without constant part
Expr shift(double c, int s, const Expr& x)
{
    if (c == 0) return s > 0 ? x : -x;
    if (s < 0) return make(Op::sub, c, x);
    return c < 0 ? make(Op::sub, x, -c) : make(Op::add, c, x);
}

// a + s b for nodes without outer sign
Expr sum(const Expr& a, int s, const Expr& b)
{
    const Scaled ka = scaled(a), kb = scaled(b);
    if (ka.x == kb.x) return Expr(ka.c + s * kb.c) * ka.x;
    if (const auto condensed = condense(a, s, b)) return *condensed;
    return s > 0 ? make_commutative(Op::add, a, b) : make(Op::sub, a, b);
}

} // namespace

Expr operator+(const Expr& a, const Expr& b)
{
    if (a.is_constant() && b.is_constant()) return a.value() + b.value();
    if (a.is(0)) return b;
    if (b.is(0)) return a;
    if (is_op(b, Op::neg)) return a - b.node()->a;
    if (is_op(a, Op::neg)) return b - a.node()->a;
    if (b.is_constant()) return b + a;
    if (a.is_constant()) {
        const Shifted t = shifted(b);
        if (t.c != 0) return shift(a.value() + t.c, t.s, t.x);
        if (const auto condensed = condense(a, 1, b)) return *condensed;
        return shift(a.value(), 1, b);
    }
    return sum(a, 1, b);
}

Expr operator-(const Expr& a, const Expr& b)
{
    if (a.is_constant() && b.is_constant()) return a.value() - b.value();
    if (a.is(0)) return -b;
    if (b.is_constant()) return Expr(-b.value()) + a;
    if (is_op(b, Op::neg)) return a + b.node()->a;
    if (is_op(a, Op::neg)) return -(a.node()->a + b);
    if (a.is_constant()) {
        const Shifted t = shifted(b);
        if (t.c != 0) return shift(a.value() - t.c, -t.s, t.x);
        if (const auto condensed = condense(a, -1, b)) return *condensed;
        return shift(a.value(), -1, b);
    }
    return sum(a, -1, b);
}

Expr operator-(const Expr& a)
{
    if (a.is_constant()) return -a.value();
    if (is_op(a, Op::neg)) return a.node()->a;
    if (is_op(a, Op::sub)) return a.node()->b - a.node()->a;
    return make(Op::neg, a);
}

Expr operator*(const Expr& a, const Expr& b)
{
    if (a.is_constant() && b.is_constant()) return a.value() * b.value();
    if (a.is(0) || b.is(0)) return 0;
    if (a.is(1)) return b;
    if (b.is(1)) return a;
    if (is_op(a, Op::neg)) return -(a.node()->a * b);
    if (is_op(b, Op::neg)) return -(a * b.node()->a);
    if (b.is_constant()) return b * a;
    if (a.is_constant()) {
        if (a.value() < 0) return -(Expr(-a.value()) * b);
        const Scaled k = scaled(b);
        if (k.c != 1) return Expr(a.value() * k.c) * k.x;
    } else {
        const Scaled ka = scaled(a), kb = scaled(b);
        if (ka.c != 1 && kb.c != 1) return Expr(ka.c * kb.c) * (ka.x * kb.x);
    }
    return make_commutative(Op::mul, a, b);
}

Expr operator/(const Expr& a, const Expr& b)
{
    if (b.is(0)) fail("an expression is divided by zero: {}", to_string(a));
    if (a.is_constant() && b.is_constant()) return a.value() / b.value();
    if (a.is(0)) return 0;
    if (b.is_constant()) return Expr(1 / b.value()) * a;
    if (a == b) return 1;
    if (is_op(a, Op::neg)) return -(a.node()->a / b);
    if (is_op(b, Op::neg)) return -(a / b.node()->a);
    if (a.is_constant() && a.value() < 0) return -(Expr(-a.value()) / b);
    return make(Op::div, a, b);
}

// With a = s r + n π/2
Expr sin(const Expr& a)
{
    const Angle t = normal_angle(a);
    if (t.quarters % 2 != 0) return t.quarters == 1 ? cos(t.rest) : -cos(t.rest);
    const Expr sine = t.rest.is_constant() ? Expr(std::sin(t.rest.value())) : make(Op::sin, t.rest);
    return (t.quarters == 0) == (t.sign > 0) ? sine : -sine;
}

Expr cos(const Expr& a)
{
    const Angle t = normal_angle(a);
    if (t.quarters % 2 != 0) return (t.quarters == 1) == (t.sign > 0) ? -sin(t.rest) : sin(t.rest);
    const Expr cosine = t.rest.is_constant() ? Expr(std::cos(t.rest.value())) : make(Op::cos, t.rest);
    return t.quarters == 0 ? cosine : -cosine;
}

Expr sqrt(const Expr& a)
{
    return a.is_constant() ? Expr(std::sqrt(a.value())) : make(Op::sqrt, a);
}

Expr& Expr::operator+=(const Expr& b)
{
    return *this = *this + b;
}
Expr& Expr::operator-=(const Expr& b)
{
    return *this = *this - b;
}
Expr& Expr::operator*=(const Expr& b)
{
    return *this = *this * b;
}
Expr& Expr::operator/=(const Expr& b)
{
    return *this = *this / b;
}

} // namespace tamis
