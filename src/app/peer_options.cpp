#include "tamis/app/peer_options.hpp"

#include "tamis/app/usage_error.hpp"
#include "tamis/io/file.hpp"
#include "tamis/model/rotation.hpp"

#include <cmath>
#include <cstdio>

namespace tamis {

namespace {

Eigen::Vector3d read_vector(Options& options, const std::string& name, const std::string& help)
{
    const std::string text = options.text(name, "0,0,0", help);
    double x, y, z;
    char beyond;
    if (std::sscanf(text.c_str(), "%lf ,%lf ,%lf %c", &x, &y, &z, &beyond) != 3 || !std::isfinite(x + y + z))
        refuse("--{} is '{}': give three numbers, such as 0,0,0.1.", name, text);
    return {x, y, z};
}

// Of MBDyn's element and of the way to it.
MbdynOptions read_mbdyn(Options& options)
{
    MbdynOptions o;
    o.address.path = options.text("socket", "", "path of a Unix socket to meet --peer mbdyn at");
    o.address.port = options.integer("port", 0, "of TCP, instead of --socket; 0: none", {0, 65535});
    o.address.host = options.text("host", o.address.host, "with --port; this machine unless given");
    o.listen = options.flag("listen", "wait for --peer to connect, instead of connecting to it");
    o.timeout =
        options.number("peer-timeout", o.timeout, "for the connection and for every answer", "s", positive);
    const std::string input =
        options.text("peer-input", "", "input file that mbdyn, found on the PATH, is started with");
    if (!input.empty()) o.start = ChildProgram::Command{{"mbdyn", "-f", input}, {}};
    o.layout.nodes = options.integer("peer-nodes", 1, "number of nodes in the element", {1, 1000});
    o.node = options.integer("peer-node", 1, "the one that carries the nonsmooth side, counted from 1",
                             {1, static_cast<double>(o.layout.nodes)}) -
             1;
    const std::string orientation =
        options.choice("peer-orientation", "matrix", {"matrix", "vector", "euler123", "none"},
                       "as in the element; without one, the node must not turn");
    o.layout.orientation = orientation == "matrix"     ? MbdynOrientation::matrix
                           : orientation == "vector"   ? MbdynOrientation::vector
                           : orientation == "euler123" ? MbdynOrientation::euler123
                                                       : MbdynOrientation::none;
    o.layout.labels = options.flag("peer-labels", "the element says 'labels, yes'");
    o.layout.accelerations = options.flag("peer-accelerations", "the element says 'accelerations, yes'");
    o.layout.reference = options.flag("peer-reference", "the element has a reference node");
    return o;
}

void check(const MbdynOptions& o)
{
    const bool tcp = o.address.port > 0;
    if (tcp == !o.address.path.empty())
        refuse("--peer mbdyn needs --socket PATH or --port N, {}.", tcp ? "not both" : "as in MBDyn's input");
    if (o.layout.reference && o.layout.orientation == MbdynOrientation::none)
        refuse(
            "--peer-reference needs an orientation to be understood by: leave out --peer-orientation none.");
}

FmuOptions read_fmu(Options& options, const std::string& map)
{
    FmuOptions o;
    o.file = options.text("fmu", "", "file of --peer fmu, or a folder that it is unpacked in");
    o.mapping = options.text("fmu-map", map, "its variables: \"position=x; velocity=v; force=f\"");
    o.values = options.text("fmu-set", "", "what they start with: \"k=1600; m=0.3\"");
    o.talkative = options.flag("fmu-verbose", "it is to log all that it can");
    return o;
}

} // namespace

std::optional<PeerOptions> read_peer(Options& options, const std::string& fmu_map)
{
    options.group("Other programs");
    const std::string peer = options.choice("peer", "none", {"none", "mbdyn", "fmu"},
                                            "what steps the smooth side: docs/external_solvers.md");
    MbdynOptions mbdyn = read_mbdyn(options);
    FmuOptions fmu = read_fmu(options, fmu_map);
    const Eigen::Vector3d origin =
        read_vector(options, "peer-origin", "x,y,z of the other program's origin in this world, m");
    const Eigen::Vector3d turn =
        read_vector(options, "peer-turn", "rotation vector x,y,z of its axes in this world, rad");
    if (origin != Eigen::Vector3d::Zero() || turn != Eigen::Vector3d::Zero())
        mbdyn.frame = fmu.frame = Pose{exp_turn(turn).toRotationMatrix(), origin};
    const auto belongs = [&](bool given, const char* option, const char* to) {
        if (given && peer != to) refuse("--{} is for another program: give --peer {} as well.", option, to);
    };
    belongs(mbdyn.address.port > 0, "port", "mbdyn");
    belongs(!mbdyn.address.path.empty(), "socket", "mbdyn");
    belongs(mbdyn.start.has_value(), "peer-input", "mbdyn");
    belongs(!fmu.file.empty(), "fmu", "fmu");
    belongs(fmu.mapping != fmu_map, "fmu-map", "fmu");
    belongs(!fmu.values.empty(), "fmu-set", "fmu");
    PeerOptions o;
    if (peer == "mbdyn") {
        check(mbdyn);
        o.can.accelerations = mbdyn.layout.accelerations;
        o.can.no_checkpoints = "the other program does not go back to an earlier state";
        o.mbdyn = std::move(mbdyn);
    } else if (peer == "fmu") {
        o.fmu = std::move(fmu);
        o.can = look_at_fmu(*o.fmu);
    } else {
        return std::nullopt;
    }
    return o;
}

namespace {

void fit_mbdyn(MbdynOptions& mbdyn, const CoupledOptions& coupled)
{
    if (coupled.scheme == CouplingScheme::original)
        refuse("--coupling explicit-original needs the motion at the start of a step, which MBDyn does not "
               "tell: take another one.");
    if (coupled.sweep == Sweep::jacobi)
        refuse("--sweep jacobi would need MBDyn's motion before the wrench: leave it out with --peer mbdyn.");
    if (coupled.smooth_substeps != 1)
        refuse("--smooth-substeps {} are MBDyn's own: give its input the step --h, or this run a longer one.",
               coupled.smooth_substeps);
    mbdyn.coupling = coupled.scheme == CouplingScheme::tight       ? MbdynCoupling::tight
                     : coupled.scheme == CouplingScheme::staggered ? MbdynCoupling::staggered
                                                                   : MbdynCoupling::loose;
}

} // namespace

void fit_coupling(PeerOptions& peer, const std::optional<CoupledOptions>& coupled)
{
    if (!coupled) refuse("--peer has a side to step in a coupling only: leave out --coupling monolithic.");
    if (peer.mbdyn) fit_mbdyn(*peer.mbdyn, *coupled);
    if (peer.fmu) peer.fmu->substeps = coupled->smooth_substeps;
    if (!peer.can.repeats && coupled->scheme == CouplingScheme::tight)
        refuse("--coupling tight repeats steps, and the FMU '{}' cannot go back to a saved state "
               "(canGetAndSetFMUstate): take --coupling loose, staggered or explicit-index2.",
               peer.fmu->file.string());
    if (coupled->scheme == CouplingScheme::modified && coupled->weights.gamma > 0 && !peer.can.accelerations)
        refuse("--coupling {} needs accelerations: {}, or take --coupling explicit-index2.",
               peer.mbdyn ? "explicit-index1" : "explicit-index1 (and explicit, with --gamma)",
               peer.mbdyn ? "give --peer-accelerations, and 'accelerations, yes' in MBDyn's input"
                          : "name those of the FMU in --fmu-map");
}

std::unique_ptr<Peer> make_peer(PeerOptions options, const InterfaceMotion& start,
                                const CoupledOptions& coupled, const Settings& settings, double reach)
{
    const std::filesystem::path folder = settings.out;
    if (options.mbdyn) {
        MbdynOptions& mbdyn = *options.mbdyn;
        mbdyn.reach = reach;
        if (mbdyn.start) { // which writes files of its own
            make_directory(folder);
            mbdyn.start->log = folder / "mbdyn.log";
            mbdyn.start->words.insert(mbdyn.start->words.end(), {"-o", (folder / "mbdyn").string()});
        }
        return std::make_unique<MbdynPeer>(std::move(mbdyn), start, coupled.H);
    }
    FmuOptions& fmu = *options.fmu;
    fmu.reach = reach;
    if (!settings.no_output) {
        make_directory(folder);
        fmu.log = folder / "fmu.log";
    }
    auto peer = make_fmu_peer(std::move(fmu), start, coupled.H);
    if (coupled.scheme == CouplingScheme::tight) peer->save(); // tries it out before the other side is made
    return peer;
}

} // namespace tamis
