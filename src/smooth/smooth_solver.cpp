// Zhang et al. (2020), eqs (1-6), with turns in the chart R_n = exp(theta) R_n-1. With Delta the displacement
// or rotation vector of the step and ' its rate,
//
//     Delta_n = -a2 Delta_n-1 + h (b0 Delta'_n + b1 Delta'_n-1 + b2 Delta'_n-2)
//     v_n = a1 v_n-1 + a2 v_n-2 + h (b0 a_n + b1 a_n-1 + b2 a_n-2),       omega and alpha alike
//
// where omega = T(theta) theta', in that chart omega_n-1 at theta = 0 and omega_n-2 at minus the vector of
// the step before. So Delta_n gives the motion: Delta' = (Delta - known) / c, c = h b0. The unknowns are
// Delta_n and the multipliers; the constraints hold at t_n. As positions enter as differences, round-off does
// not grow like 1 / h^2 times the distance from the origin.
//
// Newton's matrix is scaled so that its condition depends neither on h nor on units:
//
//     ( c^2 K + c C + M   m G^T )  rows of forces over m, of moments over m L; turns times L;
//     ( G                 0     )  multipliers times c^2 / m
//
// with a length L and a mass m of the system. It departs from the paper in the chart and in that predicted
// accelerations are those of the last step.
#include "tamis/smooth/smooth_solver.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/state_hash.hpp"
#include "tamis/model/rotation.hpp"

#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr int most_modified = 8; // iterations with the first one's derivatives; beyond, new ones are needed

std::vector<std::pair<int, int>> pattern_of(const SmoothSystem& system)
{
    std::vector<std::pair<int, int>> entries;
    std::vector<int> dofs;
    for (std::size_t e = 0; e < system.elements().size(); ++e) {
        const Element& element = *system.elements()[e];
        dofs.clear();
        for (const int node : element.nodes())
            if (node != ground_node)
                for (int k = 0; k < 6; ++k) dofs.push_back(6 * node + k);
        const std::size_t free = dofs.size();
        for (int i = 0; i < element.rows(); ++i)
            dofs.push_back(6 * system.nodes() + system.first_row(static_cast<int>(e)) + i);
        for (std::size_t i = 0; i < dofs.size(); ++i)
            for (std::size_t j = 0; j < dofs.size(); ++j)
                if (i < free || j < free) entries.emplace_back(dofs[j], dofs[i]);
    }
    return entries;
}

} // namespace

std::uint64_t SmoothState::hash() const
{
    StateHash hash;
    for (const NodeState& n : nodes) {
        hash.add(n.turn.coeffs().data(), 4);
        for (const Vector3d* x : {&n.now.x, &n.now.v, &n.now.omega, &n.now.a, &n.now.alpha, &n.step_x,
                                  &n.step_theta, &n.v, &n.omega, &n.a, &n.alpha})
            hash.add(x->data(), 3);
    }
    hash.add(lambda.data(), lambda.size());
    hash.add(memory.data(), static_cast<std::ptrdiff_t>(memory.size()));
    return hash.value;
}

namespace {

// Vectors of a node in the order in which they are saved; the matrix now.R is saved as it is, since a quaternion does
// not give its bits back.
auto vectors(auto& n)
{
    return std::array{&n.now.x,      &n.now.v, &n.now.omega, &n.now.a, &n.now.alpha, &n.step_x,
                      &n.step_theta, &n.v,     &n.omega,     &n.a,     &n.alpha};
}
constexpr std::size_t node_width = 4 + 9 + 3 * 11;

} // namespace

void SmoothState::write(SavedState& out) const
{
    out.t = t;
    out.step = step;
    std::vector<double> values;
    values.reserve(node_width * nodes.size());
    for (const NodeState& n : nodes) {
        values.insert(values.end(), n.turn.coeffs().data(), n.turn.coeffs().data() + 4);
        values.insert(values.end(), n.now.R.data(), n.now.R.data() + 9);
        for (const Vector3d* x : vectors(n)) values.insert(values.end(), x->data(), x->data() + 3);
    }
    out.put("nodes", values);
    out.put("lambda", lambda);
    out.put("observers", memory);
}

void SmoothState::read(const SavedState& in)
{
    t = in.t;
    step = in.step;
    const std::vector<double>& values = in.get("nodes", node_width * nodes.size());
    const double* next = values.data();
    for (NodeState& n : nodes) {
        n.turn.coeffs() = Eigen::Map<const Eigen::Vector4d>(next);
        n.now.R = Eigen::Map<const Matrix3d>(next + 4);
        next += 13;
        for (Vector3d* x : vectors(n)) {
            *x = Eigen::Map<const Vector3d>(next);
            next += 3;
        }
    }
    in.get("lambda", lambda);
    in.get("observers", std::span(memory));
}

SmoothSolver::SmoothSolver(SmoothSystem& system, const SmoothOptions& options)
    : system_(system), options_(options), scheme_(TwoStep::with_radius(options.rho_inf)),
      length_(system.length()), nodes_(system.start()), lambda_(Eigen::VectorXd::Zero(system.rows())),
      increments_(system.nodes()), gather_(system), matrix_(system.unknowns(), pattern_of(system)),
      residual_(system.unknowns()), row_scale_(system.unknowns()), column_scale_(system.unknowns())
{
    if (!(options.h > 0) || !std::isfinite(options.h))
        fail("The step size is {} s: it must be positive.", options.h);
    if (!(options.tolerance > 0)) fail("The tolerance is {}: give a positive number.", options.tolerance);
    if (options.max_iterations < 1)
        fail("{} Newton iterations cannot solve anything: allow at least one.", options.max_iterations);
    const int n = 6 * system.nodes();
    for (std::size_t e = 0; e < system.elements().size(); ++e) {
        const Element& element = *system.elements()[e];
        const int size = static_cast<int>(element.nodes().size());
        terms_.emplace_back().resize(size, element.rows());
        std::vector<int>& dofs = dofs_.emplace_back();
        for (const int node : element.nodes())
            for (int k = 0; k < 6; ++k) dofs.push_back(node == ground_node ? -1 : 6 * node + k);
        for (int i = 0; i < element.rows(); ++i)
            dofs.push_back(n + system.first_row(static_cast<int>(e)) + i);
        std::vector<Place>& places = places_.emplace_back();
        for (int j = 0; j < static_cast<int>(dofs.size()); ++j)
            for (int i = 0; i < static_cast<int>(dofs.size()); ++i)
                if (dofs[i] >= 0 && dofs[j] >= 0 && (i < 6 * size || j < 6 * size))
                    places.push_back({matrix_.slot(dofs[i], dofs[j]), i, j, 0});
    }

    state_.nodes.resize(system.nodes());
    for (int i = 0; i < system.nodes(); ++i) {
        NodeState& s = state_.nodes[i];
        s.turn = Eigen::Quaterniond(nodes_[i].R).normalized();
        nodes_[i].R = s.turn.toRotationMatrix();
    }
    c_ = options.h / 2; // the first step is trapezoidal
    for (Increment& u : increments_) u.omega_theta = Matrix3d::Identity() / c_;
    evaluate(true);
    // A typical mass, from the translational inertias.
    double most = 0;
    for (std::size_t e = 0; e < terms_.size(); ++e)
        for (std::size_t k = 0; k < system.elements()[e]->nodes().size(); ++k)
            for (int i = 0; i < 3; ++i)
                most = std::max(most, terms_[e].M(6 * static_cast<int>(k) + i, 6 * static_cast<int>(k) + i));
    if (most > 0) mass_ = most;

    require_closed_and_independent();
    start_accelerations();
    for (int i = 0; i < system.nodes(); ++i) state_.nodes[i].now = nodes_[i];
    state_.lambda = lambda_;
    for (Observer* o : system_.observers()) {
        o->see(t_, nodes_, {lambda_.data(), static_cast<std::size_t>(lambda_.size())});
        o->settle();
        state_.memory.insert(state_.memory.end(), o->memory().begin(), o->memory().end());
    }
}

void SmoothSolver::observe()
{
    for (Observer* o : system_.observers())
        o->see(t_, nodes_, {lambda_.data(), static_cast<std::size_t>(lambda_.size())});
}

void SmoothSolver::evaluate(bool tangent)
{
    observe();
    for (std::size_t e = 0; e < terms_.size(); ++e) evaluate(e, tangent);
}

void SmoothSolver::evaluate(std::size_t e, bool tangent)
{
    const Element& element = *system_.elements()[e];
    ElementTerms& terms = terms_[e];
    if (tangent)
        terms.clear();
    else
        terms.r.setZero();
    const std::span<const double> lambda(lambda_.data() + system_.first_row(static_cast<int>(e)),
                                         element.rows());
    element.add({t_, options_.h, gather_(element, nodes_), lambda}, terms, tangent);
}

void SmoothSolver::scale_for(double c)
{
    if (c == scaled_for_) return;
    scaled_for_ = c;
    const int n = 6 * system_.nodes();
    const double scale = c > 0 ? c * c : 1;
    for (int i = 0; i < n; ++i) {
        const bool turn = i % 6 > 2;
        row_scale_[i] = scale / (mass_ * (turn ? length_ : 1));
        column_scale_[i] = turn ? 1 / length_ : 1;
    }
    row_scale_.tail(system_.rows()).setOnes();
    column_scale_.tail(system_.rows()).setConstant(mass_ / scale);
    for (std::size_t e = 0; e < places_.size(); ++e)
        for (Place& p : places_[e]) p.scale = row_scale_[dofs_[e][p.row]] * column_scale_[dofs_[e][p.column]];
}

void SmoothSolver::scatter(double c)
{
    scale_for(c);
    const std::span<double> values = matrix_.values();
    std::fill(values.begin(), values.end(), 0);
    for (std::size_t e = 0; e < terms_.size(); ++e) {
        const std::vector<int>& nodes = system_.elements()[e]->nodes();
        ElementTerms& terms = terms_[e];
        const int own = 6 * static_cast<int>(nodes.size());
        if (c > 0) {
            terms.C += terms.M / c;
        } else {
            terms.K.topLeftCorner(own, own) = terms.M.topRows(own);
        }
        for (std::size_t k = 0; c > 0 && k < nodes.size(); ++k) {
            if (nodes[k] == ground_node) continue;
            const int j = 6 * static_cast<int>(k);
            terms.K.middleCols<3>(j) += terms.C.middleCols<3>(j) / c;
            terms.K.middleCols<3>(j + 3) +=
                terms.C.middleCols<3>(j + 3).lazyProduct(increments_[nodes[k]].omega_theta);
        }
        for (const Place& p : places_[e]) values[p.slot] += p.scale * terms.K(p.row, p.column);
    }
}

void SmoothSolver::require_closed_and_independent()
{
    const int n = 6 * system_.nodes();
    std::vector<Eigen::Triplet<double>> entries; // of G^T, rows of G in metres for displacements in metres
    std::vector<int> owner;
    std::vector<double> phi_t, phi_tt;
    double speed = 0;
    for (const NodeMotion& m : nodes_) speed = std::max({speed, m.v.norm(), length_ * m.omega.norm()});
    for (std::size_t e = 0; e < terms_.size(); ++e) {
        const Element& element = *system_.elements()[e];
        const int own = 6 * static_cast<int>(element.nodes().size()), rows = element.rows();
        phi_t.assign(rows, 0);
        phi_tt.assign(rows, 0);
        element.rates({t_, options_.h, gather_(element, nodes_), {}}, phi_t, phi_tt);
        for (int i = 0; i < rows; ++i) {
            owner.push_back(static_cast<int>(e));
            const double phi = terms_[e].r[own + i];
            if (!(std::abs(phi) <= 1e-8 * length_))
                fail("The {} is open by {:.3g} m at the start: place its bodies so that it closes.",
                     element.name(), std::abs(phi));
            if (!(std::abs(phi_t[i]) <= 1e-6 * speed + 1e-8 * length_ / options_.h))
                fail("The {} opens at {:.3g} m/s at the start: give its bodies velocities that it allows.",
                     element.name(), std::abs(phi_t[i]));
            for (int j = 0; j < own; ++j) {
                const int node = element.nodes()[j / 6];
                if (node != ground_node && terms_[e].K(own + i, j) != 0)
                    entries.emplace_back(6 * node + j % 6, static_cast<int>(owner.size()) - 1,
                                         terms_[e].K(own + i, j) / (j % 6 > 2 ? length_ : 1));
            }
        }
    }
    if (owner.empty()) return;
    Eigen::SparseMatrix<double> Gt(n, static_cast<int>(owner.size()));
    Gt.setFromTriplets(entries.begin(), entries.end());
    Gt.makeCompressed();
    using Matrix = Eigen::SparseMatrix<double>;
    const Eigen::SparseQR<Matrix, Eigen::COLAMDOrdering<int>> qr(Gt);
    if (qr.rank() == static_cast<int>(owner.size())) return;
    // In the order in which they were added, a row that earlier ones imply comes last.
    const Eigen::SparseQR<Matrix, Eigen::NaturalOrdering<int>> ordered(Gt);
    const int row = ordered.colsPermutation().indices()[static_cast<int>(owner.size()) - 1];
    fail("The {} is redundant: other joints imply {} of the {} constraints; let one joint of the loop do "
         "without them, as a ball does without the axes of a hinge, or start where they do not.",
         system_.elements()[owner[row]]->name(), static_cast<int>(owner.size()) - static_cast<int>(qr.rank()),
         owner.size());
}

// M a + G^T lambda = -r(a = 0, lambda = 0), G a = -phi_tt
void SmoothSolver::start_accelerations()
{
    const int n = 6 * system_.nodes();
    scatter(0);
    residual_.setZero();
    for (std::size_t e = 0; e < terms_.size(); ++e) {
        const Element& element = *system_.elements()[e];
        const std::vector<int>& nodes = element.nodes();
        for (std::size_t k = 0; k < nodes.size(); ++k)
            if (nodes[k] != ground_node)
                residual_.segment<6>(6 * nodes[k]) -= terms_[e].r.segment<6>(6 * static_cast<int>(k));
        std::vector<double> phi_t(element.rows()), phi_tt(element.rows());
        element.rates({t_, options_.h, gather_(element, nodes_), {}}, phi_t, phi_tt);
        for (int i = 0; i < element.rows(); ++i)
            residual_[n + system_.first_row(static_cast<int>(e)) + i] = -phi_tt[i];
    }
    residual_.array() *= row_scale_.array();
    const double size = residual_.lpNorm<Eigen::Infinity>();
    if (!matrix_.solve(residual_, true) || residual_.head(n).lpNorm<Eigen::Infinity>() > 1e12 * size) {
        // A node that turns or moves freely without inertia: the one that would not be slowed down.
        std::vector<Eigen::Matrix<double, 6, 6>> M(system_.nodes());
        for (auto& m : M) m.setZero();
        for (std::size_t e = 0; e < terms_.size(); ++e) {
            const std::vector<int>& nodes = system_.elements()[e]->nodes();
            for (std::size_t k = 0; k < nodes.size(); ++k)
                if (nodes[k] != ground_node)
                    M[nodes[k]] += terms_[e].M.block<6, 6>(6 * static_cast<int>(k), 6 * static_cast<int>(k));
        }
        int worst = 0;
        for (int i = 0; i < system_.nodes(); ++i) {
            M[i].topRows<3>() /= mass_;
            M[i].bottomRows<3>() /= mass_ * length_ * length_;
            if (M[i].diagonal().minCoeff() < M[worst].diagonal().minCoeff()) worst = i;
        }
        fail("Node '{}' can move without inertia: give its body a mass and three principal inertias, or a "
             "joint that holds it.",
             system_.node_name(worst));
    }
    residual_.array() *= column_scale_.array();
    for (int i = 0; i < system_.nodes(); ++i) {
        nodes_[i].a = residual_.segment<3>(6 * i);
        nodes_[i].alpha = residual_.segment<3>(6 * i + 3);
    }
    lambda_ = residual_.tail(system_.rows());
    // Pivots for the steps, from the matrix of the first.
    evaluate(true);
    scatter(c_);
    matrix_.choose_pivots();
}

void SmoothSolver::begin_step()
{
    const double h = options_.h;
    const bool first = state_.step == 0;
    const TwoStep s = first ? TwoStep::trapezoidal() : scheme_;
    const Vector3d none = Vector3d::Zero();
    c_ = h * s.b0;
    t_ = (state_.step + 1) * h;
    for (int i = 0; i < system_.nodes(); ++i) {
        const NodeState& n = state_.nodes[i];
        Increment& u = increments_[i];
        const Vector3d theta_rate = RotationVector(-n.step_theta).T_inverse() * n.omega; // two steps ago
        u.x_known = s.known<Vector3d>(h, none, -n.step_x, n.now.v, n.v);
        u.theta_known = s.known<Vector3d>(h, none, -n.step_theta, n.now.omega, theta_rate);
        u.v_known = s.known<Vector3d>(h, n.now.v, n.v, n.now.a, n.a);
        u.omega_known = s.known<Vector3d>(h, n.now.omega, n.omega, n.now.alpha, n.alpha);
        if (first) {
            u.x = h * n.now.v + h * h / 2 * n.now.a;
            u.theta = h * n.now.omega + h * h / 2 * n.now.alpha;
        } else {
            u.x = u.x_known + c_ * predicted_rate<Vector3d>(h, none, -n.step_x, n.now.v, n.v);
            u.theta = u.theta_known +
                      c_ * predicted_rate<Vector3d>(h, none, -n.step_theta, n.now.omega, theta_rate);
        }
    }
    lambda_ = state_.lambda;
    factorised_ = false;
    under_way_ = true;
}

void SmoothSolver::predict()
{
    begin_step();
    update_motion(); // velocities are the rates of the predicted positions
    for (int i = 0; i < system_.nodes(); ++i) {
        nodes_[i].a = state_.nodes[i].now.a;
        nodes_[i].alpha = state_.nodes[i].now.alpha;
    }
}

void SmoothSolver::update_motion()
{
    for (int i = 0; i < system_.nodes(); ++i) {
        const NodeState& n = state_.nodes[i];
        Increment& u = increments_[i];
        NodeMotion& m = nodes_[i];
        const RotationVector turn(u.theta);
        const Vector3d rate = (u.theta - u.theta_known) / c_;
        m.x = n.now.x + u.x;
        m.R = (exp_turn(u.theta) * n.turn).normalized().toRotationMatrix();
        m.v = (u.x - u.x_known) / c_;
        m.omega = turn.T() * rate;
        m.a = (m.v - u.v_known) / c_;
        m.alpha = (m.omega - u.omega_known) / c_;
        // A turn by delta theta on the left changes the rotation vector by T^-1 delta theta.
        u.omega_theta = Matrix3d::Identity() / c_ + turn.dT(rate) * turn.T_inverse();
    }
}

void SmoothSolver::solve()
{
    if (!under_way_) predict();
    update_motion();
    double change = 0;
    for (iterations_ = 1; iterations_ <= options_.max_iterations; ++iterations_) {
        if (iterations_ > most_modified) factorised_ = false;
        const bool anew = !options_.modified || !factorised_;
        evaluate(anew);
        if (anew) scatter(c_);
        change = correct();
        update_motion();
        if (change <= options_.tolerance) {
            require_small_turns();
            return;
        }
        if (!std::isfinite(change)) break;
    }
    if (!std::isfinite(change))
        fail("The step to t = {:.6g} s diverged after {} Newton iterations: reduce the step.", t_,
             iterations_);
    fail("The step to t = {:.6g} s did not converge in {} Newton iterations: the last one still moved the "
         "system by {:.3g} of its size, with a tolerance of {:.3g}; reduce the step or raise the tolerance.",
         t_, options_.max_iterations, change, options_.tolerance);
}

// Where rotation vectors of a step come near a full turn they are no coordinates any more.
void SmoothSolver::require_small_turns() const
{
    for (int i = 0; i < system_.nodes(); ++i)
        if (increments_[i].theta.norm() > std::numbers::pi)
            fail("Node '{}' turns by more than half a turn in the step to t = {:.6g} s: reduce the step.",
                 system_.node_name(i), t_);
}

// One Newton correction; returns its size.
double SmoothSolver::correct()
{
    const int n = 6 * system_.nodes();
    residual_.setZero();
    for (std::size_t e = 0; e < terms_.size(); ++e) {
        const std::vector<int>& nodes = system_.elements()[e]->nodes();
        const int own = 6 * static_cast<int>(nodes.size()), rows = static_cast<int>(terms_[e].r.size()) - own;
        for (std::size_t k = 0; k < nodes.size(); ++k)
            if (nodes[k] != ground_node)
                residual_.segment<6>(6 * nodes[k]) -= terms_[e].r.segment<6>(6 * static_cast<int>(k));
        residual_.segment(n + system_.first_row(static_cast<int>(e)), rows) = -terms_[e].r.tail(rows);
    }
    residual_.array() *= row_scale_.array();
    if (!matrix_.solve(residual_, !options_.modified || !factorised_))
        return std::numeric_limits<double>::quiet_NaN();
    factorised_ = true;
    residual_.array() *= column_scale_.array();
    double change = 0;
    for (int i = 0; i < system_.nodes(); ++i) {
        const Vector3d dx = residual_.segment<3>(6 * i), dtheta = residual_.segment<3>(6 * i + 3);
        Increment& u = increments_[i];
        u.x += dx;
        u.theta += RotationVector(u.theta).T_inverse() * dtheta;
        // Below the round-off of positions nothing can be asked.
        const double floor = 8 * std::numeric_limits<double>::epsilon() * nodes_[i].x.norm();
        const double size = std::max(std::max(dx.norm() - floor, 0.0) / length_, dtheta.norm());
        if (!(size <= change)) change = size; // or not a number
    }
    lambda_ += residual_.tail(system_.rows());
    return change;
}

void SmoothSolver::accept()
{
    if (!under_way_) fail("There is no step to accept: solve it first.");
    for (int i = 0; i < system_.nodes(); ++i) {
        NodeState& n = state_.nodes[i];
        n.v = n.now.v;
        n.omega = n.now.omega;
        n.a = n.now.a;
        n.alpha = n.now.alpha;
        n.step_x = increments_[i].x;
        n.step_theta = increments_[i].theta;
        n.turn = (exp_turn(n.step_theta) * n.turn).normalized();
        n.now = nodes_[i];
    }
    state_.lambda = lambda_;
    state_.t = t_;
    ++state_.step;
    std::size_t k = 0;
    for (Observer* o : system_.observers()) {
        o->see(t_, nodes_, {lambda_.data(), static_cast<std::size_t>(lambda_.size())});
        o->settle();
        for (const double x : o->memory()) state_.memory[k++] = x;
    }
    under_way_ = false;
}

void SmoothSolver::restore(const SmoothState& state)
{
    state_ = state;
    t_ = state.t;
    lambda_ = state.lambda;
    for (int i = 0; i < system_.nodes(); ++i) nodes_[i] = state.nodes[i].now;
    std::size_t k = 0;
    for (Observer* o : system_.observers()) {
        for (double& x : o->memory()) x = state.memory[k++];
        o->see(t_, nodes_, {lambda_.data(), static_cast<std::size_t>(lambda_.size())});
    }
    under_way_ = false;
}

double SmoothSolver::constraint_error()
{
    observe();
    double most = 0;
    for (std::size_t e = 0; e < terms_.size(); ++e) {
        const int rows = system_.elements()[e]->rows();
        if (rows > 0) evaluate(e, false);
        if (rows > 0) most = std::max(most, terms_[e].r.tail(rows).lpNorm<Eigen::Infinity>());
    }
    return most;
}

} // namespace tamis
