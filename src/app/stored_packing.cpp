// See stored_packing.hpp. A recipe is code: whether it has changed cannot be known, but that it has not can, if
// the packing is younger than the program. To make it again after each build would throw away hours of settling
// for nothing; the user is told instead. A file that cannot be read is made again. Runs that make the same
// packing at once make the same bits; the last one's file stays.
#include "tamis/app/stored_packing.hpp"

#include "tamis/app/progress.hpp"
#include "tamis/app/stop_signals.hpp"
#include "tamis/base/error.hpp"
#include "tamis/io/file.hpp"
#include "tamis/io/packing_file.hpp"
#include "tamis/packing/deposit.hpp"

#include <algorithm>
#include <link.h>

namespace tamis {

namespace {

Packing make_watched(const std::string& name, const Settings& settings, const std::function<Packing()>& make)
{
    const StopSignals signals;
    const auto end_if_asked = [&] {
        if (signals.caught() == 0) return;
        throw Interrupted{signals.caught(),
                          fmt::format(" while the packing '{}' was made; the next run makes it anew", name)};
    };
    Progress progress(settings.quiet, settings.verbose);
    const DepositWatch watch([&](const DepositStep& s) {
        if (signals.caught() != 0) progress.clear();
        end_if_asked();
        progress.line([&] {
            return fmt::format("packing '{}': step {}, rms speed {:.2g} of sqrt(g d), {} contacts, {} sweeps",
                               name, s.steps, s.rms_speed, s.contacts, s.sweeps);
        });
    });
    Packing packing = make();
    progress.clear();
    end_if_asked();
    return packing;
}

// When the program was built, or what it has loaded, such as a model of `tamis run`, if that was later.
std::filesystem::file_time_type program_time()
{
    auto latest = std::filesystem::file_time_type::min();
    ::dl_iterate_phdr(
        [](dl_phdr_info* loaded, std::size_t, void* time) {
            auto& newest = *static_cast<std::filesystem::file_time_type*>(time);
            std::error_code none; // the kernel's library has no file
            const char* name = *loaded->dlpi_name ? loaded->dlpi_name : "/proc/self/exe";
            const auto built = std::filesystem::last_write_time(name, none);
            if (!none) newest = std::max(newest, built);
            return 0;
        },
        &latest);
    return latest;
}

} // namespace

Packing stored_packing(const std::string& owner, const std::string& name, const std::string& inputs,
                       const Settings& settings, const std::function<Packing()>& make)
{
    const std::filesystem::path path = packing_folder(settings) / (packing_file(owner, name, inputs) + ".h5");
    const auto tell = [&](const std::string& note) {
        if (!settings.quiet) fmt::print(stderr, "{}{}note: {}\n", owner, owner.empty() ? "" : ": ", note);
    };
    if (std::filesystem::exists(path)) {
        try {
            Packing packing = read_packing(path);
            tell(std::filesystem::last_write_time(path) < program_time()
                     ? fmt::format(
                           "The packing '{}' was made before this program was built: if its recipe has "
                           "changed since, delete '{}' and it is made again.",
                           name, path.string())
                     : fmt::format("The packing '{}' is that of an earlier run, '{}'.", name, path.string()));
            return packing;
        } catch (const Error& error) {
            tell(fmt::format("{} It is made again.", error.what()));
        }
    }
    make_directory(path.parent_path());
    remove_stale_parts(path.parent_path());
    tell(fmt::format("The packing '{}' is made, once, and kept in '{}'.", name, path.string()));
    Packing packing = make_watched(name, settings, make);
    write_packing(path, packing);
    return packing;
}

Packing stored_packing(const std::string& name, const std::function<Packing()>& make)
{
    return stored_packing("", name, "", Settings{}, make);
}

} // namespace tamis
