// Fuzz targets: functions that read any bytes and either take them or end in an Error. Everything else, a
// crash, another exception, an input that does not end, is a fault.
#pragma once

#include "tamis/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace tamis::fuzz {

struct Target {
    const char* name;
    int runs; // by default: a few seconds
    int (*run)(const std::uint8_t*, std::size_t);
    std::vector<std::string> (*seeds)(); // inputs that are read, to start from
};
std::vector<Target>& targets(); // of the driver

// A file of this process with the bytes; the same one every time.
inline std::filesystem::path file_of(const std::string& bytes, const std::string& ending)
{
    static const std::filesystem::path folder = [] {
        std::string name = (std::filesystem::temp_directory_path() / "tamis_fuzz_XXXXXX").string();
        if (!::mkdtemp(name.data())) std::abort();
        std::atexit([] { std::filesystem::remove_all(folder); });
        return std::filesystem::path(name);
    }();
    const std::filesystem::path file = folder / ("input" + ending);
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
}

inline std::string text_of(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// What must hold of an input that has been taken.
inline void require(bool holds)
{
    if (!holds) std::abort();
}

// Errors are what a reader answers to most inputs.
template <class Read>
int take(Read&& read)
{
    try {
        read();
    } catch (const Error&) {
    }
    return 0;
}

} // namespace tamis::fuzz

// With -DTAMIS_LIBFUZZER a file of a target is a fuzzer of libFuzzer by itself.
#ifdef TAMIS_LIBFUZZER
#define TAMIS_FUZZ_TARGET(name, runs, run, seeds)                                                            \
    extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)                        \
    {                                                                                                        \
        return run(data, size);                                                                              \
    }
#else
#define TAMIS_FUZZ_TARGET(name, runs, run, seeds)                                                            \
    static const bool registered = (tamis::fuzz::targets().push_back({name, runs, run, seeds}), true);
#endif
