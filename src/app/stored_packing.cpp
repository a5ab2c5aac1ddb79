// See stored_packing.hpp. A file that cannot be read is made again.
#include "tamis/app/stored_packing.hpp"

#include "tamis/base/error.hpp"
#include "tamis/io/file.hpp"
#include "tamis/io/packing_file.hpp"

#include <cstdlib>

namespace tamis {

Packing stored_packing(const std::string& name, const std::function<Packing()>& make)
{
    const char* folder = std::getenv("TAMIS_PACKINGS");
    const std::filesystem::path path =
        std::filesystem::path(folder ? folder : "out/packings") / (name + ".h5");
    if (std::filesystem::exists(path)) {
        try {
            return read_packing(path);
        } catch (const Error& error) {
            fmt::print(stderr, "note: {} It is made again.\n", error.what());
        }
    }
    Packing packing = make();
    make_directory(path.parent_path());
    write_packing(path, packing);
    return packing;
}

} // namespace tamis
