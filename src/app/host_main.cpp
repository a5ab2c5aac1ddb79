// Runs a model that is compiled apart: loads the shared library named first, whose TAMIS_MODELs register
// themselves, and goes on as the program of these. The library finds Tamis in this program.
#include "tamis/app/program.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

int main(int argc, char** argv)
{
    if (argc < 2 || !dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL)) {
        const char* why = argc < 2 ? "name the library of a model" : dlerror();
        fmt::print(stderr, "tamis: The model cannot be loaded: {}.\n", why);
        return 1;
    }
    return tamis::run_program({argv + 2, argv + argc});
}
