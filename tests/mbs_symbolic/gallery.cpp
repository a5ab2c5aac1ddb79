// The gallery: every kind of joint, loop and load, in general position where nothing else is asked.
#include "mbs_symbolic/gallery.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <random>

namespace tamis::gallery {

namespace {

const Vector down_y{0, -9.81, 0}, down_z{0, 0, -9.81};

Eigen::Matrix3d turned(double angle, const Eigen::Vector3d& axis)
{
    return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

// A body in general position: no coordinate of it vanishes.
BodySpec general(const std::string& name, Body parent, const Joint& joint, int k)
{
    return {.name = name,
            .parent = parent,
            .joint = joint,
            .at = {0.3 + 0.02 * k, -0.1 + 0.03 * k, 0.2 - 0.01 * k},
            .mass = 1.5 + 0.3 * k,
            .com = {0.12, 0.05 + 0.01 * k, -0.07},
            .inertia = {0.05 + 0.002 * k, 0.07, 0.06, 0.004, -0.003, 0.002}};
}

} // namespace

Mechanism pendulum()
{
    Mechanism m(0, "pendulum");
    m.set_gravity(down_y);
    const Body rod =
        m.add({.name = "rod", .joint = hinge_z(), .mass = 2, .com = {0.5, 0, 0}, .inertia = {0, 0, 0.1}});
    m.add_frame("tip", rod, {1, 0, 0});
    return m;
}

Mechanism double_pendulum(double m1, double l1, double a1, double I1, double m2, double a2, double I2,
                          double g)
{
    Mechanism m(1, "double pendulum");
    m.set_gravity({0, -g, 0});
    const Body upper =
        m.add({.name = "upper", .joint = hinge_z(), .mass = m1, .com = {a1, 0, 0}, .inertia = {0, 0, I1}});
    const Body lower = m.add({.name = "lower",
                              .parent = upper,
                              .joint = hinge_z(),
                              .at = {l1, 0, 0},
                              .mass = m2,
                              .com = {a2, 0, 0},
                              .inertia = {0, 0, I2}});
    m.add_frame("tip", lower, {2 * a2, 0, 0});
    return m;
}

Mechanism planar_chain(int joints)
{
    Mechanism m(2, fmt::format("planar chain of {}", joints));
    m.set_gravity({0, -m.parameter("g", 9.81), 0});
    Body parent = ground;
    Vector at;
    for (int k = 1; k <= joints; ++k) {
        const Expr mass = m.parameter(fmt::format("m{}", k), 1 + 0.1 * k);
        const Expr length = m.parameter(fmt::format("l{}", k), 0.5 - 0.01 * k);
        const Expr inertia = m.parameter(fmt::format("I{}", k), 0.02 + 0.001 * k);
        parent = m.add({.name = fmt::format("link {}", k),
                        .parent = parent,
                        .joint = hinge_z(),
                        .at = at,
                        .mass = mass,
                        .com = {length / 2, 0, 0},
                        .inertia = {0, 0, inertia}});
        at = {length, 0, 0};
    }
    m.add_frame("tip", parent, at);
    return m;
}

Mechanism spatial_chain(int joints)
{
    Mechanism m(3, fmt::format("spatial chain of {}", joints));
    m.set_gravity(down_z);
    Body parent = ground;
    const Joint axes[] = {hinge_x(), hinge_y(), hinge_z()};
    for (int k = 0; k < joints; ++k)
        parent = m.add(general(fmt::format("link {}", k), parent, axes[k % 3], k));
    m.add_frame("tip", parent, {0.1, 0.2, 0.3});
    return m;
}

Mechanism arm()
{
    Mechanism m(4, "arm");
    m.set_gravity({1.2, -3.4, -9.1});
    Body parent = ground;
    for (int k = 0; k < 6; ++k) {
        BodySpec link = general(fmt::format("link {}", k), parent,
                                hinge({std::cos(2.0 * k), std::sin(3.0 * k + 1), 0.4 - 0.3 * k}), k);
        link.orientation = turned(0.4 + 0.7 * k, {1.0 + k, 0.5, -0.3 * k});
        parent = m.add(link);
    }
    m.add_frame("tool", parent, {0.1, 0.2, 0.3}, turned(0.8, {1, 2, 3}));
    return m;
}

Mechanism branched_tree()
{
    Mechanism m(5, "branched tree");
    m.set_gravity(down_z);
    const Body trunk = m.add(general("trunk", ground, hinge_z(), 0));
    const Body mast = m.add(general("mast", trunk, slide({0.3, 0.2, 1}), 1));
    const Body boom = m.add(general("boom", mast, hinge_z(), 2));
    BodySpec drum = general("drum", boom, cylindrical({1, 1, 0}), 3);
    drum.orientation = turned(0.5, {0, 1, 1});
    m.add(drum);
    const Body gimbal = m.add(general("gimbal", mast, universal({1, 0, 0}, {0, 1, 0.2}), 4));
    const Body bucket = m.add(general("bucket", gimbal, hinge_y(), 5));
    m.add(general("piston", bucket, slide_x(), 6));
    m.add(general("second trunk", ground, slide_y(), 7));
    m.add_frame("bucket tip", bucket, {0.4, 0, 0.1}, turned(1.1, {1, 0, 1}));
    m.add_frame("anchor", ground, {1, 2, 3}, turned(0.3, {0, 0, 1}));
    return m;
}

Mechanism ball_chain()
{
    Mechanism m(6, "ball chain");
    m.set_gravity(down_z);
    const Body first = m.add(general("first", ground, spherical(), 0));
    BodySpec spec = general("second", first, spherical(), 1);
    spec.orientation = turned(0.9, {1, -1, 2});
    const Body second = m.add(spec);
    m.add(general("hinged", second, hinge_y(), 2));
    m.add_frame("tip", second, {0.2, 0.1, 0.5});
    return m;
}

Mechanism free_body()
{
    Mechanism m(7, "free body");
    m.set_gravity({0.3, -0.2, -9.81});
    const Body body = m.add({.name = "body",
                             .joint = free_joint(),
                             .mass = 3,
                             .com = {0.1, -0.2, 0.05},
                             .inertia = {0.5, 0.7, 0.9, 0.02, -0.03, 0.04}});
    m.add_frame("corner", body, {0.3, 0.3, 0.3});
    return m;
}

Mechanism planar_body()
{
    Mechanism m(8, "planar body");
    m.set_gravity(down_y);
    const Body body = m.add(general("body", ground, planar_z(), 0));
    m.add(general("wheel", body, hinge_z(), 1));
    m.add(general("flap", body, planar_x(), 2));
    return m;
}

Mechanism slider_crank()
{
    Mechanism m(9, "slider-crank");
    const double l1 = 0.153, l2 = 0.306;
    const Body crank = m.add({.name = "crank",
                              .joint = hinge_z(),
                              .mass = 0.038,
                              .com = {l1 / 2, 0, 0},
                              .inertia = {0, 0, 7.5e-5}});
    const Body rod = m.add({.name = "rod",
                            .parent = crank,
                            .joint = hinge_z(),
                            .at = {l1, 0, 0},
                            .mass = 0.038,
                            .com = {l2 / 2, 0, 0},
                            .inertia = {0, 0, 5.9e-4}});
    const Body slider = m.add({.name = "slider",
                               .parent = rod,
                               .joint = hinge_z(),
                               .at = {l2, 0, 0},
                               .mass = 0.076,
                               .inertia = {0, 0, 2.7e-6}});
    m.add_frame("corner", slider, {0.05, 0.025, 0});
    return m;
}

Mechanism slider_crank_cut()
{
    Mechanism m(10, "cut slider-crank");
    m.set_gravity(down_y);
    const double l1 = 0.153, l2 = 0.306;
    const Body crank = m.add({.name = "crank",
                              .joint = hinge_z(),
                              .mass = 0.038,
                              .com = {l1 / 2, 0, 0},
                              .inertia = {0, 0, 7.5e-5}});
    const Body rod = m.add({.name = "rod",
                            .parent = crank,
                            .joint = hinge_z(),
                            .at = {l1, 0, 0},
                            .mass = 0.038,
                            .com = {l2 / 2, 0, 0},
                            .inertia = {0, 0, 5.9e-4}});
    const Body slider =
        m.add({.name = "slider", .joint = planar_z(), .mass = 0.076, .inertia = {0, 0, 2.7e-6}});
    m.close(
        {.name = "wrist pin", .kind = LoopKind::point_plane, .a = rod, .point_a = {l2, 0, 0}, .b = slider});
    return m;
}

Mechanism four_bar()
{
    Mechanism m(11, "four-bar");
    m.set_gravity(down_z);
    const Body crank = m.add(general("crank", ground, hinge_z(), 0));
    const Body coupler = m.add(general("coupler", crank, hinge({0.1, 0.3, 1}), 1));
    const Body rocker = m.add(general("rocker", ground, hinge({0.2, -0.1, 1}), 2));
    m.close({.name = "pin",
             .kind = LoopKind::hinge,
             .a = coupler,
             .point_a = {0.5, 0.1, 0.2},
             .b = rocker,
             .point_b = {0.4, 0.2, -0.1},
             .axis = {0.1, 0.2, 1},
             .axis_b = {-0.1, 0.3, 1}});
    return m;
}

Mechanism rod_loop()
{
    Mechanism m(12, "rod loop");
    m.set_gravity(down_z);
    const Expr length = m.parameter("length", 0.8);
    const Body trunk = m.add(general("trunk", ground, hinge_x(), 0));
    const Body left = m.add(general("left", trunk, universal({0, 1, 0}, {0, 0, 1}), 1));
    const Body right = m.add(general("right", trunk, spherical(), 2));
    m.close({.name = "strut",
             .kind = LoopKind::rod,
             .a = left,
             .point_a = {0.2, 0.1, 0.3},
             .b = right,
             .point_b = {-0.1, 0.2, 0.2},
             .length = length});
    m.close({.name = "stay",
             .kind = LoopKind::rod,
             .a = right,
             .b = ground,
             .point_b = {1, 1, 1},
             .length = 1.3});
    return m;
}

Mechanism ball_loop()
{
    Mechanism m(13, "ball loop");
    m.set_gravity(down_z);
    const Body left = m.add(general("left", ground, universal({1, 0, 0}, {0, 1, 0}), 0));
    const Body right = m.add(general("right", ground, free_joint(), 1));
    m.close({.name = "ball", .a = left, .point_a = {0.4, 0.1, 0.2}, .b = right, .point_b = {0.1, 0.3, 0.2}});
    m.close({.name = "anchor", .a = ground, .point_a = {1, 0, 0.5}, .b = right, .point_b = {-0.2, 0.1, 0}});
    return m;
}

Mechanism tamping_machine()
{
    Mechanism m(14, "tamping machine");
    m.set_gravity(down_z);
    const Body support = m.add({.name = "support", .joint = slide_z(), .mass = 800, .inertia = {50, 60, 70}});
    const Body chassis = m.add({.name = "chassis",
                                .parent = support,
                                .joint = planar_y(),
                                .at = {0, 0, -0.5},
                                .mass = 350,
                                .com = {0.05, 0, -0.1},
                                .inertia = {20, 25, 15}});
    const Body flywheel = m.add({.name = "flywheel",
                                 .parent = chassis,
                                 .joint = hinge_y(),
                                 .at = {0, 0, 0.1},
                                 .mass = 20,
                                 .com = {0.005, 0, 0},
                                 .inertia = {0.1, 0.2, 0.1}});
    const Body arm1 = m.add({.name = "arm1",
                             .parent = chassis,
                             .joint = hinge_y(),
                             .at = {-0.25, 0, -0.2},
                             .mass = 60,
                             .com = {0.02, 0, -0.3},
                             .inertia = {3, 3, 0.2}});
    const Body arm2 = m.add({.name = "arm2",
                             .parent = chassis,
                             .joint = hinge_y(),
                             .at = {0.25, 0, -0.2},
                             .mass = 60,
                             .com = {-0.02, 0, -0.3},
                             .inertia = {3, 3, 0.2}});
    const Body barrel = m.add({.name = "barrel",
                               .parent = arm1,
                               .joint = hinge_y(),
                               .at = {0.03, 0, 0.3},
                               .mass = 12,
                               .com = {0.1, 0, 0},
                               .inertia = {0.01, 0.1, 0.1}});
    const Body piston = m.add({.name = "piston",
                               .parent = barrel,
                               .joint = slide_x(),
                               .at = {0.2, 0, 0},
                               .mass = 5,
                               .com = {0.05, 0, 0},
                               .inertia = {0.005, 0.05, 0.05}});
    const Body connecting_rod = m.add({.name = "connecting rod",
                                       .parent = arm1,
                                       .joint = hinge_y(),
                                       .at = {0.04, 0, 0.1},
                                       .mass = 8,
                                       .com = {0.2, 0, 0},
                                       .inertia = {0.01, 0.1, 0.1}});
    const Eigen::Vector3d y{0, 1, 0};
    m.close({.name = "actuator",
             .kind = LoopKind::point_plane,
             .a = piston,
             .point_a = {0.24, 0, 0},
             .b = arm2,
             .point_b = {-0.03, 0, 0.3},
             .axis = y});
    m.close({.name = "connection",
             .kind = LoopKind::point_plane,
             .a = connecting_rod,
             .point_a = {0.42, 0, 0},
             .b = arm2,
             .point_b = {-0.04, 0, 0.1},
             .axis = y});
    m.add_frame("tine 1", arm1, {0, 0, -0.7});
    m.add_frame("tine 2", arm2, {0, 0, -0.7});
    m.add_frame("rim", flywheel, {0.2, 0, 0});
    return m;
}

Mechanism loaded_tree()
{
    Mechanism m = branched_tree();
    m.add_wrench(m.add_frame("hook", m.body("bucket"), {0.2, -0.1, 0.3}, turned(0.4, {1, 1, 1})));
    m.add_wrench(m.add_frame("rim", m.body("drum"), {0.1, 0.1, 0.2}));
    m.add_wrench(m.add_frame("floor", ground, {0.5, 0.5, 0}));
    return m;
}

Mechanism welded()
{
    Mechanism m(15, "welded");
    m.set_gravity(down_z);
    BodySpec base = general("base", ground, fixed_joint(), 0);
    base.orientation = turned(0.6, {1, 2, 0});
    const Body arm1 = m.add(general("arm", m.add(base), hinge_y(), 1));
    BodySpec plate = general("plate", arm1, fixed_joint(), 2);
    plate.orientation = turned(-0.8, {0, 1, 0});
    m.add(general("flap", m.add(plate), hinge_y(), 3));
    return m;
}

std::vector<Mechanism> all()
{
    return {pendulum(),
            double_pendulum(1.2, 0.8, 0.3, 0.05, 0.9, 0.25, 0.03, 9.81),
            planar_chain(5),
            spatial_chain(6),
            arm(),
            branched_tree(),
            ball_chain(),
            free_body(),
            planar_body(),
            slider_crank(),
            slider_crank_cut(),
            four_bar(),
            rod_loop(),
            ball_loop(),
            tamping_machine(),
            loaded_tree(),
            welded()};
}

Sample random_sample(const Mechanism& m, unsigned seed)
{
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    auto fill = [&](int n, double scale) {
        Eigen::VectorXd x(n);
        for (double& e : x) e = scale * uniform(generator);
        return x;
    };
    Sample x{fill(m.nq(), 3), fill(m.nv(), 2), fill(6 * m.wrenches(), 50)};
    for (const Mechanism::Link& l : m.links())
        if (l.joint.kind == ElementaryJoint::spherical) x.q.segment<4>(l.q).normalize();
    return x;
}

Eigen::VectorXd moved(const Mechanism& m, const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t)
{
    Eigen::VectorXd out = q;
    for (const Mechanism::Link& l : m.links()) {
        if (l.joint.kind != ElementaryJoint::spherical) {
            if (l.nv() == 1) out[l.q] += v[l.v] * t;
            continue;
        }
        const Eigen::Vector3d turn = v.segment<3>(l.v) * t;
        const double angle = turn.norm();
        if (angle == 0) continue;
        const Eigen::Quaterniond r = Eigen::Quaterniond(q[l.q], q[l.q + 1], q[l.q + 2], q[l.q + 3]) *
                                     Eigen::Quaterniond(Eigen::AngleAxisd(angle, turn / angle));
        out.segment<4>(l.q) << r.w(), r.x(), r.y(), r.z();
    }
    return out;
}

} // namespace tamis::gallery
