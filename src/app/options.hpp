// Options of a model, declared where they are used: the value is known as soon as it is asked for.
#pragma once

#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

namespace tamis {

// What the number that an option takes may be; always finite.
struct Range {
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    bool above = false; // more than the least
};
inline constexpr Range not_negative{.least = 0}, positive{.least = 0, .above = true};

// An option as it was declared, and what it is.
struct DeclaredOption {
    std::string name, help, unit;
    Range range;
    std::vector<std::string> among; // of a choice
    std::variant<double, int, bool, std::string> value;
};

class Options {
  public:
    Options(std::string program, std::string description, std::vector<std::string> arguments);
    ~Options();
    Options(Options&&) noexcept;
    Options& operator=(Options&&) noexcept;

    // The value given on the command line, else `value`. `help` ends up in --help, with unit and range. What
    // is missing, given twice, no number or out of range throws UsageError.
    double number(const std::string& name, double value, const std::string& help,
                  const std::string& unit = "", const Range& range = {});
    int integer(const std::string& name, int value, const std::string& help, const Range& range = {});
    std::string text(const std::string& name, const std::string& value, const std::string& help);
    std::string choice(const std::string& name, const std::string& value,
                       const std::vector<std::string>& among, const std::string& help);
    bool flag(const std::string& name, const std::string& help);
    void group(const std::string& name); // heading of the options that follow in --help

    bool help_asked() const;
    std::string help() const;
    // After the last declaration: throws on arguments that nothing asked for.
    void check() const;
    nlohmann::json values() const;                       // of all options, for the summary
    const std::vector<DeclaredOption>& declared() const; // in their order
    const std::string& command() const;                  // program and arguments, as a shell takes them

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace tamis
