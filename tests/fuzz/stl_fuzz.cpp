#include "fuzz/meshes.hpp"

#include <bit>

namespace {

using namespace tamis;

int read_stl(const std::uint8_t* data, std::size_t size)
{
    return fuzz::read_mesh_bytes(data, size, ".stl");
}

// A tetrahedron in both forms.
std::vector<std::string> seeds()
{
    const float x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int triangle[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    std::string binary(80, ' '), text = "solid x\n";
    const auto word = [&](std::uint32_t w) {
        for (int k = 0; k < 4; ++k) binary += static_cast<char>(w >> 8 * k & 255);
    };
    word(4);
    for (const auto& t : triangle) {
        binary.append(12, '\0');
        text += "facet normal 0 0 0\nouter loop\n";
        for (const int v : t) {
            for (const float c : x[v]) word(std::bit_cast<std::uint32_t>(c));
            text += fmt::format("vertex {} {} {}\n", x[v][0], x[v][1], x[v][2]);
        }
        binary.append(2, '\0');
        text += "endloop\nendfacet\n";
    }
    return {binary, text + "endsolid x\n"};
}

TAMIS_FUZZ_TARGET("stl", 3000, read_stl, seeds)

} // namespace
