// From arguments to an exit code: --version, inquiries, --equations, --make-fmu, --vary and --analysis, then one
// script, prepared and run. What goes wrong ends here, as a sentence and a code.
#include "tamis/app/program.hpp"

#include "tamis/app/analyse.hpp"
#include "tamis/app/analysis_options.hpp"
#include "tamis/app/equations.hpp"
#include "tamis/app/fmu_export.hpp"
#include "tamis/app/inquiry.hpp"
#include "tamis/app/provenance.hpp"
#include "tamis/app/simulation.hpp"
#include "tamis/app/stop_signals.hpp"
#include "tamis/app/study.hpp"
#include "tamis/app/usage_error.hpp"
#include "tamis/app/variation.hpp"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

namespace tamis {

int run(const Script& script)
{
    return script.study() ? carry_out(script, script.study()) : simulate(script);
}

int run_program(std::vector<std::string> arguments)
{
    std::signal(SIGXFSZ, SIG_IGN); // a file-size limit is reported like a full disk
    std::string name = "tamis";
    try {
        if (std::ranges::find(arguments, "--version") != arguments.end()) {
            fmt::print("{}\n", version_line());
            return 0;
        }
        if (const Inquiry inquiry = take_inquiry(arguments); inquiry != Inquiry::none) {
            answer(inquiry, arguments);
            return 0;
        }
        const std::string equations = take_equations(arguments);
        const std::optional<FmuRequest> fmu = take_fmu(arguments);
        if (const std::vector<Variation> variations = take_variations(arguments); !variations.empty())
            return run_variations(variations, arguments);
        const std::vector<std::string> analyses = take_analysis(arguments);
        const std::unique_ptr<Script> script = make_script(arguments);
        name = script->model.name();
        if (fmu) script->drive_from_outside();
        if (!analyses.empty()) script->analyse(analyses);
        script->prepare();
        if (script->options().help_asked()) {
            fmt::print("{}", script->options().help());
            return 0;
        }
        if (fmu) {
            if (registered_models().size() > 1) arguments.erase(arguments.begin()); // its name
            export_fmu(*script, arguments, *fmu);
            return 0;
        }
        if (!equations.empty()) {
            write_equations(script->finished(), equations);
            return 0;
        }
        if (script->analysis())
            return carry_out(*script, [&](Study& study) { analyse(*script, arguments, study); });
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
