// Where packings are kept, whatever the format of their files.
#include "tamis/app/stored_packing.hpp"
#include "tamis/base/state_hash.hpp"

#include <cstdlib>

namespace tamis {

std::string packing_file(const std::string& owner, const std::string& name, const std::string& inputs)
{
    StateHash hash;
    for (const std::string_view text : {std::string_view(TAMIS_VERSION), std::string_view(owner),
                                        std::string_view(name), std::string_view(inputs)})
        hash.add(text);
    return fmt::format("{}{}{}_{:016x}", owner, owner.empty() ? "" : "_", name, hash.value);
}

std::filesystem::path packing_folder(const Settings& settings)
{
    if (!settings.packings.empty()) return settings.packings;
    const char* folder = std::getenv("TAMIS_PACKINGS");
    return folder ? folder : "out/packings";
}

} // namespace tamis
