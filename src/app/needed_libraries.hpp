// What a shared library needs to be loaded, itself left out.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace tamis {

// Files by the names that they are asked for; directly, and by those that are needed. The library is loaded to see.
std::map<std::string, std::filesystem::path> needed_libraries(const std::filesystem::path& library);

} // namespace tamis
