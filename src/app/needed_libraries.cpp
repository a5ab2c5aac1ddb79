// As the dynamic linker has found them: its list of loaded objects, and the names in their dynamic sections.
#include "tamis/app/needed_libraries.hpp"

#include "tamis/base/error.hpp"

#include <dlfcn.h>
#include <link.h>
#include <memory>
#include <vector>

namespace tamis {

namespace {

// Strings of the dynamic section with this tag.
std::vector<std::string> names_in(const link_map& object, ElfW(Sxword) tag)
{
    const char* strings = nullptr;
    for (const auto* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == DT_STRTAB) { // the linker has moved it, but for the kernel's own library
            const ElfW(Addr) place = entry->d_un.d_ptr;
            strings = reinterpret_cast<const char*>(place < object.l_addr ? object.l_addr + place : place);
        }
    std::vector<std::string> names;
    for (const auto* entry = object.l_ld; strings && entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == tag) names.emplace_back(strings + entry->d_un.d_val);
    return names;
}

} // namespace

std::map<std::string, std::filesystem::path> needed_libraries(const std::filesystem::path& library)
{
    const auto close = [](void* handle) { ::dlclose(handle); };
    const std::unique_ptr<void, decltype(close)> handle(
        ::dlopen(std::filesystem::absolute(library).c_str(), RTLD_LAZY | RTLD_LOCAL), close);
    link_map* own = nullptr;
    if (!handle || ::dlinfo(handle.get(), RTLD_DI_LINKMAP, &own) != 0)
        fail("The library '{}' cannot be loaded: {}.", library.string(), ::dlerror());
    const link_map* first = own;
    while (first->l_prev) first = first->l_prev;
    std::map<std::string, const link_map*> loaded;
    for (const link_map* object = first; object; object = object->l_next)
        if (object->l_name && *object->l_name)
            for (const std::string& name : names_in(*object, DT_SONAME)) loaded.emplace(name, object);

    std::map<std::string, std::filesystem::path> found;
    std::vector<const link_map*> open{own};
    while (!open.empty()) {
        const link_map& object = *open.back();
        open.pop_back();
        for (const std::string& name : names_in(object, DT_NEEDED)) {
            const auto place = loaded.find(name);
            if (place == loaded.end()) fail("'{}' needs '{}', which is not loaded.", library.string(), name);
            if (found.emplace(name, place->second->l_name).second) open.push_back(place->second);
        }
    }
    return found;
}

} // namespace tamis
