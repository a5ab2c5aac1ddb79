// A peer that integrates z' = A z + B u exactly for inputs that are quadratic in time; y = C z + D u.
#pragma once

#include "tamis/cosim/peer.hpp"

#include <Eigen/Core>
#include <unsupported/Eigen/MatrixFunctions>

namespace tamis {

class LinearPeer : public Peer {
  public:
    using Matrix = Eigen::MatrixXd;
    using Vector = Eigen::VectorXd;

    LinearPeer(std::string name, Matrix A, Matrix B, Matrix C, Matrix D, Vector start)
        : z(std::move(start)), name_(std::move(name)), A_(std::move(A)), B_(std::move(B)), C_(std::move(C)),
          D_(std::move(D)), c0_(B_.cols()), c1_(B_.cols()), c2_(B_.cols()), work_(z.size()), saved_(z)
    {
    }

    std::string name() const override { return name_; }
    int inputs() const override { return static_cast<int>(B_.cols()); }
    int outputs() const override { return static_cast<int>(C_.rows()); }

    void output(std::span<const double> u, std::span<double> y) const override
    {
        const Eigen::Map<const Vector> u_map(u.data(), inputs());
        Eigen::Map<Vector> y_map(y.data(), outputs());
        y_map.noalias() = C_ * z;
        y_map.noalias() += D_ * u_map;
    }

    void advance(double H, const Signal& u) override
    {
        if (H != H_) prepare(H);
        u.at(0, {c0_.data(), static_cast<std::size_t>(inputs())});
        u.slope(0, {c1_.data(), static_cast<std::size_t>(inputs())});
        u.slope(H, {c2_.data(), static_cast<std::size_t>(inputs())});
        c2_ = (c2_ - c1_) / H;
        work_.noalias() = Phi_ * z;
        work_.noalias() += Gamma_[0] * c0_;
        work_.noalias() += Gamma_[1] * c1_;
        work_.noalias() += Gamma_[2] * c2_;
        z = work_;
        ++advances;
    }

    void save() override { saved_ = z; }
    void restore() override { z = saved_; }

    Vector z;
    long advances = 0;

  private:
    // exp of [A B 0 0; 0 0 1 0; 0 0 0 1; 0 0 0 0] H: inputs c_0 + c_1 t + c_2 t^2/2 as states
    void prepare(double H)
    {
        const long n = z.size(), m = B_.cols();
        Matrix augmented = Matrix::Zero(n + 3 * m, n + 3 * m);
        augmented.topLeftCorner(n, n) = A_;
        augmented.block(0, n, n, m) = B_;
        augmented.block(n, n + m, 2 * m, 2 * m).setIdentity();
        const Matrix exponential = (augmented * H).exp();
        Phi_ = exponential.topLeftCorner(n, n);
        for (int k = 0; k < 3; ++k) Gamma_[k] = exponential.block(0, n + k * m, n, m);
        H_ = H;
    }

    std::string name_;
    Matrix A_, B_, C_, D_, Phi_, Gamma_[3];
    Vector c0_, c1_, c2_, work_, saved_;
    double H_ = 0;
};

} // namespace tamis
