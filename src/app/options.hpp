// Options of a model, declared where they are used: the value is known as soon as it is asked for.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tamis {

class Options {
  public:
    Options(std::string program, std::string description, std::vector<std::string> arguments);
    ~Options();

    // The value given on the command line, else `value`. `help` ends up in --help, with the unit.
    double number(const std::string& name, double value, const std::string& help,
                  const std::string& unit = "");
    int integer(const std::string& name, int value, const std::string& help);
    std::string text(const std::string& name, const std::string& value, const std::string& help);
    std::string choice(const std::string& name, const std::string& value,
                       const std::vector<std::string>& among, const std::string& help);
    bool flag(const std::string& name, const std::string& help);
    void group(const std::string& name); // heading of the options that follow in --help

    bool help_asked() const { return help_; }
    std::string help() const;
    // After the last declaration: throws on arguments that nothing asked for.
    void check() const;
    nlohmann::json values() const; // of all options, for the summary

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
    bool help_ = false;
};

} // namespace tamis
