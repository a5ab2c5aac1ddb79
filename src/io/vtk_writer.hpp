// Pictures of a run for ParaView: the surfaces of the bodies and the contacts between them, frame by frame.
#pragma once

#include "tamis/collision/shapes.hpp"
#include "tamis/io/wireframe.hpp"

#include <Eigen/Core>
#include <filesystem>
#include <span>
#include <string>

namespace tamis {

struct Drawing { // one surface where it is in this frame
    std::string name;
    Surface surface;
    Pose pose;
    int body;
    Eigen::Vector3d velocity{0, 0, 0}, angular_velocity{0, 0, 0}; // of the pose's origin, world axes
    Wireframe lines;                                              // between vertices of the surface
    std::vector<Eigen::Vector3d> velocities; // of the vertices, if the surface is not rigid
};

struct Arrow { // one contact with its impulse
    Eigen::Vector3d at, vector;
    double gap;
    Eigen::Vector3d growth{0, 0, 0}; // of the impulse in a wedge; see ContactRecord
};

struct GrainDrawing {       // one grain in this frame
    const Surface* surface; // in its own frame; null: drawn as a point with its radius
    Pose pose;
    double radius;
    Eigen::Vector3d velocity, angular_velocity; // of the pose's origin, world axes
    double force;                               // sum of the normal forces on it, N
    int contacts;                               // that carry load
};

struct Chain { // a contact that carries load, between the centres of its bodies
    Eigen::Vector3d from, to;
    double force; // normal, N
};

// Writes <folder>/<name>.pvd, which lists for each frame, with its time,
//   frames/<name>_bodies_000012.vtp     polygons and lines; point data `velocity`; cell data `body` and
//                                       `drawing`; field data `name` and `body`, one for each drawing
//   frames/<name>_contacts_000012.vtp   points; point data `impulse` and `gap`
// and of a model with grains
//   frames/<name>_grains_000012.vtp     polygons of grains with a surface; cell data `velocity`, `speed`,
//                                       `force`, `contacts`, `grain`
//   frames/<name>_balls_000012.vtp      the other grains, as points like the following, if there are both
//   frames/<name>_points_000012.vtp     if no grain has a surface: points with `radius`, `orientation`
//                                       (w, x, y, z) and the data of grains
//   frames/<name>_chains_000012.vtp     lines between the centres of bodies in contact; cell data `force`
// with <folder>/<name>_points.pvd for all grains as points. The list is replaced after each frame, so that it
// is valid at any moment and names complete files only.
class SceneWriter {
  public:
    // Removes the pictures of an earlier run in this folder, those of the first `keep` frames excepted.
    static void clear(const std::filesystem::path& folder, const std::string& name, int keep = 0);

    // Goes on behind the first `keep` frames of an earlier run, if they are there; removes the others.
    SceneWriter(std::filesystem::path folder, std::string name, int keep = 0);
    void frame(double t, std::span<const Drawing> bodies, std::span<const Arrow> contacts,
               std::span<const GrainDrawing> grains = {}, std::span<const Chain> chains = {});
    int frames() const { return frames_; }

  private:
    void write_list(const std::string& list, const std::string& datasets) const;

    std::filesystem::path folder_;
    std::string name_;
    std::string datasets_, points_; // the <DataSet> lines of all frames, in the two lists
    int frames_ = 0;
};

} // namespace tamis
