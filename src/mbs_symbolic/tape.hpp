// Interpreter of a schedule: the same operations in the same order as the emitted code, without a compiler.
#pragma once

#include "mbs_symbolic/schedule.hpp"

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
    struct Instruction {
        Op op;
        int a, b; // slots
    };
    std::vector<Load> loads_;
    std::vector<Instruction> instructions_;
    std::vector<int> outputs_;  // slots
    std::vector<double> slots_; // [constants, inputs as loads_, results as instructions_]
    int constants_ = 0;
};

} // namespace tamis
