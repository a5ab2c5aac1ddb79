// Free motion of rigid grains; see grains.hpp. Docquier et al. (2020), eqs. 28-30, for bodies with six
// velocities. Departure: the gyroscopic moment is not evaluated, since it is what keeps L constant.
#include "tamis/nscd/grains.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/parallel_for.hpp"
#include "tamis/model/laws.hpp"
#include "tamis/model/rotation.hpp"

namespace tamis {

namespace {

constexpr int fewest_for_threads = 2000; // grains

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

Vector3d angular_velocity(const GrainRecord& record, const Matrix3d& R, const Vector3d& L)
{
    if (record.isotropic) return L / record.inertia[0];
    return R * (R.transpose() * L).cwiseQuotient(record.inertia);
}

} // namespace

Quaterniond turned(const Quaterniond& q, const Vector3d& angle)
{
    return (exp_quaternion(angle, 1e-4) * q).normalized(); // most turn little in a step
}

Grains::Grains(const Model& model, int threads)
    : model_(model), threads_(static_cast<int>(model.grains().size()) < fewest_for_threads ? 1 : threads),
      poses_(model.grains().size()), q_m_(poses_.size()), inertia_(poses_.size())
{
    for (const GrainRecord& g : model.grains())
        mean_size_ += 2 * g.radius / static_cast<double>(poses_.size());
}

std::vector<GrainState> Grains::start() const
{
    std::vector<GrainState> state;
    for (const GrainRecord& g : model_.grains()) {
        const Matrix3d& R = g.at.R;
        const Vector3d L = R * g.inertia.cwiseProduct(R.transpose() * g.angular_velocity);
        state.push_back({g.at.p, Quaterniond(R).normalized(), g.velocity, L});
    }
    return state;
}

void Grains::predict(std::span<const GrainState> state, double theta, double h, RigidBlock* blocks)
{
    parallel_for(count(), threads_, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const GrainRecord& g = model_.grains()[i];
            const GrainState& s = state[i];
            RigidBlock& block = blocks[i];
            poses_[i].p = s.x + (1 - theta) * h * s.v;
            block.centre = poses_[i].p;
            if (g.ball) {
                if (block.inverse_mass != 0) continue; // the rest does not change
                block.inverse_mass = 1 / g.mass;
                block.inverse_inertia = Vector3d::Constant(1 / g.inertia[0]).asDiagonal();
                continue;
            }
            const Vector3d omega =
                g.isotropic ? Vector3d(s.L / g.inertia[0]) : angular_velocity(g, s.q.toRotationMatrix(), s.L);
            q_m_[i] = turned(s.q, (1 - theta) * h * omega);
            poses_[i].R = q_m_[i].toRotationMatrix();
            block.inverse_mass = 1 / g.mass;
            if (g.isotropic) {
                block.inverse_inertia = Vector3d::Constant(1 / g.inertia[0]).asDiagonal();
                inertia_[i] = Vector3d::Constant(g.inertia[0]).asDiagonal();
                continue;
            }
            Matrix3d R = poses_[i].R;
            for (int pass = 0; pass < 2; ++pass) {
                const Vector3d rate = angular_velocity(g, R, s.L);
                R = turned(q_m_[i], theta * h * rate).toRotationMatrix();
            }
            block.inverse_inertia = R * g.inertia.cwiseInverse().asDiagonal() * R.transpose();
            inertia_[i] = R * g.inertia.asDiagonal() * R.transpose();
        }
    });
}

void Grains::velocities(std::span<const GrainState> state, const RigidBlock* blocks, double* v) const
{
    parallel_for(count(), threads_, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            Eigen::Map<Eigen::Matrix<double, 6, 1>> out(v + 6 * i);
            if (model_.grains()[i].ball)
                out << state[i].v, blocks[i].inverse_inertia(0, 0) * state[i].L;
            else
                out << state[i].v, blocks[i].inverse_inertia * state[i].L;
        }
    });
}

void Grains::free_velocities(double h, const View& view, const RigidBlock* blocks, const double* v,
                             double* v_free) const
{
    const Vector3d fall = h * model_.gravity_value();
    parallel_for(count(), threads_, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            Eigen::Map<Vector3d> linear(v_free + 6 * i), angular(v_free + 6 * i + 3);
            linear = Eigen::Map<const Vector3d>(v + 6 * i) + fall;
            angular = Eigen::Map<const Vector3d>(v + 6 * i + 3);
        }
    });
    for (const GrainForce& force : model_.grain_forces())
        for (int i = 0; i < count(); ++i) {
            const Wrench w = law_wrench(model_, force.law, view, GrainId{i});
            Eigen::Map<Vector3d>(v_free + 6 * i) += h * blocks[i].inverse_mass * w.force;
            Eigen::Map<Vector3d>(v_free + 6 * i + 3) += h * (blocks[i].inverse_inertia * w.moment);
        }
}

void Grains::update(std::span<GrainState> state, const StepTimes& times, const double* before,
                    const double* v) const
{
    const double theta = times.theta, h = times.h;
    if (!Eigen::Map<const Eigen::VectorXd>(v, 6 * count()).allFinite())
        for (int g = 0; g < count(); ++g)
            if (!Eigen::Map<const Eigen::Matrix<double, 6, 1>>(v + 6 * g).allFinite())
                fail(
                    "The step at t = {:.6g} s diverged: the velocity of '{}' is not finite; reduce the step.",
                    times.t, model_.grain_name(g));
    parallel_for(count(), threads_, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            const Eigen::Map<const Vector3d> linear(v + 6 * i), angular(v + 6 * i + 3),
                angular_before(before + 6 * i + 3);
            GrainState& s = state[i];
            s.x = poses_[i].p + theta * h * linear;
            if (const GrainRecord& g = model_.grains()[i]; g.ball) { // both turns at once
                s.q = turned(s.q, h * ((1 - theta) * angular_before + theta * angular));
                s.v = linear;
                s.L += g.inertia[0] * (angular - angular_before);
                continue;
            }
            s.q = turned(q_m_[i], theta * h * angular);
            s.v = linear;
            s.L += inertia_[i] * (angular - angular_before);
        }
    });
}

double Grains::momentum_error(const ContactProblem& problem, const double* v_free,
                              std::span<const GrainState> state) const
{
    Vector3d balance(0, 0, 0);
    double given = 0;
    for (int g = 0; g < count(); ++g)
        balance += model_.grains()[g].mass * (state[g].v - Eigen::Map<const Vector3d>(v_free + 6 * g));
    for (const Contact& contact : problem.contacts) {
        if (contact.law == Law::rolling) continue; // a couple
        const Vector3d impulse = contact.frame * contact.r;
        for (int s : {0, 1}) {
            const int grain = contact.side[s].block - problem.general();
            if (contact.side[s].block < 0 || grain < 0 || grain >= count()) continue;
            balance += s == 0 ? impulse : Vector3d(-impulse);
            given += impulse.norm();
        }
    }
    return given > 0 ? balance.norm() / given : 0;
}

void Grains::write(std::span<const GrainState> state, SavedState& out)
{
    std::vector<double> values;
    values.reserve(13 * state.size());
    const auto append = [&](const auto& x) { values.insert(values.end(), x.data(), x.data() + x.size()); };
    for (const GrainState& g : state) {
        append(g.x);
        append(g.q.coeffs());
        append(g.v);
        append(g.L);
    }
    out.put("grains", values);
}

void Grains::read(const SavedState& in, std::span<GrainState> state)
{
    const std::vector<double>& values = in.get("grains", 13 * state.size());
    for (std::size_t g = 0; g < state.size(); ++g) {
        const double* x = &values[13 * g];
        state[g].x = Eigen::Map<const Vector3d>(x);
        state[g].q.coeffs() = Eigen::Map<const Eigen::Vector4d>(x + 3);
        state[g].v = Eigen::Map<const Vector3d>(x + 7);
        state[g].L = Eigen::Map<const Vector3d>(x + 10);
    }
}

void Grains::hash(std::span<const GrainState> state, StateHash& hash)
{
    for (const GrainState& g : state) {
        hash.add(g.x.data(), 3);
        hash.add(g.q.coeffs().data(), 4);
        hash.add(g.v.data(), 3);
        hash.add(g.L.data(), 3);
    }
}

double Grains::speed(int grain, const GrainState& state) const
{
    const GrainRecord& g = model_.grains()[grain];
    return state.v.norm() + g.radius * state.L.norm() / g.inertia.minCoeff();
}

} // namespace tamis
