// main() of every program made of models.
#include "tamis/app/program.hpp"

int main(int argc, char** argv)
{
    return tamis::run_program({argv + 1, argv + argc});
}
