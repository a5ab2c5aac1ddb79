// A master of FMI 2.0 co-simulation as somebody else would write it: from the standard alone, with declarations of its
// own. It unpacks an FMU, loads its library and calls its functions.
#pragma once

#include <cctype>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
#include <zip.h>

namespace master {

namespace fs = std::filesystem;

inline std::map<std::string, std::string> unzipped(const fs::path& file)
{
    int error = 0;
    zip_t* archive = zip_open(file.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &error);
    if (!archive) throw std::runtime_error("no archive");
    std::map<std::string, std::string> all;
    for (zip_int64_t k = 0; k < zip_get_num_entries(archive, 0); ++k) {
        zip_stat_t stat;
        zip_stat_index(archive, static_cast<zip_uint64_t>(k), 0, &stat);
        std::string& content = all[stat.name];
        content.resize(stat.size);
        zip_file_t* entry = zip_fopen_index(archive, static_cast<zip_uint64_t>(k), 0);
        zip_fread(entry, content.data(), content.size());
        zip_fclose(entry);
    }
    zip_close(archive);
    return all;
}

inline void unpack(const fs::path& file, const fs::path& folder)
{
    for (const auto& [name, content] : unzipped(file)) {
        fs::create_directories((folder / name).parent_path());
        FILE* out = std::fopen((folder / name).c_str(), "wb");
        std::fwrite(content.data(), 1, content.size(), out);
        std::fclose(out);
    }
}

// What stands between two words of a text.
inline std::string between(const std::string& text, const std::string& before, const std::string& after,
                           std::size_t from = 0)
{
    const std::size_t first = text.find(before, from);
    if (first == std::string::npos) return "";
    const std::size_t begin = first + before.size();
    return text.substr(begin, text.find(after, begin) - begin);
}

// An FMU on disk, as unpacked.
struct Unpacked {
    fs::path folder;
    std::string description, model;
    std::map<std::string, unsigned> references; // by name

    Unpacked(const fs::path& file, const fs::path& to) : folder(to)
    {
        unpack(file, to);
        description = unzipped(file)["modelDescription.xml"];
        model = between(description, "modelIdentifier=\"", "\"");
        for (std::size_t at = 0; (at = description.find(" name=\"", at)) != std::string::npos; ++at) {
            const std::size_t end = description.find('>', at);
            const std::size_t reference = description.find(" valueReference=\"", at);
            if (reference > end) continue;
            references[between(description, " name=\"", "\"", at)] = static_cast<unsigned>(
                std::stoul(between(description, " valueReference=\"", "\"", reference)));
        }
    }
    unsigned at(const std::string& name) const { return references.at(name); }
};

// As importers write it: what is no letter, digit or plain sign is escaped.
inline std::string uri(const fs::path& path)
{
    std::string out = "file://";
    for (const char c : path.string()) {
        char escaped[4];
        std::snprintf(escaped, sizeof escaped, "%%%02X", static_cast<unsigned char>(c));
        out += std::isalnum(static_cast<unsigned char>(c)) || std::strchr("/-_.~", c) ? std::string(1, c)
                                                                                      : escaped;
    }
    return out;
}

// The callbacks of FMI 2.0, in their order.
struct Callbacks {
    void (*logger)(void*, const char*, int, const char*, const char*, ...);
    void* (*allocate)(std::size_t, std::size_t);
    void (*release)(void*);
    void (*finished)(void*, int);
    void* environment;
};

class Fmu2 {
  public:
    std::string log; // the last message

    explicit Fmu2(const Unpacked& fmu, const std::string& guid = "") : fmu_(fmu)
    {
        const fs::path library = fmu.folder / "binaries/linux64" / (fmu.model + ".so");
        handle_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!handle_) throw std::runtime_error(dlerror());
        callbacks_ = {write, std::calloc, std::free, nullptr, this};
        using Make = void* (*)(const char*, int, const char*, const char*, const Callbacks*, int, int);
        const std::string own = between(fmu.description, "guid=\"", "\"");
        instance =
            function<Make>("fmi2Instantiate")("one", 1, (guid.empty() ? own : guid).c_str(),
                                              uri(fmu.folder / "resources").c_str(), &callbacks_, 0, 1);
    }
    ~Fmu2()
    {
        if (instance) function<void (*)(void*)>("fmi2FreeInstance")(instance);
        dlclose(handle_);
    }
    Fmu2(const Fmu2&) = delete;
    Fmu2& operator=(const Fmu2&) = delete;

    template <class Function>
    Function function(const char* name) const
    {
        void* found = dlsym(handle_, name);
        if (!found) throw std::runtime_error(name);
        return reinterpret_cast<Function>(found);
    }

    int setup(double start)
    {
        return function<int (*)(void*, int, double, double, int, double)>("fmi2SetupExperiment")(
            instance, 0, 0, start, 0, 0);
    }
    int plain(const char* name) { return function<int (*)(void*)>(name)(instance); }
    int enter() { return plain("fmi2EnterInitializationMode"); }
    int exit() { return plain("fmi2ExitInitializationMode"); }
    // All of these, for whom nothing is to be said in between.
    void initialise(double start = 0)
    {
        if (setup(start) != 0 || enter() != 0 || exit() != 0) throw std::runtime_error(log);
    }
    int step(double t, double H)
    {
        return function<int (*)(void*, double, double, int)>("fmi2DoStep")(instance, t, H, 1);
    }
    int set(const std::string& name, double value) { return put("fmi2SetReal", name, value); }
    int set(const std::string& name, int value) { return put("fmi2SetInteger", name, value); }
    int set_boolean(const std::string& name, int value) { return put("fmi2SetBoolean", name, value); }
    int set_text(const std::string& name, const char* value) { return put("fmi2SetString", name, value); }
    double real(const std::string& name) { return take<double>("fmi2GetReal", name); }
    int integer(const std::string& name) { return take<int>("fmi2GetInteger", name); }
    int boolean(const std::string& name) { return take<int>("fmi2GetBoolean", name); }
    std::string text(const std::string& name) { return take<const char*>("fmi2GetString", name); }
    template <class T>
    int put(const char* how, const std::string& name, T value)
    {
        const unsigned reference = fmu_.at(name);
        return function<int (*)(void*, const unsigned*, std::size_t, const T*)>(how)(instance, &reference, 1,
                                                                                     &value);
    }
    template <class T>
    T take(const char* how, const std::string& name)
    {
        const unsigned reference = fmu_.at(name);
        T value{};
        if (function<int (*)(void*, const unsigned*, std::size_t, T*)>(how)(instance, &reference, 1,
                                                                            &value) != 0)
            throw std::runtime_error(log);
        return value;
    }

    int get_state(void** state)
    {
        return function<int (*)(void*, void**)>("fmi2GetFMUstate")(instance, state);
    }
    int set_state(void* state) { return function<int (*)(void*, void*)>("fmi2SetFMUstate")(instance, state); }
    int free_state(void** state)
    {
        return function<int (*)(void*, void**)>("fmi2FreeFMUstate")(instance, state);
    }
    std::vector<char> serialised(void* state)
    {
        std::size_t size = 0;
        if (function<int (*)(void*, void*, std::size_t*)>("fmi2SerializedFMUstateSize")(instance, state,
                                                                                        &size) != 0)
            throw std::runtime_error(log);
        std::vector<char> bytes(size);
        if (function<int (*)(void*, void*, char*, std::size_t)>("fmi2SerializeFMUstate")(
                instance, state, bytes.data(), size) != 0)
            throw std::runtime_error(log);
        return bytes;
    }
    int deserialise(const std::vector<char>& bytes, void** state)
    {
        return function<int (*)(void*, const char*, std::size_t, void**)>("fmi2DeSerializeFMUstate")(
            instance, bytes.data(), bytes.size(), state);
    }

    // A shaken marker: x = A sin(w t).
    void shake(double t)
    {
        const double A = 0.01, w = 60;
        set("position.x", A * std::sin(w * t));
        set("velocity.x", A * w * std::cos(w * t));
    }
    // The wrench and all records, in bits.
    std::vector<double> outputs()
    {
        std::vector<double> all;
        for (const auto& [name, reference] : fmu_.references)
            if (name.starts_with("force.") || name.starts_with("moment.") || name.starts_with("records."))
                all.push_back(real(name));
        return all;
    }

    void* instance = nullptr;

  private:
    static void write(void* environment, const char*, int, const char*, const char* format, ...)
    {
        char text[2000];
        va_list arguments;
        va_start(arguments, format);
        std::vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        static_cast<Fmu2*>(environment)->log = text;
    }

    const Unpacked& fmu_;
    void* handle_;
    Callbacks callbacks_;
};

} // namespace master
