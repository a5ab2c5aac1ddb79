// Options by CLI11. Each declaration parses the command line again, ignoring what is not yet declared, so
// that a model may decide by one option which others it has.
#include "tamis/app/options.hpp"

#include "tamis/app/usage_error.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <list>
#include <nlohmann/json.hpp>
#include <optional>

namespace tamis {

struct Options::Impl {
    CLI::App app;
    std::vector<std::string> arguments;
    std::string command, heading = "Options of the model";
    bool help = false;
    std::list<std::vector<std::string>> given; // words, by option
    std::list<bool> flags;
    std::vector<std::string> names;
    nlohmann::json values;
    std::vector<DeclaredOption> declared;

    void parse()
    {
        std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
        app.parse(reversed);
    }
    // Adds one option and reads it; `wants` says what its value must be.
    template <class Add>
    void read(const std::string& name, const std::string& wants, Add&& add)
    {
        try {
            add()->group(heading);
            parse();
        } catch (const CLI::OptionAlreadyAdded&) {
            fail("The option '{}' is declared twice, or is one that every run has: choose another name.",
                 name);
        } catch (const CLI::ParseError&) {
            throw UsageError(fmt::format("--{} needs {} (see --help).", name, wants));
        }
        names.push_back("--" + name);
    }
    // The word given for an option, or none.
    std::optional<std::string> word(const std::string& name, const std::string& type,
                                    const std::string& value, const std::string& help_text,
                                    const std::string& wants)
    {
        std::vector<std::string>& words = given.emplace_back();
        read(name, wants, [&] {
            const CLI::callback_t keep = [&words](const CLI::results_t& all) {
                words = all;
                return true;
            };
            return app.add_option("--" + name, keep, help_text)
                ->type_name(type)
                ->default_str(value)
                ->allow_extra_args(false)
                ->take_all();
        });
        if (words.size() > 1) throw UsageError(fmt::format("--{} is given twice: give it once.", name));
        if (words.empty()) return {};
        return words.front();
    }
    double number(const std::string& name, double value, const std::string& help_text,
                  const std::string& unit, const std::string& wants, const Range& range)
    {
        std::string beside = unit;
        if (const std::string limits = brief(range); !limits.empty())
            beside += (unit.empty() ? "" : ", ") + limits;
        const auto given_word =
            word(name, "NUMBER", fmt::format("{}", value),
                 beside.empty() ? help_text : fmt::format("{} [{}]", help_text, beside), wants);
        double x = value;
        if (given_word && !read_number(*given_word, x))
            throw UsageError(
                fmt::format("--{} is '{}', but needs {} (see --help).", name, *given_word, wants));
        if (std::isfinite(x) && x <= range.most && (range.above ? x > range.least : x >= range.least))
            return x;
        throw UsageError(
            fmt::format("--{} is {}{}: give {}.", name, x, unit.empty() ? "" : " " + unit, wanted(range)));
    }

    static bool read_number(std::string_view text, double& x)
    {
        if (text.starts_with('+')) text.remove_prefix(1);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
        return error == std::errc() && end == text.data() + text.size();
    }
    static std::string wanted(const Range& range)
    {
        if (std::isfinite(range.least) && std::isfinite(range.most))
            return fmt::format("a number from {:g} to {:g}", range.least, range.most);
        if (range.least == 0) return range.above ? "a positive number" : "zero or a positive number";
        if (std::isfinite(range.least)) return fmt::format("{:g} or more", range.least);
        return "a finite number";
    }
    static std::string brief(const Range& range)
    {
        if (std::isfinite(range.least) && std::isfinite(range.most))
            return fmt::format("{:g} to {:g}", range.least, range.most);
        if (range.least == 0 && range.above) return "positive";
        if (std::isfinite(range.least)) return fmt::format("{:g} or more", range.least);
        return "";
    }
};

namespace {

// Edits that turn one word into another.
std::size_t distance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t old = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = old;
        }
    }
    return row.back();
}

// A word as a shell takes it.
std::string quoted(const std::string& word)
{
    const auto plain = [](unsigned char c) { return std::isalnum(c) || std::strchr("_-+=.,:/@%", c); };
    if (!word.empty() && std::ranges::all_of(word, plain)) return word;
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

} // namespace

Options::Options(std::string program, std::string description, std::vector<std::string> arguments)
    : impl_(std::make_unique<Impl>())
{
    impl_->app.name(program);
    impl_->app.description(description);
    impl_->command = program;
    for (const std::string& a : arguments) impl_->command += " " + quoted(a);
    impl_->arguments = std::move(arguments);
    // --help is answered when all options are known, --version by the program before any.
    impl_->app.set_help_flag();
    impl_->app.set_version_flag("--version", "", "Print version, commit and compiler, and end");
    impl_->app.allow_extras();
    impl_->help =
        std::erase_if(impl_->arguments, [](const std::string& a) { return a == "--help" || a == "-h"; }) > 0;
}

Options::~Options() = default;
Options::Options(Options&&) noexcept = default;
Options& Options::operator=(Options&&) noexcept = default;

void Options::group(const std::string& name)
{
    impl_->heading = name;
}

double Options::number(const std::string& name, double value, const std::string& help,
                       const std::string& unit, const Range& range)
{
    const double x = impl_->number(name, value, help, unit,
                                   unit.empty() ? "a number" : fmt::format("a number [{}]", unit), range);
    impl_->values[name] = x;
    impl_->declared.push_back({name, help, unit, range, {}, x});
    return x;
}
int Options::integer(const std::string& name, int value, const std::string& help, const Range& range)
{
    const double x = impl_->number(name, value, help, "", "a whole number", range);
    if (x != std::floor(x)) throw UsageError(fmt::format("--{} is {}: give a whole number.", name, x));
    if (std::abs(x) > std::numeric_limits<int>::max())
        throw UsageError(fmt::format("--{} is {}: give a number that is not as large.", name, x));
    impl_->values[name] = static_cast<int>(x);
    impl_->declared.push_back({name, help, "", range, {}, static_cast<int>(x)});
    return static_cast<int>(x);
}
std::string Options::text(const std::string& name, const std::string& value, const std::string& help)
{
    const std::string x = impl_->word(name, "TEXT", value, help, "a text").value_or(value);
    impl_->values[name] = x;
    impl_->declared.push_back({name, help, "", {}, {}, x});
    return x;
}
std::string Options::choice(const std::string& name, const std::string& value,
                            const std::vector<std::string>& among, const std::string& help)
{
    const std::string wants = fmt::format("one of {}", fmt::join(among, ", "));
    const std::string x =
        impl_->word(name, fmt::format("{}", fmt::join(among, "|")), value, help, wants).value_or(value);
    if (std::ranges::find(among, x) == among.end())
        throw UsageError(fmt::format("--{} needs {} (see --help).", name, wants));
    impl_->values[name] = x;
    impl_->declared.push_back({name, help, "", {}, among, x});
    return x;
}
bool Options::flag(const std::string& name, const std::string& help)
{
    impl_->flags.push_back(false);
    impl_->read(name, "no value",
                [&] { return impl_->app.add_flag("--" + name, impl_->flags.back(), help); });
    impl_->values[name] = impl_->flags.back();
    impl_->declared.push_back({name, help, "", {}, {}, impl_->flags.back()});
    return impl_->flags.back();
}

bool Options::help_asked() const
{
    return impl_->help;
}
std::string Options::help() const
{
    return impl_->app.help();
}
const std::string& Options::command() const
{
    return impl_->command;
}

void Options::check() const
{
    const std::vector<std::string> unknown = impl_->app.remaining();
    if (unknown.empty()) return;
    const std::string& word = unknown.front();
    const std::string stem = word.substr(0, word.find('='));
    const auto closest =
        std::min_element(impl_->names.begin(), impl_->names.end(),
                         [&](const auto& a, const auto& b) { return distance(stem, a) < distance(stem, b); });
    const bool similar = closest != impl_->names.end() && distance(stem, *closest) <= stem.size() / 3 + 1;
    throw UsageError("There is no option '" + word + "'" +
                     (similar ? ": did you mean " + *closest + "?" : ".") + " --help lists all.");
}

const std::vector<DeclaredOption>& Options::declared() const
{
    return impl_->declared;
}

nlohmann::json Options::values() const
{
    return impl_->values;
}

} // namespace tamis
