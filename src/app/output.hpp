// The files of a run: histories, impacts and pictures.
#pragma once

#include "tamis/app/script.hpp"
#include "tamis/io/checkpoint.hpp"
#include "tamis/io/history.hpp"
#include "tamis/io/vtk_writer.hpp"
#include "tamis/model/view.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <set>

namespace tamis {

class Output {
  public:
    // Opens the folder of the run and removes what an earlier run left there under the same names.
    Output(const Script& script, const View& view);
    // Cuts the files back to where they were at the checkpoint, to go on from there.
    Output(const Script& script, const Checkpoint& from);

    void history(const View& view, const StepReport& report, double momentum_error);
    // Contacts that carry an impulse now and did not in the step before; t_m is the time
    // of q_m, where they were found.
    void impacts(const View& view, double t_m);
    void frame(const View& view);
    void flush();
    // Waits until the disk has all lines, and notes in the checkpoint how far the files are.
    void save(Checkpoint& checkpoint);

    const std::filesystem::path& folder() const { return folder_; }
    int frames() const { return scene_ ? scene_->frames() : frames_before_; }
    long impact_count() const { return impact_count_; }

  private:
    void prepare_scene(int keep);
    void draw_grains(const View& view);

    const Script& script_;
    std::filesystem::path folder_;
    std::optional<History> histories_, impacts_;
    std::vector<double> row_;
    std::vector<double> radii_;            // of balls with the volume of each grain
    std::vector<Eigen::Vector3d> centres_; // of the grains
    long impact_count_ = 0;
    int frames_before_ = 0;                           // of an earlier run, if this one draws none
    std::set<std::array<int, 3>> touching_, touched_; // shapes and feature, in this step and the one before

    std::optional<SceneWriter> scene_;
    std::vector<int> drawn_;        // shapes of the model that are not a grain's
    std::vector<Drawing> drawings_; // of these, then of the beams
    std::vector<Bounds> start_;     // around what may touch each plane of the model, at the start
    std::vector<Arrow> arrows_;
    std::vector<GrainDrawing> grains_;
    std::vector<Surface> grain_surfaces_; // in the grains' own frames; empty: drawn as points
    std::vector<Chain> chains_;
};

} // namespace tamis
