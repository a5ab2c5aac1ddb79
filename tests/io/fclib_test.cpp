// Contact problems survive the layout of FCLIB bit by bit, in all its storages; others are refused with a
// reason.
#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/contact/robust_solver.hpp"
#include "tamis/io/contact_file.hpp"
#include "tamis/io/fclib.hpp"
#include "tamis/io/file.hpp"
#include "tamis/io/hdf5_file.hpp"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace tamis::test::fclib_test {

namespace {

// W = H H^T of contacts along a chain, not symmetric to the last digit, with zeros of both signs.
LocalProblem chain(int contacts)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<double> number(-1, 1);
    LocalProblem p;
    for (int a = 0; a < contacts; ++a) {
        for (int b = std::max(a - 1, 0); b <= std::min(a + 1, contacts - 1); ++b) {
            Eigen::Matrix3d W = 0.1 * Eigen::Matrix3d::NullaryExpr([&] { return number(random); });
            if (a == b) W += Eigen::Matrix3d::Identity();
            W(1, 2) = b > a ? -0.0 : 0.0;
            p.column.push_back(b);
            p.block.push_back(W);
        }
        p.row.push_back(static_cast<int>(p.column.size()));
        p.mu.push_back(std::abs(number(random)));
    }
    p.q = Eigen::VectorXd::NullaryExpr(3 * contacts, [&] { return number(random); });
    p.r = Eigen::VectorXd::NullaryExpr(3 * contacts, [&] { return number(random); });
    return p;
}

std::vector<std::uint64_t> bits(const LocalProblem& p)
{
    std::vector<std::uint64_t> out;
    const auto add = [&](const double* x, std::ptrdiff_t n) {
        for (std::ptrdiff_t k = 0; k < n; ++k) out.push_back(std::bit_cast<std::uint64_t>(x[k]));
    };
    for (const auto& W : p.block) add(W.data(), 9);
    add(p.q.data(), p.q.size());
    add(p.mu.data(), static_cast<std::ptrdiff_t>(p.mu.size()));
    add(p.r.data(), p.r.size());
    return out;
}

void expect_equal(const LocalProblem& a, const LocalProblem& b)
{
    EXPECT_EQ(a.row, b.row);
    EXPECT_EQ(a.column, b.column);
    EXPECT_EQ(bits(a), bits(b));
}

constexpr SparseStorage storages[] = {SparseStorage::compressed_rows, SparseStorage::compressed_columns,
                                      SparseStorage::triplets};

} // namespace

TEST(Fclib, ProblemsSurviveBitByBitInEveryStorage)
{
    ScratchFolder folder;
    for (const int contacts : {0, 1, 2, 200})
        for (const SparseStorage storage : storages)
            for (const bool solved : {false, true}) {
                const LocalProblem problem = chain(contacts);
                write_fclib(folder / "p.hdf5", problem, solved, storage);
                expect_equal(read_fclib(folder / "p.hdf5"), problem);
                const Hdf5 file = read_hdf5(folder / "p.hdf5");
                EXPECT_EQ(file.has_group("solution"), solved && contacts > 0);
                EXPECT_EQ(file.has_group("guesses"), !solved && contacts > 0);
            }
}

// What fclib.h reads: one-element integers, the sizes of the lists, u = W r + q.
TEST(Fclib, FileHasTheLayoutOfTheLibrary)
{
    ScratchFolder folder;
    const LocalProblem problem = chain(4);
    const std::int32_t entries = 9 * static_cast<std::int32_t>(problem.block.size());
    for (const SparseStorage storage : storages) {
        write_fclib(folder / "p.hdf5", problem, true, storage);
        const Hdf5 file = read_hdf5(folder / "p.hdf5");
        const auto number = [&](const std::string& name) {
            const auto& values = file.array<std::int32_t>("fclib_local/" + name);
            EXPECT_EQ(values.size(), 1u) << name;
            return values.at(0);
        };
        EXPECT_EQ(number("spacedim"), 3);
        EXPECT_EQ(number("W/m"), 12);
        EXPECT_EQ(number("W/n"), 12);
        EXPECT_EQ(number("W/nzmax"), entries);
        const bool triplets = storage == SparseStorage::triplets;
        EXPECT_EQ(number("W/nz"), triplets ? entries : storage == SparseStorage::compressed_rows ? -2 : -1);
        const auto &p = file.array<std::int32_t>("fclib_local/W/p"),
                   &i = file.array<std::int32_t>("fclib_local/W/i");
        const auto& x = file.array<double>("fclib_local/W/x");
        EXPECT_EQ(p.size(), triplets ? static_cast<std::size_t>(entries) : 13u);
        EXPECT_EQ(i.size(), static_cast<std::size_t>(entries));
        EXPECT_EQ(x.size(), static_cast<std::size_t>(entries));
        // W times r by the lists alone.
        Eigen::VectorXd u = problem.q;
        for (int k = 0, outer = 0; k < entries; ++k) {
            while (!triplets && p[outer + 1] <= k) ++outer;
            if (triplets)
                u[i[k]] += x[k] * problem.r[p[k]];
            else if (storage == SparseStorage::compressed_rows)
                u[outer] += x[k] * problem.r[i[k]];
            else
                u[i[k]] += x[k] * problem.r[outer];
        }
        const auto& stored = file.array<double>("solution/u");
        for (int k = 0; k < 12; ++k) EXPECT_NEAR(u[k], stored[k], 1e-14);
        EXPECT_EQ(file.array<double>("fclib_local/vectors/q").size(), 12u);
        EXPECT_EQ(file.array<double>("fclib_local/vectors/mu").size(), 4u);
    }
}

TEST(Fclib, EntriesMayBeSparseWithinABlockUnsortedAndTwice)
{
    ScratchFolder folder;
    write_fclib(folder / "p.hdf5", chain(2), true, SparseStorage::triplets);
    Hdf5 file = read_hdf5(folder / "p.hdf5");
    file.datasets["fclib_local/W/nz"] = {std::vector<std::int32_t>{4}};
    file.datasets["fclib_local/W/nzmax"] = {std::vector<std::int32_t>{6}};
    file.datasets["fclib_local/W/i"] = {std::vector<std::int64_t>{5, 0, 5, 4}};
    file.datasets["fclib_local/W/p"] = {std::vector<std::int64_t>{3, 0, 3, 4}};
    file.datasets["fclib_local/W/x"] = {std::vector<double>{0.25, 2, 0.5, 3, 0, 0}};
    write_hdf5(folder / "p.hdf5", file);
    const LocalProblem problem = read_fclib(folder / "p.hdf5");
    EXPECT_EQ(problem.row, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(problem.column, (std::vector<int>{0, 1}));
    Eigen::Matrix3d first = Eigen::Matrix3d::Zero(), second = first;
    first(0, 0) = 2;
    second(2, 0) = 0.75;
    second(1, 1) = 3;
    EXPECT_EQ(problem.block[0], first);
    EXPECT_EQ(problem.block[1], second);
}

TEST(Fclib, UnusableProblemsAreRefusedWithAReason)
{
    ScratchFolder folder;
    write_fclib(folder / "p.hdf5", chain(3), true, SparseStorage::compressed_columns);
    const Hdf5 whole = read_hdf5(folder / "p.hdf5");
    const auto refused = [&](const std::string& reason, auto&& change) {
        Hdf5 file = whole;
        change(file.datasets);
        write_hdf5(folder / "bad.hdf5", file);
        const std::string message = error_of([&] { read_fclib(folder / "bad.hdf5"); });
        EXPECT_TRUE(contains(message, "bad.hdf5") && contains(message, reason)) << reason << ": " << message;
    };
    using Integers = std::vector<std::int32_t>;
    using Numbers = std::vector<double>;
    const auto numbers = [](auto& data, const char* name) -> Numbers& {
        return std::get<Numbers>(data[name].values);
    };
    const auto integers = [](auto& data, const char* name) -> Integers& {
        return std::get<Integers>(data[name].values);
    };
    refused("2 dimensions", [](auto& data) { data["fclib_local/spacedim"] = {Integers{2}}; });
    refused("V, R", [](auto& data) { data["fclib_local/V/m"] = {Integers{1}}; });
    refused("fclib_local/W/x", [](auto& data) { data.erase("fclib_local/W/x"); });
    refused("fclib_local/vectors/mu", [](auto& data) { data.erase("fclib_local/vectors/mu"); });
    refused("not square", [](auto& data) { data["fclib_local/W/m"] = {Integers{6}}; });
    refused("storage", [](auto& data) { data["fclib_local/W/nz"] = {Integers{-3}}; });
    refused("shorter", [](auto& data) { data["fclib_local/W/nz"] = {Integers{1000}}; });
    refused("shorter", [&](auto& data) { numbers(data, "fclib_local/W/x").pop_back(); });
    refused("ascend", [&](auto& data) { integers(data, "fclib_local/W/p")[2] = 1 << 30; });
    refused("ascend", [&](auto& data) { integers(data, "fclib_local/W/p")[0] = -1; });
    refused("outside", [&](auto& data) { integers(data, "fclib_local/W/i")[4] = 9; });
    refused("outside", [&](auto& data) { integers(data, "fclib_local/W/i")[4] = -1; });
    refused("not finite", [&](auto& data) { numbers(data, "fclib_local/W/x")[1] = std::nan(""); });
    refused("not finite", [&](auto& data) { numbers(data, "fclib_local/vectors/q")[1] = HUGE_VAL; });
    refused("instead of", [&](auto& data) { numbers(data, "fclib_local/vectors/mu").push_back(0); });
    refused("negative", [&](auto& data) { numbers(data, "fclib_local/vectors/mu")[2] = -0.1; });
    refused("global form", [](auto& data) {
        data.clear();
        data["fclib_global/spacedim"] = {Integers{3}};
    });
    refused("no group", [](auto& data) { data.clear(); });
}

TEST(Fclib, ComplianceIsRefusedByName)
{
    ScratchFolder folder;
    LocalProblem problem = chain(3);
    problem.R.assign(3, Eigen::Vector2d::Zero());
    write_fclib(folder / "rigid.hdf5", problem, false);
    problem.R[1][1] = 1e-9;
    const std::string error = error_of([&] { write_fclib(folder / "soft.hdf5", problem, false); });
    EXPECT_TRUE(contains(error, "soft.hdf5") && contains(error, "the compliance of contact 1")) << error;
    EXPECT_FALSE(std::filesystem::exists(folder / "soft.hdf5"));
}

TEST(Fclib, TextAndHdf5AreToldApartByContent)
{
    ScratchFolder folder;
    const LocalProblem problem = chain(5);
    write_file(folder / "a", to_text(problem));
    write_fclib(folder / "b", read_contact_problem(folder / "a"), false);
    write_file(folder / "c", to_text(read_contact_problem(folder / "b")));
    EXPECT_EQ(text_of(folder / "a"), text_of(folder / "c"));
    EXPECT_TRUE(contains(error_of([&] { read_contact_problem(folder / "none"); }), "none"));
}

// A block of weight 1 on a plane, W = I: pushed down by 2 it holds r_n = 2; half of that leaves u_n = -1.
TEST(LocalResidual, MeasuresOneContactInClosedForm)
{
    LocalProblem p;
    p.row = {0, 1};
    p.column = {0};
    p.block = {Eigen::Matrix3d::Identity()};
    p.mu = {0.5};
    p.q = Eigen::Vector3d(-2, 0, 0);
    p.r = Eigen::Vector3d(2, 0, 0);
    Residual r = residual(p);
    EXPECT_EQ(r.natural_max, 0);
    EXPECT_EQ(r.natural_rms, 0);
    EXPECT_EQ(r.approach, 0);
    p.r *= 0.5; // r - P(r - u) = -1, over the rms impulse 1
    r = residual(p);
    EXPECT_DOUBLE_EQ(r.natural_max, 1);
    EXPECT_DOUBLE_EQ(r.natural_rms, 1);
    EXPECT_DOUBLE_EQ(r.approach, 1);
    // rho = 3 / tr W makes it blind to the unit of mass.
    p.block[0] *= 1e-3;
    p.q *= 1e-3;
    r = residual(p);
    EXPECT_NEAR(r.natural_max, 1, 1e-15);
    EXPECT_DOUBLE_EQ(r.approach, 1e-3);
    p.q.setZero();
    p.r.setZero();
    EXPECT_EQ(residual(p).natural_max, 0);
}

} // namespace tamis::test::fclib_test
