// A model stepped by the penalty method: its grains, which are balls, together with its mechanisms, which carry walls.
//
//     balls       v_n+1 = v_n + h (g + f(x_n, v_n) / m),                           x_n+1 = x_n + h v_n+1
//     mechanisms  (M + S) (v_n+1 - v_n) = h (f(q_n, v_n) + H^T w),                 q_n+1 = q_n + h v_n+1
//
// with the wrenches w of the balls on the walls at x_n, q_n, v_n: what one side gains, the other loses. Coordinates may
// be driven, loops are closed, and S = h C / 2 + h^2 K / 4 is that of implicit forces (nscd/mechanisms.hpp), so that
// stiff springs of a machine do not bound the step, nor lose energy. Beams have theta = 0.55 instead of 1/2: their
// highest modes would be at the edge of stability, and a mode of rate w is damped by 0.05 w h, nothing at the steps of
// balls.
#pragma once

#include "tamis/dem/penalty_bed.hpp"
#include "tamis/nscd/guided_stepper.hpp"
#include "tamis/nscd/mechanisms.hpp"

#include <optional>

namespace tamis {

struct DemOptions {
    double h = 0;
    FrictionModel friction = FrictionModel::elastic;
    int threads = 1;                       // 0: as many as the machine has
    const PenaltyDevice* device = nullptr; // that moves the balls
    std::vector<Coordinate> guided;        // from outside; nscd/guided_stepper.hpp
};

// Hart's step (1) of the grain for which it is smallest; infinite if contacts are rigid or there are no grains. Hertz's
// law has the stiffness of impacts of 1 m/s on a wall: at a hundred times the speed the step would be 0.4 times that.
double hart_step(const Features& features, double alpha = 0.1);
inline double hart_step(const Model& model, double alpha = 0.1)
{
    return hart_step(model.features(), alpha);
}

// The shapes that grains may touch, and the forces on them.
struct DemWalls {
    std::vector<int> shapes;
    std::vector<Wrench> on; // in the last step, moments about the origin
};

class DemView : public RelativeView {
  public:
    DemView(const Model& model, std::vector<Multibody*> bodies, const DemWalls& walls)
        : RelativeView(model, std::move(bodies)), walls_(walls)
    {
    }
    // On walls: mean over the last step.
    Wrench contact_force(Body body, const Eigen::Vector3d& about = {0, 0, 0}) const override;
    Wrench contact_force(ShapeId shape, const Eigen::Vector3d& about = {0, 0, 0}) const override;

  private:
    const DemWalls& walls_;
};

class Dem : public GuidedStepper {
  public:
    // Refuses grains that are no balls, walls that are no analytic surfaces, rigid contacts, bodies of mechanisms that
    // may touch each other, forces on grains, and a step beyond Hart's with alpha = 0.2.
    Dem(const Model& model, const DemOptions& options);

    StepReport step() override;
    // Balls are not turned; contacts are as they push at the start of the next step.
    const View& view() const override { return view_; }
    std::uint64_t state_hash() const override;
    std::vector<std::string> messages() const override { return mechanisms_.messages(); }
    Facts facts() const override;
    // Of the balls; mechanisms take the wrenches of these as forces and have no contact impulses to be balanced.
    double momentum_error() const override { return bed_.momentum_error(); }
    SavedState save() const override;
    void restore(const SavedState& saved) override;

    const std::vector<Coordinate>& guided() const override { return options_.guided; }
    void guide(std::span<const double> velocities) override { mechanisms_.guide(velocities); }
    const State& state() const override { return state_; } // of mechanisms
    void start_from(const State& state) override;
    void set_step(double h) override; // bounded by Hart's as in the constructor
    void keep() override;
    void go_back() override;

    const PenaltyBed& bed() const { return bed_; } // with its reductions, grains by their number

  private:
    void move_mechanisms();
    void go_on_from(const State& state);
    void place_walls(); // motions of all walls
    void show();
    std::span<const GrainState> grains() const;
    void write_contacts(std::vector<ContactRecord>& out) const;
    int shape_of(int ball_or_wall) const;

    const Model& model_;
    DemOptions options_;
    Mechanisms mechanisms_;
    State state_; // of mechanisms; nothing of grains
    StepTimes times_;
    StepGrid grid_;
    DemWalls walls_;
    DemView view_;
    std::vector<BodyMotion> motions_; // of walls
    PenaltyBed bed_;
    BlockMap blocks_;
    ContactProblem problem_; // velocities of mechanisms
    std::vector<double> next_memory_;
    std::vector<double> sizes_; // of shapes
    double stable_step_;        // up to here
    mutable std::vector<GrainState> grains_;
    mutable bool grains_made_ = false;
    struct Kept {
        State state;
        PenaltyBed bed;
        std::vector<Wrench> on_walls;
    };
    std::optional<Kept> kept_;
};

} // namespace tamis
