// The penalty method beside LAMMPS (gran/hooke/history) and LIGGGHTS (hooke, history), where they are installed: steel
// balls in close-packed layers in a cylinder of 25 x 25 mm (Biondani et al., Processes 10 (2022) 1247), at rest and
// shaken at 10 Hz and 10 mm. The same balls, velocities, springs, dampers, friction and step in all three, walls at
// rest; ns of one core for a ball and step: of processor time, since others may use the machine, but for two threads.
//
// The springs of eq. (12): k = 1.182e6 N/m for 3 mm, in proportion to the diameter, 1.516 k with walls; k_T = k;
// e = 0.7, mu = 0.3; Hart's step. The histories of contacts start at zero.
#include "tamis/base/error.hpp"
#include "tamis/dem/penalty_bed.hpp"
#include "tamis/packing/lattices.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fmt/core.h>
#include <fmt/os.h>
#include <fstream>
#include <numbers>
#include <sys/resource.h>
#include <unistd.h>

using namespace tamis;
using std::numbers::pi;

namespace {

constexpr double size = 25e-3, density = 7800, gravity = 9.81, friction = 0.3, wall_ratio = 1.516;

struct Case {
    double d;
    int layers;
    double mass() const { return density * pi / 6 * d * d * d; }
    double stiffness() const { return 1.182e6 * d / 3e-3; }
    double h() const { return hart_step(mass(), wall_ratio * stiffness()); }
};
// By number of balls.
const std::vector<std::pair<int, Case>> cases{
    {151, {3e-3, 3}},       {602, {2e-3, 5}},      {1569, {1.5e-3, 7}},     {5200, {1e-3, 10}},
    {12383, {0.75e-3, 13}}, {41203, {0.5e-3, 19}}, {328435, {0.25e-3, 37}}, {1543449, {0.15e-3, 62}}};

double zeta(double e)
{
    return -std::log(e) / std::hypot(pi, std::log(e));
}

PenaltyBed bed_of(const Case& c, const std::vector<Ball>& balls, double floor, double restitution,
                  int threads)
{
    const PenaltyLaw law{.stiffness = c.stiffness(), .restitution = restitution, .friction = friction};
    PenaltyLaw with_wall = law;
    with_wall.stiffness *= wall_ratio;
    BallWall wall{"cylinder", hollow(cylinder(size / 2, size)), 1, {}};
    wall.motion.pose.p = {0, 0, floor + size / 2};
    BedOptions options{.h = c.h(), .gravity = {0, 0, -gravity}, .threads = threads};
    return PenaltyBed(balls, {wall}, {law, with_wall, with_wall, with_wall}, options);
}

std::vector<Ball> balls_of(const PenaltyBed& bed, const Case& c)
{
    std::vector<Ball> balls;
    for (int i = 0; i < bed.count(); ++i)
        balls.push_back({bed.position(i), bed.velocity(i), bed.angular_velocity(i), c.d / 2, c.mass(), 0});
    return balls;
}

struct State {
    std::string name;
    std::vector<Ball> balls;
    double floor = 0;
};

std::vector<Ball> lattice(const Case& c)
{
    std::vector<Ball> balls;
    for (const Eigen::Vector3d& x : layers_in_cylinder(size / 2, c.d, c.layers))
        balls.push_back({.x = x, .radius = c.d / 2, .mass = c.mass()});
    return balls;
}

// At rest under gravity, with strong dampers.
State settled(const Case& c, int steps, int threads)
{
    PenaltyBed bed = bed_of(c, lattice(c), 0, 0.05, threads);
    for (int i = 0; i < steps; ++i) bed.step();
    return {"settled", balls_of(bed, c), 0};
}

State agitated(const Case& c, double time, int threads)
{
    PenaltyBed bed = bed_of(c, lattice(c), 0, 0.7, threads);
    const double omega = 2 * pi * 10, amplitude = 10e-3;
    std::vector<BodyMotion> wall(bed.walls().begin(), bed.walls().end());
    double t = 0;
    for (long i = 1; t < time; ++i) {
        t = static_cast<double>(i) * c.h();
        wall[0].pose.p.z() = size / 2 + amplitude * std::sin(omega * t);
        wall[0].velocity.z() = amplitude * omega * std::cos(omega * t);
        bed.step(wall);
    }
    return {"agitated", balls_of(bed, c), wall[0].pose.p.z() - size / 2};
}

// ---------------------------------------------------------------------------------------------------------
// Timing

struct Range {
    double least = 1e300, most = 0;
    void add(double x)
    {
        least = std::min(least, x);
        most = std::max(most, x);
    }
    std::string text() const { return most > 0 ? fmt::format("{:.1f}-{:.1f}", least, most) : "-"; }
};

double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double children() // processor time
{
    rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct Ours {
    Range ns;
    double bytes = 0, contacts = 0;
};

Ours ours(const Case& c, const State& state, int steps, int repetitions, int threads)
{
    Ours out;
    for (int r = 0; r < repetitions; ++r) {
        PenaltyBed bed = bed_of(c, state.balls, state.floor, 0.7, threads);
        for (int i = 0; i < steps / 10; ++i) bed.step();
        const double cpu = static_cast<double>(std::clock()) / CLOCKS_PER_SEC, wall = now();
        for (int i = 0; i < steps; ++i) bed.step();
        const double took =
            threads == 1 ? static_cast<double>(std::clock()) / CLOCKS_PER_SEC - cpu : now() - wall;
        out.ns.add(1e9 * took / steps / bed.count());
        out.bytes = static_cast<double>(bed.bytes()) / bed.count();
        out.contacts = static_cast<double>(bed.contacts()) / bed.count();
    }
    return out;
}

void write_data(const std::filesystem::path& file, const Case& c, const State& state)
{
    auto out = fmt::output_file(file.string());
    out.print("balls\n\n{} atoms\n1 atom types\n\n", state.balls.size());
    for (const char* axis : {"x", "y"}) out.print("{} {} {}lo {}hi\n", -0.6 * size, 0.6 * size, axis, axis);
    out.print("{} {} zlo zhi\n\nAtoms\n\n", state.floor - 0.1 * size, state.floor + 1.1 * size);
    int n = 0;
    for (const Ball& b : state.balls)
        out.print("{} 1 {} {} {} {} {}\n", ++n, c.d, density, b.x.x(), b.x.y(), b.x.z());
    out.print("\nVelocities\n\n");
    n = 0;
    for (const Ball& b : state.balls)
        out.print("{} {} {} {} {} {} {}\n", ++n, b.v.x(), b.v.y(), b.v.z(), b.omega.x(), b.omega.y(),
                  b.omega.z());
}

std::string lammps_input(const Case& c, const State& state, double skin, int steps)
{
    const double k = c.stiffness(), m = c.mass(), kw = wall_ratio * k;
    const double gamma = 2 * zeta(0.7) * std::sqrt(k / (m / 2)), gamma_w = 2 * zeta(0.7) * std::sqrt(kw / m);
    const auto law = [](double stiffness, double damping) {
        return fmt::format("{0} {0} {1} {1} {2} 1", stiffness, damping, friction);
    };
    std::string walls;
    for (const auto& [name, where] : {std::pair("side", fmt::format("zcylinder {}", size / 2)),
                                      {"ends", fmt::format("zplane {} {}", state.floor, state.floor + size)}})
        walls += fmt::format("fix {} all wall/gran hooke/history {} {}\n", name, law(kw, gamma_w), where);
    return fmt::format("units si\natom_style sphere\nboundary f f f\nnewton off\ncomm_modify vel yes\n"
                       "read_data data.txt\npair_style gran/hooke/history {}\npair_coeff * *\n"
                       "neighbor {} bin\nneigh_modify delay 0 every 1 check yes\n"
                       "fix move all nve/sphere\nfix weight all gravity {} vector 0 0 -1\n{}"
                       "timestep {}\nthermo 1000000\nrun {}\nrun {}\n",
                       law(k, gamma), skin, gravity, walls, c.h(), steps / 10, steps);
}

// k = 16/15 sqrt(R') E' (15 m' V^2 / (16 sqrt(R') E'))^(1/5): E' that gives k.
std::string liggghts_input(const Case& c, const State& state, double skin, int steps)
{
    const double m = c.mass() / 2, R = c.d / 4, V = 1;
    const double young = std::pow(c.stiffness() / (16.0 / 15 * std::sqrt(R)) /
                                      std::pow(15 * m * V * V / (16 * std::sqrt(R)), 0.2),
                                  1.25); // E'
    const auto property = [](const char* name, const char* kind, double value) {
        return fmt::format("fix {0} all property/global {0} {1} {2}\n", name, kind, value);
    };
    std::string walls;
    for (const auto& [name, where] : {std::pair("side", fmt::format("zcylinder {} 0 0", size / 2)),
                                      {"low", fmt::format("zplane {}", state.floor)},
                                      {"high", fmt::format("zplane {}", state.floor + size)}})
        walls += fmt::format("fix {} all wall/gran model hooke tangential history primitive type 1 {}\n",
                             name, where);
    return fmt::format("units si\natom_style granular\natom_modify map array\nboundary f f f\nnewton off\n"
                       "communicate single vel yes\nread_data data.txt\nhard_particles yes\n{}{}{}{}{}"
                       "pair_style gran model hooke tangential history\npair_coeff * *\n"
                       "neighbor {} bin\nneigh_modify delay 0 every 1 check yes\n"
                       "fix move all nve/sphere\nfix weight all gravity {} vector 0 0 -1\n{}"
                       "timestep {}\nthermo 1000000\nrun {}\nrun {}\n",
                       property("youngsModulus", "peratomtype", 2 * young * (1 - 0.09)),
                       property("poissonsRatio", "peratomtype", 0.3),
                       property("coefficientRestitution", "peratomtypepair 1", 0.7),
                       property("coefficientFriction", "peratomtypepair 1", friction),
                       property("characteristicVelocity", "scalar", V), skin, gravity, walls, c.h(),
                       steps / 10, steps);
}

// The last "Loop time of ... on" of its output, times the part of the time in which it had a processor, s.
double loop_time(const std::string& program, const std::filesystem::path& folder, const std::string& input)
{
    std::ofstream(folder / "input.txt") << input;
    const std::string run = fmt::format("cd '{}' && OMP_NUM_THREADS=1 {} -in input.txt > output.txt 2>&1",
                                        folder.string(), program);
    const double cpu = children(), wall = now();
    const int code = std::system(run.c_str());
    const double share = std::min(1.0, (children() - cpu) / (now() - wall));
    std::ifstream out(folder / "output.txt");
    std::string line, last;
    double seconds = -1;
    while (std::getline(out, line)) {
        if (line.starts_with("Loop time of ")) seconds = std::stod(line.substr(13));
        if (!line.empty()) last = line;
    }
    if (code != 0 || seconds < 0)
        fail("{} ended with '{}'; see {}.", program, last, (folder / "output.txt").string());
    return share * seconds;
}

bool installed(const std::string& program)
{
    return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

} // namespace

int main(int argc, char** argv)
try {
    std::vector<int> sizes{1569, 12383, 41203};
    int repetitions = 3, settle = 20000, work = 20000000;
    double shake = 0.025;
    bool alone = false;
    std::vector<double> skins{0.1, 0.3};
    CLI::App app("Penalty DEM beside LAMMPS and LIGGGHTS");
    app.add_option("--sizes", sizes, "numbers of balls: 151, 602, 1569, 5200, 12383, 41203, 328435, 1543449")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--repetitions", repetitions, "of each measurement")->capture_default_str();
    app.add_option("--settle", settle, "steps to come to rest")->capture_default_str();
    app.add_option("--shake", shake, "time of shaking, s")->capture_default_str();
    app.add_option("--work", work, "balls times steps of a measurement")->capture_default_str();
    app.add_option("--skins", skins, "of the others' lists, in diameters; the best counts")
        ->delimiter(',')
        ->capture_default_str();
    app.add_flag("--alone", alone, "without the others");
    CLI11_PARSE(app, argc, argv);

    const auto folder = std::filesystem::temp_directory_path() / fmt::format("tamis_bench_dem_{}", getpid());
    std::filesystem::create_directories(folder);
    const bool lammps = !alone && installed("lmp"), liggghts = !alone && installed("liggghts");
    fmt::print("kernels {}; ns for a ball and step, min-max of {}; of the others with the better skin of",
               penalty_kernels().name, repetitions);
    for (const double s : skins) fmt::print(" {}", s);
    fmt::print(" d\n{:>8} {:<9} {:>9} {:>12} {:>12} {:>8} {:>14} {:>14} {:>7}\n", "balls", "state",
               "contacts", "1 thread", "2 threads", "bytes", "LAMMPS", "LIGGGHTS", "ratio");
    for (const int n : sizes) {
        const auto found = std::ranges::find(cases, n, &std::pair<int, Case>::first);
        if (found == cases.end())
            fail("There is no packing of {} balls: take one of those that --help names.", n);
        const Case& c = found->second;
        const int steps = std::max(1000, work / n);
        for (const bool rest : {true, false}) {
            const State state = rest ? settled(c, settle, 1) : agitated(c, shake, 1);
            const Ours one = ours(c, state, steps, repetitions, 1),
                       two = ours(c, state, steps, repetitions, 2);
            write_data(folder / "data.txt", c, state);
            const auto other = [&](const char* program, auto input) {
                Range best;
                for (const double skin : skins) {
                    Range range;
                    for (int r = 0; r < repetitions; ++r)
                        range.add(1e9 * loop_time(program, folder, input(c, state, skin * c.d, steps)) /
                                  steps / n);
                    if (range.least < best.least) best = range;
                }
                return best;
            };
            Range of_lammps, of_liggghts;
            if (lammps) of_lammps = other("lmp", lammps_input);
            if (liggghts) of_liggghts = other("liggghts", liggghts_input);
            const double faster = std::min(of_lammps.least, of_liggghts.least);
            fmt::print("{:>8} {:<9} {:>9.3f} {:>12} {:>12} {:>8.0f} {:>14} {:>14} {:>7}\n", n, state.name,
                       one.contacts, one.ns.text(), two.ns.text(), one.bytes, of_lammps.text(),
                       of_liggghts.text(),
                       faster < 1e299 ? fmt::format("{:.2f}", faster / one.ns.least) : "-");
            std::fflush(stdout);
        }
    }
    std::filesystem::remove_all(folder);
} catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
}
