// Nearest point of a convex polyhedron to x. Inside, that of the face f with the largest height
//     h_f = n_f . x - c_f.
// Outside, from that face: the nearest point of its polygon is the answer if x is above the polygon; else it
// lies on an edge or at a vertex, and the walk goes on to a face around that edge or vertex whose polygon is
// nearer, until there is none. The distance decreases strictly, so the walk ends; the hull being convex, the
// local minimum is the minimum.
//
// Boxes and cylinders by projection on them; where the direction is undefined (a centre, an
// axis) it is one of their axes.
#include "tamis/collision/hull_queries.hpp"

#include "tamis/collision/contact_points.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace tamis {

using Eigen::Vector3d;

namespace {

// The nearest point of a face's polygon to x.
struct OnFace {
    double squared = std::numeric_limits<double>::infinity(); // distance
    Vector3d point{0, 0, 0};
    int a = -1, b = -1; // on the edge a-b; b = -1: at vertex a; both -1: inside the polygon
};

OnFace nearest_on_face(const Hull& hull, int f, const Vector3d& x)
{
    const int begin = hull.face_start[f], end = hull.face_start[f + 1];
    const Vector3d& n = hull.normal[f];
    OnFace best;
    bool inside = true;
    int a = hull.face_vertex[end - 1];
    for (int i = begin; i < end; ++i) {
        const int b = hull.face_vertex[i];
        const Vector3d edge = hull.vertices[b] - hull.vertices[a], from_a = x - hull.vertices[a];
        if (from_a.dot(edge.cross(n)) > 0) {
            inside = false;
            const double length2 = edge.squaredNorm(), along = edge.dot(from_a);
            const Vector3d point = along <= 0         ? hull.vertices[a]
                                   : along >= length2 ? hull.vertices[b]
                                                      : Vector3d(hull.vertices[a] + along / length2 * edge);
            const double squared = (x - point).squaredNorm();
            if (squared < best.squared) {
                best.squared = squared;
                best.point = point;
                best.a = along >= length2 ? b : a;
                best.b = along <= 0 || along >= length2 ? -1 : b;
            }
        }
        a = b;
    }
    if (inside) {
        const double h = n.dot(x) - hull.offset[f];
        best.squared = h * h;
        best.point = x - h * n;
    }
    return best;
}

} // namespace

const Hull& hull_of(const Box& box, int slot)
{
    static const Hull unit = make_hull(corners(Box{{1, 1, 1}}), "box");
    thread_local Hull hulls[2] = {unit, unit};
    Hull& hull = hulls[slot];
    for (std::size_t v = 0; v < hull.vertices.size(); ++v)
        hull.vertices[v] = unit.vertices[v].cwiseProduct(box.half);
    hull.arrange_quads();
    for (int f = 0; f < hull.faces(); ++f) hull.offset[f] = hull.normal[f].cwiseAbs().dot(box.half);
    hull.radius = box.half.norm();
    return hull;
}

Nearest nearest(const Hull& hull, const Vector3d& x)
{
    int face = 0;
    double height = -std::numeric_limits<double>::infinity();
    for (int f = 0; f < hull.faces(); ++f)
        if (const double h = hull.normal[f].dot(x) - hull.offset[f]; h > height) {
            height = h;
            face = f;
        }
    if (height <= 0) return {hull.normal[face], height};

    OnFace best = nearest_on_face(hull, face, x);
    while (best.a >= 0) {
        OnFace next;
        int next_face = face;
        for (int i = hull.vertex_start[best.a]; i < hull.vertex_start[best.a + 1]; ++i) {
            if (best.b >= 0 && hull.vertex_neighbour[i] != best.b) continue;
            const Hull::Edge& edge = hull.edges[hull.vertex_edge[i]];
            for (const int f : {edge.left, edge.right}) {
                // Around a vertex, each face once: the one to the left of the edge that leaves it.
                if (f == face || (best.b < 0 && f != (edge.a == best.a ? edge.left : edge.right))) continue;
                const OnFace candidate = nearest_on_face(hull, f, x);
                if (candidate.squared < next.squared) {
                    next = candidate;
                    next_face = f;
                }
            }
        }
        if (!(next.squared < best.squared)) break;
        best = next;
        face = next_face;
    }
    const double distance = std::sqrt(best.squared);
    if (best.a < 0 || distance < 1e-12 * hull.radius)
        return {hull.normal[face], best.a < 0 ? hull.normal[face].dot(x) - hull.offset[face] : distance};
    return {(x - best.point) / distance, distance};
}

Nearest nearest(const Box& box, const Vector3d& x)
{
    const Vector3d away = x - x.cwiseMax(-box.half).cwiseMin(box.half);
    const double squared = away.squaredNorm();
    if (squared > no_direction) {
        const double distance = std::sqrt(squared);
        return {away / distance, distance};
    }
    int k;
    const double depth = (box.half - x.cwiseAbs()).minCoeff(&k);
    return {std::copysign(1.0, x[k]) * Vector3d::Unit(k), -depth};
}

// In the half-plane (rho, z) through the axis and x, the cylinder is the rectangle of width its radius.
Nearest nearest(const Cylinder& cylinder, const Vector3d& x)
{
    const double rho = std::hypot(x.x(), x.y());
    const Vector3d radial =
        rho * rho > no_direction ? Vector3d(x.x() / rho, x.y() / rho, 0) : Vector3d::UnitX();
    const Vector3d axial(0, 0, std::copysign(1.0, x.z()));
    const double beyond_side = rho - cylinder.radius, beyond_cap = std::abs(x.z()) - cylinder.half_length;
    if (beyond_side > 0 && beyond_cap > 0) {
        const double distance = std::hypot(beyond_side, beyond_cap);
        return {(beyond_side * radial + beyond_cap * axial) / distance, distance};
    }
    if (beyond_side > beyond_cap) return {radial, beyond_side};
    return {axial, beyond_cap};
}

void clip(const Hull& hull, int f, const Vector3d& x, const Vector3d& u, double slack, double& t0, double& t1)
{
    const int begin = hull.face_start[f], end = hull.face_start[f + 1];
    int a = hull.face_vertex[end - 1];
    for (int i = begin; i < end; ++i) {
        const int b = hull.face_vertex[i];
        const Vector3d out = (hull.vertices[b] - hull.vertices[a]).cross(hull.normal[f]);
        const double length = out.norm();
        const double beyond = out.dot(x - hull.vertices[a]) - slack * length, rate = out.dot(u);
        a = b;
        // beyond + t rate <= 0
        if (std::abs(rate) > 1e-12 * length * u.norm()) {
            if (rate > 0)
                t1 = std::min(t1, -beyond / rate);
            else
                t0 = std::max(t0, -beyond / rate);
        } else if (beyond > 0) {
            t1 = -std::numeric_limits<double>::infinity();
        }
    }
}

int face_along(const Hull& hull, const Vector3d& n)
{
    int best = 0;
    for (int f = 1; f < hull.faces(); ++f)
        if (hull.normal[f].dot(n) > hull.normal[best].dot(n)) best = f;
    return best;
}

} // namespace tamis
