// Files are whole or absent, histories keep every bit and only whole lines, and scenes are judged by their
// XML: tags that match, counts, and the ranges that VTK states for each array.
#include "error_of.hpp"
#include "io/scratch.hpp"
#include "tamis/io/file.hpp"
#include "tamis/io/history.hpp"
#include "tamis/io/vtk_writer.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <regex>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tamis::test {

namespace {

// While it lives no file grows beyond `bytes`: a write is cut there, the next one fails, as on a full disk.
class FullDisk {
  public:
    explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN))
    {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk()
    {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

  private:
    void (*handler_)(int);
    rlimit before_{};
};

std::ptrdiff_t count_entries(const std::filesystem::path& folder)
{
    return std::distance(std::filesystem::directory_iterator(folder), {});
}

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

TEST(WriteFile, ContentReadsBackByteForByteAndReplacesTheOld)
{
    ScratchFolder folder;
    const std::string bytes("a\0b\r\n\xff", 6);
    write_file(folder / "f", "something longer that was there before");
    write_file(folder / "f", bytes);
    EXPECT_EQ(text_of(folder / "f"), bytes);
    EXPECT_EQ(count_entries(folder / ""), 1);
}

TEST(WriteFile, OldFileSurvivesAFullDiskAndNoTemporaryIsLeft)
{
    ScratchFolder folder;
    write_file(folder / "f", "old");
    std::string message;
    {
        FullDisk disk(1000);
        message = error_of([&] { write_file(folder / "f", std::string(5000, 'x')); });
    }
    EXPECT_NE(message.find("'" + (folder / "f").string() + "'"), std::string::npos) << message;
    EXPECT_NE(message.find("File too large"), std::string::npos) << message;
    EXPECT_NE(message.find("another folder"), std::string::npos) << message;
    EXPECT_EQ(text_of(folder / "f"), "old");
    EXPECT_EQ(count_entries(folder / ""), 1);
}

TEST(WriteFile, MissingFolderIsNamedWithTheReason)
{
    ScratchFolder folder;
    const std::string message = error_of([&] { write_file(folder / "none/f", "x"); });
    EXPECT_NE(message.find((folder / "none/f").string()), std::string::npos) << message;
    EXPECT_NE(message.find("No such file or directory"), std::string::npos) << message;
}

TEST(WriteFile, FolderOfTheSameNameIsKept)
{
    ScratchFolder folder;
    make_directory(folder / "d");
    EXPECT_THROW(write_file(folder / "d", "x"), Error);
    EXPECT_TRUE(std::filesystem::is_directory(folder / "d"));
    EXPECT_EQ(count_entries(folder / ""), 1);
}

TEST(WriteFile, TemporariesOfTheDeadAreRemovedAndNoOthers)
{
    ScratchFolder folder;
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    const auto name = [&](const std::string& host, pid_t process) {
        return folder / fmt::format("f.{}-{}-7.part", host, process);
    };
    const std::filesystem::path dead = name(host_name(), child), alive = name(host_name(), ::getpid()),
                                elsewhere = name("another.machine", child), other = folder / "mine.part";
    for (const auto& path : {dead, alive, elsewhere, other}) std::ofstream(path) << "x";
    remove_stale_parts(folder / "");
    EXPECT_FALSE(std::filesystem::exists(dead));
    for (const auto& path : {alive, elsewhere, other}) EXPECT_TRUE(std::filesystem::exists(path)) << path;
}

TEST(WriteFile, ManyMayWriteTheSameFileAtOnce)
{
    ScratchFolder folder;
    std::vector<std::thread> writers;
    std::atomic<int> failures = 0;
    for (int k = 0; k < 4; ++k)
        writers.emplace_back([&] {
            for (int n = 0; n < 200; ++n)
                if (!error_of([&] { write_file(folder / "f", std::string(5000, 'x')); }).empty()) ++failures;
        });
    for (std::thread& writer : writers) writer.join();
    EXPECT_EQ(failures, 0);
    EXPECT_EQ(text_of(folder / "f"), std::string(5000, 'x'));
    EXPECT_EQ(count_entries(folder / ""), 1);
}

TEST(OverwriteFile, FillsUpWithSpacesAndNeedsTheRoom)
{
    ScratchFolder folder;
    EXPECT_FALSE(overwrite_file(folder / "f", "x"));
    write_file(folder / "f", "0123456789");
    EXPECT_TRUE(overwrite_file(folder / "f", "abc"));
    EXPECT_EQ(text_of(folder / "f"), "abc       ");
    EXPECT_FALSE(overwrite_file(folder / "f", "01234567890"));
    EXPECT_EQ(text_of(folder / "f"), "abc       ");
}

TEST(FolderLock, IsHeldByOneUntilItEnds)
{
    ScratchFolder folder;
    {
        const FolderLock lock(folder / "");
        const std::string error = error_of([&] { FolderLock second(folder / ""); });
        EXPECT_NE(error.find("Another run (process " + std::to_string(::getpid())), std::string::npos)
            << error;
    }
    EXPECT_EQ(error_of([&] { FolderLock third(folder / ""); }), "");
}

TEST(File, RefusedAppendLeavesWhatWasThere)
{
    ScratchFolder folder;
    File file(folder / "f");
    file.append("0123456789");
    {
        FullDisk disk(15);
        EXPECT_THROW(file.append("0123456789"), Error);
    }
    EXPECT_EQ(text_of(folder / "f"), "0123456789");
}

TEST(MakeDirectory, CreatesParentsAndAcceptsWhatExists)
{
    ScratchFolder folder;
    make_directory(folder / "a/b/c");
    make_directory(folder / "a/b/c");
    EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
}

TEST(MakeDirectory, FileInTheWayIsAnErrorWithARemedy)
{
    ScratchFolder folder;
    write_file(folder / "f", "x");
    for (const char* path : {"f", "f/below"}) {
        const std::string message = error_of([&] { make_directory(folder / path); });
        EXPECT_NE(message.find((folder / path).string()), std::string::npos) << message;
        EXPECT_NE(message.find("Not a directory"), std::string::npos) << message;
        EXPECT_NE(message.find("another folder"), std::string::npos) << message;
    }
}

TEST(History, HeaderAndRowsAreCommaSeparated)
{
    ScratchFolder folder;
    {
        History history(folder / "h.csv", {"t", "x"});
        history.row(std::array{0.0, -1.5});
        history.row(std::array{0.1, 1e-20});
    }
    EXPECT_EQ(text_of(folder / "h.csv"), "t,x\n0,-1.5\n0.1,1e-20\n");
}

TEST(History, ValuesReadBackToTheSameBits)
{
    ScratchFolder folder;
    using Limits = std::numeric_limits<double>;
    const std::array values{
        1.0 / 3.0, 0.1 + 0.2, Limits::max(), Limits::denorm_min(), -0.0, 1.0 + Limits::epsilon()};
    {
        History history(folder / "h.csv", {"a", "b", "c", "d", "e", "f"});
        history.row(values);
    }
    const std::string text = text_of(folder / "h.csv");
    const char* cell = text.c_str() + text.find('\n') + 1;
    for (const double value : values) {
        char* end = nullptr;
        const double read = std::strtod(cell, &end);
        EXPECT_EQ(read, value);
        EXPECT_EQ(std::signbit(read), std::signbit(value));
        cell = end + 1;
    }
}

TEST(History, PreformattedLinesStandBesideNumbers)
{
    ScratchFolder folder;
    {
        History history(folder / "h.csv", {"t", "body, name"});
        history.line("0.5," + csv_cell("rod"));
        history.line("0.75," + csv_cell("the \"left\", rod"));
    }
    EXPECT_EQ(text_of(folder / "h.csv"), "t,\"body, name\"\n0.5,rod\n0.75,\"the \"\"left\"\", rod\"\n");
}

TEST(History, RowOfTheWrongLengthIsRefusedAndLeavesNoTrace)
{
    ScratchFolder folder;
    {
        History history(folder / "h.csv", {"t", "x"});
        EXPECT_THROW(history.row(std::array{1.0}), Error);
        EXPECT_THROW(history.row(std::array{1.0, 2.0, 3.0}), Error);
    }
    EXPECT_EQ(text_of(folder / "h.csv"), "t,x\n");
}

TEST(History, FileIsMadeOfWholeLinesAtAnyMoment)
{
    ScratchFolder folder;
    History history(folder / "h.csv", {"i", "third"});
    std::size_t sizes = 0, size = 0;
    for (int i = 0; i < 20000; ++i) {
        history.row(std::array{double(i), i / 3.0});
        if (i % 100 != 0) continue;
        const std::string text = text_of(folder / "h.csv");
        ASSERT_EQ(text.back(), '\n');
        sizes += text.size() != size;
        size = text.size();
    }
    EXPECT_GT(sizes, 3u);  // it did grow on the way
    EXPECT_LT(sizes, 50u); // and not row by row
}

TEST(History, DeletedFileIsNamed)
{
    ScratchFolder folder;
    History history(folder / "h.csv", {"t"});
    std::filesystem::remove(folder / "h.csv");
    const std::string error = error_of([&] { history.flush(); });
    EXPECT_NE(error.find("h.csv' was deleted"), std::string::npos) << error;
}

TEST(History, RowIsOnDiskAfterASecond)
{
    ScratchFolder folder;
    History history(folder / "h.csv", {"t"});
    history.row(std::array{1.0});
    std::this_thread::sleep_for(std::chrono::milliseconds(1050));
    history.row(std::array{2.0});
    EXPECT_EQ(text_of(folder / "h.csv"), "t\n1\n2\n");
}

TEST(History, FullDiskIsReportedOnceAndOnlyWholeLinesRemain)
{
    ScratchFolder folder;
    std::string first, second;
    {
        FullDisk disk(64);
        History history(folder / "h.csv", {"t", "x"});
        history.row(std::array{1.0, 2.0});
        history.flush();
        for (int i = 0; i < 40; ++i) history.row(std::array{0.25, 0.125});
        first = error_of([&] { history.flush(); });
        history.row(std::array{3.0, 4.0});
        second = error_of([&] { history.flush(); });
    }
    EXPECT_NE(first.find((folder / "h.csv").string()), std::string::npos) << first;
    EXPECT_NE(first.find("another folder"), std::string::npos) << first;
    EXPECT_EQ(second, "");
    EXPECT_EQ(text_of(folder / "h.csv"), "t,x\n1,2\n");
}

TEST(History, DestructorIsSilentOnAFullDisk)
{
    ScratchFolder folder;
    FullDisk disk(16);
    EXPECT_NO_THROW({
        History history(folder / "h.csv", {"t"});
        for (int i = 0; i < 100; ++i) history.row(std::array{0.5});
    });
}

TEST(History, DeviceWithoutSpaceIsNamedAsTheReason)
{
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    const std::string message = error_of([] { History history("/dev/full", {"t"}); });
    EXPECT_NE(message.find("No space left on device"), std::string::npos) << message;
}

TEST(History, MissingFolderIsAnError)
{
    ScratchFolder folder;
    EXPECT_THROW(History(folder / "none/h.csv", {"t"}), Error);
}

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
    Drawing wires = triangle(3);
    wires.surface.faces.clear();
    wires.lines = {{0, 1}, {1, 2}};
    SceneWriter(folder / "", "s").frame(0, std::vector{triangle(7), wires}, {});
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

TEST(SceneWriter, ContactsCarryImpulseAndGap)
{
    ScratchFolder folder;
    const std::vector contacts{Arrow{{1, 0, 0}, {0, 3, 4}, -0.25}, Arrow{{2, 0, 0}, {0, 0, 1}, 0.5}};
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

} // namespace tamis::test
