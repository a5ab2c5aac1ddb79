// The C interface of the Functional Mock-up Interface 3.0 for co-simulation, as types: FMI 3.0.1, Sects. 2.2 and 4.2.
// A program that imports looks functions up by name and calls them through these types; one that exports defines
// functions of these types, `extern "C"`. What stands between model exchange, scheduled execution and clocks is left
// out.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tamis::fmi3 {

using Instance = void*;    // made by InstantiateCoSimulation
using Environment = void*; // of the importer, handed back to its callbacks
using FmuState = void*;    // a saved state, made by GetFmuState
using ValueReference = std::uint32_t;
using Float32 = float;
using Float64 = double;
using Boolean = bool;
using String = const char*;
using Byte = std::uint8_t;
using Binary = const Byte*;

enum Status : int { ok, warning, discard, error, fatal };
enum DependencyKind : int { independent, constant, fixed, tunable, discrete, dependent };

using LogMessage = void(Environment, Status, String category, String message);
using IntermediateUpdate = void(Environment, Float64 time, Boolean set_requested, Boolean get_allowed,
                                Boolean step_finished, Boolean can_return_early,
                                Boolean* early_return_requested, Float64* early_return_time);

// The functions, named as in the standard without its prefix "fmi3".
using GetVersion = const char*();
using SetDebugLogging = Status(Instance, Boolean on, std::size_t n_categories, const String categories[]);
using InstantiateCoSimulation = Instance(String instance, String token, String resource_path, Boolean visible,
                                         Boolean logging, Boolean event_mode_used,
                                         Boolean early_return_allowed,
                                         const ValueReference required_intermediate_variables[],
                                         std::size_t n_required_intermediate_variables, Environment,
                                         LogMessage*, IntermediateUpdate*);
using FreeInstance = void(Instance);
using EnterInitializationMode = Status(Instance, Boolean tolerance_defined, Float64 tolerance,
                                       Float64 start_time, Boolean stop_time_defined, Float64 stop_time);
using ExitInitializationMode = Status(Instance);
using EnterEventMode = Status(Instance);
using EnterStepMode = Status(Instance);
using EnterConfigurationMode = Status(Instance);
using ExitConfigurationMode = Status(Instance);
using Terminate = Status(Instance);
using Reset = Status(Instance);

// Values of arrays follow each other, so that there may be more values than references.
template <class Value>
using Get = Status(Instance, const ValueReference[], std::size_t n, Value values[], std::size_t n_values);
template <class Value>
using Set = Status(Instance, const ValueReference[], std::size_t n, const Value values[],
                   std::size_t n_values);
using GetFloat32 = Get<Float32>;
using GetFloat64 = Get<Float64>;
using GetInt8 = Get<std::int8_t>;
using GetUInt8 = Get<std::uint8_t>;
using GetInt16 = Get<std::int16_t>;
using GetUInt16 = Get<std::uint16_t>;
using GetInt32 = Get<std::int32_t>;
using GetUInt32 = Get<std::uint32_t>;
using GetInt64 = Get<std::int64_t>;
using GetUInt64 = Get<std::uint64_t>;
using GetBoolean = Get<Boolean>;
using GetString = Get<String>;
using GetBinary = Status(Instance, const ValueReference[], std::size_t n, std::size_t sizes[],
                         Binary values[], std::size_t n_values);
using SetFloat32 = Set<Float32>;
using SetFloat64 = Set<Float64>;
using SetInt8 = Set<std::int8_t>;
using SetUInt8 = Set<std::uint8_t>;
using SetInt16 = Set<std::int16_t>;
using SetUInt16 = Set<std::uint16_t>;
using SetInt32 = Set<std::int32_t>;
using SetUInt32 = Set<std::uint32_t>;
using SetInt64 = Set<std::int64_t>;
using SetUInt64 = Set<std::uint64_t>;
using SetBoolean = Set<Boolean>;
using SetString = Set<String>;
using SetBinary = Status(Instance, const ValueReference[], std::size_t n, const std::size_t sizes[],
                         const Binary values[], std::size_t n_values);

using GetNumberOfVariableDependencies = Status(Instance, ValueReference, std::size_t*);
using GetVariableDependencies = Status(Instance, ValueReference dependent, std::size_t element_of_dependent[],
                                       ValueReference independents[], std::size_t elements_of_independents[],
                                       DependencyKind[], std::size_t n);
using GetFmuState = Status(Instance, FmuState*); // a null state is made, any other is written over
using SetFmuState = Status(Instance, FmuState);
using FreeFmuState = Status(Instance, FmuState*);
using SerializedFmuStateSize = Status(Instance, FmuState, std::size_t*);
using SerializeFmuState = Status(Instance, FmuState, Byte[], std::size_t);
using DeserializeFmuState = Status(Instance, const Byte[], std::size_t, FmuState*);
using GetDirectionalDerivative = Status(Instance, const ValueReference unknowns[], std::size_t n_unknowns,
                                        const ValueReference knowns[], std::size_t n_knowns,
                                        const Float64 seed[], std::size_t n_seed, Float64 sensitivity[],
                                        std::size_t n_sensitivity);
using GetAdjointDerivative = GetDirectionalDerivative;

using GetOutputDerivatives = Status(Instance, const ValueReference[], std::size_t n,
                                    const std::int32_t orders[], Float64 values[], std::size_t n_values);
using DoStep = Status(Instance, Float64 current_point, Float64 step_size,
                      Boolean no_set_state_prior_to_current_point, Boolean* event_handling_needed,
                      Boolean* terminate, Boolean* early_return, Float64* last_successful_time);

} // namespace tamis::fmi3
