// Nonsmooth generalized-alpha, Bruels, Acary and Cardona (2014). Unknown at the end of the step:
//
//     M v'~_n+1 = f_n+1 + G^T lambda~,   G v'~_n+1 + G' v_n+1 = 0
//     (1 - alpha_m) a_n+1 + alpha_m a_n = (1 - alpha_f) v'~_n+1 + alpha_f v'~_n
//     q_n+1 = q_n (+) [h v_n + h^2 (1/2 - beta) a_n + h^2 beta a_n+1 + U],   M U = G^T .. + H^T nu
//     v_n+1 = v_n + h (1 - gamma) a_n + h gamma a_n+1 + W,                   M W = G^T .. + H^T Lambda
//     g(q_n+1) = 0,  G v_n+1 = 0,   0 <= gap(q_n+1) _|_ nu >= 0
//     0 <= u_n(v_n+1) + e u_n(v_n) _|_ Lambda >= 0   where nu > 0 or gap = 0
//
// Each iteration linearises the constraints at the present q_n+1, factorises one matrix and solves for the
// smooth motion, then for the positions, then for the velocities; it ends when nothing changes any more.
// Between the three it is a fixed point that contracts with h^2 df/dq and h df/dv; for g alone it is Newton's
// method with the derivative of the exponential map taken as one.
//
// Departures: (i) that splitting instead of one Newton matrix with df/dq, df/dv: forces stiffer than 1/h do
// not converge; (ii) joints are eliminated by the factorisation and the contacts solved by Gauss-Seidel
// (directly when few) in place of an active-set Newton, so that friction may be added at velocity level;
// (iii) u_n(v_n) takes H at q_n+1.
#include "tamis/absolute/generalized_alpha.hpp"

#include "tamis/base/error.hpp"
#include "tamis/model/earlier_contacts.hpp"
#include "tamis/model/sparse_lu.hpp"

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <optional>

namespace tamis {

namespace {

constexpr int max_iterations = 50;
// After so many, active contacts stay active within the step: grazing ones could alternate.
constexpr int opening_iterations = 10;
constexpr double regularisation = 1e-12; // of the dual block, relative: redundant joint rows share their load

} // namespace

class GeneralizedAlpha::Kkt {
  public:
    explicit Kkt(AbsoluteSystem& system)
        : system_(system), n_(6 * system.bodies()), K_(n_ + system.rows(), n_ + system.rows()),
          x_(n_ + system.rows())
    {
        std::vector<Eigen::Triplet<double>> entries;
        for (int b = 0; b < system.bodies(); ++b) {
            const BodyRecord& body = system.model().bodies()[b];
            for (int i = 0; i < 3; ++i) {
                entries.emplace_back(6 * b + i, 6 * b + i, body.mass);
                for (int j = 0; j < 3; ++j)
                    entries.emplace_back(6 * b + 3 + i, 6 * b + 3 + j, body.inertia(i, j));
            }
        }
        system.constraints(system.start().q);
        for_all_sides([&](int row, int body, const auto& G) {
            Eigen::Matrix<double, 6, 1> Y;
            system_.divide_by_mass(body, G.transpose(), Y);
            entries.emplace_back(n_ + row, n_ + row, -regularisation * G.dot(Y));
            for (int k = 0; k < 6; ++k) {
                entries.emplace_back(n_ + row, 6 * body + k, G[k]);
                entries.emplace_back(6 * body + k, n_ + row, G[k]);
            }
        });
        K_.setFromTriplets(entries.begin(), entries.end());
        lu_.emplace(n_ + system.rows(), K_.outerIndexPtr(), K_.innerIndexPtr(), SparseLu::Scaling::rows);
    }

    void factorise(double t)
    {
        for_all_sides([&](int row, int body, const auto& G) {
            for (int k = 0; k < 6; ++k)
                K_.coeffRef(n_ + row, 6 * body + k) = K_.coeffRef(6 * body + k, n_ + row) = G[k];
        });
        if (!lu_->factorise(K_.valuePtr()))
            fail("At t = {:.6g} s the equations of the joints cannot be solved: the motion diverged; reduce "
                 "the step.",
                 t);
    }
    // First part x of M x + G^T y = force, G x = target.
    auto solve(const Eigen::VectorXd& force, const Eigen::VectorXd& target)
    {
        x_ << force, target;
        lu_->solve(x_.data());
        return x_.head(n_);
    }
    Eigen::VectorXd G_times(const Eigen::VectorXd& x) const
    {
        Eigen::VectorXd out = Eigen::VectorXd::Zero(system_.rows());
        for_all_sides([&](int row, int body, const auto& G) { out[row] += G.dot(x.segment<6>(6 * body)); });
        return out;
    }

  private:
    template <class F>
    void for_all_sides(F&& visit) const
    {
        for (const JointGroup& group : system_.groups())
            for (int row = group.first; row < group.first + group.count; ++row) {
                if (group.a >= 0) visit(row, group.a, system_.G.row(row).head<6>());
                if (group.b >= 0) visit(row, group.b, system_.G.row(row).tail<6>());
            }
    }
    const AbsoluteSystem& system_;
    const int n_;
    Eigen::SparseMatrix<double> K_;
    std::optional<SparseLu> lu_;
    Eigen::VectorXd x_;
};

GeneralizedAlpha::GeneralizedAlpha(const Model& model, const GeneralizedAlphaOptions& options)
    : model_(model), options_(options), system_(model), view_(system_), state_(system_.start()),
      detection_(model), kkt_(std::make_unique<Kkt>(system_)), q_(state_.q), v_(state_.v)
{
    if (!(options.h > 0) || !std::isfinite(options.h))
        fail("The step size is {} s: it must be positive.", options.h);
    const double rho = options.rho_inf;
    if (!(rho >= 0 && rho <= 1)) fail("rho_inf is {}: it must lie between 0 and 1.", rho);
    alpha_m_ = (2 * rho - 1) / (rho + 1);
    alpha_f_ = rho / (rho + 1);
    gamma_ = 0.5 + alpha_f_ - alpha_m_;
    beta_ = (gamma_ + 0.5) * (gamma_ + 0.5) / 4;

    view_.set_step(options.h);
    sizes_ = model.sizes();
    problem_.general_offset.push_back(6 * system_.bodies());
    a_ = v_dot_ = a_next_ = v_dot_next_ = displacement_ = Eigen::VectorXd::Zero(6 * system_.bodies());
    linearise();
    smooth();
    v_dot_ = a_ = v_dot_next_;
}

GeneralizedAlpha::~GeneralizedAlpha() = default;

StepReport GeneralizedAlpha::step()
{
    StepReport report;
    clock_.start();
    predict();
    clock_.end(Phase::predict);
    for (int iteration = 0;; ++iteration) {
        view_.set(t_next_, q_, v_);
        system_.constraints(q_);
        detect();
        clock_.end(Phase::detect);
        report.converged = iteration > 0 && converged();
        if (report.converged || iteration == max_iterations) break;
        last_v_ = v_;
        last_displacement_ = displacement_;
        linearise();
        smooth();
        clock_.end(Phase::linearise);
        correct_positions(report);
        correct_velocities(iteration < opening_iterations, report);
        clock_.end(Phase::contacts);
    }
    update();
    clock_.end(Phase::update);
    report.contacts = static_cast<int>(contacts_.size());
    for (const ContactRecord& c : contacts_) report.add_gap(c.gap, c.shape_a, c.shape_b, sizes_);
    report.loops = true;
    report.loop_error = system_.error();
    return report;
}

void GeneralizedAlpha::predict()
{
    const double h = options_.h;
    t_next_ = (state_.step + 1) * h;
    a_next_ = a_;
    v_ = state_.v + h * a_;
    displacement_ = h * state_.v + h * h / 2 * a_;
    system_.advance(state_.q, displacement_, q_);
    alert_ = options_.tolerance * system_.length();
}

void GeneralizedAlpha::detect()
{
    std::swap(candidates_, last_candidates_);
    candidates_.clear();
    if (!model_.may_touch()) return;
    found_ = &detection_.detect([&](int body) { return system_.body_pose(q_, body); }, alert_);
    EarlierContacts earlier(std::span<const Candidate>{last_candidates_}, &Candidate::record);
    for (const DetectedContact& d : *found_) {
        const ContactRecord record = AbsoluteSystem::record(d);
        Candidate candidate{record, *d.material};
        if (const Candidate* last = earlier.find(d)) {
            candidate = *last;
            candidate.record.gap = record.gap;
            candidate.record.point = record.point;
            candidate.record.frame = record.frame;
        }
        candidates_.push_back(candidate);
        // Corrections are as large as penetrations: they may close gaps of that size.
        alert_ = std::max(alert_, -4 * d.point.gap);
    }
}

double GeneralizedAlpha::norm(const Eigen::VectorXd& x) const
{
    double largest = 0;
    for (int b = 0; b < system_.bodies(); ++b)
        largest = std::max(
            {largest, x.segment<3>(6 * b).norm(), system_.length() * x.segment<3>(6 * b + 3).norm()});
    return largest;
}

bool GeneralizedAlpha::converged() const
{
    const double length = options_.tolerance * system_.length();
    for (const Candidate& c : candidates_)
        if (c.record.gap < -length) return false;
    return system_.error() <= length && norm(displacement_ - last_displacement_) <= length &&
           norm(v_ - last_v_) <= options_.tolerance * (norm(v_) + options_.h * norm(a_next_));
}

void GeneralizedAlpha::linearise()
{
    system_.bias(q_, v_);
    system_.forces(q_, view_);
    kkt_->factorise(state_.t);

    const int n = 6 * system_.bodies();
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(system_.rows());
    problem_.clear_contacts();
    for (std::size_t a = 0; a < candidates_.size(); ++a) {
        const DetectedContact& d = (*found_)[a];
        const int map = problem_.reserve_map(0);
        Eigen::Map<Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>> H(&problem_.H[map], 3, n);
        H.setZero();
        auto side = [&](int body, const Eigen::Vector3d& point, double sign) {
            if (body >= 0)
                H.middleCols<6>(6 * body) =
                    AbsoluteSystem::point_map(q_[body], point, candidates_[a].record.frame, sign);
        };
        side(d.body_a, d.point.on_a, -1);
        side(d.body_b, d.point.on_b, +1);
        for (int row = 0; row < (d.material->friction > 0 ? 3 : 1); ++row)
            Eigen::Map<Eigen::VectorXd>(&problem_.Y[map + row * n], n) =
                kkt_->solve(H.row(row).transpose(), none);
    }
}

void GeneralizedAlpha::smooth()
{
    v_dot_next_ = kkt_->solve(system_.f, -system_.G_dot_v);
    a_next_ = ((1 - alpha_f_) * v_dot_next_ + alpha_f_ * v_dot_ - alpha_m_ * a_) / (1 - alpha_m_);
}

// With D the displacement in the step: G (D - D_k) = -g and 0 <= gap + H (D - D_k) _|_ nu >= 0.
void GeneralizedAlpha::correct_positions(StepReport& report)
{
    const double h = options_.h;
    const int n = 6 * system_.bodies();
    const Eigen::VectorXd star = h * state_.v + h * h * (0.5 - beta_) * a_ + h * h * beta_ * a_next_;
    problem_.v_free =
        star + kkt_->solve(Eigen::VectorXd::Zero(n), kkt_->G_times(displacement_ - star) - system_.g);
    for (std::size_t a = 0; a < candidates_.size(); ++a) {
        Contact contact;
        contact.side[0] = {0, static_cast<int>(a) * 3 * n};
        Eigen::Map<const Eigen::VectorXd> H(&problem_.H[contact.side[0].map], n);
        contact.drift[0] = candidates_[a].record.gap - H.dot(displacement_);
        contact.r[0] = candidates_[a].nu;
        problem_.contacts.push_back(contact);
    }
    report.sweeps += nlgs_.solve(problem_).sweeps;
    displacement_ = problem_.v;
    system_.advance(state_.q, displacement_, q_);
}

// G v = 0 and 0 <= u_n + e u_n^- _|_ Lambda >= 0 for contacts that are closed.
void GeneralizedAlpha::correct_velocities(bool may_open, StepReport& report)
{
    const double h = options_.h;
    const int n = 6 * system_.bodies();
    for (std::size_t a = 0; a < candidates_.size(); ++a) {
        const Contact& contact = problem_.contacts[a];
        const double gap = problem_.relative_velocity(contact, 0);
        candidates_[a].nu = contact.r[0];
        candidates_[a].active = contact.r[0] > 0 || gap <= options_.tolerance * system_.length() ||
                                (candidates_[a].active && !may_open);
    }
    problem_.contacts.clear();
    const Eigen::VectorXd star = state_.v + h * (1 - gamma_) * a_ + h * gamma_ * a_next_;
    problem_.v_free = star + kkt_->solve(Eigen::VectorXd::Zero(n), -kkt_->G_times(star));
    for (std::size_t a = 0; a < candidates_.size(); ++a) {
        Candidate& candidate = candidates_[a];
        if (!candidate.active) continue;
        Contact contact;
        contact.side[0] = {0, static_cast<int>(a) * 3 * n};
        Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>> H(
            &problem_.H[contact.side[0].map], 3, n);
        candidate.record.u_minus = H * state_.v;
        contact.friction = candidate.material.friction;
        contact.bias[0] = candidate.material.restitution * candidate.record.u_minus[0];
        contact.r = candidate.record.impulse;
        problem_.contacts.push_back(contact);
    }
    const SolverReport solved = nlgs_.solve(problem_);
    report.sweeps += solved.sweeps;
    report.residual = solved.residual.natural_max;
    report.residual_rms = solved.residual.natural_rms;
    v_ = problem_.v;
    auto contact = problem_.contacts.begin();
    for (Candidate& candidate : candidates_) {
        candidate.record.impulse.setZero();
        if (!candidate.active) continue;
        candidate.record.impulse = contact->r;
        candidate.record.u_plus = problem_.relative_velocity(*contact++);
    }
}

void GeneralizedAlpha::update()
{
    if (!v_.allFinite() || !displacement_.allFinite())
        fail("The step at t = {:.6g} s diverged: velocities are not finite; reduce the step.", state_.t);
    contacts_.clear();
    for (const Candidate& c : candidates_)
        if (c.active) contacts_.push_back(c.record);
    state_.q = q_;
    state_.v = v_;
    a_ = a_next_;
    v_dot_ = v_dot_next_;
    state_.t = t_next_;
    ++state_.step;
    view_.set(state_.t, state_.q, state_.v);
    view_.settle();
    view_.add_contacts(contacts_);
}

// Candidates of the last iteration are what the next step starts from: their impulses are its guess.
SavedState GeneralizedAlpha::save() const
{
    std::vector<ContactRecord> records;
    std::vector<double> nu;
    std::vector<std::int64_t> active;
    for (const Candidate& c : candidates_) {
        records.push_back(c.record);
        nu.push_back(c.nu);
        active.push_back(c.active);
    }
    SavedState out = tamis::save(state_, view_, records);
    out.put("a", a_);
    out.put("v_dot", v_dot_);
    out.put("nu", nu);
    out.put_integers("active", active);
    return out;
}

void GeneralizedAlpha::restore(const SavedState& saved)
{
    const std::vector<ContactRecord> records = tamis::restore(saved, state_, view_);
    saved.get("a", a_);
    saved.get("v_dot", v_dot_);
    const std::vector<double>& nu = saved.get("nu", records.size());
    const std::vector<std::int64_t>& active = saved.get_integers("active", records.size());
    candidates_.clear();
    contacts_.clear();
    for (std::size_t k = 0; k < records.size(); ++k) {
        const int a = model_.shapes()[records[k].shape_a].material,
                  b = model_.shapes()[records[k].shape_b].material;
        if (a < 0 || b < 0)
            fail("The state to go on from has a contact of shapes that touch nothing: the file is damaged.");
        candidates_.push_back({records[k], model_.pair(a, b), nu[k], active[k] != 0});
        if (active[k] != 0) contacts_.push_back(records[k]);
    }
    q_ = state_.q;
    v_ = state_.v;
    view_.set_contacts(contacts_);
}

} // namespace tamis
