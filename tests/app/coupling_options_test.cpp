// What --coupling and its companions mean, and what they refuse.
#include "tamis/app/coupling_options.hpp"

#include "tamis/app/usage_error.hpp"

#include <gtest/gtest.h>

namespace tamis::test::coupling_options_test {

namespace {

std::optional<CoupledOptions> read(const std::vector<std::string>& arguments)
{
    Options options("model", "what it is", arguments);
    return read_coupling(options);
}

std::string refusal(const std::vector<std::string>& arguments)
{
    try {
        read(arguments);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST(CouplingOptions, NameTheSchemes)
{
    using enum CouplingScheme;
    EXPECT_FALSE(read({}));
    EXPECT_FALSE(read({"--coupling", "monolithic"}));
    EXPECT_EQ(read({"--coupling", "tight"})->scheme, tight);
    EXPECT_EQ(read({"--coupling", "loose"})->scheme, loose);
    EXPECT_EQ(read({"--coupling", "staggered"})->scheme, staggered);
    EXPECT_EQ(read({"--coupling", "explicit-original"})->scheme, original);
    const auto weights = [](const std::vector<std::string>& arguments) {
        const auto c = read(arguments);
        EXPECT_EQ(c->scheme, modified);
        return std::array{c->weights.alpha, c->weights.beta, c->weights.gamma};
    };
    EXPECT_EQ(weights({"--coupling", "explicit-index1"}), (std::array{2.0, 2.0, 1.0}));
    EXPECT_EQ(weights({"--coupling", "explicit-index2"}), (std::array{1.0, 1.0, 0.0}));
    EXPECT_EQ(weights({"--coupling", "explicit-index3"}), (std::array{1.0, 0.0, 0.0}));
    EXPECT_EQ(weights({"--coupling", "explicit", "--alpha", "0.2", "--beta", "0.3"}),
              (std::array{0.2, 0.3, 1.0}));
    EXPECT_EQ(read({"--coupling", "tight", "--acceleration", "aitken"})->repeat, Repetition::aitken);
    EXPECT_EQ(read({"--coupling", "tight", "--sweep", "jacobi"})->sweep, Sweep::jacobi);
    EXPECT_TRUE(read({"--coupling", "tight", "--coupling-strict"})->must_converge);
}

TEST(CouplingOptions, ValuesWithoutSenseAreRefusedByName)
{
    EXPECT_EQ(refusal({"--smooth-substeps", "-2"}), "--smooth-substeps is -2: give a positive number.");
    EXPECT_EQ(refusal({"--nonsmooth-substeps", "0"}), "--nonsmooth-substeps is 0: give a positive number.");
    EXPECT_EQ(refusal({"--coupling-iterations", "1"}), "--coupling-iterations is 1: give 2 or more.");
    EXPECT_EQ(refusal({"--extrapolation", "3"}), "--extrapolation is 3: give 0, 1 or 2.");
    EXPECT_EQ(refusal({"--beta", "-1"}), "--beta is -1: give zero or a positive number.");
    EXPECT_EQ(refusal({"--alpha", "nan"}), "--alpha is nan: give zero or a positive number.");
    EXPECT_EQ(refusal({"--coupling-tolerance", "0"}),
              "--coupling-tolerance is 0 and --coupling-relative 0: neither may be negative, and one must be "
              "positive.");
    EXPECT_EQ(refusal({"--coupling-tolerance", "0", "--coupling-relative", "1e-6"}), "");
    EXPECT_NE(refusal({"--coupling", "strong"}), "");
}

} // namespace tamis::test::coupling_options_test
