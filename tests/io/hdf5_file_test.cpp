// Content survives writing and reading bit by bit, and a broken file is an Error that names it.
#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/io/file.hpp"
#include "tamis/io/hdf5_file.hpp"

#include <bit>
#include <cmath>
#include <csignal>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <sys/resource.h>

namespace tamis::test::hdf5_file_test {

namespace {

Hdf5 sample()
{
    std::mt19937_64 random(1);
    std::vector<double> large(20000), smooth(20000);
    for (double& x : large) x = std::bit_cast<double>(random() >> 2); // any finite positive one
    for (std::size_t k = 0; k < smooth.size(); ++k) smooth[k] = static_cast<double>(k);
    Hdf5 content;
    content.datasets["numbers"] = {std::vector<double>{0.1, -0.0, 5e-324, 1e308, 1.0 / 3}};
    content.datasets["group/deep/table"] = {large, 8};
    content.datasets["group/smooth"] = {smooth};
    content.datasets["group/int"] = {
        std::vector<std::int32_t>{-1, 2, std::numeric_limits<std::int32_t>::min()}};
    content.datasets["group/long"] = {std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), 7}};
    content.datasets["group/hash"] = {std::vector<std::uint64_t>{std::numeric_limits<std::uint64_t>::max()}};
    content.datasets["text"] = {std::string("two\nlines, \"quoted\" \xc2\xb5")};
    content.datasets["none"] = {std::vector<double>{}};
    content.datasets["no_rows"] = {std::vector<std::int32_t>{}, 3};
    content.attributes["version"] = std::vector<std::int32_t>{3};
    content.attributes["empty"] = std::string();
    content.attributes["name"] = std::string("sample");
    return content;
}

void expect_equal(const Hdf5::Values& a, const Hdf5::Values& b, const std::string& name)
{
    ASSERT_EQ(a.index(), b.index()) << name;
    if (const auto* x = std::get_if<std::vector<double>>(&a)) { // by bits: zeros have signs
        const auto& y = std::get<std::vector<double>>(b);
        ASSERT_EQ(x->size(), y.size()) << name;
        for (std::size_t k = 0; k < y.size(); ++k)
            ASSERT_EQ(std::bit_cast<std::uint64_t>((*x)[k]), std::bit_cast<std::uint64_t>(y[k])) << name;
        return;
    }
    EXPECT_EQ(a, b) << name;
}

} // namespace

TEST(Hdf5File, ContentSurvivesBitByBit)
{
    ScratchFolder folder;
    const Hdf5 content = sample();
    write_hdf5(folder / "a.h5", content);
    const Hdf5 read = read_hdf5(folder / "a.h5");
    ASSERT_EQ(read.datasets.size(), content.datasets.size());
    ASSERT_EQ(read.attributes.size(), content.attributes.size());
    for (const auto& [name, dataset] : content.datasets) {
        ASSERT_TRUE(read.datasets.contains(name)) << name;
        EXPECT_EQ(read.datasets.at(name).columns, dataset.columns) << name;
        expect_equal(read.datasets.at(name).values, dataset.values, name);
    }
    for (const auto& [name, values] : content.attributes)
        expect_equal(read.attributes.at(name), values, name);
}

TEST(Hdf5File, EqualContentGivesEqualBytesAndRegularNumbersFewOfThem)
{
    ScratchFolder folder;
    write_hdf5(folder / "a.h5", sample());
    write_hdf5(folder / "b.h5", sample());
    EXPECT_EQ(text_of(folder / "a.h5"), text_of(folder / "b.h5"));
    Hdf5 zeros;
    zeros.datasets["x"] = {std::vector<double>(100000, 0.0)};
    write_hdf5(folder / "c.h5", zeros);
    EXPECT_LT(std::filesystem::file_size(folder / "c.h5"), 50000u);
}

TEST(Hdf5File, MissingAndMistypedDataAreNamed)
{
    Hdf5 content = sample();
    content.name = "run.h5";
    const auto refused = [&](auto&& get, const std::string& dataset) {
        const std::string message = error_of(get);
        EXPECT_TRUE(contains(message, "run.h5") && contains(message, "'" + dataset + "'")) << message;
    };
    refused([&] { content.array<double>("group/other"); }, "group/other");
    refused([&] { content.array<double>("group/int"); }, "group/int");
    refused([&] { content.integers("numbers"); }, "numbers");
    refused([&] { content.attribute<double>("version"); }, "version");
    refused([&] { content.attribute<std::string>("author"); }, "author");
    EXPECT_EQ(content.integers("group/int").front(), -1);
    EXPECT_EQ(content.attribute<std::int32_t>("version"), 3);
    EXPECT_TRUE(content.has_group("group/deep"));
    EXPECT_FALSE(content.has_group("group/dee"));
    EXPECT_FALSE(content.has_group("text"));
}

TEST(Hdf5File, ForeignAndMissingFilesAreNamed)
{
    ScratchFolder folder;
    write_file(folder / "text.h5", "not at all");
    write_file(folder / "empty.h5", "");
    for (const char* name : {"text.h5", "empty.h5", "none.h5", ""}) {
        const std::string message = error_of([&] { read_hdf5(folder / name); });
        EXPECT_TRUE(contains(message, (folder / name).string())) << message;
    }
}

// Cut anywhere or with any byte changed, a sealed file is refused.
TEST(Hdf5File, DamageIsRefused)
{
    ScratchFolder folder;
    Hdf5 content = sample();
    content.datasets.erase("group/deep/table");
    write_hdf5(folder / "a.h5", content);
    const std::string whole = text_of(folder / "a.h5");
    const auto refused = [&](const std::string& bytes, bool sealed) {
        write_file(folder / "b.h5", bytes);
        return contains(error_of([&] { read_hdf5(folder / "b.h5", sealed); }), "b.h5");
    };
    EXPECT_FALSE(refused(whole, true));
    for (std::size_t size = 0; size + 16 < whole.size(); size += 1 + whole.size() / 60) {
        EXPECT_TRUE(refused(whole.substr(0, size), true)) << size;
        EXPECT_TRUE(refused(whole.substr(0, size), false)) << size;
    }
    for (std::size_t at = 0; at < whole.size(); at += at + 200 < whole.size() ? 97 : 1) {
        std::string changed = whole;
        changed[at] ^= static_cast<char>(1 << at % 8);
        EXPECT_TRUE(refused(changed, true)) << at;
    }
}

TEST(Hdf5File, FileOfAnotherProgramNeedsNoSeal)
{
    ScratchFolder folder;
    write_hdf5(folder / "a.h5", sample());
    const std::string whole = text_of(folder / "a.h5");
    write_file(folder / "b.h5", whole.substr(0, whole.size() - 16));
    EXPECT_EQ(read_hdf5(folder / "b.h5").attributes, sample().attributes);
    EXPECT_TRUE(contains(error_of([&] { read_hdf5(folder / "b.h5", true); }), "b.h5"));
}

TEST(Hdf5File, OldFileStaysWhenTheNewOneCannotBeWritten)
{
    ScratchFolder folder;
    write_hdf5(folder / "a.h5", sample());
    const std::string before = text_of(folder / "a.h5");
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit small{100, limit.rlim_max};
    std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    const std::string error = error_of([&] { write_hdf5(folder / "a.h5", Hdf5{}); });
    setrlimit(RLIMIT_FSIZE, &limit);
    EXPECT_TRUE(contains(error, "a.h5")) << error;
    EXPECT_EQ(text_of(folder / "a.h5"), before);
}

} // namespace tamis::test::hdf5_file_test
