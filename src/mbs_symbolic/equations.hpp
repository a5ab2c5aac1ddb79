// The equations of one mechanism, ready to be evaluated: by emitted code where a model was built with it,
// else by tapes that run the same schedule.
//
// Each quantity is one function f(p, q, v, w, out):
//
//   dynamics    M (nv x nv, row-major), c (nv)       M v' + c(q, v, w) = Q, w: applied wrenches, 6 each
//   bias        c (nv)
//   kinematics  for each link: p_W (3), R_W (9, row-major); for each velocity: axis of its joint in the world
//   (3) frames      for each named frame: p_W (3), R_W (9, row-major), velocity (3), turning rate (3) loops
//   h (m), J (m x nv, row-major)         h = 0 (16), J v = 0 (19) loop_bias   J' v (m) (22)
#pragma once

#include "mbs_symbolic/mechanism.hpp"
#include "mbs_symbolic/schedule.hpp"
#include "mbs_symbolic/tape.hpp"

#include <array>

namespace tamis {

enum class Quantity { dynamics, bias, kinematics, frames, loops, loop_bias };
inline constexpr int quantity_count = 6;
inline constexpr std::array<const char*, quantity_count> quantity_names = {"dynamics", "bias",  "kinematics",
                                                                           "frames",   "loops", "loop_bias"};
int output_size(const Mechanism& mechanism, Quantity quantity);

// What is generated.
std::vector<Expr> symbolic(const Mechanism& mechanism, Quantity quantity);
// The source of one file with all functions of these mechanisms, each once, which registers itself at
// start-up.
std::string emit_equations(const std::vector<const Mechanism*>& mechanisms);

// Emitted code announces itself here; see emit_equations().
using GeneratedFunction = void (*)(const double* p, const double* q, const double* v, const double* w,
                                   double* out);
struct EmittedEquations {
    std::uint64_t hash;
    std::array<GeneratedFunction, quantity_count> functions;
};
bool register_equations(const EmittedEquations& emitted);

class Equations {
  public:
    enum class Source { best, tape };
    // Refers to the mechanism; call refresh() after its parameters changed.
    explicit Equations(const Mechanism& mechanism, Source source = Source::best);
    void refresh();
    bool emitted() const { return emitted_ != nullptr; }
    void operator()(Quantity quantity, const double* q, const double* v, const double* w, double* out);

  private:
    const Mechanism* mechanism_;
    Eigen::VectorXd p_;
    const EmittedEquations* emitted_ = nullptr;
    std::array<Tape, quantity_count> tapes_;
    std::array<bool, quantity_count> recorded_{};
};

// The oracle: the same recursion computed with double. J comes from joint axes instead of differentiation, J'
// v from a complex step.
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
