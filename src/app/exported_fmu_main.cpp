// The library of an exported FMU imports none: without the readers of archives and descriptions it needs neither libzip
// nor pugixml.
#include "tamis/app/imported_fmu.hpp"
#include "tamis/app/usage_error.hpp"

namespace tamis {

PeerAbilities look_at_fmu(const FmuOptions&)
{
    refuse("--peer is not for an exported FMU, whose master is its other side.");
}

std::unique_ptr<Peer> make_fmu_peer(FmuOptions, const InterfaceMotion&, double)
{
    fail("An exported FMU imports none.");
}

} // namespace tamis
