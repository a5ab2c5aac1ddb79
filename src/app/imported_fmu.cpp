// An FMU as the smooth side of a run, in builds with FMI.
#include "tamis/app/imported_fmu.hpp"

#include "tamis/app/usage_error.hpp"

namespace tamis {

#ifdef TAMIS_FMI

PeerAbilities look_at_fmu(const FmuOptions& options)
{
    if (options.file.empty()) refuse("--peer fmu needs --fmu FILE.");
    try {
        const AcceptedFmu fmu(options);
        PeerAbilities can{fmu.description.saves_state, fmu.mapping.accelerations(), ""};
        if (!fmu.description.serialises_state)
            can.no_checkpoints =
                fmt::format("the FMU '{}' cannot write its state to a file (canSerializeFMUstate)", fmu.name);
        return can;
    } catch (const Error& error) { // before a packing is made
        throw UsageError(error.what());
    }
}

std::unique_ptr<Peer> make_fmu_peer(FmuOptions options, const InterfaceMotion& start, double H)
{
    return std::make_unique<FmuPeer>(std::move(options), start, H);
}

#else

PeerAbilities look_at_fmu(const FmuOptions&)
{
    refuse("--peer fmu needs a build with FMI: install libzip-dev and libpugixml-dev, and build again.");
}

std::unique_ptr<Peer> make_fmu_peer(FmuOptions, const InterfaceMotion&, double)
{
    fail("This build has no FMI.");
}

#endif

} // namespace tamis
