// The file exists from the start of a run, with room to spare: when the disk is full at the end, it can still be
// overwritten by a shorter text that says so.
#include "tamis/app/summary_file.hpp"

#include "tamis/app/provenance.hpp"
#include "tamis/base/error.hpp"
#include "tamis/io/file.hpp"

namespace tamis {

SummaryFile::SummaryFile(std::filesystem::path folder, const std::string& model, const Options& options)
    : path_(std::move(folder) / "summary.json"), start_(provenance(options.command()))
{
    start_["model"] = model;
    start_["parameters"] = options.values();
    start_["started"] = date_now();
}

void SummaryFile::write(const std::string& status, const nlohmann::json& results)
{
    const bool running = status == "running";
    nlohmann::json j = start_;
    j["status"] = status;
    if (!running) j["ended"] = date_now();
    j.update(results);
    try {
        // Room for the sentence of a failure on a full disk.
        write_file(path_, j.dump(2) + std::string(running ? 1000 : 0, ' ') + "\n");
    } catch (const Error& error) {
        start_["status"] = status == "finished" ? fmt::format("failed: {}", error.what()) : status;
        overwrite_file(path_, start_.dump());
        throw;
    }
}

} // namespace tamis
