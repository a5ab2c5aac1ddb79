// From the contacts that were detected to the contact problem of the step, and back.
//
//     mechanism  H = frame^T dx/dv B, stored with Y = M_red^-1 H^T                                   (25, 31)
//     grain      a rigid block: arm and frame say it all
//     driven     a body of a mechanism without freedom that meets a grain: a rigid block that moves as prescribed
//     bias       e u_n^- (32), or max(g, 0) / h for contacts that anticipate: g + h u_n >= 0 at the next q_m
//     compliant  w = u + bias + R r, R = 1 / (h k (h + tau)); the bias is -R times the spring's impulse of the last
//                step (along the normal of the overlap form: g / (h + tau)); docs/theory.md, section on compliance
//
// Impulses of the last step, found again by pair and feature, are what the solver starts from.
#pragma once

#include "tamis/nscd/mechanisms.hpp"

namespace tamis {

class ContactAssembly {
  public:
    // `rolls`, `complies`: some pair of materials does.
    ContactAssembly(const BlockMap& map, Law friction, bool rolls, bool complies, int threads)
        : map_(map), friction_(friction), rolls_(rolls), complies_(complies), threads_(threads)
    {
    }

    // `v_start`: of the rigid blocks, 6 each, as at the start of the step. With `detection` (where forces are evaluated
    // at the midpoint) contact velocities of mechanisms are those at the ends of the step.
    void assemble(std::span<const DetectedContact> found, const State& state, const StepTimes& times,
                  Mechanisms& mechanisms, const double* v_start, Detection* detection,
                  ContactProblem& problem);
    // More contacts, in the order of pairs: those that are new join the ones assembled, which keep their impulses.
    // Whether one of the new is approached.
    bool add(std::span<const DetectedContact> more, const State& state, const StepTimes& times,
             Mechanisms& mechanisms, const double* v_start, Detection* detection, ContactProblem& problem);
    void store(const ContactProblem& problem, double h, State& state) const; // the impulses found
    // Of the springs of compliant contacts: normal and tangential part.
    Dissipation spring_energy(const State& state, double h) const;
    Dissipation energy_taken(const ContactProblem& problem); // from the motion, in the step
    void clear() { contact_of_.clear(); }                    // as if nothing had touched

    std::span<const DetectedContact> found() const { return found_; }
    int count() const { return static_cast<int>(contact_of_.size()); }
    std::span<const int> contact_of() const
    {
        return contact_of_;
    }                                             // contact in the problem of each one found
    std::array<int, 2> shapes(int contact) const; // of a contact of the problem
    // Keeps the growth of the impulses of a wedge for write(). The two shapes that it acts on most, all contacts taken
    // together: stones in between have none.
    std::array<int, 2> keep_wedge(const ContactProblem& problem, std::span<const Eigen::Vector3d> growth);
    void write(const ContactProblem& problem, std::vector<ContactRecord>& records) const;

    static void write(const State& state, SavedState& out);
    static void read(const SavedState& in, State& state, int shapes);

  private:
    struct Step; // what an assembly works with
    void assemble_contact(const Step& step, int k, const State::Impulse* last);
    bool inherit(int k, std::span<const State::Impulse> before, State::Impulse& heir) const;
    void comply(const Step& step, int k, const State::Impulse* last, Contact& contact);
    Eigen::Vector3d spring(const ContactProblem& problem, double h, int k) const;
    void add_rigid_side(const Step& step, Contact& contact, int side, int block, const Eigen::Vector3d& point,
                        Eigen::Vector3d& u_minus) const;
    void recall(const State::Impulse& last, int k, ContactProblem& problem) const;
    int threads_for(int contacts) const { return contacts < 2000 ? 1 : threads_; }

    const BlockMap& map_;
    Law friction_;
    bool rolls_, complies_;
    int threads_;
    std::span<const DetectedContact> found_;
    std::vector<int> contact_of_;                       // its rolling resistance follows
    std::vector<Eigen::Vector3d> u_minus_, turn_minus_; // relative velocity and angular velocity before
    std::vector<Eigen::Vector3d> growth_;               // of the contacts found, world; empty: no wedge
    // add()
    std::vector<DetectedContact> all_, merged_;
    std::vector<int> was_, contact_was_; // of all_, those found before, or -1; and where in the problem
    std::vector<Eigen::Vector3d> impulses_;
    struct Spring {
        Eigen::Vector3d before{0, 0, 0}; // impulse of the last step, in the contact's frame
        double damping = 0;              // tau, s
    };
    std::vector<Spring> springs_;    // of compliant contacts
    std::vector<Dissipation> taken_; // by parts of the contacts
};

} // namespace tamis
