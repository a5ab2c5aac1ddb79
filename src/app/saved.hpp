// Numbers of a run in a checkpoint, by name.
#pragma once

#include "tamis/base/error.hpp"
#include "tamis/io/checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tamis {

// Throws if it is missing, or shorter than `least`.
inline const std::vector<double>& saved_list(const Checkpoint& from, const std::string& name,
                                             std::size_t least = 0)
{
    const auto found = from.run.find(name);
    if (found == from.run.end() || found->second.size() < least)
        fail("The checkpoint has no '{}': it was written by another version of Tamis; start the run anew "
             "without --resume.",
             name);
    return found->second;
}

// Number k of it, which must be one that T has.
template <class T>
T saved_number(const Checkpoint& from, const std::string& name, std::size_t k = 0)
{
    const double x = saved_list(from, name, k + 1)[k];
    if constexpr (std::is_integral_v<T>) {
        const double most = std::min(0x1p53, static_cast<double>(std::numeric_limits<T>::max()));
        if (!(x <= most && x >= (std::is_signed_v<T> ? -most : 0)) || x != std::floor(x))
            fail("The checkpoint has {} as number {} of '{}': it is damaged; start the run anew without "
                 "--resume.",
                 x, k + 1, name);
    }
    return static_cast<T>(x);
}

} // namespace tamis
