// Options by CLI11. Each declaration parses the command line again, ignoring what is not yet declared, so
// that a model may decide by one option which others it has.
#include "tamis/app/options.hpp"

#include "tamis/app/usage_error.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <list>
#include <nlohmann/json.hpp>

namespace tamis {

struct Options::Impl {
    CLI::App app;
    std::vector<std::string> arguments;
    std::string heading = "Options of the model";
    std::list<double> numbers;
    std::list<int> integers;
    std::list<std::string> texts;
    std::list<bool> flags;
    std::vector<std::string> names;
    nlohmann::json values;

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
            add();
            parse();
        } catch (const CLI::OptionAlreadyAdded&) {
            fail("The option '{}' is declared twice, or is one that every run has: choose another name.",
                 name);
        } catch (const CLI::ParseError&) {
            throw UsageError(fmt::format("--{} needs {} (see --help).", name, wants));
        }
        names.push_back("--" + name);
    }
    template <class T>
    T declare(std::list<T>& storage, const std::string& name, const T& value, const std::string& help,
              const std::string& wants, const std::vector<std::string>& among = {})
    {
        storage.push_back(value);
        read(name, wants, [&] {
            CLI::Option* option =
                app.add_option("--" + name, storage.back(), help)->capture_default_str()->group(heading);
            option->type_name(among.empty() ? std::is_same_v<T, std::string> ? "TEXT" : "NUMBER"
                                            : fmt::format("{}", fmt::join(among, "|")));
            if constexpr (std::is_same_v<T, std::string>)
                if (!among.empty()) option->check(CLI::IsMember(among).description(""));
        });
        values[name] = storage.back();
        return storage.back();
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

} // namespace

Options::Options(std::string program, std::string description, std::vector<std::string> arguments)
    : impl_(std::make_unique<Impl>())
{
    impl_->app.name(program);
    impl_->app.description(description);
    impl_->arguments = std::move(arguments);
    impl_->app.set_help_flag(); // --help is answered when all options are known
    impl_->app.allow_extras();
    std::erase_if(impl_->arguments, [&](const std::string& a) {
        const bool help = a == "--help" || a == "-h";
        help_ = help_ || help;
        return help;
    });
}

Options::~Options() = default;

void Options::group(const std::string& name)
{
    impl_->heading = name;
}

double Options::number(const std::string& name, double value, const std::string& help,
                       const std::string& unit)
{
    const std::string in_unit = unit.empty() ? "" : " [" + unit + "]";
    return impl_->declare(impl_->numbers, name, value, help + in_unit, "a number" + in_unit);
}
int Options::integer(const std::string& name, int value, const std::string& help)
{
    return impl_->declare(impl_->integers, name, value, help, "a whole number");
}
std::string Options::text(const std::string& name, const std::string& value, const std::string& help)
{
    return impl_->declare(impl_->texts, name, value, help, "a text");
}
std::string Options::choice(const std::string& name, const std::string& value,
                            const std::vector<std::string>& among, const std::string& help)
{
    return impl_->declare(impl_->texts, name, value, help, fmt::format("one of {}", fmt::join(among, ", ")),
                          among);
}
bool Options::flag(const std::string& name, const std::string& help)
{
    impl_->flags.push_back(false);
    impl_->read(name, "no value",
                [&] { impl_->app.add_flag("--" + name, impl_->flags.back(), help)->group(impl_->heading); });
    impl_->values[name] = impl_->flags.back();
    return impl_->flags.back();
}

std::string Options::help() const
{
    return impl_->app.help();
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

nlohmann::json Options::values() const
{
    return impl_->values;
}

} // namespace tamis
