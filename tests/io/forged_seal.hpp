// The seal of hdf5_file.cpp, made by hand: 'TAMISSUM' and the hash of all bytes before it.
#pragma once

#include "tamis/base/state_hash.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

namespace tamis::test {

inline std::string with_seal(const std::string& image)
{
    StateHash hash;
    hash.add(std::uint64_t{image.size()});
    for (std::size_t at = 0; at < image.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, image.data() + at, std::min<std::size_t>(image.size() - at, 8));
        hash.add(word);
    }
    std::string sealed = image + "TAMISSUM";
    for (int k = 0; k < 8; ++k) sealed += static_cast<char>(hash.value >> 8 * k & 0xff);
    return sealed;
}

} // namespace tamis::test
