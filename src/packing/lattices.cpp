// Regular arrangements of balls.
//
// Closest packing: rows of distance d sqrt(3) / 2, layers of distance d sqrt(2/3); the layers A, B, C
// are moved by 0, 1, 2 times (d / 2, d sqrt(3) / 6). In a cylinder (Biondani et al. 2022: a ball is
// kept if r <= R - d / 2), the sites of layer s = 0, 1, 2 are d / 3 (a e1 + b e2), a = 3 i + s, b = 3 j
// + s, with unit vectors 60 degrees apart: 9 r^2 / d^2 = a^2 + a b + b^2 is an integer, so all the
// balls of a ring are kept or none.
//
// Lengths are compared with a tolerance of 1e-9, so that a box of ten diameters holds ten balls.
#include "tamis/packing/lattices.hpp"

#include "tamis/base/error.hpp"
#include "tamis/packing/random.hpp"
#include "tamis/packing/region.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace tamis {

namespace {

using Eigen::Vector3d;
using std::numbers::sqrt3;

constexpr double tolerance = 1e-9;

// Number of balls in a row of the given length.
int row(double length, double diameter, double spacing)
{
    return static_cast<int>(std::floor((length - diameter) / spacing + tolerance)) + 1;
}

void check(const Bounds& box, double diameter)
{
    const Vector3d size = box.high - box.low;
    check_lengths({size.x(), size.y(), size.z()}, "The box of a lattice");
    check_lengths({diameter}, "A ball of a lattice");
}

} // namespace

std::vector<Vector3d> cubic_lattice(const Bounds& box, double spacing, double jitter, std::uint64_t seed)
{
    check(box, spacing);
    const Vector3d size = box.high - box.low;
    const int nx = row(size.x(), spacing, spacing), ny = row(size.y(), spacing, spacing),
              nz = row(size.z(), spacing, spacing);
    Random random(seed);
    std::vector<Vector3d> centres;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i) {
                Vector3d cell(i + 0.5, j + 0.5, k + 0.5);
                if (jitter != 0)
                    for (double& x : cell) x += random.uniform(-jitter, jitter);
                centres.push_back(box.low + spacing * cell);
            }
    return centres;
}

std::vector<Vector3d> close_packed_lattice(const Bounds& box, double diameter, Stacking stacking)
{
    check(box, diameter);
    const Vector3d size = box.high - box.low;
    const double d = diameter, rise = d * std::sqrt(2.0 / 3);
    std::vector<Vector3d> centres;
    for (int k = 0; k < row(size.z(), d, rise); ++k) {
        const int letter = k % (stacking == Stacking::abc ? 3 : 2);
        const double y = letter * d * sqrt3 / 6;
        for (int j = 0; j < row(size.y() - y, d, d * sqrt3 / 2); ++j) {
            const double x = (letter + j) % 2 * d / 2;
            for (int i = 0; i < row(size.x() - x, d, d); ++i)
                centres.push_back(
                    box.low + Vector3d(d / 2 + x + i * d, d / 2 + y + j * d * sqrt3 / 2, d / 2 + k * rise));
        }
    }
    return centres;
}

std::vector<Vector3d> layers_in_cylinder(double radius, double diameter, int layers)
{
    check_lengths({radius, diameter}, "A ball or the cylinder of a lattice");
    const double d = diameter, reach = 3 * (radius / d - 0.5); // of the sites, in d / 3
    if (reach < -tolerance)
        fail("A ball of diameter {} does not fit in a cylinder of radius {}: enlarge the cylinder.", d,
             radius);
    const double limit = reach * reach * (1 + tolerance) + tolerance;
    std::vector<Vector3d> centres;
    for (int k = 0; k < layers; ++k) {
        const int s = k % 3, n = static_cast<int>(reach * 2 / sqrt3) + 3; // |a|, |b| <= reach 2 / sqrt(3)
        const int first = s - (n + 2) / 3 * 3;
        for (int b = first; b <= n; b += 3)
            for (int a = first; a <= n; a += 3)
                if (double(a) * a + double(a) * b + double(b) * b <= limit)
                    centres.emplace_back(d / 3 * (a + 0.5 * b), d / 3 * (sqrt3 / 2 * b),
                                         d / 2 + k * d * std::sqrt(2.0 / 3));
    }
    return centres;
}

std::vector<Vector3d> drop_lattice(const Shape& container, std::span<const double> radii, const Drop& drop)
{
    if (radii.empty()) return {};
    for (double r : radii) check_lengths({r}, "A body to drop");
    if (!(drop.gap >= 1) || !(drop.jitter >= 0 && drop.jitter <= 1))
        fail("Bodies dropped with a gap factor of {} and a jitter of {} may overlap: take a factor of at "
             "least one and a jitter from 0 to 1.",
             drop.gap, drop.jitter);
    holds(container, Vector3d::Zero(), 0); // refuses what has no inside
    const double largest = *std::max_element(radii.begin(), radii.end()), half = drop.gap * largest;

    // The outline: the container with no end upwards.
    constexpr double endless = std::numeric_limits<double>::infinity();
    const Bounds around = bounds(container, Pose{});
    Shape outline = container;
    if (const auto* box = std::get_if<Box>(&container))
        outline = Box{{box->half.x(), box->half.y(), endless}};
    else if (std::holds_alternative<Polyhedron>(container))
        fail("The outline of a polyhedron is not known: drop the bodies over a box or a cylinder.");
    else
        outline = Cylinder{around.high.x(), endless};

    std::vector<Vector3d> cells; // of a layer
    const Vector3d size = around.high - around.low;
    const int nx = row(size.x(), 2 * half, 2 * half), ny = row(size.y(), 2 * half, 2 * half);
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
            const Vector3d cell((2 * i + 1 - nx) * half, (2 * j + 1 - ny) * half, 0);
            if (holds(outline, cell, half * (1 - tolerance))) cells.push_back(cell);
        }
    if (cells.empty())
        fail(
            "A body of radius {} does not fit in the outline of its container with a gap factor of {}: widen "
            "the container or drop smaller bodies.",
            largest, drop.gap);

    Random random(drop.seed);
    std::vector<int> order(radii.size());
    std::iota(order.begin(), order.end(), 0);
    if (drop.order == Drop::Order::shuffled)
        random.shuffle(order);
    else if (drop.order == Drop::Order::largest_first)
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return radii[a] > radii[b]; });

    std::vector<Vector3d> centres(radii.size());
    for (std::size_t n = 0; n < order.size(); ++n) {
        const double r = radii[order[n]], room = drop.jitter * (half - r);
        const auto layer = static_cast<double>(n / cells.size());
        const Vector3d cell = cells[n % cells.size()] + Vector3d(0, 0, drop.bottom + (2 * layer + 1) * half);
        Vector3d& x = centres[order[n]] = cell;
        for (double& component : x) component += random.uniform(-room, room);
        if (!holds(outline, x, r)) x.head<2>() = cell.head<2>(); // near a round wall
    }
    return centres;
}

} // namespace tamis
