// Writes the equations of the gallery as C++; the tests are linked with the result.
//
// Usage: emit_gallery FILE
#include "error.hpp"
#include "mbs_symbolic/gallery.hpp"

#include <cstdio>
#include <fstream>

int main(int argc, char** argv)
{
    if (argc != 2) {
        fmt::print(stderr, "usage: {} FILE\n", argv[0]);
        return 2;
    }
    const std::vector<tamis::Mechanism> gallery = tamis::gallery::all();
    std::vector<const tamis::Mechanism*> mechanisms;
    for (const tamis::Mechanism& m : gallery) mechanisms.push_back(&m);
    std::ofstream file(argv[1]);
    file << tamis::emit_equations(mechanisms);
    file.close();
    if (!file) {
        fmt::print(stderr, "cannot write {}\n", argv[1]);
        return 1;
    }
}
