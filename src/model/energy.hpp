// Energy, by kind.
#pragma once

namespace tamis {

struct Energy {
    double kinetic = 0, potential = 0; // J

    double sum() const { return kinetic + potential; }
    Energy& operator+=(const Energy& other)
    {
        kinetic += other.kinetic;
        potential += other.potential;
        return *this;
    }
};

} // namespace tamis
