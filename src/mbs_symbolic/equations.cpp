// Compiled functions where there is a compiler, otherwise tapes, each recorded when its quantity is first asked for.
#include "tamis/mbs_symbolic/equations.hpp"

#include "tamis/mbs_symbolic/compiled_equations.hpp"
#include "tamis/mbs_symbolic/generate.hpp"
#include "tamis/mbs_symbolic/schedule.hpp"

namespace tamis {

Equations::Equations(const Mechanism& mechanism, Source source) : mechanism_(&mechanism)
{
    if (source == Source::best) compiled_ = compiled_equations(mechanism);
    refresh();
}

void Equations::refresh()
{
    p_ = mechanism_->parameter_values();
}

void Equations::operator()(Quantity quantity, const double* q, const double* v, const double* w, double* out)
{
    const int k = static_cast<int>(quantity);
    if (compiled_) return compiled_->functions[k](p_.data(), q, v, w, out);
    if (!recorded_[k]) {
        tapes_[k] = Tape(make_schedule(symbolic(*mechanism_, quantity)));
        recorded_[k] = true;
    }
    tapes_[k](p_.data(), q, v, w, out);
}

} // namespace tamis
