// Every method can be chosen for every model, says what it lacks, and goes on from a checkpoint to the same bits.
#include "cosim/cut_scenes.hpp"
#include "error_of.hpp"
#include "io/scratch.hpp"
#include "model/scenes.hpp"
#include "tamis/absolute/absolute.hpp"
#include "tamis/absolute/generalized_alpha.hpp"
#include "tamis/app/script.hpp"
#include "tamis/cosim/coupled.hpp"
#include "tamis/dem/dem.hpp"
#include "tamis/io/checkpoint.hpp"
#include "tamis/model/description.hpp"
#include "tamis/smooth/smooth.hpp"

#include <gtest/gtest.h>

namespace tamis::test::every_method_test {

namespace {

// A pendulum of two arms with springs of all kinds and a controller that counts turns; no contacts.
struct Arms {
    ModelDescription model{"arms"};
    Body upper, lower;

    explicit Arms(double lower_mass = 1)
    {
        model.gravity({0, -scenes::gravity, 0});
        const Inertia inertia(0.02, 0.02, 0.02);
        upper = model.add(
            {.name = "upper", .joint = hinge_z(), .mass = 1, .com = {0.5, 0, 0}, .inertia = inertia});
        const double I = 0.02 * lower_mass;
        lower = model.add({.name = "lower",
                           .parent = upper,
                           .joint = hinge_z(),
                           .at = {1, 0, 0},
                           .mass = lower_mass,
                           .com = {0.5, 0, 0},
                           .inertia = {I, I, I}});
        model.spring(model.coordinate(lower), {.stiffness = 3, .damping = 0.1});
        model.spring(model.frame("tip", lower, {1, 0, 0}), model.frame("post", ground, {0, 1, 0}),
                     {.stiffness = 5, .rest = 0.5});
        model.start(upper, 0.1, 12); // over the top, and round
        model.start(lower, 0.3, -2);
        model.finish();
    }
};

// Balls in a container, as a program of their own.
struct Balls : Script {
    explicit Balls(const std::vector<std::string>& arguments)
        : Script("balls", "Balls that fall into a container", arguments)
    {
    }
    void define() override { scenes::add_container(model); }
};

// Saves in the middle of a run, reads the file, goes on in a new stepper.
template <class Make>
void expect_resumes(const std::string& name, const Make& make, int before, int after)
{
    SCOPED_TRACE(name);
    ScratchFolder folder;
    const std::unique_ptr<Stepper> whole = make(), resumed = make();
    for (int n = 0; n < before; ++n) whole->step();
    Checkpoint c;
    c.model = name;
    c.state = whole->save();
    EXPECT_EQ(c.state.step, before);
    write_checkpoint(folder / "", c);
    resumed->restore(read_latest(folder / "", name).checkpoint.state);
    EXPECT_EQ(resumed->state_hash(), whole->state_hash());
    EXPECT_EQ(resumed->view().time(), whole->view().time());
    for (int n = 0; n < after; ++n) {
        const StepReport a = whole->step(), b = resumed->step();
        ASSERT_EQ(resumed->state_hash(), whole->state_hash()) << n;
        ASSERT_EQ(a.sweeps, b.sweeps) << n; // warm starts are part of the state
    }
    EXPECT_EQ(resumed->view().energy(), whole->view().energy());
    for (const Mechanism& m : whole->view().model().mechanisms())
        for (int k = 0; k < m.nv(); ++k)
            if (m.nq() == m.nv()) { // (full turns are counted on)
                EXPECT_EQ(resumed->view().q({m.number(), k}), whole->view().q({m.number(), k}));
            }
}

} // namespace

TEST(EveryMethod, ResumesToTheSameBitsWithContacts)
{
    ModelDescription model("slider_crank");
    scenes::slider_crank(model);
    expect_resumes(
        "relative",
        [&] { return std::make_unique<MoreauJean>(model.finish(), MoreauJeanOptions{.h = 1e-5}); }, 1500,
        1500);
    expect_resumes(
        "absolute", [&] { return std::make_unique<Absolute>(model.finish(), AbsoluteOptions{.h = 1e-5}); },
        700, 700);
    expect_resumes(
        "generalized-alpha",
        [&] {
            return std::make_unique<GeneralizedAlpha>(model.finish(), GeneralizedAlphaOptions{.h = 2e-5});
        },
        500, 500);
}

TEST(EveryMethod, ResumesToTheSameBitsWithoutContacts)
{
    Arms arms;
    expect_resumes(
        "smooth", [&] { return std::make_unique<Smooth>(arms.model.finish(), SmoothOptions{.h = 1e-3}); },
        900, 300);
    expect_resumes(
        "absolute",
        [&] { return std::make_unique<Absolute>(arms.model.finish(), AbsoluteOptions{.h = 1e-3}); }, 900,
        300);
    expect_resumes(
        "generalized-alpha",
        [&] {
            return std::make_unique<GeneralizedAlpha>(arms.model.finish(),
                                                      GeneralizedAlphaOptions{.h = 1e-3});
        },
        900, 300);
}

// Also of a mechanism that is made anew by the cut: its equations are none of the whole model's. In an empty cache, as
// when a mechanism depends on a packing.
TEST(EveryMethod, CompilesItsEquations)
{
    ScratchFolder cache;
    const char* const before = std::getenv("TAMIS_CACHE");
    const std::string restored = before ? before : "";
    setenv("TAMIS_CACHE", (cache / "").c_str(), 1);
    Arms arms;
    const Model& whole = arms.model.finish();
    const auto equations = [](const Stepper& stepper) {
        return std::get<std::string>(stepper.facts().at("equations"));
    };
    EXPECT_EQ(equations(MoreauJean(whole, {.h = 1e-3})), "compiled");
    EXPECT_EQ(equations(Coupled(whole, Cut{arms.lower}, {})), "compiled");
    before ? setenv("TAMIS_CACHE", restored.c_str(), 1) : unsetenv("TAMIS_CACHE");
}

TEST(EveryMethod, CouplingsResumeToTheSameBits)
{
    Arms arms(0.02); // light beyond the cut: explicit couplings are stable
    const Cut cut{arms.lower};
    for (const auto scheme :
         {CouplingScheme::tight, CouplingScheme::loose, CouplingScheme::original, CouplingScheme::modified})
        for (const Sweep sweep : {Sweep::gauss_seidel, Sweep::jacobi})
            for (const int substeps : {1, 2}) {
                CoupledOptions options;
                options.H = 1e-4;
                options.scheme = scheme;
                options.sweep = sweep;
                options.extrapolation = 1;
                options.smooth_substeps = options.nonsmooth_substeps = substeps;
                options.repeat = Repetition::quasi_newton;
                expect_resumes(
                    "coupling " + std::to_string(static_cast<int>(scheme)),
                    [&] { return std::make_unique<Coupled>(arms.model.finish(), cut, options); }, 60, 60);
            }
}

TEST(EveryMethod, ResumesToTheSameBitsWithBalls)
{
    scenes::Container c;
    const Model& model = c.model.finish();
    expect_resumes(
        "dem", [&] { return std::make_unique<Dem>(model, DemOptions{.h = hart_step(model)}); }, 400, 400);
    for (const auto scheme : {CouplingScheme::tight, CouplingScheme::loose})
        for (const bool springs : {false, true}) {
            CoupledOptions options{.H = 2e-4, .scheme = scheme, .nonsmooth_substeps = springs ? 0 : 1};
            options.nonsmooth.contacts = {.tolerance = 1e-8, .threads = 1};
            if (springs) options.dem = DemOptions{};
            expect_resumes(
                "cut at contacts, coupling " + std::to_string(static_cast<int>(scheme)),
                [&] {
                    return std::make_unique<Coupled>(model, Cut{c.body, CutKind::contacts}, options);
                },
                300, 200);
        }
}

TEST(EveryMethod, ContactForceIsFiniteAndCarriesTheWeight)
{
    ModelDescription model("block");
    model.gravity({0, -10, 0});
    const Body block = model.add({.name = "block", .joint = slide_y(), .mass = 2, .inertia = {1, 1, 1}});
    const MaterialId stone = model.add(Material{});
    model.attach(block, box(0.1, 0.1, 0.1), stone);
    model.attach(ground, wall({0, 1, 0}, -0.05), stone);
    const auto force = [&](Stepper&& stepper) {
        for (int n = 0; n < 200; ++n) stepper.step();
        return stepper.view().contact_force(block).force[1];
    };
    EXPECT_NEAR(force(MoreauJean(model.finish(), {.h = 1e-4})), 20, 1e-6);
    EXPECT_NEAR(force(Absolute(model.finish(), {.h = 1e-4})), 20, 1e-6);
    EXPECT_NEAR(force(GeneralizedAlpha(model.finish(), {.h = 1e-4})), 20, 0.2);
}

// A block that falls on the ground and slides along it until it stands.
TEST(EveryMethod, ContactsTakeWhatTheMotionLoses)
{
    ModelDescription model("block");
    model.gravity({0, -10, 0});
    const Body block = model.add({.name = "block", .joint = planar_z(), .mass = 2, .inertia = {1, 1, 1}});
    const MaterialId stone = model.add(Material{.friction = 0.5});
    model.attach(block, box(0.1, 0.1, 0.1), stone);
    model.attach(ground, wall({0, 1, 0}, -0.05), stone);
    model.start(block, 0, 1, 0);
    model.start(block, 0.01, 0, 1);
    const auto lost = [&](Stepper&& stepper) {
        const double before = stepper.view().energy();
        for (int n = 0; n < 4000; ++n) stepper.step();
        EXPECT_LT(stepper.view().kinetic_energy(), 1e-6 * before);
        EXPECT_NEAR(stepper.view().dissipated().sum(), before - stepper.view().energy(), 0.02 * before);
        return stepper.view().dissipated();
    };
    for (const Dissipation& d :
         {lost(MoreauJean(model.finish(), {.h = 1e-4})), lost(Absolute(model.finish(), {.h = 1e-4})),
          lost(GeneralizedAlpha(model.finish(), {.h = 1e-4}))}) {
        EXPECT_NEAR(d.normal, 2 * 10 * 0.01, 0.02); // the fall; the impulse of the landing brakes, too
        EXPECT_NEAR(d.friction, 1, 0.02);
        EXPECT_EQ(d.rolling, 0);
    }
}

// Of the model `workshop` (resume_test.cpp); the method dem is for balls.
TEST(EveryMethod, IsAnOptionOfTheRun)
{
    for (const char* name : {"moreau-jean", "absolute", "generalized-alpha", "smooth"}) {
        std::vector<std::string> options{"--way", "absolute", "--method", name, "--no-output"};
        if (name == std::string("smooth")) options.push_back("--shown"); // nothing touches
        const auto script = make_script("workshop", options);
        script->prepare();
        EXPECT_EQ(method_names[static_cast<int>(script->method())], std::string(name));
        const auto stepper = script->make_stepper();
        stepper->step();
    }
    Balls balls({"--method", "dem", "--no-output"});
    balls.prepare();
    EXPECT_EQ(balls.method(), Method::dem);
    balls.make_stepper()->step();
    EXPECT_TRUE(contains(error_of([] {
                             make_script("workshop", {"--method", "magic"})->prepare();
                         }),
                         "--method"));
}

TEST(EveryMethod, SaysWhichPartItLacks)
{
    ModelDescription model("grains");
    const MaterialId stone = model.add(Material{.rolling = 1e-3});
    model.attach(model.add({.name = "body", .joint = slide_x(), .mass = 1, .inertia = {1, 1, 1}}),
                 sphere(0.1), stone);
    model.attach(ground, wall({1, 0, 0}, -1), stone);
    const auto lacks = [&](const Model& m, const char* what) {
        for (const std::string& error :
             {error_of([&] { Absolute(m, {}); }), error_of([&] { GeneralizedAlpha(m, {}); })})
            EXPECT_TRUE(contains(error, what)) << error;
    };
    model.finish();
    lacks(model.finish(), "rolling resistance");
    ModelDescription counter("counter");
    counter.add({.name = "body", .joint = slide_x(), .mass = 1, .inertia = {1, 1, 1}});
    counter.memory("turns", 0, [](const View&, double now) { return now + 1; });
    lacks(counter.finish(), "'turns'");
    EXPECT_TRUE(contains(error_of([&] { Smooth(counter.finish(), {}); }), "'turns'"));
    ModelDescription bed("bed");
    bed.grain({.shape = sphere(0.1), .material = bed.add(Material{}), .density = 1000});
    bed.finish();
    lacks(bed.finish(), "no grains");
}

// A mass on a spring with omega h = 2.1, which is unstable unless it is implicit.
TEST(EveryMethod, StiffImplicitForceIsSteppedOrRefusedByName)
{
    const double h = 1e-3, k = 2.1 * 2.1 / (h * h), start = 0.1;
    const auto mass_with = [&](const std::function<void(ModelDescription&, Body)>& add) {
        auto model = std::make_unique<ModelDescription>("oscillator");
        const Body mass = model->add({.name = "mass", .joint = slide_x(), .mass = 1, .inertia = {1, 1, 1}});
        add(*model, mass);
        model->start(mass, start, 0);
        return model;
    };
    const auto in_joint = mass_with([&](ModelDescription& model, Body mass) {
        model.spring(model.coordinate(mass), {.stiffness = k, .treatment = ForceTreatment::implicit});
    });
    const auto between_points = mass_with([&](ModelDescription& model, Body mass) {
        model.spring(model.frame("eye", mass), model.frame("hook", ground, {-1, 0, 0}),
                     {.stiffness = k, .rest = 1, .treatment = ForceTreatment::implicit});
    });
    const auto law = mass_with([&](ModelDescription& model, Body mass) {
        const Coordinate x = model.coordinate(mass);
        model.force(
            x, [=](const View& s) { return -k * s.q(x); }, ForceTreatment::implicit);
    });
    for (const auto& [model, name] : {std::pair{in_joint.get(), "the spring in the joint 'mass'"},
                                      {between_points.get(), "the spring between 'eye' and 'hook'"},
                                      {law.get(), "the force on 'mass'"}}) {
        const Model& m = model->finish();
        for (const std::string& error :
             {error_of([&] { Absolute(m, {.h = h}); }), error_of([&] { GeneralizedAlpha(m, {.h = h}); })}) {
            EXPECT_TRUE(contains(error, name)) << error;
            EXPECT_TRUE(contains(error, "run the model by the Moreau-Jean scheme")) << error;
        }
        MoreauJean run(m, {.h = h});
        double most = 0;
        for (int n = 0; n < 1000; ++n) {
            run.step();
            most = std::max(most, std::abs(run.view().q({0, 0})));
        }
        EXPECT_LT(most, 1.01 * start) << name; // theta = 1/2 keeps the energy of linear forces
    }
}

} // namespace tamis::test::every_method_test
