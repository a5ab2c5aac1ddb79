// The C functions of FMI 3.0 that the library of an FMU exports: for co-simulation without events, clocks, early return
// and intermediate updates, whose functions answer that they are not there.
#include "tamis/app/fmu_calls.hpp"
#include "tamis/fmi/fmi3.hpp"

using tamis::GranularFmu;
using namespace tamis::fmi3;
namespace fmu = tamis::fmu;

namespace {

fmu::Instance* of(Instance instance)
{
    return static_cast<fmu::Instance*>(instance);
}

template <class Work>
Status call(Instance instance, const char* function, unsigned stages, Work&& work)
{
    return static_cast<Status>(fmu::guarded(of(instance), function, stages, std::forward<Work>(work)));
}

Status not_supported(Instance instance, const char* function)
{
    return call(instance, function, fmu::any_stage, [](GranularFmu&) {
        tamis::fail("this FMU has no such capability: see its model description.");
    });
}

fmu::Log log_of(Environment environment, LogMessage* message)
{
    if (!message) return {};
    return [=](fmu::Status status, const char* category, const std::string& text) {
        message(environment, static_cast<Status>(status), category, text.c_str());
    };
}

Instance no_instance(const char* function, Environment environment, LogMessage* message)
{
    fmu::tell(log_of(environment, message), fmu::error,
              std::string(function) + ": the FMU is for co-simulation only.");
    return nullptr;
}

void check_sizes(std::size_t references, std::size_t values)
{
    if (references != values) tamis::fail("{} values for {} variables: all are scalars.", values, references);
}

template <class Value, class T, class Convert>
Status get(Instance i, const char* function, const ValueReference* references, std::size_t n, T* values,
           std::size_t n_values, Convert&& convert)
{
    return call(i, function, fmu::any_stage, [&](GranularFmu& f) {
        check_sizes(n, n_values);
        fmu::get_all<Value>(f, references, n, values, convert);
    });
}

template <class T, class Convert>
Status set(Instance i, const char* function, const ValueReference* references, std::size_t n, const T* values,
           std::size_t n_values, Convert&& convert)
{
    return call(i, function, fmu::settable, [&](GranularFmu& f) {
        check_sizes(n, n_values);
        fmu::set_all(f, references, n, values, convert);
    });
}

const auto same = [](const auto& x) { return x; };

// Types that no variable has.
Status none(Instance i, const char* function, std::size_t n)
{
    return call(i, function, fmu::any_stage, [&](GranularFmu&) {
        if (n > 0) tamis::fail("no variable has this type.");
    });
}

} // namespace

extern "C" {

const char* fmi3GetVersion()
{
    return "3.0";
}

Instance fmi3InstantiateCoSimulation(String name, String token, String resources, Boolean, Boolean logging,
                                     Boolean event_mode, Boolean, const ValueReference[],
                                     std::size_t n_intermediate, Environment environment, LogMessage* message,
                                     IntermediateUpdate*)
{
    const fmu::Log log = log_of(environment, message);
    return fmu::instantiate(log, "fmi3InstantiateCoSimulation", [&] {
        if (!name || !*name) tamis::fail("the instance needs a name.");
        if (!token || !resources) tamis::fail("it got no token, or no path of the resources.");
        if (event_mode) tamis::fail("the FMU has no event mode.");
        if (n_intermediate > 0) tamis::fail("the FMU has no intermediate updates.");
        return new fmu::Instance{GranularFmu(fmu::folder_of(resources), token), log, logging};
    });
}

Instance fmi3InstantiateModelExchange(String, String, String, Boolean, Boolean, Environment environment,
                                      LogMessage* message)
{
    return no_instance("fmi3InstantiateModelExchange", environment, message);
}

Instance fmi3InstantiateScheduledExecution(String, String, String, Boolean, Boolean, Environment environment,
                                           LogMessage* message, void*, void*, void*)
{
    return no_instance("fmi3InstantiateScheduledExecution", environment, message);
}

void fmi3FreeInstance(Instance i)
{
    delete of(i);
}

Status fmi3SetDebugLogging(Instance i, Boolean on, std::size_t, const String[])
{
    return call(i, "fmi3SetDebugLogging", fmu::any_stage, [&](GranularFmu&) { of(i)->debug = on; });
}

Status fmi3EnterInitializationMode(Instance i, Boolean, Float64, Float64 start, Boolean, Float64)
{
    return call(i, "fmi3EnterInitializationMode", GranularFmu::instantiated, [&](GranularFmu& f) {
        f.set_start(start);
        f.enter_initialization();
    });
}

Status fmi3ExitInitializationMode(Instance i)
{
    return call(i, "fmi3ExitInitializationMode", GranularFmu::initialization,
                [](GranularFmu& f) { f.exit_initialization(); });
}

Status fmi3Terminate(Instance i)
{
    return call(i, "fmi3Terminate", GranularFmu::stepping | GranularFmu::failed,
                [](GranularFmu& f) { f.terminate(); });
}

Status fmi3Reset(Instance i)
{
    return call(i, "fmi3Reset", fmu::any_stage, [](GranularFmu& f) { f.reset(); });
}

Status fmi3GetFloat64(Instance i, const ValueReference references[], std::size_t n, Float64 values[],
                      std::size_t n_values)
{
    return call(i, "fmi3GetFloat64", fmu::any_stage, [&](GranularFmu& f) {
        check_sizes(n, n_values);
        const std::size_t time = f.model().content.variables.size(); // the variable behind all others
        for (std::size_t k = 0; k < n; ++k)
            if (references && values && references[k] == time)
                values[k] = f.time();
            else
                fmu::get_all<double>(f, references ? references + k : nullptr, 1,
                                     values ? values + k : nullptr, same);
    });
}
Status fmi3GetInt32(Instance i, const ValueReference references[], std::size_t n, std::int32_t values[],
                    std::size_t n_values)
{
    return get<int>(i, "fmi3GetInt32", references, n, values, n_values, same);
}
Status fmi3GetBoolean(Instance i, const ValueReference references[], std::size_t n, Boolean values[],
                      std::size_t n_values)
{
    return get<bool>(i, "fmi3GetBoolean", references, n, values, n_values, same);
}
Status fmi3GetString(Instance i, const ValueReference references[], std::size_t n, String values[],
                     std::size_t n_values)
{
    return get<std::string>(i, "fmi3GetString", references, n, values, n_values,
                            [](const std::string& x) { return x.c_str(); });
}

Status fmi3SetFloat64(Instance i, const ValueReference references[], std::size_t n, const Float64 values[],
                      std::size_t n_values)
{
    return set(i, "fmi3SetFloat64", references, n, values, n_values, same);
}
Status fmi3SetInt32(Instance i, const ValueReference references[], std::size_t n, const std::int32_t values[],
                    std::size_t n_values)
{
    return set(i, "fmi3SetInt32", references, n, values, n_values, [](std::int32_t x) { return int{x}; });
}
Status fmi3SetBoolean(Instance i, const ValueReference references[], std::size_t n, const Boolean values[],
                      std::size_t n_values)
{
    return set(i, "fmi3SetBoolean", references, n, values, n_values, same);
}
Status fmi3SetString(Instance i, const ValueReference references[], std::size_t n, const String values[],
                     std::size_t n_values)
{
    return set(i, "fmi3SetString", references, n, values, n_values, fmu::text_of);
}

#define TAMIS_NONE(Name, Type)                                                                               \
    Status fmi3Get##Name(Instance i, const ValueReference[], std::size_t n, Type[], std::size_t)             \
    {                                                                                                        \
        return none(i, "fmi3Get" #Name, n);                                                                  \
    }                                                                                                        \
    Status fmi3Set##Name(Instance i, const ValueReference[], std::size_t n, const Type[], std::size_t)       \
    {                                                                                                        \
        return none(i, "fmi3Set" #Name, n);                                                                  \
    }
TAMIS_NONE(Float32, Float32)
TAMIS_NONE(Int8, std::int8_t)
TAMIS_NONE(UInt8, std::uint8_t)
TAMIS_NONE(Int16, std::int16_t)
TAMIS_NONE(UInt16, std::uint16_t)
TAMIS_NONE(UInt32, std::uint32_t)
TAMIS_NONE(Int64, std::int64_t)
TAMIS_NONE(UInt64, std::uint64_t)
#undef TAMIS_NONE

Status fmi3GetBinary(Instance i, const ValueReference[], std::size_t n, std::size_t[], Binary[], std::size_t)
{
    return none(i, "fmi3GetBinary", n);
}
Status fmi3SetBinary(Instance i, const ValueReference[], std::size_t n, const std::size_t[], const Binary[],
                     std::size_t)
{
    return none(i, "fmi3SetBinary", n);
}
Status fmi3GetClock(Instance i, const ValueReference[], std::size_t n, bool[])
{
    return none(i, "fmi3GetClock", n);
}
Status fmi3SetClock(Instance i, const ValueReference[], std::size_t n, const bool[])
{
    return none(i, "fmi3SetClock", n);
}

Status fmi3GetFMUState(Instance i, FmuState* state)
{
    return call(i, "fmi3GetFMUState", fmu::any_stage & ~GranularFmu::failed,
                [&](GranularFmu& f) { fmu::keep_state(*of(i), state, f.save()); });
}
Status fmi3SetFMUState(Instance i, FmuState state)
{
    return call(i, "fmi3SetFMUState", fmu::any_stage,
                [&](GranularFmu& f) { f.restore(fmu::known_state(*of(i), state)); });
}
Status fmi3FreeFMUState(Instance i, FmuState* state)
{
    return call(i, "fmi3FreeFMUState", fmu::any_stage, [&](GranularFmu&) { fmu::free_state(*of(i), state); });
}
Status fmi3SerializedFMUStateSize(Instance i, FmuState state, std::size_t* size)
{
    return call(i, "fmi3SerializedFMUStateSize", fmu::any_stage,
                [&](GranularFmu&) { fmu::size_of(fmu::known_state(*of(i), state), size); });
}
Status fmi3SerializeFMUState(Instance i, FmuState state, Byte bytes[], std::size_t size)
{
    return call(i, "fmi3SerializeFMUState", fmu::any_stage,
                [&](GranularFmu&) { fmu::serialise(fmu::known_state(*of(i), state), bytes, size); });
}
Status fmi3DeserializeFMUState(Instance i, const Byte bytes[], std::size_t size, FmuState* state)
{
    return call(i, "fmi3DeserializeFMUState", fmu::any_stage,
                [&](GranularFmu&) { fmu::keep_state(*of(i), state, fmu::deserialised(bytes, size)); });
}

Status fmi3EnterStepMode(Instance i)
{
    return not_supported(i, "fmi3EnterStepMode");
}
Status fmi3DoStep(Instance i, Float64 t, Float64 H, Boolean, Boolean* event_needed, Boolean* terminate,
                  Boolean* early_return, Float64* last_successful_time)
{
    const Status status =
        call(i, "fmi3DoStep", GranularFmu::stepping, [&](GranularFmu&) { fmu::step(*of(i), t, H); });
    for (Boolean* flag : {event_needed, terminate, early_return})
        if (flag) *flag = false;
    if (last_successful_time && of(i)) *last_successful_time = of(i)->granular.time();
    return status;
}

#define TAMIS_ABSENT(name, ...)                                                                              \
    Status fmi3##name(Instance i __VA_OPT__(, ) __VA_ARGS__)                                                 \
    {                                                                                                        \
        return not_supported(i, "fmi3" #name);                                                               \
    }
using References = const ValueReference*;
TAMIS_ABSENT(GetNumberOfVariableDependencies, ValueReference, std::size_t*)
TAMIS_ABSENT(GetVariableDependencies, ValueReference, std::size_t*, ValueReference*, std::size_t*,
             DependencyKind*, std::size_t)
TAMIS_ABSENT(GetDirectionalDerivative, References, std::size_t, References, std::size_t, const Float64*,
             std::size_t, Float64*, std::size_t)
TAMIS_ABSENT(GetAdjointDerivative, References, std::size_t, References, std::size_t, const Float64*,
             std::size_t, Float64*, std::size_t)
TAMIS_ABSENT(GetOutputDerivatives, References, std::size_t, const std::int32_t*, Float64*, std::size_t)
TAMIS_ABSENT(EnterConfigurationMode)
TAMIS_ABSENT(ExitConfigurationMode)
TAMIS_ABSENT(EnterEventMode)
TAMIS_ABSENT(EvaluateDiscreteStates)
TAMIS_ABSENT(UpdateDiscreteStates, Boolean*, Boolean*, Boolean*, Boolean*, Boolean*, Float64*)
TAMIS_ABSENT(GetIntervalDecimal, References, std::size_t, Float64*, int*)
TAMIS_ABSENT(GetIntervalFraction, References, std::size_t, std::uint64_t*, std::uint64_t*, int*)
TAMIS_ABSENT(GetShiftDecimal, References, std::size_t, Float64*)
TAMIS_ABSENT(GetShiftFraction, References, std::size_t, std::uint64_t*, std::uint64_t*)
TAMIS_ABSENT(SetIntervalDecimal, References, std::size_t, const Float64*)
TAMIS_ABSENT(SetIntervalFraction, References, std::size_t, const std::uint64_t*, const std::uint64_t*)
TAMIS_ABSENT(SetShiftDecimal, References, std::size_t, const Float64*)
TAMIS_ABSENT(SetShiftFraction, References, std::size_t, const std::uint64_t*, const std::uint64_t*)
TAMIS_ABSENT(EnterContinuousTimeMode)
TAMIS_ABSENT(CompletedIntegratorStep, Boolean, Boolean*, Boolean*)
TAMIS_ABSENT(SetTime, Float64)
TAMIS_ABSENT(SetContinuousStates, const Float64*, std::size_t)
TAMIS_ABSENT(GetContinuousStateDerivatives, Float64*, std::size_t)
TAMIS_ABSENT(GetEventIndicators, Float64*, std::size_t)
TAMIS_ABSENT(GetContinuousStates, Float64*, std::size_t)
TAMIS_ABSENT(GetNominalsOfContinuousStates, Float64*, std::size_t)
TAMIS_ABSENT(GetNumberOfEventIndicators, std::size_t*)
TAMIS_ABSENT(GetNumberOfContinuousStates, std::size_t*)
TAMIS_ABSENT(ActivateModelPartition, ValueReference, Float64)
#undef TAMIS_ABSENT

} // extern "C"

// The types of the standard, function by function.
#define TAMIS_CHECK(name)                                                                                    \
    static_assert(std::is_same_v<decltype(fmi3##name), tamis::fmi3::name>, "fmi3" #name);
TAMIS_CHECK(GetVersion)
TAMIS_CHECK(SetDebugLogging)
TAMIS_CHECK(InstantiateCoSimulation)
TAMIS_CHECK(FreeInstance)
TAMIS_CHECK(EnterInitializationMode)
TAMIS_CHECK(ExitInitializationMode)
TAMIS_CHECK(EnterEventMode)
TAMIS_CHECK(EnterStepMode)
TAMIS_CHECK(EnterConfigurationMode)
TAMIS_CHECK(ExitConfigurationMode)
TAMIS_CHECK(Terminate)
TAMIS_CHECK(Reset)
TAMIS_CHECK(GetFloat32)
TAMIS_CHECK(GetFloat64)
TAMIS_CHECK(GetInt8)
TAMIS_CHECK(GetUInt8)
TAMIS_CHECK(GetInt16)
TAMIS_CHECK(GetUInt16)
TAMIS_CHECK(GetInt32)
TAMIS_CHECK(GetUInt32)
TAMIS_CHECK(GetInt64)
TAMIS_CHECK(GetUInt64)
TAMIS_CHECK(GetBoolean)
TAMIS_CHECK(GetString)
TAMIS_CHECK(GetBinary)
TAMIS_CHECK(SetFloat32)
TAMIS_CHECK(SetFloat64)
TAMIS_CHECK(SetInt8)
TAMIS_CHECK(SetUInt8)
TAMIS_CHECK(SetInt16)
TAMIS_CHECK(SetUInt16)
TAMIS_CHECK(SetInt32)
TAMIS_CHECK(SetUInt32)
TAMIS_CHECK(SetInt64)
TAMIS_CHECK(SetUInt64)
TAMIS_CHECK(SetBoolean)
TAMIS_CHECK(SetString)
TAMIS_CHECK(SetBinary)
TAMIS_CHECK(GetNumberOfVariableDependencies)
TAMIS_CHECK(GetVariableDependencies)
TAMIS_CHECK(GetDirectionalDerivative)
TAMIS_CHECK(GetAdjointDerivative)
TAMIS_CHECK(GetOutputDerivatives)
TAMIS_CHECK(DoStep)
#undef TAMIS_CHECK
#define TAMIS_CHECK(name, type)                                                                              \
    static_assert(std::is_same_v<decltype(fmi3##name), tamis::fmi3::type>, "fmi3" #name);
TAMIS_CHECK(GetFMUState, GetFmuState)
TAMIS_CHECK(SetFMUState, SetFmuState)
TAMIS_CHECK(FreeFMUState, FreeFmuState)
TAMIS_CHECK(SerializedFMUStateSize, SerializedFmuStateSize)
TAMIS_CHECK(SerializeFMUState, SerializeFmuState)
TAMIS_CHECK(DeserializeFMUState, DeserializeFmuState)
#undef TAMIS_CHECK
