// An instance of an FMU of FMI 3.0 for co-simulation: Sects. 2.2 and 4.2. It is told that event mode is not used and
// that it may not return early; one that does so all the same is refused.
#include "tamis/fmi/fmi3.hpp"

#include "tamis/base/error.hpp"
#include "tamis/fmi/fmu_instance.hpp"

namespace tamis {

namespace {

void log_message(fmi3::Environment log, fmi3::Status status, fmi3::String category, fmi3::String message)
{
    if (log) static_cast<FmuLog*>(log)->add(status, category, message);
}

class Fmi3Instance : public FmuInstance {
  public:
    Fmi3Instance(const FmuDescription& description, const FmuStart& start)
        : FmuInstance(description, start, "fmi3")
    {
        fmi3::GetVersion* version;
        fmi3::InstantiateCoSimulation* instantiate;
        find(version, "GetVersion");
        find(instantiate, "InstantiateCoSimulation");
        find(free_, "FreeInstance");
        find(enter_, "EnterInitializationMode");
        find(exit_, "ExitInitializationMode");
        find(terminate_, "Terminate");
        find(get_, "GetFloat64");
        find(set_, "SetFloat64");
        find(step_, "DoStep");
        if (description.saves_state) {
            find(get_state_, "GetFMUState");
            find(set_state_, "SetFMUState");
            find(free_state_, "FreeFMUState");
        }
        if (description.serialises_state) {
            find(size_, "SerializedFMUStateSize");
            find(serialise_, "SerializeFMUState");
            find(deserialise_, "DeserializeFMUState");
        }
        if (const std::string_view v = version(); !v.starts_with("3.0"))
            refused(fmt::format("says that its library is of FMI version '{}', and its description 3.0", v));
        const std::string resources = (start.folder / "resources" / "").string();
        keep(instantiate(start.name.c_str(), description.token.c_str(), resources.c_str(), false,
                         start.talkative, false, false, nullptr, 0, start.log, log_message, nullptr),
             description);
    }

    ~Fmi3Instance() override
    {
        if (!instance_ || dead_) return;
        if (state_) free_state_(instance_, &state_);
        if (running_ && !broken_) terminate_(instance_);
        free_(instance_);
    }

    void set(const FmuVariable& variable, const std::string& value) override
    {
        switch (variable.type) {
        case FmuType::float64:
            return set_one(fmu_value<double>(variable, value), variable, "SetFloat64");
        case FmuType::float32:
            return set_one(fmu_value<float>(variable, value), variable, "SetFloat32");
        case FmuType::int8:
            return set_one(fmu_value<std::int8_t>(variable, value), variable, "SetInt8");
        case FmuType::uint8:
            return set_one(fmu_value<std::uint8_t>(variable, value), variable, "SetUInt8");
        case FmuType::int16:
            return set_one(fmu_value<std::int16_t>(variable, value), variable, "SetInt16");
        case FmuType::uint16:
            return set_one(fmu_value<std::uint16_t>(variable, value), variable, "SetUInt16");
        case FmuType::int32:
            return set_one(fmu_value<std::int32_t>(variable, value), variable, "SetInt32");
        case FmuType::uint32:
            return set_one(fmu_value<std::uint32_t>(variable, value), variable, "SetUInt32");
        case FmuType::int64:
        case FmuType::enumeration:
            return set_one(fmu_value<std::int64_t>(variable, value), variable, "SetInt64");
        case FmuType::uint64:
            return set_one(fmu_value<std::uint64_t>(variable, value), variable, "SetUInt64");
        case FmuType::boolean:
            return set_one(fmu_value<bool>(variable, value), variable, "SetBoolean");
        default:
            return set_one(value.c_str(), variable, "SetString");
        }
    }

    void begin(double start, std::optional<double> tolerance) override
    {
        t_ = start;
        check(enter_(instance_, tolerance.has_value(), tolerance.value_or(0), start, false, 0),
              "EnterInitializationMode");
    }
    void end_of_initialisation() override
    {
        check(exit_(instance_), "ExitInitializationMode");
        running_ = true;
    }

    void get(std::span<const std::uint32_t> references, std::span<double> values) override
    {
        check(get_(instance_, references.data(), references.size(), values.data(), values.size()),
              "GetFloat64");
    }
    void set(std::span<const std::uint32_t> references, std::span<const double> values) override
    {
        check(set_(instance_, references.data(), references.size(), values.data(), values.size()),
              "SetFloat64");
    }
    void step(double t, double h, bool final) override
    {
        t_ = t;
        bool event = false, terminate = false, early = false;
        double last = t + h;
        check(step_(instance_, t, h, final, &event, &terminate, &early, &last), "DoStep");
        if (!event && !terminate && !early) return;
        refused(fmt::format("{} at t = {:.6g} s, in a step from {:.6g} s to {:.6g} s",
                            terminate ? "ended its simulation"
                            : event   ? "asks for event mode, which is not taken part in,"
                                      : "returned early, which was not allowed,",
                            last, t, t + h));
    }

    void save_state() override { check(get_state_(instance_, &state_), "GetFMUState"); }
    void restore_state() override { check(set_state_(instance_, state_), "SetFMUState"); }
    std::vector<std::byte> serialised() override
    {
        std::size_t size = 0;
        check(size_(instance_, state_, &size), "SerializedFMUStateSize");
        std::vector<std::byte> bytes(size);
        check(serialise_(instance_, state_, reinterpret_cast<fmi3::Byte*>(bytes.data()), size),
              "SerializeFMUState");
        return bytes;
    }
    void deserialise(std::span<const std::byte> bytes) override
    {
        check(
            deserialise_(instance_, reinterpret_cast<const fmi3::Byte*>(bytes.data()), bytes.size(), &state_),
            "DeserializeFMUState");
    }

  private:
    template <class Value>
    void set_one(const Value& value, const FmuVariable& variable, const char* function)
    {
        fmi3::Set<Value>* set_value;
        find(set_value, function);
        check(set_value(instance_, &variable.reference, 1, &value, 1), function);
    }

    fmi3::FreeInstance* free_;
    fmi3::EnterInitializationMode* enter_;
    fmi3::ExitInitializationMode* exit_;
    fmi3::Terminate* terminate_;
    fmi3::GetFloat64* get_;
    fmi3::SetFloat64* set_;
    fmi3::DoStep* step_;
    fmi3::GetFmuState* get_state_ = nullptr;
    fmi3::SetFmuState* set_state_ = nullptr;
    fmi3::FreeFmuState* free_state_ = nullptr;
    fmi3::SerializedFmuStateSize* size_ = nullptr;
    fmi3::SerializeFmuState* serialise_ = nullptr;
    fmi3::DeserializeFmuState* deserialise_ = nullptr;
};

} // namespace

std::unique_ptr<FmuInstance> make_fmi3_instance(const FmuDescription& description, const FmuStart& start)
{
    return std::make_unique<Fmi3Instance>(description, start);
}

} // namespace tamis
