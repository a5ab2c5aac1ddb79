// States as bytes, as an importer of an FMU hands them back; the checksum is made anew.
#include "fuzz/fuzz.hpp"
#include "tamis/base/state_hash.hpp"
#include "tamis/io/saved_state_bytes.hpp"

namespace {

using namespace tamis;

int read_forged(const std::uint8_t* data, std::size_t size)
{
    std::string bytes(reinterpret_cast<const char*>(data), size);
    StateHash hash;
    hash.add(std::string_view(bytes));
    bytes.append(reinterpret_cast<const char*>(&hash.value), sizeof hash.value);
    return fuzz::take([&] { // the same bytes again, but for the order of names
        const std::string again = to_bytes(from_bytes(bytes, "it"));
        fuzz::require(to_bytes(from_bytes(again, "it")) == again);
    });
}

std::vector<std::string> seeds()
{
    SavedState state;
    state.t = 1;
    state.put("numbers", std::vector{1.0, 2.0});
    state.put_integers("integers", std::vector<std::int64_t>{1, 2, 3});
    const std::string bytes = to_bytes(state);
    return {bytes.substr(0, bytes.size() - sizeof(std::uint64_t))};
}

} // namespace

TAMIS_FUZZ_TARGET("state", 200000, read_forged, seeds)
