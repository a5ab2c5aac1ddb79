// A model stepped by the smooth solver.
#pragma once

#include "tamis/model/stepper.hpp"
#include "tamis/smooth/smooth_model.hpp"
#include "tamis/smooth/smooth_solver.hpp"

namespace tamis {

class Smooth : public Stepper {
  public:
    // Refuses grains and shapes that may touch.
    Smooth(const Model& model, const SmoothOptions& options);

    StepReport step() override;
    const View& view() const override { return model_.view(); }
    std::uint64_t state_hash() const override { return solver_.state().hash(); }
    std::vector<std::string> messages() const override;
    SavedState save() const override;
    void restore(const SavedState& saved) override;
    SmoothSolver& solver() { return solver_; }
    SmoothModel& model() { return model_; }

  private:
    SmoothModel model_;
    SmoothSolver solver_;
};

} // namespace tamis
