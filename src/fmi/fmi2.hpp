// The C interface of the Functional Mock-up Interface 2.0 for co-simulation, as types: FMI 2.0.4, Sects. 2.1 and 4.2.
// A program that imports looks functions up by name and calls them through these types; one that exports defines
// functions of these types, `extern "C"`.
#pragma once
#include <cstddef>

namespace tamis::fmi2 {

using Component = void*;   // an instance, made by Instantiate
using Environment = void*; // of the importer, handed back to its callbacks
using FmuState = void*;    // a saved state, made by GetFmuState
using ValueReference = unsigned int;
using Real = double;
using Integer = int;
using Boolean = int; // 0 or 1
using String = const char*;
using Byte = char;

enum Status : int { ok, warning, discard, error, fatal, pending };
enum Type : int { model_exchange, co_simulation };
enum StatusKind : int { do_step_status, pending_status, last_successful_time, terminated };

struct Callbacks {
    void (*logger)(Environment, String instance, Status, String category, String format, ...);
    void* (*allocate_memory)(std::size_t count, std::size_t size); // zeroed
    void (*free_memory)(void*);
    void (*step_finished)(Environment, Status); // null where steps are not asynchronous
    Environment environment;
};

constexpr const char* types_platform = "default"; // the types above

// The functions, named as in the standard without its prefix "fmi2".
using GetTypesPlatform = const char*();
using GetVersion = const char*();
using SetDebugLogging = Status(Component, Boolean on, std::size_t n_categories, const String categories[]);
using Instantiate = Component(String instance, Type, String guid, String resource_location, const Callbacks*,
                              Boolean visible, Boolean logging);
using FreeInstance = void(Component);
using SetupExperiment = Status(Component, Boolean tolerance_defined, Real tolerance, Real start_time,
                               Boolean stop_time_defined, Real stop_time);
using EnterInitializationMode = Status(Component);
using ExitInitializationMode = Status(Component);
using Terminate = Status(Component);
using Reset = Status(Component);

using GetReal = Status(Component, const ValueReference[], std::size_t n, Real values[]);
using GetInteger = Status(Component, const ValueReference[], std::size_t n, Integer values[]);
using GetBoolean = Status(Component, const ValueReference[], std::size_t n, Boolean values[]);
using GetString = Status(Component, const ValueReference[], std::size_t n, String values[]);
using SetReal = Status(Component, const ValueReference[], std::size_t n, const Real values[]);
using SetInteger = Status(Component, const ValueReference[], std::size_t n, const Integer values[]);
using SetBoolean = Status(Component, const ValueReference[], std::size_t n, const Boolean values[]);
using SetString = Status(Component, const ValueReference[], std::size_t n, const String values[]);

using GetFmuState = Status(Component, FmuState*); // a null state is made, any other is written over
using SetFmuState = Status(Component, FmuState);
using FreeFmuState = Status(Component, FmuState*);
using SerializedFmuStateSize = Status(Component, FmuState, std::size_t*);
using SerializeFmuState = Status(Component, FmuState, Byte[], std::size_t);
using DeSerializeFmuState = Status(Component, const Byte[], std::size_t, FmuState*);
using GetDirectionalDerivative = Status(Component, const ValueReference unknowns[], std::size_t n_unknowns,
                                        const ValueReference knowns[], std::size_t n_knowns,
                                        const Real knowns_seed[], Real unknowns_derivative[]);

using SetRealInputDerivatives = Status(Component, const ValueReference[], std::size_t n,
                                       const Integer orders[], const Real values[]);
using GetRealOutputDerivatives = Status(Component, const ValueReference[], std::size_t n,
                                        const Integer orders[], Real values[]);
using DoStep = Status(Component, Real current_point, Real step_size,
                      Boolean no_set_state_prior_to_current_point);
using CancelStep = Status(Component);
using GetStatus = Status(Component, StatusKind, Status*);
using GetRealStatus = Status(Component, StatusKind, Real*);
using GetIntegerStatus = Status(Component, StatusKind, Integer*);
using GetBooleanStatus = Status(Component, StatusKind, Boolean*);
using GetStringStatus = Status(Component, StatusKind, String*);

} // namespace tamis::fmi2
