// What the Moreau-Jean scheme tells of itself for the summary of a run.
#include "model/scenes.hpp"
#include "tamis/model/description.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <gtest/gtest.h>

namespace facts_test {

using namespace tamis;

TEST(Facts, NameTheIndependentCoordinates)
{
    ModelDescription model("slider crank");
    scenes::slider_crank(model);
    const MoreauJean stepper(model.finish(), {});
    const Facts facts = stepper.facts();
    const auto& names = std::get<std::vector<std::string>>(facts.at("independent_coordinates"));
    ASSERT_EQ(names.size(), 3u);
    EXPECT_EQ(names[2], model.finish().mechanisms()[0].coordinate_name(2));
    EXPECT_EQ(std::get<long>(facts.at("partition_changes")), 0);
    EXPECT_EQ(std::get<std::string>(facts.at("equations")), stepper.compiled() ? "compiled" : "interpreted");
}

TEST(Facts, NameNoCoordinatesWhereThereAreNone)
{
    ModelDescription model("ball");
    const MaterialId steel = model.add(Material{});
    model.grain({.shape = sphere(0.1), .material = steel, .density = 1000});
    EXPECT_FALSE(MoreauJean(model.finish(), {}).facts().contains("independent_coordinates"));
}

} // namespace facts_test
