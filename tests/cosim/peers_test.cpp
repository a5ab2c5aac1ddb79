// The two sides of a cut by themselves, as peers.
#include "cosim/cut_scenes.hpp"
#include "support/two_masses.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace peers_test {

using namespace tamis;
using namespace tamis::scenes;
using Eigen::AngleAxisd;
using Eigen::Quaterniond;
using Eigen::Vector3d;

namespace {

constexpr double H = 1e-2;

Signal line(std::span<const double> start, std::span<const double> end, double length = H)
{
    Signal signal(static_cast<int>(start.size()));
    const Signal::Sample samples[] = {{length, end}, {0, start}};
    signal.through(samples);
    return signal;
}

using Wire = std::array<double, InterfaceMotion::size>;

Wire wire_of(const InterfaceMotion& m)
{
    Wire wire;
    m.write(wire);
    return wire;
}

// Of a marker on the move, at the ends of macro steps.
InterfaceMotion moved(const InterfaceMotion& start, int n)
{
    const double t = n * H;
    InterfaceMotion m = start;
    m.x += t * Vector3d(1, -2, 0.5) + t * t * Vector3d(3, 1, -2);
    m.turn = Quaterniond(AngleAxisd(3 * t + 5 * t * t, Vector3d(1, 2, 2) / 3)) * start.turn;
    return m;
}

const Vector3d g(0, -gravity, 1);

// The tip of the chain, on a hinge that passes moments on, in a world in which that of the marker's motion is
// `frame`.
struct Beyond {
    Pose frame;
    Chain chain{0.3, frame.R* g};
    CoupledView view{chain.model.finish()};
    Split part = split(chain.model.finish(), {chain.tip}, view);
    InterfaceMotion start;
    NonsmoothPeer peer;

    explicit Beyond(int substeps, double length = H, const Pose& world = {})
        : frame(world), start(Coupled(chain.model.finish(), {chain.tip}, {}).smooth().marker()),
          peer(part, CutKind::joint, {}, length, start, {.substeps = substeps, .frame = frame})
    {
    }
    Wrench advance(int n, double length = H)
    {
        const Wire from = wire_of(moved(start, n - 1)), to = wire_of(moved(start, n));
        peer.advance(length, line(from, to, length));
        return wrench();
    }
    Wrench wrench() const
    {
        std::array<double, wrench_size> y;
        peer.output({}, y);
        return read_wrench(y);
    }
};

} // namespace

// What the marker takes, over a macro step, is what the mass on it loses and gravity adds.
TEST(NonsmoothPeer, GivesTheImpulseThatItsMassLoses)
{
    for (const int substeps : {1, 4}) {
        ModelDescription model("two masses");
        model.gravity(Vector(g));
        const TwoMassBodies b = add_two_masses(model, {.m2 = 3});
        const CoupledView view(model.finish());
        const Split part = split(model.finish(), {b.second}, view);
        NonsmoothPeer peer(part, CutKind::joint, {}, H, {}, {.substeps = substeps});
        const auto place = [](int n) {
            InterfaceMotion m = moved({}, n);
            m.turn.setIdentity();
            return wire_of(m);
        };
        for (int n = 1; n <= 5; ++n) {
            const Vector3d before = peer.stepper().view().momentum();
            peer.advance(H, line(place(n - 1), place(n)));
            const Vector3d lost = before - peer.stepper().view().momentum() + H * 3 * g;
            std::array<double, wrench_size> y;
            peer.output({}, y);
            EXPECT_LT((H * read_wrench(y).force - lost).norm(), 1e-12) << substeps << " " << n;
            EXPECT_GT(lost.norm(), 0.1);
        }
    }
}

TEST(NonsmoothPeer, SubStepsAreStepsOnTheWayBetween)
{
    Beyond four(4), single(1, H / 4);
    const Wrench mean = four.advance(1);
    Wrench sum;
    Wire from = wire_of(moved(single.start, 0));
    for (int k = 1; k <= 4; ++k) {
        const Wire to = wire_of(between(moved(single.start, 0), moved(single.start, 1), k / 4.0));
        single.peer.advance(H / 4, line(from, to, H / 4));
        sum.force += single.wrench().force / 4;
        sum.moment += single.wrench().moment / 4;
        from = to;
    }
    EXPECT_LT((mean.force - sum.force).norm(), 1e-8 * sum.force.norm());
    EXPECT_LT((mean.moment - sum.moment).norm(), 1e-8 * sum.moment.norm());
    const State &a = four.peer.stepper().state(), &b = single.peer.stepper().state();
    EXPECT_LT((a.q - b.q).norm() + (a.v - b.v).norm(), 1e-10);
}

// The bodies stand and fall in a world that is turned and shifted against that of the marker's motion.
TEST(NonsmoothPeer, WrenchIsTheSameInAnyWorld)
{
    const Pose frame{AngleAxisd(2.2, Vector3d(1, -1, 2).normalized()).toRotationMatrix(), Vector3d(3, -4, 5)};
    Beyond here(1);
    Beyond there(1, H, frame);
    for (int n = 1; n <= 5; ++n) {
        const Wrench expected = here.advance(n), found = there.advance(n);
        EXPECT_LT((found.force - expected.force).norm(), 1e-9 * expected.force.norm()) << n;
        EXPECT_LT((found.moment - expected.moment).norm(), 1e-9 * expected.moment.norm()) << n;
    }
}

TEST(NonsmoothPeer, GoesBackToTheSameBits)
{
    Beyond side(2);
    side.advance(1);
    side.peer.save();
    const Wrench first = side.advance(2);
    const std::uint64_t hash = side.peer.stepper().state_hash();
    side.peer.restore();
    side.advance(7); // another way
    side.peer.restore();
    const Wrench again = side.advance(2);
    EXPECT_EQ(side.peer.stepper().state_hash(), hash);
    EXPECT_EQ(again.force, first.force);
    EXPECT_EQ(again.moment, first.moment);
}

// A ball at rest in a box that travels: its weight acts where it lies, however fast the box goes.
TEST(NonsmoothPeer, ContactsActWhereTheyAre)
{
    const double speed = 2, weight = 0.5 * gravity, radius = 0.1;
    ModelDescription model("travelling box");
    model.gravity({0, 0, -gravity});
    const Body box_body =
        model.add({.name = "box", .joint = slide_x(), .mass = 1, .inertia = {0.1, 0.1, 0.1}});
    const MaterialId smooth = model.add(Material{});
    model.attach(box_body, hollow(box(1, 1, 1)), smooth);
    const double density = 0.5 / (4.0 / 3 * std::numbers::pi * radius * radius * radius);
    model.grain({.shape = sphere(radius),
                 .material = smooth,
                 .density = density,
                 .at = {.p = {0.2, 0, -0.5 + radius - 1e-9}},
                 .velocity = {speed, 0, 0}});
    const CoupledView view(model.finish());
    const Split part = split(model.finish(), {box_body, CutKind::contacts}, view);
    InterfaceMotion start, end;
    start.v = end.v = {speed, 0, 0};
    NonsmoothPeer peer(part, CutKind::contacts, {.contacts = {.threads = 1}}, H, start, {.substeps = 2});
    end.x = {H * speed, 0, 0};
    peer.advance(H, line(wire_of(start), wire_of(end)));
    std::array<double, wrench_size> y;
    peer.output({}, y);
    EXPECT_LT((read_wrench(y).force - Vector3d(0, 0, -weight)).norm(), 1e-6 * weight);
    EXPECT_LT((read_wrench(y).moment - Vector3d(0, 0.2 * weight, 0)).norm(), 1e-6 * weight);
}

// Without sub-steps Newton's method goes on from the step before, and ends within its tolerance of the same.
TEST(SmoothPeer, GoesBackToTheSameStep)
{
    const std::array<double, wrench_size> none{}, load{3, -2, 5, 0.1, 0.2, -0.3},
        other{-30, 50, 10, 2, -1, 3};
    for (const int substeps : {1, 3}) {
        const auto run = [&](int detours) {
            Chain chain;
            CoupledView view(chain.model.finish());
            const Split part = split(chain.model.finish(), {chain.arm}, view);
            SmoothModel model(chain.model.finish(), part.away);
            SmoothPeer peer(model, chain.carrier, part.marker, H, substeps, {});
            for (int n = 0; n < 4; ++n) {
                peer.save();
                for (int k = 0; k < detours; ++k) {
                    peer.advance(H, line(none, other));
                    peer.restore();
                }
                peer.advance(H, line(none, load));
            }
            peer.accept();
            return std::pair{wire_of(peer.marker()), peer.solver().state().hash()};
        };
        const auto [straight, hash] = run(0);
        const auto [detour, detour_hash] = run(2);
        if (substeps > 1) {
            EXPECT_EQ(detour_hash, hash);
        }
        for (int k = 0; k < 13; ++k) EXPECT_NEAR(detour[k], straight[k], 1e-9) << substeps << " " << k;
        EXPECT_EQ(run(2).second, detour_hash);
    }
}

TEST(SmoothPeer, SubStepsAreStepsOfTheSameSolver)
{
    const std::array<double, wrench_size> load{3, -2, 5, 0.1, 0.2, -0.3};
    const auto run = [&](double length, int substeps, int steps) {
        Chain chain;
        CoupledView view(chain.model.finish());
        const Split part = split(chain.model.finish(), {chain.arm}, view);
        SmoothModel model(chain.model.finish(), part.away);
        SmoothPeer peer(model, chain.carrier, part.marker, length, substeps, {});
        for (int n = 0; n < steps; ++n) peer.advance(length, line(load, load, length));
        return wire_of(peer.marker());
    };
    const Wire one = run(H, 4, 3), four = run(H / 4, 1, 12);
    for (std::size_t k = 0; k < one.size(); ++k) EXPECT_NEAR(one[k], four[k], 1e-9 * (1 + std::abs(one[k])));
}

} // namespace peers_test
