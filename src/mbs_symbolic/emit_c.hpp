// Schedule -> readable C source of one function, which needs <math.h> and is C++ as well
//     void name(const double* p, const double* q, const double* v, const double* w, double* out)
#pragma once

#include "tamis/mbs_symbolic/schedule.hpp"

#include <string>

namespace tamis {

std::string emit_function(const std::string& name, const std::string& comment, const Schedule& schedule);

} // namespace tamis
