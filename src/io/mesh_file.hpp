// Reads triangulated surfaces from STL and OBJ files, and writes OBJ files.
#pragma once

#include "tamis/collision/shapes.hpp"

#include <filesystem>

namespace tamis {

// Reads a .stl file (binary or text) or a .obj file. The order of the vertices orients a
// triangle: the normals in the file are not used. Triangles without area are left out. Throws
// Error with the line or byte at fault.
TriangleMesh read_mesh(const std::filesystem::path& file);

// The convex hull of the vertices in such a file, and its triangles as they are.
Shape polyhedron(const std::filesystem::path& file, double scale = 1);
Shape mesh(const std::filesystem::path& file, double scale = 1);

// Coordinates are written with enough digits to read back the same bits.
void write_obj(const Surface& surface, const std::filesystem::path& file);

} // namespace tamis
