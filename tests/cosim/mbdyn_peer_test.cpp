// A nonsmooth side that serves MBDyn, which is a script in another process here.
#include "tamis/cosim/mbdyn_peer.hpp"

#include "cosim/scripted_mbdyn.hpp"
#include "error_of.hpp"
#include "io/scratch.hpp"
#include "support/two_masses.hpp"
#include "tamis/cosim/attached.hpp"
#include "tamis/model/description.hpp"

#include <gtest/gtest.h>

namespace tamis::mbdyn_peer_test {

using Eigen::AngleAxisd;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using scripted::Answer;
using scripted::Element;
using scripted::OtherProcess;
using scripted::ScriptedMbdyn;
using test::ScratchFolder;
using enum CouplingScheme;

namespace {

// The second mass is lighter, so that explicit couplings are stable.
constexpr TwoMasses parameters{.m2 = 0.3, .k1 = 5000, .v = 1};

// The first mass as MBDyn would step it, by the built-in solver. `every`: iterations of its own between two exchanges.
int step_first_mass(const Element& element, CouplingScheme scheme, double H, int steps, int every, int report)
{
    ModelDescription description("smooth half");
    const TwoMassBodies bodies = add_two_masses(description, parameters);
    SmoothModel smooth(description.finish(), {bodies.second});
    SmoothPeer peer(smooth, bodies.first, {}, H, 1, {});
    Signal signal(wrench_size);
    std::array<double, wrench_size> wire;
    std::array<double, InterfaceMotion::size> predicted;
    const auto solve = [&](const Answer& answer) {
        write_wrench(answer.forces[0], wire);
        const Signal::Sample sample{H, wire};
        signal.through({&sample, 1});
        peer.advance(H, signal);
    };
    ScriptedMbdyn mbdyn(element);
    const auto exchange = [&](int command, int expected) {
        mbdyn.tell(command, {peer.marker()});
        Answer answer = mbdyn.hear();
        scripted::require(answer.command == expected ||
                          (expected == 2 && scheme == tight && answer.command == 6));
        return answer;
    };
    mbdyn.begin();
    Answer answer;
    if (scheme == staggered) exchange(6, 2);
    if (scheme != tight) answer = exchange(6, scheme == staggered ? 2 : 6);
    for (int n = 1; n <= steps; ++n) {
        if (scheme == staggered) {
            solve(answer);
            peer.accept();
            if (n < steps)
                answer = exchange(6, 2);
            else
                mbdyn.tell(6, {peer.marker()}); // nobody reads what is answered
            continue;
        }
        peer.predict(H, predicted);
        if (scheme == tight) {
            peer.save();
            for (bool again = false;; again = true) {
                answer = exchange(2, 2);
                for (int k = 0; k < every; ++k) {
                    if (again || k > 0) peer.restore();
                    solve(answer);
                }
                if (answer.command == 6) break;
            }
        } else {
            solve(exchange(6, 6));
        }
        peer.accept();
    }
    mbdyn.end();
    const std::uint64_t hash = peer.state_hash();
    return ::write(report, &hash, sizeof hash) == sizeof hash ? 0 : 1;
}

int free_port()
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(bind(descriptor, reinterpret_cast<sockaddr*>(&address), size), 0);
    getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
    close(descriptor);
    return ntohs(address.sin_port);
}

MbdynCoupling coupling_of(CouplingScheme scheme)
{
    return scheme == tight       ? MbdynCoupling::tight
           : scheme == staggered ? MbdynCoupling::staggered
                                 : MbdynCoupling::loose;
}

// Both masses in this process, and the first one in another: the same bits at every point.
void expect_same_bits(const Element& element, CoupledOptions o)
{
    constexpr int steps = 100;
    o.absolute = 1e-9;
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    OtherProcess other([&] { return step_first_mass(element, o.scheme, o.H, steps, 1, ends[1]); });
    ModelDescription description("two masses");
    const TwoMassBodies b = add_two_masses(description, parameters);
    const Model& model = description.finish();
    const Cut cut{b.second};
    Coupled own(model, cut, o);
    {
        const MbdynOptions options{.address = {.path = element.path, .port = element.port},
                                   .listen = !element.create,
                                   .timeout = 10,
                                   .layout = {.accelerations = element.accelerations()},
                                   .coupling = coupling_of(o.scheme)};
        Attached served(model, cut, std::make_unique<MbdynPeer>(options, marker_at_start(model, cut), o.H),
                        o);
        for (int n = 1; n <= steps; ++n) {
            own.step();
            served.step();
            EXPECT_EQ(served.view().time(), own.view().time());
            EXPECT_EQ(served.view().position(b.second), own.view().position(b.second)) << n;
            EXPECT_EQ(served.wrench().force, own.wrench().force) << n;
        }
        EXPECT_EQ(served.nonsmooth().state_hash(), own.nonsmooth().state_hash());
        EXPECT_EQ(served.coupling().statistics().iterations, own.coupling().statistics().iterations);
        if (o.scheme == staggered) { // else MBDyn has told a motion before its last
            EXPECT_EQ(served.view().position(b.first), own.view().position(b.first));
        }
    }
    EXPECT_EQ(other.wait(), 0);
    std::uint64_t hash = 0;
    ASSERT_EQ(::read(ends[0], &hash, sizeof hash), static_cast<ssize_t>(sizeof hash));
    EXPECT_EQ(hash, own.smooth().state_hash()); // of the first mass in the other process
    close(ends[0]);
    close(ends[1]);
}

// A node that moves on a straight line.
InterfaceMotion node(double x)
{
    InterfaceMotion m;
    m.x = {x, 0, 0};
    return m;
}

// Serves a script, and tells how that failed. `serve` is done with the peer, in steps of a millisecond.
struct Serve {
    MbdynOptions options{.timeout = 5, .coupling = MbdynCoupling::loose};
    std::function<void(MbdynPeer&)> with = [](MbdynPeer& peer) {
        std::array<double, InterfaceMotion::size> y;
        for (int n = 0; n < 3; ++n) {
            peer.predict(1e-3, y);
            Signal u(wrench_size);
            const std::array<double, wrench_size> wire{1, 2, 3, 4, 5, 6};
            const Signal::Sample sample{1e-3, wire};
            u.through({&sample, 1});
            peer.conclude();
            peer.advance(1e-3, u);
            peer.accept();
        }
    };
    Element element{};
    int expected = 0; // that the script ends with

    std::string operator()(const std::function<int(ScriptedMbdyn&)>& script)
    {
        const ScratchFolder folder;
        element.path = options.address.path = (folder / "socket").string();
        options.listen = !element.create;
        OtherProcess other([&] {
            ScriptedMbdyn mbdyn(element);
            return script(mbdyn);
        });
        const std::string sentence = error_of([&] {
            MbdynPeer peer(options, {}, 1e-3);
            with(peer);
        });
        EXPECT_EQ(other.wait(), expected);
        return sentence;
    }
};

} // namespace

TEST(MbdynPeer, TwoMassesThroughTheSocketAreThoseInProcessBitForBit)
{
    const ScratchFolder folder;
    for (const CouplingScheme scheme : {tight, loose, staggered})
        for (const bool create : {true, false})
            expect_same_bits({.path = (folder / "socket").string(), .create = create}, {.scheme = scheme});
}

TEST(MbdynPeer, TcpGivesTheSameBits)
{
    for (const CouplingScheme scheme : {tight, loose})
        for (const bool create : {true, false})
            expect_same_bits({.port = free_port(), .create = create}, {.scheme = scheme});
}

TEST(MbdynPeer, AccelerationsServeTheSchemeThatFollowsThem)
{
    const ScratchFolder folder;
    expect_same_bits({.path = (folder / "socket").string(), .flags = 0x20a}, {.scheme = modified});
    expect_same_bits({.path = (folder / "socket").string(), .flags = 0x202},
                     {.scheme = modified, .weights = index_2});
}

// Its iterations in between change the last bits of the first mass: by less than the solver's tolerance, 1e-10 of the
// system's length in each step.
TEST(MbdynPeer, ExchangesAtEveryThirdIterationGiveTheSameMotion)
{
    const ScratchFolder folder;
    const Element element{.path = (folder / "socket").string()};
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    OtherProcess other([&] { return step_first_mass(element, tight, 1e-3, 100, 3, ends[1]); });
    ModelDescription description("two masses");
    const TwoMassBodies b = add_two_masses(description, parameters);
    const Model& model = description.finish();
    const CoupledOptions o{.absolute = 1e-9};
    Coupled own(model, {b.second}, o);
    {
        Attached served(
            model, {b.second},
            std::make_unique<MbdynPeer>(MbdynOptions{.address = {.path = element.path}, .timeout = 10},
                                        marker_at_start(model, {b.second}), o.H),
            o);
        for (int n = 1; n <= 100; ++n) {
            own.step();
            served.step();
            const double difference =
                (served.view().position(b.second) - own.view().position(b.second)).norm();
            EXPECT_LT(difference, 1e-10 * n) << n;
        }
    }
    EXPECT_EQ(other.wait(), 0);
    close(ends[0]);
    close(ends[1]);
}

TEST(MbdynPeer, AcceleratedAndCutShortIterationsEndWithTheLastCommand)
{
    const ScratchFolder folder;
    const Element element{.path = (folder / "socket").string()};
    expect_same_bits(element, {.scheme = tight, .repeat = Repetition::aitken});
    expect_same_bits(element, {.scheme = tight, .repeat = Repetition::quasi_newton});
    expect_same_bits(element, {.scheme = tight, .max_iterations = 2});
}

TEST(MbdynPeer, WrenchActsOnTheNodeNamedAndInMbdynsWorld)
{
    const Pose frame{AngleAxisd(0.7, Vector3d(1, 2, 3).normalized()).toRotationMatrix(), {4, 5, 6}};
    for (const std::uint32_t flags :
         {0x202u, 0x216u, 0x112u, 0x41au}) { // with reference node and labels, too
        Serve serve;
        serve.element.flags = flags;
        serve.element.nodes = 3;
        serve.options.layout = {.nodes = 3,
                                .orientation = flags & 0x100   ? MbdynOrientation::vector
                                               : flags & 0x200 ? MbdynOrientation::matrix
                                                               : MbdynOrientation::euler123,
                                .labels = serve.element.labels(),
                                .accelerations = serve.element.accelerations(),
                                .reference = serve.element.reference()};
        serve.options.node = 1;
        serve.options.frame = frame;
        const auto steps = serve.with;
        serve.with = [&](MbdynPeer& peer) {
            steps(peer);
            std::array<double, InterfaceMotion::size> y;
            peer.output({}, y);
            const InterfaceMotion marker = InterfaceMotion::read(y);
            EXPECT_LT((marker.x - frame * Vector3d(2, 0, 0)).norm(), 1e-14);
            EXPECT_LT((marker.turn.toRotationMatrix() - frame.R).norm(), 1e-14);
        };
        EXPECT_EQ(serve([&](ScriptedMbdyn& mbdyn) {
                      mbdyn.begin();
                      for (int n = 0; n < 4; ++n) {
                          mbdyn.tell(6, {node(1), node(2), node(3)});
                          const Answer a = mbdyn.hear();
                          scripted::require(a.command == 6);
                          for (const int other : {0, 2})
                              scripted::require(a.forces[other].force.isZero(0) &&
                                                a.forces[other].moment.isZero(0));
                          if (n == 0) continue; // at the start nothing acts yet
                          const Eigen::Matrix3d back = frame.R.transpose();
                          scripted::require((a.forces[1].force - back * Vector3d(1, 2, 3)).norm() < 1e-14);
                          scripted::require((a.forces[1].moment - back * Vector3d(4, 5, 6)).norm() < 1e-14);
                      }
                      mbdyn.end();
                      return 0;
                  }),
                  "");
    }
}

TEST(MbdynPeer, AfterTheLastStepMbdynIsToldToStop)
{
    Serve serve;
    EXPECT_EQ(serve([](ScriptedMbdyn& mbdyn) {
                  mbdyn.begin();
                  for (int n = 0; n <= 3; ++n) {
                      mbdyn.tell(6, {node(0)});
                      mbdyn.hear();
                  }
                  mbdyn.tell(6, {node(0)}); // a step too many
                  const int command = mbdyn.hear().command;
                  mbdyn.end();
                  return command == 5 ? 0 : 1;
              }),
              "");
}

TEST(MbdynPeer, NegotiationsEndInAgreementOrInOneSentence)
{
    Serve serve;
    EXPECT_EQ(
        serve([](ScriptedMbdyn& mbdyn) {
            mbdyn.meet();
            mbdyn.negotiate();
            mbdyn.command(5);
            return 0;
        }),
        "MBDyn refused 1 node, orientation matrices, no labels, no accelerations, no reference node: its "
        "element says otherwise, make them the same.");
    EXPECT_PRED2(contains, serve([](ScriptedMbdyn& mbdyn) {
                     mbdyn.meet();
                     mbdyn.negotiate();
                     mbdyn.command('H');
                     return 0;
                 }),
                 "MBDyn answered the negotiation with 72, neither 8 nor 5");
    EXPECT_PRED2(contains, serve([](ScriptedMbdyn& mbdyn) {
                     mbdyn.meet();
                     return 0;
                 }),
                 "MBDyn closed the connection at t = 0 s");
    serve.element.create = false;
    serve.element.nodes = 2;
    EXPECT_PRED2(contains, serve([](ScriptedMbdyn& mbdyn) {
                     mbdyn.meet();
                     mbdyn.negotiate();
                     return 0;
                 }),
                 "MBDyn's element has 2 nodes");
    EXPECT_PRED2(contains, serve([](ScriptedMbdyn& mbdyn) {
                     mbdyn.meet();
                     mbdyn.say("GET / HTTP/1.1\r\n");
                     return 0;
                 }),
                 "MBDyn began with command 71 instead of the negotiation, 7");
    serve.options.node = 1;
    EXPECT_PRED2(contains, error_of([&] { MbdynPeer(serve.options, {}, 1e-3); }),
                 "Node 2 of MBDyn's element");
    serve.options.node = 0;
    serve.options.layout = {.orientation = MbdynOrientation::none, .reference = true};
    EXPECT_PRED2(contains, error_of([&] { MbdynPeer(serve.options, {}, 1e-3); }), "without its orientation");
}

TEST(MbdynPeer, SilenceIsAnErrorOnceTheTimeIsUp)
{
    Serve serve;
    serve.options.timeout = 0.2;
    for (const int exchanges : {-1, 0, 1, 2})
        EXPECT_PRED2(contains, serve([&](ScriptedMbdyn& mbdyn) {
                         if (exchanges < 0) {
                             mbdyn.meet();
                             mbdyn.negotiate();
                         } else {
                             mbdyn.begin();
                         }
                         for (int n = 0; n < exchanges; ++n) {
                             mbdyn.tell(6, {node(0)});
                             mbdyn.hear();
                         }
                         return mbdyn.hear().command == -1
                                    ? 0
                                    : 1; // waits itself, until the connection is closed
                     }),
                     "has sent nothing for 0.2 s")
            << exchanges;
}

TEST(MbdynPeer, TheEndOfMbdynIsToldWithItsTime)
{
    Serve serve;
    const auto exchange = [](ScriptedMbdyn& mbdyn, int times) {
        mbdyn.begin();
        for (int n = 0; n < times; ++n) {
            mbdyn.tell(6, {node(0)});
            mbdyn.hear();
        }
    };
    EXPECT_EQ(
        serve([&](ScriptedMbdyn& mbdyn) {
            exchange(mbdyn, 3);
            mbdyn.end();
            return 0;
        }),
        "MBDyn ended at t = 0.002 s, before this run: give both the same final time, or see why in its log.");
    EXPECT_PRED2(contains, serve([&](ScriptedMbdyn& mbdyn) {
                     exchange(mbdyn, 2);
                     return 0; // as if it had crashed
                 }),
                 "MBDyn closed the connection at t = 0.001 s");
    EXPECT_PRED2(contains, serve([&](ScriptedMbdyn& mbdyn) {
                     exchange(mbdyn, 2);
                     mbdyn.command(6);
                     mbdyn.say(scripted::motion_bytes(mbdyn.e, {node(0)}).substr(0, 100));
                     return 0;
                 }),
                 "closed the connection within a message: 100 of 144 bytes came");
}

TEST(MbdynPeer, WhatMbdynMustNotSayIsRefused)
{
    Serve serve;
    EXPECT_PRED2(contains, serve([](ScriptedMbdyn& mbdyn) {
                     mbdyn.begin();
                     mbdyn.command(3);
                     mbdyn.hear();
                     return 0;
                 }),
                 "MBDyn sent the unknown command 3 at t = 0 s");
    const auto told_to_stop = [](int command, InterfaceMotion motion) {
        return [=](ScriptedMbdyn& mbdyn) {
            mbdyn.begin();
            mbdyn.tell(command, {motion});
            if (mbdyn.hear().command != 5) return 1;
            mbdyn.end();
            return 0;
        };
    };
    EXPECT_PRED2(contains, serve(told_to_stop(2, node(0))),
                 "MBDyn's input says 'coupling, tight' or 'coupling, N', and this run is not iterated");
    EXPECT_PRED2(contains, serve(told_to_stop(6, node(std::nan("")))), "not finite");
    serve.options.reach = 0.1;
    EXPECT_EQ(
        serve(told_to_stop(6, node(0.2))),
        "MBDyn's node starts at (0.2, 0, 0) m in this world, and the model's marker at (0, 0, 0) m, 0 rad "
        "apart: give both the same start, or tell where its world lies.");
    InterfaceMotion turned = node(0);
    turned.turn = Quaterniond(AngleAxisd(1, Vector3d::UnitY()));
    EXPECT_PRED2(contains, serve(told_to_stop(6, turned)), "1 rad apart");
    serve.options.coupling = MbdynCoupling::tight;
    EXPECT_PRED2(contains, serve(told_to_stop(6, node(0))),
                 "MBDyn's input says 'coupling, loose' or 'coupling, staggered', and this run is iterated");
}

TEST(MbdynPeer, MbdynMayBeStartedAndItsLastWordsAreTold)
{
    const ScratchFolder folder;
    MbdynOptions options{
        .address = {.path = (folder / "socket").string()},
        .timeout = 20,
        .coupling = MbdynCoupling::loose,
        .start = ChildProgram::Command{
            {"sh", "-c", "echo reading; echo; echo unknown card at line 7 >&2; exit 1"}, folder / "log"}};
    const auto sentence = [&] { return error_of([&] { MbdynPeer(options, {}, 1e-3); }); };
    EXPECT_EQ(sentence(),
              "sh ended before it was connected, with these words: reading / unknown card at line 7");
    options.listen = true;
    EXPECT_PRED2(contains, sentence(), "unknown card at line 7");
    options.start->words[0] = "no such program";
    EXPECT_PRED2(contains, sentence(), "The program 'no such program' does not start");
    // One that goes on is ended with the run.
    options.start->words = {"sh", "-c", "echo $$ > '" + (folder / "process").string() + "'; exec sleep 60"};
    options.timeout = 0.5;
    EXPECT_PRED2(contains, sentence(), "Nobody connected");
    const int process = std::stoi(test::text_of(folder / "process"));
    EXPECT_NE(kill(process, 0), 0);
}

} // namespace tamis::mbdyn_peer_test
