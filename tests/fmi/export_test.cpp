// FMUs of FMI 2.0 that ./tamis fmu writes, driven by a master that knows the standard alone.
#include "export_reference.hpp"
#include "fmi/export_master.hpp"
#include "tamis/io/saved_state_bytes.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace tamis::fmi_export_test {

using master::Fmu2;
constexpr int ok = 0, wrong = 3; // status codes

TEST(ExportedFmu, GivesTheBitsOfTheSideSteppedInProcess)
{
    for (const char* words : {"", "--wall-stiffness 2e4", "--wall-stiffness 2e4 --method dem",
                              "--coupling explicit-index1", "--coupling explicit-original"}) {
        const master::Unpacked unpacked = exported("rattle", words);
        Fmu2 fmu(unpacked);
        ASSERT_TRUE(fmu.instance) << fmu.log;
        Reference reference("rattle", words);
        const bool accelerates = unpacked.references.contains("acceleration.x");
        EXPECT_EQ(accelerates, std::string(words).find("index1") != std::string::npos);
        fmu.shake(0);
        if (accelerates) fmu.set("acceleration.x", 0.0);
        fmu.initialise();
        const double H = 1e-3;
        double greatest = 0;
        for (int k = 0; k < 100; ++k) {
            fmu.shake((k + 1) * H);
            if (accelerates) fmu.set("acceleration.x", Reference::acceleration((k + 1) * H));
            ASSERT_EQ(fmu.step(k * H, H), ok) << fmu.log;
            reference.step();
            const Wrench wrench = reference.wrench();
            for (const auto& [axis, c] : {std::pair{".x", 0}, {".y", 1}, {".z", 2}}) {
                ASSERT_EQ(fmu.real(std::string("force") + axis), wrench.force[c]) << words << k;
                ASSERT_EQ(fmu.real(std::string("moment") + axis), wrench.moment[c]) << words << k;
            }
            ASSERT_EQ(fmu.real("records.energy"), reference.view().energy()) << words << k;
            ASSERT_EQ(fmu.real("records.clock"), reference.view().time())
                << words << k; // k h, no running sum
            greatest = std::max(greatest, wrench.force.norm());
        }
        EXPECT_GT(greatest, 0.1) << words; // the balls have hit the box
    }
}

TEST(ExportedFmu, IsDrivenByAMasterInC)
{
    const std::filesystem::path folder = scratch();
    const master::Unpacked unpacked(write_fmu("rattle", ""), folder);
    FILE* forces = ::popen((std::string(FMU_MASTER) + " " + folder.string() + " 60 1e-3").c_str(), "r");
    ASSERT_TRUE(forces);
    Reference reference("rattle", "");
    double greatest = 0;
    for (int k = 0; k < 60; ++k) {
        Eigen::Vector3d force;
        ASSERT_EQ(std::fscanf(forces, "%lf %lf %lf", &force[0], &force[1], &force[2]), 3) << k;
        reference.step();
        EXPECT_EQ(force, reference.wrench().force) << k;
        greatest = std::max(greatest, force.norm());
    }
    EXPECT_GT(greatest, 0.1);
    EXPECT_EQ(::pclose(forces), 0);
}

// A model with a packing, whose instances have it from the archive.
TEST(ExportedFmu, CarriesItsPacking)
{
    const char* words = "--particles 6 --height 0.02";
    const master::Unpacked unpacked = exported("particle_damper", words);
    Reference reference("particle_damper", words);
    Fmu2 fmu(unpacked);
    ASSERT_TRUE(fmu.instance) << fmu.log;
    fmu.shake(0);
    fmu.initialise();
    for (int k = 0; k < 100; ++k) {
        fmu.shake((k + 1) * 1e-4);
        ASSERT_EQ(fmu.step(k * 1e-4, 1e-4), ok) << fmu.log;
        reference.step();
        ASSERT_EQ(fmu.real("force.z"), reference.wrench().force.z()) << k;
    }
    EXPECT_NE(fmu.real("force.z"), 0);

    // What the packing depends on cannot be another one here; what it does not, can.
    Fmu2 other(unpacked);
    ASSERT_EQ(other.set("options.particles", 7), ok);
    ASSERT_EQ(other.setup(0) + other.enter(), ok);
    EXPECT_EQ(other.exit(), wrong);
    EXPECT_NE(other.log.find("no packing 'bed'"), std::string::npos) << other.log;
    EXPECT_EQ(other.set("options.particles", 6) + other.set("options.density", 2380.0) + other.exit(), ok)
        << other.log;
}

TEST(ExportedFmu, TwoInstancesDoNotKnowEachOther)
{
    const master::Unpacked unpacked = exported("rattle", "");
    const auto run = [&](Fmu2& fmu, double faster, int k) {
        fmu.shake(faster * (k + 1) * 1e-3);
        ASSERT_EQ(fmu.step(k * 1e-3, 1e-3), ok) << fmu.log;
    };
    std::vector<double> alone[2];
    for (int i = 0; i < 2; ++i) {
        Fmu2 fmu(unpacked);
        fmu.initialise();
        for (int k = 0; k < 60; ++k) run(fmu, 1 + i, k);
        alone[i] = fmu.outputs();
    }
    ASSERT_NE(alone[0], alone[1]);
    Fmu2 first(unpacked), second(unpacked);
    first.initialise();
    second.initialise();
    for (int k = 0; k < 60; ++k) {
        run(first, 1, k);
        run(second, 2, k);
    }
    EXPECT_EQ(first.outputs(), alone[0]);
    EXPECT_EQ(second.outputs(), alone[1]);

    std::vector<double> apart[2];
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i)
        threads.emplace_back([&, i] {
            Fmu2 fmu(unpacked);
            fmu.initialise();
            for (int k = 0; k < 60; ++k) run(fmu, 1 + i, k);
            apart[i] = fmu.outputs();
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(apart[0], alone[0]);
    EXPECT_EQ(apart[1], alone[1]);
}

TEST(ExportedFmu, RepeatsFromAStateToTheSameBits)
{
    for (const char* words : {"", "--wall-stiffness 2e4", "--wall-stiffness 2e4 --method dem"}) {
        const master::Unpacked unpacked = exported("rattle", words);
        Fmu2 fmu(unpacked);
        fmu.initialise();
        // Steps of changing lengths, so that the inner step of the state is not that of the start.
        const auto run = [&](Fmu2& on, int from, int to) {
            for (int k = from; k < to; ++k) {
                on.shake((k + 1) * 2.6e-3);
                ASSERT_EQ(on.step(k * 2.6e-3, 2.6e-3), ok) << on.log;
            }
        };
        run(fmu, 0, 30);
        void* state = nullptr;
        ASSERT_EQ(fmu.get_state(&state), ok);
        const std::vector<double> before = fmu.outputs();
        run(fmu, 30, 50);
        const std::vector<double> after = fmu.outputs();
        for (int again = 0; again < 2; ++again) {
            ASSERT_EQ(fmu.set_state(state), ok) << fmu.log;
            EXPECT_EQ(fmu.outputs(), before) << words;
            run(fmu, 30, 50);
            EXPECT_EQ(fmu.outputs(), after) << words;
        }

        const std::vector<char> bytes = fmu.serialised(state);
        EXPECT_EQ(fmu.free_state(&state), ok);
        EXPECT_EQ(state, nullptr);
        Fmu2 fresh(unpacked); // has not even begun
        ASSERT_EQ(fresh.deserialise(bytes, &state), ok) << fresh.log;
        ASSERT_EQ(fresh.set_state(state), ok) << fresh.log;
        EXPECT_EQ(fresh.outputs(), before) << words;
        run(fresh, 30, 50);
        EXPECT_EQ(fresh.outputs(), after) << words;
    }
}

TEST(ExportedFmu, RefusesStatesThatAreNone)
{
    const master::Unpacked unpacked = exported("rattle", "");
    Fmu2 fmu(unpacked), other(unpacked);
    fmu.initialise();
    other.initialise();
    void *state = nullptr, *foreign = nullptr;
    ASSERT_EQ(other.get_state(&foreign), ok);
    EXPECT_EQ(fmu.set_state(foreign), wrong);
    EXPECT_EQ(fmu.set_state(nullptr), wrong);
    EXPECT_EQ(fmu.free_state(&foreign), wrong);
    std::vector<char> bytes = other.serialised(foreign);
    for (const std::size_t length : {std::size_t{0}, std::size_t{7}, bytes.size() / 2, bytes.size() - 1})
        EXPECT_EQ(
            fmu.deserialise({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)}, &state),
            wrong);
    bytes[bytes.size() / 3] ^= 4;
    EXPECT_EQ(fmu.deserialise(bytes, &state), wrong);
    EXPECT_NE(fmu.log.find("damaged"), std::string::npos) << fmu.log;

    const master::Unpacked another = exported("rattle", "--balls 5");
    Fmu2 stranger(another);
    ASSERT_EQ(stranger.deserialise(other.serialised(foreign), &state), ok);
    EXPECT_EQ(stranger.set_state(state), wrong);
    EXPECT_NE(stranger.log.find("another FMU"), std::string::npos) << stranger.log;
}

// Bytes of another master's making: whoever makes the checksum anew gets no further.
TEST(ExportedFmu, RefusesStatesThatNoStepLeavesBehind)
{
    const master::Unpacked unpacked = exported("rattle", "");
    Fmu2 fmu(unpacked);
    fmu.initialise();
    for (int k = 0; k < 40; ++k) ASSERT_EQ(fmu.step(k * 1e-3, 1e-3), ok);
    void* state = nullptr;
    ASSERT_EQ(fmu.get_state(&state), ok);
    const std::vector<char> bytes = fmu.serialised(state);
    const SavedState sound = from_bytes({bytes.data(), bytes.size()}, "it");
    const auto with = [&](const auto& change) {
        SavedState forged = sound;
        change(forged);
        const std::string text = to_bytes(forged);
        void* own = nullptr;
        EXPECT_EQ(fmu.deserialise({text.begin(), text.end()}, &own), ok) << fmu.log;
        const int status = fmu.set_state(own);
        fmu.free_state(&own);
        return status;
    };
    EXPECT_EQ(with([](SavedState&) {}), ok) << fmu.log;
    const double bad[] = {std::nan(""), HUGE_VAL, -HUGE_VAL};
    for (const double x : bad)
        for (const auto& [name, numbers] : sound.numbers) {
            if (numbers.empty()) continue;
            EXPECT_EQ(with([&](SavedState& s) { s.numbers[name][0] = x; }), wrong) << name << " " << x;
        }
    EXPECT_EQ(with([](SavedState& s) { s.numbers["fmu/grid"][0] = 0; }), wrong);
    EXPECT_EQ(with([](SavedState& s) { s.numbers["fmu/grid"][0] = -1e-3; }), wrong);
    EXPECT_EQ(with([](SavedState& s) { s.numbers["fmu/numbers"][0] = -1; }), wrong); // h
    EXPECT_NE(fmu.log.find("'h' was to be -1"), std::string::npos) << fmu.log;
    EXPECT_EQ(with([](SavedState& s) { s.numbers["fmu/marker"][3] = 3; }), wrong); // no rotation
    for (const std::int64_t n : {std::int64_t{-1}, std::int64_t{1} << 40}) {
        EXPECT_EQ(with([&](SavedState& s) { s.integers["fmu/stage"][0] = n; }), wrong);
        EXPECT_EQ(with([&](SavedState& s) { s.integers["fmu/stage"][1] = n; }), wrong);
        EXPECT_EQ(with([&](SavedState& s) { s.integers["fmu/steps"][0] = n; }), wrong);
        EXPECT_EQ(with([&](SavedState& s) { s.integers["fmu/steps"][1] = n; }), wrong);
        EXPECT_EQ(with([&](SavedState& s) { s.integers["fmu/integers"][0] = n; }), wrong);
    }
    // (The low half of a stage is one that there is.)
    EXPECT_EQ(with([](SavedState& s) { s.integers["fmu/stage"][0] += std::int64_t{1} << 32; }), wrong);
    EXPECT_EQ(fmu.set_state(state), ok) << fmu.log; // and goes on
    EXPECT_EQ(fmu.step(40e-3, 1e-3), ok) << fmu.log;
}

// Times are those of steps of one length also after going back, in an instance that has made others.
TEST(ExportedFmu, ModelTimeIsAMultipleOfTheStep)
{
    const master::Unpacked unpacked = exported("rattle", "");
    Fmu2 fmu(unpacked), other(unpacked);
    fmu.initialise();
    other.initialise();
    void *state = nullptr, *own = nullptr;
    for (int k = 0; k < 100; ++k) {
        if (k == 50) {
            ASSERT_EQ(fmu.get_state(&state), ok);
            for (int i = 0; i < 3; ++i) ASSERT_EQ(other.step(i * 0.7e-3, 0.7e-3), ok);
            ASSERT_EQ(other.deserialise(fmu.serialised(state), &own), ok);
            ASSERT_EQ(other.set_state(own), ok) << other.log;
        }
        for (Fmu2* each : {&fmu, &other}) {
            if (k < 50 && each == &other) continue;
            ASSERT_EQ(each->step(k * 1e-3, 1e-3), ok) << each->log;
            ASSERT_EQ(each->real("records.clock"), (k + 1) * 1e-3) << k;
        }
    }
}

TEST(ExportedFmu, CallsInTheWrongOrderAreErrorsThatDoNoHarm)
{
    const master::Unpacked unpacked = exported("rattle", "");
    Fmu2 fmu(unpacked);
    EXPECT_EQ(fmu.step(0, 1e-3), wrong);
    EXPECT_NE(fmu.log.find("fmi2DoStep"), std::string::npos) << fmu.log;
    EXPECT_NE(fmu.log.find("before its initialisation"), std::string::npos) << fmu.log;
    EXPECT_EQ(fmu.exit(), wrong);
    EXPECT_EQ(fmu.plain("fmi2Terminate"), wrong);
    EXPECT_EQ(fmu.plain("fmi2CancelStep"), wrong);
    EXPECT_THROW(fmu.real("force.x"), std::runtime_error);
    EXPECT_EQ(fmu.enter(), ok);
    EXPECT_EQ(fmu.enter(), wrong);
    EXPECT_EQ(fmu.setup(0), wrong);
    EXPECT_EQ(fmu.step(0, 1e-3), wrong);
    EXPECT_EQ(fmu.real("force.x"), 0);
    EXPECT_EQ(fmu.exit(), ok);
    EXPECT_EQ(fmu.exit(), wrong);
    EXPECT_EQ(fmu.set("options.radius", 0.02), wrong);
    EXPECT_NE(fmu.log.find("fixed parameter"), std::string::npos) << fmu.log;
    EXPECT_EQ(fmu.set("force.x", 1.0), wrong);
    EXPECT_EQ(fmu.set("position.x", 1), wrong); // as an integer
    const unsigned unknown = 4711;
    double value = 0;
    EXPECT_EQ((fmu.function<int (*)(void*, const unsigned*, std::size_t, double*)>("fmi2GetReal")(
                  fmu.instance, &unknown, 1, &value)),
              wrong);
    EXPECT_EQ(fmu.step(0.5, 1e-3), wrong); // it is at 0
    EXPECT_EQ(fmu.step(0, 0), wrong);
    EXPECT_EQ(fmu.step(0, -1e-3), wrong);
    EXPECT_EQ(fmu.step(0, std::nan("")), wrong);
    EXPECT_EQ(fmu.step(0, 1e300), wrong);
    EXPECT_EQ(fmu.set("position.x", std::nan("")), wrong);
    EXPECT_NE(fmu.log.find("position.x"), std::string::npos) << fmu.log;
    EXPECT_EQ(fmu.set("position.x", HUGE_VAL), wrong);
    EXPECT_EQ(fmu.real("position.x"), 0);
    EXPECT_EQ(fmu.set("orientation.w", 0.0), ok);
    EXPECT_EQ(fmu.step(0, 1e-3), wrong); // no rotation
    EXPECT_EQ(fmu.set("orientation.w", 1.0), ok);
    EXPECT_EQ(fmu.step(0, 1e-3), ok) << fmu.log; // nothing of all that has harmed it
    EXPECT_EQ(fmu.plain("fmi2Terminate"), ok);
    EXPECT_EQ(fmu.step(1e-3, 1e-3), wrong);
    EXPECT_NO_THROW(fmu.real("force.x"));

    // No instance at all.
    for (const char* name : {"fmi2EnterInitializationMode", "fmi2Reset", "fmi2Terminate"})
        EXPECT_EQ(fmu.function<int (*)(void*)>(name)(nullptr), wrong);
    fmu.function<void (*)(void*)>("fmi2FreeInstance")(nullptr);
    Fmu2 refused(unpacked, "{no-guid}");
    EXPECT_EQ(refused.instance, nullptr);
    EXPECT_NE(refused.log.find("no-guid"), std::string::npos) << refused.log;
}

// A step that is no multiple of the inner one is divided into equal ones that are not longer.
TEST(ExportedFmu, DividesStepsOfAnyLength)
{
    const master::Unpacked unpacked = exported("rattle", "--wall-stiffness 2e4");
    Fmu2 coarse(unpacked), fine(unpacked);
    coarse.set("h", 1e-3);
    fine.set("h", 0.25e-3);
    for (Fmu2* fmu : {&coarse, &fine}) {
        fmu->initialise(2.5); // and any start
        double t = 2.5;
        for (int k = 0; k < 60; ++k) {
            const double H = k % 3 == 0 ? 2.5e-3 : k % 3 == 1 ? 0.3e-3 : 1e-3;
            fmu->shake(t + H - 2.5);
            ASSERT_EQ(fmu->step(t, H), ok) << fmu->log;
            t += H;
        }
    }
    // 2.5 ms at 1 ms are three steps of 0.833 ms, as at 0.84 ms.
    Fmu2 equal(unpacked), same(unpacked);
    equal.set("h", 1e-3);
    same.set("h", 0.84e-3);
    for (Fmu2* fmu : {&equal, &same}) {
        fmu->initialise();
        for (int k = 0; k < 40; ++k) {
            fmu->shake((k + 1) * 2.5e-3);
            ASSERT_EQ(fmu->step(k * 2.5e-3, 2.5e-3), ok) << fmu->log;
        }
    }
    EXPECT_EQ(equal.outputs(), same.outputs());
    EXPECT_NE(coarse.outputs(), fine.outputs());
}

TEST(ExportedFmu, StartsAnewAfterReset)
{
    const master::Unpacked unpacked = exported("rattle", "");
    Fmu2 fmu(unpacked);
    const auto run = [&] {
        fmu.initialise();
        for (int k = 0; k < 50; ++k) {
            fmu.shake((k + 1) * 1e-3);
            EXPECT_EQ(fmu.step(k * 1e-3, 1e-3), ok) << fmu.log;
        }
        return fmu.outputs();
    };
    const std::vector<double> first = run();
    ASSERT_EQ(fmu.plain("fmi2Reset"), ok);
    EXPECT_EQ(fmu.real("position.x"), 0);
    EXPECT_EQ(run(), first);
    ASSERT_EQ(fmu.plain("fmi2Terminate"), ok);
    ASSERT_EQ(fmu.plain("fmi2Reset"), ok);
    EXPECT_EQ(fmu.set("options.radius", 0.009), ok);
    EXPECT_NE(run(), first);
    ASSERT_EQ(fmu.plain("fmi2Reset"), ok);
    EXPECT_EQ(run(), first);
}

TEST(ExportedFmu, OptionsOfTheModelAreParameters)
{
    const master::Unpacked unpacked = exported("rattle", "--balls 6 --light");
    Fmu2 fmu(unpacked);
    EXPECT_EQ(fmu.integer("options.balls"), 6);
    EXPECT_EQ(fmu.real("options.radius"), 0.01);
    EXPECT_EQ(fmu.text("options.start"), "spread");
    EXPECT_EQ(fmu.boolean("options.light"), 1);
    EXPECT_EQ(fmu.integer("threads"), 1);
    EXPECT_EQ(fmu.set("options.radius", 0.0), wrong); // beyond its range
    EXPECT_EQ(fmu.set("options.balls", 51), wrong);

    // The same as if it had been exported so.
    const master::Unpacked other = exported("rattle", "--balls 3 --start still");
    Fmu2 changed(unpacked), baked(other);
    EXPECT_EQ(changed.set("options.balls", 3), ok);
    EXPECT_EQ(changed.set_text("options.start", "still"), ok);
    EXPECT_EQ(changed.set_boolean("options.light", 0), ok);
    for (Fmu2* one : {&changed, &baked}) {
        one->initialise();
        for (int k = 0; k < 30; ++k) ASSERT_EQ(one->step(k * 1e-3, 1e-3), ok) << one->log;
    }
    EXPECT_EQ(changed.outputs(), baked.outputs());

    EXPECT_EQ(fmu.set_text("options.start", "asleep"), ok);
    EXPECT_EQ(fmu.setup(0) + fmu.enter(), ok);
    EXPECT_EQ(fmu.exit(), wrong);
    EXPECT_NE(fmu.log.find("spread, still"), std::string::npos) << fmu.log;
}

// Inputs at the start of a step: a marker that moves steadily is where it would be.
TEST(ExportedFmu, ExtrapolatesInputsOfTheStart)
{
    const master::Unpacked unpacked = exported("rattle", "");
    Fmu2 end(unpacked), start(unpacked);
    ASSERT_EQ(start.set_boolean("extrapolate", 1), ok);
    const double v = 0.25, H = 1e-3; // exact in binary, but for round-off of k H
    for (Fmu2* fmu : {&end, &start}) {
        fmu->set("velocity.x", v);
        fmu->initialise();
    }
    for (int k = 0; k < 40; ++k) {
        end.set("position.x", v * (k + 1) * H);
        start.set("position.x", v * k * H);
        ASSERT_EQ(end.step(k * H, H), ok);
        ASSERT_EQ(start.step(k * H, H), ok);
        ASSERT_NEAR(start.real("records.'box x'"), end.real("records.'box x'"), 1e-15);
    }
    EXPECT_NEAR(start.real("records.energy"), end.real("records.energy"), 1e-9);
}

} // namespace tamis::fmi_export_test
