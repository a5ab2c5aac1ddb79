// Surfaces of triangles from STL and OBJ files, and to OBJ files.
#pragma once

#include "tamis/collision/shapes.hpp"

#include <filesystem>

namespace tamis {

// Reads a .stl file (binary or text) or a .obj file. Triangles turn as their vertices do: the normals of the
// file are not used. Triangles without area are left out. Throws Error with the line or byte of the fault.
TriangleMesh read_mesh(const std::filesystem::path& file);

// The convex hull of such a file, and its triangles.
Shape polyhedron(const std::filesystem::path& file, double scale = 1);
Shape mesh(const std::filesystem::path& file, double scale = 1);

// Coordinates are written such that reading gives the same bits.
void write_obj(const Surface& surface, const std::filesystem::path& file);

} // namespace tamis
