// The text layouts `fc3d 1` and `fc3d 2` of a contact problem; docs/contact.md describes them.
#include "tamis/io/contact_file.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

std::string to_text(const LocalProblem& problem)
{
    std::string text = fmt::format("fc3d {}\nnc {}\nnblocks {}\n", problem.R.empty() ? 1 : 2,
                                   problem.contacts(), problem.block.size());
    const auto out = std::back_inserter(text);
    for (int a = 0; a < problem.contacts(); ++a)
        for (int k = problem.row[a]; k < problem.row[a + 1]; ++k) {
            fmt::format_to(out, "B {} {}", a, problem.column[k]);
            for (int i = 0; i < 9; ++i) fmt::format_to(out, " {}", problem.block[k](i / 3, i % 3));
            text += '\n';
        }
    const auto triples = [&](const char* key, const VectorXd& x) {
        for (int a = 0; a < problem.contacts(); ++a)
            fmt::format_to(out, "{} {} {} {} {}\n", key, a, x[3 * a], x[3 * a + 1], x[3 * a + 2]);
    };
    triples("q", problem.q);
    for (int a = 0; a < problem.contacts(); ++a) fmt::format_to(out, "mu {} {}\n", a, problem.mu[a]);
    for (std::size_t a = 0; a < problem.R.size(); ++a)
        fmt::format_to(out, "R {} {} {}\n", a, problem.R[a][0], problem.R[a][1]);
    triples("r", problem.r);
    return text;
}

namespace {

// One line after the other, split into words; blank lines and comments are passed over.
class Lines {
  public:
    Lines(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

    bool next()
    {
        while (!rest_.empty()) {
            const std::size_t end = std::min(rest_.find('\n'), rest_.size());
            line_ = rest_.substr(0, end);
            line_ = line_.substr(0, line_.find('#'));
            rest_.remove_prefix(std::min(end + 1, rest_.size()));
            ++number_;
            key_ = word();
            if (!key_.empty()) return true;
        }
        return false;
    }
    std::string_view key() const { return key_; }

    template <class T>
    T value(const char* what)
    {
        const std::string_view token = word();
        T x{};
        const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), x);
        if (token.empty() || error != std::errc() || end != token.data() + token.size() || !finite(x))
            wrong(fmt::format("'{}' needs {}, not '{}'", key_, what, token));
        return x;
    }
    int index(int contacts)
    {
        const int a = value<int>("the number of a contact");
        if (a < 0 || a >= contacts) wrong(fmt::format("there is no contact {} among {}", a, contacts));
        return a;
    }
    Vector3d triple()
    {
        Vector3d x;
        for (double& component : x) component = value<double>("three numbers");
        return x;
    }
    void end()
    {
        const std::string_view token = word();
        if (!token.empty()) wrong(fmt::format("'{}' is one word too many", token));
    }
    [[noreturn]] void wrong(const std::string& reason) const { fail("{}:{}: {}.", name_, number_, reason); }

  private:
    static bool finite(double x) { return std::isfinite(x); }

    std::string_view word()
    {
        constexpr std::string_view space = " \t\r";
        line_.remove_prefix(std::min(line_.find_first_not_of(space), line_.size()));
        const std::string_view token = line_.substr(0, line_.find_first_of(space));
        line_.remove_prefix(token.size());
        return token;
    }

    std::string_view rest_, line_, key_;
    const std::string& name_;
    int number_ = 0;
};

} // namespace

LocalProblem parse_local_problem(std::string_view text, const std::string& name)
{
    Lines lines(text, name);
    const auto header = [&](std::string_view key, const char* what) {
        if (!lines.next() || lines.key() != key) lines.wrong(fmt::format("'{}' is expected here", key));
        const int x = lines.value<int>(what);
        lines.end();
        return x;
    };
    const int version = header("fc3d", "a version");
    if (version != 1 && version != 2) lines.wrong("only versions 1 and 2 of the layout are known");
    const int n = header("nc", "a number of contacts");
    // Each contact takes a line: a larger number is a mistake that would only exhaust the memory.
    if (n < 0 || static_cast<std::size_t>(n) > text.size())
        lines.wrong(fmt::format("the file does not hold {} contacts", n));
    const int blocks = header("nblocks", "a number of blocks");

    LocalProblem problem;
    problem.q = VectorXd::Zero(3 * n);
    problem.r = VectorXd::Zero(3 * n);
    problem.mu.assign(n, 0);
    if (version == 2) problem.R.assign(n, Eigen::Vector2d::Zero());
    struct Entry {
        int row, column;
        Matrix3d W;
    };
    std::vector<Entry> entries;
    std::vector<std::array<bool, 4>> seen(n); // q, mu, r, R of a contact
    const auto first = [&](int a, int quantity) {
        if (seen[a][quantity]) lines.wrong(fmt::format("'{}' of contact {} is given twice", lines.key(), a));
        seen[a][quantity] = true;
    };
    while (lines.next()) {
        const std::string_view key = lines.key();
        if (key == "R" && version < 2) lines.wrong("compliance R needs version 2 of the layout");
        if (key != "B" && key != "q" && key != "mu" && key != "R" && key != "r")
            lines.wrong(fmt::format("'{}' is none of B, q, mu, R, r", key));
        const int a = lines.index(n);
        if (key == "B") {
            Entry entry{a, lines.index(n), {}};
            for (int i = 0; i < 9; ++i) entry.W(i / 3, i % 3) = lines.value<double>("nine numbers");
            entries.push_back(entry);
        } else if (key == "mu") {
            first(a, 1);
            problem.mu[a] = lines.value<double>("a number");
            if (problem.mu[a] < 0) lines.wrong(fmt::format("the friction of contact {} is negative", a));
        } else if (key == "R") {
            first(a, 3);
            for (double& R : problem.R[a]) {
                R = lines.value<double>("two numbers");
                if (R < 0) lines.wrong(fmt::format("the compliance of contact {} is negative", a));
            }
        } else {
            first(a, key == "q" ? 0 : 2);
            (key == "q" ? problem.q : problem.r).segment<3>(3 * a) = lines.triple();
        }
        lines.end();
    }

    for (int a = 0; a < n; ++a)
        for (int quantity = 0; quantity < 2; ++quantity)
            if (!seen[a][quantity])
                lines.wrong(
                    fmt::format("the file ends without '{}' of contact {}", quantity ? "mu" : "q", a));
    if (entries.size() != static_cast<std::size_t>(std::max(blocks, 0)))
        lines.wrong(fmt::format("the file ends with {} blocks of the {} announced", entries.size(), blocks));
    const auto place = [](const Entry& e) { return std::pair(e.row, e.column); };
    std::stable_sort(entries.begin(), entries.end(),
                     [&](const Entry& x, const Entry& y) { return place(x) < place(y); });
    problem.row.assign(n + 1, 0);
    for (std::size_t k = 0; k < entries.size(); ++k) {
        const Entry& e = entries[k];
        if (k > 0 && place(entries[k - 1]) == place(e))
            lines.wrong(fmt::format("block {} {} is given twice", e.row, e.column));
        problem.column.push_back(e.column);
        problem.block.push_back(e.W);
        problem.row[e.row + 1] = static_cast<int>(k) + 1;
    }
    for (int a = 0; a < n; ++a) problem.row[a + 1] = std::max(problem.row[a + 1], problem.row[a]);
    return problem;
}

LocalProblem read_local_problem(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    if (!std::filesystem::is_regular_file(file) || !in) fail("Cannot read '{}'.", file.string());
    text << in.rdbuf();
    return parse_local_problem(text.str(), file.string());
}

} // namespace tamis
