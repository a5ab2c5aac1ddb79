// Columns of histories.csv that every model with grains has, of the model `workshop` (resume_test.cpp).
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numbers>
#include <sstream>

namespace tamis::test::histories_test {

namespace {

// Values of a column of a CSV file.
std::vector<double> column(const std::string& csv, const std::string& name)
{
    std::istringstream lines(csv);
    std::vector<double> values;
    long place = -1;
    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> cells;
        std::istringstream row(line);
        for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
        if (place < 0)
            place = std::find(cells.begin(), cells.end(), name) - cells.begin();
        else
            values.push_back(std::stod(cells.at(place)));
    }
    return values;
}

} // namespace

// The grains start on a lattice of 0.04 x 0.041 x 0.05 m, four by four in each layer, of radius 0.02 m: along
// x and y their quartiles are two planes apart, along z of eight layers four. The lattice leans by 1e-4 m a
// grain, and is otherwise periodic in the box.
TEST(Histories, SolidFractionIsThatOfTheMiddleOfTheBed)
{
    ScratchFolder folder;
    ASSERT_EQ(run_program({"--out", (folder / "a").string(), "--quiet", "--t-end", "1e-3", "--grains", "128",
                           "--frames", "0"}),
              0);
    const std::vector<double> phi = column(text_of(folder / "a/histories.csv"), "solid_fraction");
    ASSERT_EQ(phi.size(), 2u);
    const double ball = 4 * std::numbers::pi / 3 * 8e-6;
    EXPECT_NEAR(phi[0], ball / (0.04 * 0.041 * 0.05), 0.02);
    // A single layer has no middle.
    ASSERT_EQ(run_program({"--out", (folder / "b").string(), "--quiet", "--t-end", "1e-3", "--frames", "0"}),
              0);
    EXPECT_TRUE(std::isnan(column(text_of(folder / "b/histories.csv"), "solid_fraction")[0]));
}

// Grains that fall on a shaken tray: impulses of the contacts and of gravity make up all that they gain.
TEST(Histories, MomentumOfTheGrainsIsBalanced)
{
    ScratchFolder folder;
    ASSERT_EQ(run_program({"--out", (folder / "a").string(), "--quiet", "--t-end", "0.2", "--grains", "32",
                           "--frames", "0"}),
              0);
    const std::string text = text_of(folder / "a/histories.csv");
    const std::vector<double> contacts = column(text, "contacts"), error = column(text, "momentum_error");
    EXPECT_GT(*std::max_element(contacts.begin(), contacts.end()), 16);
    EXPECT_LT(*std::max_element(error.begin(), error.end()), 1e-13);
}

} // namespace tamis::test::histories_test
