// Benchmark "Linear oscillator" of the Laboratorio de Ingenieria Mecanica, Universidade da Coruna (2021):
//
//     m1 x1'' + c1 x1' + k1 x1 = -f,    m2 x2'' + c2 x2' + k2 x2 = f,    f = kc (x1 - x2) + cc (x1' - x2')
//
// What the benchmark leaves open is decided thus: both masses use semi-implicit Euler, its equation 7, with
// inputs taken at the start of a micro step; velocities are passed along with positions, not differentiated.
#include "support/linear_oscillator.hpp"

#include "tamis/base/error.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <optional>
#include <unsupported/Eigen/MatrixFunctions>

namespace tamis {

LinearOscillator LinearOscillator::benchmark_case(int number)
{
    if (number != 1 && number != 2) fail("The linear oscillator has case 1 and 2, but not {}.", number);
    LinearOscillator system;
    if (number == 2) system.c1 = system.cc = system.c2 = 0.01;
    return system;
}

Eigen::Matrix4d LinearOscillator::A() const
{
    return Eigen::Matrix4d{{0, 0, 1, 0},
                           {0, 0, 0, 1},
                           {-(k1 + kc) / m1, kc / m1, -(c1 + cc) / m1, cc / m1},
                           {kc / m2, -(k2 + kc) / m2, cc / m2, -(c2 + cc) / m2}};
}

double LinearOscillator::energy(const Eigen::Vector4d& z) const
{
    const double d = z[0] - z[1];
    return (m1 * z[2] * z[2] + m2 * z[3] * z[3] + k1 * z[0] * z[0] + k2 * z[1] * z[1] + kc * d * d) / 2;
}

double LinearOscillator::coupling_force(const Eigen::Vector4d& z) const
{
    return kc * (z[0] - z[1]) + cc * (z[2] - z[3]);
}

Eigen::Vector4d LinearOscillator::step(const Eigen::Vector4d& z, double h) const
{
    const double f = coupling_force(z);
    const double v1 = z[2] + h * ((-k1 * z[0] - c1 * z[2] - f) / m1);
    const double v2 = z[3] + h * ((-k2 * z[1] - c2 * z[3] + f) / m2);
    return {z[0] + h * v1, z[1] + h * v2, v1, v2};
}

OscillatorMass::OscillatorMass(std::string name, const Parameters& parameters, Exchange in, Exchange out,
                               int substeps, double x_start, double v_start)
    : x(x_start), v(v_start), name_(std::move(name)), p_(parameters), in_(in), out_(out), substeps_(substeps)
{
    if (in == Exchange::force && out == Exchange::force)
        fail("{} is to give the coupling force, but does not know the motion at its other end.", name_);
    if (substeps < 1)
        fail("{} is to take {} micro steps in a macro step: give at least one.", name_, substeps);
}

void OscillatorMass::output(std::span<const double> u, std::span<double> y) const
{
    if (out_ == Exchange::motion) {
        y[0] = x;
        y[1] = v;
    } else {
        y[0] = p_.kc * (x - u[0]) + p_.cc * (v - u[1]);
    }
}

void OscillatorMass::advance(double H, const Signal& u)
{
    const double h = H / substeps_;
    double now[2];
    for (int j = 0; j < substeps_; ++j) {
        u.at(j * h, now);
        const double f = in_ == Exchange::force ? now[0] : -(p_.kc * (x - now[0]) + p_.cc * (v - now[1]));
        v += h * ((-p_.k * x - p_.c * v + f) / p_.m);
        x += h * v;
    }
}

void OscillatorMass::restore()
{
    x = saved_[0];
    v = saved_[1];
}

namespace {

// A mass that may be told where to go instead: pasts of any kind can be made up this way.
class ToldMass : public OscillatorMass {
  public:
    using OscillatorMass::OscillatorMass;
    void advance(double H, const Signal& u) override
    {
        if (!told) return OscillatorMass::advance(H, u);
        x = (*told)[0];
        v = (*told)[1];
    }
    std::optional<std::array<double, 2>> told;
};

} // namespace

template <class Mass>
void CoupledOscillator::build(const LinearOscillator& s, const OscillatorScheme& scheme)
{
    using enum CouplingVariables;
    using Exchange = OscillatorMass::Exchange;
    if (scheme.fast != 1 && scheme.fast != 2)
        fail("Mass {} is to take smaller steps, but there are mass 1 and mass 2.", scheme.fast);
    const Exchange in1 = scheme.variables == ff ? Exchange::force : Exchange::motion;
    const Exchange out1 = scheme.variables == fs ? Exchange::force : Exchange::motion;
    const Exchange in2 = scheme.variables == ss ? Exchange::motion : Exchange::force;
    const int n1 = scheme.fast == 1 ? scheme.substeps : 1, n2 = scheme.fast == 2 ? scheme.substeps : 1;
    one_ = std::make_unique<Mass>("mass 1", OscillatorMass::Parameters{s.m1, s.k1, s.c1, s.kc, s.cc}, in1,
                                  out1, n1, s.start[0], s.start[2]);
    two_ = std::make_unique<Mass>("mass 2", OscillatorMass::Parameters{s.m2, s.k2, s.c2, s.kc, s.cc}, in2,
                                  Exchange::motion, n2, s.start[1], s.start[3]);

    Coupling::Connection connection;
    if (scheme.variables == fs) // y = (f, x2, v2), u = (x2, v2, f)
        connection = [](std::span<const double> y, std::span<double> u) {
            u[0] = y[1];
            u[1] = y[2];
            u[2] = y[0];
        };
    else if (scheme.variables == ss) // y = (x1, v1, x2, v2), u = (x2, v2, x1, v1)
        connection = [](std::span<const double> y, std::span<double> u) {
            u[0] = y[2];
            u[1] = y[3];
            u[2] = y[0];
            u[3] = y[1];
        };
    else // y = (x1, v1, x2, v2), u = (-f, f)
        connection = [s](std::span<const double> y, std::span<double> u) {
            u[1] = s.coupling_force({y[0], y[2], y[1], y[3]});
            u[0] = -u[1];
        };
    coupling_ = std::make_unique<Coupling>(std::vector<Peer*>{one_.get(), two_.get()}, std::move(connection),
                                           scheme.coupling);
}

CoupledOscillator::CoupledOscillator(const LinearOscillator& system, const OscillatorScheme& scheme)
{
    build<OscillatorMass>(system, scheme);
}

// What a step starts from are the states at the last three points: inputs and outputs there follow from them.
// The map of (z_n, z_n-1, z_n-2) is found by stepping from its unit vectors.
double CoupledOscillator::spectral_radius(const LinearOscillator& system, const OscillatorScheme& scheme)
{
    Eigen::Matrix<double, 12, 12> map;
    map.setZero();
    map.bottomLeftCorner<8, 8>().setIdentity();
    for (int column = 0; column < 12; ++column) {
        Eigen::Vector4d past[3]; // the newest first
        for (int k = 0; k < 3; ++k)
            past[k] = column / 4 == k ? Eigen::Vector4d(Eigen::Vector4d::Unit(column % 4))
                                      : Eigen::Vector4d(Eigen::Vector4d::Zero());
        LinearOscillator from = system;
        from.start = past[2];
        CoupledOscillator pair;
        pair.build<ToldMass>(from, scheme);
        auto& one = static_cast<ToldMass&>(*pair.one_);
        auto& two = static_cast<ToldMass&>(*pair.two_);
        for (const int k : {1, 0}) {
            one.told = {past[k][0], past[k][2]};
            two.told = {past[k][1], past[k][3]};
            pair.step();
        }
        one.told.reset();
        two.told.reset();
        pair.step();
        map.block<4, 1>(0, column) = pair.state();
    }
    return map.eigenvalues().cwiseAbs().maxCoeff();
}

OscillatorErrors::OscillatorErrors(const LinearOscillator& system, double H, long steps)
    : system_(system), Phi_((system.A() * H).exp()), exact_(system.start), steps_(steps)
{
}

void OscillatorErrors::add(const Eigen::Vector4d& z)
{
    exact_ = Phi_ * exact_;
    ++added_;
    last_deviation_ = (z - exact_).head<2>().cwiseAbs().sum();
    deviations_ += last_deviation_;
    sizes_ += exact_.head<2>().cwiseAbs().sum();
    if (10 * added_ <= 9 * steps_) return;
    drift_ += (system_.energy(z) - system_.energy(exact_)) / system_.energy(system_.start);
    ++drift_points_;
}

} // namespace tamis
