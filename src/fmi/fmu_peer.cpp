// A macro step is a sequence of steps of the FMU, each under the wrench at its end, held, as FMI has it for inputs.
//
// An iterated coupling repeats macro steps from a saved state. That an FMU promises to go back does not mean that it
// does: before the first step is repeated, two steps are made, made otherwise and made again from the saved state, and
// must come to the same bits.
#include "tamis/fmi/fmu_peer.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/state_hash.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tamis {

using Eigen::Vector3d;

namespace {

Pose inverse(const Pose& p)
{
    return {p.R.transpose(), -(p.R.transpose() * p.p)};
}

// Variables and the values that they start with.
std::vector<std::pair<FmuVariable, std::string>>
start_values(const std::string& words, const FmuDescription& fmu, const std::string& name)
{
    std::vector<std::pair<FmuVariable, std::string>> values;
    for (const std::string& entry : split_words(words, ';')) {
        if (entry.empty()) continue;
        const std::vector<std::string> sides = split_words(entry, '=');
        if (sides.size() != 2 || sides[0].empty())
            fail("The start value '{}' of the FMU '{}' is not understood: write name=value.", entry, name);
        const FmuVariable* v = fmu.find(sides[0]);
        if (!v) fail("The FMU '{}' has no variable '{}' to start with {}.", name, sides[0], sides[1]);
        const auto refuse = [&](const char* why) {
            fail("The variable '{}' of the FMU '{}' cannot be given a start value, as it {}.", v->name, name,
                 why);
        };
        const bool settable = v->causality == FmuCausality::parameter ||
                              v->causality == FmuCausality::input || v->initial == "exact" ||
                              v->initial == "approx";
        if (v->causality == FmuCausality::structural_parameter) refuse("is a structural parameter");
        if (v->variability == FmuVariability::constant || !settable)
            refuse("is neither a parameter nor an input nor has an initial value");
        if (v->size != 1 || v->type == FmuType::binary) refuse("is an array or binary");
        values.emplace_back(*v, sides[1]);
    }
    return values;
}

} // namespace

AcceptedFmu::AcceptedFmu(const FmuOptions& options)
    : archive(options.file, options.limits), name(archive.name()),
      description(read_fmu_description(archive.description(), name)),
      mapping(options.mapping, description, name), values(start_values(options.values, description, name))
{
    const std::string platform = fmu_platform(description.version);
    if (archive.has("binaries/" + platform + "/" + description.identifier + ".so")) return;
    std::string others;
    for (const std::string& other : archive.platforms()) others += (others.empty() ? "" : ", ") + other;
    fail("The FMU '{}' has no library for this machine, binaries/{}/{}.so: it is made for {}.", name,
         platform, description.identifier, others.empty() ? "those who compile it from its sources" : others);
}

FmuPeer::FmuPeer(FmuOptions options, const InterfaceMotion& start, double H)
    : options_(std::move(options)), fmu_(options_), log_(options_.log), rest_(start), marker_(start)
{
    const FmuDescription& d = fmu_.description;
    if (options_.substeps < 1)
        fail("{} sub-steps of the FMU were asked for: give one at least.", options_.substeps);
    h_ = H / options_.substeps;
    if (d.internal_step) {
        const double ratio = h_ / *d.internal_step;
        if (!d.variable_step && !(ratio > 0.5 && std::abs(ratio - std::round(ratio)) < 1e-6 * ratio))
            fail("The FMU '{}' steps by {} s, and {} s is no multiple of it: choose a step that is.",
                 fmu_.name, *d.internal_step, h_);
    }
    if (options_.frame) rest_ = start.seen_from(inverse(*options_.frame));
    seen_ = rest_;
    outputs_.resize(fmu_.mapping.output_size());
    inputs_.resize(fmu_.mapping.input_size());
    instance_ = FmuInstance::make(d, {.name = fmu_.name,
                                      .folder = fmu_.archive.unpack(fmu_platform(d.version)),
                                      .talkative = options_.talkative,
                                      .log = &log_});
    for (const auto& [variable, value] : fmu_.values) instance_->set(variable, value);
    instance_->begin(0, d.tolerance);
    tell(std::array<double, wrench_size>{});
    instance_->end_of_initialisation();
    look(0);
    if (options_.reach > 0)
        check_start(fmt::format("The FMU '{}'", fmu_.name), marker_, start, options_.reach,
                    fmu_.mapping.turns());
}

void FmuPeer::tell(std::span<const double> wire)
{
    Wrench wrench = read_wrench(wire);
    if (options_.frame) {
        const Eigen::Matrix3d back = options_.frame->R.transpose();
        wrench = {back * wrench.force, back * wrench.moment};
    }
    fmu_.mapping.wrench(wrench, inputs_);
    if (!inputs_.empty()) instance_->set(fmu_.mapping.inputs(), inputs_);
}

// The motion now; `h`: since the last look.
void FmuPeer::look(double h)
{
    instance_->get(fmu_.mapping.outputs(), outputs_);
    for (std::size_t k = 0; k < outputs_.size(); ++k)
        if (!std::isfinite(outputs_[k]))
            fail("The FMU '{}' gives {} for its output '{}' at t = {:.6g} s.", fmu_.name, outputs_[k],
                 fmu_.mapping.output_name(k), time());
    seen_ = fmu_.mapping.motion(outputs_, rest_, seen_, h);
    marker_ = options_.frame ? seen_.seen_from(*options_.frame) : seen_;
}

void FmuPeer::output(std::span<const double>, std::span<double> y) const
{
    marker_.write(y);
}

bool FmuPeer::predict(double H, std::span<double> y)
{
    marker_.coasted(H).write(y);
    return true;
}

void FmuPeer::advance(double H, const Signal& u)
{
    for (int k = 1; k <= options_.substeps; ++k) {
        u.at(k * h_, wire_);
        tell(wire_);
        instance_->step(time(), h_, !tried_);
        ++steps_;
    }
    look(H);
}

void FmuPeer::save()
{
    if (!fmu_.description.saves_state)
        fail(
            "The FMU '{}' cannot go back to a saved state (canGetAndSetFMUstate), which iterations need: couple it "
            "loosely, staggered or explicitly, with one exchange in a step.",
            fmu_.name);
    instance_->save_state();
    saved_ = {steps_, seen_, marker_};
    if (!std::exchange(tried_, true)) try_out();
}

void FmuPeer::restore()
{
    instance_->restore_state();
    steps_ = saved_.steps;
    seen_ = saved_.seen;
    marker_ = saved_.marker;
}

// With wrenches of 1 N and 1 N m; larger ones, up to 1e6, where these do not change any output.
void FmuPeer::try_out()
{
    const auto steps = [&](double size) {
        std::vector<double> all;
        std::array<double, wrench_size> wrench;
        for (int k = 0; k < 2; ++k) {
            for (std::size_t i = 0; i < wrench.size(); ++i) wrench[i] = size * (k == 0 ? 1 : -0.25);
            tell(wrench);
            instance_->step(time(), h_, false);
            ++steps_;
            look(h_);
            all.insert(all.end(), outputs_.begin(), outputs_.end());
        }
        restore();
        return all;
    };
    const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
        return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
    };
    for (const double size : {1.0, 1e3, 1e6}) {
        std::vector<double> once, other, again;
        try {
            once = steps(size), other = steps(-0.5 * size), again = steps(size);
        } catch (const Error& error) {
            fail(
                "The trial whether the FMU goes back to a saved state, with wrenches of {:g} N and N m, failed, which "
                "a coupling that is loose, staggered or explicit does without: {}",
                size, error.what());
        }
        if (!same(once, again))
            fail(
                "The FMU '{}' promises to go back to a saved state (canGetAndSetFMUstate), but a step repeated from "
                "one ends elsewhere: couple it loosely, staggered or explicitly, with one exchange in a step.",
                fmu_.name);
        if (inputs_.empty() || !same(once, other)) break;
    }
}

void FmuPeer::write(SavedState& out) const
{
    if (!fmu_.description.serialises_state)
        fail(
            "The state of the FMU '{}' cannot be written to a file (canSerializeFMUstate): run without checkpoints.",
            fmu_.name);
    instance_->save_state();
    const std::vector<std::byte> bytes = instance_->serialised();
    std::vector<std::int64_t> words(1 + (bytes.size() + 7) / 8);
    words[0] = static_cast<std::int64_t>(bytes.size());
    std::memcpy(words.data() + 1, bytes.data(), bytes.size());
    out.put_integers("fmu", words);
    out.put_integers("steps", std::array{steps_});
    std::array<double, InterfaceMotion::size> wire;
    seen_.write(wire);
    out.put("motion", wire);
}

void FmuPeer::read(const SavedState& in)
{
    const std::vector<std::int64_t>& words = in.get_integers("fmu");
    const std::uint64_t size = words.empty() ? 0 : static_cast<std::uint64_t>(words[0]);
    if (words.empty() || words[0] < 0 || words.size() != 1 + (size + 7) / 8)
        fail("The state to go on from has another size of the FMU '{}' than it says.", fmu_.name);
    std::vector<std::byte> bytes(size);
    std::memcpy(bytes.data(), words.data() + 1, size);
    instance_->deserialise(bytes);
    instance_->restore_state();
    steps_ = in.get_integers("steps", 1)[0];
    const std::vector<double>& wire = in.get("motion", InterfaceMotion::size);
    seen_ = InterfaceMotion::read(wire);
    seen_.turn = Eigen::Quaterniond(wire[3], wire[4], wire[5], wire[6]); // to the bit, not normalised anew
    marker_ = options_.frame ? seen_.seen_from(*options_.frame) : seen_;
}

std::uint64_t FmuPeer::state_hash() const
{
    std::array<double, InterfaceMotion::size> wire;
    marker_.write(wire);
    StateHash hash;
    hash.add(wire.data(), wire.size());
    return hash.value;
}

} // namespace tamis
