// Asking for memory before it is needed: a bed has more hulls than fit into the caches. Of long arrays only
// the beginning, or they would drive out what is in use.
//
// (Not inlined, GCC takes these for functions without effect and drops their calls.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tamis {

template <class T>
[[gnu::always_inline]] inline void prefetch(const T* first, std::size_t count = 1)
{
    constexpr std::size_t line = 64, most = 40 * line;
    const char* begin = reinterpret_cast<const char*>(first);
    for (std::size_t at = 0, bytes = std::min(count * sizeof(T), most); at < bytes; at += line)
        __builtin_prefetch(begin + at);
}

template <class T>
[[gnu::always_inline]] inline void prefetch(const std::vector<T>& list)
{
    prefetch(list.data(), list.size());
}

} // namespace tamis
