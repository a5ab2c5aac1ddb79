// The files of a run: histories, impacts and pictures.
#pragma once

#include "tamis/app/record.hpp"
#include "tamis/app/settings.hpp"
#include "tamis/io/checkpoint.hpp"
#include "tamis/io/history.hpp"
#include "tamis/io/vtk_writer.hpp"
#include "tamis/model/stepper.hpp"
#include "tamis/model/view.hpp"

#include <array>
#include <filesystem>
#include <future>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>

namespace tamis {

class Output {
  public:
    // Removes what an earlier run left in the folder under the same names.
    Output(const Model& model, const std::vector<Record>& records, const Settings& settings,
           const View& view);
    // Cuts the files back to where they were at the checkpoint, to go on from there.
    Output(const Model& model, const std::vector<Record>& records, const Settings& settings,
           const Checkpoint& from);

    void history(const View& view, const StepReport& report, double momentum_error);
    // Contacts that carry an impulse now and did not in the step before; t_m is the time
    // of q_m, where they were found.
    void impacts(const View& view, double t_m);
    // Is written while the run goes on; what fails there is told by the next call, or by flush() or save().
    void frame(const View& view);
    void flush();
    // Waits until the disk has all lines, and notes in the checkpoint how far the files are.
    void save(Checkpoint& checkpoint);

    const std::filesystem::path& folder() const { return folder_; }
    // Unit, least, largest, mean, rms and last value of each column of histories.csv, over its lines.
    nlohmann::json columns() const;
    const std::vector<std::string>& notes() const { return notes_; } // what the user should know
    int frames() const { return scene_ ? scene_->frames() : frames_before_; }
    long impact_count() const { return impact_count_; }

  private:
    Output(const Model& model, const std::vector<Record>& records, const Settings& settings);
    void prepare_scene(int keep);
    void draw_grains(const View& view);
    void finish_frame(); // that is being written

    struct Column {
        std::string name, unit;
        // Of the lines whose value is finite.
        double lines = 0, least = 0, most = 0, sum = 0, squares = 0, last = 0;
        void add(double x);
    };
    static const std::pair<const char*, double Column::*> column_statistics[6];

    const Model& model_;
    const std::vector<Record>& records_;
    const Settings& settings_;
    std::filesystem::path folder_;
    std::vector<Column> columns_;
    std::vector<std::string> notes_;
    std::optional<History> histories_, impacts_;
    std::vector<double> row_;
    std::vector<double> radii_;            // of balls with the volume of each grain
    std::vector<Eigen::Vector3d> centres_; // of the grains
    bool bodies_touch_ = false;            // may do so
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
    std::future<void> writing_; // of the last frame, from all that is above
};

} // namespace tamis
