// Signed gap of two convex shapes, apart or overlapping: the largest separation over all directions,
//     gap = max g(n) over |n| = 1,   g(n) = min n.x_b - max n.x_a,
// with the normal from a to b where it is attained. Bullet's GJK gives it when the shapes are clearly apart.
// Otherwise GJK or EPA gives a first n, which the proximal point iteration (Rockafellar 1976)
//     n <- argmax over m of g(m) + s n.m,   s = clearance - min(g(n), 0),
// polishes: the right-hand side is the distance of a and b moved by s n, hence again GJK on a pair clearly
// apart, where its direction is exact to rounding. g never decreases; flat features end in one iteration,
// curved ones of radius r contract by about s / (r + s). EPA alone is exact on flat features only: it stops
// at 128 vertices; GJK alone has no direction at contact.
//
// Departures from plain Bullet: its tolerances are absolute (support points closer than 1e-6 are one to it),
// so pairs are measured in a's frame, from a's centre, and enlarged to a size of 1000; margins are zero; a
// sphere is its centre, a capsule its segment, and the radius is subtracted at the end. Gaps are good to
// 1e-12 of the size on flat sides, to about 1e-9 on curved ones, 1e-7 at worst; points, to 1e-9 and 1e-4.
// Known limits, on cylinders only: of pairs that overlap by more than a tenth of their size, one in about two
// thousand ends at a local maximum of g, which overstates the overlap; and of all pairs, one in about a
// hundred thousand gets points astray along a generator, from GJK's weights on a nearly flat simplex, with
// the right gap and normal.
#include "tamis/collision/bullet_adapter.hpp"

#include "tamis/base/error.hpp"

#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btConvexInternalShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <algorithm>
#include <cmath>
#include <optional>

namespace tamis {

namespace {

static_assert(sizeof(btScalar) == 8, "link the double-precision build of Bullet");

constexpr double size = 1e3;            // geometric mean of the bounding radii handed to Bullet
constexpr double clearance = size / 50; // apart beyond this, GJK's direction is exact to rounding
constexpr double tolerance = size * 1e-9;
constexpr int max_iterations = 30;

btVector3 to_bullet(const Eigen::Vector3d& x)
{
    return {x.x(), x.y(), x.z()};
}
Eigen::Vector3d from_bullet(const btVector3& x)
{
    return {x.x(), x.y(), x.z()};
}

// A hull by its support points; Bullet's own copies the vertices.
class HullShape final : public btConvexInternalShape {
  public:
    HullShape(const Hull& hull, double scale) : hull_(hull), scale_(scale)
    {
        m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
        setMargin(0);
    }
    btVector3 localGetSupportingVertexWithoutMargin(const btVector3& direction) const override
    {
        const Eigen::Vector3d n = from_bullet(direction);
        std::size_t best = 0;
        double farthest = n.dot(hull_.vertices[0]);
        for (std::size_t v = 1; v < hull_.vertices.size(); ++v)
            if (const double reach = n.dot(hull_.vertices[v]); reach > farthest) {
                farthest = reach;
                best = v;
            }
        return to_bullet(scale_ * hull_.vertices[best]);
    }
    btVector3 localGetSupportingVertex(const btVector3& direction) const override
    {
        return localGetSupportingVertexWithoutMargin(direction);
    }
    void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3* directions, btVector3* supports,
                                                           int count) const override
    {
        for (int i = 0; i < count; ++i) supports[i] = localGetSupportingVertexWithoutMargin(directions[i]);
    }
    void calculateLocalInertia(btScalar, btVector3& inertia) const override { inertia.setZero(); }
    const char* getName() const override { return "hull"; }

  private:
    const Hull& hull_;
    double scale_;
};

btSphereShape to_bullet(const Sphere&, double)
{
    return btSphereShape(0);
}
btBoxShape to_bullet(const Box& box, double scale)
{
    btBoxShape shape(to_bullet(scale * box.half));
    shape.setMargin(0);
    return shape;
}
btCylinderShapeZ to_bullet(const Cylinder& c, double scale)
{
    btCylinderShapeZ shape(btVector3(c.radius, c.radius, c.half_length) * scale);
    shape.setMargin(0);
    return shape;
}
btBoxShape to_bullet(const Capsule& c, double scale)
{
    btBoxShape shape(btVector3(0, 0, scale * c.half_length));
    shape.setMargin(0);
    return shape;
}
HullShape to_bullet(const Polyhedron& polyhedron, double scale)
{
    return HullShape(*polyhedron.hull, scale);
}
template <class Wall>
btSphereShape to_bullet(const Wall&, double)
{
    fail("A wall, a hollow shape or a mesh is not convex and bounded: collide() treats it.");
}

double rounding_radius(const Shape& shape)
{
    if (const Sphere* sphere = std::get_if<Sphere>(&shape)) return sphere->radius;
    const Capsule* capsule = std::get_if<Capsule>(&shape);
    return capsule ? capsule->radius : 0;
}

const Hull* hull_of_polyhedron(const Shape& shape)
{
    const Polyhedron* polyhedron = std::get_if<Polyhedron>(&shape);
    return polyhedron ? polyhedron->hull.get() : nullptr;
}

struct Pair {
    const btConvexShape &a, &b;
    btMatrix3x3 R; // b in the frame of a
    btVector3 d;
    const Hull *hull_a = nullptr, *hull_b = nullptr; // of polyhedra

    // g(n)
    double separation(const btVector3& n) const
    {
        const btVector3 on_a = a.localGetSupportVertexWithoutMarginNonVirtual(n);
        const btVector3 on_b = b.localGetSupportVertexWithoutMarginNonVirtual(-n * R);
        return n.dot(R * on_b + d - on_a);
    }
};

struct Closest {
    btVector3 on_a, on_b, normal; // normal from a to b
    double gap;                   // g(normal)

    // Distance between the points less the one that the normal proves: zero at the solution.
    double error() const { return normal.dot(on_b - on_a) - gap; }
};

struct PairDetectorResult : btDiscreteCollisionDetectorInterface::Result {
    const Pair& pair;
    std::optional<Closest> closest;
    explicit PairDetectorResult(const Pair& pair_) : pair(pair_) {}
    void setShapeIdentifiersA(int, int) override {}
    void setShapeIdentifiersB(int, int) override {}
    void addContactPoint(const btVector3& b_to_a, const btVector3& on_b, btScalar distance) override
    {
        if (distance > tolerance)
            closest = {on_b + b_to_a * distance, on_b, -b_to_a, pair.separation(-b_to_a)};
    }
};

// Closest points of a pair that is apart, nothing if it is not. Of Bullet's two GJKs, btGjkEpaSolver2 is the
// more precise but stops early on some polyhedra, which its error tells; btGjkPairDetector does not.
std::optional<Closest> gjk(const Pair& pair, const btVector3& guess)
{
    const btTransform frame_a = btTransform::getIdentity(), frame_b(pair.R, pair.d);
    std::optional<Closest> first;
    btGjkEpaSolver2::sResults r;
    if (btGjkEpaSolver2::Distance(&pair.a, frame_a, &pair.b, frame_b, -guess, r) && r.distance > tolerance) {
        first = {r.witnesses[0], r.witnesses[1], -r.normal, pair.separation(-r.normal)};
        if (first->error() < tolerance) return first;
    }
    btVoronoiSimplexSolver simplex;
    btGjkPairDetector detector(&pair.a, &pair.b, &simplex, nullptr);
    detector.setCachedSeparatingAxis(-guess);
    btDiscreteCollisionDetectorInterface::ClosestPointInput input;
    input.m_transformA = frame_a;
    input.m_transformB = frame_b;
    PairDetectorResult second(pair);
    detector.getClosestPoints(input, second, nullptr);
    if (!second.closest || (first && first->error() <= second.closest->error())) return first;
    return second.closest;
}

// A first normal for a pair that touches or overlaps: the best of `n`, EPA's, the separating axes of two
// boxes, the faces of polyhedra and the radial directions of cylinders. EPA fails on symmetric pairs, where a
// poor start is a saddle of g; the others alone miss the rims. If both shapes are centrally symmetric,
// n.d >= 0 at the best n.
btVector3 first_normal(const Pair& pair, btVector3 n)
{
    double best = pair.separation(n);
    const auto consider = [&](const btVector3& axis) {
        const double length = axis.length();
        if (length < 1e-6) return;
        const btVector3 m = axis / (axis.dot(pair.d) < 0 ? -length : length);
        const double g = pair.separation(m);
        if (g > best) {
            best = g;
            n = m;
        }
    };
    for (int i = 0; i < 3; ++i) {
        const btVector3 a = btMatrix3x3::getIdentity().getColumn(i), b = pair.R.getColumn(i);
        consider(a);
        consider(b);
        for (int j = 0; j < 3; ++j) consider(a.cross(pair.R.getColumn(j)));
        consider(pair.d - a * a.dot(pair.d));
        consider(pair.d - b * b.dot(pair.d));
    }
    const auto consider_exactly = [&](const btVector3& m) {
        const double g = pair.separation(m);
        if (g > best) {
            best = g;
            n = m;
        }
    };
    if (pair.hull_a)
        for (const Eigen::Vector3d& m : pair.hull_a->normal) consider_exactly(to_bullet(m));
    if (pair.hull_b)
        for (const Eigen::Vector3d& m : pair.hull_b->normal) consider_exactly(-(pair.R * to_bullet(m)));
    btGjkEpaSolver2::sResults r;
    if (btGjkEpaSolver2::Penetration(&pair.a, btTransform::getIdentity(), &pair.b,
                                     btTransform(pair.R, pair.d), n, r, false))
        pair.hull_a || pair.hull_b ? consider_exactly(-r.normal) : consider(r.normal);
    return n;
}

Closest closest(const Pair& pair)
{
    btVector3 n = pair.d.fuzzyZero() ? btVector3(1, 0, 0) : pair.d.normalized();
    if (const auto apart = gjk(pair, n)) {
        if (apart->gap > clearance && apart->error() < 1000 * tolerance) return *apart;
        n = apart->normal;
    }
    n = first_normal(pair, n);

    // GJK, if it fails, succeeds from further apart.
    Closest best{{0, 0, 0}, {0, 0, 0}, n, pair.separation(n)};
    double lift = clearance;
    for (int i = 0; i < max_iterations; ++i) {
        const btVector3 shift = best.normal * (lift - std::min(best.gap, 0.0));
        const auto moved =
            gjk({pair.a, pair.b, pair.R, pair.d + shift, pair.hull_a, pair.hull_b}, best.normal);
        const double gap = moved ? pair.separation(moved->normal) : -SIMD_INFINITY;
        if (!(gap >= best.gap - tolerance)) {
            lift *= 2;
            continue;
        }
        const double change = (moved->normal - best.normal).length() * shift.length();
        const bool stalled = gap <= best.gap && change < 100 * tolerance;
        best = {moved->on_a, moved->on_b - shift, moved->normal, gap};
        if (change < tolerance || stalled) break;
    }
    return best;
}

} // namespace

ContactPoint closest_points(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b)
{
    const double scale = size / std::sqrt(bounding_radius(a) * bounding_radius(b));
    const Eigen::Matrix3d R = pose_a.R.transpose() * pose_b.R;
    const Eigen::Vector3d d = scale * (pose_a.R.transpose() * (pose_b.p - pose_a.p));
    const auto visitor = [&](const auto& shape_a, const auto& shape_b) {
        const auto bullet_a = to_bullet(shape_a, scale);
        const auto bullet_b = to_bullet(shape_b, scale);
        const Pair pair{bullet_a,
                        bullet_b,
                        {R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)},
                        to_bullet(d),
                        hull_of_polyhedron(a),
                        hull_of_polyhedron(b)};
        return closest(pair);
    };
    const Closest found = std::visit(visitor, a, b);

    // g(n) is exact to second order in n; the points, to first order, are set apart by it.
    const double core_gap = found.gap / scale;
    const Eigen::Vector3d middle = pose_a * (from_bullet(found.on_a + found.on_b) / (2 * scale));
    const double radius_a = rounding_radius(a), radius_b = rounding_radius(b);
    ContactPoint point;
    point.normal = pose_a.R * from_bullet(found.normal);
    point.on_a = middle + (radius_a - core_gap / 2) * point.normal;
    point.on_b = middle + (core_gap / 2 - radius_b) * point.normal;
    point.gap = core_gap - radius_a - radius_b;
    point.feature = 0;
    return point;
}

} // namespace tamis
