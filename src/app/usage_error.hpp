// A mistake on the command line: exit code 2, while an Error of the model or the machine gives 1.
#pragma once

#include "tamis/base/error.hpp"

namespace tamis {

struct UsageError : Error {
    using Error::Error;
};

// fail() for options that do not fit together. What follows from a packing is none of these: see
// Script::prepare().
template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args)
{
    throw UsageError(fmt::format(format, std::forward<Args>(args)...));
}

} // namespace tamis
