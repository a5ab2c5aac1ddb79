// Packings come back to the bit; numbers that are no packing are refused, whole as the file may be.
#include "tamis/io/packing_file.hpp"

#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/base/state_hash.hpp"
#include "tamis/io/hdf5_file.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <limits>

namespace tamis::test::packing_file_test {

namespace {

// A grain of each kind, and a second polyhedron.
Packing one_of_each()
{
    Packing packing;
    const std::vector<Eigen::Vector3d> tetrahedron{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.3, Eigen::Vector3d(1, 2, 3).normalized()).matrix();
    int n = 0;
    for (const Shape& shape : {sphere(0.1), box(0.1, 0.2, 0.3), cylinder(0.1, 0.4), capsule(0.1, 0.5),
                               polyhedron(tetrahedron), polyhedron(tetrahedron)})
        packing.add(shape, {.R = turn, .p = {0.1 * ++n, 1, -2}});
    return packing;
}

// The sentence that refuses the file when `forge` has changed its content, with checksum and seal made anew.
template <class Forge>
std::string refusal(Forge&& forge)
{
    ScratchFolder folder;
    write_packing(folder / "bed.h5", one_of_each());
    Hdf5 file = read_hdf5(folder / "bed.h5", true);
    forge(file);
    StateHash hash;
    for (const char* name : {"size", "pose", "vertices"}) {
        const auto& values = file.array<double>(name);
        hash.add(values.data(), static_cast<std::ptrdiff_t>(values.size()));
    }
    file.attributes["checksum"] = std::vector{hash.value};
    write_hdf5(folder / "bed.h5", file);
    return error_of([&] { read_packing(folder / "bed.h5"); });
}

std::string refusal_of_number(const char* name, std::size_t at, double value)
{
    return refusal(
        [&](Hdf5& file) { std::get<std::vector<double>>(file.datasets.at(name).values).at(at) = value; });
}

void expect_named(const std::string& text, int grain, const std::string& what)
{
    EXPECT_TRUE(contains(text, "Grain " + std::to_string(grain) + " of the packing '") &&
                contains(text, "bed.h5'") && contains(text, what) && contains(text, "make the packing again"))
        << grain << ", " << what << ": " << text;
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();

} // namespace

TEST(PackingFile, ComesBackToTheBit)
{
    ScratchFolder folder;
    const Packing packing = one_of_each();
    write_packing(folder / "bed.h5", packing);
    const Packing again = read_packing(folder / "bed.h5");
    ASSERT_EQ(again.size(), packing.size());
    for (int i = 0; i < packing.size(); ++i) {
        EXPECT_EQ(again.shapes[i].index(), packing.shapes[i].index());
        EXPECT_EQ(surface(again.shapes[i], 1).vertices, surface(packing.shapes[i], 1).vertices);
        EXPECT_EQ(again.poses[i].R, packing.poses[i].R);
        EXPECT_EQ(again.poses[i].p, packing.poses[i].p);
    }
}

TEST(PackingFile, SizesThatAreNoneAreRefusedByGrain)
{
    for (const double bad : {nan, -0.1, 0.0, inf}) {
        expect_named(refusal_of_number("size", 0, bad), 1, "measures");
        expect_named(refusal_of_number("size", 3 + 2, bad), 2, "measures");
        expect_named(refusal_of_number("size", 6 + 1, bad), 3, "measures");
        expect_named(refusal_of_number("size", 9 + 1, bad), 4, "measures");
    }
    // The volume is infinite, or zero.
    for (const double bad : {1e200, 1e-200}) expect_named(refusal_of_number("size", 0, bad), 1, "volume");
}

TEST(PackingFile, PosesThatAreNoneAreRefusedByGrain)
{
    for (const double bad : {nan, inf}) {
        expect_named(refusal_of_number("pose", 12 + 10, bad), 2, "is at");
        expect_named(refusal_of_number("pose", 24 + 4, bad), 3, "orientation");
    }
    expect_named(refusal_of_number("pose", 24 + 4, 1.5), 3, "orientation");
    const std::string mirrored = refusal([](Hdf5& file) {
        auto& pose = std::get<std::vector<double>>(file.datasets.at("pose").values);
        for (int k = 0; k < 3; ++k) pose[k] = -pose[k];
    });
    expect_named(mirrored, 1, "orientation");
}

TEST(PackingFile, PointsThatAreNoPolyhedronAreRefusedByGrain)
{
    for (const double bad : {nan, inf, 1e300})
        expect_named(refusal_of_number("vertices", 12 + 5, bad), 6, "");
    expect_named(refusal_of_number("vertices", 12 + 11, 0), 6, "4 points that span no polyhedron"); // flat
    const auto points = [](std::size_t grain, std::int64_t count) {
        return refusal([&](Hdf5& file) {
            std::get<std::vector<std::int64_t>>(file.datasets.at("points").values).at(grain - 1) = count;
        });
    };
    for (const std::int64_t count :
         {std::int64_t{-1}, std::int64_t{9}, std::numeric_limits<std::int64_t>::max()})
        expect_named(points(5, count), 5, "points");
    expect_named(points(1, 4), 1, "points"); // a sphere
    expect_named(points(6, 5), 6, "points");
    expect_named(points(5, 3), 5, "points");
    const std::string more = refusal([](Hdf5& file) {
        auto& vertices = std::get<std::vector<double>>(file.datasets.at("vertices").values);
        vertices.insert(vertices.end(), {1, 2, 3});
    });
    EXPECT_TRUE(contains(more, "1 of its points")) << more;
}

TEST(PackingFile, UnknownKindIsRefusedByGrain)
{
    for (const std::int64_t kind : {-1, 5, 1000})
        expect_named(refusal([&](Hdf5& file) {
                         std::get<std::vector<std::int64_t>>(file.datasets.at("kind").values).at(2) = kind;
                     }),
                     3, "kind");
}

} // namespace tamis::test::packing_file_test
