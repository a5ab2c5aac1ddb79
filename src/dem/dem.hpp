// A model stepped by the penalty method: its grains, which are balls, among walls that are fixed or driven.
#pragma once

#include "tamis/dem/driven_bodies.hpp"
#include "tamis/dem/penalty_bed.hpp"
#include "tamis/model/stepper.hpp"

namespace tamis {

struct DemOptions {
    double h = 0;
    FrictionModel friction = FrictionModel::elastic;
    int threads = 1; // 0: as many as the machine has
};

// Hart's step (1) of the grain for which it is smallest; infinite if contacts are rigid or there are no grains.
double hart_step(const Model& model, double alpha = 0.1);

class DemView : public View {
  public:
    DemView(const Model& model, const DrivenBodies& bodies, const PenaltyBed& bed, std::span<const int> walls,
            double h)
        : View(model), bodies_(bodies), bed_(bed), walls_(walls), h_(h)
    {
    }
    void set(double t); // the state has changed

    double time() const override { return t_; }
    double step_size() const override { return h_; }
    double q(Coordinate c) const override { return bodies_.q(c); }
    double v(Coordinate c) const override { return bodies_.v(c); }
    double drive_force(Coordinate c) const override { return bodies_.drive_force(c); }
    const BodyMotion& motion(int body) const override { return bodies_.motion(body); }
    std::span<const GrainState> grains() const override; // balls are not turned
    // As they push at the start of the next step.
    std::span<const ContactRecord> contacts() const override;
    double contact_energy() const override { return bed_.spring_energy(); }

  private:
    const DrivenBodies& bodies_;
    const PenaltyBed& bed_;
    std::span<const int> walls_; // shapes
    double h_, t_ = 0;
    mutable bool grains_made_ = false, contacts_made_ = false;
    mutable std::vector<GrainState> grains_;
    mutable std::vector<ContactRecord> contacts_;
};

class Dem : public Stepper {
  public:
    // Refuses grains that are no balls, walls that are no analytic surfaces, rigid contacts, bodies that move freely,
    // and a step beyond Hart's with alpha = 0.2.
    Dem(const Model& model, const DemOptions& options);

    StepReport step() override;
    const View& view() const override { return view_; }
    std::uint64_t state_hash() const override;
    Facts facts() const override;
    double momentum_error() const override { return bed_.momentum_error(); }
    SavedState save() const override;
    void restore(const SavedState& saved) override;
    const PenaltyBed& bed() const { return bed_; } // with its reductions, grains by their number
    // Force of the grains on a shape of the model in the last step, and its moment about the origin of the shape.
    const Wrench& wall_wrench(ShapeId shape) const;

  private:
    void place_walls(); // motions of all walls

    const Model& model_;
    DemOptions options_;
    DrivenBodies bodies_;
    std::vector<int> walls_; // shapes
    std::vector<BodyMotion> motions_;
    PenaltyBed bed_;
    DemView view_;
    double t_ = 0;
    long step_ = 0;
    std::vector<double> sizes_; // of shapes
    std::vector<Wrench> on_bodies_;
};

} // namespace tamis
