// Packings by simulation: grains fall into a container and come to rest, or are compacted by shaking.
#pragma once

#include "tamis/packing/packing.hpp"

namespace tamis {

struct Walls { // fixed
    std::vector<std::pair<Shape, Pose>> shapes;
};

struct Deposit {
    Eigen::Vector3d gravity{0, 0, -9.81};
    // Friction coefficients of grains and walls, applied one after the other, each until the grains are at
    // rest. Low friction first gives a dense packing, high friction a loose one.
    std::vector<double> friction{0.3};
    double rest =
        1e-3; // ends when the rms speed is below this part of sqrt(g d), d the mean size of the grains
    double step = 0.01;      // of sqrt(d / g)
    double tolerance = 1e-3; // of the contact solver while the grains fall; ten times less in the end
    int max_sweeps = 200;
    double longest = 300; // time limit per coefficient, in units of sqrt(d / g): then they count as at rest
    int threads = 0;
    std::function<void(const std::string&)> tell; // receives a line of progress now and then
};

// How far a deposit is.
struct DepositStep {
    long steps;
    double rms_speed; // relative to sqrt(g d)
    int contacts, sweeps;
};
// While it lives, deposits and shakes of this thread call it after every step; it may throw to end them.
class DepositWatch {
  public:
    explicit DepositWatch(std::function<void(const DepositStep&)> watch);
    ~DepositWatch();
    DepositWatch(const DepositWatch&) = delete;
    DepositWatch& operator=(const DepositWatch&) = delete;

  private:
    std::function<void(const DepositStep&)> outer_;
};

// What became of it.
struct Deposited {
    Packing packing;
    double time = 0, rms_speed = 0, penetration = 0; // s, m/s, largest in m
    long steps = 0, contacts = 0;
    std::vector<std::pair<int, int>> touching; // pairs of grains with a contact that carries load
};
Deposited deposit(const Packing& loose, const Walls& walls, const Deposit& how = {});

// Shakes a container with the cavity cavity(height), whose floor is z = 0, by one cycle of a vertical sine,
// lets the grains come to rest, lowers the lid to their top, and repeats this until the top no longer sinks.
// Zhang et al. (2020), Sect. 3.2.1.
struct Shake {
    double amplitude, frequency; // m, 1/s
    double settled = 1e-3; // ends when a cycle lowers the top by less than this fraction of the mean size
    int cycles = 20;       // at most
};
Deposited shake(const Packing& loose, const std::function<Shape(double height)>& cavity, double height,
                const Shake& how, const Deposit& rest = {});

} // namespace tamis
