// The penalty method beyond a cut, against closed forms and the same model stepped together.
#include "tamis/cosim/coupled.hpp"
#include "tamis/model/description.hpp"

#include "cosim/cut_scenes.hpp"
#include "error_of.hpp"

#include <gtest/gtest.h>
#include <numbers>

namespace dem_peer_test {

using namespace tamis;
using namespace tamis::scenes;
using Eigen::Vector3d;

namespace {

CoupledOptions by(CouplingScheme scheme, double H, int substeps = 0)
{
    CoupledOptions o{.H = H, .scheme = scheme, .nonsmooth_substeps = substeps, .absolute = 1e-9};
    o.dem = DemOptions{};
    return o;
}

} // namespace

TEST(DemPeer, SubStepsAreHartsAtMost)
{
    Container c;
    const double hart = hart_step(c.model.finish());
    for (const double parts : {0.5, 1.0, 3.5}) {
        Coupled run(c.model.finish(), {c.body, CutKind::contacts}, by(CouplingScheme::loose, parts * hart));
        EXPECT_EQ(run.nonsmooth().substeps(), static_cast<int>(std::ceil(parts))) << parts;
    }
    const auto refused = [&](int substeps) {
        return error_of([&] {
            Coupled(c.model.finish(), {c.body, CutKind::contacts},
                    by(CouplingScheme::loose, 10 * hart, substeps));
        });
    };
    EXPECT_EQ(refused(6), "");
    EXPECT_TRUE(contains(refused(3), "Hart") && contains(refused(3), "more substeps")) << refused(3);
}

// At rest the container carries the weight of the balls, whatever the scheme.
TEST(DemPeer, RestingBedReturnsItsWeight)
{
    for (const auto scheme : {CouplingScheme::loose, CouplingScheme::tight, CouplingScheme::modified}) {
        Container c(3, 40);
        Coupled run(c.model.finish(), {c.body, CutKind::contacts}, by(scheme, 1e-3));
        while (run.view().time() < 2.5) run.step();
        double weight = 0;
        for (const GrainRecord& grain : c.model.grains()) weight += grain.mass * gravity;
        EXPECT_NEAR(run.wrench().force.z(), -weight, 2e-3 * weight);
        EXPECT_NEAR(run.view().contact_force(c.inside).force.z(), -weight, 2e-3 * weight);
        EXPECT_NEAR(run.view().contact_force(c.body).force.z(), -weight, 2e-3 * weight);
        EXPECT_NEAR(run.view().position(c.body).z(), -(weight + 2 * gravity) / 2000, 1e-5);
    }
}

// What the balls lose beyond gravity the container gets, step by step; and as H goes to zero, the coupled model is the
// whole one, to first order.
TEST(DemPeer, CoupledIsTheWholeAsStepsShorten)
{
    const double t_end = 0.08;
    Container c;
    const Model& model = c.model.finish();
    double mass = 0;
    for (const GrainRecord& grain : model.grains()) mass += grain.mass;
    const auto momentum = [&](const View& s) {
        double sum = 0;
        for (std::size_t k = 0; k < s.grains().size(); ++k)
            sum += model.grains()[k].mass * s.grains()[k].v[2];
        return sum;
    };
    Dem whole(model, {t_end / 64000});
    for (int n = 0; n < 64000; ++n) whole.step();
    const double height = whole.view().position(c.body).z();
    for (const auto scheme : {CouplingScheme::tight, CouplingScheme::loose}) {
        double first = 0, last = 0;
        for (const int steps : {400, 800, 1600}) {
            const double H = t_end / steps;
            Coupled run(model, {c.body, CutKind::contacts}, by(scheme, H, 4));
            for (int n = 0; n < steps; ++n) {
                const double before = momentum(run.view());
                run.step();
                ASSERT_NEAR(H * run.wrench().force[2], before - momentum(run.view()) - H * mass * gravity,
                            1e-10);
            }
            EXPECT_EQ(run.coupling().statistics().not_converged, 0);
            const double error = std::abs(run.view().position(c.body).z() - height);
            // First order, but impacts fall on other steps, so that two errors in a row say little.
            EXPECT_LT(error, 1e-3 * std::abs(height) * 400 / steps) << steps;
            if (steps == 400) first = error;
            last = error;
        }
        EXPECT_LT(last, first / 2);
        EXPECT_GT(whole.view().dissipated().sum(), 0);
    }
}

TEST(DemPeer, GoesOnToTheSameBits)
{
    Container c;
    for (const auto scheme : {CouplingScheme::tight, CouplingScheme::loose, CouplingScheme::modified}) {
        const auto make = [&] {
            return std::make_unique<Coupled>(c.model.finish(), Cut{c.body, CutKind::contacts},
                                             by(scheme, 2e-4));
        };
        const auto run = make(), again = make();
        for (int n = 0; n < 300; ++n) run->step();
        again->restore(run->save());
        EXPECT_EQ(again->state_hash(), run->state_hash());
        for (int n = 0; n < 300; ++n) {
            run->step();
            again->step();
        }
        EXPECT_EQ(again->state_hash(), run->state_hash());
        EXPECT_EQ(again->view().dissipated().sum(), run->view().dissipated().sum());
        EXPECT_GT(run->view().dissipated().normal, 0);
    }
}

// At a cut joint, the reaction of the joint is returned: carrier and container meet as in the whole.
TEST(DemPeer, CutAtAJoint)
{
    ModelDescription model("carrier");
    model.gravity({0, 0, -gravity});
    const Body carrier =
        model.add({.name = "carrier", .joint = slide_z(), .mass = 3, .inertia = {0.1, 0.1, 0.1}});
    model.spring(model.coordinate(carrier), {.stiffness = 3000, .damping = 10});
    const Body container = model.add({.name = "container",
                                      .parent = carrier,
                                      .joint = slide_x(),
                                      .mass = 0.5,
                                      .inertia = {0.1, 0.1, 0.1}});
    model.spring(model.coordinate(container), {.stiffness = 300});
    const MaterialId steel = model.add(soft);
    model.attach(container, hollow(box(0.5, 0.5, 0.5)), steel, {}, "inside");
    for (int k = 0; k < 3; ++k)
        model.grain({.shape = sphere(0.05),
                     .material = steel,
                     .density = 300,
                     .at = {.p = {0.1 * k - 0.1, 0, -0.19 + 0.02 * k}},
                     .velocity = {0.4, 0, -0.5}});
    const double t_end = 0.08;
    const Model& m = model.finish();
    Dem whole(m, {t_end / 3200});
    for (int n = 0; n < 3200; ++n) whole.step();
    const auto error = [&](int steps) {
        CoupledOptions o = by(CouplingScheme::tight, t_end / steps, 3200 / steps);
        o.repeat = Repetition::quasi_newton;
        Coupled run(m, {container}, o);
        for (int n = 0; n < steps; ++n) run.step();
        return (run.view().position(container) - whole.view().position(container)).norm();
    };
    const double coarse = error(400), fine = error(800);
    EXPECT_LT(fine, 1e-3 * 0.02);
    EXPECT_LT(fine, 0.7 * coarse);
}

} // namespace dem_peer_test
