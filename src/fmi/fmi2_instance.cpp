// An instance of an FMU of FMI 2.0: Sects. 2.1 and 4.2. Steps end before doStep returns, as no function is given that
// would be told of the end of one that goes on.
#include "tamis/fmi/fmi2.hpp"

#include "tamis/base/error.hpp"
#include "tamis/fmi/fmu_instance.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace tamis {

namespace {

void log_message(fmi2::Environment log, fmi2::String, fmi2::Status status, fmi2::String category,
                 fmi2::String format, ...)
{
    if (!log || !format) return;
    std::array<char, 2000> text;
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text.data(), text.size(), format, arguments);
    va_end(arguments);
    static_cast<FmuLog*>(log)->add(status, category, text.data());
}

// As a URI: what has a meaning there, and spaces, as numbers.
std::string resources_of(const std::filesystem::path& folder)
{
    std::string uri = "file://";
    for (const char c : (folder / "resources").string()) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("/._-~").find(c) != std::string_view::npos;
        uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return uri;
}

class Fmi2Instance : public FmuInstance {
  public:
    Fmi2Instance(const FmuDescription& description, const FmuStart& start)
        : FmuInstance(description, start, "fmi2")
    {
        fmi2::GetVersion* version;
        fmi2::GetTypesPlatform* platform;
        fmi2::Instantiate* instantiate;
        find(version, "GetVersion");
        find(platform, "GetTypesPlatform");
        find(instantiate, "Instantiate");
        find(free_, "FreeInstance");
        find(setup_, "SetupExperiment");
        find(enter_, "EnterInitializationMode");
        find(exit_, "ExitInitializationMode");
        find(terminate_, "Terminate");
        find(get_, "GetReal");
        find(set_, "SetReal");
        find(set_integer_, "SetInteger");
        find(set_boolean_, "SetBoolean");
        find(set_string_, "SetString");
        find(step_, "DoStep");
        if (description.saves_state) {
            find(get_state_, "GetFMUstate");
            find(set_state_, "SetFMUstate");
            find(free_state_, "FreeFMUstate");
        }
        if (description.serialises_state) {
            find(size_, "SerializedFMUstateSize");
            find(serialise_, "SerializeFMUstate");
            find(deserialise_, "DeSerializeFMUstate");
        }
        if (const std::string_view v = version(); v != "2.0")
            refused(fmt::format("says that its library is of FMI version '{}', and its description 2.0", v));
        if (const std::string_view types = platform(); types != fmi2::types_platform)
            refused(fmt::format("has the types '{}', and only '{}' are known", types, fmi2::types_platform));
        keep(instantiate(start.name.c_str(), fmi2::co_simulation, description.token.c_str(),
                         resources_of(start.folder).c_str(), &callbacks_, false, start.talkative),
             description);
    }

    ~Fmi2Instance() override
    {
        if (!instance_ || dead_) return;
        if (state_) free_state_(instance_, &state_);
        if (running_ && !broken_) terminate_(instance_);
        free_(instance_);
    }

    void set(const FmuVariable& variable, const std::string& value) override
    {
        const fmi2::ValueReference r = variable.reference;
        if (variable.type == FmuType::float64) {
            const fmi2::Real x = fmu_value<double>(variable, value);
            check(set_(instance_, &r, 1, &x), "SetReal");
        } else if (variable.type == FmuType::int32 || variable.type == FmuType::enumeration) {
            const fmi2::Integer x = fmu_value<std::int32_t>(variable, value);
            check(set_integer_(instance_, &r, 1, &x), "SetInteger");
        } else if (variable.type == FmuType::boolean) {
            const fmi2::Boolean x = fmu_value<bool>(variable, value);
            check(set_boolean_(instance_, &r, 1, &x), "SetBoolean");
        } else {
            const fmi2::String x = value.c_str();
            check(set_string_(instance_, &r, 1, &x), "SetString");
        }
    }

    void begin(double start, std::optional<double> tolerance) override
    {
        t_ = start;
        check(setup_(instance_, tolerance.has_value(), tolerance.value_or(0), start, false, 0),
              "SetupExperiment");
        check(enter_(instance_), "EnterInitializationMode");
    }
    void end_of_initialisation() override
    {
        check(exit_(instance_), "ExitInitializationMode");
        running_ = true;
    }

    void get(std::span<const std::uint32_t> references, std::span<double> values) override
    {
        check(get_(instance_, references.data(), references.size(), values.data()), "GetReal");
    }
    void set(std::span<const std::uint32_t> references, std::span<const double> values) override
    {
        check(set_(instance_, references.data(), references.size(), values.data()), "SetReal");
    }
    void step(double t, double h, bool final) override
    {
        t_ = t;
        check(step_(instance_, t, h, final), "DoStep");
    }

    void save_state() override { check(get_state_(instance_, &state_), "GetFMUstate"); }
    void restore_state() override { check(set_state_(instance_, state_), "SetFMUstate"); }
    std::vector<std::byte> serialised() override
    {
        std::size_t size = 0;
        check(size_(instance_, state_, &size), "SerializedFMUstateSize");
        std::vector<std::byte> bytes(size);
        check(serialise_(instance_, state_, reinterpret_cast<fmi2::Byte*>(bytes.data()), size),
              "SerializeFMUstate");
        return bytes;
    }
    void deserialise(std::span<const std::byte> bytes) override
    {
        check(
            deserialise_(instance_, reinterpret_cast<const fmi2::Byte*>(bytes.data()), bytes.size(), &state_),
            "DeSerializeFMUstate");
    }

  private:
    fmi2::Callbacks callbacks_{log_message, std::calloc, std::free, nullptr, start_.log};
    fmi2::FreeInstance* free_;
    fmi2::SetupExperiment* setup_;
    fmi2::EnterInitializationMode* enter_;
    fmi2::ExitInitializationMode* exit_;
    fmi2::Terminate* terminate_;
    fmi2::GetReal* get_;
    fmi2::SetReal* set_;
    fmi2::SetInteger* set_integer_;
    fmi2::SetBoolean* set_boolean_;
    fmi2::SetString* set_string_;
    fmi2::DoStep* step_;
    fmi2::GetFmuState* get_state_ = nullptr;
    fmi2::SetFmuState* set_state_ = nullptr;
    fmi2::FreeFmuState* free_state_ = nullptr;
    fmi2::SerializedFmuStateSize* size_ = nullptr;
    fmi2::SerializeFmuState* serialise_ = nullptr;
    fmi2::DeSerializeFmuState* deserialise_ = nullptr;
};

} // namespace

std::unique_ptr<FmuInstance> make_fmi2_instance(const FmuDescription& description, const FmuStart& start)
{
    return std::make_unique<Fmi2Instance>(description, start);
}

} // namespace tamis
