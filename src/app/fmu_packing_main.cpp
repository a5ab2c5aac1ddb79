// The library of an FMU has its own stored_packing(): packings are those that were exported, in its resources, as plain
// numbers. What it is linked with then needs no HDF5.
#include "tamis/app/stored_packing.hpp"
#include "tamis/io/file.hpp"
#include "tamis/io/packing_numbers.hpp"
#include "tamis/io/saved_state_bytes.hpp"

namespace tamis {

Packing stored_packing(const std::string& owner, const std::string& name, const std::string& inputs,
                       const Settings& settings, const std::function<Packing()>&)
{
    const std::filesystem::path path =
        packing_folder(settings) / (packing_file(owner, name, inputs) + ".packing");
    if (!std::filesystem::exists(path))
        fail("The FMU holds no packing '{}' for these parameters, some of which it depends on: leave them as "
             "they were exported, or export the model with them.",
             name);
    return packing_of(from_bytes(read_file(path), fmt::format("The packing '{}'", path.string())),
                      path.string());
}

Packing stored_packing(const std::string& name, const std::function<Packing()>&)
{
    fail("The packing '{}' is none of a model's options: make it by the model's own packing(...).", name);
}

} // namespace tamis
