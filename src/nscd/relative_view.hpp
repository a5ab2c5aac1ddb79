// View of a state in relative coordinates: bodies are placed when somebody asks for them.
#pragma once

#include "tamis/model/multibody.hpp"
#include "tamis/model/view.hpp"

namespace tamis {

class RelativeView : public View {
  public:
    RelativeView(const Model& model, std::vector<Multibody*> bodies);
    // q and v of all mechanisms, one after the other; they must outlive the view's use.
    void set(double t, const double* q, const double* v);

    double time() const override { return t_; }
    double step_size() const override { return h_; }
    void set_step(double h) { h_ = h; }
    double q(Coordinate c) const override;
    double v(Coordinate c) const override { return v_[v_offset_[c.mechanism] + c.index]; }
    double drive_force(Coordinate c) const override;
    const BodyMotion& motion(int body) const override;
    std::span<const GrainState> grains() const override { return make_grains ? make_grains() : grains_; }
    std::span<const ContactRecord> contacts() const override;
    double memory(Memory m) const override { return memory_[m.index]; }

    const Placement& placement(int mechanism) const; // positions only
    int q_offset(int mechanism) const { return q_offset_[mechanism]; }
    int v_offset(int mechanism) const { return v_offset_[mechanism]; }
    void set_grains(std::span<const GrainState> grains) { grains_ = grains; }
    void set_memory(std::span<const double> memory) { memory_ = memory; }
    // Grains that are not in a State, and contacts, are written down when somebody asks for them.
    std::function<std::span<const GrainState>()> make_grains;
    std::function<void(std::vector<ContactRecord>&)> make_contacts;
    void new_contacts() { contacts_made_ = false; }
    std::function<double()> make_contact_energy;
    double contact_energy() const override { return make_contact_energy ? make_contact_energy() : 0; }
    std::function<Dissipation()> make_dissipated;
    Dissipation dissipated() const override { return make_dissipated ? make_dissipated() : Dissipation{}; }
    // So are beams.
    std::function<std::span<const BodyMotion>(int)> make_sections;
    std::function<Energy()> make_beam_energy;
    std::span<const BodyMotion> sections(int beam) const override
    {
        return make_sections ? make_sections(beam) : std::span<const BodyMotion>();
    }
    Energy beam_energy() const override { return make_beam_energy ? make_beam_energy() : Energy{}; }
    std::vector<std::pair<Coordinate, double>> drive_forces;

  private:
    std::vector<Multibody*> bodies_;
    std::vector<int> q_offset_, v_offset_;
    double t_ = 0, h_ = 0;
    const double *q_ = nullptr, *v_ = nullptr;
    std::span<const GrainState> grains_;
    std::span<const double> memory_;
    mutable std::vector<ContactRecord> contacts_;
    mutable bool contacts_made_ = true;
    mutable std::vector<Placement> placement_;
    mutable bool placed_ = false, moved_ = false;
    mutable std::vector<std::vector<Eigen::Matrix<double, 6, 1>>> link_velocity_;
    mutable std::vector<BodyMotion> motion_;
    void place() const;
};

// Coordinates and velocities that are not those of a State, and the view of them.
struct Configuration {
    Configuration(const Model& model, const std::vector<Multibody*>& bodies);
    void show(double t) { view.set(t, q.data(), v.data()); } // after every change

    Eigen::VectorXd q, v; // of all mechanisms, one after the other
    RelativeView view;
};

} // namespace tamis
