// A mistake on the command line: exit code 2, while an Error of the model or the machine gives 1.
#pragma once

#include "tamis/base/error.hpp"

namespace tamis {

struct UsageError : Error {
    using Error::Error;
};

} // namespace tamis
