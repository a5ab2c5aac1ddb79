// Numbers of a run in a checkpoint, by name.
#pragma once

#include "tamis/base/error.hpp"
#include "tamis/io/checkpoint.hpp"

namespace tamis {

// Throws if it is missing, or shorter than `least`.
inline const std::vector<double>& saved_list(const Checkpoint& from, const std::string& name,
                                             std::size_t least = 0)
{
    const auto found = from.run.find(name);
    if (found == from.run.end() || found->second.size() < least)
        fail("The checkpoint has no '{}': it was written by another version of Tamis; start the run anew "
             "without "
             "--resume.",
             name);
    return found->second;
}

} // namespace tamis
