// VTK XML poly data (.vtp) and ParaView's collection file (.pvd); the only file that includes VTK.
// Inline binary, since ParaView 5.11 with current libexpat cannot read the appended mode that VTK prefers;
// float32 and zlib level 1, since higher levels cost three times the time for 2 % of the size.
// VTK formats into memory and write_file() stores: VTK's own file output does not tell why it failed.
#include "io/vtk_writer.hpp"

#include "io/file.hpp"

#include <Eigen/Geometry>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <utility>
#include <vector>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkFieldData.h>
#include <vtkFloatArray.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkStringArray.h>
#include <vtkXMLPolyDataWriter.h>
#include <vtkZLibDataCompressor.h>

namespace tamis {

namespace {

constexpr const char* dataset_line = "    <DataSet";

void write(vtkPolyData* data, const std::filesystem::path& path)
{
    vtkNew<vtkZLibDataCompressor> zlib;
    zlib->SetCompressionLevel(1);
    vtkNew<vtkXMLPolyDataWriter> writer;
    writer->SetInputData(data);
    writer->SetDataModeToBinary();
    writer->SetCompressor(zlib);
    writer->WriteToOutputStringOn();
    writer->Write();
    write_file(path, writer->GetOutputString());
}

void write_bodies(std::span<const Drawing> bodies, const std::filesystem::path& path)
{
    vtkNew<vtkPoints> points; // float32 unless told otherwise
    vtkNew<vtkCellArray> polygons;
    vtkNew<vtkIntArray> body_of_polygon, body_of_drawing;
    vtkNew<vtkStringArray> names;
    body_of_polygon->SetName("body");
    body_of_drawing->SetName("body");
    names->SetName("name");
    vtkNew<vtkFloatArray> velocity;
    velocity->SetName("velocity");
    velocity->SetNumberOfComponents(3);

    for (const Drawing& drawing : bodies) {
        const vtkIdType first = points->GetNumberOfPoints();
        for (const Eigen::Vector3d& vertex : drawing.surface.vertices) {
            const Eigen::Vector3d x = drawing.pose * vertex;
            points->InsertNextPoint(x.data());
            const Eigen::Vector3d v = drawing.velocity + drawing.turning_rate.cross(x - drawing.pose.p);
            velocity->InsertNextTuple(v.data());
        }
        for (const std::vector<int>& face : drawing.surface.faces) {
            polygons->InsertNextCell(static_cast<int>(face.size()));
            for (const int vertex : face) polygons->InsertCellPoint(first + vertex);
            body_of_polygon->InsertNextValue(drawing.body);
        }
        names->InsertNextValue(drawing.name);
        body_of_drawing->InsertNextValue(drawing.body);
    }

    vtkNew<vtkPolyData> data;
    data->SetPoints(points);
    data->SetPolys(polygons);
    data->GetPointData()->AddArray(velocity);
    data->GetCellData()->AddArray(body_of_polygon);
    data->GetFieldData()->AddArray(names);
    data->GetFieldData()->AddArray(body_of_drawing);
    write(data, path);
}

void write_contacts(std::span<const Arrow> contacts, const std::filesystem::path& path)
{
    vtkNew<vtkPoints> points;
    vtkNew<vtkCellArray> vertices; // a cell for each point, or ParaView would draw nothing
    vtkNew<vtkFloatArray> impulse, gap;
    impulse->SetName("impulse");
    impulse->SetNumberOfComponents(3);
    gap->SetName("gap");

    for (const Arrow& contact : contacts) {
        const vtkIdType point = points->InsertNextPoint(contact.at.data());
        vertices->InsertNextCell(1, &point);
        impulse->InsertNextTuple(contact.vector.data());
        gap->InsertNextTuple(&contact.gap);
    }

    vtkNew<vtkPolyData> data;
    data->SetPoints(points);
    data->SetVerts(vertices);
    data->GetPointData()->AddArray(impulse);
    data->GetPointData()->AddArray(gap);
    write(data, path);
}

} // namespace

SceneWriter::SceneWriter(std::filesystem::path folder, std::string name, int keep)
    : folder_(std::move(folder)), name_(std::move(name))
{
    std::ifstream list(folder_ / (name_ + ".pvd"));
    std::string bodies, contacts; // a line for each in a frame
    const auto next = [&](std::string& line) {
        while (std::getline(list, line))
            if (line.starts_with(dataset_line)) return true;
        return false;
    };
    for (; frames_ < keep && next(bodies) && next(contacts); ++frames_)
        datasets_ += bodies + '\n' + contacts + '\n';
    clear(folder_, name_, frames_);
    make_directory(folder_ / "frames");
    if (frames_ > 0) write_list(datasets_);
}

void SceneWriter::clear(const std::filesystem::path& folder, const std::string& name, int keep)
{
    std::error_code none_there;
    if (keep == 0) std::filesystem::remove(folder / (name + ".pvd"), none_there);
    std::vector<std::filesystem::path> old;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "frames", none_there)) {
        const std::string file = entry.path().filename().string();
        for (const std::string& kind : {name + "_bodies_", name + "_contacts_"})
            if (file.starts_with(kind) && std::atoi(file.c_str() + kind.size()) >= keep) old.push_back(entry);
    }
    for (const auto& path : old) std::filesystem::remove(path, none_there);
}

void SceneWriter::write_list(const std::string& datasets) const
{
    write_file(folder_ / (name_ + ".pvd"),
               "<?xml version=\"1.0\"?>\n"
               "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
               "  <Collection>\n" +
                   datasets + "  </Collection>\n</VTKFile>\n");
}

void SceneWriter::frame(double t, std::span<const Drawing> bodies, std::span<const Arrow> contacts)
{
    const std::string bodies_file = fmt::format("frames/{}_bodies_{:06}.vtp", name_, frames_);
    const std::string contacts_file = fmt::format("frames/{}_contacts_{:06}.vtp", name_, frames_);
    write_bodies(bodies, folder_ / bodies_file);
    write_contacts(contacts, folder_ / contacts_file);

    std::string datasets = datasets_;
    datasets += fmt::format("{} timestep=\"{}\" part=\"0\" name=\"bodies\" file=\"{}\"/>\n", dataset_line, t,
                            bodies_file);
    datasets += fmt::format("{} timestep=\"{}\" part=\"1\" name=\"contacts\" file=\"{}\"/>\n", dataset_line,
                            t, contacts_file);
    write_list(datasets);
    datasets_ = std::move(datasets);
    ++frames_;
}

} // namespace tamis
