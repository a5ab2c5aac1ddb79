// What both versions of FMI have alike: a shared library for each platform in a folder of its own, status codes, and
// the rules of what may be called after an error.
#include "tamis/fmi/fmu_instance.hpp"

#include "tamis/base/error.hpp"

#include <charconv>
#include <cmath>
#include <dlfcn.h>
#include <fstream>
#include <mutex>
#include <set>

namespace tamis {

namespace {

constexpr std::size_t longest_log = 10 << 20; // bytes

struct Instances {
    std::mutex mutex;
    std::set<std::string> tokens; // of FMUs that allow one instance in a process, and have it
    std::vector<void*> dead;      // of which nothing may be called that would free them
};
Instances& instances()
{
    static Instances& all = *new Instances; // until the very end
    return all;
}

} // namespace

std::string fmu_platform(int version)
{
#if defined(__x86_64__)
    return version == 2 ? "linux64" : "x86_64-linux";
#elif defined(__aarch64__)
    return "aarch64-linux";
#elif defined(__i386__)
    return version == 2 ? "linux32" : "x86-linux";
#else
    return "of this machine";
#endif
}

struct FmuLog::Impl {
    std::mutex mutex; // an FMU may have threads
    std::filesystem::path path;
    std::ofstream file;
    std::size_t size = 0;
    std::string last;
};

FmuLog::FmuLog(std::filesystem::path file) : impl_(std::make_unique<Impl>())
{
    impl_->path = std::move(file);
}

FmuLog::~FmuLog() = default;

void FmuLog::add(int status, const char* category, const char* message) noexcept
{
    static constexpr const char* names[] = {"ok", "warning", "discard", "error", "fatal", "pending"};
    try {
        const std::scoped_lock lock(impl_->mutex);
        const std::string text = message ? message : "";
        impl_->last = text.substr(0, 300);
        for (char& c : impl_->last)
            if (static_cast<unsigned char>(c) < 0x20) c = ' ';
        if (impl_->path.empty() || impl_->size > longest_log) return;
        if (!impl_->file.is_open()) impl_->file.open(impl_->path);
        const std::string line = fmt::format("{} [{}] {}\n", status >= 0 && status < 6 ? names[status] : "?",
                                             category ? category : "", text);
        impl_->size += line.size();
        impl_->file << line;
        if (impl_->size > longest_log) impl_->file << "(no more is written)\n";
        impl_->file.flush();
    } catch (...) { // the FMU, in C, could not be told
    }
}

std::string FmuLog::last_words() const
{
    const std::scoped_lock lock(impl_->mutex);
    return impl_->last;
}

std::unique_ptr<FmuInstance> FmuInstance::make(const FmuDescription& description, const FmuStart& start)
{
    return description.version == 2 ? make_fmi2_instance(description, start)
                                    : make_fmi3_instance(description, start);
}

FmuInstance::FmuInstance(const FmuDescription& description, const FmuStart& start, const char* prefix)
    : start_(start), prefix_(prefix)
{
    const std::filesystem::path path =
        start.folder / "binaries" / fmu_platform(description.version) / (description.identifier + ".so");
    library_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) {
        const char* why = ::dlerror();
        refused(fmt::format("cannot be loaded: {}", why ? why : "for no reason that is told"));
    }
    if (!description.only_once) return;
    const std::scoped_lock lock(instances().mutex);
    if (!instances().tokens.insert(description.token).second) {
        ::dlclose(library_);
        refused("can be instantiated only once in a process, and is already");
    }
    token_ = description.token;
}

FmuInstance::~FmuInstance()
{
    const std::scoped_lock lock(instances().mutex);
    if (dead_)
        instances().dead.push_back(instance_);
    else
        ::dlclose(library_);
    if (!token_.empty()) instances().tokens.erase(token_);
}

void* FmuInstance::symbol(const char* name) const
{
    const std::string whole = std::string(prefix_) + name;
    void* found = ::dlsym(library_, whole.c_str());
    if (!found) refused(fmt::format("lacks the function {}, which its description promises", whole));
    return found;
}

void FmuInstance::keep(void* instance, const FmuDescription& description)
{
    instance_ = instance;
    if (instance) return;
    refused(description.needs_tool
                ? fmt::format("could not be instantiated: it needs the program that it was made with{}",
                              description.generator.empty() ? "" : " (" + shown(description.generator) + ")")
                : "could not be instantiated");
}

void FmuInstance::check(int status, const char* function)
{
    if (status == 0 || status == 1) return;
    static constexpr const char* names[] = {"", "", "discard", "an error", "a fatal error", "'pending'"};
    broken_ = true;
    dead_ = status == 4;
    refused(fmt::format(
        "answered {}{} with {} at t = {:.6g} s", prefix_, function,
        status > 1 && status < 6 ? names[status] : fmt::format("the unknown status {}", status), t_));
}

void FmuInstance::refused(const std::string& what) const
{
    const std::string words = start_.log ? start_.log->last_words() : "";
    fail("The FMU '{}' {}{}.", start_.name, what, words.empty() ? "" : "; its last words: " + words);
}

template <class Value>
Value fmu_value(const FmuVariable& variable, const std::string& text)
{
    const auto wrong = [&](const char* kind) {
        fail("The value '{}' of the FMU's variable '{}' is no {}: it is of type {}.", text, variable.name,
             kind, tamis::text(variable.type));
    };
    if constexpr (std::is_same_v<Value, bool>) {
        if (text != "true" && text != "1" && text != "false" && text != "0")
            wrong("truth value, true or false");
        return text == "true" || text == "1";
    } else {
        Value value{};
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        bool fine = error == std::errc() && stop == end;
        if constexpr (std::is_floating_point_v<Value>) fine = fine && std::isfinite(value);
        if (!fine) wrong(std::is_floating_point_v<Value> ? "finite number" : "whole number in its range");
        return value;
    }
}

template bool fmu_value(const FmuVariable&, const std::string&);
template double fmu_value(const FmuVariable&, const std::string&);
template float fmu_value(const FmuVariable&, const std::string&);
template std::int8_t fmu_value(const FmuVariable&, const std::string&);
template std::uint8_t fmu_value(const FmuVariable&, const std::string&);
template std::int16_t fmu_value(const FmuVariable&, const std::string&);
template std::uint16_t fmu_value(const FmuVariable&, const std::string&);
template std::int32_t fmu_value(const FmuVariable&, const std::string&);
template std::uint32_t fmu_value(const FmuVariable&, const std::string&);
template std::int64_t fmu_value(const FmuVariable&, const std::string&);
template std::uint64_t fmu_value(const FmuVariable&, const std::string&);

} // namespace tamis
