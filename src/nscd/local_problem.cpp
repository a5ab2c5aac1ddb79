// The local form of a contact problem and its text layout,
//
//     W_ab = sum over sides of a and b on the same block of H_a Y_b^T,   q_a = H_a v_free + drift + shift n
//
// The relative natural map is the error measure of the FCLIB collection (Acary et al. 2014), with rho = 1.
// Departure: a frictionless contact keeps its three rows, the tangential ones empty.
#include "nscd/local_problem.hpp"

#include "error.hpp"
#include "nscd/contact_law.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

Vector3d LocalProblem::velocity(int contact, const VectorXd& impulses) const
{
    Vector3d u = q.segment<3>(3 * contact);
    for (int k = row[contact]; k < row[contact + 1]; ++k) u += block[k] * impulses.segment<3>(3 * column[k]);
    return u;
}

VectorXd LocalProblem::velocity(const VectorXd& impulses) const
{
    VectorXd u(q.size());
    for (int a = 0; a < contacts(); ++a) u.segment<3>(3 * a) = velocity(a, impulses);
    return u;
}

Matrix3d LocalProblem::diagonal(int contact) const
{
    const auto begin = column.begin() + row[contact], end = column.begin() + row[contact + 1];
    const auto found = std::lower_bound(begin, end, contact);
    if (found == end || *found != contact) return Matrix3d::Zero();
    return block[static_cast<std::size_t>(found - column.begin())];
}

double relative_natural_map(const LocalProblem& problem, const VectorXd& r)
{
    const VectorXd u = problem.velocity(r);
    double sum = 0;
    for (int a = 0; a < problem.contacts(); ++a) {
        const Vector3d r_a = r.segment<3>(3 * a);
        sum += (r_a - project_contact(r_a, u.segment<3>(3 * a), problem.mu[a], 1)).squaredNorm();
    }
    const double scale = std::max({problem.q.norm(), r.norm(), u.norm()});
    return scale == 0 ? 0 : std::sqrt(sum) / scale;
}

Residual residual(const LocalProblem& problem)
{
    Residual result;
    const VectorXd u = problem.velocity(problem.r);
    double sum_natural = 0, sum_velocity = 0;
    for (int a = 0; a < problem.contacts(); ++a) {
        const Vector3d r_a = problem.r.segment<3>(3 * a), u_a = u.segment<3>(3 * a);
        const double trace = problem.diagonal(a).trace(), rho = trace > 0 ? 3 / trace : 0;
        const double natural = (r_a - project_contact(r_a, u_a, problem.mu[a], rho)).norm();
        result.natural_max = std::max(result.natural_max, natural);
        result.approach = std::max(result.approach, -u_a[0]);
        sum_natural += natural * natural;
        sum_velocity += rho * rho * u_a.squaredNorm();
    }
    // Without impulses the free velocities give the scale.
    const double impulses = problem.r.norm(), scale = impulses > 0 ? impulses : std::sqrt(sum_velocity);
    if (scale == 0) return {.approach = result.approach};
    result.natural_rms = std::sqrt(sum_natural) / scale;
    result.natural_max *= std::sqrt(static_cast<double>(problem.contacts())) / scale;
    return result;
}

LocalProblem local_form(const ContactProblem& problem)
{
    const auto& contacts = problem.contacts;
    const int n = static_cast<int>(contacts.size());
    LocalProblem local;
    local.q = VectorXd::Zero(3 * n);
    local.r = VectorXd::Zero(3 * n);
    local.mu.resize(n);

    std::vector<std::vector<int>> touching(problem.blocks()); // contacts of each block, ascending
    for (int a = 0; a < n; ++a)
        for (const Contact::Side& s : contacts[a].side)
            if (s.block >= 0 && (touching[s.block].empty() || touching[s.block].back() != a))
                touching[s.block].push_back(a);

    ContactProblem free = problem;
    free.v = problem.v_free;
    std::vector<int> neighbours;
    for (int a = 0; a < n; ++a) {
        const Contact& contact = contacts[a];
        if (contact.law == Law::bilateral)
            fail("Contact {} is bilateral: the local form holds unilateral contacts only.", a);
        local.mu[a] = contact.friction;
        const int m = contact.active_rows();
        for (int i = 0; i < m; ++i) {
            local.q[3 * a + i] = free.relative_velocity(contact, i) + (i == 0 ? contact.shift : 0);
            local.r[3 * a + i] = contact.r[i];
        }
        neighbours.assign(1, a);
        for (const Contact::Side& s : contact.side)
            if (s.block >= 0)
                neighbours.insert(neighbours.end(), touching[s.block].begin(), touching[s.block].end());
        std::sort(neighbours.begin(), neighbours.end());
        neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
        for (const int b : neighbours) {
            Matrix3d W = Matrix3d::Zero();
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < contacts[b].active_rows(); ++j)
                    W(i, j) = problem.delassus(contact, i, contacts[b], j);
            local.column.push_back(b);
            local.block.push_back(W);
        }
        local.row.push_back(static_cast<int>(local.column.size()));
    }
    return local;
}

std::string to_text(const LocalProblem& problem)
{
    std::string text = fmt::format("fc3d 1\nnc {}\nnblocks {}\n", problem.contacts(), problem.block.size());
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
    if (header("fc3d", "a version") != 1) lines.wrong("only version 1 of the layout is known");
    const int n = header("nc", "a number of contacts");
    // Each contact takes a line: a larger number is a mistake that would only exhaust the memory.
    if (n < 0 || static_cast<std::size_t>(n) > text.size())
        lines.wrong(fmt::format("the file does not hold {} contacts", n));
    const int blocks = header("nblocks", "a number of blocks");

    LocalProblem problem;
    problem.q = VectorXd::Zero(3 * n);
    problem.r = VectorXd::Zero(3 * n);
    problem.mu.assign(n, 0);
    struct Entry {
        int row, column;
        Matrix3d W;
    };
    std::vector<Entry> entries;
    std::vector<std::array<bool, 3>> seen(n); // q, mu, r of a contact
    const auto first = [&](int a, int quantity) {
        if (seen[a][quantity]) lines.wrong(fmt::format("'{}' of contact {} is given twice", lines.key(), a));
        seen[a][quantity] = true;
    };
    while (lines.next()) {
        const std::string_view key = lines.key();
        if (key != "B" && key != "q" && key != "mu" && key != "r")
            lines.wrong(fmt::format("'{}' is none of B, q, mu, r", key));
        const int a = lines.index(n);
        if (key == "B") {
            Entry entry{a, lines.index(n), {}};
            for (int i = 0; i < 9; ++i) entry.W(i / 3, i % 3) = lines.value<double>("nine numbers");
            entries.push_back(entry);
        } else if (key == "mu") {
            first(a, 1);
            problem.mu[a] = lines.value<double>("a number");
            if (problem.mu[a] < 0) lines.wrong(fmt::format("the friction of contact {} is negative", a));
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
