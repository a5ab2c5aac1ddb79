// Packings are made after all options are checked, once for all that they depend on.
#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/app/program.hpp"
#include "tamis/app/stop_signals.hpp"
#include "tamis/packing/deposit.hpp"

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tamis::test::stored_packing_test {

namespace {

int made = 0;

// One ball of the size --size, dropped by --raise with a signal on the way; --rate comes after the packing.
struct Bedding : Script {
    explicit Bedding(const std::vector<std::string>& arguments) : Script("bedding", "A ball", arguments) {}
    void define() override
    {
        const double size = opt("size", 0.1, "of the ball", "m", positive);
        const bool raise = flag("raise", "a signal");
        bed = packing("ball", [=] {
            ++made;
            if (raise) std::raise(SIGINT);
            Packing loose;
            loose.add(sphere(size / 2), {.p = {0, 0, size}});
            return deposit(loose, {{{wall({0, 0, 1}, 0), {}}}}, {.longest = 10, .threads = 1}).packing;
        });
        rate = opt("rate", 1, "of something", "", positive);
        model.gravity({0, 0, -9.81});
        add_grains(model, bed, model.add(Material{}), 2000);
        if (bed.size() != 1) fail("There must be a ball.");
        run_until(0.01);
    }
    Packing bed;
    double rate = 0;
};

// The packings of a test are its own.
struct StoredPacking : testing::Test {
    StoredPacking()
    {
        made = 0;
        ::setenv("TAMIS_PACKINGS", (folder / "packings").c_str(), 1);
    }
    ~StoredPacking() override { ::unsetenv("TAMIS_PACKINGS"); }
    double size(std::vector<std::string> arguments)
    {
        arguments.push_back("--quiet");
        Bedding script(arguments);
        script.prepare();
        return 2 * std::get<Sphere>(script.bed.shapes.at(0)).radius;
    }
    ScratchFolder folder;
};

} // namespace

TEST_F(StoredPacking, IsMadeAfterAllOptionsAreChecked)
{
    EXPECT_TRUE(contains(error_of([&] { size({"--typo", "3"}); }), "--typo"));
    EXPECT_TRUE(contains(error_of([&] { size({"--rate", "-3"}); }), "--rate is -3"));
    EXPECT_TRUE(contains(error_of([&] { size({"--h", "0"}); }), "--h is 0"));
    EXPECT_EQ(made, 0);
    Bedding help({"--help"});
    help.prepare();
    EXPECT_TRUE(contains(help.options().help(), "--rate"));
    EXPECT_EQ(made, 0);
}

TEST_F(StoredPacking, IsKeptForTheOptionsReadBeforeIt)
{
    EXPECT_EQ(size({}), 0.1);
    EXPECT_EQ(size({}), 0.1);
    EXPECT_EQ(made, 1);
    EXPECT_EQ(size({"--rate", "2"}), 0.1); // read after it
    EXPECT_EQ(made, 1);
    EXPECT_EQ(size({"--size", "0.2"}), 0.2);
    EXPECT_EQ(made, 2);
    EXPECT_EQ(size({}), 0.1);
    EXPECT_EQ(made, 2);
}

TEST_F(StoredPacking, OldOneIsTold)
{
    const auto said = [&] {
        testing::internal::CaptureStderr();
        Bedding({}).prepare();
        return testing::internal::GetCapturedStderr();
    };
    EXPECT_TRUE(contains(said(), "note: The packing 'ball' is made, once"));
    EXPECT_TRUE(contains(said(), "note: The packing 'ball' is that of an earlier run"));
    // The program may have another recipe than the one that made it.
    const std::filesystem::path file = *std::filesystem::directory_iterator(folder / "packings");
    std::filesystem::last_write_time(file,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::years(20));
    const std::string note = said();
    EXPECT_TRUE(contains(note, "before this program was built") && contains(note, "delete '" + file.string()))
        << note;
    EXPECT_EQ(made, 1);
    std::filesystem::remove(file);
    EXPECT_TRUE(contains(said(), "is made, once"));
    EXPECT_EQ(made, 2);
}

TEST_F(StoredPacking, DamagedOneIsToldAndMadeAgain)
{
    EXPECT_EQ(size({}), 0.1);
    const std::filesystem::path file = *std::filesystem::directory_iterator(folder / "packings");
    std::ofstream(file) << "text";
    testing::internal::CaptureStderr();
    Bedding({}).prepare();
    const std::string note = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(contains(note, file.string()) && contains(note, "It is made again.")) << note;
    EXPECT_EQ(made, 2);
    EXPECT_EQ(size({}), 0.1);
    EXPECT_EQ(made, 2);
}

TEST_F(StoredPacking, SignalEndsItWithASentence)
{
    try {
        size({"--raise"});
        FAIL() << "not interrupted";
    } catch (const Interrupted& interrupted) {
        EXPECT_EQ(interrupted.signal, SIGINT);
        EXPECT_TRUE(contains(interrupted.where, "packing 'ball'")) << interrupted.where;
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "packings") &&
                 !std::filesystem::is_empty(folder / "packings"));
}

TEST_F(StoredPacking, ManyRunsMayMakeItAtOnce)
{
    std::vector<pid_t> children;
    for (int k = 0; k < 4; ++k) {
        const pid_t child = ::fork();
        if (child == 0) {
            int code = 1;
            try {
                code = size({}) == 0.1 ? 0 : 2;
            } catch (const std::exception&) {
            }
            ::_exit(code);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "packings"), {}), 1);
}

} // namespace tamis::test::stored_packing_test
