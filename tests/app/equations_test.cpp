// `--equations FILE`: what is written is C that a strict compiler takes, and gives the bits of the interpreter.
#include "tamis/app/equations.hpp"
#include "tamis/model/description.hpp"

#include "tamis/app/script.hpp"
#include "tamis/app/usage_error.hpp"
#include "tamis/mbs_symbolic/equations.hpp"
#include "tamis/mbs_symbolic/generate.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

namespace tamis::equations_test {
namespace {

namespace fs = std::filesystem;

struct WrittenEquations : testing::Test {
    fs::path folder = fs::temp_directory_path() / fmt::format("tamis_equations_{}", getpid());
    WrittenEquations() { fs::create_directories(folder); }
    ~WrittenEquations() override { fs::remove_all(folder); }

    // Of all functions at random places, by the file compiled as a stranger would and by the interpreter.
    void compare(const Mechanism& m, const fs::path& file) const
    {
        const fs::path library = fs::path(file).replace_extension(".so");
        const std::string command = fmt::format("cc -std=c99 -O2 -ffp-contract=off -Wall -Wextra -Werror "
                                                "-pedantic -shared -fPIC -o '{}' '{}' -lm",
                                                library.string(), file.string());
        ASSERT_EQ(std::system(command.c_str()), 0);
        void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(handle, nullptr) << dlerror();
        const auto* p = static_cast<const double*>(dlsym(handle, "mechanism_parameters"));
        ASSERT_NE(p, nullptr);
        Equations interpreter(m, Equations::Source::tape);
        std::mt19937_64 random(1);
        std::uniform_real_distribution<double> number(-2, 2);
        const auto draw = [&](int n) {
            std::vector<double> x(n);
            for (double& value : x) value = number(random);
            return x;
        };
        for (int k = 0; k < quantity_count; ++k) {
            const auto function = reinterpret_cast<GeneratedFunction>(dlsym(handle, quantity_names[k]));
            ASSERT_NE(function, nullptr);
            const auto quantity = static_cast<Quantity>(k);
            for (int sample = 0; sample < 20; ++sample) {
                const std::vector<double> q = draw(m.nq()), v = draw(m.nv()), w = draw(6 * m.wrenches());
                std::vector<double> written(output_size(m, quantity), -1), interpreted(written.size(), -2);
                function(p, q.data(), v.data(), w.data(), written.data());
                interpreter(quantity, q.data(), v.data(), w.data(), interpreted.data());
                EXPECT_EQ(written, interpreted) << quantity_names[k];
            }
        }
        dlclose(handle);
    }
};

// A slider-crank with a spring between two of its points, and a spatial arm apart from it.
void build(ModelDescription& model)
{
    model.gravity({0, -9.81, 0});
    const Expr l = model.parameter("l", 0.3);
    const Body crank = model.add(
        {.name = "crank", .joint = hinge_z(), .mass = 1.1, .com = {0.1, 0, 0}, .inertia = {0.1, 0.2, 0.3}});
    const Body rod = model.add({.name = "rod",
                                .parent = crank,
                                .joint = hinge_z(),
                                .at = {l, 0, 0},
                                .mass = 0.7,
                                .com = {0.2, 0.01, 0},
                                .inertia = {0.1, 0.2, 0.3}});
    const Body slider =
        model.add({.name = "slider", .joint = slide_x(), .mass = 2, .inertia = {0.1, 0.1, 0.1}});
    model.close({.kind = LoopKind::ball, .a = rod, .point_a = {0.6, 0, 0}, .b = slider});
    model.spring(model.frame("eye", rod, {0.1, 0, 0}), model.frame("hook", ground, {0, 1, 0}),
                 {.stiffness = 10, .rest = 0.1});
    Mechanism& arm = model.mechanism("arm");
    const Body base = arm.add({.name = "base",
                               .joint = hinge({0, 0.6, 0.8}),
                               .mass = 3,
                               .com = {0.1, 0, 0},
                               .inertia = {1, 2, 2.5}});
    arm.add({.name = "hand",
             .parent = base,
             .joint = spherical(),
             .at = {0.5, 0, 0},
             .mass = 1,
             .com = {0, 0.1, 0},
             .inertia = {0.1, 0.2, 0.25}});
}

TEST_F(WrittenEquations, AreStrictCWithTheBitsOfTheInterpreter)
{
    ModelDescription model("machine");
    build(model);
    testing::internal::CaptureStdout();
    write_equations(model.finish(), (folder / "machine.c").string());
    const std::string said = testing::internal::GetCapturedStdout();
    for (const Mechanism& m : model.finish().mechanisms()) {
        const fs::path file = folder / fmt::format("machine_{}.c", m.name());
        ASSERT_TRUE(fs::exists(file)) << file;
        EXPECT_NE(said.find(fmt::format("{}: {} coordinates", m.name(), m.nv())), std::string::npos) << said;
        compare(m, file);
    }
}

TEST_F(WrittenEquations, CountTheOperationsOfEachFunction)
{
    // M = I + m c^2 is a number, c = m g c cos q: one product of a number and a cosine.
    ModelDescription model("pendulum");
    model.gravity({0, -9.81, 0});
    model.add({.name = "bob", .joint = hinge_z(), .mass = 2, .com = {0.5, 0, 0}, .inertia = {0.1, 0.1, 0.1}});
    testing::internal::CaptureStdout();
    write_equations(model.finish(), (folder / "pendulum.c").string());
    const std::string said = testing::internal::GetCapturedStdout();
    EXPECT_NE(
        said.find(
            "  dynamics                    1          0          0            1             0       2\n"),
        std::string::npos)
        << said;
    EXPECT_TRUE(fs::exists(folder / "pendulum.c"));
}

TEST_F(WrittenEquations, OfGrainsAloneAreRefused)
{
    ModelDescription model("sand");
    model.grain({.shape = sphere(0.1), .material = model.add(Material{}), .density = 1000});
    EXPECT_THROW(write_equations(model.finish(), (folder / "sand.c").string()), Error);
}

TEST(EquationsOption, IsTakenOutOfTheArguments)
{
    std::vector<std::string> arguments{"--h", "1e-3", "--equations", "e.c", "--quiet"};
    EXPECT_EQ(take_equations(arguments), "e.c");
    EXPECT_EQ(arguments, (std::vector<std::string>{"--h", "1e-3", "--quiet"}));
    EXPECT_EQ(take_equations(arguments), "");
    arguments = {"--equations=e.c"};
    EXPECT_EQ(take_equations(arguments), "e.c");
    EXPECT_TRUE(arguments.empty());
    arguments = {"--equations"};
    EXPECT_THROW(take_equations(arguments), UsageError);
}

} // namespace
} // namespace tamis::equations_test
