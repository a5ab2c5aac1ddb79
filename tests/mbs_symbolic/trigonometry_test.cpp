// Trigonometry: products of rotations about one axis are the rotation by the sum of the angles.
#include "tamis/mbs_symbolic/trigonometry.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <utility>

namespace tamis::trigonometry_test {
namespace {

using Matrix2 = Eigen::Matrix<Expr, 2, 2>;
using Matrix3 = Eigen::Matrix<Expr, 3, 3>;

Matrix2 planar(const Expr& angle)
{
    Matrix2 R;
    R << cos(angle), -sin(angle), sin(angle), cos(angle);
    return R;
}

Matrix3 about_y(const Expr& angle)
{
    Matrix3 R;
    R << cos(angle), 0, sin(angle), 0, 1, 0, -sin(angle), 0, cos(angle);
    return R;
}

struct Trigonometry : testing::Test {
    Graph graph;
    Expr q(int i) { return graph.symbol(Input::q, i); }
    Expr A = q(0), B = q(1), C = q(2), k = graph.symbol(Input::p, 0), l = graph.symbol(Input::p, 1);
};

TEST_F(Trigonometry, AnglesHaveOneForm)
{
    EXPECT_EQ(cos((A + B) + C), cos(A + (C + B)));
    EXPECT_EQ(sin(A - (B - C)), sin((C - B) + A));
    EXPECT_EQ(sin(B - A - C), -sin(A + (C - B)));
    EXPECT_EQ(cos(A + (B - A)), cos(B));
    EXPECT_EQ(cos(2 * A + 0.5 + B + 0.25), cos(A + B + 0.75 + A));
    EXPECT_TRUE(cos((A + B) - (B + A)).is(1));
    EXPECT_EQ(sin(A + B + std::numbers::pi), -sin(A + B));
}

TEST_F(Trigonometry, AnglesOfSharedSumsAreFlattenedInLinearTime)
{
    Expr previous = A, sum = B; // Fibonacci: a tree of the sum would have 2^40 leaves
    for (int i = 0; i < 40; ++i) previous = std::exchange(sum, sum + previous);
    EXPECT_EQ(cos(sum), cos(102334155 * A + 165580141 * B));
}

TEST_F(Trigonometry, AdditionTheorems)
{
    EXPECT_EQ(cos(A) * cos(B) - sin(A) * sin(B), cos(A + B));
    EXPECT_EQ(cos(A) * cos(B) + sin(A) * sin(B), cos(A - B));
    EXPECT_EQ(sin(A) * sin(B) - cos(A) * cos(B), -cos(A + B));
    EXPECT_EQ(sin(A) * cos(B) + cos(A) * sin(B), sin(A + B));
    EXPECT_EQ(sin(A) * cos(B) - cos(A) * sin(B), sin(A - B));
    EXPECT_EQ(cos(A) * sin(B) - sin(A) * cos(B), sin(B - A));
    EXPECT_EQ(-(cos(A) * sin(B)) - sin(A) * cos(B), -sin(A + B));
}

TEST_F(Trigonometry, CommonFactorsStayOutside)
{
    EXPECT_EQ((k * cos(A)) * cos(B) - sin(B) * (sin(A) * k), k * cos(A + B));
    EXPECT_EQ((2 * cos(A)) * cos(B) + sin(B) * (sin(A) * 2), 2 * cos(A - B));
    EXPECT_EQ(k * (l * (sin(A) * cos(B))) + (l * cos(A)) * (k * sin(B)), (k * l) * sin(A + B));
    EXPECT_EQ(cos(C) * cos(A) * cos(B) - sin(A) * cos(C) * sin(B), cos(C) * cos(A + B));
}

TEST_F(Trigonometry, SquaresAddToOne)
{
    EXPECT_TRUE((sin(A) * sin(A) + cos(A) * cos(A)).is(1));
    EXPECT_EQ(k * cos(A) * cos(A) + k * sin(A) * sin(A), k);
    EXPECT_EQ(1 - sin(A) * sin(A), cos(A) * cos(A));
    EXPECT_EQ(cos(A) * cos(A) - 1, -(sin(A) * sin(A)));
    EXPECT_EQ(k - sin(A) * k * sin(A), k * (cos(A) * cos(A)));
    EXPECT_EQ(k + l * sin(A) * sin(A) + l * cos(A) * cos(A), k + l);
}

TEST_F(Trigonometry, DoubleAnglesAreKept)
{
    const Expr e = cos(A) * cos(A) - sin(A) * sin(A);
    EXPECT_EQ(e.node()->op, Op::sub);
    EXPECT_EQ(sin(A) * cos(A) + cos(A) * sin(A), 2 * (sin(A) * cos(A)));
}

TEST_F(Trigonometry, UnequalCoefficientsAreKept)
{
    EXPECT_EQ((k * (cos(A) * cos(B)) - l * (sin(A) * sin(B))).node()->op, Op::sub);
    EXPECT_EQ((2 * (cos(A) * cos(B)) - 3 * (sin(A) * sin(B))).node()->op, Op::sub);
    EXPECT_EQ((cos(A) * cos(B) - sin(A) * sin(C)).node()->op, Op::sub);
}

TEST_F(Trigonometry, TermsOfLongerSumsMeet)
{
    EXPECT_EQ((l + cos(A) * cos(B) * k) - sin(A) * sin(B) * k, l + k * cos(A + B));
    EXPECT_EQ((l - sin(A) * sin(B)) + cos(A) * cos(B), l + cos(A + B));
    EXPECT_EQ(cos(A) * cos(B) + (l - sin(A) * sin(B)), l + cos(A + B));
    EXPECT_EQ((l + cos(A) * cos(B)) + (k - sin(A) * sin(B)), (l + cos(A + B)) + k);
}

TEST_F(Trigonometry, PlanarChainTurnsByTheSumOfItsAngles)
{
    const Matrix2 R2 = planar(A) * planar(B), R3 = R2 * planar(C),
                  R3_right = planar(A) * (planar(B) * planar(C));
    EXPECT_TRUE(R2 == planar(A + B));
    EXPECT_TRUE(R3 == planar(A + B + C));
    EXPECT_TRUE(R3_right == R3);
    EXPECT_TRUE(Matrix2(R2 * planar(-B)) == planar(A));
    EXPECT_TRUE(Matrix2(R2.transpose() * R3) == planar(C));
    EXPECT_TRUE(Matrix2(R3 * R3.transpose()) == Matrix2(Matrix2::Identity()));
}

TEST_F(Trigonometry, SpatialChainOfParallelAxesTurnsByTheSumOfItsAngles)
{
    Matrix3 R = Matrix3::Identity();
    Expr sum = 0;
    const Expr angles[] = {q(0), -q(1), q(2) + 0.3, q(3), 0.1 - q(4)};
    for (const Expr& angle : angles) {
        R = Matrix3(R * about_y(angle));
        sum += angle;
        EXPECT_TRUE(R == about_y(sum));
    }
}

TEST_F(Trigonometry, CondensedChainsKeepTheirValue)
{
    const double values[] = {0.3, -1.1, 2.9, 0.7, -0.2}, p[] = {1.7, -0.6};
    Expr x = 0, y = 0;
    double x_plain = 0, y_plain = 0;
    for (int i = 4; i >= 0; --i) { // (x, y) <- R(q_i) (k + x, l + y)
        const Expr c = cos(q(i)), s = sin(q(i)), kx = k + x, ly = l + y;
        x = c * kx - s * ly;
        y = s * kx + c * ly;
        const double cv = std::cos(values[i]), sv = std::sin(values[i]), kv = p[0] + x_plain,
                     lv = p[1] + y_plain;
        x_plain = cv * kv - sv * lv;
        y_plain = sv * kv + cv * lv;
    }
    EXPECT_NEAR(evaluate(x, {.p = p, .q = values}), x_plain, 1e-14);
    EXPECT_NEAR(evaluate(y, {.p = p, .q = values}), y_plain, 1e-14);
}

} // namespace
} // namespace tamis::trigonometry_test
