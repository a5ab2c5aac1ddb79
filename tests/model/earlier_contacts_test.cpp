// Contacts found again in those of the step before.
#include "tamis/model/earlier_contacts.hpp"

#include <gtest/gtest.h>

namespace earlier_contacts_test {

using namespace tamis;

namespace {

struct Old {
    int shape_a, shape_b, feature;
};
struct Kept {
    Old contact;
    int value;
};

DetectedContact now(int a, int b, int feature)
{
    DetectedContact d{a, b, -1, -1, nullptr, {}};
    d.point.feature = feature;
    return d;
}

} // namespace

TEST(EarlierContacts, AreFoundByPairAndFeature)
{
    const std::vector<Old> before = {{0, 1, 7}, {0, 3, 2}, {0, 3, 1}, {2, 3, 0}};
    EarlierContacts earlier(std::span<const Old>{before});
    EXPECT_EQ(earlier.find(now(0, 1, 7)), &before[0]);
    EXPECT_EQ(earlier.find(now(0, 2, 0)), nullptr);
    EXPECT_EQ(earlier.find(now(0, 3, 1)), &before[2]); // features need no order
    EXPECT_EQ(earlier.find(now(0, 3, 2)), &before[1]);
    EXPECT_EQ(earlier.find(now(0, 3, 3)), nullptr);
    EXPECT_EQ(earlier.find(now(2, 3, 0)), &before[3]);
    EXPECT_EQ(earlier.find(now(3, 4, 0)), nullptr);
}

TEST(EarlierContacts, MayBeAskedForFromAnyPairOn)
{
    const std::vector<Old> before = {{0, 1, 0}, {0, 2, 0}, {1, 2, 0}, {4, 5, 0}};
    EarlierContacts earlier(std::span<const Old>{before});
    EXPECT_EQ(earlier.find(now(1, 2, 0)), &before[2]);
    EXPECT_EQ(earlier.find(now(4, 5, 0)), &before[3]);
}

TEST(EarlierContacts, AreFoundWhereTheyAreMembers)
{
    const std::vector<Kept> before = {{{0, 1, 0}, 10}, {{0, 1, 1}, 11}};
    EarlierContacts earlier(std::span<const Kept>{before}, &Kept::contact);
    ASSERT_NE(earlier.find(now(0, 1, 1)), nullptr);
    EXPECT_EQ(earlier.find(now(0, 1, 1))->value, 11);
}

} // namespace earlier_contacts_test
