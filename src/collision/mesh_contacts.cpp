// Contacts with a surface of triangles: pairs of features (vertex, edge, face) between which the
// distance is locally least, so that each ends on the feature whose normal cone contains the normal. For
// a triangle the cone is its normal n; for the edge between triangles with in-plane normals m_i into
// them, all n with n.m_i <= 0; for a vertex v with neighbours w, all n with n.(w - v) <= 0. Inner edges
// of flat parts and valleys have no cone and give no contact: this is what keeps a rolling ball from
// bumping into edges that are not there.
//
// A ball's centre x is on the side of the surface that its nearest feature tells; n1 + n2 tells it at an edge
// and the angle-weighted normal at a vertex. In front, all local minima count; behind, only the nearest, with
// a negative distance.
//
// A polyhedron's vertex, or a point of a cylinder's rim, over a triangle counts if the middle of the body is
// in front of the triangle's plane. Behind a triangle, it does not count if another triangle is nearer (over
// a ridge, the one farther is a far side), unless the two form a valley: the point is then behind both, and
// beside both by the valley's edge. Two edges count if the common normal is in both cones, up to `aslant` so
// that an edge that lies on another, or on a face, does so on two points, and unless the plane of a
// triangle that has the ridge's point on it or behind it separates the polyhedron better (the separating axis
// theorem for the solid near that point). A ridge vertex inside the polyhedron counts, on the same condition,
// for the nearest face of it.
//
// All in the frame of the mesh. Scratch memory belongs to the thread and grows once.
#include "tamis/collision/mesh_contacts.hpp"

#include "tamis/collision/bullet_adapter.hpp"
#include "tamis/collision/capsule_contacts.hpp"
#include "tamis/collision/contact_points.hpp"
#include "tamis/collision/cylinder_contacts.hpp"
#include "tamis/collision/hull_queries.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tamis {

using Eigen::Vector3d;

namespace {

constexpr double rounding = 1e-9;  // of lengths, relative to the edges of triangles
constexpr double close = 1e-6;     // points closer than this, relative to the ball, are one
constexpr double aslant = 0.1;     // sine up to which cones are widened
constexpr double flat_body = 0.05; // how far the middle of a body may be behind a triangle it rests on

struct Feature {
    enum Kind { face, edge, vertex } kind;
    int number; // triangle, edge or vertex
};

// A local minimum of the distance from x to the surface.
struct Candidate {
    Vector3d point, outward;
    double distance; // negative behind
    Feature feature;
};

class Surroundings {
  public:
    Surroundings(const TriangleMesh& mesh_, const Pose& pose_, double alert_, std::vector<ContactPoint>& out_)
        : mesh(mesh_), pose(pose_), alert(alert_), out(out_)
    {
    }
    void points(const Sphere& a, const Pose& body) const { ball(a.radius, body.p, 0, 1); }
    void points(const Capsule& a, const Pose& body) const;
    void points(const Box& a, const Pose& body) const;
    void points(const Polyhedron& a, const Pose& body) const;
    void points(const Cylinder& a, const Pose& body) const;
    template <class Wall>
    void points(const Wall&, const Pose&) const
    {
        // A plane, a hollow shape or another mesh is a wall itself.
    }

  private:
    const TriangleMesh& mesh;
    const Pose& pose;
    double alert;
    std::vector<ContactPoint>& out;

    const Vector3d& corner(int t, int i) const { return mesh.vertices[mesh.triangles[t][i]]; }
    double height(int t, const Vector3d& x) const { return mesh.normal[t].dot(x - corner(t, 0)); }
    // How far x is beside triangle t across its side i, times the length of the side.
    double beside(int t, int i, const Vector3d& x) const
    {
        const Vector3d& a = corner(t, i);
        return (x - a).dot((corner(t, (i + 1) % 3) - a).cross(mesh.normal[t]));
    }
    bool over(int t, const Vector3d& x) const
    {
        for (int i = 0; i < 3; ++i)
            if (beside(t, i, x) > rounding * (corner(t, (i + 1) % 3) - corner(t, i)).squaredNorm())
                return false;
        return true;
    }
    // n in the cone of an edge or vertex, up to `slack` of the length of n.
    bool in_cone(const TriangleMesh::Edge& edge, const Vector3d& n, double slack) const
    {
        const Vector3d along = (mesh.vertices[edge.b] - mesh.vertices[edge.a]).normalized();
        slack *= n.norm();
        if (mesh.normal[edge.left].cross(along).dot(n) > slack) return false;
        if (edge.right < 0) return mesh.normal[edge.left].dot(n) >= -slack;
        return along.cross(mesh.normal[edge.right]).dot(n) <= slack &&
               n.dot(mesh.normal[edge.left] + mesh.normal[edge.right]) > 0;
    }
    bool in_cone_of_vertex(int v, const Vector3d& n, double slack) const
    {
        for (int i = mesh.vertex_start[v]; i < mesh.vertex_start[v + 1]; ++i) {
            const Vector3d way = mesh.vertices[mesh.vertex_neighbour[i]] - mesh.vertices[v];
            if (n.dot(way) > slack * n.norm() * way.norm()) return false;
        }
        return n.dot(mesh.corner[v].normal) > (mesh.corner[v].rim ? -slack * n.norm() : 0);
    }
    // Number unique among all features of the surface; a flat part is one.
    int number(const Feature& f) const
    {
        switch (f.kind) {
        case Feature::face:
            return mesh.patch[f.number];
        case Feature::edge:
            return mesh.patches + f.number;
        default:
            return mesh.patches + static_cast<int>(mesh.edges.size()) + f.number;
        }
    }
    // Whether a point at the same place, or on the flat part of one, is there already.
    bool known(const Vector3d& point, double tolerance, const std::vector<Candidate>& taken) const
    {
        for (const Candidate& c : taken) {
            if ((point - c.point).squaredNorm() <= tolerance * tolerance) return true;
            if (c.feature.kind == Feature::face && std::abs(c.outward.dot(point - c.point)) <= tolerance)
                return true;
        }
        return false;
    }
    Candidate nearest_of(int t, const Vector3d& x) const;
    bool is_minimum(const Candidate& c, const Vector3d& x, int t) const;
    void ball(double radius, const Vector3d& x, int first_feature, int stride) const;
    // What gather() finds: the triangles in whose front the body is, by patches, and
    // the body's height over each.
    static std::vector<double>& lowest()
    {
        thread_local std::vector<double> heights;
        return heights;
    }
    static std::vector<int>& near()
    {
        thread_local std::vector<int> triangles;
        return triangles;
    }
    bool in_prism(int t, const Vector3d& x) const;
    template <class Separation>
    void gather(const Vector3d& low, const Vector3d& high, const Vector3d& middle, double size,
                Separation&& separation) const;
    // Whether a triangle separates the body better than a contact of `gap` at a ridge's
    // point on or behind its plane.
    bool outdone(double gap, const Vector3d& point, double size) const
    {
        for (std::size_t k = 0; k < near().size(); ++k)
            if (lowest()[k] > gap + close * size && height(near()[k], point) <= close * size) return true;
        return false;
    }
    template <class Point>
    void over_triangles(int count, double size, int stride, Point&& point) const;
    void polyhedron(const Hull& hull, const Pose& body, bool flat) const;
    // Of a pair of features: unique while the products fit.
    static int pair_number(std::uint64_t kind, std::uint64_t of_mesh, std::uint64_t of_body,
                           std::uint64_t stride)
    {
        return static_cast<int>((3 * (of_mesh * stride + of_body) + kind) & 0x7fffffff);
    }
    template <class Visit>
    void for_each_ridge(const Vector3d& low, const Vector3d& high, Visit&& visit) const
    {
        for_each_triangle(mesh, low, high, [&](int t) {
            for (const int e : mesh.triangle_edge[t])
                if (mesh.edges[e].sharp && mesh.edges[e].left == t) visit(e);
        });
    }
    // a is the solid at x_a with its surface's outward normal towards the mesh's point.
    void add(const Vector3d& on_a, const Vector3d& on_mesh, const Vector3d& outward, double gap,
             int feature) const
    {
        if (gap <= alert) append(out, pose * on_a, pose * on_mesh, pose.R * -outward, gap, feature);
    }
};

Candidate Surroundings::nearest_of(int t, const Vector3d& x) const
{
    const double h = height(t, x);
    if (over(t, x)) return {x - h * mesh.normal[t], mesh.normal[t], h, {Feature::face, t}};
    Candidate best;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i) {
        if (beside(t, i, x) <= 0) continue;
        const Vector3d &a = corner(t, i), &b = corner(t, (i + 1) % 3);
        const Vector3d side = b - a;
        const double along = side.dot(x - a), length2 = side.squaredNorm();
        const Vector3d point = along <= 0 ? a : along >= length2 ? b : Vector3d(a + along / length2 * side);
        const double squared = (x - point).squaredNorm();
        if (squared >= least) continue;
        least = squared;
        best.point = point;
        best.feature = along <= 0         ? Feature{Feature::vertex, mesh.triangles[t][i]}
                       : along >= length2 ? Feature{Feature::vertex, mesh.triangles[t][(i + 1) % 3]}
                                          : Feature{Feature::edge, mesh.triangle_edge[t][i]};
    }
    const Vector3d way = x - best.point;
    Vector3d front = mesh.normal[t];
    bool rim;
    if (best.feature.kind == Feature::edge) {
        const TriangleMesh::Edge& edge = mesh.edges[best.feature.number];
        rim = edge.right < 0;
        if (!rim) front = mesh.normal[edge.left] + mesh.normal[edge.right];
    } else {
        rim = mesh.corner[best.feature.number].rim;
        front = mesh.corner[best.feature.number].normal;
    }
    best.distance = std::sqrt(least);
    best.outward = least > no_direction ? Vector3d(way / best.distance) : Vector3d(front.normalized());
    if (!rim && way.dot(front) < 0) {
        best.distance = -best.distance;
        best.outward = -best.outward;
    }
    return best;
}

// Whether no other triangle at the same edge or vertex comes nearer to x.
bool Surroundings::is_minimum(const Candidate& c, const Vector3d& x, int t) const
{
    if (c.feature.kind == Feature::edge) {
        const TriangleMesh::Edge& edge = mesh.edges[c.feature.number];
        const int other = edge.left == t ? edge.right : edge.left;
        if (other < 0) return true;
        const Vector3d side = mesh.vertices[edge.b] - mesh.vertices[edge.a];
        const Vector3d out_of_other =
            other == edge.left ? side.cross(mesh.normal[other]) : mesh.normal[other].cross(side);
        return (x - mesh.vertices[edge.a]).dot(out_of_other) >= -rounding * side.squaredNorm();
    }
    if (c.feature.kind == Feature::vertex) {
        const int v = c.feature.number;
        for (int i = mesh.vertex_start[v]; i < mesh.vertex_start[v + 1]; ++i) {
            const Vector3d way = mesh.vertices[mesh.vertex_neighbour[i]] - mesh.vertices[v];
            if ((x - mesh.vertices[v]).dot(way) > rounding * way.squaredNorm()) return false;
        }
    }
    return true;
}

void Surroundings::ball(double radius, const Vector3d& x, int first_feature, int stride) const
{
    thread_local std::vector<Candidate> found, taken;
    found.clear();
    taken.clear();
    const double reach = radius + std::max(alert, 0.0);
    double least = std::numeric_limits<double>::infinity();
    const Candidate* nearest = nullptr;
    for_each_triangle(mesh, x.array() - reach, x.array() + reach, [&](int t) {
        const Candidate c = nearest_of(t, x);
        if (std::abs(c.distance) <= reach && is_minimum(c, x, t)) found.push_back(c);
    });
    // Of equally near ones, a face, and one in front.
    for (const Candidate& c : found) {
        const double distance =
            std::abs(c.distance) + close * radius * ((c.feature.kind != Feature::face) + (c.distance < 0));
        if (distance < least) {
            least = distance;
            nearest = &c;
        }
    }
    if (!nearest) return;
    const auto take = [&](const Candidate& c) {
        taken.push_back(c);
        add(x - radius * c.outward, c.point, c.outward, c.distance - radius,
            first_feature + stride * number(c.feature));
    };
    if (nearest->distance < 0) return take(*nearest);
    for (const Candidate& c : found)
        if (c.feature.kind == Feature::face && c.distance >= 0 && !known(c.point, close * radius, taken))
            take(c);
    for (const Candidate& c : found)
        if (c.feature.kind != Feature::face && c.distance >= 0 && !known(c.point, close * radius, taken))
            take(c);
}

void Surroundings::points(const Capsule& a, const Pose& body) const
{
    const Vector3d u = body.R.col(2), &x = body.p;
    const Vector3d ends = a.half_length * u.cwiseAbs();
    const double reach = a.radius + std::max(alert, 0.0), tolerance = close * a.radius;
    ball(a.radius, x - a.half_length * u, 0, 3);
    ball(a.radius, x + a.half_length * u, 1, 3);

    thread_local std::vector<Candidate> taken;
    taken.clear();
    const double inner = a.half_length * (1 - close);
    const auto take = [&](double t, const Vector3d& point, const Feature& f) {
        const Vector3d way = x + t * u - point;
        const double distance = way.norm();
        if (distance > reach || distance <= tolerance || known(point, tolerance, taken)) return;
        const Vector3d outward = way / distance;
        taken.push_back({point, outward, distance, f});
        add(x + t * u - a.radius * outward, point, outward, distance - a.radius, 2 + 3 * number(f));
    };
    for_each_ridge((x - ends).array() - reach, (x + ends).array() + reach, [&](int e) {
        const TriangleMesh::Edge& edge = mesh.edges[e];
        const Vector3d middle = (mesh.vertices[edge.a] + mesh.vertices[edge.b]) / 2;
        const Vector3d side = mesh.vertices[edge.b] - mesh.vertices[edge.a];
        const double half = side.norm() / 2;
        const Vector3d v = side / (2 * half);
        const SegmentPair pair = closest_on_segments(x - middle, u, a.half_length, v, half);
        if (std::abs(pair.s) < inner && std::abs(pair.t) < half * (1 - rounding) &&
            u.cross(v).norm() > close && in_cone(edge, x + pair.s * u - middle - pair.t * v, close))
            take(pair.s, middle + pair.t * v, {Feature::edge, e});
        for (const int w : {edge.a, edge.b}) {
            const double t = u.dot(mesh.vertices[w] - x);
            if (std::abs(t) < inner && in_cone_of_vertex(w, x + t * u - mesh.vertices[w], close))
                take(t, mesh.vertices[w], {Feature::vertex, w});
        }
    });
}

// Whether x is over t. Behind the other side of a valley, the edge between the two is no limit.
bool Surroundings::in_prism(int t, const Vector3d& x) const
{
    for (int i = 0; i < 3; ++i) {
        if (beside(t, i, x) <= rounding * (corner(t, (i + 1) % 3) - corner(t, i)).squaredNorm()) continue;
        const TriangleMesh::Edge& edge = mesh.edges[mesh.triangle_edge[t][i]];
        const int other = edge.left == t ? edge.right : edge.left;
        if (edge.sharp || mesh.patch[t] == mesh.patch[other] || height(other, x) >= 0) return false;
    }
    return true;
}

template <class Separation>
void Surroundings::gather(const Vector3d& low, const Vector3d& high, const Vector3d& middle, double size,
                          Separation&& separation) const
{
    near().clear();
    for_each_triangle(mesh, low, high, [&](int t) {
        if (height(t, middle) > -flat_body * size) near().push_back(t);
    });
    std::sort(near().begin(), near().end(), [&](int s, int t) {
        return mesh.patch[s] != mesh.patch[t] ? mesh.patch[s] < mesh.patch[t] : s < t;
    });
    lowest().clear();
    for (const int t : near()) lowest().push_back(separation(t));
}

// The points x = point(t, i), i < count, over the triangles gathered, a few for each flat part.
template <class Point>
void Surroundings::over_triangles(int count, double size, int stride, Point&& point) const
{
    const auto middle_of = [&](int t) { return Vector3d((corner(t, 0) + corner(t, 1) + corner(t, 2)) / 3); };
    const auto hidden = [&](int t, const Vector3d& x, double h) {
        for (const int other : near()) {
            if (mesh.patch[other] == mesh.patch[t]) continue;
            const double g = height(other, x);
            if (std::abs(g) >= std::abs(h) || !in_prism(other, x)) continue;
            const bool valley = height(other, middle_of(t)) > 0 && height(t, middle_of(other)) > 0;
            if (!valley) return true;
        }
        return false;
    };
    for (std::size_t k = 0; k < near().size();) {
        const std::size_t first = out.size();
        const int patch = mesh.patch[near()[k]];
        for (; k < near().size() && mesh.patch[near()[k]] == patch; ++k) {
            const int t = near()[k];
            for (int i = 0; i < count; ++i) {
                const Vector3d x = point(t, i);
                const double h = height(t, x);
                if (h > alert || !in_prism(t, x) || (h < 0 && hidden(t, x, h))) continue;
                const int feature = pair_number(0, patch, i, stride);
                // On the line between two triangles of the patch, once.
                if (std::any_of(out.begin() + first, out.end(),
                                [&](const ContactPoint& c) { return c.feature == feature; }))
                    continue;
                add(x, x - h * mesh.normal[t], mesh.normal[t], h, feature);
            }
        }
        if (std::isfinite(alert)) keep_few(out, first, 1e-5 * size);
    }
}

void Surroundings::points(const Box& a, const Pose& body) const
{
    polyhedron(hull_of(a), body, corner_count(a) == 4);
}

void Surroundings::points(const Polyhedron& a, const Pose& body) const
{
    polyhedron(*a.hull, body, false);
}

void Surroundings::polyhedron(const Hull& hull, const Pose& body, bool flat) const
{
    thread_local std::vector<Vector3d> x, normal;
    thread_local std::vector<int> distinct;
    const double size = hull.radius, reach = std::max(alert, 0.0);
    x.clear();
    normal.clear();
    Vector3d low = Vector3d::Constant(HUGE_VAL), high = -low, middle = Vector3d::Zero();
    for (const Vector3d& v : hull.vertices) {
        x.push_back(body * v);
        low = low.cwiseMin(x.back());
        high = high.cwiseMax(x.back());
        middle += x.back();
    }
    middle /= static_cast<double>(x.size());
    low.array() -= reach;
    high.array() += reach;
    for (const Vector3d& n : hull.normal) normal.push_back(body.R * n);
    const int stride = static_cast<int>(std::max(hull.edges.size(), hull.vertices.size()));

    // Vertices of the hull over triangles. Those of a flat box come twice.
    distinct.clear();
    for (int v = 0; v < static_cast<int>(x.size()); ++v)
        if (!flat || std::none_of(distinct.begin(), distinct.end(), [&](int u) { return x[u] == x[v]; }))
            distinct.push_back(v);
    gather(low, high, middle, size, [&](int t) {
        double least = std::numeric_limits<double>::infinity();
        for (const Vector3d& v : x) least = std::min(least, height(t, v));
        return least;
    });
    over_triangles(static_cast<int>(distinct.size()), size, stride,
                   [&](int, int i) -> const Vector3d& { return x[distinct[i]]; });

    // Edges of the hull across ridges.
    for_each_ridge(low, high, [&](int e) {
        const TriangleMesh::Edge& ridge = mesh.edges[e];
        const Vector3d &a = mesh.vertices[ridge.a], side = mesh.vertices[ridge.b] - a;
        const double tt = side.squaredNorm();
        for (int k = 0; k < static_cast<int>(hull.edges.size()); ++k) {
            const Hull::Edge& edge = hull.edges[k];
            const Vector3d &p = x[edge.a], along = x[edge.b] - p;
            const double ss = along.squaredNorm();
            Vector3d n = along.cross(side);
            const double sine2 = n.squaredNorm();
            if (sine2 <= 1e-6 * ss * tt) continue;
            n /= std::sqrt(sine2);
            const Vector3d d = p - a;
            if (n.dot(middle - a) < 0) n = -n;
            const double gap = n.dot(d);
            if (gap > alert) continue;
            // p + s along and a + t side are closest.
            const double st = along.dot(side), sd = along.dot(d), td = side.dot(d);
            const double s = (st * td - tt * sd) / sine2, t = (ss * td - st * sd) / sine2;
            if (s < -rounding || s > 1 + rounding || t < -rounding || t > 1 + rounding) continue;
            const Vector3d &left = normal[edge.left], &right = normal[edge.right];
            const double slack = aslant * std::sqrt(ss);
            if (!in_cone(ridge, n, aslant) || -n.dot(left.cross(along)) > slack ||
                -n.dot(along.cross(right)) > slack || n.dot(left + right) > 0)
                continue;
            const Vector3d on_mesh = a + t * side;
            if (outdone(gap, on_mesh, size)) continue;
            add(on_mesh + gap * n, on_mesh, n, gap, pair_number(1, e, k, stride));
        }
    });

    // Ridge vertices under faces of the hull.
    for_each_triangle(mesh, low, high, [&](int t) {
        for (const int v : mesh.triangles[t]) {
            if (!mesh.corner[v].sharp || mesh.corner[v].triangle != t) continue;
            const Vector3d& y = mesh.vertices[v];
            // Outside, only the highest face can be the nearest.
            int face = -1;
            double height_y = -std::numeric_limits<double>::infinity(), highest = height_y;
            for (int f = 0; f < hull.faces(); ++f) {
                const double h = normal[f].dot(y - x[hull.face_vertex[hull.face_start[f]]]);
                highest = std::max(highest, h);
                if (h > height_y && in_cone_of_vertex(v, -normal[f], aslant)) {
                    height_y = h;
                    face = f;
                }
            }
            if (highest > std::max(height_y, 0.0)) continue;
            if (face < 0 || height_y > alert) continue;
            double t0 = 0, t1 = 0;
            clip(hull, face, body.R.transpose() * (y - body.p), Vector3d::Zero(), rounding * size, t0, t1);
            if (t0 > t1 || outdone(height_y, y, size)) continue;
            add(y - height_y * normal[face], y, -normal[face], height_y, pair_number(2, v, face, stride));
        }
    });
}

void Surroundings::points(const Cylinder& a, const Pose& body) const
{
    const Vector3d axis = body.R.col(2), &middle = body.p;
    const double size = std::hypot(a.radius, a.half_length), reach = std::max(alert, 0.0);
    const Vector3d half = (a.half_length * axis.cwiseAbs()).array() +
                          a.radius * (1 - axis.array().square()).max(0).sqrt() + reach;
    const Vector3d low = middle - half, high = middle + half;
    gather(low, high, middle, size, [&](int t) {
        const Vector3d& n = mesh.normal[t];
        return height(t, middle) - a.half_length * std::abs(n.dot(axis)) - a.radius * n.cross(axis).norm();
    });
    int last = -1;
    std::array<Vector3d, 8> rims;
    over_triangles(8, size, 8, [&](int t, int i) {
        if (t != last) rims = rim_points(a, body, mesh.normal[t]);
        last = t;
        return rims[i];
    });

    thread_local std::vector<Candidate> taken;
    taken.clear();
    for_each_ridge(low, high, [&](int e) {
        const TriangleMesh::Edge& ridge = mesh.edges[e];
        const Vector3d &p = mesh.vertices[ridge.a], &q = mesh.vertices[ridge.b], centre = (p + q) / 2;
        const double length = (q - p).norm() / 2;
        const Vector3d u = (q - p) / (2 * length);
        double t;
        Nearest found; // outward from the cylinder
        if (nearest_on_segment(a, body.R.transpose() * (centre - middle), body.R.transpose() * u, length, t,
                               found)) {
            found.outward = body.R * found.outward;
        } else {
            Pose rod{Eigen::Matrix3d::Identity(), centre};
            rod.R.col(2) = u;
            rod.R.col(0) = u.unitOrthogonal();
            rod.R.col(1) = u.cross(rod.R.col(0));
            const ContactPoint c = closest_points(Cylinder{a}, body, Capsule{0, length}, rod);
            found = {c.normal, c.gap};
            t = std::clamp(u.dot(c.on_b - centre), -length, length);
        }
        const Vector3d point = centre + t * u;
        if (found.distance > alert || outdone(found.distance, point, size)) return;
        const bool inner = std::abs(t) < length * (1 - rounding);
        const int end = t < 0 ? ridge.a : ridge.b;
        if (!(inner ? in_cone(ridge, -found.outward, aslant)
                    : in_cone_of_vertex(end, -found.outward, aslant)))
            return;
        if (known(point, close * size, taken)) return;
        taken.push_back({point, found.outward, found.distance, {Feature::edge, e}});
        add(point - found.distance * found.outward, point, -found.outward, found.distance,
            inner ? pair_number(1, e, 0, 8) : pair_number(2, end, 0, 8));
    });
}

} // namespace

void mesh_points(const Shape& a, const Pose& pose_a, const Mesh& b, const Pose& pose_b, double alert,
                 std::vector<ContactPoint>& out)
{
    const Pose body{pose_b.R.transpose() * pose_a.R, pose_b.R.transpose() * (pose_a.p - pose_b.p)};
    const Surroundings mesh(*b.mesh, pose_b, alert, out);
    std::visit([&](const auto& shape) { mesh.points(shape, body); }, a);
}

} // namespace tamis
