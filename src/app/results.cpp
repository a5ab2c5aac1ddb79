// See results.hpp. Columns are read back from the file: it alone has what was recorded before the run was resumed, and
// in the bits that were recorded.
#include "tamis/app/results.hpp"

#include "tamis/base/error.hpp"
#include "tamis/io/columns.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tamis {

nlohmann::json compute(const std::vector<Result>& results, const std::filesystem::path& histories,
                       std::vector<std::string>& notes)
{
    nlohmann::json all = nlohmann::json::object();
    if (results.empty()) return all;
    const Columns columns = Columns::read(histories);
    for (const Result& r : results) {
        for (const std::string& name : r.names) all[name] = nullptr;
        try {
            const std::vector<double> values = r.values(columns);
            if (values.size() != r.names.size())
                fail("It has {} names but gave {} values.", r.names.size(), values.size());
            for (std::size_t k = 0; k < values.size(); ++k) all[r.names[k]] = values[k];
        } catch (const std::exception& error) {
            notes.push_back(fmt::format("There is no result '{}'. {}", r.names.empty() ? "" : r.names.front(),
                                        error.what()));
        }
    }
    return all;
}

void print_results(const std::vector<Result>& results, const nlohmann::json& values)
{
    const char* heading = "results";
    for (const Result& r : results)
        for (const std::string& name : r.names) {
            const nlohmann::json& value = values.at(name);
            fmt::print("  {:<12} {} = {}{}{}\n", heading, name,
                       value.is_number() ? fmt::format("{:.6g}", value.get<double>()) : "unknown",
                       r.unit.empty() ? "" : " ", r.unit);
            heading = "";
        }
}

} // namespace tamis
