// States of an exported FMU as a master hands them back. The checksum is made anew, and the FMU goes on from what it
// takes.
#include "fuzz/fuzz.hpp"
#include "tamis/app/granular_fmu.hpp"
#include "tamis/base/state_hash.hpp"
#include "tamis/io/saved_state_bytes.hpp"

#include <cmath>

namespace {

using namespace tamis;

GranularFmu& rattle()
{
    static const auto fmu = [] {
        ::setenv("TAMIS_EQUATIONS", "interpreted", 1);
        const std::vector<std::string> arguments{"--quiet"};
        const auto script = make_script("rattle", arguments);
        script->drive_from_outside();
        script->prepare();
        const FmuModel model = fmu_model(*script, arguments);
        std::ofstream(fuzz::file_of("", ".none").parent_path() / "model.json") << to_json(model);
        return std::make_unique<GranularFmu>(fuzz::file_of("", ".none").parent_path(), model.content.token);
    }();
    return *fmu;
}

int go_on_from_forged(const std::uint8_t* data, std::size_t size)
{
    std::string bytes(reinterpret_cast<const char*>(data), size);
    StateHash hash;
    hash.add(std::string_view(bytes));
    bytes.append(reinterpret_cast<const char*>(&hash.value), sizeof hash.value);
    GranularFmu& fmu = rattle();
    return fuzz::take([&] {
        fmu.restore(from_bytes(bytes, "it"));
        fuzz::require(std::isfinite(fmu.time()) && fmu.unconverged() >= 0);
        if (fmu.stage() != GranularFmu::stepping) return;
        fmu.step(fmu.time(), std::get<double>(fmu.get(FmuModel::inner_step)));
        for (unsigned k = 0; k < fmu.model().content.variables.size(); ++k) (void)fmu.get(k);
    });
}

std::vector<std::string> seeds()
{
    GranularFmu& fmu = rattle();
    std::vector<std::string> all;
    const auto keep = [&] {
        const std::string bytes = to_bytes(fmu.save());
        all.push_back(bytes.substr(0, bytes.size() - sizeof(std::uint64_t)));
    };
    keep();
    fmu.enter_initialization();
    keep();
    fmu.exit_initialization();
    for (int k = 0; k < 40; ++k) fmu.step(fmu.time(), 1e-3);
    keep();
    return all;
}

TAMIS_FUZZ_TARGET("fmu_state", 100000, go_on_from_forged, seeds)

} // namespace
