#include "tamis/app/peer_options.hpp"

#include "tamis/app/usage_error.hpp"
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

} // namespace

std::optional<MbdynOptions> read_peer(Options& options)
{
    options.group("Other programs");
    const std::string peer =
        options.choice("peer", "none", {"none", "mbdyn"},
                       "the program that steps the smooth side: docs/external_solvers.md");
    MbdynOptions o;
    o.address.path = options.text("socket", "", "path of a Unix socket to meet --peer at");
    o.address.port = options.integer("port", 0, "of TCP, instead of --socket; 0: none", {0, 65535});
    o.address.host = options.text("host", o.address.host, "with --port; this machine unless given");
    o.listen = options.flag("listen", "wait for --peer to connect, instead of connecting to it");
    o.timeout =
        options.number("peer-timeout", o.timeout, "for the connection and for every answer", "s", positive);
    const std::string input =
        options.text("peer-input", "", "input file that mbdyn, found on the PATH, is started with");
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
    const Eigen::Vector3d origin =
        read_vector(options, "peer-origin", "x,y,z of the other program's origin in this world, m");
    const Eigen::Vector3d turn =
        read_vector(options, "peer-turn", "rotation vector x,y,z of its axes in this world, rad");
    if (origin != Eigen::Vector3d::Zero() || turn != Eigen::Vector3d::Zero())
        o.frame = Pose{exp_turn(turn).toRotationMatrix(), origin};
    const bool tcp = o.address.port > 0;
    if (peer == "none") {
        if (tcp || !o.address.path.empty() || !input.empty())
            refuse("--{} is for another program: give --peer mbdyn as well.", tcp ? "port"
                                                                              : o.address.path.empty()
                                                                                  ? "peer-input"
                                                                                  : "socket");
        return std::nullopt;
    }
    if (tcp == !o.address.path.empty())
        refuse("--peer mbdyn needs --socket PATH or --port N, {}.", tcp ? "not both" : "as in MBDyn's input");
    if (o.layout.reference && o.layout.orientation == MbdynOrientation::none)
        refuse(
            "--peer-reference needs an orientation to be understood by: leave out --peer-orientation none.");
    if (!input.empty()) o.start = ChildProgram::Command{{"mbdyn", "-f", input}, {}};
    return o;
}

void fit_coupling(MbdynOptions& peer, const std::optional<CoupledOptions>& coupled)
{
    if (!coupled)
        refuse("--peer mbdyn has a side to step in a coupling only: leave out --coupling monolithic.");
    const bool modified = coupled->scheme == CouplingScheme::modified;
    if (coupled->scheme == CouplingScheme::original)
        refuse("--coupling explicit-original needs the motion at the start of a step, which MBDyn does not "
               "tell: take another one.");
    if (coupled->sweep == Sweep::jacobi)
        refuse("--sweep jacobi would need MBDyn's motion before the wrench: leave it out with --peer mbdyn.");
    if (coupled->smooth_substeps != 1)
        refuse("--smooth-substeps {} are MBDyn's own: give its input the step --h, or this run a longer one.",
               coupled->smooth_substeps);
    if (modified && coupled->weights.gamma > 0 && !peer.layout.accelerations)
        refuse(
            "--coupling explicit-index1 needs accelerations: give --peer-accelerations, and 'accelerations, "
            "yes' in MBDyn's input, or take --coupling explicit-index2.");
    peer.coupling = coupled->scheme == CouplingScheme::tight       ? MbdynCoupling::tight
                    : coupled->scheme == CouplingScheme::staggered ? MbdynCoupling::staggered
                                                                   : MbdynCoupling::loose;
}

} // namespace tamis
