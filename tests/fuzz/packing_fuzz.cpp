#include "fuzz/fuzz.hpp"
#include "io/forged_seal.hpp"
#include "tamis/io/packing_file.hpp"

namespace {

using namespace tamis;

// Damage does not get past the seal; what would if it were forged?
int read_sealed(const std::uint8_t* data, std::size_t size)
{
    return fuzz::take([&] {
        const std::string image(reinterpret_cast<const char*>(data), size);
        const Packing packing = read_packing(fuzz::file_of(test::with_seal(image), ".h5"));
        fuzz::require(packing.shapes.size() == packing.poses.size());
    });
}

std::vector<std::string> seeds()
{
    Packing packing;
    packing.add(sphere(0.1), {});
    packing.add(box(0.1, 0.2, 0.3), {});
    packing.add(polyhedron(std::vector<Eigen::Vector3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), {});
    const auto file = fuzz::file_of("", ".h5");
    write_packing(file, packing);
    const std::string image = fuzz::text_of(file);
    return {image.substr(0, image.size() - 16)};
}

TAMIS_FUZZ_TARGET("packing", 400, read_sealed, seeds)

} // namespace
