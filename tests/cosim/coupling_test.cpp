#include "cosim/coupling.hpp"

#include "cosim/linear_peer.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tamis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd scalar(double value)
{
    return MatrixXd::Constant(1, 1, value);
}

void exchange(std::span<const double> y, std::span<double> u)
{
    u[0] = y[1];
    u[1] = y[0];
}

void run_until(Coupling& coupling, double t)
{
    while (coupling.time() < t - coupling.options().H / 2) coupling.step();
}

// z1' = -z1 + z2 + t^3/6, z2' = -z1 - 2 z2 from rest, where 1, t, t^2/2, t^3/6 are states as well. It starts
// so smoothly that the lower order of the first steps does not show.
struct Smooth {
    static MatrixXd A()
    {
        MatrixXd A = MatrixXd::Zero(5, 5);
        A(0, 0) = -1;
        A(0, 4) = A(4, 3) = A(3, 2) = A(2, 1) = 1;
        return A;
    }
    LinearPeer one{
        "one", A(), VectorXd::Unit(5, 0), VectorXd::Unit(5, 0).transpose(), scalar(0), VectorXd::Unit(5, 1)};
    LinearPeer two{"two", scalar(-2), scalar(-1), scalar(1), scalar(0), VectorXd::Zero(1)};

    double error(double t) const
    {
        MatrixXd whole = MatrixXd::Zero(6, 6);
        whole.topLeftCorner(5, 5) = A();
        whole(0, 5) = 1;
        whole(5, 0) = -1;
        whole(5, 5) = -2;
        const VectorXd exact = (whole * t).exp() * VectorXd::Unit(6, 1);
        return std::hypot(one.z[0] - exact[0], two.z[0] - exact[5]);
    }
};

TEST(Coupling, InputsOfOrderKGiveAnErrorOfOrderKPlusOne)
{
    for (const Sweep sweep : {Sweep::jacobi, Sweep::gauss_seidel})
        for (const Repetition repeat : {Repetition::none, Repetition::plain})
            for (const int k : {0, 1, 2}) {
                std::array<double, 3> errors;
                for (int i = 0; i < 3; ++i) {
                    Smooth pair;
                    Coupling coupling({&pair.one, &pair.two}, exchange,
                                      {.H = 0.04 / (1 << i),
                                       .sweep = sweep,
                                       .extrapolation = k,
                                       .signal = k,
                                       .repeat = repeat,
                                       .relative = 1e-12});
                    run_until(coupling, 2);
                    errors[i] = pair.error(2);
                }
                for (int i = 0; i < 2; ++i)
                    EXPECT_NEAR(std::log2(errors[i] / errors[i + 1]), k + 1, 0.15)
                        << static_cast<int>(sweep) << static_cast<int>(repeat) << " " << errors[i];
            }
}

} // namespace
} // namespace tamis
