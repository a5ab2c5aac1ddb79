// Coordinate partitioning; see partition.hpp. Source: Wehage and Haug (1982) as
// used by Docquier et al. (2020).
#include "tamis/model/partition.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamis {

namespace {
// A chosen partition is replaced when a dependent velocity exceeds this multiple of an independent one.
constexpr double replace_ratio = 20;
constexpr double rank_threshold = 1e-9; // of pivots, relative to the largest
// A named partition is refused when that multiple also grows so much within a step: a dead point lies ahead,
// where the step would lose the energy of the dependent coordinates.
constexpr double singular_growth = 1.2;
constexpr int max_iterations = 25;

// The first `count` rows in the pivoting order of a factorisation.
std::vector<int> leading_rows(const Eigen::FullPivLU<Eigen::MatrixXd>& lu, int count)
{
    const Eigen::PermutationMatrix<Eigen::Dynamic> order = lu.permutationP().inverse();
    std::vector<int> rows(order.indices().data(), order.indices().data() + count);
    std::sort(rows.begin(), rows.end());
    return rows;
}
} // namespace

Partition::Partition(Multibody& body, const std::vector<int>& named, const std::vector<int>& driven,
                     const double* q)
    : c(driven), body_(body), named_(!named.empty())
{
    std::sort(c.begin(), c.end());
    for (int j = 0; j < body.nv; ++j)
        if (!std::binary_search(c.begin(), c.end(), j)) free_.push_back(j);
    delta_ = Eigen::VectorXd::Zero(body.nv);
    q_try_ = Eigen::VectorXd::Zero(body.nq);
    if (body.rows > 0) body.loops(q);
    for (int j : named)
        if (std::binary_search(c.begin(), c.end(), j))
            fail("Coordinate '{}' is driven and cannot be independent: leave it out of the independent "
                 "coordinates.",
                 body.mechanism.coordinate_name(j));
    u = named;
    choose(false);
}

void Partition::choose(bool only_if_better)
{
    const Mechanism& m = body_.mechanism;
    const int n_free = static_cast<int>(free_.size());
    const Sets old = sets();
    const std::string old_redundant = redundant_;
    const double before = only_if_better ? worst_ratio() : 0;

    Eigen::MatrixXd scaled(body_.rows, n_free);
    for (int k = 0; k < n_free; ++k)
        scaled.col(k) = body_.J.col(free_[k]) / (body_.turns(free_[k]) ? body_.length_scale : 1.0);
    Eigen::FullPivLU<Eigen::MatrixXd> all(body_.rows > 0 && n_free > 0 ? scaled
                                                                       : Eigen::MatrixXd::Zero(1, 1));
    all.setThreshold(rank_threshold);
    const int rank = body_.rows > 0 && n_free > 0 ? static_cast<int>(all.rank()) : 0;
    const int dof = n_free - rank;

    v.clear();
    loop_rows.clear();
    if (named_) {
        if (dof == 0) fail("Mechanism '{}' is fully driven: name no independent coordinates.", m.name());
        if (static_cast<int>(u.size()) != dof)
            fail("Mechanism '{}' has {} degrees of freedom, but {} independent coordinates are named: name "
                 "{} of them, or none to have them chosen.",
                 m.name(), dof, u.size(), dof);
        for (int j : free_)
            if (std::find(u.begin(), u.end(), j) == u.end()) v.push_back(j);
        Eigen::MatrixXd part(body_.rows, v.size());
        for (std::size_t k = 0; k < v.size(); ++k)
            part.col(k) = body_.J.col(v[k]) / (body_.turns(v[k]) ? body_.length_scale : 1.0);
        if (!v.empty()) {
            Eigen::FullPivLU<Eigen::MatrixXd> lu(part);
            lu.setThreshold(rank_threshold);
            if (lu.rank() < static_cast<int>(v.size())) {
                fail("The partition of mechanism '{}' is singular: its loops do not determine the dependent "
                     "coordinates {} here; name other independent coordinates, or none to have them chosen.",
                     m.name(), names(v));
            }
            loop_rows = leading_rows(lu, rank);
        }
    } else {
        u.clear();
        const auto order = all.permutationQ().indices();
        for (int k = 0; k < n_free; ++k) (k < rank ? v : u).push_back(rank > 0 ? free_[order[k]] : free_[k]);
        loop_rows = leading_rows(all, rank);
        std::sort(u.begin(), u.end());
        std::sort(v.begin(), v.end());
    }

    redundant_.clear();
    if (rank < body_.rows) {
        std::string dropped_rows;
        int row = 0;
        for (const LoopSpec& l : m.loops()) {
            int dropped = 0;
            for (int k = 0; k < loop_equations(l.kind); ++k, ++row)
                dropped += !std::binary_search(loop_rows.begin(), loop_rows.end(), row);
            if (dropped > 0)
                dropped_rows +=
                    fmt::format("{}{} of loop '{}'", dropped_rows.empty() ? "" : ", ", dropped, l.name);
        }
        redundant_ = fmt::format("Mechanism '{}': {} of {} loop equations are redundant and left out ({}).",
                                 m.name(), body_.rows - rank, body_.rows, dropped_rows);
    }

    set_up();
    if (!only_if_better) return;
    if (old.v.size() == v.size() && worst_ratio() < before / 2) {
        ++changes_;
        return;
    }
    redundant_ = old_redundant;
    adopt(old);
}

void Partition::adopt(const Sets& sets)
{
    u = sets.u;
    v = sets.v;
    loop_rows = sets.loop_rows;
    last_ratio_ = std::numeric_limits<double>::infinity();
    set_up();
}

std::string Partition::names(const std::vector<int>& velocities) const
{
    std::string out;
    for (int j : velocities) out += (out.empty() ? "'" : ", '") + body_.mechanism.coordinate_name(j) + "'";
    return out;
}

void Partition::set_up()
{
    const int r = static_cast<int>(v.size());
    J_v_.resize(r, r);
    inverse_.resize(r, r);
    rhs_.resize(r);
    if (r > 0) lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(r);
    B = Eigen::MatrixXd::Zero(body_.nv, u.size());
    B_c = Eigen::MatrixXd::Zero(body_.nv, c.size());
    for (std::size_t k = 0; k < u.size(); ++k) B(u[k], k) = 1;
    for (std::size_t k = 0; k < c.size(); ++k) B_c(c[k], k) = 1;
    project();
}

void Partition::invert()
{
    const int r = static_cast<int>(v.size());
    for (int k = 0; k < r; ++k)
        for (int i = 0; i < r; ++i) J_v_(i, k) = body_.J(loop_rows[i], v[k]);
    if (r == 1) {
        inverse_(0, 0) = 1 / J_v_(0, 0);
    } else if (r == 2) {
        const double det = J_v_(0, 0) * J_v_(1, 1) - J_v_(0, 1) * J_v_(1, 0);
        inverse_ << J_v_(1, 1) / det, -J_v_(0, 1) / det, -J_v_(1, 0) / det, J_v_(0, 0) / det;
    } else {
        lu_.compute(J_v_);
        inverse_ = lu_.permutationP(); // as lu_.inverse(), without its temporaries
        lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(inverse_);
        lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(inverse_);
    }
}

void Partition::project()
{
    const int r = static_cast<int>(v.size());
    if (r == 0) return;
    invert();
    auto columns = [&](const std::vector<int>& of, Eigen::MatrixXd& into) {
        for (std::size_t k = 0; k < of.size(); ++k)
            for (int i = 0; i < r; ++i) {
                double sum = 0;
                for (int j = 0; j < r; ++j) sum -= inverse_(i, j) * body_.J(loop_rows[j], of[k]);
                into(v[i], k) = sum;
            }
    };
    columns(u, B);
    columns(c, B_c);
}

// All but the dependent rows of B and B_c are those of an identity.
void Partition::velocities(const double* v_u, const double* v_c, double* all) const
{
    for (std::size_t k = 0; k < u.size(); ++k) all[u[k]] = v_u[k];
    for (std::size_t k = 0; k < c.size(); ++k) all[c[k]] = 0.0 + v_c[k]; // a sum is never -0
    for (const int i : v) {
        double by_u = 0, by_c = 0;
        for (std::size_t k = 0; k < u.size(); ++k) by_u += B(i, k) * v_u[k];
        for (std::size_t k = 0; k < c.size(); ++k) by_c += B_c(i, k) * v_c[k];
        all[i] = by_u + by_c;
    }
}

double Partition::worst_ratio() const
{
    double worst = 0;
    for (std::size_t k = 0; k < u.size(); ++k)
        for (int i : v) {
            const double scale =
                (body_.turns(i) ? body_.length_scale : 1) / (body_.turns(u[k]) ? body_.length_scale : 1);
            const double ratio = std::abs(B(i, k)) * scale;
            if (!(ratio <= worst)) worst = ratio; // also for NaN
        }
    return std::isfinite(worst) ? worst : std::numeric_limits<double>::infinity();
}

void Partition::close(double* q, double t)
{
    loop_error_ = 0;
    if (body_.rows == 0) return;
    const Mechanism& m = body_.mechanism;
    const double tolerance = 1e-13 * body_.length_scale;
    double previous = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration <= max_iterations; ++iteration) {
        body_.loops(q);
        double error = 0;
        for (std::size_t i = 0; i < loop_rows.size(); ++i) {
            rhs_[i] = body_.h[loop_rows[i]];
            error = std::max(error, std::abs(rhs_[i]));
        }
        loop_error_ = body_.h.cwiseAbs().maxCoeff();
        // Stop at the tolerance, or where round-off stops the progress of an already tiny error.
        if (error <= tolerance || (error <= 100 * tolerance && error >= previous / 2)) {
            if (loop_error_ > 1e-9 * body_.length_scale) {
                if (t == 0) break; // aligned bodies whose end is out of reach
                fail("At t = {:.6g} s loop equations of mechanism '{}' that were redundant no longer are "
                     "(error {:.3g} m): start from a configuration that is not singular.",
                     t, m.name(), loop_error_);
            }
            return;
        }
        if (!std::isfinite(error)) break;
        previous = error;
        invert();
        for (std::size_t i = 0; i < v.size(); ++i) {
            double correction = 0;
            for (std::size_t j = 0; j < v.size(); ++j) correction += inverse_(i, j) * rhs_[j];
            delta_[v[i]] = -correction;
        }
        body_.advance(q, delta_.data(), q_try_.data());
        for (int j : v) delta_[j] = 0;
        std::copy(q_try_.data(), q_try_.data() + body_.nq, q);
    }
    int worst = 0;
    body_.h.cwiseAbs().maxCoeff(&worst);
    std::string name;
    for (const LoopSpec& l : m.loops()) {
        if (worst < 0) break;
        worst -= loop_equations(l.kind);
        name = l.name;
    }
    std::string remedy =
        t == 0 ? "start closer to an assembled configuration, or check the lengths"
               : "the mechanism may be at the end of its travel (check lengths and drives), or the "
                 "step is too large";
    if (t != 0 && named_)
        remedy += fmt::format(
            ", or the choice of independent coordinates (now {}) is better left to the solver", names(u));
    fail("At t = {:.6g} s loop '{}' of mechanism '{}' cannot be closed (error {:.3g} m): {}.", t, name,
         m.name(), loop_error_, remedy);
}

Eigen::VectorXd Partition::start_velocity(const Eigen::VectorXd& given, const Eigen::VectorXd& driven) const
{
    Eigen::VectorXd start = given;
    for (std::size_t k = 0; k < c.size(); ++k) start[c[k]] = driven[k];
    std::vector<int> open; // velocities that may follow from the loops
    for (int j : free_)
        if (given[j] == 0) open.push_back(j);
    if (!named_ && !v.empty()) {
        auto scale = [&](int j) { return body_.turns(j) ? body_.length_scale : 1.0; };
        Eigen::MatrixXd J_open(loop_rows.size(), open.size());
        Eigen::VectorXd missing(loop_rows.size());
        double size = 0;
        for (std::size_t i = 0; i < loop_rows.size(); ++i) {
            missing[i] = -body_.J.row(loop_rows[i]).dot(start);
            size = std::max(size, body_.J.row(loop_rows[i]).cwiseAbs().dot(start.cwiseAbs()));
            for (std::size_t k = 0; k < open.size(); ++k)
                J_open(i, k) = body_.J(loop_rows[i], open[k]) / scale(open[k]);
        }
        Eigen::VectorXd x = Eigen::VectorXd::Zero(open.size());
        if (!open.empty()) {
            Eigen::FullPivLU<Eigen::MatrixXd> lu(J_open);
            lu.setThreshold(rank_threshold);
            x = lu.solve(missing);
        }
        if (!((J_open * x - missing).cwiseAbs().maxCoeff() <= 1e-6 * size))
            fail(
                "The start velocities of mechanism '{}' contradict its loops: give non-zero velocities of no "
                "more coordinates than it has degrees of freedom ({}).",
                body_.mechanism.name(), nu());
        for (std::size_t k = 0; k < open.size(); ++k) start[open[k]] = x[k] / scale(open[k]);
    }
    Eigen::VectorXd v_u(nu());
    for (int k = 0; k < nu(); ++k) v_u[k] = start[u[k]];
    return B * v_u + B_c * driven;
}

bool Partition::maintain()
{
    if (body_.rows == 0) return false;
    const double ratio = worst_ratio();
    const int before = changes_;
    if (!named_ && ratio > replace_ratio) choose(true);
    if (named_ && ratio > replace_ratio && ratio > singular_growth * last_ratio_)
        fail("The named partition of mechanism '{}' meets a dead point: velocities of {} grow to {:.2g} "
             "times those of {}; name other independent coordinates, or none to have them chosen.",
             body_.mechanism.name(), names(v), ratio, names(u));
    last_ratio_ = ratio;
    return changes_ > before;
}

} // namespace tamis
