// The order in which a function computes its outputs: only live nodes, operands before their users.
#pragma once

#include "tamis/mbs_symbolic/expression.hpp"

#include <string>
#include <vector>

namespace tamis {

struct OperationCount {
    int additions = 0; // and subtractions, negations
    int multiplications = 0;
    int divisions = 0;
    int trigonometric = 0; // sine/cosine pairs of one angle count once
    int square_roots = 0;
    int total() const { return additions + multiplications + divisions + trigonometric + square_roots; }
};

// One generated function f(p, q, v, w, out). Value k of the function is instruction k's result; operands are
// instruction numbers, or constants.
struct Schedule {
    struct Operand {
        int slot = -1;    // instruction number, or -1 for a constant
        double value = 0; // of the constant
    };
    struct Instruction {
        Op op;
        Input input = Input::p; // of a symbol
        int index = 0;          // of a symbol
        Operand a, b;
        int uses = 0; // how many operands and outputs refer to it
    };
    std::vector<Instruction> instructions;
    std::vector<Operand> outputs;
    OperationCount count() const;
};

Schedule make_schedule(const std::vector<Expr>& outputs);

} // namespace tamis
