// The local problem of FCLIB (Acary et al. 2014), as its header fclib.h reads and writes it:
//
//     fclib_local/spacedim                     3
//     fclib_local/W/nzmax, m, n, nz, p, i, x   sparse, as in CSparse: nz = -1 compressed columns, nz = -2
//                                              compressed rows, nz >= 0 triplets (p: columns, i: rows)
//     fclib_local/vectors/q, mu
//     solution/u, r                            guesses/number_of_guesses and guesses/1/u, r alike
//
// Departures: the header calls p the rows of triplets, while programs that use it hand over CSparse's
// matrices, whose p are the columns; for a symmetric W both are the same. All nine numbers of a block are
// stored, zeros too, so that blocks are the same after reading.
#include "tamis/io/fclib.hpp"

#include "tamis/base/error.hpp"
#include "tamis/io/contact_file.hpp"
#include "tamis/io/hdf5_file.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <tuple>

namespace tamis {

namespace {

struct Entry {
    std::int32_t row, column;
    double x;
};

[[noreturn]] void wrong(const Hdf5& file, const std::string& reason)
{
    fail("'{}' is not a local contact problem that can be used: {}.", file.name, reason);
}

std::int64_t integer(const Hdf5& file, const std::string& dataset)
{
    const auto values = file.integers(dataset);
    if (values.size() != 1) wrong(file, fmt::format("'{}' is not one number", dataset));
    return values.front();
}

const std::vector<double>& vector(const Hdf5& file, const std::string& dataset, std::size_t size)
{
    const std::vector<double>& values = file.array<double>(dataset);
    if (values.size() != size)
        wrong(file, fmt::format("'{}' has {} numbers instead of {}", dataset, values.size(), size));
    if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
        wrong(file, fmt::format("'{}' has a number that is not finite", dataset));
    return values;
}

// Entries of W in the order of the file.
std::vector<Entry> entries(const Hdf5& file)
{
    const std::string W = "fclib_local/W/";
    const std::int64_t m = integer(file, W + "m"), n = integer(file, W + "n"), nz = integer(file, W + "nz");
    if (m != n || m < 0 || m % 3 != 0 || m > std::numeric_limits<std::int32_t>::max())
        wrong(file, fmt::format("W is {} x {}, not square with three rows for each contact", m, n));
    if (nz < -2) wrong(file, fmt::format("nz of W is {}, an unknown kind of storage", nz));
    const auto p = file.integers(W + "p"), i = file.integers(W + "i");
    const std::vector<double>& x = file.array<double>(W + "x");
    const auto length = [&](std::int64_t used, const auto&... lists) {
        if (used < 0 || ((static_cast<std::int64_t>(lists.size()) < used) || ...))
            wrong(file, "lists of W are shorter than its storage says");
    };
    std::vector<Entry> result;
    const auto add = [&](std::int64_t row, std::int64_t column, double value) {
        if (row < 0 || row >= m || column < 0 || column >= m)
            wrong(file, fmt::format("W has an entry ({}, {}) outside its {} rows", row, column, m));
        if (!std::isfinite(value)) wrong(file, fmt::format("entry ({}, {}) of W is not finite", row, column));
        result.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(column), value});
    };
    if (nz >= 0) {
        length(nz, p, i, x);
        for (std::int64_t k = 0; k < nz; ++k) add(i[k], p[k], x[k]);
        return result;
    }
    length(m + 1, p);
    for (std::int64_t k = 0; k < m; ++k)
        if (p[k] < 0 || p[k] > p[k + 1]) wrong(file, "p of W does not ascend");
    length(p[m], i, x);
    for (std::int64_t outer = 0; outer < m; ++outer)
        for (std::int64_t k = p[outer]; k < p[outer + 1]; ++k)
            nz == -1 ? add(i[k], outer, x[k]) : add(outer, i[k], x[k]);
    return result;
}

// Blocks with any entry; entries given twice add up, as in CSparse.
void set_blocks(LocalProblem& problem, std::vector<Entry> W)
{
    const auto block = [](const Entry& e) { return std::pair(e.row / 3, e.column / 3); };
    const auto place = [&](const Entry& e) { return std::tuple(block(e), e.row, e.column); };
    std::stable_sort(W.begin(), W.end(), [&](const Entry& a, const Entry& b) { return place(a) < place(b); });
    problem.row.assign(problem.contacts() + 1, 0);
    for (std::size_t k = 0; k < W.size(); ++k) {
        const Entry& e = W[k];
        if (k == 0 || block(W[k - 1]) != block(e)) {
            problem.column.push_back(e.column / 3);
            problem.block.emplace_back(Eigen::Matrix3d::Zero());
            ++problem.row[e.row / 3 + 1];
        }
        double& w = problem.block.back()(e.row % 3, e.column % 3);
        w = k > 0 && place(W[k - 1]) == place(e) ? w + e.x : e.x;
    }
    for (int a = 0; a < problem.contacts(); ++a) problem.row[a + 1] += problem.row[a];
}

std::vector<double> list(const Eigen::VectorXd& x)
{
    return {x.data(), x.data() + x.size()};
}

} // namespace

void write_fclib(const std::filesystem::path& path, const LocalProblem& problem, bool solved,
                 SparseStorage storage)
{
    const auto yields = [](const Eigen::Vector2d& R) { return !R.isZero(0); };
    if (const auto found = std::find_if(problem.R.begin(), problem.R.end(), yields); found != problem.R.end())
        fail("Cannot write '{}': this layout has no place for the compliance of contact {}; use a text file.",
             path.string(), found - problem.R.begin());
    const std::size_t n = 3 * static_cast<std::size_t>(problem.contacts());
    if (9 * problem.block.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        fail("Cannot write '{}': the {} blocks of W are too many for the integers of this layout; use a text "
             "file.",
             path.string(), problem.block.size());
    std::vector<Entry> W;
    W.reserve(9 * problem.block.size());
    for (int a = 0; a < problem.contacts(); ++a)
        for (int i = 0; i < 3; ++i)
            for (int k = problem.row[a]; k < problem.row[a + 1]; ++k)
                for (int j = 0; j < 3; ++j)
                    W.push_back({3 * a + i, 3 * problem.column[k] + j, problem.block[k](i, j)});
    if (storage == SparseStorage::compressed_columns)
        std::stable_sort(W.begin(), W.end(),
                         [](const Entry& a, const Entry& b) { return a.column < b.column; });

    const auto count = static_cast<std::int32_t>(W.size()), size = static_cast<std::int32_t>(n);
    std::vector<std::int32_t> p, i;
    std::vector<double> x;
    for (const Entry& e : W) {
        i.push_back(storage == SparseStorage::compressed_rows ? e.column : e.row);
        x.push_back(e.x);
    }
    if (storage == SparseStorage::triplets) {
        for (const Entry& e : W) p.push_back(e.column);
    } else {
        p.assign(n + 1, 0);
        for (const Entry& e : W)
            ++p[static_cast<std::size_t>(storage == SparseStorage::compressed_rows ? e.row : e.column) + 1];
        for (std::size_t k = 0; k < n; ++k) p[k + 1] += p[k];
    }

    Hdf5 file;
    const auto number = [](std::int32_t value) { return Hdf5::Dataset{std::vector{value}}; };
    auto& data = file.datasets;
    data["fclib_local/spacedim"] = number(3);
    data["fclib_local/W/nzmax"] = number(count);
    data["fclib_local/W/m"] = number(size);
    data["fclib_local/W/n"] = number(size);
    data["fclib_local/W/nz"] = number(storage == SparseStorage::triplets          ? count
                                      : storage == SparseStorage::compressed_rows ? -2
                                                                                  : -1);
    data["fclib_local/W/p"] = {std::move(p)};
    data["fclib_local/W/i"] = {std::move(i)};
    data["fclib_local/W/x"] = {std::move(x)};
    data["fclib_local/vectors/q"] = {list(problem.q)};
    data["fclib_local/vectors/mu"] = {problem.mu};
    if (n > 0) {
        const std::string where = solved ? "solution/" : "guesses/1/";
        data[where + "u"] = {list(problem.velocity(problem.r))};
        data[where + "r"] = {list(problem.r)};
        if (!solved) data["guesses/number_of_guesses"] = number(1);
    }
    write_hdf5(path, file);
}

LocalProblem read_fclib(const std::filesystem::path& path)
{
    const Hdf5 file = read_hdf5(path);
    if (!file.has_group("fclib_local"))
        wrong(file, file.has_group("fclib_global") ? "it is in global form, only the local form is read"
                                                   : "it has no group 'fclib_local'");
    const std::int64_t dimension = integer(file, "fclib_local/spacedim");
    if (dimension != 3)
        wrong(file, fmt::format("it has {} dimensions, only problems of 3 are read", dimension));
    if (file.has_group("fclib_local/V") || file.has_group("fclib_local/R"))
        wrong(file, "it has equality constraints (V, R), which must be eliminated first");

    const std::vector<Entry> W = entries(file);
    const auto n = static_cast<std::size_t>(integer(file, "fclib_local/W/m"));
    LocalProblem problem;
    const auto map = [](const std::vector<double>& x) {
        return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
    };
    problem.q = map(vector(file, "fclib_local/vectors/q", n));
    problem.mu = vector(file, "fclib_local/vectors/mu", n / 3);
    for (std::size_t a = 0; a < problem.mu.size(); ++a)
        if (problem.mu[a] < 0) wrong(file, fmt::format("the friction of contact {} is negative", a));
    set_blocks(problem, W);
    problem.r = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n));
    for (const char* r : {"guesses/1/r", "solution/r"})
        if (file.datasets.contains(r)) problem.r = map(vector(file, r, n));
    return problem;
}

LocalProblem read_contact_problem(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string begin(8, '\0');
    file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    return is_hdf5(begin) ? read_fclib(path) : read_local_problem(path);
}

} // namespace tamis
