// What holds of any mesh that has been read, of STL or of OBJ.
#pragma once

#include "fuzz/fuzz.hpp"
#include "tamis/io/mesh_file.hpp"

namespace tamis::fuzz {

inline int read_mesh_bytes(const std::uint8_t* data, std::size_t size, const std::string& ending)
{
    return take([&] {
        const auto file = file_of(std::string(reinterpret_cast<const char*>(data), size), ending);
        const TriangleMesh mesh = read_mesh(file);
        for (const auto& triangle : mesh.triangles)
            for (const int v : triangle) require(v >= 0 && v < static_cast<int>(mesh.vertices.size()));
        const Hull hull = make_hull(mesh.vertices);
        require(static_cast<int>(hull.vertices.size() - hull.edges.size()) + hull.faces() == 2); // Euler
    });
}

} // namespace tamis::fuzz
