// The model is made as late as possible, at the end of the initialisation or when an output is asked for, with the
// parameters as they are then, and the nonsmooth side with the marker where the inputs say. Between communication
// points the marker moves as in every coupling: positions and rates on straight lines, orientation by SLERP.
//
// A communication step H is divided into n = ceil(H / h) equal inner steps; h is the parameter. Steps of one length
// have the times of a coupling in one process, multiples of it, and not those of a running sum.
#include "tamis/app/granular_fmu.hpp"

#include "tamis/io/file.hpp"
#include "tamis/model/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace tamis {

namespace {

constexpr double most_inner_steps = 1e9; // in a communication step

FmuModel read_model(const std::filesystem::path& resources, const std::string& token)
{
    FmuModel model;
    try {
        model = fmu_model_of_json(read_file(resources / "model.json"));
    } catch (const std::exception& error) {
        fail("The resources of the FMU are not in '{}', or are damaged ({}): unpack the whole archive.",
             resources.string(), error.what());
    }
    if (token != model.content.token)
        fail("The FMU of model '{}' was to be made with the token '{}', and its own is '{}': take both from "
             "the same archive.",
             model.content.model, token, model.content.token);
    return model;
}

std::vector<ExportValue> start_values(const FmuModel& model)
{
    std::vector<ExportValue> values;
    for (const ExportVariable& v : model.content.variables) values.push_back(v.start);
    return values;
}

const char* type_name(const ExportValue& value)
{
    constexpr const char* names[] = {"a real number", "an integer", "a Boolean", "a text"};
    return names[value.index()];
}

void check_range(const ExportVariable& v, const ExportValue& value)
{
    double x = 0;
    if (const double* real = std::get_if<double>(&value))
        x = *real;
    else if (const int* whole = std::get_if<int>(&value))
        x = *whole;
    else
        return;
    if (!std::isfinite(x)) fail("'{}' was to be {}: give a finite number.", v.name, x);
    if (x > v.most || x < v.least || (v.above && x == v.least))
        fail("'{}' was to be {}, beyond its range: see the model description.", v.name, x);
}

// Of the quaternion in a motion as on the wire.
double norm_of_turn(std::span<const double> wire)
{
    return Eigen::Map<const Eigen::Vector4d>(&wire[3]).norm();
}
bool is_turn(std::span<const double> wire)
{
    const double norm = norm_of_turn(wire);
    return norm > 0.5 && norm < 2;
}

bool all_finite(std::span<const double> values)
{
    return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

// Numbers of a saved state, which may come from anywhere.
template <class Number>
Number within(std::int64_t value, std::int64_t least, const char* what)
{
    if (value < least || value > std::numeric_limits<Number>::max())
        fail("The state has {} {}: it is damaged.", value, what);
    return static_cast<Number>(value);
}

} // namespace

GranularFmu::GranularFmu(const std::filesystem::path& resources, const std::string& token)
    : model_(read_model(resources, token)), packings_((resources / "packings").string()),
      values_(start_values(model_))
{
}

const ExportVariable& GranularFmu::variable(unsigned reference) const
{
    if (reference >= values_.size())
        fail("There is no variable with the value reference {}: those of model '{}' go from 0 to {}.",
             reference, model_.content.model, values_.size() - 1);
    return model_.content.variables[reference];
}

void GranularFmu::check(unsigned reference, const ExportValue& value) const
{
    const ExportVariable& v = variable(reference);
    if (value.index() != v.start.index())
        fail("'{}' is {}, and {} was to be set.", v.name, type_name(v.start), type_name(value));
    if (v.causality == ExportCausality::output) fail("'{}' is an output: it cannot be set.", v.name);
    if (v.causality == ExportCausality::parameter && stage_ == stepping)
        fail("'{}' is a fixed parameter: set it before the end of the initialisation.", v.name);
    check_range(v, value);
}

void GranularFmu::set(unsigned reference, ExportValue value)
{
    check(reference, value);
    values_[reference] = std::move(value);
    if (stage_ == stepping) return; // inputs, for the step to come
    side_.reset();
    evaluated_ = false;
}

const ExportValue& GranularFmu::get(unsigned reference)
{
    if (variable(reference).causality == ExportCausality::output) {
        if (stage_ == instantiated)
            fail("'{}' is an output, which has no value before the initialisation.",
                 variable(reference).name);
        if (stage_ == initialization) need_side();
        if (stage_ != failed) evaluate();
    }
    return values_[reference];
}

InterfaceMotion GranularFmu::inputs() const
{
    Wire wire{};
    for (std::size_t k = 0; k < model_.inputs(); ++k) wire[k] = number(model_.first_input() + k);
    if (!is_turn(wire))
        fail(
            "orientation.w, .x, .y and .z have the norm {:.3g}, and a rotation has 1: give a unit quaternion.",
            norm_of_turn(wire));
    return InterfaceMotion::read(wire);
}

InterfaceMotion GranularFmu::motion_ahead(double H) const
{
    InterfaceMotion m = inputs();
    if (!std::get<bool>(values_[FmuModel::extrapolate])) return m;
    m.x += H * (m.v + H / 2 * m.a);
    m.turn = (exp_turn(H * (m.omega + H / 2 * m.alpha)) * m.turn).normalized();
    m.v += H * m.a;
    m.omega += H * m.alpha;
    return m;
}

void GranularFmu::make_script()
{
    std::vector<ExportValue> parameters(values_.begin(),
                                        values_.begin() + static_cast<std::ptrdiff_t>(model_.first_input()));
    if (script_ && parameters == built_) return;
    side_.reset();
    script_.reset();
    static std::mutex one_at_a_time; // what model files do is their own
    const std::lock_guard lock(one_at_a_time);
    script_ = tamis::make_script(model_, parameters, packings_);
    built_ = std::move(parameters);
}

void GranularFmu::make_side(const InterfaceMotion& start)
{
    make_script();
    CoupledOptions options = script_->coupled_options();
    options.H = number(FmuModel::inner_step);
    grid_ = {.H = options.H};
    options.nonsmooth_substeps = 1;
    side_ = std::make_unique<GuidedSide>(script_->finished(), *script_->where_cut(), options, start);
    side_->show(start);
    start.write(marker_);
    unconverged_ = 0;
    evaluated_ = false;
}

void GranularFmu::need_side()
{
    if (!side_) make_side(inputs());
}

void GranularFmu::set_start(double time)
{
    if (!std::isfinite(time)) fail("The start time is {} s: give a finite one.", time);
    start_ = time_ = time;
}

void GranularFmu::exit_initialization()
{
    need_side();
    stage_ = stepping;
}

void GranularFmu::reset()
{
    values_ = start_values(model_);
    stage_ = instantiated;
    start_ = time_ = 0;
    side_.reset();
    evaluated_ = false;
}

void GranularFmu::step(double t, double H)
{
    if (!(H > 0) || !std::isfinite(H)) fail("The step is to be {} s long: give a positive length.", H);
    if (!(std::abs(t - time_) <= 1e-3 * H + 1e-9 * std::abs(time_)))
        fail("A step was to begin at {} s, and the FMU is at {} s: give the end of the last step.", t, time_);
    const double inner = number(FmuModel::inner_step), parts = std::ceil(H / inner - 1e-6);
    if (!(parts <= most_inner_steps))
        fail("A step of {} s would be {:.3g} inner steps of {} s: give a shorter one.", H, parts, inner);
    const InterfaceMotion next = motion_ahead(H);
    try {
        const int n = std::max(1, static_cast<int>(parts));
        Wire end;
        next.write(end);
        Signal motion(InterfaceMotion::size);
        const std::array<Signal::Sample, 2> samples{{{H, end}, {0, marker_}}};
        motion.through(samples);
        divide(H, n);
        side_->peer().advance(H, motion);
        side_->show(next);
        unconverged_ += side_->peer().unconverged();
        marker_ = end;
        time_ = t + H;
        evaluated_ = false;
    } catch (...) {
        stage_ = failed;
        throw;
    }
}

void GranularFmu::divide(double H, int n)
{
    if (H == grid_.H && n == grid_.n) return;
    grid_ = {}; // none, if this fails
    side_->peer().divide(H, n);
    const State& now = side_->peer().stepper().state();
    grid_ = {H, n, now.t, now.step};
}

void GranularFmu::evaluate()
{
    if (evaluated_ || !side_) return;
    std::array<double, wrench_size> wrench;
    side_->peer().output({}, wrench);
    for (std::size_t k = 0; k < wrench.size(); ++k) values_[model_.first_wrench() + k] = wrench[k];
    StepReport report;
    side_->peer().report(report);
    values_[model_.contacts()] = report.contacts;
    values_[model_.unconverged()] = unconverged_;
    std::size_t place = model_.first_record();
    std::vector<double> columns;
    for (const Record& record : script_->records()) {
        columns.resize(record.columns.size());
        record.write(side_->view(), columns.data());
        for (const double x : columns) values_[place++] = x;
    }
    evaluated_ = true;
}

SavedState GranularFmu::save()
{
    if (stage_ == stepping || stage_ == terminated) evaluate();
    SavedState out;
    std::vector<double> numbers;
    std::vector<std::int64_t> integers;
    for (std::size_t k = 0; k < values_.size(); ++k) {
        if (const double* x = std::get_if<double>(&values_[k]))
            numbers.push_back(*x);
        else if (const int* n = std::get_if<int>(&values_[k]))
            integers.push_back(*n);
        else if (const bool* b = std::get_if<bool>(&values_[k]))
            integers.push_back(*b ? 1 : 0);
        else
            out.put_integers(fmt::format("fmu/text/{}", k), std::get<std::string>(values_[k]));
    }
    out.put("fmu/numbers", numbers);
    out.put_integers("fmu/integers", integers);
    out.put_integers("fmu/token", model_.content.token);
    out.put_integers("fmu/stage", std::array<std::int64_t, 2>{stage_, unconverged_});
    out.put("fmu/times", std::array{start_, time_});
    out.put("fmu/grid", std::array{grid_.H, grid_.t});
    out.put_integers("fmu/steps", std::array<std::int64_t, 2>{grid_.n, grid_.step});
    out.put("fmu/marker", marker_);
    if (stage_ == stepping || stage_ == terminated) {
        SavedState side;
        side_->peer().write(side);
        out.put_part("side", side);
    }
    return out;
}

std::vector<ExportValue> GranularFmu::read_values(const SavedState& saved) const
{
    const auto& token = saved.get_integers("fmu/token");
    if (!std::ranges::equal(token, model_.content.token)) fail("The state is that of another FMU.");
    std::vector<ExportValue> values = start_values(model_);
    const auto& numbers = saved.get("fmu/numbers");
    const auto& integers = saved.get_integers("fmu/integers");
    std::size_t number = 0, integer = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (double* x = std::get_if<double>(&values[k]); x && number < numbers.size())
            *x = numbers[number++];
        else if (int* n = std::get_if<int>(&values[k]); n && integer < integers.size())
            *n = within<int>(integers[integer++], std::numeric_limits<int>::min(), "as an integer");
        else if (bool* b = std::get_if<bool>(&values[k]); b && integer < integers.size())
            *b = integers[integer++] != 0;
        else if (std::string* text = std::get_if<std::string>(&values[k])) {
            text->clear();
            for (const std::int64_t letter : saved.get_integers(fmt::format("fmu/text/{}", k)))
                *text += within<char>(letter, std::numeric_limits<char>::min(), "as a letter");
        } else
            fail("The state has too few values: it is damaged.");
        const ExportVariable& v = model_.content.variables[k];
        if (v.causality != ExportCausality::output) check_range(v, values[k]);
    }
    return values;
}

// A grid begins at a present step. Hence the state is put there first, unless it is on the present grid.
void GranularFmu::read_side(const Grid& grid, const SavedState& side)
{
    NonsmoothPeer& peer = side_->peer();
    if (grid != grid_) {
        SavedState begin = side;
        begin.t = grid.t;
        begin.step = grid.step;
        peer.read(begin);
        grid_ = {};
        peer.divide(grid.H, grid.n);
        grid_ = grid;
    }
    peer.read(side);
}

void GranularFmu::restore(const SavedState& saved)
{
    const auto& stage = saved.get_integers("fmu/stage", 2);
    if (stage[0] != instantiated && stage[0] != initialization && stage[0] != stepping &&
        stage[0] != terminated)
        fail("The state has the stage {}: it is damaged.", stage[0]);
    const int unconverged = within<int>(stage[1], 0, "inner steps that have not converged");
    const auto& times = saved.get("fmu/times", 2);
    const auto& lengths = saved.get("fmu/grid", 2);
    const auto& counts = saved.get_integers("fmu/steps", 2);
    const Grid grid{lengths[0], within<int>(counts[0], 1, "inner steps in one"), lengths[1],
                    within<long>(counts[1], 0, "inner steps")};
    Wire wire;
    saved.get("fmu/marker", wire);
    std::vector<ExportValue> values = read_values(saved);
    const bool steps = stage[0] == stepping || stage[0] == terminated;
    SavedState side;
    bool sound = all_finite(times);
    if (steps) {
        side = saved.part("side");
        for (const auto& [name, numbers] : side.numbers) // (laws keep in their memory what they like)
            sound = sound && (name == "memory" || all_finite(numbers));
        sound = sound && all_finite(lengths) && all_finite(wire) && is_turn(wire) && grid.H / grid.n > 0 &&
                side.step >= grid.step;
    }
    if (!sound) fail("The state has numbers that no step leaves behind: it is damaged.");
    values_ = std::move(values);
    stage_ = failed; // until all is read
    if (steps) {
        make_script();
        const InterfaceMotion motion = InterfaceMotion::read(wire);
        if (!side_) make_side(motion);
        read_side(grid, side);
        side_->show(motion);
    } else {
        side_.reset();
    }
    marker_ = wire;
    start_ = times[0];
    time_ = times[1];
    unconverged_ = unconverged;
    evaluated_ = steps;
    stage_ = static_cast<Stage>(stage[0]);
}

} // namespace tamis
