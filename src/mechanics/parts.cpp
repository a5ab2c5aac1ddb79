// Mechanisms are assembled as a run assembles them; see parts.hpp.
#include "tamis/mechanics/parts.hpp"

namespace tamis {

namespace {

std::vector<std::unique_ptr<Part>> make_parts(const Model& model)
{
    std::vector<std::unique_ptr<Part>> parts;
    int q0 = 0, v0 = 0;
    for (const Mechanism& m : model.mechanisms()) {
        parts.push_back(std::make_unique<Part>(model, m, q0, v0));
        q0 += m.nq();
        v0 += m.nv();
    }
    return parts;
}

} // namespace

Parts::Parts(const Model& of) : model(of), all(make_parts(of)), at(of, bodies()), forces(of, bodies())
{
    for (auto& p : all) {
        Eigen::VectorXd v_c;
        p->driven.velocities(0, {}, v_c);
        AssembledMechanism start = assemble(model, p->body, p->driven, v_c);
        p->partition = std::move(start.partition);
        q_of(*p) = start.q;
    }
    at.v.setZero();
    for (const GrainRecord& g : model.grains())
        grains_.push_back({g.at.p, Eigen::Quaterniond(g.at.R), {0, 0, 0}, {0, 0, 0}});
    for (const MemoryRecord& m : model.memories()) memory_.push_back(m.start);
    at.view.set_grains(grains_);
    at.view.set_memory(memory_);
    at.show(0);
}

std::vector<Multibody*> Parts::bodies() const
{
    std::vector<Multibody*> out;
    for (const auto& p : all) out.push_back(&p->body);
    return out;
}

} // namespace tamis
