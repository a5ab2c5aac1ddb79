// Interpreter of a schedule: the same operations on the same operands as the
// emitted code, without a compiler.
#pragma once

#include "tamis/mbs_symbolic/schedule.hpp"

namespace tamis {

class Tape {
  public:
    Tape() = default;
    explicit Tape(const Schedule& schedule);
    void operator()(const double* p, const double* q, const double* v, const double* w, double* out);
    void operator()(const Inputs& in, double* out);
    int outputs() const { return static_cast<int>(outputs_.size()); }

  private:
    struct Load {
        Input input;
        int index;
    };
    struct Run { // of instructions with one operation
        Op op;
        int count;
    };
    struct Operands { // slots
        int a, b;
    };
    std::vector<Load> loads_;
    std::vector<Run> runs_;
    std::vector<Operands> operands_; // of the instructions of all runs
    std::vector<int> outputs_;       // slots
    std::vector<double> slots_;      // [constants, inputs as loads_, results as operands_]
    int constants_ = 0;
};

} // namespace tamis
