// Directional derivative of an expression: given the rate of every symbol, the rate of the expression.
//
//   D[a b] = D[a] b + a D[b],  D[sin a] = cos a D[a], ...
//
// With rates q̇ = v this gives ḣ = J v, and applied twice with v held, J̇ v; with unit rates, a column of J.
#pragma once

#include "tamis/mbs_symbolic/expression.hpp"

#include <functional>
#include <unordered_map>
#include <utility>

namespace tamis {

class Derivative {
  public:
    using Rate = std::function<Expr(Input input, int index)>; // rate of a symbol
    explicit Derivative(Rate rate) : rate_(std::move(rate)) {}
    Expr operator()(const Expr& e); // remembers what it derived

  private:
    Rate rate_;
    std::unordered_map<const Node*, Expr> done_;
};

} // namespace tamis
