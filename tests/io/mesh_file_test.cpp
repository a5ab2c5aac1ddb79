#include "tamis/io/mesh_file.hpp"

#include "collision/random_poses.hpp"
#include "error_of.hpp"
#include "io/scratch.hpp"

#include <bit>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>

namespace mesh_file_test {

using namespace tamis;
using Eigen::Vector3d;

namespace {

class MeshFile : public testing::Test {
  protected:
    std::filesystem::path write(const std::string& name, const std::string& content) const
    {
        std::ofstream(folder / name, std::ios::binary) << content;
        return folder / name;
    }
    TriangleMesh read(const std::string& name, const std::string& content) const
    {
        return read_mesh(write(name, content));
    }
    void expect_refused(const std::string& name, const std::string& content, const std::string& place) const
    {
        const std::string text = error_of([&] { read(name, content); });
        EXPECT_TRUE(contains(text, (folder / name).string() + place)) << text << "\nwithout " << place;
    }

    test::ScratchFolder folder;
};

using Triangles = std::vector<std::array<int, 3>>;

void append(std::string& bytes, std::uint32_t word)
{
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(word >> 8 * i & 255);
}

std::string binary_stl(const TriangleMesh& mesh, const std::string& title)
{
    std::string bytes = title;
    bytes.resize(80, '\0');
    append(bytes, static_cast<std::uint32_t>(mesh.triangles.size()));
    for (const auto& t : mesh.triangles) {
        bytes.append(12, '\0');
        for (int v : t)
            for (int k = 0; k < 3; ++k)
                append(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(mesh.vertices[v][k])));
        bytes.append(2, '\0');
    }
    return bytes;
}

std::string text_stl(const TriangleMesh& mesh, const std::string& title)
{
    std::string text = "solid " + title + "\n";
    for (const auto& t : mesh.triangles) {
        text += "  facet normal 0 0 0\n    outer loop\n";
        for (int v : t)
            text += fmt::format("      vertex {} {} {}\n", mesh.vertices[v].x(), mesh.vertices[v].y(),
                                mesh.vertices[v].z());
        text += "    endloop\n  endfacet\n";
    }
    return text + "endsolid " + title + "\n";
}

// Vertices in order of appearance and exact as floats.
TriangleMesh tetrahedron()
{
    return {{{0, 0, 0}, {0, 0.5, 0}, {0.25, 0, 0}, {0, 0, 2}}, {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {2, 1, 3}}};
}

void expect_same(const TriangleMesh& a, const TriangleMesh& b)
{
    EXPECT_EQ(a.vertices, b.vertices);
    EXPECT_EQ(a.triangles, b.triangles);
}

} // namespace

TEST_F(MeshFile, BinaryAndTextStlGiveTheSameWeldedMesh)
{
    const TriangleMesh mesh = tetrahedron();
    expect_same(read("a.stl", binary_stl(mesh, "a mesh")), mesh);
    // Binary although the title is the first word of text files, and a name in capitals.
    expect_same(read("b.STL", binary_stl(mesh, "solid mesh")), mesh);
    expect_same(read("c.stl", text_stl(mesh, "")), mesh);
    expect_same(
        read("d.stl", text_stl(mesh, "a long name that makes the title longer than what eighty bytes of a "
                                     "binary file could hold, facet vertex")),
        mesh);
    // Capitals, ends of lines of another system, two solids in a file.
    std::string shouted;
    for (const char c : text_stl(mesh, "x\\")) {
        if (c == '\n') shouted += '\r';
        shouted += static_cast<char>(std::toupper(c));
    }
    expect_same(read("e.stl", shouted), mesh);
    TriangleMesh twice = mesh;
    twice.triangles.insert(twice.triangles.end(), mesh.triangles.begin(), mesh.triangles.end());
    expect_same(read("f.stl", text_stl(mesh, "one") + text_stl(mesh, "two")), twice);
}

TEST_F(MeshFile, VerticesAreWeldedExactly)
{
    TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0, 0, -0.0}, {0, 1, 0}, {1e-15, 1, 0}},
                      {{0, 1, 2}, {3, 4, 1}, {0, 5, 1}}};
    const TriangleMesh welded = read("a.stl", text_stl(mesh, ""));
    EXPECT_EQ(welded.vertices.size(), 4u);
    EXPECT_EQ(welded.triangles, (Triangles{{0, 1, 2}, {0, 2, 1}, {0, 3, 1}}));
}

TEST_F(MeshFile, TrianglesWithoutAreaAreLeftOut)
{
    TriangleMesh mesh = tetrahedron();
    mesh.vertices.emplace_back(0, 0.25, 0);
    mesh.triangles.push_back({0, 1, 4});
    mesh.triangles.push_back({1, 1, 2});
    EXPECT_EQ(read("a.stl", text_stl(mesh, "")).triangles, tetrahedron().triangles);
    EXPECT_EQ(read("a.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n").triangles.size(), 0u);
}

TEST_F(MeshFile, ObjFacesOfEveryFormGiveTheSameTriangles)
{
    const std::string vertices =
        "# comment \\\nmtllib x.mtl\no part\nv 0 0 0\nv 1 0 0 1\nv +1 1e0 0 0.5 0.5 0.5\n"
        "vt 0 0\nvn 0 0 1\nv 0 1 0\n";
    const Triangles fan{{0, 1, 2}, {0, 2, 3}};
    for (const char* face :
         {"f 1 2 3 4", "f 1/1 2/1 3/1 4/1", "f 1//1 2//1 3//1 4//1", "f 1/1/1 2/1/1 3/1/1 4/1/1",
          "f -4 -3 -2 -1", "  f\t-4/1 2//1 -2 4 \r", "f 1 2 \\\n 3 4", "f 1 2 3\nf 1 3 4"}) {
        const TriangleMesh mesh = read("a.obj", vertices + face + "\n");
        EXPECT_EQ(mesh.triangles, fan) << face;
        EXPECT_EQ(mesh.vertices, (std::vector<Vector3d>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
    }
    // Negative indices count from the vertices given so far.
    EXPECT_EQ(read("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 1 0 1\nf -1 -2 -3").triangles,
              (Triangles{{0, 1, 2}, {3, 2, 1}}));
}

TEST_F(MeshFile, WhatIsWrittenIsReadBackToTheBit)
{
    for (double scale : scales) {
        std::vector<Vector3d> points(30);
        for (Vector3d& x : points) x = random_vector(scale);
        const Surface s = surface(polyhedron(points), 1);
        write_obj(s, folder / "a.obj");
        const TriangleMesh mesh = read_mesh(folder / "a.obj");
        EXPECT_EQ(mesh.vertices, s.vertices);
        ASSERT_EQ(mesh.triangles.size(), s.faces.size());
        for (std::size_t f = 0; f < s.faces.size(); ++f)
            EXPECT_EQ(s.faces[f], std::vector<int>(mesh.triangles[f].begin(), mesh.triangles[f].end()));
        const Shape again = polyhedron(folder / "a.obj", 1);
        EXPECT_EQ(surface(again, 1).faces, s.faces);
    }
    EXPECT_TRUE(contains(error_of([&] { write_obj({}, folder / "none/a.obj"); }), "none/a.obj"));
}

TEST_F(MeshFile, FaultsAreNamedWithTheirPlace)
{
    const std::string v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    expect_refused("a.obj", v + "f 1 2 4\n", ":4: '4'");
    expect_refused("a.obj", v + "f 1 2 0\n", ":4: '0'");
    expect_refused("a.obj", v + "f 1 2 -4\n", ":4: '-4'");
    expect_refused("a.obj", v + "f 1 2 x/1\n", ":4: 'x/1'");
    expect_refused("a.obj", v + "f 1 2\n", ":4: ");
    expect_refused("a.obj", v + "f 1 \\\n2 3\nf 1 2\n", ":6: ");
    expect_refused("a.obj", v + "\nv 1 2\n", ":5: ");
    expect_refused("a.obj", v + "\nv 1 2 3x\n", ":5: ");
    expect_refused("a.obj", v + "v 1 nan 3\n", ":4: ");
    expect_refused("a.obj", "# empty\n", ": ");
    expect_refused("a.ply", "", ": ");

    const std::string text = text_stl(tetrahedron(), "x"), binary = binary_stl(tetrahedron(), "solid x");
    expect_refused("a.stl", "solid x\nendsolid x\n", ": ");
    expect_refused("a.stl", "ply\n", ":1: 'ply'");
    expect_refused("a.stl", text.substr(0, text.find("  endfacet")), ":7: ");
    expect_refused("a.stl", "solid\nfacet\nouter loop\nvertex 1 2 3\nendloop\nendfacet\n", ":6: ");
    expect_refused("a.stl", "solid\nfacet\nouter loop\nvertex 1 2 inf\n", ":4: ");
    expect_refused("a.stl", "solid\nfacet\nouter loop\nvertex 1 2\n", ":4: ");
    expect_refused("a.stl", "solid\nvertex 1 2 3\n", ":2: 'vertex'");
    expect_refused("a.stl", binary.substr(0, binary.size() - 1), ": 4 triangles, announced at byte 80");
    expect_refused("a.stl", binary + '\0', ": 4 triangles, announced at byte 80");
    expect_refused("a.stl", binary.substr(0, 20), ": ends at byte 20");
    expect_refused("a.stl", "", ": ");
    TriangleMesh bad = tetrahedron();
    bad.vertices[2].y() = std::numeric_limits<double>::quiet_NaN();
    expect_refused("a.stl", binary_stl(bad, ""), ": the coordinate at byte 124"); // 84 + 12 + 2 * 12 + 4

    EXPECT_TRUE(contains(error_of([&] { read_mesh(folder / "none.stl"); }), "none.stl"));
    std::filesystem::create_directory(folder / "folder.obj");
    EXPECT_TRUE(contains(error_of([&] { read_mesh(folder / "folder.obj"); }), "folder.obj"));
}

// As documented in docs/models.md.
TEST_F(MeshFile, RelativePathStartsInTheCurrentFolder)
{
    write("of_this_test.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    const auto error = [] { return error_of([] { polyhedron("of_this_test.obj"); }); };
    const std::filesystem::path before = std::filesystem::current_path();
    EXPECT_TRUE(contains(error(), "'" + (before / "of_this_test.obj").string() + "'")) << error();
    std::filesystem::current_path(folder / "");
    const std::string there = error();
    std::filesystem::current_path(before);
    EXPECT_EQ(there, "");
}

// The moment about the axis of a needle of length 5e8 and thickness 1 is 1e-17 of the others: round-off.
TEST_F(MeshFile, NeedleWithoutInertiaIsNamed)
{
    for (const double length : {5e8, 3e7, 1e5}) {
        TriangleMesh needle = tetrahedron();
        needle.vertices = {{0, 0, 0}, {length, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (const std::string& content : {binary_stl(needle, ""), text_stl(needle, "x")}) {
            const auto file = write("needle.stl", content);
            const std::string text = error_of([&] { polyhedron(file); });
            if (length > 1e6)
                EXPECT_TRUE(contains(text, "needle.stl") && contains(text, "inertia")) << text;
            else
                EXPECT_EQ(text, "");
        }
    }
}

} // namespace mesh_file_test
