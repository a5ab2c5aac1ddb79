// One recursion, several scalars: Expr generates the functions of equations.hpp, double and complex judge
// them.
#include "mbs_symbolic/equations.hpp"

#include "mbs_symbolic/differentiate.hpp"
#include "mbs_symbolic/emit_cpp.hpp"
#include "mbs_symbolic/newton_euler.hpp"

#include <complex>
#include <fmt/format.h>
#include <set>
#include <unordered_map>

namespace tamis {

namespace {

template <class S>
void write_vector(const Vector3<S>& x, S*& out)
{
    for (int i = 0; i < 3; ++i) *out++ = x[i];
}
template <class S>
void write_rows(const Matrix3<S>& R, S*& out)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) *out++ = R(i, j);
}

// h' = J v by rigid-body velocities.
template <class S>
void loop_rates(const Kinematics<S>& k, const S* v, S* rate)
{
    std::vector<Vector3<S>> v_W, omega_W;
    k.velocities(v, v_W, omega_W);
    const Vector3<S> zero(S(0), S(0), S(0));
    for (std::size_t j = 0; j < k.m.loops().size(); ++j) {
        const LoopSpec& l = k.m.loops()[j];
        const int a = k.m.link_of(l.a), b = k.m.link_of(l.b);
        auto omega = [&](int i) { return i < 0 ? zero : omega_W[i]; };
        auto velocity = [&](int i, const Vector3<S>& x) {
            return i < 0 ? zero : (v_W[i] + cross<S>(omega_W[i], x - k.p_W[i])).eval();
        };
        const Vector3<S> pa = k.point(a, k.data.loop_a[j]), pb = k.point(b, k.data.loop_b[j]);
        const Vector3<S> e = velocity(a, pa) - velocity(b, pb);
        const Eigen::Matrix3d B = Kinematics<S>::basis(l.axis);
        auto column = [&](int i) { return Vector3<S>(S(B(0, i)), S(B(1, i)), S(B(2, i))); };
        if (l.kind == LoopKind::ball || l.kind == LoopKind::hinge) write_vector(e, rate);
        if (l.kind == LoopKind::point_plane)
            for (int i = 1; i < 3; ++i) *rate++ = dot<S>(column(i), e);
        if (l.kind == LoopKind::rod) *rate++ = dot<S>(pa - pb, e) / k.data.rod_length[j];
        if (l.kind == LoopKind::hinge) {
            const Vector3<S> axis_b =
                k.rotation(b) * Vector3<S>(S(l.axis_b[0]), S(l.axis_b[1]), S(l.axis_b[2]));
            for (int i = 1; i < 3; ++i) {
                const Vector3<S> t = k.rotation(a) * column(i);
                *rate++ = k.data.length_scale * dot<S>(cross<S>(omega(a) - omega(b), t), axis_b);
            }
        }
    }
}

// All quantities but the derivatives of loops, which each scalar has its own way to.
template <class S, class Trigonometry = CosineSine>
void compute(Quantity quantity, Kinematics<S>& k, NewtonEuler<S>& dynamics, const S* q, const S* v,
             const S* w, S* out, Trigonometry&& cosine_sine = {})
{
    const Mechanism& m = k.m;
    k.local(q, cosine_sine);
    switch (quantity) {
    case Quantity::dynamics:
    case Quantity::bias:
        if (m.wrenches() > 0) k.world();
        dynamics.inertias(q);
        dynamics.bias(v, w, out + (quantity == Quantity::bias ? 0 : m.nv() * m.nv()));
        if (quantity == Quantity::dynamics) dynamics.mass_matrix(out);
        break;
    case Quantity::kinematics:
        k.world();
        for (int i = 0; i < k.n; ++i) {
            write_vector(k.p_W[i], out);
            write_rows(k.rotation(i), out);
        }
        for (int i = 0; i < k.n; ++i)
            for (int j = 0; j < m.links()[i].nv(); ++j) write_vector(k.to_world(i, k.axis(i, j)), out);
        break;
    case Quantity::frames: {
        k.world();
        std::vector<Vector3<S>> v_W, omega_W;
        k.velocities(v, v_W, omega_W);
        for (std::size_t f = 0; f < m.frames().size(); ++f) {
            const Mechanism::NamedFrame& frame = m.frames()[f];
            const int i = frame.link;
            const Vector3<S> zero(S(0), S(0), S(0));
            const Vector3<S> omega = i < 0 ? zero : omega_W[i], p = k.point(i, k.data.frame_at[f]);
            write_vector(p, out);
            write_rows<S>(k.rotation(i) * scalar_matrix<S>(frame.orientation), out);
            write_vector(i < 0 ? zero : (v_W[i] + cross<S>(omega, p - k.p_W[i])).eval(), out);
            write_vector(omega, out);
        }
        break;
    }
    case Quantity::loops:
        k.world();
        k.loops(out);
        break;
    case Quantity::loop_bias:
        break;
    }
}

// Rate of coordinate q[index] when the velocities are v: v itself, or half q o v for a quaternion.
template <class S>
S coordinate_rate(const Mechanism& m, const S* q, const S* v, int index)
{
    for (const Mechanism::Link& l : m.links()) {
        if (index < l.q || index >= l.q + l.nq()) continue;
        if (l.joint.kind != ElementaryJoint::spherical) return v[l.v];
        const S w = q[l.q], x = q[l.q + 1], y = q[l.q + 2], z = q[l.q + 3];
        const S a = v[l.v], b = v[l.v + 1], c = v[l.v + 2], half(0.5);
        switch (index - l.q) {
        case 0:
            return -half * (x * a + y * b + z * c);
        case 1:
            return half * (w * a + y * c - z * b);
        case 2:
            return half * (w * b + z * a - x * c);
        default:
            return half * (w * c + x * b - y * a);
        }
    }
    return S(0);
}

std::vector<EmittedEquations>& registry()
{
    static std::vector<EmittedEquations> all;
    return all;
}

// Sines and cosines of the joint angles as symbols, so that products of them stay: cos A cos B + sin A sin B
// of two absolute angles is cheaper than the sine of one more angle, unless A and B are needed nowhere else.
class OpaqueTrigonometry {
  public:
    explicit OpaqueTrigonometry(Graph& graph) : graph_(graph) {}
    std::pair<Expr, Expr> operator()(const Expr& angle) { return {symbol(cos(angle)), symbol(sin(angle))}; }

    // The same operations on the true sines and cosines.
    Expr resolved(const Expr& e)
    {
        const auto operand = [&](const Expr& x) { return x.is_constant() ? x : resolved_.at(x.node()); };
        if (!e.is_constant())
            post_order(
                e.node(), [&](const Node* n) { return resolved_.contains(n); },
                [&](const Node* n) {
                    resolved_[n] =
                        n->op == Op::symbol ? Expr::of(n) : graph_.make(n->op, operand(n->a), operand(n->b));
                });
        return operand(e);
    }

  private:
    Expr symbol(const Expr& e)
    {
        if (e.is_constant()) return e;
        if (e.node()->op == Op::neg) return -symbol(e.node()->a);
        const auto [place, fresh] = symbols_.try_emplace(e.node());
        if (fresh) {
            place->second = graph_.symbol(Input::t, static_cast<int>(symbols_.size()) - 1);
            resolved_[place->second.node()] = e;
        }
        return place->second;
    }

    Graph& graph_;
    std::unordered_map<const Node*, Expr> symbols_, resolved_;
};

// In additions; a sine with its cosine takes the time of about 40.
int cost(const std::vector<Expr>& outputs)
{
    const OperationCount n = make_schedule(outputs).count();
    return n.total() + 39 * n.trigonometric;
}

} // namespace

int output_size(const Mechanism& m, Quantity quantity)
{
    const int nv = m.nv(), rows = m.loop_rows();
    switch (quantity) {
    case Quantity::dynamics:
        return nv * nv + nv;
    case Quantity::bias:
        return nv;
    case Quantity::kinematics:
        return 12 * static_cast<int>(m.links().size()) + 3 * nv;
    case Quantity::frames:
        return 18 * static_cast<int>(m.frames().size());
    case Quantity::loops:
        return rows + rows * nv;
    case Quantity::loop_bias:
        return rows;
    }
    return 0;
}

std::vector<Expr> symbolic(const Mechanism& m, Quantity quantity)
{
    Graph& graph = m.graph();
    auto symbols = [&](Input input, int count) {
        std::vector<Expr> out;
        for (int i = 0; i < count; ++i) out.push_back(graph.symbol(input, i));
        return out;
    };
    const std::vector<Expr> q = symbols(Input::q, m.nq()), v = symbols(Input::v, m.nv()),
                            w = symbols(Input::w, 6 * m.wrenches());
    Kinematics<Expr> k(m, mechanism_data<Expr>(m, [](const Expr& e) { return e; }));
    NewtonEuler<Expr> dynamics(k);
    std::vector<Expr> out(output_size(m, quantity));
    if (quantity != Quantity::loops && quantity != Quantity::loop_bias) {
        compute(quantity, k, dynamics, q.data(), v.data(), w.data(), out.data());
        if (quantity == Quantity::dynamics || quantity == Quantity::bias) {
            OpaqueTrigonometry opaque(m.graph());
            std::vector<Expr> kept(out.size());
            compute(quantity, k, dynamics, q.data(), v.data(), w.data(), kept.data(), opaque);
            for (Expr& e : kept) e = opaque.resolved(e);
            if (cost(kept) < cost(out)) return kept;
        }
        return out;
    }
    const int rows = m.loop_rows(), nv = m.nv();
    std::vector<Expr> h(rows);
    compute(Quantity::loops, k, dynamics, q.data(), v.data(), w.data(), h.data());
    auto direction = [&](const std::vector<Expr>& velocity) {
        return Derivative([&m, &q, velocity](Input input, int index) {
            return input == Input::q ? coordinate_rate(m, q.data(), velocity.data(), index) : Expr(0);
        });
    };
    if (quantity == Quantity::loop_bias) {
        Derivative along = direction(v); // J' v = d/dt (J v) with v held
        for (int i = 0; i < rows; ++i) out[i] = along(along(h[i]));
        return out;
    }
    std::copy(h.begin(), h.end(), out.begin());
    for (int j = 0; j < nv; ++j) {
        std::vector<Expr> unit(nv, Expr(0));
        unit[j] = 1;
        Derivative column = direction(unit);
        for (int i = 0; i < rows; ++i) out[rows + i * nv + j] = column(h[i]);
    }
    return out;
}

std::string emit_equations(const std::vector<const Mechanism*>& mechanisms)
{
    std::string text = "// Generated equations of motion: do not edit.\n"
                       "#include \"mbs_symbolic/equations.hpp\"\n\n#include <cmath>\n\nnamespace {\n\n";
    std::set<std::uint64_t> done;
    for (const Mechanism* m : mechanisms) {
        const std::uint64_t hash = m->hash();
        if (!done.insert(hash).second) continue;
        const std::string suffix = fmt::format("{:016x}", hash);
        std::string legend = fmt::format("mechanism '{}'", m->name());
        for (std::size_t i = 0; i < m->parameters().size(); ++i)
            legend += fmt::format("\np[{}] {}", i, m->parameters()[i].name);
        for (int j = 0; j < m->nv(); ++j)
            legend += fmt::format("\nv[{}] {}, q[{}]", j, m->coordinate_name(j), m->position_index(j));
        std::string table;
        for (int k = 0; k < quantity_count; ++k) {
            const std::string name = fmt::format("{}_{}", quantity_names[k], suffix);
            const Schedule schedule = make_schedule(symbolic(*m, static_cast<Quantity>(k)));
            const OperationCount n = schedule.count();
            const std::string cost = fmt::format(
                "{} of {}: {} multiplications, {} additions, {} divisions, {} sine-cosine pairs",
                quantity_names[k], m->name(), n.multiplications, n.additions, n.divisions, n.trigonometric);
            text += emit_function(name, k == 0 ? legend + "\n\n" + cost : cost, schedule) + "\n";
            table += (k ? ", " : "") + name;
        }
        text += fmt::format("[[maybe_unused]] const bool registered_{} = "
                            "tamis::register_equations({{0x{}ull, {{{}}}}});\n\n",
                            suffix, suffix, table);
    }
    return text + "} // namespace\n";
}

bool register_equations(const EmittedEquations& emitted)
{
    registry().push_back(emitted);
    return true;
}

Equations::Equations(const Mechanism& mechanism, Source source) : mechanism_(&mechanism)
{
    if (source == Source::best)
        for (const EmittedEquations& e : registry())
            if (e.hash == mechanism.hash()) emitted_ = &e;
    refresh();
}

void Equations::refresh()
{
    p_ = mechanism_->parameter_values();
}

void Equations::operator()(Quantity quantity, const double* q, const double* v, const double* w, double* out)
{
    const int k = static_cast<int>(quantity);
    if (emitted_) return emitted_->functions[k](p_.data(), q, v, w, out);
    if (!recorded_[k]) {
        tapes_[k] = Tape(make_schedule(symbolic(*mechanism_, quantity)));
        recorded_[k] = true;
    }
    tapes_[k](p_.data(), q, v, w, out);
}

struct NumericEquations::Impl {
    using Complex = std::complex<double>;
    explicit Impl(const Mechanism& mechanism, const Eigen::VectorXd& p)
        : m(mechanism), k(m, mechanism_data<double>(m, [&](const Expr& e) { return value(e, p); })),
          dynamics(k), kc(m, mechanism_data<Complex>(m, [&](const Expr& e) { return Complex(value(e, p)); }))
    {
    }
    static double value(const Expr& e, const Eigen::VectorXd& p)
    {
        Inputs in;
        in.p = p.data();
        return evaluate(e, in);
    }
    const Mechanism& m;
    Kinematics<double> k;
    NewtonEuler<double> dynamics;
    Kinematics<Complex> kc;
};

NumericEquations::NumericEquations(const Mechanism& mechanism)
    : impl_(std::make_unique<Impl>(mechanism, mechanism.parameter_values()))
{
}
NumericEquations::~NumericEquations() = default;

void NumericEquations::operator()(Quantity quantity, const double* q, const double* v, const double* w,
                                  double* out)
{
    const Mechanism& m = impl_->m;
    const int rows = m.loop_rows(), nv = m.nv();
    compute(quantity, impl_->k, impl_->dynamics, q, v, w, out);
    if (quantity == Quantity::loops) {
        std::vector<double> unit(nv, 0), column(rows);
        for (int j = 0; j < nv; ++j) {
            unit[j] = 1;
            loop_rates(impl_->k, unit.data(), column.data());
            unit[j] = 0;
            for (int i = 0; i < rows; ++i) out[rows + i * nv + j] = column[i];
        }
    } else if (quantity == Quantity::loop_bias) { // Im (J v)(q + i eps q') / eps
        using Complex = Impl::Complex;
        const double eps = 1e-40;
        std::vector<Complex> qc(m.nq()), vc(v, v + nv), rate(rows);
        for (int i = 0; i < m.nq(); ++i) qc[i] = Complex(q[i], eps * coordinate_rate(m, q, v, i));
        impl_->kc.local(qc.data());
        impl_->kc.world();
        loop_rates(impl_->kc, vc.data(), rate.data());
        for (int i = 0; i < rows; ++i) out[i] = rate[i].imag() / eps;
    }
}

} // namespace tamis
