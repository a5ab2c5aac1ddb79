// Equations compiled when a run needs them: emitted as C, compiled by the machine's C compiler, loaded, and
// kept in the user's cache folder by the hash of the mechanism. Compiled without fused operations, they give
// the bits of the interpreter.
//
// The folder is $TAMIS_CACHE, or tamis/ in $XDG_CACHE_HOME or in ~/.cache; $CC names the compiler (else cc).
// With TAMIS_EQUATIONS=interpreted nothing is compiled or loaded.
#pragma once

#include "tamis/mbs_symbolic/mechanism.hpp"
#include "tamis/mbs_symbolic/quantity.hpp"

#include <functional>
#include <string>

namespace tamis {

// Null if they cannot be compiled or loaded here: the interpreter does the same, more
// slowly. What was loaded stays.
const CompiledEquations* compiled_equations(const Mechanism& mechanism);

// Why the last mechanism could not be compiled, a sentence; empty if all could, or none was to be.
std::string why_interpreted();

} // namespace tamis
