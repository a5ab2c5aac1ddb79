// Grains and joints on a smooth side that an FMU steps.
#include "tamis/fmi/fmu_peer.hpp"

#include "cosim/cut_scenes.hpp"
#include "error_of.hpp"
#include "fmi/body.h"
#include "fmi/body_fmu.hpp"
#include "support/two_masses.hpp"
#include "tamis/cosim/attached.hpp"
#include "tamis/model/description.hpp"

#include <gtest/gtest.h>

namespace tamis::fmu_damper_test {

using namespace tamis::scenes;
using namespace tamis::test;
using Eigen::Vector3d;

namespace {

// A box with a few balls, on a spring.
struct Damper {
    ModelDescription model{"box on a spring"};
    Body box_body;
    Cut cut;

    Damper()
    {
        box_body = model.add({.name = "box", .joint = slide_x(), .mass = 0.3});
        model.gravity({0, 0, -gravity});
        model.spring(model.coordinate(box_body), {.stiffness = 1600, .damping = 0.1});
        model.start(box_body, 0, 0.4);
        const MaterialId steel = model.add(Material{.friction = 0.3});
        model.attach(box_body, hollow(box(0.06, 0.04, 0.04)), steel);
        for (int i = 0; i < 5; ++i)
            model.grain({.shape = sphere(0.006),
                         .material = steel,
                         .density = 1200,
                         .at = {.p = {0.0121 * i - 0.024, 0.002 * (i % 2), -0.0139}}});
        model.finish();
        cut = {box_body, CutKind::contacts};
    }
};

FmuOptions oscillator(const ScratchFolder& folder, const BodyFmu& fmu = {})
{
    BodyFmu moving = fmu;
    moving.variables =
        R"(<ScalarVariable name="v0" valueReference="3" causality="local" initial="exact"><Real/>)"
        R"(</ScalarVariable>)";
    return {
        .file = moving.write(folder), .mapping = along_x, .values = "stiffness=1600; damping=0.1; v0=0.4"};
}

CoupledOptions coupled(CouplingScheme scheme, double H)
{
    return {.H = H, .scheme = scheme, .weights = index_2, .absolute = 1e-9};
}

// What the oscillator does without an FMU around it.
class Inside : public Peer {
  public:
    explicit Inside(double H) : H_(H) { body_.stiffness = 1600, body_.damping = 0.1, body_.v[0] = 0.4; }
    std::string name() const override { return "the FMU's side"; }
    int inputs() const override { return wrench_size; }
    int outputs() const override { return InterfaceMotion::size; }
    void output(std::span<const double>, std::span<double> y) const override { motion().write(y); }
    bool predict(double H, std::span<double> y) override
    {
        motion().coasted(H).write(y);
        return true;
    }
    void advance(double H, const Signal& u) override
    {
        std::array<double, wrench_size> wire;
        u.at(H, wire);
        body_.force[0] = wire[0];
        body_step(&body_, H_);
    }
    void save() override { saved_ = body_; }
    void restore() override { body_ = saved_; }

  private:
    InterfaceMotion motion() const
    {
        return {{body_.x[0], 0, 0}, Eigen::Quaterniond::Identity(), {body_.v[0], 0, 0}};
    }
    double H_;
    BodyState body_ = body_at_start(), saved_ = body_;
};

} // namespace

TEST(FmuDamper, HasTheBitsOfTheSameSolverInside)
{
    for (const CouplingScheme scheme : {CouplingScheme::tight, CouplingScheme::loose,
                                        CouplingScheme::staggered, CouplingScheme::modified}) {
        const CoupledOptions options = coupled(scheme, 2e-4);
        Damper one, two;
        Inside inside(options.H);
        Attached own(one.model.finish(), one.cut, inside, options);
        const ScratchFolder folder;
        Attached attached(two.model.finish(), two.cut,
                          std::make_unique<FmuPeer>(oscillator(folder), InterfaceMotion{}, options.H),
                          options);
        double pushed = 0;
        for (int n = 0; n < 200; ++n) {
            own.step();
            attached.step();
            ASSERT_EQ(attached.view().position(two.box_body)[0], own.view().position(one.box_body)[0]) << n;
            ASSERT_EQ(attached.wrench().force, own.wrench().force) << n;
            pushed = std::max(pushed, std::abs(own.wrench().force[0]));
        }
        EXPECT_GT(pushed, 0.1); // the grains do push
        ASSERT_EQ(attached.nonsmooth().state_hash(), own.nonsmooth().state_hash());
    }
}

// The wrench on either is held over a step: they differ by the order of the coupling.
TEST(FmuDamper, ConvergesToTheBuiltInSolver)
{
    const auto distance = [](double H, CouplingScheme scheme) {
        Damper one, two;
        const CoupledOptions options = coupled(scheme, H);
        Coupled own(one.model.finish(), one.cut, options);
        const ScratchFolder folder;
        Attached attached(two.model.finish(), two.cut,
                          std::make_unique<FmuPeer>(oscillator(folder), InterfaceMotion{}, H), options);
        double largest = 0;
        for (int n = 0; n < 0.02 / H; ++n) { // the first impacts, before small differences grow
            own.step();
            attached.step();
            largest = std::max(largest, std::abs(attached.view().position(two.box_body)[0] -
                                                 own.view().position(one.box_body)[0]));
        }
        return largest;
    };
    for (const CouplingScheme scheme : {CouplingScheme::tight, CouplingScheme::loose}) {
        const double coarse = distance(4e-4, scheme), fine = distance(1e-4, scheme);
        EXPECT_LT(coarse, 1e-4); // of 4e-3
        EXPECT_LT(fine, coarse / 2);
    }
}

// Two masses clamped together, each on a spring: x = A sin(w t) with w^2 = (k1 + k2) / (m1 + m2).
TEST(FmuDamper, TwoMassesConvergeToTheirClosedForm)
{
    const TwoMasses p{.m1 = 0.3, .m2 = 0.1, .k1 = 300, .k2 = 20, .v = 1}; // alone, of other frequencies
    const double w = std::sqrt((p.k1 + p.k2) / (p.m1 + p.m2)), t = 0.07;  // at 2/3 of a half period
    const auto error = [&](int steps) {
        ModelDescription description("two masses");
        const TwoMassBodies b = add_two_masses(description, p);
        const CoupledOptions options = coupled(CouplingScheme::tight, t / steps);
        const ScratchFolder folder;
        FmuOptions fmu = oscillator(folder);
        fmu.values = "stiffness=300; mass=0.3; v0=1";
        Attached run(
            description.finish(), {b.second},
            std::make_unique<FmuPeer>(fmu, marker_at_start(description.finish(), {b.second}), options.H),
            options);
        for (int n = 0; n < steps; ++n) run.step();
        return std::abs(run.view().position(b.first)[0] - std::sin(w * t) / w);
    };
    const double coarse = error(200), fine = error(400);
    EXPECT_LT(fine, 3e-3 / w);
    EXPECT_NEAR(coarse / fine, 2, 0.3) << coarse << " " << fine; // first order
}

TEST(FmuDamper, GoesOnFromACheckpointToTheSameBits)
{
    const CoupledOptions options = coupled(CouplingScheme::tight, 2e-4);
    const ScratchFolder folder;
    const auto run = [&](Damper& damper) {
        return std::make_unique<Attached>(
            damper.model.finish(), damper.cut,
            std::make_unique<FmuPeer>(oscillator(folder), InterfaceMotion{}, options.H), options);
    };
    Damper one, two;
    const auto whole = run(one);
    for (int n = 0; n < 60; ++n) whole->step();
    const SavedState saved = whole->save();
    for (int n = 0; n < 60; ++n) whole->step();
    const auto second = run(two);
    second->restore(saved);
    EXPECT_EQ(second->view().time(), 60 * options.H);
    for (int n = 0; n < 60; ++n) second->step();
    EXPECT_EQ(second->state_hash(), whole->state_hash());
    EXPECT_EQ(second->view().position(two.box_body), whole->view().position(one.box_body));
}

TEST(FmuDamper, TightStepsNeedAnFmuThatGoesBack)
{
    Damper damper;
    const ScratchFolder folder;
    const CoupledOptions options = coupled(CouplingScheme::tight, 2e-4);
    Attached attached(
        damper.model.finish(), damper.cut,
        std::make_unique<FmuPeer>(oscillator(folder, {.saves = false}), InterfaceMotion{}, options.H),
        options);
    EXPECT_PRED2(contains, error_of([&] { attached.step(); }), "couple it loosely, staggered or explicitly");
    EXPECT_EQ(attached.view().time(), 0);
}

} // namespace tamis::fmu_damper_test
