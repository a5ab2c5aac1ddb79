// Processor time of polyhedra_manifold per pair: bench_polyhedra_manifold [repetitions]
//
// Random stones of 8 to 30 vertices and cubes, in random poses at which their gap is the given one, in units
// of the radius; pairs are reported up to a gap of 0.01. The table gives the median over the repetitions and
// the range, in microseconds per pair, and how many points a pair has.
#include "tamis/collision/polyhedra_manifold.hpp"
#include "collision/random_poses.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <limits>

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr int pairs = 2000;
constexpr double alert = 0.01;

struct Placed {
    const Hull *a, *b;
    Pose pose_a, pose_b;
};

Hull stone(int vertices)
{
    std::vector<Vector3d> points;
    for (int i = 0; i < vertices; ++i) {
        Vector3d x = random_vector(1).normalized();
        points.push_back(x.cwiseProduct(Vector3d(1, 0.8, 0.6)));
    }
    return make_hull(points);
}

Hull cube()
{
    std::vector<Vector3d> points;
    for (int i = 0; i < 8; ++i)
        points.emplace_back(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
    return make_hull(points);
}

double gap_of(const Placed& p)
{
    std::vector<ContactPoint> out;
    polyhedra_manifold(*p.a, p.pose_a, *p.b, p.pose_b, std::numeric_limits<double>::infinity(), out);
    double gap = std::numeric_limits<double>::infinity();
    for (const ContactPoint& c : out) gap = std::min(gap, c.gap);
    return gap;
}

// Moves b along a random direction until the gap is the given one.
Placed place(const Hull& a, const Hull& b, double gap)
{
    Placed p{&a, &b, {random_rotation(), random_vector(10)}, {random_rotation(), Vector3d::Zero()}};
    const Vector3d n = random_vector(1).normalized();
    double low = 0, high = 4;
    for (int i = 0; i < 50; ++i) {
        const double middle = (low + high) / 2;
        p.pose_b.p = p.pose_a.p + middle * n;
        (gap_of(p) < gap ? low : high) = middle;
    }
    return p;
}

// One cube on another, almost flush.
Placed rest(const Hull& a, double gap)
{
    const Pose world{random_rotation(), random_vector(10)};
    const Matrix3d tilt = Eigen::AngleAxisd(1e-6, random_vector(1).normalized()).toRotationMatrix() *
                          Eigen::AngleAxisd(uniform(0, 6), Vector3d::UnitZ()).toRotationMatrix();
    return {&a, &a, world, world * Pose{tilt, {uniform(-0.4, 0.4), uniform(-0.4, 0.4), 1 + gap}}};
}

} // namespace

int main(int argc, char** argv)
{
    const int repetitions = argc > 1 ? std::max(1, std::atoi(argv[1])) : 21;
    fmt::print("{:10} {:>8} {:>11} {:>17} {:>16}\n", "shapes", "gap", "us per pair", "range",
               "points per pair");
    for (int vertices : {8, 14, 20, 30, -8, -4}) {
        std::vector<Hull> hulls;
        for (int i = 0; i < (vertices > 0 ? 50 : 1); ++i)
            hulls.push_back(vertices > 0 ? stone(vertices) : cube());
        for (double gap : {0.5, 0.2, 0.05, 0.005, 1e-5, -1e-5, -1e-3, -0.1}) {
            const bool resting = vertices == -4;
            std::vector<Placed> list;
            for (int i = 0; i < pairs; ++i)
                list.push_back(resting
                                   ? rest(hulls[0], gap)
                                   : place(hulls[i % hulls.size()], hulls[(7 * i + 3) % hulls.size()], gap));
            std::vector<ContactPoint> out;
            std::vector<double> cost;
            for (int k = 0; k < repetitions; ++k) {
                out.clear();
                const std::clock_t start = std::clock();
                for (const Placed& p : list) polyhedra_manifold(*p.a, p.pose_a, *p.b, p.pose_b, alert, out);
                cost.push_back(1e6 * double(std::clock() - start) / CLOCKS_PER_SEC / pairs);
            }
            std::sort(cost.begin(), cost.end());
            const std::string name = resting        ? "resting"
                                     : vertices < 0 ? "cubes"
                                                    : fmt::format("stones {}", vertices);
            fmt::print("{:10} {:8} {:11.3f} {:>17} {:16.2f}\n", name, gap, cost[cost.size() / 2],
                       fmt::format("{:.3f}..{:.3f}", cost.front(), cost.back()), double(out.size()) / pairs);
        }
    }
}
