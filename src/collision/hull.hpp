// Convex hulls: the faces, edges and mass properties of convex polyhedra, in the hull's own frame.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace tamis {

// Immutable once made; shared by all shapes that use it. Coplanar triangles are merged: a cube has six faces.
struct Hull {
    std::vector<Eigen::Vector3d> vertices; // only those on the hull
    // Faces: polygon f has the vertices face_vertex[face_start[f]] .. face_vertex[face_start[f + 1] - 1],
    // counter-clockwise seen from outside, and lies in the plane normal[f] . x = offset[f].
    std::vector<int> face_start{0}, face_vertex;
    std::vector<Eigen::Vector3d> normal; // unit, outward
    std::vector<double> offset;
    // Edge a -> b runs counter-clockwise around `left`, clockwise around `right`.
    struct Edge {
        int a, b;
        int left, right; // faces
    };
    std::vector<Edge> edges;
    // Edges that meet at vertex v: vertex_edge[vertex_start[v]] .. ; and the vertices at their other ends.
    std::vector<int> vertex_start{0}, vertex_edge, vertex_neighbour;
    // The vertices by four, x x x x y y y y z z z z, for processors that take so many at once; the last four
    // are filled up with the first vertex.
    std::vector<double> quads;

    double radius = 0; // of the smallest ball around the origin that contains the hull

    void arrange_quads(); // after the vertices have been set
    int faces() const { return static_cast<int>(normal.size()); }
};

// The hull of at least four points that do not lie in a plane; others throw Error, with `name` as the
// culprit, and so do needles whose moments of inertia are lost to rounding. Points inside, and points closer
// to the hull than 1e-9 of its size, are left out. Deterministic; tolerances are relative to the size of the
// point set.
Hull make_hull(const std::vector<Eigen::Vector3d>& points, const std::string& name = "polyhedron");

// Of a solid of density one.
struct MassProperties {
    double volume = 0;
    Eigen::Vector3d com{0, 0, 0};
    Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero(); // about the centre of mass, axes of the shape
};
MassProperties mass_properties(const Hull& hull);

} // namespace tamis
