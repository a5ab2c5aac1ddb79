// Studies; see study.hpp. Whatever ends one, tables are flushed and a summary says how it ended, and with which
// options: a study that goes on must have the same.
#include "tamis/app/study.hpp"

#include "tamis/app/script.hpp"
#include "tamis/io/file.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>

namespace tamis {

Study::Table::Table(const std::filesystem::path& path, const std::vector<std::string>& names, bool resume)
    : columns_(path.string(), names)
{
    if (path.empty()) return;
    if (!resume || !std::filesystem::exists(path)) {
        file_.emplace(path, names);
        return;
    }
    columns_ = Columns::read(path);
    file_.emplace(path, names, columns_.bytes()); // which also compares the names
    if (columns_.names().empty()) columns_ = Columns(path.string(), names);
}

void Study::Table::row(std::span<const double> values)
{
    columns_.add(values);
    if (file_) file_->row(values);
}

Study::Study(const std::string& model, const Settings& settings, const Options& options)
    : settings_(settings), folder_(settings.out), start_(std::chrono::steady_clock::now())
{
    if (!writes()) return;
    make_directory(folder_);
    lock_.emplace(folder_);
    remove_stale_parts(folder_);
    if (settings.resume) {
        resumed_ = std::filesystem::exists(folder_ / "summary.json");
        if (resumed_) check_same_study(options);
        if (!resumed_ && !settings.quiet)
            fmt::print(stderr, "{}: note: There is nothing in '{}' to go on with: the study begins.\n", model,
                       folder_.string());
    }
    summary_.emplace(folder_, model, options);
    write_summary("running");
}

void Study::check_same_study(const Options& options) const
{
    const std::string path = (folder_ / "summary.json").string();
    const nlohmann::json was = nlohmann::json::parse(read_file(path), nullptr, false);
    if (!was.is_object() || !was.contains("parameters"))
        fail("'{}' is not the summary of a study: start it anew without --resume.", path);
    const nlohmann::json now = options.values();
    for (const auto& [name, value] : now.items()) {
        if (name == "out" || name == "threads" || name == "quiet" || name == "verbose" || name == "resume")
            continue;
        const nlohmann::json before = was["parameters"].value(name, nlohmann::json());
        if (before != value)
            fail(
                "The study to resume was made with --{0} {1}, not {2}: give --{0} {1}, or start anew without "
                "--resume.",
                name, before.is_null() ? "unset" : before.dump(), value.dump());
    }
}

int Study::threads() const
{
    const int asked = settings_.threads;
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
    return add_table(name, columns, false);
}

Study::Table& Study::resumed_table(const std::string& name, const std::vector<std::string>& columns)
{
    return add_table(name, columns, resumed_);
}

Study::Table& Study::add_table(const std::string& name, const std::vector<std::string>& columns, bool resume)
{
    if (!writes()) return tables_.emplace_back("", columns, false);
    note(name);
    return tables_.emplace_back(folder_ / name, columns, resume);
}

void Study::fill(Table& table, long n, const std::function<std::vector<double>(long row)>& compute)
{
    for (long k = table.rows(); k < n; ++k) {
        progress(k, n);
        table.row(compute(k));
        table.flush();
    }
    progress(n, n);
}

void Study::progress(long done, long pieces)
{
    if (signals_.caught() != 0) throw Interrupted{signals_.caught(), ""};
    if (!progress_ || pieces != pieces_) progress_.emplace(pieces, done, settings_.quiet, settings_.verbose);
    pieces_ = pieces;
    progress_->step(done);
}

void Study::say(const std::string& line)
{
    if (settings_.quiet) return;
    if (progress_) progress_->clear();
    fmt::print("{}\n", line);
}

void Study::write_summary(const std::string& status)
{
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    summary_->write(status, {{"results", results}, {"seconds", {{"total", seconds}}}});
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
    Study study(name, script.settings(), script.options());
    try {
        work(study);
        study.finish("finished");
    } catch (const Interrupted& interrupted) {
        study.finish("interrupted");
        fmt::print(stderr, "{}: interrupted.\n", name);
        return 128 + interrupted.signal;
    } catch (const std::exception& error) {
        try {
            study.finish(fmt::format("failed: {}", error.what()));
        } catch (const std::exception&) { // the first error is the one to tell
        }
        throw;
    }
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
