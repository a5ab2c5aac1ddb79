// One mechanism: its independent velocities v_u, which are its block in the contact problem, and behind them those of
// the inner nodes of its beams: w. Mechanisms fill it, phase by phase; members are grouped by the phase that does.
#pragma once

#include "tamis/contact/contact_problem.hpp"
#include "tamis/model/assembly.hpp"
#include "tamis/nscd/applied_forces.hpp"
#include "tamis/nscd/beams.hpp"
#include "tamis/nscd/cholesky.hpp"

namespace tamis {

struct MechanismBlock {
    MechanismBlock(const Model& model, const Mechanism& m, const std::vector<Coordinate>& guided, int q_start,
                   int v_start)
        : body(m), driven(model, m.number(), guided), q0(q_start), v0(v_start),
          q_m(Eigen::VectorXd::Zero(m.nq())), v_star(Eigen::VectorXd::Zero(m.nv())), f(v_star),
          d_beta(v_star), scratch(v_star), b(v_star)
    {
    }
    void solve(double* x) // x -> (M_red, or the matrix with beams)^-1 x
    {
        if (!beams) return M_red_factor.solve(x);
        Eigen::Map<Eigen::VectorXd> all(x, size());
        response = all;
        beams->solve(response);
        all = response;
    }
    int size() const { return partition->nu() + (beams ? beams->unknowns() : 0); }
    // x -> its response to impulses on v_u
    void respond(double* x)
    {
        if (!beams) return M_red_factor.solve(x);
        Eigen::Map<Eigen::VectorXd> own(x, partition->nu());
        response = own;
        own.noalias() = beams->response() * response;
    }
    // All velocities, once those of the contact problem are known.
    const Eigen::VectorXd& velocities(const double* v_u)
    {
        const int n_u = partition->nu();
        const Eigen::Map<const Eigen::VectorXd> own(v_u, n_u);
        if (!beams) return w = own;
        w.setZero(size());
        w.head(n_u) = own - w_free.head(n_u);
        beams->follow(w);
        w += w_free;
        w.head(n_u) = own;
        return w;
    }
    auto q_of(Eigen::VectorXd& all) const { return all.segment(q0, body.nq); }
    auto v_of(Eigen::VectorXd& all) const { return all.segment(v0, body.nv); }
    auto v_of(const Eigen::VectorXd& all) const { return all.segment(v0, body.nv); }
    // M_red at q_m, or the matrix with beams, and their factors.
    void factorise(const StepTimes& times);
    // What implicit forces add to h f, since they are evaluated elsewhere than at the end of the step.
    const Eigen::VectorXd& correction(const StepTimes& times, const Eigen::VectorXd& v_n);
    // Of M_red (w - w_free) - sum of H^T r, relative to what was given.
    double momentum_error(const ContactProblem& problem, int block);

    Multibody body;
    DrivenCoordinates driven;
    std::unique_ptr<Partition> partition;
    std::unique_ptr<Beams> beams; // null: none
    int q0, v0, beam0 = 0;        // its place in State
    const AppliedForces::OnMechanism* forces = nullptr;
    // predict
    Eigen::VectorXd q_m;
    Eigen::VectorXd w_n; // velocities of the block at the start of the step
    // linearise
    Eigen::MatrixXd M_red, MB; // n_u x n_u, nv x n_u
    Cholesky M_red_factor;
    Eigen::VectorXd vc_now, vc_next; // driven velocities at t_n and t_n+1
    Eigen::VectorXd vc_work;
    Eigen::MatrixXd M_S; // M + S, with implicit forces
    // free velocity
    Eigen::VectorXd pushed; // by wrenches from outside, in all coordinates
    Eigen::VectorXd v_star; // velocity at which f is evaluated
    Eigen::VectorXd f, d_beta, scratch;
    Eigen::VectorXd dv,
        dw; // since then, at which implicit forces are evaluated: of all coordinates; of the block, with beams
    Eigen::VectorXd implicit, implicit_late; // of correction()
    bool newton = false;
    Eigen::VectorXd b;      // dependent accelerations -J_v^-1 J' v (24), zero elsewhere
    Eigen::VectorXd rhs;    // of the whole block
    Eigen::VectorXd w_free; // without contacts
    // contacts
    Multibody::RowMatrix H_full;     // 3 x nv, of one contact side
    Multibody::RowMatrix H_red;      // 3 x n_u
    Eigen::VectorXd contact_impulse; // H^T r in all coordinates, only if there are drives
    Eigen::VectorXd response;        // with beams, of solve() and respond()
    Eigen::VectorXd w;               // with contacts

  private:
    Eigen::VectorXd impulse_of(const std::vector<double>& maps, const Contact& contact, int map) const;
    double error_by_cholesky(const ContactProblem& problem, int block) const;
    double error_with_beams(const ContactProblem& problem, int block);
};

} // namespace tamis
