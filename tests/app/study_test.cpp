// A study writes its files and a summary however it ends, and has no options of time stepping.
#include "tamis/app/study.hpp"

#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"
#include "tamis/io/file.hpp"

#include <csignal>
#include <gtest/gtest.h>

namespace tamis::test::study_test {

namespace {

// Counts to --to, of which every number is a row; at --raise a signal comes, at --fail an error.
struct Counting : Script {
    explicit Counting(std::vector<std::string> arguments) : Script("counting", "Counts", arguments) {}
    void define() override
    {
        const int to = count("to", 3, "the last number");
        const int raise_at = count("raise", 100, "a signal"), fail_at = count("fail", 100, "an error");
        study([=](Study& s) {
            Study::Table& table = s.table("numbers.csv", {"n", "square"});
            for (int n = 1; n <= to; ++n) {
                table.row({double(n), double(n * n)});
                if (n == raise_at) std::raise(SIGTERM);
                if (n == fail_at) fail("No number after {}: count less far.", n);
                s.progress(n, to);
                s.results["last"] = n;
            }
            s.write("deep/down/end.txt", "end\n");
        });
    }
};

nlohmann::json summary(const std::filesystem::path& folder)
{
    return nlohmann::json::parse(text_of(folder / "summary.json"));
}

} // namespace

TEST(Study, WritesItsFilesAndItsParameters)
{
    ScratchFolder folder;
    Counting script({"--out", (folder / "a").string(), "--quiet", "--to", "2"});
    script.prepare();
    EXPECT_EQ(run(script), 0);
    EXPECT_EQ(text_of(folder / "a/numbers.csv"), "n,square\n1,1\n2,4\n");
    EXPECT_EQ(text_of(folder / "a/deep/down/end.txt"), "end\n");
    const nlohmann::json j = summary(folder / "a");
    EXPECT_EQ(j["status"], "finished");
    EXPECT_EQ(j["model"], "counting");
    EXPECT_EQ(j["parameters"]["to"], 2);
    EXPECT_EQ(j["results"]["last"], 2);
    EXPECT_FALSE(j["parameters"].contains("h"));
}

TEST(Study, WritesNothingIfAskedTo)
{
    ScratchFolder folder;
    Counting script({"--out", (folder / "a").string(), "--quiet", "--no-output"});
    script.prepare();
    EXPECT_EQ(run(script), 0);
    EXPECT_FALSE(std::filesystem::exists(folder / "a"));
}

TEST(Study, EndedBySignalOrErrorKeepsWhatItHas)
{
    ScratchFolder folder;
    Counting stopped({"--out", (folder / "a").string(), "--quiet", "--raise", "2"});
    stopped.prepare();
    testing::internal::CaptureStderr();
    EXPECT_EQ(run(stopped), 128 + SIGTERM);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "counting: interrupted.\n");
    EXPECT_EQ(summary(folder / "a")["status"], "interrupted");
    EXPECT_EQ(summary(folder / "a")["results"]["last"], 1);
    EXPECT_EQ(text_of(folder / "a/numbers.csv"), "n,square\n1,1\n2,4\n");

    Counting failed({"--out", (folder / "b").string(), "--quiet", "--fail", "1"});
    failed.prepare();
    EXPECT_EQ(error_of([&] { run(failed); }), "No number after 1: count less far.");
    EXPECT_EQ(summary(folder / "b")["status"], "failed: No number after 1: count less far.");
    EXPECT_EQ(text_of(folder / "b/numbers.csv"), "n,square\n1,1\n");
}

TEST(Study, HasNoOptionsOfTimeStepping)
{
    for (const char* option : {"--h", "--t-end", "--frames"})
        EXPECT_TRUE(contains(error_of([&] { Counting({option, "1"}).prepare(); }), option)) << option;
    EXPECT_EQ(error_of([] {
                  Counting({"--threads", "-1"}).prepare();
              }),
              "--threads is -1: give zero or a positive number.");
}

namespace {

int computed = 0;

// A table of squares that are dear.
struct Squares : Script {
    explicit Squares(std::vector<std::string> arguments) : Script("squares", "Squares", arguments) {}
    void define() override
    {
        const int to = count("to", 5, "the last number"), raise_at = count("raise", 100, "a signal");
        study([=](Study& s) {
            Study::Table& table = s.resumed_table("squares.csv", {"n", "square"});
            s.fill(table, to, [=](long k) {
                ++computed;
                if (k == raise_at) std::raise(SIGTERM);
                return std::vector{double(k), double(k * k)};
            });
            s.results["sum"] = 0.0;
            for (const double x : table.columns()["square"])
                s.results["sum"] = s.results["sum"].get<double>() + x;
        });
    }
    static int go(std::vector<std::string> arguments)
    {
        arguments.push_back("--quiet");
        Squares script(arguments);
        script.prepare();
        return run(script);
    }
};

} // namespace

TEST(Study, GoesOnWhereItWasStopped)
{
    ScratchFolder folder;
    const std::string out = (folder / "a").string(), table = "n,square\n0,0\n1,1\n2,4\n3,9\n4,16\n";
    testing::internal::CaptureStderr();
    EXPECT_EQ(Squares::go({"--out", out, "--raise", "2"}), 128 + SIGTERM);
    testing::internal::GetCapturedStderr();
    EXPECT_EQ(text_of(folder / "a/squares.csv"), "n,square\n0,0\n1,1\n2,4\n");
    write_file(folder / "a/squares.csv", "n,square\n0,0\n1,1\n2,4\n3,"); // killed while it wrote
    computed = 0;
    EXPECT_EQ(Squares::go({"--out", out, "--raise", "2", "--resume"}), 0);
    EXPECT_EQ(computed, 2);
    EXPECT_EQ(text_of(folder / "a/squares.csv"), table);
    EXPECT_EQ(summary(folder / "a")["results"]["sum"], 30);
    // Complete: nothing is left to do. Without --resume, it is made anew.
    computed = 0;
    EXPECT_EQ(Squares::go({"--out", out, "--raise", "2", "--resume", "--threads", "2"}), 0);
    EXPECT_EQ(computed, 0);
    EXPECT_EQ(text_of(folder / "a/squares.csv"), table);
    EXPECT_EQ(Squares::go({"--out", out}), 0);
    EXPECT_EQ(computed, 5);
    // Nothing there: it begins.
    EXPECT_EQ(Squares::go({"--out", (folder / "b").string(), "--resume"}), 0);
    EXPECT_EQ(text_of(folder / "b/squares.csv"), table);
}

TEST(Study, GoesOnWithTheSameOptionsOnly)
{
    ScratchFolder folder;
    const std::string out = (folder / "a").string();
    EXPECT_EQ(Squares::go({"--out", out, "--to", "3"}), 0);
    EXPECT_EQ(
        error_of([&] {
            Squares::go({"--out", out, "--to", "4", "--resume"});
        }),
        "The study to resume was made with --to 3, not 4: give --to 3, or start anew without --resume.");
    EXPECT_EQ(text_of(folder / "a/squares.csv"), "n,square\n0,0\n1,1\n2,4\n");
    EXPECT_TRUE(contains(error_of([&] {
                             Squares::go({"--no-output", "--resume"});
                         }),
                         "leave out --no-output"));
    write_file(folder / "a/squares.csv", "n,square\n0,zero\n");
    EXPECT_TRUE(contains(error_of([&] {
                             Squares::go({"--out", out, "--to", "3", "--resume"});
                         }),
                         "has 'zero' where a number should be"));
}

} // namespace tamis::test::study_test
