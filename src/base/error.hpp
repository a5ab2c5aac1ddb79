// What a user did wrong, or what the machine refused: one clear sentence naming the culprit and the remedy.
#pragma once

#include <fmt/format.h>
#include <stdexcept>

namespace tamis {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args)
{
    throw Error(fmt::format(format, std::forward<Args>(args)...));
}

} // namespace tamis
