// Hash of the numbers of a state: FNV-1a over their bits. Equal hashes mean equal runs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tamis {

struct StateHash {
    std::uint64_t value = 1469598103934665603ull;
    void add(std::uint64_t bits)
    {
        value = (value ^ bits) * 1099511628211ull;
        value ^= value >> 29;
    }
    void add(const double* x, std::ptrdiff_t n)
    {
        for (std::ptrdiff_t i = 0; i < n; ++i) add(std::bit_cast<std::uint64_t>(x[i]));
    }
    void add(std::string_view text)
    {
        add(std::uint64_t{text.size()});
        for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    }
};

} // namespace tamis
