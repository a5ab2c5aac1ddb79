// A nonsmooth side on a smooth side that is another solver's.
#include "tamis/cosim/attached.hpp"

#include "cosim/linear_peer.hpp"
#include "error_of.hpp"
#include "support/two_masses.hpp"
#include "tamis/model/description.hpp"

#include <gtest/gtest.h>

namespace tamis::attached_test {
namespace {

// The built-in solver, as a stranger would bring it: with a model of its own.
struct Stranger {
    explicit Stranger(double H) : bodies(add_two_masses(description, parameters)), model(description.finish())
    {
        smooth.emplace(model, std::vector<Body>{bodies.second});
        peer.emplace(*smooth, bodies.first, Pose{}, H, 1, SmoothOptions{});
    }
    static constexpr TwoMasses parameters{.k1 = 5000, .v = 1};
    ModelDescription description{"smooth half"};
    TwoMassBodies bodies;
    const Model& model;
    std::optional<SmoothModel> smooth;
    std::optional<SmoothPeer> peer;
};

} // namespace

TEST(Attached, GivesTheBitsOfTheModelsOwnSmoothSide)
{
    for (const CouplingScheme scheme :
         {CouplingScheme::tight, CouplingScheme::loose, CouplingScheme::modified}) {
        const CoupledOptions options{.H = 1e-3, .scheme = scheme, .absolute = 1e-9};
        ModelDescription description("two masses");
        const TwoMassBodies b = add_two_masses(description, Stranger::parameters);
        const Model& model = description.finish();
        Coupled own(model, {b.second}, options);
        Stranger stranger(options.H);
        Attached attached(model, {b.second}, *stranger.peer, options);
        for (int n = 0; n < 100; ++n) {
            EXPECT_EQ(attached.view().time(), own.view().time());
            for (const Body body : {b.first, b.second}) {
                EXPECT_EQ(attached.view().position(body), own.view().position(body)) << n;
                EXPECT_EQ(attached.view().motion(body).velocity, own.view().motion(body).velocity) << n;
            }
            own.step();
            attached.step();
        }
        EXPECT_EQ(attached.wrench().force, own.wrench().force);
        EXPECT_EQ(attached.state_hash(), own.state_hash());
    }
}

TEST(Attached, RefusesPeersThatAreNoCarriers)
{
    using Eigen::MatrixXd;
    LinearPeer tank("the tank", MatrixXd::Zero(1, 1), MatrixXd::Zero(1, 1), MatrixXd::Zero(1, 1),
                    MatrixXd::Zero(1, 1), Eigen::VectorXd::Zero(1));
    ModelDescription description("two masses");
    const TwoMassBodies b = add_two_masses(description, Stranger::parameters);
    const Model& model = description.finish();
    EXPECT_PRED2(contains, error_of([&] { Attached(model, {b.second}, tank, {}); }),
                 "the tank has 1 inputs and 1 outputs");
}

} // namespace tamis::attached_test
