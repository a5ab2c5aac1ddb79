// Start of a mechanism: driven coordinates q_c(0), then h(q) = 0 by the dependent coordinates from their start values,
// and velocities with J v = 0 and v_c of the drives.
#include "tamis/model/assembly.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace tamis {

DrivenCoordinates::DrivenCoordinates(const Model& model, int mechanism, std::span<const Coordinate> guided)
    : mechanism_(model.mechanisms()[mechanism])
{
    std::vector<std::tuple<int, const Motion*, int>> all;
    for (const Drive& d : model.drives())
        if (d.on.mechanism == mechanism) all.emplace_back(d.on.index, &d.motion, -1);
    for (std::size_t i = 0; i < guided.size(); ++i)
        if (guided[i].mechanism == mechanism) all.emplace_back(guided[i].index, nullptr, static_cast<int>(i));
    std::sort(all.begin(), all.end());
    for (const auto& [index, motion, guide] : all) {
        if (!index_.empty() && index_.back() == index)
            fail("Coordinate '{}' is driven and guided, or guided twice: one of them must go.",
                 mechanism_.coordinate_name(index));
        index_.push_back(index);
        motions_.push_back(motion);
        guide_.push_back(guide);
    }
}

void DrivenCoordinates::place(double* q, double t) const
{
    for (std::size_t i = 0; i < motions_.size(); ++i) {
        if (!motions_[i]) continue;
        const double position = motions_[i]->position(t);
        if (!std::isfinite(position) || !std::isfinite(motions_[i]->velocity(t)))
            fail("The drive of '{}' is not finite at t = {:.6g} s.", mechanism_.coordinate_name(index_[i]),
                 t);
        q[mechanism_.position_index(index_[i])] = position;
    }
}

void DrivenCoordinates::velocities(double t, std::span<const double> guided, Eigen::VectorXd& v_c) const
{
    v_c.resize(count());
    for (int i = 0; i < count(); ++i) v_c[i] = motions_[i] ? motions_[i]->velocity(t) : guided[guide_[i]];
}

AssembledMechanism assemble(const Model& model, Multibody& body, const DrivenCoordinates& driven,
                            const Eigen::VectorXd& v_c)
{
    const int number = body.mechanism.number();
    const StartValues& start = model.start_of(number);
    AssembledMechanism out;
    out.q = start.q;
    driven.place(out.q.data(), 0);
    out.partition =
        std::make_unique<Partition>(body, model.independent_of(number), driven.index(), out.q.data());
    out.partition->close(out.q.data(), 0);
    out.partition->project();
    out.partition->maintain();
    out.v = out.partition->start_velocity(start.v, v_c);
    return out;
}

std::vector<BodyMotion> start_motions(const Model& model)
{
    std::vector<BodyMotion> motions(model.bodies().size());
    std::vector<Eigen::Matrix<double, 6, 1>> velocities;
    for (const Mechanism& m : model.mechanisms()) {
        Multibody body(m, Equations::Source::tape); // evaluated once
        const DrivenCoordinates driven(model, m.number());
        Eigen::VectorXd v_c;
        driven.velocities(0, {}, v_c);
        const AssembledMechanism start = assemble(model, body, driven, v_c);
        Placement placement(body);
        placement.update(start.q.data());
        placement.velocities(start.v.data(), velocities);
        for (std::size_t b = 0; b < motions.size(); ++b) {
            const BodyRecord& record = model.bodies()[b];
            if (record.mechanism != m.number()) continue;
            const auto& v = velocities[record.link];
            motions[b] = {placement.link(record.link), v.head<3>(), v.tail<3>()};
        }
    }
    return motions;
}

} // namespace tamis
