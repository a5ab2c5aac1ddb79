// The equations of a mechanism as expressions and as C, and the oracle that judges them.
#pragma once

#include "tamis/mbs_symbolic/mechanism.hpp"
#include "tamis/mbs_symbolic/quantity.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tamis {

int output_size(const Mechanism& mechanism, Quantity quantity);

// What is generated.
std::vector<Expr> symbolic(const Mechanism& mechanism, Quantity quantity);
// All functions of a mechanism as one standalone C file.
std::string emit_equations(const Mechanism& mechanism);

// The oracle: the same recursion computed with double. J comes from joint axes instead of differentiation,
// J' v from a complex step.
class NumericEquations {
  public:
    explicit NumericEquations(const Mechanism& mechanism);
    ~NumericEquations();
    void operator()(Quantity quantity, const double* q, const double* v, const double* w, double* out);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace tamis
