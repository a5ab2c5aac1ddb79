#include "fuzz/meshes.hpp"

namespace {

using namespace tamis;

int read_obj(const std::uint8_t* data, std::size_t size)
{
    return fuzz::read_mesh_bytes(data, size, ".obj");
}

std::vector<std::string> seeds()
{
    return {"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/1 2/1 4/1\nf 2//1 3//1 4//1\nf -4 -1 -2\n",
            "# square\nv 0 0 0\nv 1 0 0\nv 1 1 \\\n 0\nv 0 1 0\nv 0.5 0.5 -1e-2\nvn 0 0 1\nf 1 2 3 4\n"};
}

TAMIS_FUZZ_TARGET("obj", 1500, read_obj, seeds)

} // namespace
