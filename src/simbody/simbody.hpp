// Simbody's headers, to be included before any of theirs:
// - those of version 3.7 compare indices of one kind in a way that C++20 finds ambiguous;
// - its classes have members that depend on NDEBUG: what includes them must set it as the library was compiled, which
//   Debian does without it (TAMIS_SIMBODY_NDEBUG of CMake: with it).
#pragma once

#pragma push_macro("NDEBUG")
#undef NDEBUG
#ifdef TAMIS_SIMBODY_NDEBUG
#define NDEBUG
#endif
#include <SimTKcommon.h>

namespace SimTK {

template <class Index>
requires requires(Index index)
{
    index.invalidate();
    index.isValidExtended();
}
bool operator==(const Index& a, const Index& b)
{
    return static_cast<int>(a) == static_cast<int>(b);
}

} // namespace SimTK

#include <Simbody.h>

#undef NDEBUG
#pragma pop_macro("NDEBUG")
#include <cassert> // as the rest has it
