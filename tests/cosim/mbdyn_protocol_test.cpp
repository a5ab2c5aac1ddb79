// Messages of MBDyn's external structural force against ones put together field by field.
#include "tamis/cosim/mbdyn_protocol.hpp"

#include "cosim/scripted_mbdyn.hpp"
#include "error_of.hpp"

#include <gtest/gtest.h>

namespace tamis::mbdyn_protocol_test {

using Eigen::AngleAxisd;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using scripted::Element;

namespace {

// Every layout that can be understood, as the element says it and as it is here.
struct Both {
    Element there;
    MbdynLayout here;
};
std::vector<Both> layouts()
{
    std::vector<Both> all;
    for (const auto& [bits, orientation] :
         {std::pair{0x000u, MbdynOrientation::none}, std::pair{0x100u, MbdynOrientation::vector},
          std::pair{0x200u, MbdynOrientation::matrix}, std::pair{0x400u, MbdynOrientation::euler123}})
        for (const std::uint32_t more : {0x00u, 0x04u, 0x08u, 0x0cu, 0x10u, 0x14u, 0x18u, 0x1cu})
            for (const std::uint32_t nodes : {1u, 2u, 3u}) {
                Both both;
                both.there.flags = 0x02 | bits | more;
                both.there.nodes = nodes;
                both.here = {.nodes = static_cast<int>(nodes),
                             .orientation = orientation,
                             .labels = both.there.labels(),
                             .accelerations = both.there.accelerations(),
                             .reference = both.there.reference()};
                if (bits != 0 || !both.here.reference) all.push_back(both);
            }
    return all;
}

InterfaceMotion motion(int k)
{
    InterfaceMotion m;
    m.x = {1.0 + k, -2, 0.5 * k};
    m.turn = Quaterniond(AngleAxisd(0.4 + 0.3 * k, Vector3d(1, 2 - k, 0.5).normalized()));
    m.v = {0.1, 0.2 * k, -3};
    m.omega = {-1, 0.3, 0.7 * k};
    m.a = {9, -0.4 * k, 2};
    m.alpha = {0.6, 5, -0.8 * k};
    return m;
}

// What is sent of it in that layout.
InterfaceMotion as_sent(const MbdynLayout& layout, InterfaceMotion m)
{
    if (layout.orientation == MbdynOrientation::none) {
        m.turn = Quaterniond::Identity();
        m.omega = m.alpha = Vector3d(0, 0, 0);
    }
    if (!layout.accelerations) m.a = m.alpha = Vector3d(0, 0, 0);
    return m;
}

// Of m as the observer on the moving node r measures it, by the rules of relative motion.
InterfaceMotion relative(const InterfaceMotion& m, const InterfaceMotion& r)
{
    const Quaterniond back = r.turn.conjugate();
    const Vector3d d = m.x - r.x, v = m.v - r.v - r.omega.cross(d);
    return {.x = back * d,
            .turn = back * m.turn,
            .v = back * v,
            .omega = back * (m.omega - r.omega),
            .a = back *
                 (m.a - r.a - r.alpha.cross(d) - r.omega.cross(r.omega.cross(d)) - 2 * r.omega.cross(v)),
            .alpha = back * (m.alpha - r.alpha - r.omega.cross(m.omega - r.omega))};
}

void expect_equal(const InterfaceMotion& a, const InterfaceMotion& b, const std::string& where)
{
    const double tiny = 1e-12;
    EXPECT_LT((a.x - b.x).norm(), tiny) << where;
    EXPECT_LT((a.turn.toRotationMatrix() - b.turn.toRotationMatrix()).norm(), tiny) << where;
    EXPECT_LT((a.v - b.v).norm(), tiny) << where;
    EXPECT_LT((a.omega - b.omega).norm(), tiny) << where;
    EXPECT_LT((a.a - b.a).norm(), tiny) << where;
    EXPECT_LT((a.alpha - b.alpha).norm(), tiny) << where;
}

std::span<const std::byte> bytes(const std::string& text)
{
    return std::as_bytes(std::span(text));
}

} // namespace

TEST(MbdynProtocol, MotionsOfEveryLayoutAreThoseThatWereSent)
{
    for (const auto& [there, here] : layouts()) {
        const InterfaceMotion reference = as_sent(here, motion(7));
        std::vector<InterfaceMotion> sent, expected;
        for (int k = 0; k < here.nodes; ++k) {
            expected.push_back(as_sent(here, motion(k)));
            sent.push_back(here.reference ? relative(expected.back(), reference) : expected.back());
        }
        const std::string message = scripted::motion_bytes(there, sent, reference);
        ASSERT_EQ(message.size(), here.motion_size()) << here.text();
        const MbdynMotion read = read_mbdyn_motion(here, bytes(message));
        ASSERT_EQ(read.nodes.size(), expected.size());
        for (std::size_t k = 0; k < expected.size(); ++k)
            expect_equal(read.nodes[k], expected[k], here.text());
        EXPECT_EQ(read.labels.size(), here.labels ? expected.size() : 0);
    }
}

TEST(MbdynProtocol, ForcesOfEveryLayoutGiveTheReferenceNodeNothing)
{
    for (const auto& [there, here] : layouts()) {
        const InterfaceMotion reference = as_sent(here, motion(7));
        std::vector<InterfaceMotion> sent;
        std::vector<Wrench> forces;
        for (int k = 0; k < here.nodes; ++k) {
            sent.push_back(as_sent(here, motion(k)));
            if (here.reference) sent.back() = relative(sent.back(), reference);
            forces.push_back({Vector3d(1, 2 + k, 3), Vector3d(-0.1, 0.2, 0.3 * k)});
        }
        const std::string told = scripted::motion_bytes(there, sent, reference);
        const MbdynMotion read = read_mbdyn_motion(here, bytes(told));
        const std::vector<std::byte> message = mbdyn_forces(here, MbdynCommand::data, read, forces);
        ASSERT_EQ(message.size(), 1 + here.force_size()) << here.text();
        EXPECT_EQ(static_cast<int>(message[0]), 2);
        scripted::Answer answer;
        scripted::read_forces(there, {reinterpret_cast<const char*>(message.data()) + 1, message.size() - 1},
                              answer);
        const bool turns = here.orientation != MbdynOrientation::none;
        const Quaterniond back = here.reference ? reference.turn.conjugate() : Quaterniond::Identity();
        Wrench left = answer.reference; // of the reference node, beyond the resultant
        for (std::size_t k = 0; k < forces.size(); ++k) {
            EXPECT_LT((answer.forces[k].force - back * forces[k].force).norm(), 1e-14);
            if (turns) {
                EXPECT_LT((answer.forces[k].moment - back * forces[k].moment).norm(), 1e-14);
            }
            left.force -= answer.forces[k].force;
            left.moment -= answer.forces[k].moment + sent[k].x.cross(answer.forces[k].force);
        }
        if (here.reference) {
            EXPECT_LT(left.force.norm() + left.moment.norm(), 1e-13) << here.text();
        }
    }
}

TEST(MbdynProtocol, NegotiationTellsTheLayoutBitByBit)
{
    const std::vector<std::byte> message =
        mbdyn_negotiation({.nodes = 3, .labels = true, .accelerations = true, .reference = true});
    const std::vector<int> expected{7, 0x1e, 0x02, 0, 0, 3, 0, 0, 0};
    ASSERT_EQ(message.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_EQ(static_cast<int>(message[k]), expected[k]) << k;
    for (const auto& [there, here] : layouts()) {
        EXPECT_EQ(here.flags(), there.flags);
        check_mbdyn_negotiation(here, mbdyn_negotiation(here));
    }
}

TEST(MbdynProtocol, NegotiationsThatDifferAreRefusedWithBothLayouts)
{
    const MbdynLayout here;
    const auto refusal = [&](const MbdynLayout& there) {
        return error_of([&] { check_mbdyn_negotiation(here, mbdyn_negotiation(there)); });
    };
    EXPECT_EQ(refusal({}), "");
    EXPECT_EQ(
        refusal({.nodes = 2, .orientation = MbdynOrientation::vector, .labels = true}),
        "MBDyn's element has 2 nodes, orientation vectors, labels, no accelerations, no reference node, and "
        "this run 1 node, orientation matrices, no labels, no accelerations, no reference node: make them "
        "the same.");
    for (const auto& [there, other] : layouts())
        EXPECT_EQ(refusal(other).empty(), there.flags == here.flags() && other.nodes == 1) << other.text();
    // What the other side sets for the axes of the reference node does not matter.
    std::vector<std::byte> message = mbdyn_negotiation(here);
    message[2] |= std::byte{0x20};
    check_mbdyn_negotiation(here, message);
    message = mbdyn_negotiation(here);
    message[1] = std::byte{0x01};
    EXPECT_PRED2(contains, error_of([&] { check_mbdyn_negotiation(here, message); }), "a modal element");
    message[0] = std::byte{71};
    EXPECT_PRED2(contains, error_of([&] { check_mbdyn_negotiation(here, message); }),
                 "began with command 71");
}

TEST(MbdynProtocol, NumbersThatAreNoMotionAreRefused)
{
    const MbdynLayout here;
    const auto refusal = [&](InterfaceMotion m, double stretch = 1) {
        std::string message = scripted::motion_bytes({}, {m});
        double R_11;
        std::memcpy(&R_11, message.data() + 24, 8);
        R_11 *= stretch;
        std::memcpy(message.data() + 24, &R_11, 8);
        return error_of([&] { read_mbdyn_motion(here, bytes(message)); });
    };
    EXPECT_EQ(refusal(motion(1)), "");
    InterfaceMotion m = motion(1);
    m.v.x() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_PRED2(contains, refusal(m), "not finite");
    EXPECT_PRED2(contains, refusal(motion(1), 2), "no rotation");
    EXPECT_PRED2(contains, error_of([&] { read_mbdyn_motion(here, bytes(std::string(143, ' '))); }),
                 "143 bytes instead of 144");
}

} // namespace tamis::mbdyn_protocol_test
