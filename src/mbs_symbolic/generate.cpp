// One recursion, several scalars: Expr generates the functions of quantity.hpp,
// double and complex judge them.
#include "tamis/mbs_symbolic/generate.hpp"

#include "tamis/mbs_symbolic/differentiate.hpp"
#include "tamis/mbs_symbolic/emit_c.hpp"
#include "tamis/mbs_symbolic/newton_euler.hpp"

#include "tamis/mbs_symbolic/schedule.hpp"

#include <complex>
#include <fmt/format.h>
#include <sstream>
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

std::string emit_equations(const Mechanism& m)
{
    std::string legend =
        fmt::format("Equations of motion of the mechanism '{}', generated by Tamis: do not edit.\n"
                    "Standard C (and C++), no dependency but the mathematical library. Compile without\n"
                    "fused operations (-ffp-contract=off) for the bits of Tamis.\n\n"
                    "p  parameters, SI units (the values of this model: mechanism_parameters)\n",
                    m.name());
    for (std::size_t i = 0; i < m.parameters().size(); ++i)
        legend += fmt::format("     p[{}] {}\n", i, m.parameters()[i].name);
    legend += fmt::format("     p[{}] length scale of the mechanism\n", m.parameters().size());
    legend += "q  positions, v  velocities of the joints\n";
    for (int j = 0; j < m.nv(); ++j)
        legend += fmt::format("     v[{}] {}, q[{}]\n", j, m.coordinate_name(j), m.position_index(j));
    legend += fmt::format(
        "w  applied wrenches: force (3) and moment (3) each, world axes; here {}\n"
        "out  what a function computes:\n"
        "  dynamics    M ({nv} x {nv}, by rows), c ({nv}):  M v' + c = Q with Q the forces of the joints\n"
        "  bias        c ({nv})\n"
        "  kinematics  of each link position (3) and rotation (9, by rows); of each velocity its axis (3)\n"
        "  frames      of each named frame position (3), rotation (9, by rows), velocity (3), angular\n"
        "              velocity (3)\n"
        "  loops       h ({rows}), J ({rows} x {nv}, by rows):  h = 0, J v = 0\n"
        "  loop_bias   J' v ({rows})\n",
        m.wrenches(), fmt::arg("nv", m.nv()), fmt::arg("rows", m.loop_rows()));
    std::string text;
    std::istringstream lines(legend);
    for (std::string line; std::getline(lines, line);) text += line.empty() ? "//\n" : "// " + line + "\n";
    text += "#include <math.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
    const Eigen::VectorXd p = m.parameter_values();
    std::string values;
    for (const double x : p) values += fmt::format("{}{}", values.empty() ? "" : ", ", x);
    text += fmt::format("extern const double mechanism_parameters[{}];\n"
                        "const double mechanism_parameters[{}] = {{{}}};\n"
                        "extern const unsigned long long mechanism_hash;\n"
                        "const unsigned long long mechanism_hash = 0x{:016x}ull;\n\n",
                        std::max<Eigen::Index>(p.size(), 1), std::max<Eigen::Index>(p.size(), 1),
                        values.empty() ? "0" : values, m.hash());
    for (int k = 0; k < quantity_count; ++k) {
        const Schedule schedule = make_schedule(symbolic(m, static_cast<Quantity>(k)));
        const OperationCount n = schedule.count();
        text += fmt::format(
            "void {0}(const double* p, const double* q, const double* v, const double* w, double* out);\n",
            quantity_names[k]);
        text += emit_function(
                    quantity_names[k],
                    fmt::format("{} multiplications, {} additions, {} divisions, {} sine-cosine pairs, {} "
                                "square roots",
                                n.multiplications, n.additions, n.divisions, n.trigonometric, n.square_roots),
                    schedule) +
                "\n";
    }
    return text + "#ifdef __cplusplus\n}\n#endif\n";
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
