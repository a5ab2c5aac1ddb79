// What a program tells of its model when another program asks.
#include "tamis/app/inquiry.hpp"

#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tamis::test::inquiry_test {

namespace {

// Of the model `workshop` (resume_test.cpp).
nlohmann::json answer_to(std::vector<std::string> arguments)
{
    testing::internal::CaptureStdout();
    const int code = run_program(std::move(arguments));
    const std::string said = testing::internal::GetCapturedStdout();
    EXPECT_EQ(code, 0) << said;
    return nlohmann::json::parse(said, nullptr, false);
}

nlohmann::json way(const nlohmann::json& all, const std::string& name)
{
    for (const nlohmann::json& one : all["ways"])
        if (one["name"] == name) return one;
    ADD_FAILURE() << "no way " << name;
    return {};
}

} // namespace

TEST(Inquiry, IsTakenOutOfTheArguments)
{
    std::vector<std::string> words{"--h", "1", "--methods"};
    EXPECT_EQ(take_inquiry(words), Inquiry::methods);
    EXPECT_EQ(words, (std::vector<std::string>{"--h", "1"}));
    EXPECT_EQ(take_inquiry(words), Inquiry::none);
}

TEST(Inquiry, DescriptionHasOptionsInTheirTypesColumnsAndResults)
{
    const nlohmann::json j = answer_to({"--describe", "--friction", "1e-1", "--grains=3"});
    EXPECT_EQ(j["model"], "workshop");
    EXPECT_EQ(j["parameters"]["friction"], 0.1);
    EXPECT_TRUE(j["parameters"]["friction"].is_number_float());
    EXPECT_EQ(j["parameters"]["grains"], 3);
    EXPECT_TRUE(j["parameters"]["grains"].is_number_integer());
    EXPECT_EQ(j["parameters"]["quiet"], false);
    EXPECT_TRUE(j["results"].contains("angle_end_rad"));
    EXPECT_FALSE(j["columns"].empty());
}

TEST(Inquiry, EveryMethodHasAStepOrAReason)
{
    const nlohmann::json j = answer_to({"--methods", "--h", "1e-3"});
    EXPECT_EQ(way(j, "moreau-jean")["reason"], "");
    EXPECT_EQ(way(j, "moreau-jean")["h"], 1e-3);
    EXPECT_EQ(way(j, "moreau-jean-midpoint")["options"]["force"], "midpoint");
    EXPECT_TRUE(contains(way(j, "smooth")["reason"], "smooth method"));
    EXPECT_FALSE(way(j, "smooth").contains("h"));
    EXPECT_TRUE(contains(way(j, "tight")["reason"], "no body to be cut at"));
    for (const char* peer : {"fmu", "simbody"})
        EXPECT_TRUE(contains(way(j, peer)["reason"], "no body to be cut at")) << peer;
    EXPECT_TRUE(contains(way(j, "moreau-jean-compliant")["reason"], "--contact-stiffness"));
    const nlohmann::json soft = answer_to({"--methods", "--contact-stiffness", "1e5"});
    EXPECT_EQ(way(soft, "moreau-jean-rigid")["reason"], ""); // takes the place of what was given
}

TEST(Inquiry, MistakesAreRefusedAsInARun)
{
    const auto refusal = [](std::vector<std::string> words) {
        testing::internal::CaptureStderr();
        EXPECT_EQ(run_program(std::move(words)), 2);
        return testing::internal::GetCapturedStderr();
    };
    EXPECT_TRUE(contains(refusal({"--describe", "--friction", "-3"}), "--friction is -3"));
    EXPECT_TRUE(contains(refusal({"--methods", "--frictoin", "3"}), "did you mean --friction"));
    EXPECT_TRUE(contains(refusal({"--methods", "--method", "dem"}), "leave it out"));
}

} // namespace tamis::test::inquiry_test
