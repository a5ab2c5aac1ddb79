// See variation.hpp. A run of a variation is like any other, with a folder and a summary of its own, from which the
// table is made.
#include "tamis/app/variation.hpp"

#include "tamis/app/progress.hpp"
#include "tamis/app/simulation.hpp"
#include "tamis/app/stop_signals.hpp"
#include "tamis/io/checkpoint.hpp"
#include "tamis/io/file.hpp"
#include "tamis/io/history.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace tamis {

namespace {

constexpr unsigned long most_values = 1000000;

[[noreturn]] void refuse_values(const std::string& text)
{
    refuse(
        "--vary is '{}': give an option and its values, such as frequency=8,10,12, or frequency=8:15:15 for "
        "fifteen from 8 to 15, or seed=1..5.",
        text);
}

template <class T>
T number(const std::string& word, const std::string& text)
{
    T x{};
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, x);
    if (error != std::errc() || rest != end) refuse_values(text);
    return x;
}

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> parts(1);
    for (const char c : text)
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

// A range of whole numbers begins with one; a path such as ../a.stl does not, nor is one with a slash a range.
bool is_range(const std::string& text)
{
    return text.find("..") != std::string::npos && text.find('/') == std::string::npos &&
           (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
}

Variation read_variation(const std::string& text)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) refuse_values(text);
    Variation v{text.substr(0, equals), split(text.substr(equals + 1), ',')};
    if (v.option.starts_with("--")) v.option.erase(0, 2);
    for (const std::string& value : v.values)
        if (value.empty()) refuse_values(text);
    if (v.values.size() > 1) return v;
    const std::string text_of_range = v.values[0];
    if (is_range(text_of_range)) {
        const std::size_t dots = text_of_range.find("..");
        const long from = number<long>(text_of_range.substr(0, dots), text),
                   to = number<long>(text_of_range.substr(dots + 2), text);
        if (from > to || static_cast<unsigned long>(to) - static_cast<unsigned long>(from) >= most_values)
            refuse_values(text);
        v.values.clear();
        for (long k = from; k <= to; ++k) v.values.push_back(std::to_string(k));
        return v;
    }
    const std::vector<std::string> range = split(text_of_range, ':');
    if (range.size() == 1) return v;
    if (range.size() != 3) refuse_values(text);
    const double from = number<double>(range[0], text), to = number<double>(range[1], text);
    const long n = number<long>(range[2], text);
    if (!std::isfinite(from) || !std::isfinite(to) || n < 2 || n > static_cast<long>(most_values))
        refuse_values(text);
    v.values.clear();
    for (long k = 0; k < n; ++k)
        v.values.push_back(
            fmt::format("{:.12g}", from + (to - from) * static_cast<double>(k) / static_cast<double>(n - 1)));
    return v;
}

// The argument of an option that is taken out of the list, or nothing.
std::optional<std::string> take_option(std::vector<std::string>& arguments, const std::string& name)
{
    for (auto a = arguments.begin(); a != arguments.end(); ++a) {
        const bool apart = *a == name;
        if (!apart && !a->starts_with(name + "=")) continue;
        if (apart && a + 1 == arguments.end()) refuse("{} needs a value (see --help).", name);
        std::string value = apart ? a[1] : a->substr(name.size() + 1);
        arguments.erase(a, a + (apart ? 2 : 1));
        return value;
    }
    return {};
}

nlohmann::json summary_of(const std::filesystem::path& folder)
{
    try {
        return nlohmann::json::parse(read_file(folder / "summary.json"), nullptr, false);
    } catch (const Error&) {
        return {};
    }
}

// Whether the folder has what this script would compute.
bool is_finished(const std::filesystem::path& folder, const Script& script)
{
    const nlohmann::json summary = summary_of(folder), now = script.options().values();
    if (!summary.is_object() || summary.value("status", "") != "finished" || !summary.contains("parameters"))
        return false;
    const nlohmann::json& was = summary["parameters"];
    for (const auto& [name, value] : now.items())
        if (name != "out" && name != "threads" && name != "quiet" && name != "verbose" && name != "resume" &&
            was.value(name, nlohmann::json()) != value)
            return false;
    return true;
}

class Runs {
  public:
    Runs(const std::vector<Variation>& variations, std::vector<std::string> arguments)
        : variations_(variations), arguments_(std::move(arguments))
    {
        const auto take_flag = [&](const char* name) { return std::erase(arguments_, name) > 0; };
        resume_ = take_flag("--resume");
        quiet_ = take_flag("--quiet");
        if (take_flag("--no-output"))
            refuse("--vary makes its table of the files of its runs: leave out --no-output.");
        if (const auto out = take_option(arguments_, "--out")) folder_ = *out;
        for (const Variation& v : variations_) {
            count_ *= static_cast<long>(v.values.size());
            for (const std::string& a : arguments_)
                if (a == "--" + v.option || a.starts_with("--" + v.option + "="))
                    refuse("--{0} is given, and to be varied: leave out one of the two.", v.option);
        }
        for (const std::string& a : arguments_)
            frames_ = frames_ || a == "--frames" || a.starts_with("--frames=");
    }

    int all()
    {
        int code = 0;
        for (long k = 0; k < count_; ++k) {
            const int now = one(k);
            write_table(k + 1);
            if (now > 128) return now;
            if (now == 1 || code == 0) code = now;
        }
        if (!quiet_) fmt::print("{}: {} runs, {}\n", model_, count_, (folder_ / "variation.csv").string());
        return code;
    }

  private:
    std::vector<std::string> values(long k) const
    {
        std::vector<std::string> all(variations_.size());
        for (std::size_t i = variations_.size(); i-- > 0;) {
            const auto& of = variations_[i].values;
            all[i] = of[static_cast<std::size_t>(k) % of.size()];
            k /= static_cast<long>(of.size());
        }
        return all;
    }
    std::string name(long k) const
    {
        std::string text;
        const std::vector<std::string> all = values(k);
        for (std::size_t i = 0; i < all.size(); ++i)
            text += fmt::format("{}{}_{}", i == 0 ? "" : "_", variations_[i].option, all[i]);
        std::replace(text.begin(), text.end(), '/', '_');
        return text;
    }
    std::unique_ptr<Script> script(long k, bool resume) const
    {
        std::vector<std::string> words = arguments_;
        const std::vector<std::string> all = values(k);
        for (std::size_t i = 0; i < all.size(); ++i) {
            words.push_back("--" + variations_[i].option);
            words.push_back(all[i]);
        }
        for (const std::string& word :
             {std::string("--quiet"), std::string("--out"), (folder_ / name(k)).string()})
            words.push_back(word);
        if (!frames_) words.insert(words.end(), {"--frames", "0"});
        if (resume) words.push_back("--resume");
        std::unique_ptr<Script> s = make_script(words);
        s->prepare();
        if (s->study())
            refuse("The model '{}' is a study and has no runs to vary: leave out --vary.", s->model.name());
        return s;
    }
    int one(long k)
    {
        if (folder_.empty()) folder_ = std::filesystem::path("out") / make_script(arguments_)->model.name();
        std::unique_ptr<Script> s = script(k, false);
        model_ = s->model.name();
        const std::filesystem::path folder = folder_ / name(k);
        if (resume_ && is_finished(folder, *s)) return 0;
        if (s->results().empty())
            refuse("The model '{}' has no results to be tabled: let it say result(...), or leave out --vary.",
                   model_);
        const auto start = std::chrono::steady_clock::now();
        int code = 0;
        try {
            if (resume_ && has_checkpoint(folder)) {
                try {
                    s = script(k, true);
                    code = simulate(*s);
                } catch (const Error&) { // of other options, or damaged
                    s = script(k, false);
                    code = simulate(*s);
                }
            } else {
                code = simulate(*s);
            }
        } catch (const UsageError&) {
            throw;
        } catch (const Error& error) {
            fmt::print(stderr, "{}: {}: {}\n", model_, name(k), error.what());
            code = 1;
        }
        seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        ++made_;
        if (!quiet_ && code <= 128)
            fmt::print("{}: {} of {}, {}, {} left\n", name(k), k + 1, count_,
                       line(summary_of(folder).value("results", nlohmann::json::object())),
                       duration(seconds_ / static_cast<double>(made_) * static_cast<double>(count_ - k - 1)));
        std::fflush(stdout);
        return code;
    }
    static bool has_checkpoint(const std::filesystem::path& folder)
    {
        std::error_code none;
        for (const auto& entry : std::filesystem::directory_iterator(folder, none))
            if (entry.path().filename().string().starts_with("checkpoint_")) return true;
        return false;
    }
    static std::string line(const nlohmann::json& results)
    {
        std::string text;
        for (const auto& [key, value] : results.items())
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key,
                                value.is_number() ? fmt::format("{:.4g}", value.get<double>()) : "unknown");
        return text.empty() ? "failed" : text;
    }
    void write_table(long runs) const
    {
        std::vector<std::string> columns;
        std::vector<nlohmann::json> results;
        for (long k = 0; k < runs; ++k) {
            const nlohmann::json summary = summary_of(folder_ / name(k));
            results.push_back(summary.is_object() && summary.value("status", "") == "finished"
                                  ? summary.value("results", nlohmann::json::object())
                                  : nlohmann::json::object());
            for (const auto& [key, value] : results.back().items())
                if (std::find(columns.begin(), columns.end(), key) == columns.end()) columns.push_back(key);
        }
        std::string csv;
        for (const Variation& v : variations_) csv += (csv.empty() ? "" : ",") + csv_cell(v.option);
        for (const std::string& column : columns) csv += "," + csv_cell(column);
        for (long k = 0; k < runs; ++k) {
            csv += "\n";
            for (std::size_t i = 0; const std::string& value : values(k))
                csv += (i++ ? "," : "") + csv_cell(value);
            for (const std::string& column : columns) {
                const nlohmann::json x = results[static_cast<std::size_t>(k)].value(column, nlohmann::json());
                csv += "," + (x.is_number() ? fmt::format("{}", x.get<double>()) : std::string("nan"));
            }
        }
        write_file(folder_ / "variation.csv", csv + "\n");
    }

    const std::vector<Variation>& variations_;
    std::vector<std::string> arguments_;
    std::filesystem::path folder_;
    std::string model_;
    bool resume_ = false, quiet_ = false, frames_ = false;
    long count_ = 1, made_ = 0;
    double seconds_ = 0;
};

} // namespace

std::vector<Variation> take_variations(std::vector<std::string>& arguments)
{
    std::vector<Variation> all;
    while (const auto text = take_option(arguments, "--vary")) {
        all.push_back(read_variation(*text));
        for (std::size_t k = 0; k + 1 < all.size(); ++k)
            if (all[k].option == all.back().option)
                refuse("--{} is varied twice: give all values once.", all[k].option);
    }
    return all;
}

int run_variations(const std::vector<Variation>& variations, const std::vector<std::string>& arguments)
{
    return Runs(variations, arguments).all();
}

} // namespace tamis
