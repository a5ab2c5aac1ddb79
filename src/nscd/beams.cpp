// Assembly of beams into the block of their mechanism; see beams.hpp.
#include "tamis/nscd/beams.hpp"

#include "tamis/base/error.hpp"
#include "tamis/model/rotation.hpp"

namespace tamis {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;

namespace {

int mechanism_of(const Model& model, const BeamSpec& beam)
{
    for (const Frame end : {beam.a, beam.b})
        if (const int body = model.frame_record(end).body; body >= 0) return model.bodies()[body].mechanism;
    return beam.a.mechanism;
}

NodeMotion moved(const NodeMotion& node, const Vector6& step)
{
    NodeMotion out = node;
    out.x += step.head<3>();
    out.R = (exp_turn(step.tail<3>()) * Eigen::Quaterniond(node.R)).normalized().toRotationMatrix();
    return out;
}

} // namespace

Beams::Beams(const Model& model, int mechanism, const View& view)
{
    for (std::size_t number = 0; number < model.beams().size(); ++number) {
        const BeamSpec& s = model.beams()[number];
        if (mechanism_of(model, s) != mechanism) continue;
        NodeMotion at[2];
        for (const int k : {0, 1}) {
            End end;
            end.frame = model.frame_record(k == 0 ? s.a : s.b);
            if (end.frame.body >= 0) {
                const BodyRecord& body = model.bodies()[end.frame.body];
                if (body.mechanism != mechanism)
                    fail("Beam '{}' ties two mechanisms, which relative coordinates keep apart: add both of "
                         "its bodies to one mechanism, or run the model by the smooth method.",
                         s.name);
                end.link = body.link;
            }
            at[k] = end_motion(end, view);
            ends_.push_back(std::move(end));
        }
        const Vector3d y = end_motion(ends_[ends_.size() - 2], view).R * s.y;
        const BeamLayout layout{s.name,    s.elements,           s.section, y, s.damping,
                                s.inertia, model.gravity_value()};
        const std::vector<NodeMotion> nodes = beam_nodes(layout, at[0], at[1]);
        numbers_.push_back(static_cast<int>(number));
        std::vector<int>& own = beam_nodes_.emplace_back();
        std::vector<Matrix3d>& turn = turn_.emplace_back();
        for (const NodeMotion& n : nodes) turn.push_back(n.R.transpose() * nodes[1].R);
        own.push_back(-1); // ends have their numbers when all inner nodes are known
        for (std::size_t k = 1; k + 1 < nodes.size(); ++k) {
            own.push_back(inner_++);
            start_.push_back(nodes[k]);
        }
        own.push_back(-1);
    }
    for (std::size_t b = 0; b < beam_nodes_.size(); ++b) {
        beam_nodes_[b].front() = inner_ + 2 * static_cast<int>(b);
        beam_nodes_[b].back() = beam_nodes_[b].front() + 1;
    }
    for (const End& end : ends_) start_.push_back(end_motion(end, view));
    for (std::size_t b = 0; b < numbers_.size(); ++b) {
        const BeamSpec& s = model.beams()[numbers_[b]];
        std::vector<NodeMotion> nodes;
        for (const int node : beam_nodes_[b]) nodes.push_back(start_[node]);
        const BeamLayout layout{s.name,    s.elements,           s.section, nodes.front().R * s.y, s.damping,
                                s.inertia, model.gravity_value()};
        for (auto& element : beam_elements(layout, nodes, beam_nodes_[b])) {
            terms_.emplace_back().resize(static_cast<int>(element->nodes().size()), 0);
            elements_.push_back(std::move(element));
        }
    }
    work_.element.resize(elements_.size());
    nodes_ = start_;
    at_m_.resize(inner_);
    V_n_.assign(start_.size(), Vector6::Zero());
    dV_ = b_ = V_n_;
}

NodeMotion Beams::end_motion(const End& end, const View& view) const
{
    NodeMotion out;
    const BodyMotion m = view.body_motion(end.frame.body);
    const Pose pose = m.pose * end.frame.local;
    out.R = pose.R;
    out.x = pose.p;
    out.omega = m.angular_velocity;
    out.v = m.velocity + m.angular_velocity.cross(pose.p - m.pose.p);
    return out;
}

void Beams::start(State::BeamNode* state) const
{
    for (int k = 0; k < inner_; ++k)
        state[k] = {Eigen::Quaterniond(start_[k].R).normalized(), start_[k].x, start_[k].v, start_[k].omega};
}

void Beams::predict(const State::BeamNode* state, const StepTimes& s)
{
    const double before = s.before();
    for (int k = 0; k < inner_; ++k) {
        const State::BeamNode& n = state[k];
        at_m_[k] = {(exp_turn(before * n.omega) * n.turn).normalized(), n.x + before * n.v, n.v, n.omega};
        NodeMotion& node = nodes_[k];
        node.R = at_m_[k].turn.toRotationMatrix();
        node.x = at_m_[k].x;
        node.v = n.v;
        node.omega = n.omega;
        V_n_[k] << n.v, n.omega;
    }
    for (Vector6& d : dV_) d.setZero();
    condensed_ = false;
}

void Beams::place_ends(const RelativeView& middle, const Partition& p, const double* v, bool first)
{
    n_u_ = p.nu();
    const int mechanism_dofs = static_cast<int>(p.B.rows());
    const Placement* placement = nullptr;
    for (std::size_t e = 0; e < ends_.size(); ++e) {
        End& end = ends_[e];
        const int node = inner_ + static_cast<int>(e);
        nodes_[node] = end_motion(end, middle);
        end.J.setZero(6, mechanism_dofs);
        end.drift.setZero();
        if (end.link >= 0) {
            if (!placement) {
                placement = &middle.placement(middle.model().bodies()[end.frame.body].mechanism);
                placement->velocities(v, link_velocity_);
                placement->bias_accelerations(v, link_velocity_, link_acceleration_);
            }
            const Matrix3d axes = Matrix3d::Identity();
            placement->add_point_map(end.link, nodes_[node].x, axes, 1, end.J.topRows<3>());
            placement->add_turn_map(end.link, axes, 1, end.J.bottomRows<3>());
            const Vector6 &w = link_velocity_[end.link], &a = link_acceleration_[end.link];
            const Vector3d r = nodes_[node].x - placement->link(end.link).p, omega = w.tail<3>();
            end.drift << a.head<3>() + a.tail<3>().cross(r) + omega.cross(omega.cross(r)), a.tail<3>();
        }
        work_.T.noalias() = end.J * p.B;
        end.T = work_.T;
        if (first) V_n_[node] << nodes_[node].v, nodes_[node].omega;
    }
    if (!matrix_) make_matrix(n_u_);
}

void Beams::make_matrix(int n_u)
{
    std::vector<std::pair<int, int>> pattern;
    for (int i = 0; i < n_u; ++i)
        for (int j = 0; j < n_u; ++j) pattern.emplace_back(j, i);
    for (const auto& element : elements_) {
        std::vector<int> dofs;
        for (const int node : element->nodes()) {
            if (!is_end(node))
                for (int k = 0; k < 6; ++k) dofs.push_back(n_u + 6 * node + k);
            else if (ends_[node - inner_].link >= 0)
                for (int k = 0; k < n_u; ++k) dofs.push_back(k);
        }
        for (const int i : dofs)
            for (const int j : dofs) pattern.emplace_back(j, i);
    }
    matrix_ = std::make_unique<NewtonMatrix>(n_u + unknowns(), std::move(pattern));
}

void Beams::evaluate(const StepTimes& s)
{
    for (std::size_t e = 0; e < elements_.size(); ++e) {
        gathered_.clear();
        for (const int node : elements_[e]->nodes()) {
            gathered_.push_back(nodes_[node]);
            gathered_.back().a.setZero();
            gathered_.back().alpha.setZero();
        }
        terms_[e].clear();
        elements_[e]->add({s.t_m, s.h, gathered_, {}}, terms_[e], true);
    }
}

void Beams::linearise(const StepTimes& s, const Eigen::MatrixXd& M_red)
{
    evaluate(s);
    const std::span<double> values = matrix_->values();
    std::fill(values.begin(), values.end(), 0.0);
    for (int i = 0; i < n_u_; ++i)
        for (int j = 0; j < n_u_; ++j) values[matrix_->slot(i, j)] += M_red(i, j);
    for (std::size_t e = 0; e < elements_.size(); ++e) {
        const ElementTerms& t = terms_[e];
        const std::vector<int>& nodes = elements_[e]->nodes();
        Eigen::MatrixXd& E = work_.element[e].E;
        E = t.M + s.h * s.theta * t.C + s.h * s.h * s.theta * s.theta * t.K;
        for (std::size_t a = 0; a < nodes.size(); ++a)
            for (std::size_t b = 0; b < nodes.size(); ++b) {
                const End* end_a = is_end(nodes[a]) ? &ends_[nodes[a] - inner_] : nullptr;
                const End* end_b = is_end(nodes[b]) ? &ends_[nodes[b] - inner_] : nullptr;
                if ((end_a && end_a->link < 0) || (end_b && end_b->link < 0)) continue;
                const Eigen::MatrixXd* part = &work_.block; // or T_a^T block T_b
                work_.block = E.block<6, 6>(6 * static_cast<int>(a), 6 * static_cast<int>(b));
                if (end_b) {
                    work_.right.noalias() = work_.block * end_b->T;
                    part = &work_.right;
                }
                if (end_a) {
                    Eigen::MatrixXd& left = end_b ? work_.both : work_.left;
                    left.noalias() = end_a->T.transpose() * *part;
                    part = &left;
                }
                const int row = end_a ? 0 : n_u_ + 6 * nodes[a], column = end_b ? 0 : n_u_ + 6 * nodes[b];
                for (int i = 0; i < part->rows(); ++i)
                    for (int j = 0; j < part->cols(); ++j)
                        values[matrix_->slot(row + i, column + j)] += (*part)(i, j);
            }
    }
    if (!pivots_) matrix_->choose_pivots();
    pivots_ = true;
    work_.none.setZero(n_u_ + unknowns());
    if (!matrix_->solve(work_.none, true))
        fail("At t = {:.6g} s the equations of the beams cannot be solved: the motion diverged; reduce the "
             "step.",
             s.t);
}

const Eigen::MatrixXd& Beams::response()
{
    if (condensed_) return response_;
    response_.resize(n_u_, n_u_);
    inner_response_.resize(unknowns(), n_u_);
    for (int j = 0; j < n_u_; ++j) {
        work_.column.setZero(n_u_ + unknowns());
        work_.column[j] = 1;
        matrix_->solve(work_.column, false);
        response_.col(j) = work_.column.head(n_u_);
        inner_response_.col(j) = work_.column.tail(unknowns());
    }
    response_lu_.compute(response_);
    condensed_ = true;
    return response_;
}

void Beams::follow(Eigen::VectorXd& change)
{
    if (!condensed_) return; // no contact changes anything
    work_.impulse = change.head(n_u_);
    work_.on_end = response_lu_.solve(work_.impulse);
    change.tail(unknowns()).noalias() += inner_response_ * work_.on_end;
}

// h r and what implicit forces add, if the velocities of the nodes change by `dV` over the step.
template <class Use>
void Beams::loads(const StepTimes& s, const std::vector<Vector6>& dV, bool newton, Use&& use)
{
    const double step = s.h * s.theta, late = s.h * s.h * (2 * s.theta - 1);
    for (std::size_t e = 0; e < elements_.size(); ++e) {
        const ElementTerms& t = terms_[e];
        auto& [E, x, before, change, product, load] = work_.element[e];
        const std::vector<int>& nodes = elements_[e]->nodes();
        const int size = 6 * static_cast<int>(nodes.size());
        x.resize(size);
        before.resize(size);
        change.resize(size);
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            x.segment<6>(6 * static_cast<int>(k)) = dV[nodes[k]];
            before.segment<6>(6 * static_cast<int>(k)) = V_n_[nodes[k]];
            change.segment<6>(6 * static_cast<int>(k)) = dV_[nodes[k]];
        }
        change = x - change;
        product.noalias() = t.M * x;
        load = s.h * t.r + product;
        product.noalias() = step * (t.C * change);
        load += product;
        if (newton) {
            product.noalias() = step * step * (t.K * change);
        } else {
            before = step * step * x + late * before;
            product.noalias() = t.K * before;
        }
        load += product;
        for (std::size_t k = 0; k < nodes.size(); ++k)
            use(nodes[k], load.segment<6>(6 * static_cast<int>(k)));
    }
}

void Beams::add_loads(const StepTimes& s, const Eigen::VectorXd& d_beta, bool newton, Eigen::VectorXd& rhs)
{
    for (std::size_t e = 0; e < ends_.size(); ++e)
        b_[inner_ + e] = ends_[e].J * d_beta + s.h * ends_[e].drift;
    loads(s, b_, newton, [&](int node, const auto& own) {
        if (!is_end(node)) {
            rhs.segment<6>(n_u_ + 6 * node) -= own;
            return;
        }
        work_.on_end.noalias() = ends_[node - inner_].T.transpose() * own;
        rhs.head(n_u_) -= work_.on_end;
    });
}

void Beams::add_reactions(const StepTimes& s, const Eigen::VectorXd& dw, bool newton,
                          Eigen::VectorXd& missing)
{
    work_.dV.resize(dV_.size());
    for (int k = 0; k < static_cast<int>(dV_.size()); ++k) work_.dV[k] = change(k, dw);
    loads(s, work_.dV, newton, [&](int node, const auto& own) {
        if (!is_end(node)) return;
        work_.on_joints.noalias() = ends_[node - inner_].J.transpose() * own;
        missing += work_.on_joints;
    });
}

Vector6 Beams::change(int node, const Eigen::VectorXd& dw) const
{
    if (is_end(node)) return ends_[node - inner_].T * dw.head(n_u_) + b_[node];
    return dw.segment<6>(n_u_ + 6 * node);
}

void Beams::go_to(const StepTimes& s, const Eigen::VectorXd& dw, bool newton)
{
    for (int k = 0; k < static_cast<int>(dV_.size()); ++k) {
        dV_[k] = change(k, dw);
        if (is_end(k)) continue; // placed by the view
        const Vector6 V = V_n_[k] + s.theta * dV_[k];
        NodeMotion node = nodes_[k];
        if (newton) {
            node.x = at_m_[k].x;
            node.R = at_m_[k].turn.toRotationMatrix();
            node = moved(node, s.h * (s.theta * s.theta * dV_[k] + (2 * s.theta - 1) * V_n_[k]));
        }
        node.v = V.head<3>();
        node.omega = V.tail<3>();
        nodes_[k] = node;
    }
}

void Beams::update(State::BeamNode* state, const StepTimes& s, const double* v) const
{
    const double after = s.after();
    for (int k = 0; k < inner_; ++k) {
        const Eigen::Map<const Vector3d> linear(v + 6 * k), omega(v + 6 * k + 3);
        state[k] = {(exp_turn(after * omega) * at_m_[k].turn).normalized(), at_m_[k].x + after * linear,
                    linear, omega};
    }
}

void Beams::show(const State::BeamNode* state, const View& view)
{
    shown_.resize(start_.size());
    for (int k = 0; k < inner_; ++k) {
        shown_[k].R = state[k].turn.toRotationMatrix();
        shown_[k].x = state[k].x;
        shown_[k].v = state[k].v;
        shown_[k].omega = state[k].omega;
    }
    for (std::size_t e = 0; e < ends_.size(); ++e) shown_[inner_ + e] = end_motion(ends_[e], view);
}

std::span<const BodyMotion> Beams::sections(int beam, const State::BeamNode* state, const View& view)
{
    show(state, view);
    sections_.clear();
    for (std::size_t k = 0; k < beam_nodes_[beam].size(); ++k) {
        const NodeMotion& n = shown_[beam_nodes_[beam][k]];
        sections_.push_back({{n.R * turn_[beam][k], n.x}, n.v, n.omega});
    }
    return sections_;
}

Energy Beams::energy(const State::BeamNode* state, const View& view)
{
    show(state, view);
    Energy sum;
    for (const auto& element : elements_) {
        gathered_.clear();
        for (const int node : element->nodes()) gathered_.push_back(shown_[node]);
        sum += element->energy({.t = view.time(), .nodes = gathered_});
    }
    return sum;
}

} // namespace tamis
