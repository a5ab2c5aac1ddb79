// What goes beyond a cut, what stays, and what cannot be cut.
#include "tamis/cosim/split.hpp"
#include "tamis/model/description.hpp"

#include "cosim/cut_scenes.hpp"
#include "error_of.hpp"

#include <gtest/gtest.h>

namespace split_test {

using namespace tamis;
using namespace tamis::scenes;
using Eigen::Vector3d;

namespace {

// A wagon on a spring, a bucket that hangs on it, two balls, and shapes of all sorts in between.
struct Wagon {
    ModelDescription model{"wagon"};
    Body wagon, bucket;
    MaterialId steel, stone;
    ShapeId floor, bottom;
    GrainId ball, pair;

    explicit Wagon(bool bumper = false)
    {
        wagon = model.add({.name = "wagon", .joint = slide_x(), .mass = 1, .inertia = {1, 1, 1}});
        bucket = model.add({.name = "bucket",
                            .parent = wagon,
                            .joint = hinge_z(),
                            .at = {0.5, 0, 0},
                            .mass = 1,
                            .inertia = {1, 1, 1}});
        steel = model.add(Material{.friction = 0.2});
        stone = model.add(Material{.friction = 0.5});
        model.contact(steel, stone, Material{.friction = 0.9});
        model.show(wagon, box(1, 1, 1), {}, "body");
        ball = model.grain({.name = "ball",
                            .shape = sphere(0.1),
                            .material = stone,
                            .density = 1000,
                            .at = {.p = {0, 2, 0}},
                            .velocity = {1, 2, 3}});
        floor = model.attach(ground, wall({0, 1, 0}, -3), steel, {}, "floor");
        pair = model.grain({.name = "pair",
                            .parts = {{sphere(0.1), {.p = {-0.1, 0, 0}}}, {sphere(0.1), {.p = {0.1, 0, 0}}}},
                            .material = stone,
                            .density = 1000,
                            .at = {.p = {0, 3, 0}},
                            .group = 2,
                            .mask = 1});
        bottom = model.attach(bucket, box(1, 0.1, 1), steel, {.p = {0, -0.5, 0}}, "bottom");
        model.ignore(floor, bottom);
        if (bumper) model.attach(wagon, sphere(0.1), steel, {}, "bumper");
        model.finish();
    }
};

std::string refusal(const Model& model, const Cut& cut)
{
    const CoupledView view(model);
    return error_of([&] { split(model, cut, view); });
}

} // namespace

TEST(Split, ShapesAndGrainsKeepTheirNumbersAndValues)
{
    Wagon w;
    const Model& whole = w.model.finish();
    for (const CutKind kind : {CutKind::joint, CutKind::contacts}) {
        const CoupledView view(whole);
        const Split s = split(whole, {w.bucket, kind}, view);
        const Model& part = *s.nonsmooth;
        ASSERT_EQ(part.shapes().size(), whole.shapes().size());
        for (std::size_t k = 0; k < part.shapes().size(); ++k) {
            const AttachedShape &a = part.shapes()[k], &b = whole.shapes()[k];
            EXPECT_EQ(a.material, b.material) << k;
            EXPECT_LT((a.at.p - b.at.p).norm(), 1e-15) << k;
            const int g = whole.grain_of(b.body);
            EXPECT_EQ(std::max(part.grain_of(a.body), -1), std::max(g, -1)) << k;
            EXPECT_EQ(part.filter().group[k], whole.filter().group[k]);
            EXPECT_EQ(part.filter().mask[k], whole.filter().mask[k]);
        }
        ASSERT_EQ(part.grains().size(), 2u);
        EXPECT_EQ(part.grains()[0].velocity, Vector3d(1, 2, 3));
        EXPECT_DOUBLE_EQ(part.grains()[1].mass, whole.grains()[1].mass);
        EXPECT_EQ(part.pair(w.steel.index, w.stone.index).friction, 0.9);
        EXPECT_FALSE(part.filter()(w.floor.index, w.bottom.index)); // ignored
        EXPECT_EQ(s.number, (std::vector<int>{-1, 0}));
        EXPECT_EQ(s.away.size(), kind == CutKind::joint ? 1u : 0u);
        EXPECT_EQ(s.carrier, kind == CutKind::joint ? 0 : 1);
        EXPECT_EQ(s.marker.p, kind == CutKind::joint ? Vector3d(0.5, 0, 0) : Vector3d(0, 0, 0));
    }
}

TEST(Split, LoopsGoWhereTheirBodiesAre)
{
    Linkage l;
    const CoupledView view(l.model.finish());
    const Split s = split(l.model.finish(), {l.frame}, view);
    EXPECT_EQ(s.number, (std::vector<int>{-1, -1, -1, 0, 1, 2}));
    ASSERT_EQ(s.nonsmooth->mechanisms().size(), 1u);
    ASSERT_EQ(s.nonsmooth->mechanisms()[0].loops().size(), 1u);
    EXPECT_EQ(s.nonsmooth->mechanisms()[0].loops()[0].name, "rod");
}

// Both sides are assembled by themselves and stand where the whole does.
TEST(Split, SidesStandWhereTheWholeStands)
{
    Linkage l;
    Chain c;
    for (const auto& [model, cut] :
         {std::pair{&l.model.finish(), l.frame}, {&c.model.finish(), c.arm}, {&c.model.finish(), c.tip}}) {
        const Coupled coupled(*model, {cut}, {});
        const MoreauJean whole(*model, {});
        EXPECT_LT(largest_distance(coupled.view(), whole.view()), 1e-11);
        for (std::size_t b = 0; b < model->bodies().size(); ++b) {
            const BodyMotion &x = coupled.view().motion(static_cast<int>(b)),
                             &y = whole.view().motion(static_cast<int>(b));
            EXPECT_LT((x.velocity - y.velocity).norm() + (x.angular_velocity - y.angular_velocity).norm(),
                      1e-10)
                << model->bodies()[b].name;
        }
        EXPECT_NEAR(coupled.view().energy(), whole.view().energy(), 1e-10);
    }
}

TEST(Split, WhatTiesBothSidesIsRefusedByName)
{
    Linkage l;
    EXPECT_EQ(refusal(l.model.finish(), {l.coupler}),
              "Loop 'rocker on the ground' ties both sides of the cut at body 'coupler': cut the model "
              "elsewhere.");
    EXPECT_EQ(refusal(l.model.finish(), {l.left}),
              "Loop 'rod' ties both sides of the cut at body 'left': cut the model elsewhere.");
    EXPECT_EQ(refusal(l.model.finish(), {ground}),
              "The ground was to be cut off: name the body that hangs on the cut.");

    Wagon w(true);
    EXPECT_EQ(refusal(w.model.finish(), {w.bucket}),
              "Shape 'bumper' is on body 'wagon', which the smooth side of the cut moves and which may touch "
              "nothing: cut the model nearer to the ground, or only show the shape.");
    EXPECT_EQ(
        error_of([&] { Coupled(w.model.finish(), {w.wagon}, {}); }),
        "The cut of model 'wagon' is at a joint on the ground: nothing is left for the smooth side; cut "
        "at a body that hangs on another one.");

    const auto two_bodies = [](const std::function<void(ModelDescription&, Body, Body)>& with) {
        ModelDescription model("two");
        const Body first = add_link(model, "first", ground, hinge_z(), {0, 0, 0});
        const Body second = add_link(model, "second", first, hinge_z(), {0.3, 0, 0});
        with(model, first, second);
        model.finish();
        return refusal(model.finish(), {second});
    };
    EXPECT_EQ(
        two_bodies([](ModelDescription& m, Body a, Body b) {
            m.spring(m.frame("one", a, {0, 0.1, 0}), m.frame("other", b, {0, 0.1, 0}), {.stiffness = 1});
        }),
        "A spring between bodies 'first' and 'second' ties both sides of the cut: cut the model elsewhere.");
    EXPECT_EQ(two_bodies([](ModelDescription& m, Body a, Body b) {
                  m.independent({m.coordinate(a), m.coordinate(b)});
              }),
              "Independent coordinates are named for the mechanism that is cut: they lose their sense on its "
              "parts, leave them to be chosen.");
    EXPECT_EQ(two_bodies([](ModelDescription&, Body, Body) {}), "");
}

} // namespace split_test
