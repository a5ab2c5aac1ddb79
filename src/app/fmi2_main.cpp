// The C functions of FMI 2.0 for co-simulation that the library of an FMU exports.
#include "tamis/app/fmu_calls.hpp"
#include "tamis/fmi/fmi2.hpp"

using tamis::GranularFmu;
using tamis::SavedState;
using namespace tamis::fmi2;
namespace fmu = tamis::fmu;

namespace {

fmu::Instance* of(Component component)
{
    return static_cast<fmu::Instance*>(component);
}

template <class Work>
Status call(Component component, const char* function, unsigned stages, Work&& work)
{
    return static_cast<Status>(fmu::guarded(of(component), function, stages, std::forward<Work>(work)));
}

Status not_supported(Component component, const char* function, const char* what)
{
    return call(component, function, fmu::any_stage, [&](GranularFmu&) { tamis::fail("{}", what); });
}

Status no_pending(Component component, const char* function)
{
    const Status status =
        not_supported(component, function, "steps are not asynchronous, none is ever pending.");
    return status == error && component ? discard : status;
}

constexpr unsigned gettable = fmu::any_stage; // the instance refuses outputs before its initialisation

template <class Value, class T, class Convert>
Status get(Component c, const char* function, const ValueReference* references, std::size_t n, T* values,
           Convert&& convert)
{
    return call(c, function, gettable,
                [&](GranularFmu& f) { fmu::get_all<Value>(f, references, n, values, convert); });
}

template <class T, class Convert>
Status set(Component c, const char* function, const ValueReference* references, std::size_t n,
           const T* values, Convert&& convert)
{
    return call(c, function, fmu::settable,
                [&](GranularFmu& f) { fmu::set_all(f, references, n, values, convert); });
}

const auto same = [](const auto& x) { return x; };

} // namespace

extern "C" {

const char* fmi2GetTypesPlatform()
{
    return types_platform;
}

const char* fmi2GetVersion()
{
    return "2.0";
}

Component fmi2Instantiate(String name, Type type, String guid, String resources, const Callbacks* callbacks,
                          Boolean, Boolean logging)
{
    fmu::Log log;
    const std::string instance = name ? name : "";
    if (callbacks && callbacks->logger)
        log = [c = *callbacks, instance](fmu::Status status, const char* category, const std::string& text) {
            c.logger(c.environment, instance.c_str(), static_cast<Status>(status), category, "%s",
                     text.c_str());
        };
    return fmu::instantiate(log, "fmi2Instantiate", [&] {
        if (type != co_simulation) tamis::fail("the FMU is for co-simulation only.");
        if (instance.empty()) tamis::fail("the instance needs a name.");
        if (!guid || !resources) tamis::fail("it got no GUID, or no location of the resources.");
        return new fmu::Instance{GranularFmu(fmu::folder_of(resources), guid), log, logging != 0};
    });
}

void fmi2FreeInstance(Component c)
{
    delete of(c);
}

Status fmi2SetDebugLogging(Component c, Boolean on, std::size_t, const String[])
{
    return call(c, "fmi2SetDebugLogging", fmu::any_stage, [&](GranularFmu&) { of(c)->debug = on != 0; });
}

Status fmi2SetupExperiment(Component c, Boolean, Real, Real start, Boolean, Real)
{
    return call(c, "fmi2SetupExperiment", GranularFmu::instantiated,
                [&](GranularFmu& f) { f.set_start(start); });
}

Status fmi2EnterInitializationMode(Component c)
{
    return call(c, "fmi2EnterInitializationMode", GranularFmu::instantiated,
                [](GranularFmu& f) { f.enter_initialization(); });
}

Status fmi2ExitInitializationMode(Component c)
{
    return call(c, "fmi2ExitInitializationMode", GranularFmu::initialization,
                [](GranularFmu& f) { f.exit_initialization(); });
}

Status fmi2Terminate(Component c)
{
    return call(c, "fmi2Terminate", GranularFmu::stepping | GranularFmu::failed,
                [](GranularFmu& f) { f.terminate(); });
}

Status fmi2Reset(Component c)
{
    return call(c, "fmi2Reset", fmu::any_stage, [](GranularFmu& f) { f.reset(); });
}

Status fmi2GetReal(Component c, const ValueReference references[], std::size_t n, Real values[])
{
    return get<double>(c, "fmi2GetReal", references, n, values, same);
}
Status fmi2GetInteger(Component c, const ValueReference references[], std::size_t n, Integer values[])
{
    return get<int>(c, "fmi2GetInteger", references, n, values, same);
}
Status fmi2GetBoolean(Component c, const ValueReference references[], std::size_t n, Boolean values[])
{
    return get<bool>(c, "fmi2GetBoolean", references, n, values, [](bool x) { return x ? 1 : 0; });
}
Status fmi2GetString(Component c, const ValueReference references[], std::size_t n, String values[])
{
    return get<std::string>(c, "fmi2GetString", references, n, values,
                            [](const std::string& x) { return x.c_str(); });
}

Status fmi2SetReal(Component c, const ValueReference references[], std::size_t n, const Real values[])
{
    return set(c, "fmi2SetReal", references, n, values, same);
}
Status fmi2SetInteger(Component c, const ValueReference references[], std::size_t n, const Integer values[])
{
    return set(c, "fmi2SetInteger", references, n, values, same);
}
Status fmi2SetBoolean(Component c, const ValueReference references[], std::size_t n, const Boolean values[])
{
    return set(c, "fmi2SetBoolean", references, n, values, [](Boolean x) { return x != 0; });
}
Status fmi2SetString(Component c, const ValueReference references[], std::size_t n, const String values[])
{
    return set(c, "fmi2SetString", references, n, values, fmu::text_of);
}

Status fmi2GetFMUstate(Component c, FmuState* state)
{
    return call(c, "fmi2GetFMUstate", fmu::any_stage & ~GranularFmu::failed,
                [&](GranularFmu& f) { fmu::keep_state(*of(c), state, f.save()); });
}
Status fmi2SetFMUstate(Component c, FmuState state)
{
    return call(c, "fmi2SetFMUstate", fmu::any_stage,
                [&](GranularFmu& f) { f.restore(fmu::known_state(*of(c), state)); });
}
Status fmi2FreeFMUstate(Component c, FmuState* state)
{
    return call(c, "fmi2FreeFMUstate", fmu::any_stage, [&](GranularFmu&) { fmu::free_state(*of(c), state); });
}
Status fmi2SerializedFMUstateSize(Component c, FmuState state, std::size_t* size)
{
    return call(c, "fmi2SerializedFMUstateSize", fmu::any_stage,
                [&](GranularFmu&) { fmu::size_of(fmu::known_state(*of(c), state), size); });
}
Status fmi2SerializeFMUstate(Component c, FmuState state, Byte bytes[], std::size_t size)
{
    return call(c, "fmi2SerializeFMUstate", fmu::any_stage,
                [&](GranularFmu&) { fmu::serialise(fmu::known_state(*of(c), state), bytes, size); });
}
Status fmi2DeSerializeFMUstate(Component c, const Byte bytes[], std::size_t size, FmuState* state)
{
    return call(c, "fmi2DeSerializeFMUstate", fmu::any_stage,
                [&](GranularFmu&) { fmu::keep_state(*of(c), state, fmu::deserialised(bytes, size)); });
}

Status fmi2GetDirectionalDerivative(Component c, const ValueReference[], std::size_t, const ValueReference[],
                                    std::size_t, const Real[], Real[])
{
    return not_supported(c, "fmi2GetDirectionalDerivative", "contacts have no derivatives to give.");
}
Status fmi2SetRealInputDerivatives(Component c, const ValueReference[], std::size_t, const Integer[],
                                   const Real[])
{
    return not_supported(
        c, "fmi2SetRealInputDerivatives",
        "inputs are not interpolated by derivatives: set the motion at the end of the step.");
}
Status fmi2GetRealOutputDerivatives(Component c, const ValueReference[], std::size_t, const Integer[], Real[])
{
    return not_supported(c, "fmi2GetRealOutputDerivatives", "contacts have no derivatives to give.");
}

Status fmi2DoStep(Component c, Real t, Real H, Boolean)
{
    return call(c, "fmi2DoStep", GranularFmu::stepping, [&](GranularFmu&) { fmu::step(*of(c), t, H); });
}
Status fmi2CancelStep(Component c)
{
    return not_supported(c, "fmi2CancelStep", "steps are not asynchronous, there is none to cancel.");
}

Status fmi2GetStatus(Component c, StatusKind, Status*)
{
    return no_pending(c, "fmi2GetStatus");
}
Status fmi2GetRealStatus(Component c, StatusKind kind, Real* value)
{
    if (kind != last_successful_time || !value) return no_pending(c, "fmi2GetRealStatus");
    return call(c, "fmi2GetRealStatus", fmu::any_stage, [&](GranularFmu& f) { *value = f.time(); });
}
Status fmi2GetIntegerStatus(Component c, StatusKind, Integer*)
{
    return no_pending(c, "fmi2GetIntegerStatus");
}
Status fmi2GetBooleanStatus(Component c, StatusKind kind, Boolean* value)
{
    if (kind != terminated || !value) return no_pending(c, "fmi2GetBooleanStatus");
    return call(c, "fmi2GetBooleanStatus", fmu::any_stage, [&](GranularFmu&) { *value = 0; });
}
Status fmi2GetStringStatus(Component c, StatusKind, String*)
{
    return no_pending(c, "fmi2GetStringStatus");
}

} // extern "C"

// The types of the standard, function by function.
#define TAMIS_CHECK(name)                                                                                    \
    static_assert(std::is_same_v<decltype(fmi2##name), tamis::fmi2::name>, "fmi2" #name);
TAMIS_CHECK(GetTypesPlatform)
TAMIS_CHECK(GetVersion)
TAMIS_CHECK(SetDebugLogging)
TAMIS_CHECK(Instantiate)
TAMIS_CHECK(FreeInstance)
TAMIS_CHECK(SetupExperiment)
TAMIS_CHECK(EnterInitializationMode)
TAMIS_CHECK(ExitInitializationMode)
TAMIS_CHECK(Terminate)
TAMIS_CHECK(Reset)
TAMIS_CHECK(GetReal)
TAMIS_CHECK(GetInteger)
TAMIS_CHECK(GetBoolean)
TAMIS_CHECK(GetString)
TAMIS_CHECK(SetReal)
TAMIS_CHECK(SetInteger)
TAMIS_CHECK(SetBoolean)
TAMIS_CHECK(SetString)
TAMIS_CHECK(GetDirectionalDerivative)
TAMIS_CHECK(SetRealInputDerivatives)
TAMIS_CHECK(GetRealOutputDerivatives)
TAMIS_CHECK(DoStep)
TAMIS_CHECK(CancelStep)
TAMIS_CHECK(GetStatus)
TAMIS_CHECK(GetRealStatus)
TAMIS_CHECK(GetIntegerStatus)
TAMIS_CHECK(GetBooleanStatus)
TAMIS_CHECK(GetStringStatus)
#undef TAMIS_CHECK
#define TAMIS_CHECK(name, type)                                                                              \
    static_assert(std::is_same_v<decltype(fmi2##name), tamis::fmi2::type>, "fmi2" #name);
TAMIS_CHECK(GetFMUstate, GetFmuState)
TAMIS_CHECK(SetFMUstate, SetFmuState)
TAMIS_CHECK(FreeFMUstate, FreeFmuState)
TAMIS_CHECK(SerializedFMUstateSize, SerializedFmuStateSize)
TAMIS_CHECK(SerializeFMUstate, SerializeFmuState)
TAMIS_CHECK(DeSerializeFMUstate, DeSerializeFmuState)
#undef TAMIS_CHECK
