// Emit, compile, rename into place, load; see compiled_equations.hpp. The compiler is started
// directly, without a shell, and writes under a name of its own: several programs, on several machines that share the
// folder, may compile the same mechanism at once, and a file of the cache is whole or absent. A file that another user
// could have written is not loaded.
#include "tamis/mbs_symbolic/compiled_equations.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/state_hash.hpp"
#include "tamis/mbs_symbolic/generate.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tamis {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_files = 1000; // in the cache; beyond, the oldest half goes

std::string environment(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

fs::path cache_folder()
{
    if (const std::string folder = environment("TAMIS_CACHE"); !folder.empty()) return folder;
    if (const std::string folder = environment("XDG_CACHE_HOME"); !folder.empty())
        return fs::path(folder) / "tamis";
    if (const std::string home = environment("HOME"); !home.empty())
        return fs::path(home) / ".cache" / "tamis";
    fail("there is no folder for compiled equations (set HOME or TAMIS_CACHE)");
}

// Nobody else may write there: what is found is loaded.
bool belongs_to_user(const fs::path& path)
{
    struct stat status {};
    return stat(path.c_str(), &status) == 0 && status.st_uid == geteuid() &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

fs::path make_cache_folder()
{
    const fs::path folder = cache_folder();
    std::error_code error;
    if (fs::create_directories(folder, error)) fs::permissions(folder, fs::perms::owner_all, error);
    if (!fs::is_directory(folder, error)) fail("the folder '{}' cannot be made", folder.string());
    if (!belongs_to_user(folder)) fail("the folder '{}' can be written by others", folder.string());
    return folder;
}

void prune(const fs::path& folder)
{
    std::vector<std::pair<fs::file_time_type, fs::path>> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        files.emplace_back(entry.last_write_time(error), entry.path());
    if (files.size() <= most_files) return;
    std::sort(files.begin(), files.end());
    for (std::size_t k = 0; k < files.size() / 2; ++k) fs::remove(files[k].second, error);
}

void compile(const std::string& text, const fs::path& library)
{
    std::string source = library.string() + ".XXXXXX.c"; // process numbers repeat on another machine
    const int made = mkstemps(source.data(), 2);
    if (made < 0) fail("no file can be made in the folder '{}'", library.parent_path().string());
    close(made);
    const std::string stem = source.substr(0, source.size() - 2), result = stem + ".so", log = stem + ".log";
    struct Remove {
        std::vector<std::string> files;
        ~Remove()
        {
            std::error_code error;
            for (const std::string& file : files) fs::remove(file, error);
        }
    } const remove{{source, result, log}};
    std::ofstream(source) << text;
    std::string compiler = environment("CC");
    if (compiler.empty()) compiler = "cc";
    std::vector<std::string> words{
        compiler, "-std=c99", "-O2", "-ffp-contract=off", "-fno-math-errno", "-shared", "-fPIC", "-o",
        result,   source,     "-lm"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    pid_t child = 0;
    const int started = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (started != 0) fail("there is no C compiler '{}' here (CC names another one)", compiler);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        std::ifstream in(log);
        std::string first;
        std::getline(in, first);
        fail("the C compiler '{}' failed ({})", compiler, first);
    }
    fs::rename(result, library);
}

std::unique_ptr<CompiledEquations> load(const fs::path& library, std::uint64_t hash)
{
    if (!belongs_to_user(library)) return nullptr;
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) return nullptr;
    const auto* found = static_cast<const unsigned long long*>(dlsym(handle, "mechanism_hash"));
    auto equations = std::make_unique<CompiledEquations>();
    bool whole = found && *found == hash;
    for (int k = 0; k < quantity_count; ++k) {
        equations->functions[k] = reinterpret_cast<GeneratedFunction>(dlsym(handle, quantity_names[k]));
        whole = whole && equations->functions[k];
    }
    if (whole) return equations;
    dlclose(handle);
    return nullptr;
}

struct Loaded {
    std::mutex mutex;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::unique_ptr<CompiledEquations>> equations;
    std::string why;
};

Loaded& loaded()
{
    static Loaded all;
    return all;
}

std::unique_ptr<CompiledEquations> load_or_compile(const std::string& text, std::uint64_t hash,
                                                   std::uint64_t key)
{
    const fs::path folder = make_cache_folder();
    const fs::path library = folder / fmt::format("{:016x}-{:016x}.so", hash, key);
    if (auto equations = load(library, hash)) return equations;
    prune(folder);
    compile(text, library);
    auto equations = load(library, hash);
    if (!equations) fail("the compiled file '{}' cannot be loaded", library.string());
    return equations;
}

} // namespace

const CompiledEquations* compiled_equations(const Mechanism& mechanism)
{
    if (environment("TAMIS_EQUATIONS") == "interpreted") return nullptr;
    const std::string text = emit_equations(mechanism);
    StateHash sum;
    sum.add(text);
    Loaded& all = loaded();
    const std::lock_guard lock(all.mutex);
    const std::pair key(mechanism.hash(), sum.value);
    const auto [place, fresh] = all.equations.try_emplace(key);
    if (fresh) {
        try {
            place->second = load_or_compile(text, key.first, key.second);
        } catch (const std::exception& error) { // tried once in a program
            all.why = fmt::format("The equations of mechanism '{}' are interpreted, which is slower: {}.",
                                  mechanism.name(), error.what());
        }
    }
    return place->second.get();
}

std::string why_interpreted()
{
    Loaded& all = loaded();
    const std::lock_guard lock(all.mutex);
    return all.why;
}

} // namespace tamis
