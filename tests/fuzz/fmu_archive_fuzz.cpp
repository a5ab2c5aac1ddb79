// Archives of FMUs. What is taken unpacks into its own folder, within its limits; nothing appears beside it.
#include "fmi/zip_file.hpp"
#include "fuzz/fuzz.hpp"
#include "tamis/fmi/fmu_archive.hpp"

namespace {

using namespace tamis;
namespace fs = std::filesystem;

constexpr FmuLimits limits{.entries = 20, .description = 1000, .entry = 4000, .total = 8000};

// A folder of its own for what is unpacked, and a place beside it that nothing may come to.
const fs::path& place()
{
    static const fs::path folder = [] {
        const fs::path top = fuzz::file_of("", ".none").parent_path() / "place";
        fs::create_directories(top / "deep" / "er");
        ::setenv("TMPDIR", (top / "deep" / "er").c_str(), 1);
        return top;
    }();
    return folder;
}

int unpack(const std::uint8_t* data, std::size_t size)
{
    const fs::path top = place();
    const fs::path file = fuzz::file_of({reinterpret_cast<const char*>(data), size}, ".fmu");
    const int answer = fuzz::take([&] {
        FmuArchive archive(file, limits);
        (void)archive.platforms();
        const fs::path folder = archive.unpack("linux64");
        fuzz::require(folder.parent_path() == top / "deep" / "er");
        std::uint64_t total = 0;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
            const fs::file_status status = entry.symlink_status();
            fuzz::require(fs::is_directory(status) || fs::is_regular_file(status));
            if (fs::is_regular_file(status)) total += entry.file_size();
        }
        fuzz::require(total <= limits.total);
    });
    int left = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top)) left += entry.exists();
    fuzz::require(left == 2); // deep, and deep/er
    return answer;
}

std::vector<std::string> seeds()
{
    const test::ZipEntry description{"modelDescription.xml", "<fmiModelDescription/>"};
    const test::ZipEntry packed = test::deflated("resources/data");
    return {
        test::zip_of({description, packed}),
        test::zip_of({description, packed, {"binaries/linux64/a.so", "library"}}, test::ZipForm::streamed),
        test::zip_of({description, packed, {"resources/a", "1"}}, test::ZipForm::zip64),
        test::zip_of({description, {"binaries/linux64/a.so", "library"}, {"resources/b/c", "data"}}),
        test::zip_of({description, {"resources/", ""}, {"resources/a", "1"}, {"resources/aa/b", "2"}}),
        test::zip_of({{"resources/../../a", "1"}, description, {"resources/link", "/etc", 0120777u << 16}}),
        test::zip_of({description, {"/resources/a", "1"}, {"resources\\a", "2"}, {"resources/a", "3"}})};
}

TAMIS_FUZZ_TARGET("fmu_archive", 3000, unpack, seeds)

} // namespace
