// What --peer and its companions mean, and what they refuse.
#include "tamis/app/peer_options.hpp"

#include "error_of.hpp"
#include "tamis/app/coupling_options.hpp"
#include "tamis/app/usage_error.hpp"

#include <gtest/gtest.h>

namespace tamis::test::peer_options_test {

namespace {

std::optional<PeerOptions> read_any(const std::vector<std::string>& arguments)
{
    Options options("model", "what it is", arguments);
    std::optional<PeerOptions> peer = read_peer(options);
    if (peer) fit_coupling(*peer, read_coupling(options, false, true));
    options.check();
    return peer;
}

std::optional<MbdynOptions> read(const std::vector<std::string>& arguments)
{
    const std::optional<PeerOptions> peer = read_any(arguments);
    return peer ? peer->mbdyn : std::nullopt;
}

std::string refusal(const std::vector<std::string>& arguments)
{
    try {
        read_any(arguments);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST(PeerOptions, NameTheProgramAndItsSocket)
{
    EXPECT_FALSE(read({}));
    const auto path = read({"--peer", "mbdyn", "--socket", "damper.sock"});
    EXPECT_EQ(path->address.path, "damper.sock");
    EXPECT_FALSE(path->listen);
    EXPECT_FALSE(path->frame);
    EXPECT_FALSE(path->start);
    EXPECT_EQ(path->coupling, MbdynCoupling::tight);
    const auto port = read({"--peer", "mbdyn", "--port", "5501", "--listen", "--coupling", "loose"});
    EXPECT_EQ(port->address.text(), "127.0.0.1:5501"); // no other machine unless asked for
    EXPECT_TRUE(port->listen);
    EXPECT_EQ(port->coupling, MbdynCoupling::loose);
    const auto more = read({"--peer",
                            "mbdyn",
                            "--port",
                            "5501",
                            "--host",
                            "10.0.0.7",
                            "--coupling",
                            "staggered",
                            "--peer-nodes",
                            "3",
                            "--peer-node",
                            "2",
                            "--peer-orientation",
                            "euler123",
                            "--peer-labels",
                            "--peer-accelerations",
                            "--peer-reference",
                            "--peer-origin",
                            "1, 2,3",
                            "--peer-turn",
                            "0,0,1.5707963267948966",
                            "--peer-input",
                            "damper.mbd"});
    EXPECT_EQ(more->address.text(), "10.0.0.7:5501");
    EXPECT_EQ(more->coupling, MbdynCoupling::staggered);
    EXPECT_EQ(more->node, 1);
    EXPECT_EQ(more->layout.text(),
              "3 nodes, orientation by euler 123, labels, accelerations, reference node");
    EXPECT_LT((*more->frame * Eigen::Vector3d(1, 0, 0) - Eigen::Vector3d(1, 3, 3)).norm(), 1e-15);
    EXPECT_EQ(more->start->words, (std::vector<std::string>{"mbdyn", "-f", "damper.mbd"}));
    EXPECT_EQ(
        read({"--peer", "mbdyn", "--port", "5501", "--coupling", "explicit-index1", "--peer-accelerations"})
            ->coupling,
        MbdynCoupling::loose);
}

TEST(PeerOptions, WhatDoesNotFitIsRefusedByName)
{
    const auto with = [](std::vector<std::string> more) {
        more.insert(more.begin(), {"--peer", "mbdyn", "--socket", "s"});
        return refusal(more);
    };
    EXPECT_EQ(with({}), "");
    EXPECT_PRED2(contains, refusal({"--peer", "adams"}), "--peer needs one of none, mbdyn, fmu");
    EXPECT_EQ(refusal({"--peer", "mbdyn"}),
              "--peer mbdyn needs --socket PATH or --port N, as in MBDyn's input.");
    EXPECT_PRED2(contains, with({"--port", "5501"}), "--socket PATH or --port N, not both");
    EXPECT_EQ(refusal({"--socket", "s"}), "--socket is for another program: give --peer mbdyn as well.");
    EXPECT_EQ(refusal({"--fmu", "a.fmu"}), "--fmu is for another program: give --peer fmu as well.");
    EXPECT_PRED2(contains, with({"--fmu-map", "position=x"}), "--fmu-map is for another program");
    EXPECT_PRED2(contains, with({"--fmu-set", "k=1"}), "--fmu-set is for another program");
    EXPECT_PRED2(contains, refusal({"--peer", "fmu", "--fmu", "a.fmu", "--port", "5501"}),
                 "give --peer mbdyn as well");
#ifdef TAMIS_FMI
    EXPECT_EQ(refusal({"--peer", "fmu"}), "--peer fmu needs --fmu FILE.");
    EXPECT_EQ(refusal({"--peer", "fmu", "--fmu", "none.fmu"}), "There is no FMU 'none.fmu'.");
#else
    EXPECT_PRED2(contains, refusal({"--peer", "fmu", "--fmu", "a.fmu"}),
                 "install libzip-dev and libpugixml-dev");
#endif
    EXPECT_PRED2(contains, refusal({"--port", "5501"}), "--port is for another program");
    EXPECT_PRED2(contains, refusal({"--peer", "mbdyn", "--port", "70000"}), "--port is 70000");
    EXPECT_PRED2(contains, with({"--peer-node", "2"}), "--peer-node is 2");
    EXPECT_PRED2(contains, with({"--peer-timeout", "0"}), "--peer-timeout is 0");
    for (const char* vector : {"1,2", "1,2,3,4", "1,2,x", "nan,0,0", ""})
        EXPECT_PRED2(contains, with({"--peer-origin", vector}), "--peer-origin") << vector;
    EXPECT_PRED2(contains, with({"--peer-reference", "--peer-orientation", "none"}), "--peer-reference");
    EXPECT_PRED2(contains, with({"--coupling", "monolithic"}), "--coupling monolithic");
    EXPECT_PRED2(contains, with({"--coupling", "explicit-original"}), "--coupling explicit-original");
    EXPECT_PRED2(contains, with({"--coupling", "explicit-index1"}), "--peer-accelerations");
    EXPECT_EQ(with({"--coupling", "explicit-index2"}), "");
    EXPECT_PRED2(contains, with({"--sweep", "jacobi"}), "--sweep jacobi");
    EXPECT_PRED2(contains, with({"--smooth-substeps", "2"}), "--smooth-substeps 2");
}

} // namespace tamis::test::peer_options_test
