// Moreau-Jean theta-scheme with coordinate partitioning, Docquier et al. (2020), Algorithm 1. Departures: see
// mechanisms.cpp and grains.cpp; with ForceEvaluation::midpoint, f is evaluated once more at the midpoint velocity, and
// contact velocities are those at the ends of the step instead of H(q_m) v; docs/theory.md, section 3.
#include "tamis/nscd/moreau_jean.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/state_hash.hpp"
#include "tamis/contact/auto_solver.hpp"
#include "tamis/model/laws.hpp"

#include <algorithm>
#include <cmath>
#include <omp.h>

namespace tamis {

namespace {
constexpr int most_looks = 4; // in a step, after those that are made faster
} // namespace

MoreauJean::MoreauJean(const Model& model, const MoreauJeanOptions& options)
    : model_(model), options_(options),
      threads_(options.contacts.threads > 0 ? options.contacts.threads : omp_get_max_threads()),
      times_{options.h, options.theta}, mechanisms_(model, options.guided), grains_(model, threads_),
      detection_(model, options.contacts.threads),
      solver_(make_solver(options.contacts.solver, options.contacts.threads)),
      position_correction_(grains_.count(), options.overlap * grains_.mean_size())
{
    if (options.contacts.friction != Law::contact && options.contacts.solver != "nlgs")
        fail("The contact solver '{}' has Coulomb's law only: the associated friction law needs the solver "
             "nlgs.",
             options.contacts.solver);
    if (!(options.h > 0) || !std::isfinite(options.h))
        fail("The step size is {} s: it must be positive.", options.h);
    if (!(options.theta >= 0.5 && options.theta <= 1))
        fail("theta is {}: it must lie between 0.5 and 1.", options.theta);
    if (!(options.overlap >= 0))
        fail("The overlap that grains may keep is {} of their size: it must not be negative.",
             options.overlap);
    if (options.newton_iterations < 1)
        fail("{} Newton iterations on implicit forces cannot solve anything: allow at least one.",
             options.newton_iterations);
    mechanisms_.start(state_);
    state_.grains = grains_.start();
    for (const MemoryRecord& m : model.memories()) state_.memory.push_back(m.start);
    next_memory_ = state_.memory;

    blocks_ = std::make_unique<BlockMap>(model, mechanisms_.without_freedom());
    assembly_ = std::make_unique<ContactAssembly>(*blocks_, options.contacts.friction, detection_.rolls(),
                                                  detection_.complies(), threads_);
    for (int m = 0; m < mechanisms_.count(); ++m)
        problem_.general_offset.push_back(problem_.general_offset.back() + mechanisms_.size(m));
    problem_.rigid.resize(blocks_->rigid_blocks());
    v_start_ = Eigen::VectorXd::Zero(6 * blocks_->rigid_blocks());
    problem_.v_free = Eigen::VectorXd::Zero(problem_.velocities());
    problem_.v = problem_.v_free;
    reach_ = std::make_unique<Reach>(model, *blocks_, grains_, options.alert, options.h, threads_);
    sizes_ = model.sizes();

    solver_->stop.max_sweeps = options.contacts.max_sweeps;
    set_tolerance(options.contacts.tolerance);

    now_ = std::make_unique<RelativeView>(model, mechanisms_.bodies());
    for (const Drive& d : model.drives()) now_->drive_forces.emplace_back(d.on, 0.0);
    for (const Coordinate c : options.guided) now_->drive_forces.emplace_back(c, 0.0);
    for (RelativeView* view : {now_.get(), &mechanisms_.middle(), &mechanisms_.ahead()}) {
        view->set_grains(state_.grains);
        view->set_memory(state_.memory);
        view->set_step(options.h);
    }
    now_->make_contacts = [this](std::vector<ContactRecord>& records) {
        assembly_->write(problem_, records);
    };
    now_->make_contact_energy = [this] { return assembly_->spring_energy(state_, options_.h).sum(); };
    now_->make_dissipated = [this] { return state_.taken - assembly_->spring_energy(state_, options_.h); };
    now_->make_sections = [this](int beam) { return mechanisms_.sections(beam, state_, *now_); };
    now_->make_beam_energy = [this] { return mechanisms_.beam_energy(state_, *now_); };
    now_->set(state_.t, state_.q.data(), state_.v.data());
}

MoreauJean::~MoreauJean() = default;

void MoreauJean::set_step(double h)
{
    for (State::Impulse& i : state_.impulses) i.spring *= h / options_.h; // h times a force
    grid_ = {state_.t, state_.step};
    options_.h = times_.h = h;
    reach_->set_step(h);
    for (RelativeView* view : {now_.get(), &mechanisms_.middle(), &mechanisms_.ahead()}) view->set_step(h);
    set_tolerance(options_.contacts.tolerance);
}

void MoreauJean::set_tolerance(double tolerance)
{
    options_.contacts.tolerance = tolerance;
    StopTest& stop = solver_->stop;
    if (grains_.count() == 0) {
        stop.natural_max = tolerance;
        return;
    }
    stop.natural_max = std::numeric_limits<double>::infinity();
    stop.natural_rms = tolerance;
    stop.approach = 10 * tolerance * grains_.mean_size() / options_.h;
    if (mechanisms_.count() > 0) stop.wrench_change = 50 * tolerance;
}

StepReport MoreauJean::step()
{
    StepReport report;
    clock_.start();

    predict(); // (29)  q_m = q_n + (1 - theta) h v_n,  h(q_m) = 0
    clock_.end(Phase::predict);

    detect(); // (32)  active contacts: g(q_m) <= 0
    clock_.end(Phase::detect);

    linearise();         // (25)  M_red, B
    free_velocity();     // (28)  v_free = v_n + M_red^-1 h f_red
    assemble_contacts(); // (31)  H_red, u_free
    clock_.end(Phase::linearise);

    const SolverReport solved = solve_contacts(report); // (31-33)  u = W r + u_free and the laws

    update(); // (30, 20)  q_n+1 = q_m + theta h v_n+1,  h(q_n+1) = 0,  v_v = B v_u
    clock_.end(Phase::update);

    report.contacts = assembly_->count();
    report.converged = report.converged && solved.status == SolverStatus::converged;
    report.residual = solved.residual.natural_max;
    report.residual_rms = solved.residual.natural_rms;
    report.wrench_change = solved.residual.wrench_change;
    report.solver = solved.solver;
    if (solved.status != SolverStatus::converged && solved.residual.worst >= 0)
        report.worst = assembly_->shapes(solved.residual.worst);
    if (solved.growth) report.wedged = assembly_->keep_wedge(problem_, *solved.growth);
    report.violation = options_.h * solved.residual.approach;
    for (const DetectedContact& d : found_) report.add_gap(d.point.gap, d.shape_a, d.shape_b, sizes_);
    report.loops = mechanisms_.has_loops();
    report.loop_error = mechanisms_.loop_error();
    return report;
}

void MoreauJean::predict()
{
    times_.t = state_.t;
    times_.t_next = grid_.next(state_.step, options_.h);
    times_.t_m = state_.t + (1 - options_.theta) * options_.h;
    mechanisms_.predict(state_, times_);
    if (grains_.count() == 0) return;
    grains_.predict(state_.grains, options_.theta, options_.h, problem_.rigid.data());
    grains_.velocities(state_.grains, problem_.rigid.data(), v_start_.data());
}

void MoreauJean::detect()
{
    if (!blocks_->driven_bodies().empty()) mechanisms_.place_driven(*blocks_, problem_, v_start_.data());
    if (!model_.may_touch()) return;
    if (detection_.anticipates()) reach_->set(mechanisms_.middle(), state_.grains);
    found_ = detection_.detect(
        [&](int body) -> Pose {
            return blocks_->is_grain(body) ? grains_.pose(blocks_->grain(body))
                                           : mechanisms_.middle()
                                                 .placement(blocks_->mechanism(body))
                                                 .link(model_.bodies()[body].link);
        },
        0.0, reach_->of_shapes());
}

void MoreauJean::linearise()
{
    mechanisms_.linearise(state_, times_);
}

void MoreauJean::free_velocity()
{
    mechanisms_.free_velocities(state_, times_, problem_);
    if (grains_.count() == 0) return;
    grains_.free_velocities(options_.h, mechanisms_.middle(), problem_.rigid.data(), v_start_.data(),
                            problem_.v_free.data() + problem_.offset(problem_.general()));
}

void MoreauJean::assemble_contacts()
{
    assembly_->assemble(found_, state_, times_, mechanisms_, v_start_.data(),
                        midpoint() ? &detection_ : nullptr, problem_);
}

SolverReport MoreauJean::solve_contacts(StepReport& report)
{
    SolverReport solved = solve_found(report);
    for (int k = 0; k < most_looks && add_unforeseen(); ++k) {
        clock_.end(Phase::detect);
        solved = solver_->solve(problem_);
        report.sweeps += solved.sweeps;
        clock_.end(Phase::contacts);
    }
    return solved;
}

// Once; once more with forces at the midpoint velocity just found; or, by Newton's method on implicit forces, until
// velocities change no more.
SolverReport MoreauJean::solve_found(StepReport& report)
{
    const bool newton = options_.newton_iterations > 1 && mechanisms_.implicit();
    const int passes = newton ? options_.newton_iterations : midpoint() ? 2 : 1;
    for (int pass = 1;; ++pass) {
        const SolverReport solved = solver_->solve(problem_);
        report.sweeps += solved.sweeps;
        clock_.end(Phase::contacts);
        if (pass == passes && !newton) return solved;
        const double change = mechanisms_.evaluate_again(state_, times_, problem_, newton);
        const bool done = pass > 1 && change <= options_.newton_tolerance;
        if (newton && (done || pass == passes)) {
            report.converged = done;
            return solved;
        }
        free_velocity();
        clock_.end(Phase::linearise);
    }
}

// Bodies that contacts have made faster may meet others that they did not reach for. Such contacts join those found;
// true if one of them is approached too fast.
bool MoreauJean::add_unforeseen()
{
    if (!detection_.anticipates()) return false;
    const double* v_grains = problem_.v.data() + problem_.offset(problem_.general());
    if (!reach_->widen(mechanisms_.end_velocities(times_, problem_), v_grains)) return false;
    const auto& more = detection_.look_again(reach_->widened(), reach_->of_shapes());
    const bool approach = assembly_->add(more, state_, times_, mechanisms_, v_start_.data(),
                                         midpoint() ? &detection_ : nullptr, problem_);
    found_ = assembly_->found();
    return approach;
}

Facts MoreauJean::facts() const
{
    return mechanisms_.facts();
}

double MoreauJean::momentum_error() const
{
    if (grains_.count() == 0) return 0;
    const double error = grains_.momentum_error(
        problem_, problem_.v_free.data() + problem_.offset(problem_.general()), state_.grains);
    return std::max(error, mechanisms_.momentum_error(problem_));
}

void MoreauJean::update()
{
    assembly_->store(problem_, options_.h, state_);
    state_.taken += assembly_->energy_taken(problem_);
    if (!now_->drive_forces.empty())
        mechanisms_.drive_forces(state_, times_, problem_, *blocks_, found_, assembly_->contact_of(),
                                 now_->drive_forces);
    mechanisms_.update(state_, times_, problem_);
    if (grains_.count() > 0) {
        grains_.update(state_.grains, times_, v_start_.data(),
                       problem_.v.data() + problem_.offset(problem_.general()));
        position_correction_.apply(problem_, found_, assembly_->contact_of(), options_.h, state_.grains);
    }
    state_.t = times_.t_next;
    ++state_.step;
    now_->set(state_.t, state_.q.data(), state_.v.data());
    now_->new_contacts();
    remember(model_, *now_, state_.memory, next_memory_);
}

std::uint64_t MoreauJean::state_hash() const
{
    StateHash hash;
    Mechanisms::hash(state_, hash);
    Grains::hash(state_.grains, hash);
    hash.add(state_.memory.data(), static_cast<std::ptrdiff_t>(state_.memory.size()));
    return hash.value;
}

SavedState MoreauJean::save() const
{
    SavedState out;
    out.t = state_.t;
    out.step = state_.step;
    mechanisms_.write(state_, out);
    Grains::write(state_.grains, out);
    ContactAssembly::write(state_, out);
    out.put("memory", state_.memory);
    return out;
}

void MoreauJean::restore(const SavedState& saved)
{
    State state = state_;
    state.t = saved.t;
    state.step = saved.step;
    mechanisms_.read(saved, state);
    Grains::read(saved, state.grains);
    ContactAssembly::read(saved, state, static_cast<int>(model_.shapes().size()));
    saved.get("memory", std::span(state.memory));
    restore(state);
}

void MoreauJean::restore(const State& state)
{
    state_ = state;
    mechanisms_.adopt(state_);
    assembly_->clear();
    found_ = {};
    for (RelativeView* view : {now_.get(), &mechanisms_.middle(), &mechanisms_.ahead()}) {
        view->set_grains(state_.grains);
        view->set_memory(state_.memory);
    }
    now_->set(state_.t, state_.q.data(), state_.v.data());
    now_->new_contacts();
}

} // namespace tamis
