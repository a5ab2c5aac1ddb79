// The linear oscillator benchmark of co-simulation: two masses, each on a spring and a damper of its own, and
// coupled by a third; each mass is a peer.
#pragma once

#include "tamis/cosim/coupling.hpp"

#include <Eigen/Core>
#include <memory>

namespace tamis {

struct LinearOscillator {
    double m1 = 1, m2 = 1, k1 = 10, kc = 100, k2 = 1000, c1 = 0, cc = 0, c2 = 0; // SI units
    Eigen::Vector4d start{0, 0, 100, -100};                                      // z = (x1, x2, v1, v2)

    static LinearOscillator benchmark_case(int number); // 1: conservative, 2: damped

    Eigen::Matrix4d A() const; // z' = A z
    double energy(const Eigen::Vector4d& z) const;
    double coupling_force(const Eigen::Vector4d& z) const; // of mass 1 on mass 2
    // The whole system by semi-implicit Euler: v' = v + h a(x, v), x' = x + h v'
    Eigen::Vector4d step(const Eigen::Vector4d& z, double h) const;
};

// What the masses exchange: mass 1 gives the coupling force and mass 2 its motion (fs), both give their
// motion (ss), or both get the coupling force, which the coupling computes (ff).
enum class CouplingVariables { fs, ss, ff };

struct OscillatorScheme {
    CouplingVariables variables = CouplingVariables::fs;
    CouplingOptions coupling;
    int substeps = 1; // micro steps of the fast mass in a macro step; the other takes it in one
    int fast = 2;     // mass 1 or 2
};

// One mass by semi-implicit Euler. Its inputs are the motion (x, v) of the other end of the coupling spring,
// or the force of this spring on it; its outputs are its own motion, or the force of the spring on the other.
class OscillatorMass : public Peer {
  public:
    enum class Exchange { motion, force };
    struct Parameters {
        double m, k, c, kc, cc;
    };

    OscillatorMass(std::string name, const Parameters& parameters, Exchange in, Exchange out, int substeps,
                   double x_start, double v_start);

    std::string name() const override { return name_; }
    int inputs() const override { return in_ == Exchange::motion ? 2 : 1; }
    int outputs() const override { return out_ == Exchange::motion ? 2 : 1; }
    void output(std::span<const double> u, std::span<double> y) const override;
    void advance(double H, const Signal& u) override;
    void save() override { saved_ = {x, v}; }
    void restore() override;

    double x, v;

  private:
    std::string name_;
    Parameters p_;
    Exchange in_, out_;
    int substeps_;
    std::array<double, 2> saved_{};
};

class CoupledOscillator {
  public:
    CoupledOscillator(const LinearOscillator& system, const OscillatorScheme& scheme);

    void step() { coupling_->step(); }
    const Coupling& coupling() const { return *coupling_; }
    Eigen::Vector4d state() const { return {one_->x, two_->x, one_->v, two_->v}; }

    // Of the map from one communication point to the next. Above 1 the scheme is unstable.
    static double spectral_radius(const LinearOscillator& system, const OscillatorScheme& scheme);

  private:
    template <class Mass>
    void build(const LinearOscillator& system, const OscillatorScheme& scheme);
    CoupledOscillator() = default;

    std::unique_ptr<OscillatorMass> one_, two_;
    std::unique_ptr<Coupling> coupling_;
};

// Deviations from the exact solution z* = exp(A t) z_0 at communication points
class OscillatorErrors {
  public:
    // Energies are compared in the mean over the last tenth of the steps: those of semi-implicit Euler swing.
    OscillatorErrors(const LinearOscillator& system, double H, long steps);
    void add(const Eigen::Vector4d& z); // of the next point, the start left out

    const Eigen::Vector4d& exact() const { return exact_; }
    double mean() const { return deviations_ / sizes_; } // sum |x - x*| / sum |x*| over both masses
    // |x - x*| at the last point over the mean |x*|
    double last() const { return last_deviation_ / (sizes_ / static_cast<double>(added_)); }
    double energy_drift() const { return drift_ / static_cast<double>(drift_points_); } // mean (E - E*)/E_0

  private:
    LinearOscillator system_;
    Eigen::Matrix4d Phi_;
    Eigen::Vector4d exact_;
    long steps_, added_ = 0, drift_points_ = 0;
    double deviations_ = 0, sizes_ = 0, last_deviation_ = 0, drift_ = 0;
};

} // namespace tamis
