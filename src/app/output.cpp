// Files of a run; see output.hpp. Planes and containers are drawn as lines, or they would hide what is in
// them; planes have no end, and are drawn as far as there is something to touch them, at the start or now.
#include "tamis/app/output.hpp"

#include "tamis/app/saved.hpp"
#include "tamis/base/error.hpp"
#include "tamis/io/file.hpp"
#include "tamis/packing/measures.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

namespace tamis {

namespace {

Pose pose_of(const AttachedShape& s, const View& view)
{
    return s.body < 0 ? s.at : view.body_motion(s.body).pose * s.at;
}

// Box around all that may touch a plane, or around all shapes if nothing may.
Bounds reach(int plane, const View& view)
{
    const Model& model = view.model();
    const double far = std::numeric_limits<double>::infinity();
    for (const bool touching : {true, false}) {
        Bounds all{Eigen::Vector3d::Constant(far), Eigen::Vector3d::Constant(-far)};
        for (int k = 0; k < static_cast<int>(model.shapes().size()); ++k) {
            if (touching && !model.filter()(plane, k)) continue;
            const AttachedShape& s = model.shapes()[k];
            const Bounds box = bounds(s.shape, pose_of(s, view));
            if (!box.low.allFinite() || !box.high.allFinite()) continue; // a plane or a container
            all = {all.low.cwiseMin(box.low), all.high.cwiseMax(box.high)};
        }
        if (all.low[0] <= all.high[0]) return all;
    }
    return {Eigen::Vector3d::Constant(-0.5), Eigen::Vector3d::Constant(0.5)}; // planes alone
}

// Columns that every model with grains has, behind those of its records, with their units.
constexpr std::pair<const char*, const char*> grain_columns[]{
    {"contacts", ""},     {"sweeps", ""},         {"residual_max", ""},    {"residual_rms", ""},
    {"violation", "m"},   {"wrench_change", ""},  {"penetration", "m"},    {"momentum_error", ""},
    {"coordination", ""}, {"solid_fraction", ""}, {"kinetic_energy", "J"}, {"potential_energy", "J"}};

// Mean number of other bodies that a grain presses on.
double coordination(const View& view)
{
    const Model& model = view.model();
    long ends = 0;
    std::pair last{-2, -2};
    for (const ContactRecord& c : view.contacts()) {
        const std::pair pair{c.shape_a, c.shape_b};
        if (!(c.impulse[0] > 0) || pair == last) continue; // the points of a pair stand together
        last = pair;
        for (int shape : {c.shape_a, c.shape_b}) ends += model.grain_of(model.shapes()[shape].body) >= 0;
    }
    return static_cast<double>(ends) / static_cast<double>(model.grains().size());
}

// Whether there may be contacts other than those of grains.
bool bodies_may_touch(const Model& model)
{
    std::vector<int> others;
    for (int s = 0; s < static_cast<int>(model.shapes().size()); ++s)
        if (model.shapes()[s].grain < 0 && model.shapes()[s].material >= 0) others.push_back(s);
    for (const int a : others)
        for (const int b : others)
            if (a < b && model.filter()(a, b)) return true;
    return false;
}

// A ball of 42 vertices: an icosahedron with its edges halved.
Surface coarse_sphere(double radius)
{
    const double phi = (1 + std::sqrt(5.0)) / 2;
    Surface ball;
    for (double a : {-1.0, 1.0})
        for (double b : {-phi, phi}) {
            ball.vertices.emplace_back(0, a, b);
            ball.vertices.emplace_back(a, b, 0);
            ball.vertices.emplace_back(b, 0, a);
        }
    const Hull icosahedron = make_hull(ball.vertices);
    ball.vertices = icosahedron.vertices;
    for (const Hull::Edge& e : icosahedron.edges)
        ball.vertices.push_back(icosahedron.vertices[e.a] + icosahedron.vertices[e.b]);
    for (Eigen::Vector3d& x : ball.vertices) x *= radius / x.norm();
    return surface(Polyhedron{std::make_shared<Hull>(make_hull(ball.vertices))}, 0);
}

const std::vector<std::string> impact_columns{
    "t",         "shape_a",    "shape_b",    "feature", "gap", "approach_speed", "separation_speed",
    "impulse_n", "impulse_t1", "impulse_t2", "energy"};

template <class Columns>
std::vector<std::string> names(const Columns& columns)
{
    std::vector<std::string> all;
    for (const auto& column : columns) all.push_back(column.name);
    return all;
}

} // namespace

// What a checkpoint keeps of the columns, by name.
const std::pair<const char*, double Output::Column::*> Output::column_statistics[]{
    {"column_lines", &Column::lines}, {"column_least", &Column::least},     {"column_most", &Column::most},
    {"column_sum", &Column::sum},     {"column_squares", &Column::squares}, {"column_last", &Column::last}};

Output::Output(const Model& model, const std::vector<Record>& records, const Settings& settings)
    : model_(model), records_(records), settings_(settings), folder_(settings.out)
{
    columns_.push_back({"t", "s"});
    for (const Record& r : records)
        for (const std::string& column : r.columns) columns_.push_back({column, r.unit});
    if (!model.grains().empty())
        for (const auto& [column, unit] : grain_columns) columns_.push_back({column, unit});
    row_.resize(columns_.size());
    bodies_touch_ = bodies_may_touch(model);
    remove_stale_parts(folder_);
    remove_stale_parts(folder_ / "frames");
}

Output::Output(const Model& model, const std::vector<Record>& records, const Settings& settings,
               const View& view)
    : Output(model, records, settings)
{
    SceneWriter::clear(folder_, model.name());
    remove_checkpoints(folder_);
    histories_.emplace(folder_ / "histories.csv", names(columns_));
    impacts_.emplace(folder_ / "impacts.csv", impact_columns);
    prepare_scene(0);
    for (int k = 0; k < static_cast<int>(model.shapes().size()); ++k)
        if (std::holds_alternative<Plane>(model.shapes()[k].shape)) start_.push_back(reach(k, view));
}

Output::Output(const Model& model, const std::vector<Record>& records, const Settings& settings,
               const Checkpoint& from)
    : Output(model, records, settings)
{
    const auto planes = std::ranges::count_if(
        model.shapes(), [](const AttachedShape& s) { return std::holds_alternative<Plane>(s.shape); });
    const std::vector<double>& start = saved_list(from, "planes", 6 * static_cast<std::size_t>(planes));
    for (const char* name : {"histories.csv", "impacts.csv"})
        if (!std::filesystem::exists(folder_ / name))
            notes_.push_back(fmt::format("'{}' is missing: it begins anew where the run goes on.",
                                         (folder_ / name).string()));
    histories_.emplace(folder_ / "histories.csv", names(columns_),
                       saved_number<std::uintmax_t>(from, "files", 0));
    impacts_.emplace(folder_ / "impacts.csv", impact_columns, saved_number<std::uintmax_t>(from, "files", 1));
    for (const auto& [name, of] : column_statistics) {
        const std::vector<double>& values = saved_list(from, name, columns_.size());
        for (std::size_t k = 0; k < columns_.size(); ++k) columns_[k].*of = values[k];
    }
    impact_count_ = saved_number<long>(from, "files", 2);
    frames_before_ = saved_number<int>(from, "files", 3);
    const auto touched = [&](std::size_t k) { return saved_number<int>(from, "touched", k); };
    for (std::size_t k = 0; k + 2 < saved_list(from, "touched").size(); k += 3)
        touched_.insert({touched(k), touched(k + 1), touched(k + 2)});
    prepare_scene(frames_before_);
    for (std::size_t k = 0; k + 5 < start.size(); k += 6)
        start_.push_back({Eigen::Vector3d(start.data() + k), Eigen::Vector3d(start.data() + k + 3)});
}

void Output::save(Checkpoint& checkpoint)
{
    finish_frame();
    checkpoint.run["files"] = {static_cast<double>(histories_->sync()), static_cast<double>(impacts_->sync()),
                               static_cast<double>(impact_count_), static_cast<double>(frames())};
    std::vector<double>& start = checkpoint.run["planes"];
    start.clear();
    for (const Bounds& box : start_)
        for (const Eigen::Vector3d& x : {box.low, box.high}) start.insert(start.end(), x.begin(), x.end());
    std::vector<double>& touched = checkpoint.run["touched"];
    touched.clear();
    for (const auto& contact : touched_) touched.insert(touched.end(), contact.begin(), contact.end());
    for (const auto& [name, of] : column_statistics) {
        std::vector<double>& values = checkpoint.run[name];
        values.clear();
        for (const Column& column : columns_) values.push_back(column.*of);
    }
}

void Output::Column::add(double x)
{
    if (!std::isfinite(x)) return;
    least = lines == 0 ? x : std::min(least, x);
    most = lines == 0 ? x : std::max(most, x);
    ++lines;
    sum += x;
    squares += x * x;
    last = x;
}

nlohmann::json Output::columns() const
{
    nlohmann::json all = nlohmann::json::object();
    for (const Column& c : columns_) {
        nlohmann::json& j = all[c.name];
        j["unit"] = c.unit;
        if (c.lines == 0) continue;
        j["min"] = c.least;
        j["max"] = c.most;
        j["mean"] = c.sum / c.lines;
        j["rms"] = std::sqrt(c.squares / c.lines);
        j["last"] = c.last;
    }
    return all;
}

// A bar with the sides of a rectangle of the same stiffness, E J / (E A) = side^2 / 12: a ring of four
// vertices at each section, faces between the rings and at the ends.
static Drawing beam_drawing(const BeamSpec& beam, std::span<const BodyMotion> sections)
{
    Drawing d{.name = beam.name, .surface = {}, .pose = {}, .body = -1};
    const auto& stiffness = beam.section.stiffness;
    const double y = std::sqrt(3 * stiffness(5, 5) / stiffness(0, 0)); // half a side
    const double z = std::sqrt(3 * stiffness(4, 4) / stiffness(0, 0));
    const Eigen::Vector3d corners[] = {{0, -y, -z}, {0, y, -z}, {0, y, z}, {0, -y, z}};
    for (const BodyMotion& section : sections)
        for (const Eigen::Vector3d& corner : corners) {
            d.surface.vertices.push_back(section.pose * corner);
            d.velocities.push_back(section.velocity +
                                   section.angular_velocity.cross(section.pose.R * corner));
        }
    const int last = static_cast<int>(d.surface.vertices.size()) - 4;
    for (int ring = 0; ring < last; ring += 4)
        for (int k = 0; k < 4; ++k) {
            const int next = (k + 1) % 4;
            d.surface.faces.push_back({ring + k, ring + next, ring + 4 + next, ring + 4 + k});
        }
    if (last > 0) {
        d.surface.faces.push_back({3, 2, 1, 0});
        d.surface.faces.push_back({last, last + 1, last + 2, last + 3});
    }
    return d;
}

void Output::prepare_scene(int keep)
{
    const Model& model = model_;
    if (settings_.frames == 0 || (model.shapes().empty() && model.beams().empty())) return;
    scene_.emplace(folder_, model.name(), keep);
    for (int k = 0; k < static_cast<int>(model.shapes().size()); ++k) {
        const AttachedShape& s = model.shapes()[k];
        if (model.grain_of(s.body) >= 0) continue;
        drawn_.push_back(k);
        Drawing& d = drawings_.emplace_back(Drawing{model.shape_name(k), surface(s.shape, 0), {}, s.body});
        if (!std::holds_alternative<Hollow>(s.shape) && !std::holds_alternative<Plane>(s.shape)) continue;
        d.lines = edges(d.surface);
        d.surface.faces.clear();
    }

    const Surface ball = coarse_sphere(1);
    for (const GrainRecord& grain : model.grains()) {
        Surface& all = grain_surfaces_.emplace_back();
        if (grain.ball) {
            if (!settings_.surfaces) continue;
            all = ball;
            for (Eigen::Vector3d& x : all.vertices) x *= grain.radius;
            continue;
        }
        for (int k = 0; k < grain.shapes; ++k) {
            const AttachedShape& s = model.shapes()[grain.first_shape + k];
            const Surface part = surface(s.shape, 0);
            const int first = static_cast<int>(all.vertices.size());
            for (const Eigen::Vector3d& x : part.vertices) all.vertices.push_back(s.at * x);
            for (std::vector<int> face : part.faces) {
                for (int& vertex : face) vertex += first;
                all.faces.push_back(std::move(face));
            }
        }
    }
}

void Output::draw_grains(const View& view)
{
    const Model& model = view.model();
    grains_.clear();
    chains_.clear();
    for (int g = 0; g < static_cast<int>(view.grains().size()); ++g) {
        const BodyMotion m = view.motion(GrainId{g});
        const Surface& s = grain_surfaces_[g];
        grains_.push_back({s.faces.empty() ? nullptr : &s, m.pose, model.grains()[g].radius, m.velocity,
                           m.angular_velocity, 0, 0});
    }
    for (const ContactRecord& c : view.contacts()) {
        if (!(c.impulse[0] > 0)) continue;
        const double force = c.impulse[0] / view.step_size();
        Eigen::Vector3d ends[2];
        const int shapes[2] = {c.shape_a, c.shape_b};
        bool grain = false;
        for (int side : {0, 1}) {
            const int g = model.grain_of(model.shapes()[shapes[side]].body);
            ends[side] = g >= 0 ? grains_[g].pose.p : c.point;
            if (g < 0) continue;
            grain = true;
            grains_[g].force += force;
            ++grains_[g].contacts;
        }
        if (grain) chains_.push_back({ends[0], ends[1], force});
    }
}

void Output::history(const View& view, const StepReport& report, double momentum_error)
{
    row_[0] = view.time();
    double* out = row_.data() + 1;
    for (const Record& r : records_) {
        try {
            r.write(view, out);
        } catch (const std::exception& error) {
            fail("The record '{}' failed at t = {:g} s: {}{}", r.columns.empty() ? "" : r.columns.front(),
                 view.time(), error.what(), std::string_view(error.what()).ends_with('.') ? "" : ".");
        }
        out += r.columns.size();
    }
    if (!model_.grains().empty()) {
        if (radii_.empty())
            for (const GrainRecord& grain : model_.grains())
                radii_.push_back(std::cbrt(3 / (4 * std::numbers::pi) * grain.mass / grain.density));
        centres_.clear();
        for (const GrainState& grain : view.grains()) centres_.push_back(grain.x);
        const double values[] = {static_cast<double>(report.contacts),
                                 static_cast<double>(report.sweeps),
                                 report.residual,
                                 report.residual_rms,
                                 report.violation,
                                 report.wrench_change,
                                 report.penetration,
                                 momentum_error,
                                 coordination(view),
                                 middle_solid_fraction(centres_, radii_),
                                 view.kinetic_energy(),
                                 view.potential_energy()};
        std::copy(std::begin(values), std::end(values), out);
    }
    for (std::size_t k = 0; k < row_.size(); ++k) columns_[k].add(row_[k]);
    histories_->row(row_);
}

void Output::impacts(const View& view, double t_m)
{
    touching_.clear();
    const Model& model = view.model();
    if (!bodies_touch_) return;
    for (const ContactRecord& c : view.contacts()) {
        if (!(c.impulse[0] > 0)) continue;
        if (std::max(model.grain_of(model.shapes()[c.shape_a].body),
                     model.grain_of(model.shapes()[c.shape_b].body)) >= 0)
            continue;
        touching_.insert({c.shape_a, c.shape_b, c.feature});
        if (touched_.contains({c.shape_a, c.shape_b, c.feature})) continue;
        impacts_->line(fmt::format("{},{},{},{},{},{},{},{},{},{},{}", t_m,
                                   csv_cell(model_.shape_name(c.shape_a)),
                                   csv_cell(model_.shape_name(c.shape_b)), c.feature, c.gap, -c.u_minus[0],
                                   c.u_plus[0], c.impulse[0], c.impulse[1], c.impulse[2], view.energy()));
        ++impact_count_;
    }
    std::swap(touching_, touched_);
}

void Output::frame(const View& view)
{
    if (!scene_) return;
    finish_frame();
    auto start = start_.begin();
    for (std::size_t s = 0; s < drawn_.size(); ++s) {
        const AttachedShape& shape = model_.shapes()[drawn_[s]];
        Drawing& d = drawings_[s];
        d.pose = pose_of(shape, view);
        if (shape.body >= 0) {
            const BodyMotion m = view.body_motion(shape.body);
            d.angular_velocity = m.angular_velocity;
            d.velocity = m.velocity + m.angular_velocity.cross(d.pose.p - m.pose.p);
        }
        const Plane* plane = std::get_if<Plane>(&shape.shape);
        if (!plane) continue;
        const Bounds now = reach(drawn_[s], view), then = *start++;
        Grid drawn = grid(*plane, d.pose, {now.low.cwiseMin(then.low), now.high.cwiseMax(then.high)});
        d.surface.vertices = std::move(drawn.vertices);
        d.lines = std::move(drawn.lines);
    }
    arrows_.clear();
    for (const ContactRecord& c : view.contacts())
        arrows_.push_back({c.point, c.frame * c.impulse, c.gap, c.growth});
    draw_grains(view);
    drawings_.resize(drawn_.size());
    for (std::size_t b = 0; b < model_.beams().size(); ++b)
        drawings_.push_back(beam_drawing(model_.beams()[b], view.sections(static_cast<int>(b))));
    writing_ = std::async(std::launch::async, [this, t = view.time()] {
        scene_->frame(t, drawings_, arrows_, grains_, chains_);
    });
}

void Output::finish_frame()
{
    if (writing_.valid()) writing_.get();
}

void Output::flush()
{
    finish_frame();
    histories_->flush();
    impacts_->flush();
}

} // namespace tamis
