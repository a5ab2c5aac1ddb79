// Surfaces of triangles: which triangles, edges and vertices meet, and a tree of boxes to find them.
#pragma once

#include "tamis/collision/broadphase.hpp"

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

namespace tamis {

// Of any form, open or closed; the free side is the one that the normals point to (counter-clockwise seen
// from there). Immutable once made; shared by all shapes that use it.
struct TriangleMesh {
    std::vector<Eigen::Vector3d> vertices;
    std::vector<std::array<int, 3>> triangles;

    // Made by make_mesh from the two above.
    std::vector<Eigen::Vector3d> normal; // of triangles, unit
    std::vector<int> patch;              // of triangles: neighbours in one plane share the number
    int patches = 0;
    // Edge a -> b runs counter-clockwise around `left`; `right` is -1 at the rim of an open surface.
    struct Edge {
        int a, b;
        int left, right;
        bool sharp; // the rim, or convex: not between triangles in a plane or in a valley
    };
    std::vector<Edge> edges;
    std::vector<std::array<int, 3>> triangle_edge; // edge i joins corners i and i + 1
    // Vertices joined to vertex v by an edge: vertex_neighbour[vertex_start[v]] ..
    std::vector<int> vertex_start, vertex_neighbour;
    struct Corner {
        Eigen::Vector3d normal; // mean of the triangles around, weighted by their angles
        bool sharp;             // where sharp edges end
        bool rim;
        int triangle; // one of those around
    };
    std::vector<Corner> corner; // of vertices
    // Boxes in depth-first order: the first child follows its parent, the second is number `second`; a leaf
    // has second = 0 and the triangles order[begin] .. order[end - 1].
    struct Node {
        Bounds box;
        int begin, end, second;
    };
    std::vector<Node> nodes;
    std::vector<int> order;
};

// Triangles without area are left out. Throws Error, with `name` as the culprit, for a vertex that is not
// finite, a triangle that names a vertex that is not there, or no triangle at all.
TriangleMesh make_mesh(std::vector<Eigen::Vector3d> vertices,
                       const std::vector<std::array<int, 3>>& triangles, const std::string& name = "mesh");

// Calls visit(t) for the triangles whose boxes meet the box, in an order that depends on the mesh alone.
template <class Visit>
void for_each_triangle(const TriangleMesh& mesh, const Eigen::Vector3d& low, const Eigen::Vector3d& high,
                       Visit&& visit)
{
    const auto apart = [&](const Bounds& box) {
        return (box.low.array() > high.array()).any() || (box.high.array() < low.array()).any();
    };
    int stack[64], depth = 0; // splits halve the triangles: depth <= 32
    if (!mesh.nodes.empty()) stack[depth++] = 0;
    while (depth > 0) {
        const int n = stack[--depth];
        const TriangleMesh::Node& node = mesh.nodes[n];
        if (apart(node.box)) continue;
        if (node.second == 0) {
            for (int i = node.begin; i < node.end; ++i) {
                const auto& [a, b, c] = mesh.triangles[mesh.order[i]];
                const Eigen::Vector3d &x = mesh.vertices[a], &y = mesh.vertices[b], &z = mesh.vertices[c];
                if (!apart({x.cwiseMin(y).cwiseMin(z), x.cwiseMax(y).cwiseMax(z)})) visit(mesh.order[i]);
            }
        } else {
            stack[depth++] = node.second;
            stack[depth++] = n + 1;
        }
    }
}

} // namespace tamis
