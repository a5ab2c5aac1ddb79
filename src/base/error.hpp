// What a user did wrong, or what the machine refused: one clear sentence naming the culprit and the remedy.
#pragma once

#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <utility>

namespace tamis {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// An error that another value of one option of a method would avoid: `option` is its name in the library, for programs
// that call it otherwise.
struct OptionError : Error {
    OptionError(std::string name, const std::string& sentence) : Error(sentence), option(std::move(name)) {}
    std::string option;
};

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args)
{
    throw Error(fmt::format(format, std::forward<Args>(args)...));
}

} // namespace tamis
