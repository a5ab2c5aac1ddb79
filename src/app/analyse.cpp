// Each kind of analysis prints its table, writes its files, and leaves its numbers for analysis.json.
#include "tamis/app/analyse.hpp"

#include "tamis/app/analysis_options.hpp"
#include "tamis/app/output.hpp"
#include "tamis/app/sensitivity.hpp"
#include "tamis/io/file.hpp"
#include "tamis/mechanics/equilibrium.hpp"
#include "tamis/mechanics/inverse_dynamics.hpp"
#include "tamis/mechanics/prescribed.hpp"
#include "tamis/mechanics/travel.hpp"
#include "tamis/mechanics/vibration.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numbers>

namespace tamis {

namespace {

constexpr int most_rows = 40; // of a table in the terminal

nlohmann::json rows(const Eigen::MatrixXd& A)
{
    nlohmann::json out = nlohmann::json::array();
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
        nlohmann::json row = nlohmann::json::array();
        for (Eigen::Index j = 0; j < A.cols(); ++j) row.push_back(A(i, j));
        out.push_back(row);
    }
    return out;
}

// All coordinates of a model but those of spherical joints.
std::vector<Coordinate> scalar_coordinates(const Model& model)
{
    std::vector<Coordinate> out;
    for (const Mechanism& m : model.mechanisms())
        for (const Mechanism::Link& l : m.links())
            if (l.nv() == 1) out.push_back({m.number(), l.v});
    return out;
}

const char* unit(const Model& model, Coordinate c)
{
    for (const Mechanism::Link& l : model.mechanisms()[c.mechanism].links())
        if (l.v == c.index && l.joint.kind == ElementaryJoint::prismatic) return "m";
    return "rad";
}

// The model with what --hold and --move ask for.
Model prescribed(const Script& script)
{
    const Model& model = script.finished();
    const AnalysisOptions& a = *script.analysis();
    std::vector<Drive> drives;
    for (const std::string& name : a.hold)
        drives.push_back(steady_motion(model, coordinate_named(model, name), 0));
    for (const auto& [name, speed] : a.move)
        drives.push_back(steady_motion(model, coordinate_named(model, name), speed));
    return with_drives(model, drives);
}

// What the analyses do not see.
std::vector<std::string> left_out(const Model& model)
{
    std::vector<std::string> out;
    if (!model.grains().empty())
        out.push_back(fmt::format("{} grains and all contacts are left out.", model.grains().size()));
    else if (model.may_touch())
        out.push_back("Contacts are left out.");
    if (!model.memories().empty()) out.push_back("Memories stay as at the start.");
    return out;
}

class Analyses {
  public:
    Analyses(const Script& script, Study& study)
        : script_(script), options_(*script.analysis()), study_(study), model_(prescribed(script))
    {
    }

    void equilibrium_and_modes()
    {
        if (model_.mechanisms().empty() || scalar_coordinates(model_).empty())
            fail("The model '{}' has no mechanism with joints that move: there is nothing to analyse.",
                 model_.name());
        const bool needs_rest = options_.has("equilibrium") || !options_.at_start;
        Machine machine(model_);
        if (machine.size() == 0)
            fail("All coordinates of the model '{}' are driven or held: nothing is free to rest or to swing.",
                 model_.name());
        const Machine::Place start = machine.place();
        if (needs_rest) {
            const Equilibrium found = find_equilibrium(machine);
            machine.take_named();
            if (options_.has("equilibrium")) tell(machine, found);
        }
        if (!options_.has("modes")) return;
        if (options_.at_start) {
            machine.go_to(start);
            machine.take_named();
        }
        modes(machine);
    }

    void inverse()
    {
        const double h = script_.settings().t_end / (options_.samples - 1);
        InverseDynamics inverse(model_, h);
        if (const std::string redundant = inverse.redundant(); !redundant.empty())
            study_.say("  note: " + redundant + " What joints and loops carry is not unique.");
        std::vector<std::string> columns{"t"};
        for (const auto& d : inverse.driven())
            for (const char* what : {"", ".v", ".a", ".force"})
                columns.push_back(coordinate_name(model_, d.on) + what);
        for (const auto* of : {&inverse.joints(), &inverse.loops()})
            for (const auto& r : *of)
                for (const char* what : {".Fx", ".Fy", ".Fz", ".Mx", ".My", ".Mz"})
                    columns.push_back(r.name + what);
        columns.emplace_back("power");
        Study::Table& table = study_.table("histories.csv", columns);
        for (int n = 0; n < options_.samples; ++n) {
            study_.progress(n, options_.samples);
            if (n > 0) inverse.go_to(n * h);
            std::vector<double> row{n * h};
            for (const auto& d : inverse.driven()) row.insert(row.end(), {d.q, d.v, d.a, d.force});
            for (const auto* of : {&inverse.joints(), &inverse.loops()})
                for (const auto& r : *of)
                    row.insert(row.end(),
                               {r.force[0], r.force[1], r.force[2], r.moment[0], r.moment[1], r.moment[2]});
            row.push_back(inverse.power());
            table.row(row);
        }
        study_.say(fmt::format("  inverse dynamics, {} times up to {:g} s", options_.samples,
                               script_.settings().t_end));
        study_.say(
            fmt::format("    {:<28} {:>12} {:>12} {:>12}", "force of the drive of", "least", "most", "rms"));
        nlohmann::json& json = results["inverse"];
        const auto peak = [&](const std::string& name, const std::string& column, const char* of) {
            const auto x = table.columns()[column];
            double squares = 0;
            for (const double value : x) squares += value * value;
            const double least = *std::ranges::min_element(x), most = *std::ranges::max_element(x),
                         rms = std::sqrt(squares / static_cast<double>(x.size()));
            study_.say(
                fmt::format("    {:<28} {:>12.6g} {:>12.6g} {:>12.6g} {}", name, least, most, rms, of));
            json["drives"][name] = {{"least", least}, {"most", most}, {"rms", rms}};
        };
        for (const auto& d : inverse.driven()) {
            const std::string name = coordinate_name(model_, d.on);
            peak(name, name + ".force", unit(model_, d.on) == std::string("m") ? "N" : "N m");
        }
        study_.say(fmt::format("    {:<28} {:>12}", "largest in the joint of", "force"));
        for (const auto* of : {&inverse.joints(), &inverse.loops()})
            for (const auto& r : *of) {
                const auto x = table.columns()[r.name + ".Fx"], y = table.columns()[r.name + ".Fy"],
                           z = table.columns()[r.name + ".Fz"];
                double largest = 0;
                for (std::size_t k = 0; k < x.size(); ++k)
                    largest = std::max(largest, std::hypot(x[k], y[k], z[k]));
                json[of == &inverse.joints() ? "joints" : "loops"][r.name]["largest_force_N"] = largest;
                study_.say(fmt::format("    {:<28} {:>12.6g} N{}", r.name, largest,
                                       of == &inverse.loops() ? "  (loop)" : ""));
            }
    }

    void range()
    {
        const Coordinate swept = coordinate_named(model_, options_.sweep);
        const Travel found = find_travel(model_, swept, {.from = options_.from, .to = options_.to});
        std::vector<std::string> held, columns;
        for (const Coordinate c : found.held) held.push_back(coordinate_name(model_, c));
        for (const Coordinate c : found.moving) columns.push_back(coordinate_name(model_, c));
        if (!held.empty())
            study_.say(fmt::format("  note: the mechanism has {} freedoms: held where they start: {}.",
                                   held.size() + 1, fmt::join(held, ", ")));
        study_.say(fmt::format(
            "  range of '{}': {:.9g} to {:.9g} {}; upwards it {}{}", options_.sweep, found.least, found.most,
            unit(model_, swept), end_name(found.up),
            found.down == found.up ? "" : fmt::format(", downwards it {}", end_name(found.down))));
        nlohmann::json& json = results["range"];
        json = {{"swept", options_.sweep},
                {"least", found.least},
                {"most", found.most},
                {"upwards", end_name(found.up)},
                {"downwards", end_name(found.down)},
                {"held", held},
                {"branches", found.branches},
                {"turnings", nlohmann::json::array()}};
        if (!found.turnings.empty())
            study_.say(fmt::format("    {:<28} {:>14} {:>14}  turns round: a dead point with it as driver",
                                   "coordinate", "value", options_.sweep));
        for (const Turning& t : found.turnings) {
            const std::string name = coordinate_name(model_, t.of);
            study_.say(fmt::format("    {:<28} {:>14.9g} {:>14.9g}  {}", name, t.value, t.swept,
                                   t.least ? "least" : "most"));
            json["turnings"].push_back({{"coordinate", name},
                                        {"value", t.value},
                                        {"swept", t.swept},
                                        {"extreme", t.least ? "least" : "most"}});
        }
        if (found.turnings.empty()) study_.say("    no coordinate turns round: there are no dead points");
        for (const double at : found.branches)
            study_.say(
                fmt::format("    at {} = {:.6g} the mechanism may go on in two ways", options_.sweep, at));
        columns.emplace_back("share");
        Study::Table& table = study_.table("range.csv", columns);
        for (const Travel::Point& p : found.points) {
            std::vector<double> row(p.values.data(), p.values.data() + p.values.size());
            row.push_back(p.share);
            table.row(row);
        }
    }

    // Of the machine where the options say: coordinates, or frequencies and damping ratios.
    static Outcomes outcomes(const Script& script)
    {
        const AnalysisOptions& a = *script.analysis();
        const Model model = prescribed(script);
        Machine machine(model);
        Outcomes out;
        if (a.of == "equilibrium" || !a.at_start) find_equilibrium(machine);
        if (a.of == "equilibrium") {
            for (const Coordinate c : scalar_coordinates(model))
                out.emplace_back(coordinate_name(model, c), machine.view().q(c));
            return out;
        }
        machine.take_named();
        const std::vector<Mode> modes = vibration_modes(machine, machine.small_motions());
        for (std::size_t k = 0; k < modes.size() && k < 10; ++k) {
            out.emplace_back(fmt::format("mode {} natural Hz", k + 1), modes[k].natural());
            out.emplace_back(fmt::format("mode {} damping", k + 1), modes[k].damping());
        }
        return out;
    }

    nlohmann::json results = nlohmann::json::object();

  private:
    void tell(const Machine& machine, const Equilibrium& found)
    {
        const std::string weakest = machine.names()[found.check.weakest];
        const std::string how = found.check.stability == Stability::stable ? ""
                                : found.check.stability == Stability::neutral
                                    ? fmt::format(": nothing pulls '{}' back", weakest)
                                    : fmt::format(": '{}' moves away by itself", weakest);
        study_.say(
            fmt::format("  equilibrium: {}{} ({} iterations; forces balance to {:.1e} of weight and load)",
                        stability_name(found.check.stability), how, found.iterations, found.unbalanced));
        nlohmann::json& json = results["equilibrium"];
        json = {{"stability", stability_name(found.check.stability)},
                {"iterations", found.iterations},
                {"unbalanced", found.unbalanced},
                {"negative_eigenvalues", found.check.negative},
                {"zero_eigenvalues", found.check.zero},
                {"coordinates", nlohmann::json::object()}};
        int told = 0;
        std::string csv = "coordinate,value,unit\n";
        for (const Coordinate c : scalar_coordinates(model_)) {
            const std::string name = coordinate_name(model_, c);
            const double x = machine.view().q(c);
            if (++told <= most_rows)
                study_.say(fmt::format("    {:<28} {:>16.9g} {}", name, x, unit(model_, c)));
            json["coordinates"][name] = x;
            csv += fmt::format("{},{},{}\n", csv_cell(name), x, unit(model_, c));
        }
        for (std::size_t b = 0; b < model_.bodies().size(); ++b) {
            const Eigen::Vector3d p = machine.view().body_motion(static_cast<int>(b)).pose.p;
            json["bodies"][model_.bodies()[b].name]["position"] = {p[0], p[1], p[2]};
        }
        study_.write("equilibrium.csv", csv);
    }

    void modes(Machine& machine)
    {
        const Machine::SmallMotions small = machine.small_motions();
        const std::vector<Mode> found = vibration_modes(machine, small);
        const std::vector<std::string> names = machine.names();
        study_.say(fmt::format("  modes about the {}, in {} coordinates",
                               options_.at_start ? "start, at rest" : "equilibrium", names.size()));
        if (options_.at_start) {
            const double force = machine.force().cwiseProduct(machine.scale()).cwiseAbs().maxCoeff();
            if (force > 1e-6 * machine.weight())
                study_.say("    (it is no equilibrium: as if constant forces held it there)");
        }
        study_.say(fmt::format("    {:>4} {:>14} {:>14} {:>12}  moves most", "mode", "frequency Hz",
                               "natural Hz", "damping"));
        std::string csv = "mode,frequency_Hz,natural_Hz,damping_ratio,rate_per_s";
        for (const std::string& name : names) csv += "," + csv_cell(name) + "," + csv_cell(name + " phase");
        csv += "\n";
        nlohmann::json& json = results["modes"];
        json = {{"about", options_.at_start ? "start" : "equilibrium"},
                {"coordinates", names},
                {"modes", nlohmann::json::array()}};
        if (names.size() <= 60)
            json.update({{"M", rows(small.M)}, {"C", rows(small.C)}, {"K", rows(small.K)}});
        for (std::size_t k = 0; k < found.size(); ++k) {
            const Mode& m = found[k];
            Eigen::Index most = 0;
            m.shape.cwiseQuotient(machine.scale().cast<std::complex<double>>()).cwiseAbs().maxCoeff(&most);
            const char* note = m.lambda == 0.0                               ? "  (moves freely)"
                               : m.lambda.real() > 1e-9 * std::abs(m.lambda) ? "  (grows)"
                               : m.frequency() == 0                          ? "  (creeps back)"
                                                                             : "";
            if (k < most_rows)
                study_.say(fmt::format("    {:>4} {:>14.7g} {:>14.7g} {:>12.5g}  {}{}", k + 1, m.frequency(),
                                       m.natural(), m.damping(), names[most], note));
            csv += fmt::format("{},{},{},{},{}", k + 1, m.frequency(), m.natural(), m.damping(),
                               m.lambda.real());
            nlohmann::json shape = nlohmann::json::array();
            for (const std::complex<double> x : m.shape) {
                csv += fmt::format(",{},{}", std::abs(x), std::arg(x));
                shape.push_back({std::abs(x), std::arg(x)});
            }
            csv += "\n";
            json["modes"].push_back({{"frequency_Hz", m.frequency()},
                                     {"natural_Hz", m.natural()},
                                     {"damping_ratio", m.damping()},
                                     {"rate_per_s", m.lambda.real()},
                                     {"shape_amplitude_phase", shape}});
        }
        study_.write("modes.csv", csv);
        if (!study_.writes() || script_.settings().frames == 0) return;
        for (int k = 0; k < options_.modes && k < static_cast<int>(found.size()); ++k)
            animate(machine, found[k], k + 1);
    }

    // One period as frames of a run, in a folder of its own; without decay.
    void animate(Machine& machine, const Mode& mode, int number)
    {
        const std::string folder = fmt::format("mode_{}", number);
        Settings settings = script_.settings();
        settings.out = (study_.folder() / folder).string();
        make_directory(settings.out);
        std::vector<Record> records;
        for (const Coordinate c : scalar_coordinates(model_))
            records.push_back({{coordinate_name(model_, c)},
                               unit(model_, c),
                               [c](const View& s, double* out) { *out = s.q(c); }});
        Output output(model_, records, settings, machine.view());
        const double period = mode.frequency() > 0 ? 1 / mode.frequency() : 1;
        const Machine::Place rest = machine.place();
        const auto at = [&](double phase, double size) {
            const Eigen::VectorXd dx = size * (mode.shape * std::polar(1.0, phase)).real();
            return machine.move(dx);
        };
        const int frames = settings.frames;
        for (double size = 0.2 * amplitude(machine, mode); size > 1e-6; size /= 2) {
            bool possible = true; // loops may not close so far away
            for (int f = 0; f < frames && possible; ++f) {
                possible = at(2 * std::numbers::pi * f / frames, size);
                machine.go_to(rest);
            }
            if (!possible) continue;
            for (int f = 0; f <= frames; ++f) {
                at(2 * std::numbers::pi * f / frames, size);
                machine.show_time(period * f / frames);
                output.frame(machine.view());
                output.history(machine.view(), {}, 0);
                machine.go_to(rest);
            }
            break;
        }
        output.flush();
        SummaryFile(settings.out, model_.name(), script_.options())
            .write("finished", {{"mode", number},
                                {"frequency_Hz", mode.frequency()},
                                {"damping_ratio", mode.damping()},
                                {"columns", output.columns()}});
        if (output.frames() > 0)
            study_.say(
                fmt::format("    mode {}: {}", number,
                            (std::filesystem::path(settings.out) / (model_.name() + ".pvd")).string()));
        else if (number == 1)
            study_.say("    no frames: no body has a shape (model.attach or model.show)");
    }
    // By which a shape is to be multiplied so that its largest turn is 1 rad, or its largest displacement the length of
    // the model: of what is larger.
    double amplitude(const Machine& machine, const Mode& mode) const
    {
        double length = 0; // between bodies and nodes of beams
        Eigen::Vector3d low = Eigen::Vector3d::Zero(), high = low;
        const auto reach = [&](const Eigen::Vector3d& p) {
            low = low.cwiseMin(p);
            high = high.cwiseMax(p);
        };
        for (std::size_t b = 0; b < model_.bodies().size(); ++b)
            reach(machine.view().body_motion(static_cast<int>(b)).pose.p);
        length = std::max((high - low).norm(), 1e-3);
        double largest = 0;
        const std::vector<Coordinate> first = machine.independent();
        for (Eigen::Index k = 0; k < mode.shape.size(); ++k) {
            const bool turn = k < static_cast<Eigen::Index>(first.size())
                                  ? unit(model_, first[static_cast<std::size_t>(k)]) == std::string("rad")
                                  : (k - static_cast<Eigen::Index>(first.size())) % 6 > 2;
            largest = std::max(largest, std::abs(mode.shape[k]) / (turn ? 1 : length));
        }
        return largest > 0 ? 1 / largest : 1;
    }

    const Script& script_;
    const AnalysisOptions& options_;
    Study& study_;
    const Model model_;
};

} // namespace

void analyse(const Script& script, const std::vector<std::string>& arguments, Study& study)
{
    const AnalysisOptions& a = *script.analysis();
    Analyses analyses(script, study);
    const std::vector<std::string> notes = left_out(script.finished());
    for (const std::string& note : notes) study.say("  note: " + note);
    if (a.has("equilibrium") || a.has("modes")) analyses.equilibrium_and_modes();
    if (a.has("inverse")) analyses.inverse();
    if (a.has("range")) analyses.range();
    if (a.has("sensitivity"))
        analyses.results["sensitivity"] = sensitivities(script, arguments, study, Analyses::outcomes);
    analyses.results["left_out"] = notes;
    study.write("analysis.json", analyses.results.dump(1) + "\n");
    study.results = analyses.results;
}

} // namespace tamis
