// FMUs as peers: the numbers that they compute, what they promise, and how they fail.
#include "tamis/fmi/fmu_peer.hpp"

#include "error_of.hpp"
#include "fmi/body.h"
#include "fmi/body_fmu.hpp"
#include "tamis/base/state_hash.hpp"
#include "tamis/model/rotation.hpp"
#include "tamis/model/saved_state.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace tamis::fmu_peer_test {

using namespace tamis::test;
using Eigen::Vector3d;

namespace {

Signal held(const std::array<double, wrench_size>& u)
{
    Signal signal(wrench_size);
    signal.through(std::array{Signal::Sample{0, u}});
    return signal;
}

FmuOptions options_of(const ScratchFolder& folder, const BodyFmu& fmu, const std::string& mapping = in_space,
                      const std::string& values = "")
{
    return {.file = fmu.write(folder), .mapping = mapping, .values = values, .log = folder / "fmu.log"};
}

std::array<double, InterfaceMotion::size> outputs(const Peer& peer)
{
    std::array<double, InterfaceMotion::size> y;
    peer.output(std::array<double, wrench_size>{}, y);
    return y;
}

constexpr std::array<double, wrench_size> push{1, -2, 3, 0.1, 0.2, -0.3};

// The sentence in which a peer ends that is made and makes ten steps of 1 ms.
std::string failure(const BodyFmu& fmu, const std::string& values, const std::string& mapping = in_space)
{
    const ScratchFolder folder;
    const std::string why = error_of([&] {
        FmuPeer peer(options_of(folder, fmu, mapping, values), {}, 1e-3);
        for (int n = 0; n < 10; ++n) peer.advance(1e-3, held(push));
    });
    EXPECT_FALSE(contains(why, "\n")) << why;
    return why;
}

} // namespace

// The same steps in C, called without anything in between.
TEST(FmuPeer, GivesTheBitsOfTheBodyInside)
{
    for (const int version : {2, 3}) {
        const ScratchFolder folder;
        const char* mapping = version == 2
                                  ? in_space
                                  : "position=r; velocity=v; quaternion=q; angular_velocity=w; force=f; "
                                    "moment=t";
        FmuPeer peer(options_of(folder, {.version = version}, mapping,
                                "mass=0.7; stiffness = 200; damping=0.5; amplitude=1e-3; frequency=30"),
                     {}, 1e-3);
        BodyState body = body_at_start();
        body.mass = 0.7, body.stiffness = 200, body.damping = 0.5, body.amplitude = 1e-3, body.frequency = 30;
        for (int n = 0; n < 100; ++n) {
            std::array<double, wrench_size> u = push;
            for (double& u_i : u) u_i *= std::sin(0.1 * n);
            peer.advance(1e-3, held(u));
            std::copy_n(u.begin(), 3, body.force);
            std::copy_n(u.begin() + 3, 3, body.moment);
            body_step(&body, 1e-3);
            const InterfaceMotion& m = peer.marker();
            for (int k = 0; k < 3; ++k) {
                ASSERT_EQ(m.x[k], body.x[k]) << n;
                ASSERT_EQ(m.v[k], body.v[k]);
                ASSERT_EQ(m.omega[k], body.w[k]);
            }
            const double norm = Eigen::Quaterniond(body.q[0], body.q[1], body.q[2], body.q[3]).norm();
            ASSERT_NEAR(m.turn.w(), body.q[0] / norm, 1e-15);
        }
        EXPECT_GT(std::abs(peer.marker().omega[0]), 0.1);
    }
}

TEST(FmuPeer, NonSIUnitsMakeNoDifference)
{
    const ScratchFolder folder;
    FmuPeer si(options_of(folder, {}, along_x, "stiffness=100"), {}, 1e-3);
    FmuPeer other({.file = BodyFmu{.length = "mm", .force = "kN"}.write(folder, "other.fmu"),
                   .mapping = along_x,
                   .values = "stiffness=100; length_unit=1e-3; force_unit=1e3"},
                  {}, 1e-3);
    for (int n = 0; n < 50; ++n) {
        si.advance(1e-3, held(push));
        other.advance(1e-3, held(push));
    }
    EXPECT_GT(si.marker().x[0], 1e-3);
    EXPECT_NEAR(other.marker().x[0], si.marker().x[0], 1e-15);
    EXPECT_NEAR(other.marker().v[0], si.marker().v[0], 1e-13);
}

// In a world that is turned and moved: forces go there, motions come back.
TEST(FmuPeer, AnotherWorldIsSeenFromThisOne)
{
    const ScratchFolder folder;
    FmuOptions options = options_of(folder, {}, along_x);
    options.frame = Pose{exp_quaternion({0, 0, std::numbers::pi / 2}).toRotationMatrix(), {5, 0, 0}};
    const InterfaceMotion start{{5, 0, 2}, exp_quaternion({0.1, 0, 0})};
    FmuPeer peer(options, start, 1e-2);
    EXPECT_LT((peer.marker().x - Vector3d(5, 0, 2)).norm(), 1e-15); // z is not told, and stays
    EXPECT_LT(peer.marker().turn.angularDistance(start.turn), 1e-7);
    peer.advance(1e-2, held({7, 3, 7, 0, 0, 0})); // only y here is x there
    const double v = 3 / 0.3 * 1e-2;
    EXPECT_LT((peer.marker().v - Vector3d(0, v, 0)).norm(), 1e-15);
    EXPECT_LT((peer.marker().x - Vector3d(5, v / 2 * 1e-2, 2)).norm(), 1e-15);
}

TEST(FmuPeer, SubStepsSeeTheWrenchAtTheirEnds)
{
    const ScratchFolder folder;
    FmuOptions options = options_of(folder, {}, along_x);
    options.substeps = 2;
    FmuPeer peer(options, {}, 1e-2);
    Signal rising(wrench_size);
    const std::array<double, wrench_size> end{2}, begin{};
    rising.through(std::array{Signal::Sample{1e-2, end}, Signal::Sample{0, begin}});
    peer.advance(1e-2, rising);
    EXPECT_NEAR(peer.marker().v[0], (1 + 2) / 0.3 * 5e-3, 1e-15);
}

TEST(FmuPeer, RepeatsAStepToTheSameBitsAndGoesOnFromASavedState)
{
    for (const int version : {2, 3}) {
        const ScratchFolder folder;
        const FmuOptions options =
            options_of(folder, {.version = version}, in_space, "stiffness=100; amplitude=1e-2; frequency=5");
        FmuPeer peer(options, {}, 1e-3);
        peer.save(); // tries out
        EXPECT_EQ(peer.marker().x, Vector3d(0, 0, 0));
        peer.advance(1e-3, held(push));
        SavedState saved;
        peer.write(saved);
        peer.save();
        for (int n = 0; n < 5; ++n) peer.advance(1e-3, held(push));
        const auto once = outputs(peer);
        peer.restore();
        peer.advance(1e-3, held({}));
        peer.restore();
        for (int n = 0; n < 5; ++n) peer.advance(1e-3, held(push));
        EXPECT_EQ(outputs(peer), once);
        FmuPeer other(options, {}, 1e-3);
        other.read(saved);
        for (int n = 0; n < 5; ++n) other.advance(1e-3, held(push));
        EXPECT_EQ(outputs(other), once);
        EXPECT_EQ(other.state_hash(), peer.state_hash());
        saved.integers["fmu"][0] += 8;
        EXPECT_PRED2(contains, error_of([&] { other.read(saved); }), "another size");
    }
}

// Whatever the time of the trying out leaves behind, the run does not see.
TEST(FmuPeer, TryingOutLeavesNoTrace)
{
    const ScratchFolder folder;
    const FmuOptions options = options_of(folder, {}, along_x, "stiffness=100; amplitude=1e-2; frequency=5");
    FmuPeer tried(options, {}, 1e-3), fresh(options, {}, 1e-3);
    tried.save();
    for (int n = 0; n < 20; ++n) {
        tried.advance(1e-3, held(push));
        fresh.advance(1e-3, held(push));
        ASSERT_EQ(outputs(tried), outputs(fresh));
    }
}

TEST(FmuPeer, WhatCannotGoBackIsRefusedBeforeItIsReliedOn)
{
    for (const int version : {2, 3}) {
        const ScratchFolder folder;
        FmuPeer without(options_of(folder, {.version = version, .saves = false}), {}, 1e-3);
        EXPECT_PRED2(contains, error_of([&] { without.save(); }), "cannot go back to a saved state");
        SavedState state;
        EXPECT_PRED2(contains, error_of([&] { without.write(state); }), "run without checkpoints");
        without.advance(1e-3, held(push)); // without going back it is fine
        FmuPeer liar(options_of(folder, {.version = version}, in_space, "trouble=1"), {}, 1e-3);
        EXPECT_PRED2(contains, error_of([&] { liar.save(); }), "a step repeated from one ends elsewhere");
        FmuPeer heavy(options_of(folder, {.version = version}, in_space, "trouble=1; mass=1e12"), {}, 1e-3);
        EXPECT_PRED2(contains, error_of([&] { heavy.save(); }),
                     "ends elsewhere"); // also of what hardly moves
    }
}

// The trial pushes harder where nothing moves: not beyond what a sound solver takes, and it says that it was it.
TEST(FmuPeer, TheTrialOfGoingBackBlamesNoSoundFmu)
{
    const ScratchFolder folder;
    const auto trial = [&](const char* force, const std::string& most) {
        const std::string map = std::string("position=r[y]; velocity=v[y]; force=") + force;
        FmuPeer peer(options_of(folder, {}, map.c_str(), "trouble=9; at=" + most), {}, 1e-3);
        return error_of([&] { peer.save(); });
    };
    EXPECT_EQ(trial("f[x]", "1e6"), "");
    EXPECT_EQ(trial("none", "0"), ""); // nothing to push with
    const std::string why = trial("f[x]", "1e4");
    EXPECT_PRED2(contains, why,
                 "The trial whether the FMU goes back to a saved state, with wrenches of 1e+06 N");
    EXPECT_PRED2(contains, why,
                 "answered fmi2DoStep with an error at t = 0 s; its last words: too much force.");
}

TEST(FmuPeer, FailuresAreToldByCallAndTimeWithTheLastWords)
{
    for (const int version : {2, 3}) {
        const BodyFmu fmu{.version = version};
        const std::string step = version == 2 ? "fmi2DoStep" : "fmi3DoStep";
        EXPECT_EQ(failure(fmu, ""), "");
        EXPECT_EQ(failure(fmu, "at=0.0055; trouble=2"),
                  "The FMU 'body' answered " + step +
                      " with an error at t = 0.005 s; its last words: I have had enough.");
        EXPECT_PRED2(contains, failure(fmu, "at=0.0055; trouble=3"), "a fatal error at t = 0.005 s");
        EXPECT_PRED2(contains, failure(fmu, "at=0.0055; trouble=4"), "discard at t = 0.005 s");
        EXPECT_EQ(failure(fmu, "at=0.0055; trouble=5"),
                  "The FMU 'body' gives nan for its output 'r[x]' at t = 0.006 s.");
        EXPECT_PRED2(contains, failure(fmu, "mass=-1"),
                     "with an error at t = 0 s; its last words: I take no negative");
    }
    const BodyFmu fmu{.version = 3};
    EXPECT_PRED2(contains, failure(fmu, "at=0.0055; trouble=6"),
                 "ended its simulation at t = 0.0055 s, in a step from");
    EXPECT_PRED2(contains, failure(fmu, "at=0.0055; trouble=7"), "returned early, which was not allowed");
    EXPECT_PRED2(contains, failure(fmu, "at=0.0055; trouble=8"), "asks for event mode");
}

TEST(FmuPeer, WhatCannotBeLoadedOrMadeIsToldByItsReason)
{
    for (const int version : {2, 3}) {
        const std::string prefix = version == 2 ? "fmi2" : "fmi3",
                          place = "binaries/" + fmu_platform(version);
        EXPECT_PRED2(contains, failure({.version = version, .token = "other"}, ""),
                     "could not be instantiated; its last words: I am another body");
        BodyFmu wrapper{.version = version, .token = "other"};
        wrapper.capabilities = R"(needsExecutionTool="true")";
        EXPECT_PRED2(contains, failure(wrapper, ""), "it needs the program that it was made with");
        EXPECT_PRED2(contains, failure({.version = version, .library = ""}, ""), "cannot be loaded: ");
        EXPECT_PRED2(contains, failure({.version = version, .library = BODY_FMU_BARE}, ""),
                     "lacks the function " + prefix + "Get");
        EXPECT_EQ(failure({.version = version,
                           .saves = false,
                           .serialises = false,
                           .library = version == 2 ? BODY_FMU_2_NO_STATES : BODY_FMU_3},
                          ""),
                  "");
        const ScratchFolder folder;
        std::ofstream(folder / "far.fmu", std::ios::binary)
            << zip_of({{"modelDescription.xml", BodyFmu{.version = version}.description()},
                       {"binaries/win64/body.dll", "MZ"},
                       {"binaries/darwin64/body.dylib", ""}});
        EXPECT_EQ(error_of([&] { FmuPeer({.file = folder / "far.fmu", .mapping = in_space}, {}, 1e-3); }),
                  "The FMU 'far' has no library for this machine, " + place +
                      "/body.so: it is made for darwin64, win64.");
    }
    EXPECT_PRED2(contains, failure({.library = BODY_FMU_2_NO_STATES}, ""),
                 "lacks the function fmi2GetFMUstate");
}

TEST(FmuPeer, OneInstanceInAProcessIsOne)
{
    const ScratchFolder folder;
    BodyFmu fmu;
    fmu.capabilities = R"(canBeInstantiatedOnlyOncePerProcess="true")";
    const FmuOptions options = options_of(folder, fmu);
    {
        FmuPeer first(options, {}, 1e-3);
        EXPECT_PRED2(contains, error_of([&] { FmuPeer second(options, {}, 1e-3); }),
                     "only once in a process");
    }
    FmuPeer third(options, {}, 1e-3);
    // Others may be two, each with a library of its own.
    const FmuOptions free_ones = options_of(folder, {});
    FmuPeer fourth(free_ones, {}, 1e-3), fifth(free_ones, {}, 1e-3);
    fourth.advance(1e-3, held(push));
    EXPECT_EQ(fifth.marker().x, Vector3d(0, 0, 0));
}

TEST(FmuPeer, StartValuesAreGivenByNameAndType)
{
    const auto with = [](const std::string& values) { return failure({}, values); };
    EXPECT_EQ(with("mass = 2 ; loud=true; trouble=0; word=hello=world;; f[x]=3"),
              "The start value 'word=hello=world' "
              "of the FMU 'body' is not understood: write name=value.");
    EXPECT_EQ(with("loud=true; word=hello"), "");
    EXPECT_PRED2(contains, with("mass"), "write name=value");
    EXPECT_PRED2(contains, with("weight=2"), "has no variable 'weight' to start with 2");
    EXPECT_PRED2(contains, with("mass=heavy"), "'heavy' of the FMU's variable 'mass' is no finite number");
    EXPECT_PRED2(contains, with("mass=inf"), "no finite number");
    EXPECT_PRED2(contains, with("trouble=1.5"), "no whole number in its range: it is of type Int32");
    EXPECT_PRED2(contains, with("trouble=3000000000"), "no whole number in its range");
    EXPECT_PRED2(contains, with("loud=loud"), "no truth value");
    EXPECT_PRED2(contains, with("r[x]=1"), "is neither a parameter nor an input nor has an initial value");
    EXPECT_PRED2(contains, failure({.version = 3}, "f=1"), "is an array or binary");
    EXPECT_EQ(failure({.version = 3}, "loud=true; word=hello; trouble=0; mass=2; f[x]=0"), "");
}

TEST(FmuPeer, WhatItSaysIsInItsLog)
{
    for (const int version : {2, 3}) {
        const ScratchFolder folder;
        FmuOptions options = options_of(folder, {.version = version}, along_x);
        {
            FmuPeer silent(options, {}, 1e-3);
        }
        EXPECT_FALSE(std::filesystem::exists(options.log));
        options.talkative = true;
        options.values = "word=100 % of it %s";
        {
            FmuPeer loud(options, {}, 1e-3);
        }
        EXPECT_EQ(text_of(options.log), "ok [body] 100 % of it %s\nok [body] I am at the start\n");
    }
}

TEST(FmuPeer, AnInternalStepOfItsOwnMustFit)
{
    const auto with = [](const char* capabilities, double H) {
        const ScratchFolder folder;
        BodyFmu fmu{.version = 3};
        fmu.capabilities = capabilities;
        const FmuOptions options = options_of(folder, fmu, along_x);
        return error_of([&] { FmuPeer(options, {}, H); });
    };
    const char* fixed = R"(fixedInternalStepSize="2e-4")";
    EXPECT_EQ(with(fixed, 1e-3), "");
    EXPECT_PRED2(contains, with(fixed, 5e-4), "steps by 0.0002 s, and 0.0005 s is no multiple of it");
    EXPECT_PRED2(contains, with(fixed, 1e-4), "is no multiple of it");
    EXPECT_EQ(with(R"(fixedInternalStepSize="2e-4" canHandleVariableCommunicationStepSize="true")", 5e-4),
              "");
}

TEST(FmuPeer, AnotherStartThanTheMarkersIsRefused)
{
    const ScratchFolder folder;
    FmuOptions options = options_of(folder, {});
    options.reach = 0.01;
    EXPECT_EQ(error_of([&] { FmuPeer(options, {{0.005, 0, 0}}, 1e-3); }), "");
    EXPECT_EQ(
        error_of([&] {
            FmuPeer(options, {{0.2, 0, 0}}, 1e-3);
        }),
        "The FMU 'body' starts at (0, 0, 0) m in this world, and the model's marker at (0.2, 0, 0) m, 0 rad apart: "
        "give both the same start, or tell where its world lies.");
    EXPECT_PRED2(contains, error_of([&] {
                     FmuPeer(options, {{0, 0, 0}, exp_quaternion({1, 0, 0})}, 1e-3);
                 }),
                 "1 rad apart");
}

TEST(FmuPeer, UnpackedFilesGoWithThePeer)
{
    const auto folders = [] {
        int n = 0;
        for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path()))
            n += entry.path().filename().string().starts_with("tamis_fmu_") &&
                 std::filesystem::exists(entry.path() / "binaries");
        return n;
    };
    const ScratchFolder folder;
    const FmuOptions options = options_of(folder, {});
    ::setenv("TMPDIR", (folder / "").c_str(), 1);
    EXPECT_EQ(folders(), 0);
    {
        FmuPeer peer(options, {}, 1e-3);
        EXPECT_EQ(folders(), 1);
    }
    EXPECT_PRED2(contains, error_of([&] {
                     FmuOptions failing = options;
                     failing.values = "mass=-1";
                     FmuPeer(failing, {}, 1e-3);
                 }),
                 "negative");
    EXPECT_EQ(folders(), 0);
    ::unsetenv("TMPDIR");
}

} // namespace tamis::fmu_peer_test
