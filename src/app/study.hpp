// A study: a model file that computes something of its own and writes files, instead of stepping its model.
//
//     TAMIS_MODEL(name, "what it is")
//     {
//         const double a = opt("a", 1, "...");
//         study([=](Study& s) {
//             Study::Table& table = s.resumed_table("map.csv", {"x", "y"});
//             s.fill(table, 100, [=](long k) { return std::vector{0.1 * k, expensive(a, 0.1 * k)}; });
//             s.results["last"] = table.columns()["y"].back();
//         });
//     }
//
// With --resume, such tables keep the rows of the run before, which must have had the same options, and fill()
// computes the others only.
#pragma once

#include "tamis/app/progress.hpp"
#include "tamis/app/settings.hpp"
#include "tamis/app/stop_signals.hpp"
#include "tamis/app/summary_file.hpp"
#include "tamis/io/columns.hpp"
#include "tamis/io/history.hpp"

#include <deque>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

namespace tamis {

class Script;

class Study {
  public:
    // A CSV file that grows, see History, and what it holds.
    class Table {
      public:
        // Without a path nothing is written.
        Table(const std::filesystem::path& path, const std::vector<std::string>& names, bool resume);
        void row(std::span<const double> values);
        void row(std::initializer_list<double> values) { row(std::span(values.begin(), values.size())); }
        long rows() const { return static_cast<long>(columns_.rows()); }
        const Columns& columns() const { return columns_; }
        void flush()
        {
            if (file_) file_->flush();
        }

      private:
        Columns columns_;
        std::optional<History> file_;
    };

    Study(const std::string& model, const Settings& settings, const Options& options);

    int threads() const; // at least one
    bool writes() const { return !settings_.no_output; }
    const std::filesystem::path& folder() const { return folder_; } // of the results; exists if it writes()

    // Names are relative to the folder and may have folders of their own, which are made. With --no-output
    // nothing is written.
    void write(const std::string& name, std::string_view content); // whole or absent
    // A CSV file that grows; it stays valid as long as the study, which flushes it at the end.
    Table& table(const std::string& name, const std::vector<std::string>& columns);
    // The same, but with --resume it begins with the rows that an earlier run has written.
    Table& resumed_table(const std::string& name, const std::vector<std::string>& columns);
    // Adds the rows that a table of n rows lacks, each as soon as it is computed, with progress: a study that is
    // stopped loses the row that it was at, and with --resume goes on with that.
    void fill(Table& table, long n, const std::function<std::vector<double>(long row)>& compute);

    // Call between two pieces of work, on one thread: shows how many are done, and leaves the study by an
    // exception if a signal asks for its end.
    void progress(long done, long pieces);
    void say(const std::string& line); // on stdout, not with --quiet

    nlohmann::json results; // part of summary.json

  private:
    void finish(const std::string& status);
    void write_summary(const std::string& status);
    void note(const std::string& name);
    Table& add_table(const std::string& name, const std::vector<std::string>& columns, bool resume);
    void check_same_study(const Options& options) const;
    friend int carry_out(const Script& script, const std::function<void(Study&)>& work);

    const Settings& settings_;
    std::filesystem::path folder_;
    bool resumed_ = false; // there is something to go on with
    std::optional<FolderLock> lock_;
    std::optional<SummaryFile> summary_;
    std::chrono::steady_clock::time_point start_;
    StopSignals signals_;
    std::optional<Progress> progress_;
    long pieces_ = 0;
    std::deque<Table> tables_;
    std::vector<std::string> files_;
};

// Returns 0, or 128 + the number of the signal that ended it; throws on errors, after the summary has them.
int carry_out(const Script& script, const std::function<void(Study&)>& work);

} // namespace tamis
