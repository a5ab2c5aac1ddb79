// Normal form of angles and condensation of trigonometric sums, see trigonometry.hpp.
//
// To recognise an identity, two terms are taken apart into coefficient and factors, the common factors k put
// aside, and the at most two factors that remain on each side compared. cos² A - sin² A and sin A cos A are
// kept: the double angle would cost another sine and save nothing.
#include "tamis/mbs_symbolic/trigonometry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

namespace tamis {

namespace {

constexpr std::size_t max_terms = 16;  // of an angle that is reordered
constexpr std::size_t max_factors = 8; // of a product that is taken apart
constexpr int max_depth = 2;           // of the sums whose terms are tried

bool is_op(const Expr& e, Op op)
{
    return !e.is_constant() && e.node()->op == op;
}

bool is_sum(const Expr& e)
{
    return is_op(e, Op::add) || is_op(e, Op::sub);
}

Expr signed_sum(const Expr& a, int s, const Expr& b)
{
    return s > 0 ? a + b : a - b;
}

// n if c is n π/2 to round-off: a constant meant as a right angle has a cosine of zero, not of 6e-17.
std::optional<int> quarter_turns(double c)
{
    constexpr double half_pi = std::numbers::pi / 2, eps = 4e-16;
    const double n = std::round(c / half_pi);
    if (std::abs(n) > 64 || std::abs(c - n * half_pi) > eps * std::abs(c)) return std::nullopt;
    return static_cast<int>(n);
}

} // namespace

Angle normal_angle(const Expr& a)
{
    // The sum of c x over x; the newest x is taken first, so each is met once all its users are spent.
    double constant = 0;
    std::map<int, std::pair<Expr, double>, std::greater<>> open;
    std::vector<std::pair<Expr, double>> terms;
    const auto add = [&](const Expr& x, double c) {
        if (x.is_constant())
            constant += c * x.value();
        else
            open.try_emplace(x.node()->id, x, 0.0).first->second.second += c;
    };
    add(a, 1);
    while (!open.empty()) {
        const auto [x, c] = open.begin()->second;
        open.erase(open.begin());
        const Node& n = *x.node();
        if (c == 0) continue;
        if (is_sum(x)) {
            add(n.a, c);
            add(n.b, n.op == Op::add ? c : -c);
        } else if (n.op == Op::neg) {
            add(n.a, -c);
        } else if (n.op == Op::mul && n.a.is_constant()) {
            add(n.b, c * n.a.value());
        } else {
            terms.emplace_back(x, c);
        }
        if (terms.size() > max_terms) return {.rest = a};
    }

    Angle angle;
    if (const auto n = quarter_turns(constant)) {
        angle.quarters = ((*n % 4) + 4) % 4;
        constant = 0;
    }
    if (!terms.empty() && terms.back().second < 0) angle.sign = -1;
    for (auto t = terms.rbegin(); t != terms.rend(); ++t)
        angle.rest += Expr(angle.sign * t->second) * t->first;
    angle.rest += Expr(angle.sign * constant);
    return angle;
}

namespace {

bool trigonometric(const Node* n)
{
    return n->op == Op::sin || n->op == Op::cos;
}

// Factors of a product, in order of creation; a plain array, since every sum that is made looks at several.
struct Factors {
    using value_type = const Node*;
    std::array<const Node*, max_factors> nodes{};
    std::size_t count = 0;
    void push_back(const Node* n) { nodes[count++] = n; }
    const Node* operator[](std::size_t i) const { return nodes[i]; }
    auto begin() { return nodes.begin(); }
    auto end() { return nodes.begin() + static_cast<std::ptrdiff_t>(count); }
    auto begin() const { return nodes.begin(); }
    auto end() const { return nodes.begin() + static_cast<std::ptrdiff_t>(count); }
};

struct Product {
    double c = 1;
    Factors factors;
    int sines = 0; // and cosines
};

std::optional<Product> product(const Expr& e)
{
    Product p;
    Factors open;
    const auto add = [&](const Expr& x) {
        if (x.is_constant())
            p.c *= x.value();
        else
            open.push_back(x.node());
    };
    add(e);
    while (open.count > 0) {
        const Node* n = open[--open.count];
        if (n->op == Op::mul) {
            if (open.count + p.factors.count + 2 > max_factors) return std::nullopt;
            add(n->a);
            add(n->b);
        } else {
            p.factors.push_back(n);
            p.sines += trigonometric(n);
        }
    }
    std::ranges::sort(p.factors, {}, &Node::id);
    return p;
}

// sin A and cos A, either way round
bool are_pair(const Node* m, const Node* n)
{
    return trigonometric(m) && trigonometric(n) && m->op != n->op && m->a == n->a;
}

Expr partner(const Node* n)
{
    return n->op == Op::sin ? cos(n->a) : sin(n->a);
}

// x[0] x[1] + s y[0] y[1]
std::optional<Expr> condense_products(const Factors& x, int s, const Factors& y)
{
    const bool straight = are_pair(x[0], y[0]) && are_pair(x[1], y[1]);
    const bool crossed = are_pair(x[0], y[1]) && are_pair(x[1], y[0]);
    if (!straight && !crossed) return std::nullopt;
    const Expr A = x[0]->a, B = x[1]->a;
    if (x[0]->op == x[1]->op) {
        if (A == B) return s > 0 ? std::optional<Expr>(1) : std::nullopt;
        const Expr cosine = cos(signed_sum(A, -s, B));
        return x[0]->op == Op::sin && s < 0 ? -cosine : cosine; // sin A sin B - cos A cos B = -cos(A + B)
    }
    return x[0]->op == Op::sin ? sin(signed_sum(A, s, B)) : sin(signed_sum(B, s, A));
}

// a + s q for a product a
std::optional<Expr> condense_pair(const Expr& a, int s, const Product& q)
{
    const auto p = product(a);
    if (!p || p->sines + q.sines < 2 || std::abs(p->c) != std::abs(q.c)) return std::nullopt;
    if (p->c != q.c) s = -s;

    Factors common, x, y;
    const auto older = [](const Node* m, const Node* n) { return m->id < n->id; };
    std::ranges::set_intersection(p->factors, q.factors, std::back_inserter(common), older);
    std::ranges::set_difference(p->factors, common, std::back_inserter(x), older);
    std::ranges::set_difference(q.factors, common, std::back_inserter(y), older);

    const auto square = [](const Factors& f) { return f.count == 2 && f[0] == f[1] && trigonometric(f[0]); };
    std::optional<Expr> condensed;
    if (x.count == 2 && y.count == 2)
        condensed = condense_products(x, s, y);
    else if (x.count == 0 && square(y) && s < 0) // 1 - sin²
        condensed = partner(y[0]) * partner(y[0]);
    else if (y.count == 0 && square(x) && s < 0) // sin² - 1
        condensed = -(partner(x[0]) * partner(x[0]));
    if (!condensed) return std::nullopt;

    Expr k = 1;
    for (const Node* n : common) k *= Expr::of(n);
    return Expr(p->c) * (k * *condensed);
}

// a + s q where q meets one of the terms of a
std::optional<Expr> absorb(const Expr& a, int s, const Product& q, int depth = max_depth)
{
    if (auto condensed = condense_pair(a, s, q)) return condensed;
    if (depth == 0 || !is_sum(a)) return std::nullopt;
    const Expr x = a.node()->a, y = a.node()->b;
    const int t = a.node()->op == Op::add ? 1 : -1;
    if (const auto condensed = absorb(y, s * t, q, depth - 1)) return signed_sum(x, t, *condensed);
    if (const auto condensed = absorb(x, s, q, depth - 1)) return signed_sum(*condensed, t, y);
    return std::nullopt;
}

std::optional<Expr> absorb(const Expr& a, int s, const Expr& b)
{
    const auto q = product(b);
    return q ? absorb(a, s, *q) : std::nullopt;
}

} // namespace

std::optional<Expr> condense(const Expr& a, int s, const Expr& b)
{
    if (auto condensed = absorb(a, s, b)) return condensed;
    if (!is_sum(b)) return std::nullopt;
    if (const auto condensed = absorb(b, s, a)) return signed_sum(0, s, *condensed);
    if (!is_sum(a)) return std::nullopt;
    const Expr x = b.node()->a, y = b.node()->b;
    const int t = b.node()->op == Op::add ? s : -s;
    if (const auto condensed = absorb(a, t, y)) return signed_sum(*condensed, s, x);
    if (const auto condensed = absorb(a, s, x)) return signed_sum(*condensed, t, y);
    return std::nullopt;
}

} // namespace tamis
