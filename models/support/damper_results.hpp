// What every model of a particle damper tells of its run, computed of the columns of its histories.csv: when it became
// steady, how far and how fast it vibrates from then on, and what the particles take.
#pragma once

#include "tamis/analysis/steady_state.hpp"
#include "tamis/app/record.hpp"

#include <string>
#include <vector>

namespace tamis {

struct DamperColumns {
    std::string position, velocity; // of what the damper is on, along the excitation
    double frequency;               // of the excitation, Hz
    double particle_mass = 0;       // kg; 0: none that take energy, and no column `dissipated`
};

// Of an irregular response by period; a particle damper's is never as regular as that of a linear structure.
inline constexpr SteadyCriterion damper_steady{.tolerance = 0.05, .periods = 5};

// steady_from_s        from when on the rms of the velocity by period is steady until the end
// steady_rms_m,        of the position about its mean, in whole periods from then on, or if there is no steady state in
// steady_peak_m        the last half of the run; so are all results below
// dominant_Hz          largest line in the spectrum of the velocity
// energy_per_cycle_J,  energy that contacts take in a period of the excitation: mean, and standard deviation over that
// energy_deviation
// zeta_PD              equivalent damping ratio for particles of a hundredth of the mass, Biondani et al. (2022), eqs
//                      10 and 11, where A_V is the amplitude of the velocity at the excitation's frequency
std::vector<Result> damper_results(const DamperColumns& columns);

} // namespace tamis
