// The equations of one mechanism, ready to be evaluated: compiled (compiled_equations.hpp), or by tapes that
// run the same schedule to the same bits. quantity.hpp says what can be evaluated.
#pragma once

#include "tamis/mbs_symbolic/mechanism.hpp"
#include "tamis/mbs_symbolic/quantity.hpp"
#include "tamis/mbs_symbolic/tape.hpp"

namespace tamis {

class Equations {
  public:
    enum class Source { best, tape };
    // Refers to the mechanism; call refresh() after its parameters changed.
    explicit Equations(const Mechanism& mechanism, Source source = Source::best);
    void refresh();
    bool compiled() const { return compiled_ != nullptr; }
    void operator()(Quantity quantity, const double* q, const double* v, const double* w, double* out);

  private:
    const Mechanism* mechanism_;
    Eigen::VectorXd p_;
    const CompiledEquations* compiled_ = nullptr;
    std::array<Tape, quantity_count> tapes_;
    std::array<bool, quantity_count> recorded_{};
};

} // namespace tamis
