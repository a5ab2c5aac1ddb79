// The oscillator benchmark run as a user runs it: from options to files.
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tamis::test::lim_oscillator_test {
namespace {

nlohmann::json results_of(const std::filesystem::path& folder, std::vector<std::string> options)
{
    options.insert(options.end(), {"--quiet", "--out", folder.string()});
    const auto script = make_script("lim_oscillator", options);
    script->prepare();
    EXPECT_EQ(run(*script), 0);
    return nlohmann::json::parse(text_of(folder / "summary.json"))["results"];
}

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

} // namespace

TEST(LimOscillator, ConservesAndLosesTheReferenceEnergy)
{
    const ScratchFolder folder;
    for (const auto& [number, energy] : {std::pair{"1", 10000.0}, {"2", 8157.468}}) {
        const nlohmann::json results =
            results_of(folder / number, {"--case", number, "--variables", "ss", "--substeps", "5",
                                         "--extrapolation", "1", "--H", "1e-3"});
        EXPECT_NEAR(results["exact_energy_at_end"], energy, 5e-4);
        EXPECT_TRUE(results["stable"]);
        EXPECT_LT(std::abs(results["energy_drift"].get<double>()), 3e-4);
        EXPECT_EQ(results["iterations"], 10000);
        const auto lines = lines_of(text_of(folder / number / "histories.csv"));
        EXPECT_EQ(lines.size(), 10002u);
        EXPECT_EQ(lines[0], "t,x1,x2,v1,v2,energy");
        EXPECT_EQ(lines[1], "0,0,0,100,-100,10000");
    }
}

TEST(LimOscillator, DivergenceIsAResult)
{
    const ScratchFolder folder;
    const nlohmann::json results = results_of(folder / "a", {"--H", "0.07", "--scheme", "jacobi"});
    EXPECT_FALSE(results["stable"]);
    const double trace = 2 - 1110 * 0.07 * 0.07; // lambda^2 - trace lambda + 1 = 0
    EXPECT_NEAR(results["spectral_radius"], (-trace + std::sqrt(trace * trace - 4)) / 2, 1e-10);
    EXPECT_NE(results["divergence"].get<std::string>().find("diverges"), std::string::npos);
    EXPECT_FALSE(results.contains("error"));
}

// Keys are the cells of a row up to the order of the inputs.
TEST(LimOscillator, TableHoldsAllSchemesAndTheWholeSystem)
{
    const ScratchFolder folder;
    EXPECT_EQ(results_of(folder / "a", {"--all", "--H", "0.01", "--t-end", "1"})["runs"], 288);
    std::map<std::string, std::string> rows;
    for (const std::string& line : lines_of(text_of(folder / "a/table.csv"))) {
        std::size_t end = 0;
        for (int cell = 0; cell < 6; ++cell) end = line.find(',', end) + 1;
        rows[line.substr(0, end)] = line.substr(end);
    }
    EXPECT_EQ(rows.size(), 1u + 2 * (1 + 144));
    for (const std::string number : {"1,", "2,"})
        for (const std::string scheme : {"jacobi,", "gauss-seidel,"}) {
            EXPECT_EQ(rows.at(number + "ss," + scheme + "no,1,0,"),
                      rows.at(number + "ff," + scheme + "no,1,0,"));
            EXPECT_NE(rows.at(number + "ss," + scheme + "no,2,0,"),
                      rows.at(number + "ff," + scheme + "no,2,0,"));
        }
    const std::string whole = rows.at("1,monolithic,,,1,,"), one_rate = rows.at("1,fs,jacobi,no,1,0,");
    EXPECT_EQ(whole.substr(0, whole.find(",,")), one_rate.substr(0, whole.find(",,")));
    EXPECT_NE(text_of(folder / "a/table.md").find("| ff | gauss-seidel | iterated | 1:10 |"),
              std::string::npos);
}

} // namespace tamis::test::lim_oscillator_test
