// Symbolic scalars: an expression is a constant or a node of a hash-consed graph.
//
// Two equal expressions of one graph are the same node, so common subexpressions are shared as they are made.
// Each node is simplified when it is made (constants folded, 0 and 1 absorbed, signs pulled out, sums of
// trigonometric products condensed by trigonometry.hpp); there is no later pass.
//
// Expr is a scalar for templates written for double: the same recursion generates or computes.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tamis {

// The arguments of every generated function: f(p, q, v, w, out).
enum class Input : std::uint8_t {
    p, // parameters of the mechanism (masses, lengths, gravity)
    q, // joint coordinates
    v, // joint velocities
    w, // applied wrenches
    t, // time, only in prescribed motions
};

enum class Op : std::uint8_t { symbol, add, sub, mul, div, neg, sin, cos, sqrt };

struct Node;
class Graph;

class Expr {
  public:
    Expr(double value = 0) : value_(value) {}
    static Expr of(const Node* node) // not a constructor: Expr(0) must mean the number
    {
        Expr e;
        e.node_ = node;
        return e;
    }

    bool is_constant() const { return node_ == nullptr; }
    bool is(double value) const { return is_constant() && value_ == value; }
    double value() const { return value_; } // of a constant
    const Node* node() const { return node_; }

    friend bool operator==(const Expr& a, const Expr& b)
    {
        return a.node_ == b.node_ && a.value_ == b.value_;
    }

    Expr& operator+=(const Expr& b);
    Expr& operator-=(const Expr& b);
    Expr& operator*=(const Expr& b);
    Expr& operator/=(const Expr& b);

  private:
    double value_ = 0;
    const Node* node_ = nullptr;
};

struct Node {
    Op op;
    Input input = Input::p; // of a symbol
    int index = 0;          // of a symbol in its input array
    Expr a = 0, b = 0;      // operands
    int id = 0;             // order of creation: operands come before their users
    Graph* graph = nullptr;
};

class Graph {
  public:
    Graph();
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    Expr symbol(Input input, int index);
    int size() const; // number of nodes ever made

    // The node of this operation on these operands as they stand; the operators below simplify first.
    Expr make(Op op, Expr a, Expr b = 0);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
Expr sin(const Expr& a);
Expr cos(const Expr& a);
Expr sqrt(const Expr& a);

// The value of an expression, its symbols looked up in the input arrays (null
// where none of that kind occurs).
struct Inputs {
    const double* p = nullptr;
    const double* q = nullptr;
    const double* v = nullptr;
    const double* w = nullptr;
    const double* t = nullptr;
    double operator()(Input input, int index) const;
};
double evaluate(const Expr& e, const Inputs& in);

inline std::array<Expr, 2> operands_of(const Node* n)
{
    return {n->a, n->b};
}

// Visits the nodes below root that are not done yet, operands first, a before b; visit(n) makes done(n) true.
// Without recursion: long sums are deep graphs.
template <class Done, class Visit, class Operands = decltype(&operands_of)>
void post_order(const Node* root, Done done, Visit visit, Operands operands = operands_of)
{
    std::vector<const Node*> stack{root};
    while (!stack.empty()) {
        const Node* n = stack.back();
        const std::size_t height = stack.size();
        if (!done(n)) {
            const auto [a, b] = operands(n);
            for (const Expr& x : {b, a})
                if (!x.is_constant() && !done(x.node())) stack.push_back(x.node());
            if (stack.size() > height) continue;
            visit(n);
        }
        stack.pop_back();
    }
}

// Infix text, symbols as q[3]; for messages and tests.
std::string to_string(const Expr& e);

} // namespace tamis

namespace Eigen {
template <>
struct NumTraits<tamis::Expr> : GenericNumTraits<tamis::Expr> {
    using Real = tamis::Expr;
    using NonInteger = tamis::Expr;
    using Nested = tamis::Expr;
    enum {
        IsComplex = 0,
        IsInteger = 0,
        IsSigned = 1,
        RequireInitialization = 1,
        ReadCost = 1,
        AddCost = 1,
        MulCost = 1
    };
};
} // namespace Eigen
