// VTK XML poly data (.vtp) and ParaView's collection file (.pvd); the only file that includes VTK.
// Inline binary, since ParaView 5.11 with current libexpat cannot read the appended mode that VTK prefers;
// float32 and zlib level 1, since higher levels cost three times the time for 2 % of the size.
// VTK formats into memory and write_file() stores: VTK's own file output does not tell why it failed.
#include "tamis/io/vtk_writer.hpp"

#include "tamis/io/file.hpp"

#include <Eigen/Geometry>
#include <algorithm>
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
    vtkNew<vtkCellArray> polygons, lines;
    // Of all lines, then of all polygons: VTK's order.
    vtkNew<vtkIntArray> body_of_cell, drawing_of_cell, body_of_drawing;
    vtkNew<vtkStringArray> names;
    body_of_cell->SetName("body");
    drawing_of_cell->SetName("drawing");
    body_of_drawing->SetName("body");
    names->SetName("name");
    vtkNew<vtkFloatArray> velocity;
    velocity->SetName("velocity");
    velocity->SetNumberOfComponents(3);

    for (const Drawing& drawing : bodies) {
        const vtkIdType first = points->GetNumberOfPoints();
        for (std::size_t k = 0; k < drawing.surface.vertices.size(); ++k) {
            const Eigen::Vector3d x = drawing.pose * drawing.surface.vertices[k];
            points->InsertNextPoint(x.data());
            const Eigen::Vector3d v =
                drawing.velocities.empty()
                    ? Eigen::Vector3d(drawing.velocity + drawing.angular_velocity.cross(x - drawing.pose.p))
                    : drawing.velocities[k];
            velocity->InsertNextTuple(v.data());
        }
        for (const std::vector<int>& face : drawing.surface.faces) {
            polygons->InsertNextCell(static_cast<int>(face.size()));
            for (const int vertex : face) polygons->InsertCellPoint(first + vertex);
        }
        for (const auto& [a, b] : drawing.lines) {
            const vtkIdType ends[] = {first + a, first + b};
            lines->InsertNextCell(2, ends);
            body_of_cell->InsertNextValue(drawing.body);
            drawing_of_cell->InsertNextValue(static_cast<int>(&drawing - bodies.data()));
        }
        names->InsertNextValue(drawing.name);
        body_of_drawing->InsertNextValue(drawing.body);
    }
    for (const Drawing& drawing : bodies)
        for (std::size_t k = 0; k < drawing.surface.faces.size(); ++k) {
            body_of_cell->InsertNextValue(drawing.body);
            drawing_of_cell->InsertNextValue(static_cast<int>(&drawing - bodies.data()));
        }

    vtkNew<vtkPolyData> data;
    data->SetPoints(points);
    data->SetLines(lines);
    data->SetPolys(polygons);
    data->GetPointData()->AddArray(velocity);
    data->GetCellData()->AddArray(body_of_cell);
    data->GetCellData()->AddArray(drawing_of_cell);
    data->GetFieldData()->AddArray(names);
    data->GetFieldData()->AddArray(body_of_drawing);
    write(data, path);
}

void write_contacts(std::span<const Arrow> contacts, const std::filesystem::path& path)
{
    vtkNew<vtkPoints> points;
    vtkNew<vtkCellArray> vertices; // a cell for each point, or ParaView would draw nothing
    vtkNew<vtkFloatArray> impulse, gap, wedge;
    impulse->SetName("impulse");
    impulse->SetNumberOfComponents(3);
    gap->SetName("gap");
    wedge->SetName("wedge");
    wedge->SetNumberOfComponents(3);

    for (const Arrow& contact : contacts) {
        const vtkIdType point = points->InsertNextPoint(contact.at.data());
        vertices->InsertNextCell(1, &point);
        impulse->InsertNextTuple(contact.vector.data());
        gap->InsertNextTuple(&contact.gap);
        wedge->InsertNextTuple(contact.growth.data());
    }

    vtkNew<vtkPolyData> data;
    data->SetPoints(points);
    data->SetVerts(vertices);
    data->GetPointData()->AddArray(impulse);
    data->GetPointData()->AddArray(gap);
    data->GetPointData()->AddArray(wedge);
    write(data, path);
}

// Data of grains: on their points, or on all polygons of a grain.
struct GrainData {
    vtkNew<vtkFloatArray> velocity, speed, force;
    vtkNew<vtkIntArray> contacts, grain;
    GrainData()
    {
        velocity->SetName("velocity");
        velocity->SetNumberOfComponents(3);
        speed->SetName("speed");
        force->SetName("force");
        contacts->SetName("contacts");
        grain->SetName("grain");
    }
    void add(const GrainDrawing& g, int number)
    {
        velocity->InsertNextTuple(g.velocity.data());
        speed->InsertNextValue(static_cast<float>(g.velocity.norm()));
        force->InsertNextValue(static_cast<float>(g.force));
        contacts->InsertNextValue(g.contacts);
        grain->InsertNextValue(number);
    }
    void give(vtkFieldData* to)
    {
        to->AddArray(velocity);
        to->AddArray(speed);
        to->AddArray(force);
        to->AddArray(contacts);
        to->AddArray(grain);
    }
};

// All grains, or only those without a surface.
void write_points(std::span<const GrainDrawing> grains, bool all, const std::filesystem::path& path)
{
    vtkNew<vtkPoints> points;
    vtkNew<vtkCellArray> vertices;
    vtkNew<vtkFloatArray> radius, orientation;
    radius->SetName("radius");
    orientation->SetName("orientation");
    orientation->SetNumberOfComponents(4);
    GrainData of_points;
    int number = -1;
    for (const GrainDrawing& g : grains) {
        ++number;
        if (g.surface && !all) continue;
        const vtkIdType point = points->InsertNextPoint(g.pose.p.data());
        vertices->InsertNextCell(1, &point);
        radius->InsertNextValue(static_cast<float>(g.radius));
        const Eigen::Quaterniond q(g.pose.R);
        const double turn[] = {q.w(), q.x(), q.y(), q.z()};
        orientation->InsertNextTuple(turn);
        of_points.add(g, number);
    }
    vtkNew<vtkPolyData> data;
    data->SetPoints(points);
    data->SetVerts(vertices);
    data->GetPointData()->AddArray(radius);
    data->GetPointData()->AddArray(orientation);
    of_points.give(data->GetPointData());
    write(data, path);
}

void write_surfaces(std::span<const GrainDrawing> grains, const std::filesystem::path& path)
{
    vtkNew<vtkPoints> points;
    vtkNew<vtkCellArray> polygons;
    GrainData of_polygons;
    int number = -1;
    for (const GrainDrawing& g : grains) {
        ++number;
        if (!g.surface) continue;
        const vtkIdType first = points->GetNumberOfPoints();
        for (const Eigen::Vector3d& vertex : g.surface->vertices) {
            const Eigen::Vector3d x = g.pose * vertex;
            points->InsertNextPoint(x.data());
        }
        for (const std::vector<int>& face : g.surface->faces) {
            polygons->InsertNextCell(static_cast<int>(face.size()));
            for (const int vertex : face) polygons->InsertCellPoint(first + vertex);
            of_polygons.add(g, number);
        }
    }
    vtkNew<vtkPolyData> data;
    data->SetPoints(points);
    data->SetPolys(polygons);
    of_polygons.give(data->GetCellData());
    write(data, path);
}

void write_chains(std::span<const Chain> chains, const std::filesystem::path& path)
{
    vtkNew<vtkPoints> points;
    vtkNew<vtkCellArray> lines;
    vtkNew<vtkFloatArray> force;
    force->SetName("force");
    for (const Chain& chain : chains) {
        const vtkIdType ends[] = {points->InsertNextPoint(chain.from.data()),
                                  points->InsertNextPoint(chain.to.data())};
        lines->InsertNextCell(2, ends);
        force->InsertNextValue(static_cast<float>(chain.force));
    }
    vtkNew<vtkPolyData> data;
    data->SetPoints(points);
    data->SetLines(lines);
    data->GetCellData()->AddArray(force);
    write(data, path);
}

// Number of the frame that a file name, or a line of a list, ends with: ..._000012.vtp...
int frame_number(const std::string& text)
{
    const std::size_t end = text.rfind(".vtp");
    return end == std::string::npos || end < 6 ? -1 : std::atoi(text.c_str() + end - 6);
}

} // namespace

SceneWriter::SceneWriter(std::filesystem::path folder, std::string name, int keep)
    : folder_(std::move(folder)), name_(std::move(name))
{
    auto kept = [&](const std::string& list) {
        std::ifstream file(folder_ / (list + ".pvd"));
        std::string datasets;
        for (std::string line; std::getline(file, line);) {
            const int frame = line.starts_with(dataset_line) ? frame_number(line) : -1;
            if (frame < 0 || frame >= keep) continue;
            datasets += line + '\n';
            frames_ = std::max(frames_, frame + 1);
        }
        return datasets;
    };
    datasets_ = kept(name_);
    points_ = kept(name_ + "_points");
    clear(folder_, name_, frames_);
    make_directory(folder_ / "frames");
    if (frames_ > 0) write_list(name_, datasets_);
    if (!points_.empty()) write_list(name_ + "_points", points_);
}

void SceneWriter::clear(const std::filesystem::path& folder, const std::string& name, int keep)
{
    std::error_code none_there;
    if (keep == 0)
        for (const std::string& list : {name + ".pvd", name + "_points.pvd"})
            std::filesystem::remove(folder / list, none_there);
    std::vector<std::filesystem::path> old;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "frames", none_there)) {
        const std::string file = entry.path().filename().string();
        for (const char* kind : {"_bodies_", "_contacts_", "_grains_", "_balls_", "_chains_", "_points_"})
            if (file.starts_with(name + kind) && frame_number(file) >= keep) old.push_back(entry);
    }
    for (const auto& path : old) std::filesystem::remove(path, none_there);
}

void SceneWriter::write_list(const std::string& list, const std::string& datasets) const
{
    write_file(folder_ / (list + ".pvd"),
               "<?xml version=\"1.0\"?>\n"
               "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
               "  <Collection>\n" +
                   datasets + "  </Collection>\n</VTKFile>\n");
}

void SceneWriter::frame(double t, std::span<const Drawing> bodies, std::span<const Arrow> contacts,
                        std::span<const GrainDrawing> grains, std::span<const Chain> chains)
{
    std::string datasets = datasets_, points = points_;
    int part = 0;
    auto add = [&](const char* kind, std::string& list, auto&& write_it) {
        const std::string file = fmt::format("frames/{}_{}_{:06}.vtp", name_, kind, frames_);
        write_it(folder_ / file);
        list += fmt::format("{} timestep=\"{}\" part=\"{}\" name=\"{}\" file=\"{}\"/>\n", dataset_line, t,
                            part++, kind, file);
    };
    add("bodies", datasets, [&](const auto& path) { write_bodies(bodies, path); });
    add("contacts", datasets, [&](const auto& path) { write_contacts(contacts, path); });
    if (!grains.empty()) {
        const auto surfaces =
            std::count_if(grains.begin(), grains.end(), [](const GrainDrawing& g) { return g.surface; });
        if (surfaces > 0) add("grains", datasets, [&](const auto& path) { write_surfaces(grains, path); });
        if (surfaces > 0 && surfaces < std::ssize(grains))
            add("balls", datasets, [&](const auto& path) { write_points(grains, false, path); });
        // The same file in both lists, if points are all that is drawn.
        if (surfaces == 0) add("points", datasets, [](const auto&) {});
        add("chains", datasets, [&](const auto& path) { write_chains(chains, path); });
        part = 0;
        add("points", points, [&](const auto& path) { write_points(grains, true, path); });
        write_list(name_ + "_points", points);
    }
    write_list(name_, datasets);
    datasets_ = std::move(datasets);
    points_ = std::move(points);
    ++frames_;
}

} // namespace tamis
