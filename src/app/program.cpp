#include "tamis/app/program.hpp"

#include "tamis/app/equations.hpp"
#include "tamis/app/provenance.hpp"
#include "tamis/app/simulation.hpp"
#include "tamis/app/stop_signals.hpp"
#include "tamis/app/study.hpp"
#include "tamis/app/usage_error.hpp"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

namespace tamis {

int run(const Script& script)
{
    return script.study() ? carry_out(script, script.study()) : simulate(script);
}

namespace {

std::unique_ptr<Script> make_script(const std::vector<std::string>& arguments)
{
    const std::vector<ModelEntry>& models = registered_models();
    if (models.size() == 1) return models[0].make(models[0], arguments);
    if (models.empty()) fail("This program has no model: write TAMIS_MODEL(name, \"what it is\") {{ ... }}.");
    if (!arguments.empty() && !arguments[0].starts_with("-"))
        return tamis::make_script(arguments[0], {arguments.begin() + 1, arguments.end()});
    std::string known;
    for (const ModelEntry& entry : models)
        known += fmt::format("\n  {:<24} {}", entry.name, entry.description);
    throw UsageError("This program has several models: name one of them first." + known);
}

} // namespace

int run_program(std::vector<std::string> arguments)
{
    std::signal(SIGXFSZ, SIG_IGN); // a file-size limit is reported like a full disk
    std::string name = "tamis";
    try {
        if (std::ranges::find(arguments, "--version") != arguments.end()) {
            fmt::print("{}\n", version_line());
            return 0;
        }
        const std::string equations = take_equations(arguments);
        const std::unique_ptr<Script> script = make_script(arguments);
        name = script->model.name();
        script->prepare();
        if (script->options().help_asked()) {
            fmt::print("{}", script->options().help());
            return 0;
        }
        if (!equations.empty()) {
            write_equations(script->finished(), equations);
            return 0;
        }
        return run(*script);
    } catch (const Interrupted& interrupted) {
        fmt::print(stderr, "{}: interrupted{}.\n", name, interrupted.where);
        return 128 + interrupted.signal;
    } catch (const UsageError& error) {
        fmt::print(stderr, "{}: {}\n", name, error.what());
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", name, error.what());
        return 1;
    }
}

} // namespace tamis
