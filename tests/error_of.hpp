#pragma once

#include "tamis/base/error.hpp"

#include <string>

namespace tamis {

// The sentence of the error that `action` ends with, empty if it ends well.
template <class Action>
std::string error_of(Action&& action)
{
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

inline bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace tamis
