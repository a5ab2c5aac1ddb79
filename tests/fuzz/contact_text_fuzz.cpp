#include "fuzz/fuzz.hpp"
#include "tamis/io/contact_file.hpp"

namespace {

using namespace tamis;

int read_text(const std::uint8_t* data, std::size_t size)
{
    return fuzz::take([&] {
        const std::string text(reinterpret_cast<const char*>(data), size);
        const LocalProblem problem = parse_local_problem(text, "input");
        (void)problem.velocity(problem.r); // stays within its lists
        const std::string once = to_text(problem);
        fuzz::require(to_text(parse_local_problem(once, "again")) == once);
    });
}

std::vector<std::string> seeds()
{
    const std::string block = " 1 0 0 0 1 0 0 0 1\n";
    return {"fc3d 1\nnc 0\nnblocks 0\n", "fc3d 2\nnc 1\nnblocks 0\nq 0 -1 0.5 0\nmu 0 0.3\nR 0 1e-3 0\n",
            "fc3d 1\nnc 1\nnblocks 1\nB 0 0" + block + "q 0 -1 0.5 0\nmu 0 0.3\nr 0 1 0 0\n",
            "# two\nfc3d 1\nnc 2\nnblocks 3\nB 0 0" + block + "B 1 0 0.1 0 0 0 0.2 0 0 0 1e-3\nB 1 1" +
                block + "q 0 -1e-3 0 0\nq 1 -2 0 1e2\nmu 0 0\nmu 1 0.7 # rough\n"};
}

TAMIS_FUZZ_TARGET("contact_text", 20000, read_text, seeds)

} // namespace
