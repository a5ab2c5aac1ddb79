// What the options that every run has say.
#pragma once

#include <string>

namespace tamis {

struct Settings {
    double h, theta, t_end, tolerance, rho_inf, checkpoint_every;
    int frames, record_every, max_sweeps, threads, newton;
    std::string force, out, solver, wedged, friction_law, friction_model, limits;
    std::string packings; // folder that packings are kept in; empty: as usual
    bool quiet, verbose, no_output, resume, surfaces, believe, allow_overlap;
};

} // namespace tamis
