#include "tamis/model/beam_section.hpp"

#include "error_of.hpp"

#include <gtest/gtest.h>

namespace beam_section_test {

using namespace tamis;

TEST(BeamSection, RectangleHasTheTabulatedTorsionConstant)
{
    // Timoshenko and Goodier, Theory of Elasticity, Sect. 109: k1 of J = k1 b h^3.
    const double table[][2] = {{1, 0.1406}, {2, 0.229}, {5, 0.291}, {10, 0.312}};
    for (const auto& [ratio, k1] : table)
        for (const bool flat : {false, true}) {
            const RectangularSection r{2.6, 0.3, 1, flat ? ratio : 1, flat ? 1 : ratio}; // G = 1
            EXPECT_NEAR(beam_section(r).stiffness(3, 3) / ratio, k1, 6e-4);
        }
}

TEST(BeamSection, RefusesWhatIsNotAMaterial)
{
    EXPECT_EQ(error_of([] {
                  beam_section(RectangularSection{210e9, 0.3, 7800, 0.03, 0});
              }),
              "In a rectangular section the height is 0: give a positive number.");
    EXPECT_EQ(error_of([] {
                  beam_section(RectangularSection{210e9, 0.7, 7800, 0.03, 1});
              }),
              "A rectangular section has Poisson's ratio 0.7: it must lie between -1 and 0.5.");
}

} // namespace beam_section_test
