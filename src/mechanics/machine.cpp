// With f(q, v) the forces on all joint coordinates and v = B x', the force on the independent ones is g = B^T f. Its
// change along x holds the change of B, hence second derivatives of the loops. These are avoided by multipliers:
//
//     f^ = f - J^T lambda,   J_v^T lambda = f_v,   g = B^T f = B^T f^  since J B = 0
//     dg/dx = B^T (df^/dq)|_lambda B
//
// for the rows of dB/dx that are not zero are the dependent ones, where f^ vanishes. So all columns of K come from
// central differences of f^ along those of B, of order four; those of C in the same way along velocities. Beams: with
// r, K_b the sum of their elements over the nodes and T the map from x' to the velocities of nodes, g -= T^T r and
// K += T^T K_b T; the change of T is in the differences, with r held.
#include "tamis/mechanics/machine.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <numeric>

namespace tamis {

namespace {
constexpr double difference = 1e-4; // of scale(): truncation (1e-4)^4, round-off 1e-16 / 1e-4
}

Machine::Machine(const Model& model) : parts_(model)
{
    for (auto& p : parts_.all) {
        p->partition =
            std::make_unique<Partition>(p->body, std::vector<int>{}, p->driven.index(), parts_.q(*p));
        p->partition->project();
    }
    f_ = parts_.at.v;
    if (!model.beams().empty()) {
        beams_ = std::make_unique<BeamNodes>(model, view());
        parts_.at.view.make_sections = [this](int beam) { return beams_->sections(beam); };
        parts_.at.view.make_beam_energy = [this] { return beams_->energy(); };
    }
    number_coordinates();
}

void Machine::number_coordinates()
{
    coordinates_ = 0;
    for (auto& p : parts_.all) {
        p->x0 = coordinates_;
        coordinates_ += p->partition->nu();
    }
}

std::vector<Coordinate> Machine::independent() const
{
    std::vector<Coordinate> out;
    for (const auto& p : parts_.all)
        for (const int j : p->partition->u) out.push_back({p->body.mechanism.number(), j});
    return out;
}

std::vector<std::string> Machine::names() const
{
    std::vector<std::string> out;
    for (const Coordinate c : independent())
        out.push_back(model().mechanisms()[c.mechanism].coordinate_name(c.index));
    for (int k = 0; beams_ && k < beams_->inner(); ++k)
        for (const char* what : {"x", "y", "z", "turn x", "turn y", "turn z"})
            out.push_back(fmt::format("{} {}", beams_->name(k), what));
    return out;
}

Eigen::VectorXd Machine::scale() const
{
    Eigen::VectorXd out = Eigen::VectorXd::Ones(size());
    double length = 0;
    for (const auto& p : parts_.all) {
        length = std::max(length, p->body.length_scale);
        for (int k = 0; k < p->partition->nu(); ++k)
            if (!p->body.turns(p->partition->u[k])) out[p->x0 + k] = p->body.length_scale;
    }
    for (int k = coordinates_; k < size(); ++k)
        if ((k - coordinates_) % 6 < 3) out[k] = length;
    return out;
}

double Machine::weight() const
{
    double mass = 0, length = 0;
    for (const BodyRecord& b : model().bodies()) mass += b.mass;
    for (const auto& p : parts_.all) length = std::max(length, p->body.length_scale);
    return mass * model().gravity_value().norm() * length;
}

void Machine::take_named()
{
    for (auto& p : parts_.all) {
        const std::vector<int>& named = model().independent_of(p->body.mechanism.number());
        if (named.empty()) continue;
        Eigen::VectorXd q = parts_.q_of(*p);
        try {
            auto partition = std::make_unique<Partition>(p->body, named, p->driven.index(), q.data());
            partition->project();
            if (partition->B.allFinite() && partition->B.cwiseAbs().maxCoeff() < 1e6)
                p->partition = std::move(partition);
        } catch (const Error&) { // singular here: those chosen stay
        }
    }
    number_coordinates();
}

Machine::Place Machine::place() const
{
    Place out{parts_.at.q, {}, {}};
    if (beams_) out.nodes = beams_->motion();
    for (const auto& p : parts_.all) out.sets.push_back(p->partition->sets());
    return out;
}

void Machine::go_to(const Place& place)
{
    parts_.at.q = place.q;
    for (std::size_t m = 0; m < parts_.all.size(); ++m) {
        Part& p = *parts_.all[m];
        if (p.body.rows > 0) p.body.loops(parts_.q(p));
        p.partition->adopt(place.sets[m]);
    }
    number_coordinates();
    parts_.at.show(0);
    if (beams_) beams_->restore(place.nodes);
}

bool Machine::move(const Eigen::VectorXd& dx)
{
    const Place before = place();
    for (auto& p : parts_.all) {
        const Partition& part = *p->partition;
        Eigen::VectorXd q(p->body.nq);
        const Eigen::VectorXd dq = part.B * dx.segment(p->x0, part.nu());
        p->body.advance(parts_.q(*p), dq.data(), q.data());
        try {
            p->partition->close(q.data(), 1); // (a time that is not the start: for its messages only)
        } catch (const Error&) {
            go_to(before);
            return false;
        }
        parts_.q_of(*p) = q;
        p->partition->project();
    }
    parts_.at.show(0);
    if (beams_) {
        beams_->place_ends(parts_.at.view);
        beams_->move(dx.tail(6 * beams_->inner()));
    }
    if (parts_.at.q.allFinite()) return true;
    go_to(before);
    return false;
}

void Machine::maintain()
{
    for (auto& p : parts_.all) p->partition->maintain();
    number_coordinates();
}

Part* Machine::part_of(int body)
{
    return body < 0 ? nullptr : parts_.all[model().bodies()[body].mechanism].get();
}

Machine::Matrix Machine::end_map(const BeamNodes::Node& end)
{
    const BodyRecord& body = model().bodies()[end.frame.body];
    const Placement& placement = parts_.at.view.placement(body.mechanism);
    Multibody::RowMatrix J = Multibody::RowMatrix::Zero(6, parts_.all[body.mechanism]->body.nv);
    const Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
    placement.add_point_map(body.link, placement.link(body.link) * end.frame.local.p, axes, 1,
                            J.topRows<3>());
    placement.add_turn_map(body.link, axes, 1, J.bottomRows<3>());
    return J;
}

void Machine::evaluate()
{
    parts_.at.show(0);
    parts_.forces.evaluate(parts_.at, false);
    for (std::size_t m = 0; m < parts_.all.size(); ++m) {
        Part& p = *parts_.all[m];
        p.body.bias(parts_.q(p), parts_.v(p));
        f_.segment(p.v0, p.body.nv) = parts_.forces.on(static_cast<int>(m)).Q - p.body.c;
    }
    for (std::size_t k = 0; beams_ && k < beams_->nodes().size(); ++k) {
        const BeamNodes::Node& node = beams_->nodes()[k];
        if (Part* p = node.inner < 0 ? part_of(node.frame.body) : nullptr)
            f_.segment(p->v0, p->body.nv) -= end_map(node).transpose() * terms_.r.segment<6>(6 * k);
    }
}

void Machine::balance_loops()
{
    for (auto& p : parts_.all) {
        const Partition& part = *p->partition;
        Eigen::VectorXd f_v(part.v.size());
        for (std::size_t k = 0; k < part.v.size(); ++k) f_v[k] = f_[p->v0 + part.v[k]];
        p->lambda = part.J_v_inverse().transpose() * f_v;
    }
}

void Machine::add_loop_forces(const Part& p)
{
    for (std::size_t i = 0; i < p.partition->loop_rows.size(); ++i)
        f_.segment(p.v0, p.body.nv) -= p.lambda[i] * p.body.J.row(p.partition->loop_rows[i]).transpose();
}

Eigen::VectorXd Machine::reduced(const Eigen::VectorXd& f) const
{
    Eigen::VectorXd g(coordinates_);
    for (const auto& p : parts_.all)
        g.segment(p->x0, p->partition->nu()) = p->partition->B.transpose() * f.segment(p->v0, p->body.nv);
    return g;
}

Eigen::VectorXd Machine::force()
{
    if (beams_) terms_ = beams_->terms(false);
    evaluate();
    Eigen::VectorXd g(size());
    g.head(coordinates_) = reduced(f_);
    for (std::size_t k = 0; beams_ && k < beams_->nodes().size(); ++k)
        if (const int inner = beams_->nodes()[k].inner; inner >= 0)
            g.segment<6>(coordinates_ + 6 * inner) = -terms_.r.segment<6>(6 * k);
    return g;
}

Machine::Matrix Machine::node_map()
{
    Matrix T = Matrix::Zero(6 * static_cast<Eigen::Index>(beams_->nodes().size()), size());
    for (std::size_t k = 0; k < beams_->nodes().size(); ++k) {
        const BeamNodes::Node& node = beams_->nodes()[k];
        const auto row = static_cast<Eigen::Index>(6 * k);
        if (node.inner >= 0)
            T.block<6, 6>(row, coordinates_ + 6 * node.inner).setIdentity();
        else if (const Part* p = part_of(node.frame.body))
            T.block(row, p->x0, 6, p->partition->nu()) = end_map(node) * p->partition->B;
    }
    return T;
}

Machine::Matrix Machine::slopes(bool of_velocity)
{
    const Eigen::VectorXd q = parts_.at.q, size_of = scale();
    for (auto& p : parts_.all)
        if (p->body.rows > 0) p->body.loops(q.data() + p->q0);
    evaluate();
    balance_loops();
    Matrix out = Matrix::Zero(coordinates_, coordinates_);
    for (auto& moved : parts_.all)
        for (int k = 0; k < moved->partition->nu(); ++k) {
            const double step = difference * size_of[moved->x0 + k];
            const Eigen::VectorXd along = moved->partition->B.col(k);
            const auto f_at = [&](double distance) -> Eigen::VectorXd {
                auto q_m = parts_.at.q.segment(moved->q0, moved->body.nq);
                if (of_velocity) {
                    parts_.at.v.segment(moved->v0, moved->body.nv) = distance * along;
                } else {
                    Eigen::VectorXd there(moved->body.nq);
                    moved->body.advance(q.data() + moved->q0, along.data(), there.data(), distance);
                    q_m = there;
                    if (moved->body.rows > 0) moved->body.loops(there.data());
                }
                evaluate();
                for (auto& p : parts_.all) add_loop_forces(*p);
                parts_.at.v.setZero();
                q_m = q.segment(moved->q0, moved->body.nq);
                return f_;
            };
            out.col(moved->x0 + k) =
                reduced((8 * (f_at(step) - f_at(-step)) - (f_at(2 * step) - f_at(-2 * step))) / (12 * step));
            if (moved->body.rows > 0) moved->body.loops(q.data() + moved->q0);
        }
    parts_.at.show(0);
    return out;
}

Machine::Matrix Machine::stiffness()
{
    if (beams_) terms_ = beams_->terms(true);
    Matrix K = Matrix::Zero(size(), size());
    K.topLeftCorner(coordinates_, coordinates_) = -slopes(false);
    if (beams_) {
        const Matrix T = node_map();
        K += T.transpose() * terms_.K * T;
    }
    return K;
}

Machine::SmallMotions Machine::small_motions()
{
    SmallMotions out{Matrix::Zero(size(), size()), Matrix::Zero(size(), size()), stiffness()};
    out.C.topLeftCorner(coordinates_, coordinates_) = -slopes(true);
    for (auto& p : parts_.all) {
        const Matrix& B = p->partition->B;
        p->body.dynamics(parts_.q(*p), parts_.v(*p));
        out.M.block(p->x0, p->x0, B.cols(), B.cols()) = B.transpose() * p->body.M * B;
    }
    if (beams_) {
        const Matrix T = node_map();
        out.M += T.transpose() * terms_.M * T;
        out.C += T.transpose() * terms_.C * T;
    }
    return out;
}

} // namespace tamis
