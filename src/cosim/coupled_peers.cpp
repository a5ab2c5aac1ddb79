// A coupling behind the interface of a method. Its state is that of the coupling and, under their names, those of the
// peers; it is taken and restored at communication points.
#include "tamis/cosim/coupled_peers.hpp"

#include "tamis/base/state_hash.hpp"

#include <algorithm>

namespace tamis {

void CoupledPeers::connect(std::vector<Peer*> peers, Coupling::Connection connection,
                           const CouplingOptions& options)
{
    peers_ = std::move(peers);
    connection_ = std::move(connection);
    options_ = options;
    couple();
}

void CoupledPeers::couple()
{
    coupling_.emplace(peers_, connection_, options_);
}

StepReport CoupledPeers::step()
{
    clock_.start();
    coupling_->step();
    StepReport report;
    for (Peer* peer : peers_) {
        peer->accept();
        peer->report(report);
    }
    show();
    clock_.end(Phase::update);
    return report;
}

std::uint64_t CoupledPeers::state_hash() const
{
    StateHash hash;
    for (const Peer* peer : peers_) hash.add(peer->state_hash());
    return hash.value;
}

double CoupledPeers::momentum_error() const
{
    double largest = 0;
    for (const Peer* peer : peers_) largest = std::max(largest, peer->momentum_error());
    return largest;
}

SavedState CoupledPeers::save() const
{
    SavedState out, coupling;
    coupling_->write(coupling);
    out.t = coupling_->time();
    out.step = coupling_->statistics().steps;
    out.put_part("coupling", coupling);
    for (const Peer* peer : peers_) {
        SavedState state;
        peer->write(state);
        out.put_part(peer->name(), state);
    }
    return out;
}

void CoupledPeers::restore(const SavedState& saved)
{
    for (Peer* peer : peers_) peer->read(saved.part(peer->name()));
    couple();
    coupling_->read(saved.part("coupling"));
    show();
}

std::vector<std::string> CoupledPeers::messages() const
{
    const CouplingStatistics& s = coupling_->statistics();
    if (s.not_converged == 0) return {};
    return {
        fmt::format("{} of {} macro steps did not converge within {} iterations, the worst with a change of "
                    "{:.1e} times the tolerance: allow more iterations, accelerate them, or reduce the step.",
                    s.not_converged, s.steps, options_.max_iterations, s.worst_change)};
}

Facts CoupledPeers::facts() const
{
    const CouplingStatistics& s = coupling_->statistics();
    Facts facts{{"coupling/iterations", s.iterations}, {"coupling/steps_not_converged", s.not_converged}};
    for (const Peer* peer : peers_) facts.merge(peer->facts());
    return facts;
}

} // namespace tamis
