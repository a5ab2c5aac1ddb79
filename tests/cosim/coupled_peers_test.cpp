// A coupling of peers of any kind as a method of a run.
#include "tamis/cosim/coupled_peers.hpp"

#include "cosim/linear_peer.hpp"
#include "error_of.hpp"
#include "tamis/base/state_hash.hpp"
#include "tamis/model/description.hpp"

#include <gtest/gtest.h>

namespace tamis::coupled_peers_test {
namespace {

// x' = -x / 2 + u, y = x.
struct Tank : LinearPeer {
    Tank(std::string name, double start)
        : LinearPeer(std::move(name), Matrix::Constant(1, 1, -0.5), Matrix::Ones(1, 1), Matrix::Ones(1, 1),
                     Matrix::Zero(1, 1), Vector::Constant(1, start))
    {
    }
    void accept() override { ++accepted; }
    void write(SavedState& out) const override { out.put("level", z); }
    void read(const SavedState& in) override { in.get("level", z); }
    std::uint64_t state_hash() const override
    {
        StateHash hash;
        hash.add(z.data(), 1);
        return hash.value;
    }
    void report(StepReport& report) override { report.sweeps += 1; }
    double momentum_error() const override { return 1e-3 * std::abs(z[0]); }
    int accepted = 0;
};

struct NoView : View {
    using View::motion;
    using View::View;
    double time() const override { return t; }
    double q(Coordinate) const override { return 0; }
    double v(Coordinate) const override { return 0; }
    double drive_force(Coordinate) const override { return 0; }
    const BodyMotion& motion(int) const override { return still; }
    std::span<const ContactRecord> contacts() const override { return {}; }
    BodyMotion still;
    double t = -1;
};

// Each flows into the next, the last into the first.
struct Tanks : CoupledPeers {
    explicit Tanks(bool saved = true)
        : view_(model.finish()), a("a", 1), b("b", 0), c("c", 3),
          plain("plain", -0.5 * Eigen::MatrixXd::Ones(1, 1), Eigen::MatrixXd::Ones(1, 1),
                Eigen::MatrixXd::Ones(1, 1), Eigen::MatrixXd::Zero(1, 1), Eigen::VectorXd::Ones(1))
    {
        std::vector<Peer*> peers{&a, &b, &c};
        if (!saved) peers[1] = &plain;
        connect(peers,
                [](std::span<const double> y, std::span<double> u) {
                    for (std::size_t k = 0; k < 3; ++k) u[k] = 0.5 * y[(k + 2) % 3];
                },
                {.H = 0.1, .extrapolation = 1, .signal = 1, .repeat = Repetition::plain, .relative = 1e-10});
        show();
    }
    const View& view() const override { return view_; }
    void show() override { view_.t = coupling().time(); }

    ModelDescription model{"tanks"};
    NoView view_;
    Tank a, b, c;
    LinearPeer plain;
};

} // namespace

TEST(CoupledPeers, StepReportAndShowAllOfThem)
{
    Tanks tanks;
    EXPECT_EQ(tanks.view().time(), 0);
    for (int n = 1; n <= 5; ++n) EXPECT_EQ(tanks.step().sweeps, 3);
    EXPECT_DOUBLE_EQ(tanks.view().time(), 0.5);
    EXPECT_EQ(tanks.a.accepted, 5);
    EXPECT_GT(tanks.a.advances, 5); // steps are repeated, and accepted once
    EXPECT_EQ(tanks.momentum_error(), 1e-3 * std::max({tanks.a.z[0], tanks.b.z[0], tanks.c.z[0]}));
    EXPECT_GT(std::get<long>(tanks.facts().at("coupling/iterations")), 5);
    EXPECT_NEAR(tanks.a.z[0] + tanks.b.z[0] + tanks.c.z[0], 4, 1e-3); // what flows out flows in
}

TEST(CoupledPeers, ResumeToTheSameBits)
{
    Tanks whole, resumed;
    for (int n = 0; n < 7; ++n) whole.step();
    resumed.restore(whole.save());
    EXPECT_EQ(resumed.state_hash(), whole.state_hash());
    EXPECT_EQ(resumed.view().time(), whole.view().time());
    for (int n = 0; n < 7; ++n) {
        whole.step();
        resumed.step();
    }
    EXPECT_EQ(resumed.state_hash(), whole.state_hash());
    EXPECT_EQ(resumed.facts(), whole.facts());
}

TEST(CoupledPeers, APeerThatCannotBeSavedIsNamed)
{
    EXPECT_EQ(error_of([] { Tanks(false).save(); }),
              "The state of plain cannot be saved or restored: run without checkpoints.");
}

} // namespace tamis::coupled_peers_test
