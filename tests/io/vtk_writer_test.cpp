// Scenes are judged by their XML: tags that match, counts, and the ranges that VTK states for each array.
#include "tamis/io/vtk_writer.hpp"

#include "error_of.hpp"
#include "io/full_disk.hpp"
#include "io/scratch.hpp"
#include "tamis/io/file.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <regex>

namespace tamis::test::vtk_writer_test {

namespace {

// Every opening tag has its closing tag, in the right order.
bool tags_match(const std::string& xml)
{
    static const std::regex tag(R"(<(/?)(\w+)[^<>]*?(/?)>)");
    std::vector<std::string> open;
    int found = 0;
    for (std::sregex_iterator it(xml.begin(), xml.end(), tag), end; it != end; ++it, ++found) {
        if ((*it)[3].length() != 0) continue;
        if ((*it)[1].length() == 0)
            open.push_back((*it)[2]);
        else if (open.empty() || open.back() != (*it)[2])
            return false;
        else
            open.pop_back();
    }
    return found > 0 && open.empty();
}

// Values of an attribute in the tags that match `tag`, in order.
std::vector<std::string> attributes(const std::string& xml, const std::string& tag,
                                    const std::string& attribute)
{
    const std::regex pattern("<" + tag + "[^>]*\\b" + attribute + "=\"([^\"]*)\"");
    std::vector<std::string> values;
    for (std::sregex_iterator it(xml.begin(), xml.end(), pattern), end; it != end; ++it)
        values.push_back((*it)[1]);
    return values;
}

std::string attribute_of(const std::string& xml, const std::string& tag, const std::string& attribute)
{
    const auto values = attributes(xml, tag, attribute);
    return values.size() == 1 ? values.front() : "";
}

Drawing triangle(int body)
{
    return {"triangle", {{{1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, {{0, 1, 2}}}, Pose{}, body};
}

} // namespace

TEST(SceneWriter, ListNamesExistingFilesWithTrueTimes)
{
    ScratchFolder folder;
    SceneWriter scene(folder / "out", "scene");
    EXPECT_EQ(scene.frames(), 0);
    const std::vector<double> times{0, 0.1, 1.0 / 3.0};
    std::vector<std::string> listed;
    for (std::size_t k = 0; k < times.size(); ++k) {
        scene.frame(times[k], std::vector{triangle(0)}, {});
        const std::string pvd = text_of(folder / "out/scene.pvd");
        EXPECT_TRUE(tags_match(pvd)) << pvd;
        listed = attributes(pvd, "DataSet", "file");
        ASSERT_EQ(listed.size(), 2 * (k + 1));
        for (const std::string& file : listed)
            EXPECT_TRUE(std::filesystem::exists(folder / "out" / file)) << file;
    }
    EXPECT_EQ(scene.frames(), 3);
    EXPECT_EQ(listed.back(), "frames/scene_contacts_000002.vtp");
    const std::string pvd = text_of(folder / "out/scene.pvd");
    const auto steps = attributes(pvd, "DataSet", "timestep");
    for (std::size_t k = 0; k < times.size(); ++k) {
        EXPECT_EQ(std::stod(steps.at(2 * k)), times[k]);
        EXPECT_EQ(std::stod(steps.at(2 * k + 1)), times[k]);
    }
    EXPECT_EQ(attributes(pvd, "DataSet", "part"), (std::vector<std::string>{"0", "1", "0", "1", "0", "1"}));
}

TEST(SceneWriter, FilesAreInlineCompressedBinaryWithSinglePrecisionPoints)
{
    ScratchFolder folder;
    SceneWriter scene(folder / "", "s");
    scene.frame(0, std::vector{triangle(0)}, std::vector{Arrow{{1, 2, 3}, {0, 0, 1}, 0.0}});
    for (const char* name : {"frames/s_bodies_000000.vtp", "frames/s_contacts_000000.vtp"}) {
        const std::string xml = text_of(folder / name);
        EXPECT_TRUE(tags_match(xml)) << xml;
        EXPECT_EQ(xml.find("ppended"), std::string::npos) << xml;
        EXPECT_EQ(attribute_of(xml, "VTKFile", "compressor"), "vtkZLibDataCompressor");
        EXPECT_EQ(attribute_of(xml, "DataArray[^>]*Name=\"Points\"", "format"), "binary");
        EXPECT_NE(xml.find("<DataArray type=\"Float32\" Name=\"Points\""), std::string::npos) << xml;
    }
}

TEST(SceneWriter, VerticesAreDrawnWherePoseTakesThem)
{
    // A quarter turn about z takes (1, 2, 3) e_x to (1, 2, 3) e_y; 4 e_y further, their norms are 5, 6, 7.
    Drawing drawing = triangle(0);
    drawing.pose.R << 0, -1, 0, 1, 0, 0, 0, 0, 1;
    drawing.pose.p = {0, 4, 0};
    ScratchFolder folder;
    SceneWriter(folder / "", "s").frame(0, std::vector{drawing}, {});
    const std::string xml = text_of(folder / "frames/s_bodies_000000.vtp");
    const std::string points = "DataArray[^>]*Name=\"Points\"";
    EXPECT_EQ(attribute_of(xml, points, "RangeMin"), "5");
    EXPECT_EQ(attribute_of(xml, points, "RangeMax"), "7");
}

TEST(SceneWriter, PolygonsOfAllBodiesAreCountedAndLabelled)
{
    ScratchFolder folder;
    Drawing square{
        "square", {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2, 3}, {3, 2, 1, 0}}}, Pose{}, 7};
    SceneWriter(folder / "", "s").frame(0, std::vector{triangle(-1), square}, {});
    const std::string xml = text_of(folder / "frames/s_bodies_000000.vtp");
    EXPECT_EQ(attribute_of(xml, "Piece", "NumberOfPoints"), "7");
    EXPECT_EQ(attribute_of(xml, "Piece", "NumberOfPolys"), "3");
    const std::string cells =
        xml.substr(xml.find("<CellData"), xml.find("</CellData>") - xml.find("<CellData"));
    const std::string body = "DataArray[^>]*Name=\"body\"", drawing = "DataArray[^>]*Name=\"drawing\"";
    EXPECT_NE(cells.find("type=\"Int32\" Name=\"body\""), std::string::npos) << cells;
    EXPECT_EQ(attribute_of(cells, body, "RangeMin"), "-1");
    EXPECT_EQ(attribute_of(cells, body, "RangeMax"), "7");
    EXPECT_EQ(attribute_of(cells, drawing, "RangeMin"), "0");
    EXPECT_EQ(attribute_of(cells, drawing, "RangeMax"), "1");
    const std::string polygons = xml.substr(xml.find("<Polys>"), xml.find("</Polys>") - xml.find("<Polys>"));
    // The last vertex of the square is the seventh point of the file.
    EXPECT_EQ(attribute_of(polygons, "DataArray[^>]*Name=\"connectivity\"", "RangeMax"), "6");
}

TEST(SceneWriter, LinesAreCountedAndLabelledBesidePolygons)
{
    ScratchFolder folder;
    Drawing wireframe = triangle(3);
    wireframe.surface.faces.clear();
    wireframe.lines = {{0, 1}, {1, 2}};
    SceneWriter(folder / "", "s").frame(0, std::vector{triangle(7), wireframe}, {});
    const std::string xml = text_of(folder / "frames/s_bodies_000000.vtp");
    EXPECT_EQ(attribute_of(xml, "Piece", "NumberOfLines"), "2");
    EXPECT_EQ(attribute_of(xml, "Piece", "NumberOfPolys"), "1");
    const std::string cells =
        xml.substr(xml.find("<CellData"), xml.find("</CellData>") - xml.find("<CellData"));
    const std::string body = "DataArray[^>]*Name=\"body\"";
    EXPECT_EQ(attribute_of(cells, body, "RangeMin"), "3");
    EXPECT_EQ(attribute_of(cells, body, "RangeMax"), "7");
    const std::string lines = xml.substr(xml.find("<Lines>"), xml.find("</Lines>") - xml.find("<Lines>"));
    // Between the second three points of the file.
    EXPECT_EQ(attribute_of(lines, "DataArray[^>]*Name=\"connectivity\"", "RangeMin"), "3");
    EXPECT_EQ(attribute_of(lines, "DataArray[^>]*Name=\"connectivity\"", "RangeMax"), "5");
}

TEST(SceneWriter, ContactsCarryImpulseGapAndWedge)
{
    ScratchFolder folder;
    const std::vector contacts{Arrow{{1, 0, 0}, {0, 3, 4}, -0.25, {0, 0, 1}},
                               Arrow{{2, 0, 0}, {0, 0, 1}, 0.5, {0.375, 0, 0.5}}};
    SceneWriter(folder / "", "s").frame(0, {}, contacts);
    const std::string xml = text_of(folder / "frames/s_contacts_000000.vtp");
    EXPECT_EQ(attribute_of(xml, "Piece", "NumberOfPoints"), "2");
    EXPECT_EQ(attribute_of(xml, "Piece", "NumberOfVerts"), "2");
    const std::string impulse = "DataArray[^>]*Name=\"impulse\"", gap = "DataArray[^>]*Name=\"gap\"";
    EXPECT_EQ(attribute_of(xml, impulse, "NumberOfComponents"), "3");
    EXPECT_EQ(attribute_of(xml, impulse, "RangeMin"), "1");
    EXPECT_EQ(attribute_of(xml, impulse, "RangeMax"), "5");
    EXPECT_EQ(attribute_of(xml, gap, "RangeMin"), "-0.25");
    EXPECT_EQ(attribute_of(xml, gap, "RangeMax"), "0.5");
    const std::string wedge = "DataArray[^>]*Name=\"wedge\"";
    EXPECT_EQ(attribute_of(xml, wedge, "NumberOfComponents"), "3");
    EXPECT_EQ(attribute_of(xml, wedge, "RangeMin"), "0.625");
    EXPECT_EQ(attribute_of(xml, wedge, "RangeMax"), "1");
}

TEST(SceneWriter, EmptySceneKeepsItsArrays)
{
    ScratchFolder folder;
    SceneWriter(folder / "", "s").frame(0, {}, {});
    const std::string bodies = text_of(folder / "frames/s_bodies_000000.vtp");
    const std::string contacts = text_of(folder / "frames/s_contacts_000000.vtp");
    for (const std::string& xml : {bodies, contacts}) {
        EXPECT_TRUE(tags_match(xml)) << xml;
        EXPECT_EQ(attribute_of(xml, "Piece", "NumberOfPoints"), "0");
    }
    EXPECT_NE(bodies.find("Name=\"body\""), std::string::npos) << bodies;
    EXPECT_NE(contacts.find("Name=\"impulse\""), std::string::npos) << contacts;
    EXPECT_NE(contacts.find("Name=\"gap\""), std::string::npos) << contacts;
}

TEST(SceneWriter, ListOfAnEarlierRunIsGoneBeforeTheFirstFrame)
{
    ScratchFolder folder;
    for (int k = 0; k < 2; ++k) {
        SceneWriter scene(folder / "", "s");
        EXPECT_FALSE(std::filesystem::exists(folder / "s.pvd"));
        scene.frame(0, {}, {});
    }
    EXPECT_EQ(attributes(text_of(folder / "s.pvd"), "DataSet", "file").size(), 2u);
}

TEST(SceneWriter, FolderThatCannotBeMadeIsNamed)
{
    ScratchFolder folder;
    write_file(folder / "f", "in the way");
    const std::string message = error_of([&] { SceneWriter(folder / "f", "s"); });
    EXPECT_NE(message.find((folder / "f").string()), std::string::npos) << message;
    EXPECT_NE(message.find("another folder"), std::string::npos) << message;
}

TEST(SceneWriter, FullDiskKeepsTheFramesBeforeIt)
{
    ScratchFolder folder;
    SceneWriter scene(folder / "", "s");
    scene.frame(0, std::vector{triangle(0)}, {});
    const std::string before = text_of(folder / "s.pvd");
    // A spiral compresses badly: some kilobytes that do not fit.
    Drawing large{"spiral", {}, Pose{}, 0};
    for (int k = 0; k < 2000; ++k)
        large.surface.vertices.emplace_back(std::sin(k), std::cos(k), std::sin(k * k));
    large.surface.faces = {{0, 1, 2}};
    std::string message;
    {
        FullDisk disk(4096);
        message = error_of([&] { scene.frame(1, std::vector{large}, {}); });
    }
    EXPECT_NE(message.find("s_bodies_000001.vtp"), std::string::npos) << message;
    EXPECT_EQ(scene.frames(), 1);
    EXPECT_EQ(text_of(folder / "s.pvd"), before);
    scene.frame(1, std::vector{large}, {}); // room again: the run may go on
    EXPECT_EQ(attributes(text_of(folder / "s.pvd"), "DataSet", "file").size(), 4u);
}

} // namespace tamis::test::vtk_writer_test
