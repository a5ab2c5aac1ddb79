// Hash of the numbers of a state: FNV-1a over their bits. Equal hashes mean equal runs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tamis {

struct StateHash {
    std::uint64_t value = 1469598103934665603ull;
    void add(const double* x, std::ptrdiff_t n)
    {
        for (std::ptrdiff_t i = 0; i < n; ++i) {
            value = (value ^ std::bit_cast<std::uint64_t>(x[i])) * 1099511628211ull;
            value ^= value >> 29;
        }
    }
};

} // namespace tamis
