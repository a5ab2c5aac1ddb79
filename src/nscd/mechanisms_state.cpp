// What mechanisms hold between steps: saved, restored, told; see mechanisms.hpp.
#include "tamis/base/error.hpp"
#include "tamis/nscd/mechanism_block.hpp"
#include "tamis/nscd/mechanisms.hpp"

#include <algorithm>

namespace tamis {

using Eigen::Vector3d;

double Mechanisms::momentum_error(const ContactProblem& problem) const
{
    double error = 0;
    for (int b = 0; b < count(); ++b) error = std::max(error, blocks_[b]->momentum_error(problem, b));
    return error;
}

void Mechanisms::write(const State& state, SavedState& out) const
{
    out.put("q", state.q);
    out.put("v", state.v);
    std::vector<std::int64_t> sizes, members;
    for (const Partition::Sets& sets : state.partitions)
        for (const std::vector<int>* of : {&sets.u, &sets.v, &sets.loop_rows}) {
            sizes.push_back(static_cast<std::int64_t>(of->size()));
            members.insert(members.end(), of->begin(), of->end());
        }
    out.put_integers("partition_sizes", sizes);
    out.put_integers("partitions", members);
    std::vector<double> nodes;
    for (const State::BeamNode& n : state.beam_nodes) {
        nodes.insert(nodes.end(), n.turn.coeffs().data(), n.turn.coeffs().data() + 4);
        for (const Vector3d* x : {&n.x, &n.v, &n.omega}) nodes.insert(nodes.end(), x->data(), x->data() + 3);
    }
    out.put("beam_nodes", nodes);
}

void Mechanisms::read(const SavedState& in, State& state) const
{
    in.get("q", state.q);
    in.get("v", state.v);
    std::vector<std::int64_t> sizes;
    std::size_t total = 0;
    for (const Partition::Sets& sets : state.partitions)
        for (const std::vector<int>* of : {&sets.u, &sets.v, &sets.loop_rows}) {
            sizes.push_back(static_cast<std::int64_t>(of->size()));
            total += of->size();
        }
    if (in.get_integers("partition_sizes", sizes.size()) != sizes)
        fail(
            "The state to go on from has other coordinates than the model '{}': it belongs to another model.",
            model_.name());
    const std::vector<std::int64_t>& members = in.get_integers("partitions", total);
    std::size_t next = 0;
    for (std::size_t m = 0; m < state.partitions.size(); ++m) {
        Partition::Sets& sets = state.partitions[m];
        const auto take = [&](std::vector<int>& of, int below) {
            for (int& x : of) {
                const std::int64_t value = members[next++];
                if (value < 0 || value >= below)
                    fail("The state to go on from names a coordinate that mechanism '{}' does not have: the "
                         "file is damaged.",
                         blocks_[m]->body.mechanism.name());
                x = static_cast<int>(value);
            }
        };
        take(sets.u, blocks_[m]->body.nv);
        take(sets.v, blocks_[m]->body.nv);
        take(sets.loop_rows, blocks_[m]->body.rows);
    }
    const std::vector<double>& nodes = in.get("beam_nodes", 13 * state.beam_nodes.size());
    for (std::size_t k = 0; k < state.beam_nodes.size(); ++k) {
        State::BeamNode& n = state.beam_nodes[k];
        const double* x = &nodes[13 * k];
        n.turn.coeffs() = Eigen::Map<const Eigen::Vector4d>(x);
        n.x = Eigen::Map<const Vector3d>(x + 4);
        n.v = Eigen::Map<const Vector3d>(x + 7);
        n.omega = Eigen::Map<const Vector3d>(x + 10);
    }
}

void Mechanisms::adopt(const State& state)
{
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        MechanismBlock& k = *blocks_[i];
        k.partition->adopt(state.partitions[i]);
        k.driven.velocities(state.t, guided_, k.vc_now);
        for (int j = 0; j < k.driven.count(); ++j)
            if (k.driven.is_guided(j)) k.vc_now[j] = state.v[k.v0 + k.driven.index()[j]];
    }
}

bool Mechanisms::has_loops() const
{
    return std::ranges::any_of(model_.mechanisms(), [](const Mechanism& m) { return !m.loops().empty(); });
}

double Mechanisms::loop_error() const
{
    double most = 0;
    for (const auto& k : blocks_) most = std::max(most, k->partition->loop_error());
    return most;
}

int Mechanisms::partition_changes() const
{
    int changes = 0;
    for (const auto& k : blocks_) changes += k->partition->changes();
    return changes;
}

const std::vector<int>& Mechanisms::independent(int mechanism) const
{
    return blocks_[mechanism]->partition->u;
}

bool Mechanisms::compiled() const
{
    return std::all_of(blocks_.begin(), blocks_.end(), [](const auto& k) { return k->body.compiled(); });
}

std::vector<std::string> Mechanisms::messages() const
{
    std::vector<std::string> out;
    for (const auto& k : blocks_)
        if (!k->partition->redundant().empty()) out.push_back(k->partition->redundant());
    return out;
}

Facts Mechanisms::facts() const
{
    Facts facts{{"equations", compiled() ? "compiled" : "interpreted"},
                {"partition_changes", long{partition_changes()}}};
    std::vector<std::string> names;
    for (const Mechanism& m : model_.mechanisms())
        for (const int c : independent(m.number())) names.push_back(m.coordinate_name(c));
    if (!names.empty()) facts["independent_coordinates"] = std::move(names);
    return facts;
}

void Mechanisms::hash(const State& state, StateHash& hash)
{
    hash.add(state.q.data(), state.q.size());
    hash.add(state.v.data(), state.v.size());
    for (const State::BeamNode& n : state.beam_nodes) {
        hash.add(n.turn.coeffs().data(), 4);
        for (const Vector3d* x : {&n.x, &n.v, &n.omega}) hash.add(x->data(), 3);
    }
}

std::span<const BodyMotion> Mechanisms::sections(int beam, const State& state, const RelativeView& view) const
{
    for (const auto& k : blocks_) {
        if (!k->beams) continue;
        const std::vector<int>& own = k->beams->numbers();
        const auto found = std::find(own.begin(), own.end(), beam);
        if (found != own.end())
            return k->beams->sections(static_cast<int>(found - own.begin()),
                                      state.beam_nodes.data() + k->beam0, view);
    }
    return {};
}

Energy Mechanisms::beam_energy(const State& state, const RelativeView& view) const
{
    Energy sum;
    for (const auto& k : blocks_)
        if (k->beams) sum += k->beams->energy(state.beam_nodes.data() + k->beam0, view);
    return sum;
}

} // namespace tamis
