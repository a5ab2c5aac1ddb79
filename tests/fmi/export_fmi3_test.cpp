// FMUs of FMI 3.0 that ./tamis fmu writes, driven by the standard alone, against those of FMI 2.0.
#include "export_reference.hpp"

#include <cstdint>
#include <gtest/gtest.h>

namespace tamis::fmi3_export_test {

using namespace fmi_export_test;
constexpr int ok = 0, wrong = 3;

namespace {

class Fmu3 {
  public:
    std::string log;
    void* instance = nullptr;

    explicit Fmu3(const master::Unpacked& fmu, bool event_mode = false) : fmu_(fmu)
    {
        const auto library = fmu.folder / "binaries/x86_64-linux" / (fmu.model + ".so");
        handle_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!handle_) throw std::runtime_error(dlerror());
        using Make =
            void* (*)(const char*, const char*, const char*, bool, bool, bool, bool, const std::uint32_t*,
                      std::size_t, void*, void (*)(void*, int, const char*, const char*),
                      void (*)(void*, double, bool, bool, bool, bool, bool*, double*));
        instance = function<Make>("fmi3InstantiateCoSimulation")(
            "one", master::between(fmu.description, "instantiationToken=\"", "\"").c_str(),
            ((fmu.folder / "resources").string() + "/").c_str(), false, true, event_mode, false, nullptr, 0,
            this,
            [](void* self, int, const char*, const char* text) { static_cast<Fmu3*>(self)->log = text; },
            nullptr);
    }
    ~Fmu3()
    {
        if (instance) function<void (*)(void*)>("fmi3FreeInstance")(instance);
        dlclose(handle_);
    }
    template <class Function>
    Function function(const char* name) const
    {
        void* found = dlsym(handle_, name);
        if (!found) throw std::runtime_error(name);
        return reinterpret_cast<Function>(found);
    }
    int plain(const char* name) { return function<int (*)(void*)>(name)(instance); }
    int enter(double start = 0)
    {
        return function<int (*)(void*, bool, double, double, bool, double)>("fmi3EnterInitializationMode")(
            instance, false, 0, start, false, 0);
    }
    void initialise()
    {
        ASSERT_EQ(enter(), ok) << log;
        ASSERT_EQ(plain("fmi3ExitInitializationMode"), ok) << log;
    }
    int step(double t, double H, double* end = nullptr)
    {
        bool event = true, terminate = true, early = true;
        double last = -1;
        const int status = function<int (*)(void*, double, double, bool, bool*, bool*, bool*, double*)>(
            "fmi3DoStep")(instance, t, H, true, &event, &terminate, &early, &last);
        EXPECT_FALSE(event || terminate || early);
        if (end) *end = last;
        return status;
    }
    template <class T>
    int set(const char* how, const std::string& name, T value)
    {
        const std::uint32_t reference = fmu_.at(name);
        return function<int (*)(void*, const std::uint32_t*, std::size_t, const T*, std::size_t)>(how)(
            instance, &reference, 1, &value, 1);
    }
    template <class T = double>
    T get(const char* how, const std::string& name)
    {
        const std::uint32_t reference = fmu_.at(name);
        T value{};
        EXPECT_EQ((function<int (*)(void*, const std::uint32_t*, std::size_t, T*, std::size_t)>(how)(
                      instance, &reference, 1, &value, 1)),
                  ok)
            << log;
        return value;
    }
    void shake(double t)
    {
        set("fmi3SetFloat64", "position.x", Shaker::A * std::sin(Shaker::w * t));
        set("fmi3SetFloat64", "velocity.x", Shaker::A * Shaker::w * std::cos(Shaker::w * t));
    }

  private:
    const master::Unpacked& fmu_;
    void* handle_;
};

} // namespace

TEST(ExportedFmi3, GivesTheBitsOfFmi2)
{
    const master::Unpacked two = exported("rattle", ""), three(write_fmu("rattle", "", "3"), scratch() / "3");
    master::Fmu2 old(two);
    old.initialise(1.5);
    Fmu3 fmu(three);
    ASSERT_TRUE(fmu.instance) << fmu.log;
    ASSERT_EQ(fmu.enter(1.5), ok);
    ASSERT_EQ(fmu.plain("fmi3ExitInitializationMode"), ok) << fmu.log;
    const double H = 1.7e-3;
    double t = 1.5;
    void* state = nullptr;
    std::vector<double> forces;
    for (int k = 0; k < 60; ++k) {
        if (k == 40) {
            ASSERT_EQ((fmu.function<int (*)(void*, void**)>("fmi3GetFMUState")(fmu.instance, &state)), ok);
        }
        fmu.shake((k + 1) * H);
        old.shake((k + 1) * H);
        double end = 0;
        ASSERT_EQ(fmu.step(t, H, &end), ok) << fmu.log;
        ASSERT_EQ(old.step(t, H), ok) << old.log;
        t += H;
        EXPECT_EQ(end, t);
        EXPECT_EQ(fmu.get("fmi3GetFloat64", "time"), t);
        forces.push_back(fmu.get("fmi3GetFloat64", "force.z"));
        EXPECT_EQ(forces.back(), old.real("force.z")) << k;
        EXPECT_EQ(fmu.get<std::int32_t>("fmi3GetInt32", "contacts"), old.integer("contacts"));
    }
    ASSERT_EQ((fmu.function<int (*)(void*, void*)>("fmi3SetFMUState")(fmu.instance, state)), ok) << fmu.log;
    for (int k = 40; k < 60; ++k) {
        fmu.shake((k + 1) * H);
        ASSERT_EQ(fmu.step(fmu.get("fmi3GetFloat64", "time"), H), ok) << fmu.log;
        EXPECT_EQ(fmu.get("fmi3GetFloat64", "force.z"), forces[static_cast<std::size_t>(k)]) << k;
    }
    EXPECT_EQ(fmu.plain("fmi3Reset"), ok);
    EXPECT_EQ(fmu.step(0, H), wrong);
}

TEST(ExportedFmi3, TellsTimeAmongOtherNumbers)
{
    const master::Unpacked unpacked(write_fmu("rattle", "", "3"), scratch() / "3");
    Fmu3 fmu(unpacked);
    ASSERT_EQ(fmu.enter(1.5) + fmu.plain("fmi3ExitInitializationMode"), ok) << fmu.log;
    fmu.shake(1e-3);
    ASSERT_EQ(fmu.step(1.5, 1e-3), ok) << fmu.log;
    const std::uint32_t references[] = {unpacked.at("force.x"), unpacked.at("time"),
                                        unpacked.at("position.x"), unpacked.at("time")};
    double values[4] = {};
    const auto get = fmu.function<int (*)(void*, const std::uint32_t*, std::size_t, double*, std::size_t)>(
        "fmi3GetFloat64");
    ASSERT_EQ(get(fmu.instance, references, 4, values, 4), ok) << fmu.log;
    EXPECT_EQ(values[0], fmu.get("fmi3GetFloat64", "force.x"));
    EXPECT_EQ(values[1], 1.501);
    EXPECT_EQ(values[2], fmu.get("fmi3GetFloat64", "position.x"));
    EXPECT_EQ(values[3], 1.501);
    EXPECT_EQ(get(fmu.instance, references, 4, values, 3), wrong);
    EXPECT_EQ(get(fmu.instance, nullptr, 1, values, 1), wrong);
    EXPECT_EQ(get(fmu.instance, references, 4, nullptr, 4), wrong);
}

TEST(ExportedFmi3, TwoInstancesDoNotKnowEachOther)
{
    const master::Unpacked unpacked(write_fmu("rattle", "", "3"), scratch() / "3");
    const auto run = [](Fmu3& fmu, double faster, int k) {
        fmu.shake(faster * (k + 1) * 1e-3);
        ASSERT_EQ(fmu.step(k * 1e-3, 1e-3), ok) << fmu.log;
    };
    std::vector<double> alone;
    for (const double faster : {1.0, 2.0}) {
        Fmu3 fmu(unpacked);
        fmu.initialise();
        for (int k = 0; k < 60; ++k) run(fmu, faster, k);
        alone.push_back(fmu.get("fmi3GetFloat64", "records.energy"));
    }
    ASSERT_NE(alone[0], alone[1]);
    Fmu3 first(unpacked), second(unpacked);
    first.initialise();
    second.initialise();
    for (int k = 0; k < 60; ++k) {
        run(first, 1, k);
        run(second, 2, k);
    }
    EXPECT_EQ(first.get("fmi3GetFloat64", "records.energy"), alone[0]);
    EXPECT_EQ(second.get("fmi3GetFloat64", "records.energy"), alone[1]);
}

TEST(ExportedFmi3, GoesOnFromBytesOfAnotherInstance)
{
    const master::Unpacked unpacked(write_fmu("rattle", "", "3"), scratch() / "3");
    const auto run = [](Fmu3& fmu, int from, int to) {
        for (int k = from; k < to; ++k) {
            fmu.shake((k + 1) * 2.6e-3);
            ASSERT_EQ(fmu.step(fmu.get("fmi3GetFloat64", "time"), 2.6e-3), ok) << fmu.log;
        }
    };
    Fmu3 fmu(unpacked);
    fmu.initialise();
    run(fmu, 0, 30);
    void* state = nullptr;
    ASSERT_EQ((fmu.function<int (*)(void*, void**)>("fmi3GetFMUState")(fmu.instance, &state)), ok) << fmu.log;
    std::size_t size = 0;
    ASSERT_EQ((fmu.function<int (*)(void*, void*, std::size_t*)>("fmi3SerializedFMUStateSize")(fmu.instance,
                                                                                               state, &size)),
              ok);
    const auto serialise =
        fmu.function<int (*)(void*, void*, unsigned char*, std::size_t)>("fmi3SerializeFMUState");
    std::vector<unsigned char> bytes(size);
    EXPECT_EQ(serialise(fmu.instance, state, bytes.data(), size - 1), wrong);
    ASSERT_EQ(serialise(fmu.instance, state, bytes.data(), size), ok) << fmu.log;
    run(fmu, 30, 50);

    Fmu3 fresh(unpacked); // has not even begun
    const auto deserialise =
        fresh.function<int (*)(void*, const unsigned char*, std::size_t, void**)>("fmi3DeserializeFMUState");
    const auto set = fresh.function<int (*)(void*, void*)>("fmi3SetFMUState");
    void* own = nullptr;
    EXPECT_EQ(set(fresh.instance, state), wrong); // another's
    ASSERT_EQ(deserialise(fresh.instance, bytes.data(), size, &own), ok) << fresh.log;
    ASSERT_EQ(set(fresh.instance, own), ok) << fresh.log;
    run(fresh, 30, 50);
    for (const char* name : {"records.energy", "records.clock", "force.x", "moment.y", "time"})
        EXPECT_EQ(fresh.get("fmi3GetFloat64", name), fmu.get("fmi3GetFloat64", name)) << name;
    EXPECT_EQ((fresh.function<int (*)(void*, void**)>("fmi3FreeFMUState")(fresh.instance, &own)), ok);
    EXPECT_EQ(own, nullptr);
    bytes[size / 2] ^= 1;
    EXPECT_EQ(deserialise(fresh.instance, bytes.data(), size, &own), wrong);
}

TEST(ExportedFmi3, CallsInTheWrongOrderAreErrorsThatDoNoHarm)
{
    const master::Unpacked unpacked(write_fmu("rattle", "", "3"), scratch() / "3");
    Fmu3 fmu(unpacked);
    EXPECT_EQ(fmu.step(0, 1e-3), wrong);
    EXPECT_NE(fmu.log.find("fmi3DoStep"), std::string::npos) << fmu.log;
    EXPECT_NE(fmu.log.find("before its initialisation"), std::string::npos) << fmu.log;
    EXPECT_EQ(fmu.plain("fmi3ExitInitializationMode"), wrong);
    EXPECT_EQ(fmu.plain("fmi3Terminate"), wrong);
    EXPECT_EQ(fmu.enter(), ok);
    EXPECT_EQ(fmu.enter(), wrong);
    EXPECT_EQ(fmu.step(0, 1e-3), wrong);
    EXPECT_EQ(fmu.plain("fmi3ExitInitializationMode"), ok) << fmu.log;
    EXPECT_EQ(fmu.plain("fmi3ExitInitializationMode"), wrong);
    EXPECT_EQ(fmu.enter(), wrong);
    EXPECT_EQ(fmu.set("fmi3SetFloat64", "options.radius", 0.02), wrong); // fixed by now
    EXPECT_EQ(fmu.set("fmi3SetFloat64", "force.x", 1.0), wrong);
    EXPECT_EQ(fmu.set("fmi3SetFloat64", "time", 1.0), wrong);
    EXPECT_EQ(fmu.step(0.5, 1e-3), wrong); // it is at 0
    EXPECT_EQ(fmu.step(0, -1e-3), wrong);
    EXPECT_EQ(fmu.step(0, 1e-3), ok) << fmu.log; // nothing of all that has harmed it
    EXPECT_EQ(fmu.plain("fmi3Terminate"), ok);
    EXPECT_EQ(fmu.step(1e-3, 1e-3), wrong);
    EXPECT_EQ(fmu.set("fmi3SetFloat64", "position.x", 0.0), wrong);
    EXPECT_EQ(fmu.plain("fmi3Reset"), ok);
    fmu.initialise();
    EXPECT_EQ(fmu.step(0, 1e-3), ok) << fmu.log;
    for (const char* name : {"fmi3Terminate", "fmi3Reset", "fmi3ExitInitializationMode"})
        EXPECT_EQ(fmu.function<int (*)(void*)>(name)(nullptr), wrong);
    fmu.function<void (*)(void*)>("fmi3FreeInstance")(nullptr);
}

TEST(ExportedFmi3, HasParametersOfEveryType)
{
    const master::Unpacked unpacked(write_fmu("rattle", "", "3"), scratch() / "3");
    Fmu3 fmu(unpacked);
    EXPECT_EQ(fmu.set<std::int32_t>("fmi3SetInt32", "options.balls", 5), ok);
    EXPECT_EQ(fmu.set<bool>("fmi3SetBoolean", "options.light", true), ok);
    EXPECT_EQ(fmu.set<const char*>("fmi3SetString", "options.start", "still"), ok);
    EXPECT_EQ(fmu.get<std::int32_t>("fmi3GetInt32", "options.balls"), 5);
    EXPECT_TRUE(fmu.get<bool>("fmi3GetBoolean", "options.light"));
    EXPECT_STREQ(fmu.get<const char*>("fmi3GetString", "options.start"), "still");
    EXPECT_EQ(fmu.set<float>("fmi3SetFloat32", "options.radius", 0.01F), wrong);
}

TEST(ExportedFmi3, RefusesWhatItDoesNotHave)
{
    const master::Unpacked unpacked(write_fmu("rattle", "", "3"), scratch() / "3");
    Fmu3 eventful(unpacked, true);
    EXPECT_EQ(eventful.instance, nullptr);
    EXPECT_NE(eventful.log.find("event mode"), std::string::npos) << eventful.log;
    Fmu3 fmu(unpacked);
    for (const char* name : {"fmi3EnterEventMode", "fmi3EnterStepMode", "fmi3EnterConfigurationMode",
                             "fmi3EnterContinuousTimeMode", "fmi3EvaluateDiscreteStates"})
        EXPECT_EQ(fmu.plain(name), wrong) << name;
    EXPECT_EQ(fmu.plain("fmi3ExitInitializationMode"), wrong);
    // Every function of the standard is there.
    for (const char* name : {"GetVersion",
                             "SetDebugLogging",
                             "InstantiateModelExchange",
                             "InstantiateScheduledExecution",
                             "Terminate",
                             "GetInt8",
                             "SetUInt64",
                             "GetBinary",
                             "SetBinary",
                             "GetClock",
                             "SetClock",
                             "GetNumberOfVariableDependencies",
                             "GetVariableDependencies",
                             "FreeFMUState",
                             "SerializedFMUStateSize",
                             "SerializeFMUState",
                             "DeserializeFMUState",
                             "GetDirectionalDerivative",
                             "GetAdjointDerivative",
                             "GetIntervalDecimal",
                             "GetIntervalFraction",
                             "GetShiftDecimal",
                             "GetShiftFraction",
                             "SetIntervalDecimal",
                             "SetIntervalFraction",
                             "SetShiftDecimal",
                             "SetShiftFraction",
                             "UpdateDiscreteStates",
                             "CompletedIntegratorStep",
                             "SetTime",
                             "SetContinuousStates",
                             "GetContinuousStateDerivatives",
                             "GetEventIndicators",
                             "GetContinuousStates",
                             "GetNominalsOfContinuousStates",
                             "GetNumberOfEventIndicators",
                             "GetNumberOfContinuousStates",
                             "GetOutputDerivatives",
                             "ActivateModelPartition",
                             "ExitConfigurationMode"})
        EXPECT_NO_THROW(fmu.function<void*>(("fmi3" + std::string(name)).c_str())) << name;
}

} // namespace tamis::fmi3_export_test
