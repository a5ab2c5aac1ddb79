// Contact points of two convex polyhedra A and B.
//
// 1. The direction n of the largest separation, by the distance of A and B or, if they overlap, by their
//    penetration depth.
// 2. If a face of A or B, or a pair of edges, has this direction up to round-off, its normal is taken.
// 3. Points: the parts of A and B that face each other, each a face, an edge or a vertex, are intersected
//    along n. The gap is linear on the intersection, hence smallest at one of its corners. Departing from the
//    usual clipping there is no reference face: points lie on both surfaces, all along one n, and a corner's
//    feature (a vertex of A, a vertex of B, or a crossing of two edges) does not depend on such a choice.
// 4. Vertices of A in B, and of B in A, that the parts which face each other have left out: in deep overlaps they come
//    in through neighbouring faces.
//
// All is done in the frame of A, with tolerances relative to the size of the pair.
#include "tamis/collision/polyhedra_manifold.hpp"

#include "tamis/base/prefetch.hpp"
#include "tamis/collision/contact_points.hpp"
#include "tamis/collision/polyhedra_distance.hpp"
#include "tamis/collision/polyhedra_penetration.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tamis {

namespace {

using namespace polyhedra;

// A face or an edge takes part as a whole if its inclination to the contact plane is below 18 degrees.
constexpr double aligned_cosine = 0.95, aligned_sine = 0.31;
// Of the size of a pair: a pair that is farther apart than alert is followed until this much farther, for a bound that
// holds for a while.
constexpr double far = 0.03;
// Of the size of a pair: overlaps beyond this are looked through for vertices that the patches leave out.
constexpr double deep = 1e-3;

// Without repetitions; how many remain.
int distinct(std::array<int, 3>& list, int count)
{
    int kept = 0;
    for (int i = 0; i < count; ++i)
        if (std::find(list.begin(), list.begin() + kept, list[i]) == list.begin() + kept)
            list[kept++] = list[i];
    return kept;
}

// Of the faces that hold all the given vertices (or just the first, if none does),
// the one best aligned with n.
int aligned_face(const Hull& hull, const Vector3d& n, const std::array<int, 3>& vertex, int count)
{
    int best = -1;
    double best_score = -infinity;
    for (int k = hull.vertex_start[vertex[0]]; k < hull.vertex_start[vertex[0] + 1]; ++k) {
        const Hull::Edge& e = hull.edges[hull.vertex_edge[k]];
        const int f = e.a == vertex[0] ? e.left : e.right; // each face once
        double score = n.dot(hull.normal[f]);
        for (int i = 1; i < count; ++i) {
            const auto first = hull.face_vertex.begin() + hull.face_start[f],
                       last = hull.face_vertex.begin() + hull.face_start[f + 1];
            if (std::find(first, last, vertex[i]) == last) score -= 2;
        }
        if (score > best_score) {
            best_score = score;
            best = f;
        }
    }
    return best;
}

// A face, an edge or a vertex of one of the hulls, as far as it faces the other hull.
struct Patch {
    int count; // of vertices: 1, 2 (an edge) or more (a face)
    int face;
    Hull::Edge edge;
};

Patch patch(const Hull& hull, const Vector3d& n, const std::array<int, 3>& vertex, int count, int face)
{
    if (n.dot(hull.normal[face]) >= aligned_cosine)
        return {hull.face_start[face + 1] - hull.face_start[face], face, {}};
    Patch best{1, -1, {}};
    double best_sine = aligned_sine;
    for (int k = hull.vertex_start[vertex[0]]; k < hull.vertex_start[vertex[0] + 1]; ++k) {
        if (count > 1 && hull.vertex_neighbour[k] != vertex[1]) continue;
        const Hull::Edge& e = hull.edges[hull.vertex_edge[k]];
        const Vector3d d = hull.vertices[e.b] - hull.vertices[e.a];
        const double sine = std::abs(n.dot(d)) / d.norm();
        if (sine < best_sine) {
            best_sine = sine;
            best = {2, -1, e};
        }
    }
    return best;
}

// Takes the normal of a face or of a pair of edges if it is that of the optimum up to round-off.
void snap(const Pair& pair, Optimum& o, int count_a, int count_b, int face_a, int face_b)
{
    const Vector3d n = o.n;
    const double least = o.gap - tolerance * pair.size;
    double best = -infinity;
    const auto consider = [&](const Vector3d& m) {
        const double turned = (m - n).norm();
        if (turned > 1e-2 || turned * std::abs(o.gap) > tolerance * pair.size) return;
        const double gap = m.dot(pair.support(m).w);
        if (gap < least || gap <= best) return;
        best = o.gap = gap;
        o.n = m;
    };
    consider(pair.a.normal[face_a]);
    consider(-(pair.R * pair.b.normal[face_b]));
    if (best == -infinity && count_a == 2 && count_b == 2) {
        const Vector3d m =
            (pair.of_a(o.a[1]) - pair.of_a(o.a[0])).cross(pair.of_b(o.b[1]) - pair.of_b(o.b[0]));
        const double length = m.norm();
        if (length > 0) consider(m / (m.dot(n) > 0 ? length : -length));
    }
}

// What meets at a point: a vertex of A, a vertex of B, or an edge of each. -1: none.
struct Meeting {
    int a0 = -1, a1 = -1, b0 = -1, b1 = -1;
};

// In the contact plane: position (x, y) from the witness on A, height of A along n, and gap.
struct Candidate {
    double x, y, height, gap;
    Meeting meeting;
};

// A corner of a patch, seen along n, and the edge that leaves it.
struct Corner {
    double x, y, h;
    Meeting meeting;
    int from, to;
    bool edge_of_a = false;
};

// The plane of a face, h = h_0 + h_x x + h_y y.
struct Slope {
    double h_0, h_x, h_y;
    double along; // n . outward normal
    double at(double x, double y) const { return h_0 + h_x * x + h_y * y; }
};

int edge_number(const Hull& hull, int from, int to)
{
    for (int k = hull.vertex_start[from]; k < hull.vertex_start[from + 1]; ++k)
        if (hull.vertex_neighbour[k] == to) return hull.vertex_edge[k];
    return 0;
}

int feature(const Pair& pair, const Meeting& m)
{
    constexpr int of_b = 1 << 29, of_both = 1 << 30;
    if (m.b0 < 0) return m.a0;
    if (m.a0 < 0) return of_b + m.b0;
    const std::uint64_t edges = pair.b.edges.size();
    return of_both +
           static_cast<int>((edge_number(pair.a, m.a0, m.a1) * edges + edge_number(pair.b, m.b0, m.b1)) %
                            of_both);
}

// Kept between calls for their memory only.
struct Workspace {
    std::vector<Corner> a, b, polygon, clipped;
    std::vector<Candidate> candidates;
};

// Intersects the patches of an optimum along n.
class Intersection {
  public:
    Intersection(const Pair& pair, const Optimum& optimum, double alert, Workspace& work)
        : pair_(pair), o_(optimum), alert_(alert), work_(work), x_(optimum.n.unitOrthogonal()),
          y_(optimum.n.cross(x_))
    {
    }

    void run(const Patch& a, const Patch& b)
    {
        corners(a, work_.a, true);
        corners(b, work_.b, false);
        if (a.count > 2 && b.count > 2)
            face_face(slope_a(a.face));
        else if (a.count > 2)
            edge_face(work_.b, work_.a, slope_a(a.face), 1);
        else if (b.count > 2)
            edge_face(work_.a, work_.b, slope_b(b.face), -1);
        else
            edge_edge(a.edge, b.edge);
    }

    // Vertices of A in B or of B in A that are no candidates yet.
    void vertices_inside()
    {
        if (o_.gap >= -deep * pair_.size) return;
        vertices_inside(pair_.a, pair_.b, true);
        vertices_inside(pair_.b, pair_.a, false);
    }

    Vector3d position(const Candidate& c) const { return o_.on_a + c.x * x_ + c.y * y_ + c.height * o_.n; }

  private:
    Slope slope(const Vector3d& m, double distance) const
    {
        const double along = m.dot(o_.n);
        return {distance / along, -m.dot(x_) / along, -m.dot(y_) / along, along};
    }
    Slope slope_a(int face) const
    {
        const Vector3d& m = pair_.a.normal[face];
        return slope(m, pair_.a.offset[face] - m.dot(o_.on_a));
    }
    Slope slope_b(int face) const
    {
        const Vector3d m = pair_.R * pair_.b.normal[face];
        return slope(m, pair_.b.offset[face] - m.dot(o_.on_a - pair_.p));
    }

    // Counter-clockwise in (x, y): faces of B are seen from inside.
    void corners(const Patch& patch, std::vector<Corner>& list, bool of_a)
    {
        list.clear();
        const Hull& hull = of_a ? pair_.a : pair_.b;
        const int ends[] = {patch.edge.a, patch.edge.b};
        const int* vertex = patch.count == 2 ? ends : &hull.face_vertex[hull.face_start[patch.face]];
        for (int i = 0; i < patch.count; ++i) {
            const int v = vertex[of_a ? i : patch.count - 1 - i];
            const Vector3d d = (of_a ? pair_.of_a(v) : pair_.of_b(v)) - o_.on_a;
            Meeting meeting;
            (of_a ? meeting.a0 : meeting.b0) = v;
            list.push_back({d.dot(x_), d.dot(y_), d.dot(o_.n), meeting, v, 0, of_a});
            list[list.size() - 1].to = list[0].from;
            if (i > 0) list[list.size() - 2].to = v;
        }
    }

    // Those of `hull` that face the other hull and leave it by the shortest way towards `hull`. Others that are inside
    // are on their way in from the side, and along n they may be as deep as they like.
    void vertices_inside(const Hull& hull, const Hull& other, bool of_a)
    {
        const Matrix3d to_b = pair_.R.transpose();
        const Vector3d n_b = to_b * o_.n;
        const Vector3d out = of_a ? o_.n : Vector3d(-n_b);  // towards the other, in the frame of `hull`
        const Vector3d back = of_a ? Vector3d(-n_b) : o_.n; // the way out of the other, in its frame
        const double top = of_a ? out.dot(o_.on_a) : out.dot(to_b * (o_.on_a + o_.gap * o_.n - pair_.p));
        for (int v = 0; v < static_cast<int>(hull.vertices.size()); ++v) {
            if (out.dot(hull.vertices[v]) <= top + o_.gap || !faces(hull, v, out)) continue;
            const Vector3d in_a = of_a ? pair_.of_a(v) : pair_.of_b(v), d = in_a - o_.on_a;
            const double x = d.dot(x_), y = d.dot(y_), h = d.dot(o_.n);
            if (known(x, y)) continue;
            const double depth = depth_in(other, of_a ? Vector3d(to_b * (in_a - pair_.p)) : in_a, back);
            if (depth <= 0) continue;
            Meeting meeting;
            (of_a ? meeting.a0 : meeting.b0) = v;
            work_.candidates.push_back({x, y, of_a ? h : h + depth, -depth, meeting});
        }
    }

    // How far a point is from leaving a hull along `back`; 0 if it is outside, or if the face nearest to it does not
    // look that way.
    double depth_in(const Hull& hull, const Vector3d& x, const Vector3d& back) const
    {
        double nearest = -infinity, depth = infinity;
        bool looks_back = false;
        for (int f = 0; f < hull.faces(); ++f) {
            const double outside = hull.normal[f].dot(x) - hull.offset[f], along = hull.normal[f].dot(back);
            if (outside > -tolerance * pair_.size) return 0;
            if (outside > nearest) {
                nearest = outside;
                looks_back = along > aligned_sine;
            }
            if (along > 0) depth = std::min(depth, -outside / along);
        }
        return looks_back ? depth : 0;
    }

    // Whether a face at a vertex does so, more than edge-on.
    static bool faces(const Hull& hull, int vertex, const Vector3d& out)
    {
        for (int k = hull.vertex_start[vertex]; k < hull.vertex_start[vertex + 1]; ++k) {
            const Hull::Edge& e = hull.edges[hull.vertex_edge[k]];
            if (out.dot(hull.normal[e.left]) > aligned_sine || out.dot(hull.normal[e.right]) > aligned_sine)
                return true;
        }
        return false;
    }

    bool known(double x, double y) const
    {
        const double near = touching * pair_.size;
        return std::any_of(work_.candidates.begin(), work_.candidates.end(), [&](const Candidate& c) {
            return std::abs(c.x - x) < near && std::abs(c.y - y) < near;
        });
    }

    // A point at a vertex is named after it, however round-off has cut it, and taken once.
    void keep(double x, double y, double h_a, double h_b, Meeting meeting)
    {
        if (h_b - h_a > alert_) return;
        const double near = touching * pair_.size;
        const auto here = [&](const auto& c) { return std::abs(c.x - x) < near && std::abs(c.y - y) < near; };
        const auto at_vertex = [&](const std::vector<Corner>& corners) {
            const auto c = std::find_if(corners.begin(), corners.end(), here);
            if (c != corners.end()) meeting = c->meeting;
            return c != corners.end();
        };
        at_vertex(work_.b) || at_vertex(work_.a);
        const Candidate candidate{x, y, h_a, h_b - h_a, meeting};
        const auto same = std::find_if(work_.candidates.begin(), work_.candidates.end(), here);
        if (same == work_.candidates.end())
            work_.candidates.push_back(candidate);
        else if (candidate.gap < same->gap)
            *same = candidate;
    }

    // How far a point lies left of the line through two corners.
    struct Line {
        double x, y, dx, dy;
        Line(const Corner& from, const Corner& to) : x(from.x), y(from.y), dx(to.x - x), dy(to.y - y)
        {
            const double length = std::sqrt(dx * dx + dy * dy);
            dx /= length;
            dy /= length;
        }
        double left(const Corner& c) const { return dx * (c.y - y) - dy * (c.x - x); }
    };

    // Sutherland and Hodgman (1974).
    void face_face(const Slope& a)
    {
        const double slack = tolerance * pair_.size;
        std::vector<Corner>&polygon = work_.polygon, &clipped = work_.clipped;
        polygon = work_.b;
        for (std::size_t k = 0; k < work_.a.size() && !polygon.empty(); ++k) {
            const Corner &from = work_.a[k], &to = work_.a[(k + 1) % work_.a.size()];
            const Line line(from, to);
            clipped.clear();
            double here = line.left(polygon[0]);
            const double first = here;
            for (std::size_t i = 0; i < polygon.size(); ++i) {
                const Corner& p = polygon[i];
                const bool last = i + 1 == polygon.size();
                const Corner& q = polygon[last ? 0 : i + 1];
                const double there = last ? first : line.left(q);
                if (here >= -slack) clipped.push_back(p);
                if ((here >= -slack) != (there >= -slack)) {
                    const double t = std::clamp(here / (here - there), 0.0, 1.0);
                    Corner c{p.x + t * (q.x - p.x),
                             p.y + t * (q.y - p.y),
                             p.h + t * (q.h - p.h),
                             {},
                             p.from,
                             p.to,
                             p.edge_of_a};
                    if (p.edge_of_a)
                        c.meeting.a0 = p.from == to.from ? to.from : from.from;
                    else
                        c.meeting = {from.from, to.from, p.from, p.to};
                    if (here >= -slack) {
                        c.from = from.from;
                        c.to = to.from;
                        c.edge_of_a = true;
                    }
                    clipped.push_back(c);
                }
                here = there;
            }
            std::swap(polygon, clipped);
        }
        for (const Corner& c : polygon) keep(c.x, c.y, a.at(c.x, c.y), c.h, c.meeting);
    }

    // The edge's part p + t (q - p), t_0 <= t <= t_1, over the face; sign 1: the face is of A.
    void edge_face(const std::vector<Corner>& edge, const std::vector<Corner>& face, const Slope& plane,
                   int sign)
    {
        const double slack = tolerance * pair_.size;
        const Corner &p = edge[0], &q = edge[1];
        double t_0 = 0, t_1 = 1;
        Meeting at_0 = p.meeting, at_1 = q.meeting;
        for (std::size_t k = 0; k < face.size(); ++k) {
            const Corner &from = face[k], &to = face[(k + 1) % face.size()];
            const Line line(from, to);
            const double s_p = line.left(p) + slack, s_q = line.left(q) + slack;
            if (s_p >= 0 && s_q >= 0) continue;
            if (s_p < 0 && s_q < 0) return;
            const double t = s_p / (s_p - s_q);
            const Meeting crossing = sign > 0 ? Meeting{from.from, to.from, p.from, q.from}
                                              : Meeting{p.from, q.from, from.from, to.from};
            if (s_p < 0 && t > t_0) {
                t_0 = t;
                at_0 = crossing;
            } else if (s_q < 0 && t < t_1) {
                t_1 = t;
                at_1 = crossing;
            }
        }
        if (t_0 > t_1) return;
        const auto keep_at = [&](double t, const Meeting& meeting) {
            const double x = p.x + t * (q.x - p.x), y = p.y + t * (q.y - p.y), h = p.h + t * (q.h - p.h);
            if (sign > 0)
                keep(x, y, plane.at(x, y), h, meeting);
            else
                keep(x, y, h, plane.at(x, y), meeting);
        };
        keep_at(t_0, at_0);
        if (t_1 > t_0) keep_at(t_1, at_1);
    }

    // Edges that are almost parallel: the ends of their common stretch, each over
    // the faces at the other edge.
    void edge_edge(const Hull::Edge& a, const Hull::Edge& b)
    {
        const Corner *p = work_.a.data(), *q = work_.b.data();
        double dx = p[1].x - p[0].x, dy = p[1].y - p[0].y;
        const double length = std::hypot(dx, dy);
        dx /= length;
        dy /= length;
        const double ex = q[1].x - q[0].x, ey = q[1].y - q[0].y;
        if (std::abs(dx * ey - dy * ex) > aligned_sine * std::hypot(ex, ey)) return;
        const auto along = [&](const Corner& c) { return c.x * dx + c.y * dy; };
        const bool turned = along(q[1]) < along(q[0]);
        const Corner &first = q[turned], &second = q[!turned];
        if (along(first) > along(p[1]) || along(second) < along(p[0])) return;
        along(p[0]) >= along(first) ? over_edge(p[0], b, true) : over_edge(first, a, false);
        along(p[1]) <= along(second) ? over_edge(p[1], b, true) : over_edge(second, a, false);
    }

    // An end of an edge (of A or B) over the faces at an edge of the other hull.
    void over_edge(const Corner& c, const Hull::Edge& edge, bool of_a)
    {
        const Hull& other = of_a ? pair_.b : pair_.a;
        const int outward = of_a ? -1 : 1;
        int face = -1;
        double height = outward * infinity;
        for (int f : {edge.left, edge.right}) {
            const Slope plane = of_a ? slope_b(f) : slope_a(f);
            if (outward * plane.along < 1e-3) return; // seen edge-on or from behind: no height to speak of
            const double h = plane.at(c.x, c.y);
            if (outward * (h - height) < 0) {
                height = h;
                face = f;
            }
        }
        Vector3d x = position({c.x, c.y, height, 0, {}});
        if (of_a) x = pair_.R.transpose() * (x - pair_.p);
        const int start = other.face_start[face], end = other.face_start[face + 1];
        for (int k = start; k < end; ++k) {
            const Vector3d &p = other.vertices[other.face_vertex[k]],
                           &q = other.vertices[other.face_vertex[k + 1 < end ? k + 1 : start]];
            const Vector3d d = q - p;
            if (other.normal[face].dot(d.cross(x - p)) < -tolerance * pair_.size * d.norm()) return;
        }
        if (of_a)
            keep(c.x, c.y, c.h, height, c.meeting);
        else
            keep(c.x, c.y, height, c.h, c.meeting);
    }

    const Pair& pair_;
    const Optimum& o_;
    double alert_;
    Workspace& work_;
    Vector3d x_, y_;
};

// What the points need of a hull, asked for before the distance is computed, is there when it is known.
[[gnu::always_inline]] inline void prefetch_features(const Hull& hull)
{
    prefetch(hull.vertices);
    prefetch(hull.normal);
    prefetch(hull.offset);
    prefetch(hull.edges);
    prefetch(hull.vertex_start);
    prefetch(hull.vertex_edge);
    prefetch(hull.vertex_neighbour);
    prefetch(hull.face_start);
    prefetch(hull.face_vertex);
}

// From `first` on, brings four to the front: the deepest candidate, the one farthest from it, and two that
// span the largest area with them. Returns where the others start.
int choose_four(std::vector<Candidate>& c, int first, int end)
{
    if (end - first <= 4) return end;
    const auto area = [&](int i, int j, int k) {
        return (c[j].x - c[i].x) * (c[k].y - c[i].y) - (c[j].y - c[i].y) * (c[k].x - c[i].x);
    };
    const auto bring = [&](int place, auto&& score) {
        int best = place;
        double best_score = score(place);
        for (int i = place + 1; i < end; ++i)
            if (const double s = score(i); s > best_score) {
                best_score = s;
                best = i;
            }
        std::swap(c[place], c[best]);
        return best_score;
    };
    const int p = first, q = first + 1, r = first + 2;
    bring(p, [&](int i) { return -c[i].gap; });
    bring(q, [&](int i) { return std::hypot(c[i].x - c[p].x, c[i].y - c[p].y); });
    bring(r, [&](int i) { return std::abs(area(p, q, i)); });
    const int sign = area(p, q, r) > 0 ? 1 : -1;
    const double gain = bring(first + 3, [&](int i) {
        return std::max({-sign * area(p, q, i), -sign * area(q, r, i), -sign * area(r, p, i)});
    });
    return first + (gain > 1e-9 * std::abs(area(p, q, r)) ? 4 : 3); // (not by the noise of one on a side)
}

// Few of all, for the reason told in contact_points.cpp; they come first.
int choose_few(std::vector<Candidate>& c, double tie)
{
    const int count = static_cast<int>(c.size());
    if (count <= 4) return count;
    const auto by_gap = [](const Candidate& p, const Candidate& q) { return p.gap < q.gap; };
    const auto [least, most] = std::minmax_element(c.begin(), c.end(), by_gap);
    const bool flat = most->gap - least->gap <= tie;
    if (!flat && count <= most_points) return count;
    const int chosen = choose_four(c, 0, count);
    if (flat) return chosen;
    const auto others =
        std::partition(c.begin() + chosen, c.end(), [&](const Candidate& x) { return x.gap <= tie; });
    return choose_four(c, chosen, static_cast<int>(others - c.begin()));
}

} // namespace

double polyhedra_manifold(const Hull& a, const Pose& pose_a, const Hull& b, const Pose& pose_b, double alert,
                          std::vector<ContactPoint>& out)
{
    const Vector3d apart = pose_b.p - pose_a.p;
    const double size = a.radius + b.radius;
    if (const double bound = apart.norm() - size; bound > alert) return bound;
    const Pair pair{a, b, pose_a.R.transpose() * pose_b.R, pose_a.R.transpose() * apart, size};

    prefetch_features(a);
    prefetch_features(b);
    std::array<Difference, 4> simplex;
    int count;
    Optimum o;
    const Relation relation = closest(pair, alert + far * size, simplex.data(), count, o);
    if (relation == Relation::beyond_alert) return o.gap;
    if (relation == Relation::apart && o.gap > alert + tolerance * size) return o.gap;
    if (relation == Relation::in_touch) o = deepest(pair, simplex.data(), count);

    const int count_a = distinct(o.a, o.count), count_b = distinct(o.b, o.count);
    const Vector3d towards_a = -(pair.R.transpose() * o.n);
    const int face_a = aligned_face(a, o.n, o.a, count_a), face_b = aligned_face(b, towards_a, o.b, count_b);
    snap(pair, o, count_a, count_b, face_a, face_b);
    if (o.gap > alert) return o.gap;

    thread_local Workspace work;
    work.candidates.clear();
    const Patch patch_a = patch(a, o.n, o.a, count_a, face_a);
    const Patch patch_b = patch(b, towards_a, o.b, count_b, face_b);
    Intersection intersection(pair, o, alert, work);
    if (patch_a.count > 1 && patch_b.count > 1) intersection.run(patch_a, patch_b);
    double least = infinity;
    for (const Candidate& c : work.candidates) least = std::min(least, c.gap);
    if (least > o.gap + 10 * tolerance * size) {
        Meeting meeting{o.a[0], o.a[1], o.b[0], o.b[1]};
        if (count_b == 1)
            meeting = {-1, -1, o.b[0], -1};
        else if (count_a == 1)
            meeting = {o.a[0], -1, -1, -1};
        work.candidates.push_back({0, 0, 0, o.gap, meeting});
    }
    intersection.vertices_inside();

    const std::size_t start = out.size();
    const Vector3d normal = pose_a.R * o.n;
    const int chosen = choose_few(work.candidates, 1e-5 * size);
    for (int i = 0; i < chosen; ++i) {
        const Candidate& c = work.candidates[i];
        int number = feature(pair, c.meeting);
        const auto same = [&](const ContactPoint& other) { return other.feature == number; };
        while (std::any_of(out.begin() + start, out.end(), same))
            number = (number + 1) & std::numeric_limits<int>::max();
        ContactPoint& point = out.emplace_back();
        point.on_a = pose_a * intersection.position(c);
        point.on_b = point.on_a + c.gap * normal;
        point.normal = normal;
        point.gap = c.gap;
        point.feature = number;
    }
    return o.gap;
}

} // namespace tamis