// What the C functions of both versions of FMI do alike: an instance with its log, and a call that may come in the
// wrong order or fail, but lets no exception out.
#pragma once

#include "tamis/app/granular_fmu.hpp"
#include "tamis/io/saved_state_bytes.hpp"

#include <cstdlib>
#include <set>
#include <string_view>

namespace tamis::fmu {

enum Status : int { ok, warning, discard, error }; // as in both versions

using Log = std::function<void(Status, const char* category, const std::string& message)>;

struct Instance {
    GranularFmu granular;
    Log log;
    bool debug = false;
    std::set<SavedState*> states = {};
    ~Instance()
    {
        for (SavedState* state : states) delete state;
    }
};

inline constexpr unsigned any_stage = 31;
inline constexpr unsigned settable =
    GranularFmu::instantiated | GranularFmu::initialization | GranularFmu::stepping;

inline const char* stage_name(GranularFmu::Stage stage)
{
    switch (stage) {
    case GranularFmu::instantiated:
        return "before its initialisation";
    case GranularFmu::initialization:
        return "in its initialisation";
    case GranularFmu::stepping:
        return "between two steps";
    case GranularFmu::terminated:
        return "terminated";
    default:
        return "left by a step that failed";
    }
}

inline void tell(const Log& log, Status status, const std::string& message) noexcept
{
    try {
        if (log) log(status, status == warning ? "logStatusWarning" : "logStatusError", message);
    } catch (...) { // the importer's own
    }
}

// Runs `work`, which throws what is wrong, if the instance is in one of the stages.
template <class Work>
Status guarded(Instance* instance, const char* function, unsigned stages, Work&& work) noexcept
{
    if (!instance) return error;
    try {
        const GranularFmu::Stage stage = instance->granular.stage();
        if (!(stage & stages))
            fail("it is called for an instance that is {}, which FMI does not allow.", stage_name(stage));
        work(instance->granular);
        return ok;
    } catch (const std::exception& wrong) {
        tell(instance->log, error, std::string(function) + ": " + wrong.what());
    } catch (...) {
        tell(instance->log, error, std::string(function) + ": an unknown error.");
    }
    return error;
}

inline void step(Instance& instance, double t, double H)
{
    const int before = instance.granular.unconverged();
    instance.granular.step(t, H);
    if (const int more = instance.granular.unconverged() - before; more > 0 && instance.debug)
        tell(
            instance.log, warning,
            fmt::format("Contacts were not solved to tolerance in {} inner steps from t = {:g} s.", more, t));
}

// The folder of a URI file:///..., or of a plain path.
inline std::filesystem::path folder_of(std::string_view location)
{
    const std::string_view scheme = "file:";
    if (!location.starts_with(scheme)) return location;
    location.remove_prefix(scheme.size());
    if (location.starts_with("//")) {
        location.remove_prefix(2);
        location.remove_prefix(std::min(location.find('/'), location.size())); // the machine
    }
    std::string path;
    for (std::size_t k = 0; k < location.size(); ++k) {
        const std::string code(location.substr(k + 1, 2));
        char* end = nullptr;
        const long c = location[k] == '%' && code.size() == 2 ? std::strtol(code.c_str(), &end, 16) : 0;
        const bool escaped = end && *end == '\0';
        path += escaped ? static_cast<char>(c) : location[k];
        if (escaped) k += 2;
    }
    return path;
}

template <class Make>
Instance* instantiate(const Log& log, const char* function, Make&& make) noexcept
{
    try {
        return make();
    } catch (const std::exception& wrong) {
        tell(log, error, std::string(function) + ": " + wrong.what());
    } catch (...) {
        tell(log, error, std::string(function) + ": an unknown error.");
    }
    return nullptr;
}

// Values of one type; those to be set are checked before the first one is.
template <class Value, class Out, class Convert>
void get_all(GranularFmu& granular, const unsigned* references, std::size_t n, Out* out, Convert&& convert)
{
    if (n > 0 && (!references || !out)) fail("it got no place for its values.");
    for (std::size_t k = 0; k < n; ++k) {
        const ExportValue& value = granular.get(references[k]);
        const Value* x = std::get_if<Value>(&value);
        if (!x)
            fail("the variable '{}' has another type.",
                 granular.model().content.variables[references[k]].name);
        out[k] = convert(*x);
    }
}

template <class In, class Convert>
void set_all(GranularFmu& granular, const unsigned* references, std::size_t n, const In* in,
             Convert&& convert)
{
    if (n > 0 && (!references || !in)) fail("it got no values.");
    for (std::size_t k = 0; k < n; ++k) granular.check(references[k], convert(in[k]));
    for (std::size_t k = 0; k < n; ++k) granular.set(references[k], convert(in[k]));
}

inline std::string text_of(const char* text)
{
    if (!text) fail("it got a text that is null.");
    return text;
}

// A state that this instance has given out.
inline SavedState& known_state(Instance& instance, void* state)
{
    const auto found = instance.states.find(static_cast<SavedState*>(state));
    if (found == instance.states.end()) fail("the state is none of this instance, or was freed.");
    return **found;
}

inline void keep_state(Instance& instance, void** state, SavedState&& saved)
{
    if (!state) fail("it got no place for the state.");
    if (*state) {
        known_state(instance, *state) = std::move(saved);
        return;
    }
    auto made = std::make_unique<SavedState>(std::move(saved));
    instance.states.insert(made.get());
    *state = made.release();
}

inline void size_of(const SavedState& state, std::size_t* size)
{
    if (!size) fail("it got no place for the size.");
    *size = to_bytes(state).size();
}

template <class Byte>
void serialise(const SavedState& state, Byte* out, std::size_t size)
{
    static_assert(sizeof(Byte) == 1);
    const std::string bytes = to_bytes(state);
    if (!out || size < bytes.size())
        fail("the state has {} bytes, and there is room for {}.", bytes.size(), size);
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(out));
}

template <class Byte>
SavedState deserialised(const Byte* bytes, std::size_t size)
{
    static_assert(sizeof(Byte) == 1);
    if (!bytes) fail("it got no bytes.");
    return from_bytes({reinterpret_cast<const char*>(bytes), size}, "the state");
}

inline void free_state(Instance& instance, void** state)
{
    if (!state || !*state) return;
    SavedState* known = &known_state(instance, *state);
    instance.states.erase(known);
    delete known;
    *state = nullptr;
}

} // namespace tamis::fmu
