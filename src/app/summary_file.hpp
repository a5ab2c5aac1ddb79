// summary.json of a run or a study, which says how it ended however it ended.
#pragma once

#include "tamis/app/options.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace tamis {

class SummaryFile {
  public:
    // Notes what is known at the start: model, program, machine, options.
    SummaryFile(std::filesystem::path folder, const std::string& model, const Options& options);
    // Replaces the file by that and `results`. If the disk refuses, what is known at the start and a status
    // that tells of the failure are written over the old file, and the error is thrown on.
    void write(const std::string& status, const nlohmann::json& results);

  private:
    std::filesystem::path path_;
    nlohmann::json start_;
};

} // namespace tamis
