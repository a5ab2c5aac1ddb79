// Version, commit, compiler, host and command of a run. The commit is that of the sources when they were compiled; it
// comes from a file that each build writes.
#include "tamis/app/provenance.hpp"

#include "tamis/io/file.hpp"

#include <chrono>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#ifdef __clang__
#define TAMIS_COMPILER "Clang " __clang_version__
#else
#define TAMIS_COMPILER "GCC " __VERSION__
#endif

namespace tamis {

const char* commit(); // written by each build (cmake/tamis_commit.cmake); empty if unknown

std::string version_line()
{
    return fmt::format("tamis {}{}, {}", TAMIS_VERSION,
                       *commit() ? fmt::format(" (commit {})", commit()) : "", TAMIS_COMPILER);
}

std::string date_now()
{
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

nlohmann::json provenance(const std::string& command)
{
    nlohmann::json j = {{"version", TAMIS_VERSION},
                        {"compiler", TAMIS_COMPILER},
                        {"host", host_name()},
                        {"command", command}};
    j["commit"] = *commit() ? nlohmann::json(commit()) : nlohmann::json();
    return j;
}

} // namespace tamis
