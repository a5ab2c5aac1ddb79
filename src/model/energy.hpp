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

// Energy that contacts took, J: along their normals, along the contacts, by rolling resistance.
struct Dissipation {
    double normal = 0, friction = 0, rolling = 0;

    double sum() const { return normal + friction + rolling; }
    Dissipation& operator+=(const Dissipation& other)
    {
        normal += other.normal;
        friction += other.friction;
        rolling += other.rolling;
        return *this;
    }
    Dissipation operator-(const Dissipation& other) const
    {
        return {normal - other.normal, friction - other.friction, rolling - other.rolling};
    }
};

} // namespace tamis
