#include "fuzz/fuzz.hpp"
#include "tamis/io/fclib.hpp"

namespace {

using namespace tamis;

int read_hdf5_image(const std::uint8_t* data, std::size_t size)
{
    return fuzz::take([&] {
        const std::string image(reinterpret_cast<const char*>(data), size);
        const LocalProblem problem = read_fclib(fuzz::file_of(image, ".h5"));
        (void)problem.velocity(problem.r);
    });
}

std::vector<std::string> seeds()
{
    LocalProblem problem;
    for (int a = 0; a < 3; ++a) {
        problem.column.push_back(a);
        problem.block.push_back(Eigen::Matrix3d::Identity());
        problem.row.push_back(a + 1);
        problem.mu.push_back(0.5);
    }
    problem.q = problem.r = Eigen::VectorXd::Constant(9, 0.25);
    std::vector<std::string> images;
    for (const auto storage :
         {SparseStorage::compressed_rows, SparseStorage::compressed_columns, SparseStorage::triplets}) {
        const auto file = fuzz::file_of("", ".h5");
        write_fclib(file, problem, storage != SparseStorage::triplets, storage);
        const std::string image = fuzz::text_of(file);
        images.push_back(image.substr(0, image.size() - 16)); // without the seal
    }
    return images;
}

TAMIS_FUZZ_TARGET("fclib", 400, read_hdf5_image, seeds)

} // namespace
