// An FMU that runs: its library loaded, one instance of it made, called through FMI 2.0 or 3.0. Calls that do not end
// well are errors with the FMU's own last words.
#pragma once

#include "tamis/fmi/fmu_description.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tamis {

// The name of this machine's platform among the folders of an FMU.
std::string fmu_platform(int version);

// What an FMU says, into a file if one is named.
class FmuLog {
  public:
    explicit FmuLog(std::filesystem::path file = {});
    ~FmuLog();
    FmuLog(const FmuLog&) = delete;
    FmuLog& operator=(const FmuLog&) = delete;
    void add(int status, const char* category, const char* message) noexcept;
    std::string last_words() const; // in one line, as the end of an error

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

struct FmuStart {
    std::string name;             // of the FMU, for errors, and of its instance
    std::filesystem::path folder; // into which it is unpacked
    bool talkative = false;       // asks for all that it can log
    FmuLog* log = nullptr;        // outlives the instance
};

class FmuInstance {
  public:
    // Loads the library and makes an instance.
    static std::unique_ptr<FmuInstance> make(const FmuDescription& description, const FmuStart& start);
    virtual ~FmuInstance();
    FmuInstance(const FmuInstance&) = delete;
    FmuInstance& operator=(const FmuInstance&) = delete;

    // A start value, given as text, before the FMU is initialised.
    virtual void set(const FmuVariable& variable, const std::string& value) = 0;
    // Initialisation has two ends: inputs set in between count for the outputs at the start.
    virtual void begin(double start, std::optional<double> tolerance) = 0;
    virtual void end_of_initialisation() = 0;

    // Real variables; arrays have more values than references.
    virtual void get(std::span<const std::uint32_t> references, std::span<double> values) = 0;
    virtual void set(std::span<const std::uint32_t> references, std::span<const double> values) = 0;
    // `final`: the FMU will not be put back to a time before t.
    virtual void step(double t, double h, bool final) = 0;

    // If the description says so: a state of the FMU, kept by it.
    virtual void save_state() = 0;                                  // over the one saved before
    virtual void restore_state() = 0;                               // as often as wanted
    virtual std::vector<std::byte> serialised() = 0;                // of the state saved last
    virtual void deserialise(std::span<const std::byte> bytes) = 0; // as the state saved last

  protected:
    FmuInstance(const FmuDescription& description, const FmuStart& start, const char* prefix);
    template <class Function>
    void find(Function*& function, const char* name) const
    {
        function = reinterpret_cast<Function*>(symbol(name));
    }
    void keep(void* instance, const FmuDescription& description); // just made, unless it is null
    // Ends unless the status, of either version, is ok or a warning.
    void check(int status, const char* function);
    [[noreturn]] void refused(const std::string& what) const; // with the last words

    FmuStart start_;
    void* instance_ = nullptr;
    void* state_ = nullptr;
    double t_ = 0;        // for errors
    bool broken_ = false; // after an error: it and its state may be freed, no more
    bool dead_ = false;   // after a fatal one: not even that
    bool running_ = false;

  private:
    void* symbol(const char* name) const; // with the prefix; fails if the library has none

    const char* prefix_;
    std::string token_; // if only one instance may be
    void* library_ = nullptr;
};

// Of one version each.
std::unique_ptr<FmuInstance> make_fmi2_instance(const FmuDescription& description, const FmuStart& start);
std::unique_ptr<FmuInstance> make_fmi3_instance(const FmuDescription& description, const FmuStart& start);

// A value of a variable from text; fails where it is none.
template <class Value>
Value fmu_value(const FmuVariable& variable, const std::string& text);

} // namespace tamis
