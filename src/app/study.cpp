// Studies; see study.hpp. Whatever ends one, tables are flushed and a summary says how it ended.
#include "tamis/app/study.hpp"

#include "tamis/io/file.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>

namespace tamis {

namespace {

struct Interrupted {};

} // namespace

Study::Study(const Script& script)
    : script_(script), folder_(script.settings().out), start_(std::chrono::steady_clock::now())
{
    if (!writes()) return;
    make_directory(folder_);
    write_summary("running");
}

int Study::threads() const
{
    const int asked = script_.settings().threads;
    return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void Study::note(const std::string& name)
{
    make_directory((folder_ / name).parent_path());
    if (std::find(files_.begin(), files_.end(), name) == files_.end()) files_.push_back(name);
}

void Study::write(const std::string& name, std::string_view content)
{
    if (!writes()) return;
    note(name);
    write_file(folder_ / name, content);
}

Study::Table& Study::table(const std::string& name, const std::vector<std::string>& columns)
{
    if (!writes()) return tables_.emplace_back();
    note(name);
    return tables_.emplace_back(folder_ / name, columns);
}

void Study::progress(long done, long pieces)
{
    if (signals_.caught() != 0) throw Interrupted{};
    if (!progress_ || pieces != pieces_)
        progress_.emplace(pieces, done, script_.settings().quiet, script_.settings().verbose);
    pieces_ = pieces;
    progress_->step(done);
}

void Study::say(const std::string& line)
{
    if (script_.settings().quiet) return;
    if (progress_) progress_->clear();
    fmt::print("{}\n", line);
}

void Study::write_summary(const std::string& status)
{
    nlohmann::json j;
    j["model"] = script_.model.name();
    j["version"] = TAMIS_VERSION;
    j["status"] = status;
    j["parameters"] = script_.options().values();
    j["results"] = results;
    j["seconds"]["total"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    write_file(folder_ / "summary.json", j.dump(2) + "\n");
}

void Study::finish(const std::string& status)
{
    if (progress_) progress_->clear();
    if (!writes()) return;
    for (Table& table : tables_) table.flush();
    write_summary(status);
}

int carry_out(const Script& script, const std::function<void(Study&)>& work)
{
    const std::string& name = script.model.name();
    Study study(script);
    try {
        work(study);
    } catch (const Interrupted&) {
        study.finish("interrupted");
        fmt::print(stderr, "{}: interrupted.\n", name);
        return 128 + study.signals_.caught();
    } catch (const std::exception& error) {
        try {
            study.finish(fmt::format("failed: {}", error.what()));
        } catch (const std::exception&) { // the first error is the one to tell
        }
        throw;
    }
    study.finish("finished");
    if (script.settings().quiet) return 0;
    fmt::print("{}: finished in {:.3g} s\n", name,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - study.start_).count());
    if (!study.writes()) return 0;
    constexpr std::size_t most = 5; // names on one line
    const std::size_t named = std::min(study.files_.size(), most);
    fmt::print("  files        {}: {}{}summary.json\n", study.folder_.string(),
               fmt::join(study.files_.begin(), study.files_.begin() + static_cast<long>(named), ", "),
               study.files_.size() > most ? fmt::format(", {} more, ", study.files_.size() - most)
               : named > 0                ? ", "
                                          : "");
    return 0;
}

} // namespace tamis
