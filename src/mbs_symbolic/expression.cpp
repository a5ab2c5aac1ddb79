// Expressions: node store and evaluation; simplify.cpp has the operators.
#include "tamis/mbs_symbolic/expression.hpp"

#include "tamis/base/error.hpp"

#include <cmath>
#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace tamis {

namespace {

struct NodeHash {
    static std::size_t of(const Expr& e)
    {
        return e.is_constant() ? std::hash<double>()(e.value()) : static_cast<std::size_t>(e.node()->id) + 1;
    }
    std::size_t operator()(const Node* n) const
    {
        std::size_t h = static_cast<std::size_t>(n->op) * 8 + static_cast<std::size_t>(n->input);
        for (const std::size_t x : {static_cast<std::size_t>(n->index), of(n->a), of(n->b)})
            h = (h ^ x) * 0x9E3779B97F4A7C15u + (h >> 29);
        return h;
    }
};

struct NodeEqual {
    bool operator()(const Node* m, const Node* n) const
    {
        return m->op == n->op && m->input == n->input && m->index == n->index && m->a == n->a && m->b == n->b;
    }
};

} // namespace

struct Graph::Impl {
    std::deque<Node> nodes; // stable addresses
    std::unordered_set<const Node*, NodeHash, NodeEqual> known;

    Expr intern(Node candidate)
    {
        if (const auto it = known.find(&candidate); it != known.end()) return Expr::of(*it);
        candidate.id = static_cast<int>(nodes.size());
        nodes.push_back(candidate);
        known.insert(&nodes.back());
        return Expr::of(&nodes.back());
    }
};

Graph::Graph() : impl_(std::make_unique<Impl>()) {}
Graph::~Graph() = default;

Expr Graph::symbol(Input input, int index)
{
    return impl_->intern({.op = Op::symbol, .input = input, .index = index, .graph = this});
}

int Graph::size() const
{
    return static_cast<int>(impl_->nodes.size());
}

Expr Graph::make(Op op, Expr a, Expr b)
{
    for (const Expr& e : {a, b})
        if (!e.is_constant() && e.node()->graph != this) fail("an expression mixes symbols of two graphs");
    return impl_->intern({.op = op, .a = a, .b = b, .graph = this});
}

double Inputs::operator()(Input input, int index) const
{
    switch (input) {
    case Input::p:
        return p[index];
    case Input::q:
        return q[index];
    case Input::v:
        return v[index];
    case Input::w:
        return w[index];
    case Input::t:
        break;
    }
    return t[index];
}

double evaluate(const Expr& e, const Inputs& in)
{
    if (e.is_constant()) return e.value();
    std::unordered_map<const Node*, double> values;
    const auto value = [&](const Expr& x) { return x.is_constant() ? x.value() : values.at(x.node()); };
    const auto compute = [&](const Node* n) {
        switch (n->op) {
        case Op::symbol:
            return in(n->input, n->index);
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

std::string to_string(const Expr& e)
{
    if (e.is_constant()) return fmt::format("{}", e.value());
    const Node& n = *e.node();
    const auto binary = [&](char op) {
        return fmt::format("({} {} {})", to_string(n.a), op, to_string(n.b));
    };
    const auto unary = [&](const char* op) { return fmt::format("{}({})", op, to_string(n.a)); };
    switch (n.op) {
    case Op::symbol:
        return fmt::format("{}[{}]", "pqvwt"[static_cast<int>(n.input)], n.index);
    case Op::add:
        return binary('+');
    case Op::sub:
        return binary('-');
    case Op::mul:
        return binary('*');
    case Op::div:
        return binary('/');
    case Op::neg:
        return unary("-");
    case Op::sin:
        return unary("sin");
    case Op::cos:
        return unary("cos");
    case Op::sqrt:
        break;
    }
    return unary("sqrt");
}

} // namespace tamis
