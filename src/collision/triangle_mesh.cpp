// Topology by sorting half-edges; patches by flooding over edges whose triangles are in one plane; the tree
// by splitting at the median centre along the longest side. The normal of a vertex weights those of its
// triangles by their angles there: its sign tells inside from outside for a point nearest to that vertex
// (Baerentzen and Aanaes 2005, Signed distance computation using the angle weighted pseudonormal).
//
// Triangles are in one plane, and edges are flat, if their normals differ by less than 1e-6 rad.
// Where more than two triangles meet at an edge, or two disagree about the free side, the edge is a
// rim of each that is left over.
#include "tamis/collision/triangle_mesh.hpp"

#include "tamis/base/error.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>

namespace tamis {

using Eigen::Vector3d;

namespace {

constexpr double flat = 1e-6;

struct HalfEdge {
    int from, to, triangle, side;
};

void build(TriangleMesh& mesh, const std::vector<Vector3d>& centre, int begin, int end)
{
    const int number = static_cast<int>(mesh.nodes.size());
    mesh.nodes.push_back({{Vector3d::Constant(HUGE_VAL), Vector3d::Constant(-HUGE_VAL)}, begin, end, 0});
    Bounds box = mesh.nodes[number].box, centres = box;
    for (int i = begin; i < end; ++i) {
        const int t = mesh.order[i];
        for (const int v : mesh.triangles[t]) {
            box.low = box.low.cwiseMin(mesh.vertices[v]);
            box.high = box.high.cwiseMax(mesh.vertices[v]);
        }
        centres.low = centres.low.cwiseMin(centre[t]);
        centres.high = centres.high.cwiseMax(centre[t]);
    }
    mesh.nodes[number].box = box;
    if (end - begin <= 4) return;
    int axis;
    (centres.high - centres.low).maxCoeff(&axis);
    const int middle = (begin + end) / 2;
    const auto before = [&](int s, int t) {
        return centre[s][axis] != centre[t][axis] ? centre[s][axis] < centre[t][axis] : s < t;
    };
    std::nth_element(mesh.order.begin() + begin, mesh.order.begin() + middle, mesh.order.begin() + end,
                     before);
    build(mesh, centre, begin, middle);
    mesh.nodes[number].second = static_cast<int>(mesh.nodes.size());
    build(mesh, centre, middle, end);
}

void join_edges(TriangleMesh& mesh)
{
    const int count = static_cast<int>(mesh.triangles.size());
    std::vector<HalfEdge> half;
    for (int t = 0; t < count; ++t)
        for (int i = 0; i < 3; ++i)
            half.push_back({mesh.triangles[t][i], mesh.triangles[t][(i + 1) % 3], t, i});
    // The half-edges of one edge together, in both senses, those with from < to first.
    std::sort(half.begin(), half.end(), [](const HalfEdge& g, const HalfEdge& h) {
        const auto key = [](const HalfEdge& e) {
            return std::array{std::min(e.from, e.to), std::max(e.from, e.to), int(e.from > e.to), e.triangle};
        };
        return key(g) < key(h);
    });
    mesh.triangle_edge.resize(count);
    const auto add = [&](const HalfEdge& left, const HalfEdge* right) {
        const int number = static_cast<int>(mesh.edges.size());
        mesh.edges.push_back({left.from, left.to, left.triangle, right ? right->triangle : -1, true});
        mesh.triangle_edge[left.triangle][left.side] = number;
        if (right) mesh.triangle_edge[right->triangle][right->side] = number;
    };
    for (std::size_t i = 0; i < half.size();) {
        const auto same = [&](std::size_t k) {
            return k < half.size() &&
                   std::minmax(half[k].from, half[k].to) == std::minmax(half[i].from, half[i].to);
        };
        std::size_t turn = i;
        while (same(turn) && half[turn].from < half[turn].to) ++turn;
        std::size_t end = turn;
        while (same(end)) ++end;
        std::size_t forth = i, back = turn;
        while (forth < turn || back < end) {
            if (forth < turn && back < end)
                add(half[forth++], &half[back++]);
            else if (forth < turn)
                add(half[forth++], nullptr);
            else
                add(half[back++], nullptr);
        }
        i = end;
    }
}

} // namespace

TriangleMesh make_mesh(std::vector<Vector3d> vertices, const std::vector<std::array<int, 3>>& triangles,
                       const std::string& name)
{
    TriangleMesh mesh;
    mesh.vertices = std::move(vertices);
    const int vertex_count = static_cast<int>(mesh.vertices.size());
    for (int v = 0; v < vertex_count; ++v)
        if (!mesh.vertices[v].allFinite()) fail("Vertex {} of {} is not finite: correct it.", v, name);
    for (const auto& t : triangles) {
        for (const int v : t)
            if (v < 0 || v >= vertex_count)
                fail("A triangle of {} has vertex {}, of {}: number the vertices from 0.", name, v,
                     vertex_count);
        const Vector3d &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
        const Vector3d n = (b - a).cross(c - a);
        const double longest2 =
            std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
        if (!(n.norm() > 1e-12 * longest2)) continue;
        mesh.triangles.push_back(t);
        mesh.normal.push_back(n.normalized());
    }
    if (mesh.triangles.empty()) fail("The surface of {} has no triangle with an area: give it some.", name);
    const int count = static_cast<int>(mesh.triangles.size());

    join_edges(mesh);
    for (TriangleMesh::Edge& edge : mesh.edges) {
        if (edge.right < 0) continue;
        // Convex if the normals turn around the edge as the triangles do.
        const Vector3d along = (mesh.vertices[edge.b] - mesh.vertices[edge.a]).normalized();
        edge.sharp = mesh.normal[edge.left].cross(mesh.normal[edge.right]).dot(along) > flat;
    }

    mesh.corner.assign(vertex_count, {Vector3d::Zero(), false, false, -1});
    mesh.vertex_start.assign(vertex_count + 1, 0);
    for (const TriangleMesh::Edge& edge : mesh.edges)
        for (const int v : {edge.a, edge.b}) {
            ++mesh.vertex_start[v + 1];
            mesh.corner[v].sharp |= edge.sharp;
            mesh.corner[v].rim |= edge.right < 0;
        }
    std::partial_sum(mesh.vertex_start.begin(), mesh.vertex_start.end(), mesh.vertex_start.begin());
    mesh.vertex_neighbour.resize(mesh.vertex_start.back());
    std::vector<int> next(mesh.vertex_start.begin(), mesh.vertex_start.end() - 1);
    for (const TriangleMesh::Edge& edge : mesh.edges) {
        mesh.vertex_neighbour[next[edge.a]++] = edge.b;
        mesh.vertex_neighbour[next[edge.b]++] = edge.a;
    }
    for (int t = 0; t < count; ++t)
        for (int i = 0; i < 3; ++i) {
            TriangleMesh::Corner& corner = mesh.corner[mesh.triangles[t][i]];
            const Vector3d& x = mesh.vertices[mesh.triangles[t][i]];
            const Vector3d u = mesh.vertices[mesh.triangles[t][(i + 1) % 3]] - x,
                           v = mesh.vertices[mesh.triangles[t][(i + 2) % 3]] - x;
            corner.normal += std::atan2(u.cross(v).norm(), u.dot(v)) * mesh.normal[t];
            corner.triangle = t;
        }

    mesh.patch.assign(count, -1);
    std::vector<int> open;
    for (int seed = 0; seed < count; ++seed) {
        if (mesh.patch[seed] >= 0) continue;
        mesh.patch[seed] = mesh.patches;
        open.assign(1, seed);
        while (!open.empty()) {
            const int t = open.back();
            open.pop_back();
            for (const int e : mesh.triangle_edge[t])
                for (const int other : {mesh.edges[e].left, mesh.edges[e].right})
                    // Against the seed: a patch is flat as a whole, however finely
                    // a curved surface is divided.
                    if (other >= 0 && mesh.patch[other] < 0 &&
                        (mesh.normal[other] - mesh.normal[seed]).norm() < flat) {
                        mesh.patch[other] = mesh.patches;
                        open.push_back(other);
                    }
        }
        ++mesh.patches;
    }

    std::vector<Vector3d> centre(count);
    for (int t = 0; t < count; ++t) {
        const auto& [a, b, c] = mesh.triangles[t];
        centre[t] = (mesh.vertices[a] + mesh.vertices[b] + mesh.vertices[c]) / 3;
    }
    mesh.order.resize(count);
    std::iota(mesh.order.begin(), mesh.order.end(), 0);
    build(mesh, centre, 0, count);
    return mesh;
}

} // namespace tamis
