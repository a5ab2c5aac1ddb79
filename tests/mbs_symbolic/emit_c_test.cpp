// Emitted C: the form of the text, and its values against the tape where a compiler is at hand.
#include "tamis/mbs_symbolic/emit_c.hpp"

#include "mbs_symbolic/random_expressions.hpp"
#include "tamis/base/error.hpp"
#include "tamis/mbs_symbolic/tape.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace tamis::emit_c_test {
namespace {

struct EmitC : testing::Test {
    Graph graph;
    Expr x = graph.symbol(Input::q, 0), y = graph.symbol(Input::q, 1), z = graph.symbol(Input::v, 2);
    static std::string emit(const std::vector<Expr>& outputs)
    {
        return emit_function("f", "", make_schedule(outputs));
    }

    // The right-hand side of the only statement.
    static std::string value(const Expr& e)
    {
        const std::string text = emit({e});
        const auto start = text.find("out[0] = ") + 9;
        return text.substr(start, text.find(';', start) - start);
    }
};

TEST_F(EmitC, WholeFunctionReadsPlainly)
{
    const Expr product = x * y;
    EXPECT_EQ(
        emit_function("motion", "Position.\nSecond line.", make_schedule({product + 2, sin(product), x})),
        "// Position.\n"
        "// Second line.\n"
        "void motion(const double* p, const double* q, const double* v, const double* w, double* out)\n"
        "{\n"
        "    (void)(p);\n"
        "    (void)(v);\n"
        "    (void)(w);\n"
        "    const double x2 = q[0] * q[1];\n"
        "    out[0] = 2.0 + x2;\n"
        "    out[1] = sin(x2);\n"
        "    out[2] = q[0];\n"
        "}\n");
}

TEST_F(EmitC, ParenthesesKeepTheOrderOfOperations)
{
    EXPECT_EQ(value((x - y) - z), "q[0] - q[1] - v[2]");
    EXPECT_EQ(value((x + y) + z), "v[2] + (q[0] + q[1])"); // older operand first
    EXPECT_EQ(value(x - (y - z)), "q[0] - (q[1] - v[2])");
    EXPECT_EQ(value(x * (y * z)), "q[0] * (q[1] * v[2])");
    EXPECT_EQ(value(x / (y / z)), "q[0] / (q[1] / v[2])");
    EXPECT_EQ(value((x / y) / z), "q[0] / q[1] / v[2]");
    EXPECT_EQ(value(x * (y + z)), "q[0] * (q[1] + v[2])");
    EXPECT_EQ(value(x * y - y / z), "q[0] * q[1] - q[1] / v[2]");
    EXPECT_EQ(value(-(x * y)), "-(q[0] * q[1])");
    EXPECT_EQ(value(sqrt(-x - y)), "sqrt(-(q[0] + q[1]))");
}

TEST_F(EmitC, ConstantsReadBackExactly)
{
    EXPECT_EQ(value(3), "3.0");
    EXPECT_EQ(value(-0.1), "-0.1");
    EXPECT_EQ(value(1e22), "1e+22");
    EXPECT_EQ(value(-2 * x), "-2.0 * q[0]");
    for (const double c : {1. / 3, 0.1 + 0.2, 6.02214076e23, 5e-324, 1.7976931348623157e308})
        EXPECT_EQ(std::strtod(value(c).c_str(), nullptr), c);
}

TEST_F(EmitC, NonFiniteConstantsAndTimeAreRefused)
{
    EXPECT_THROW(emit({sqrt(Expr(-1))}), Error);
    EXPECT_THROW(emit({2 * graph.symbol(Input::t, 0)}), Error);
}

// The names x12 in a line, in order.
std::vector<std::string> names_in(const std::string& line)
{
    std::vector<std::string> names;
    for (std::size_t i = line.find('x'); i != std::string::npos; i = line.find('x', i + 1)) {
        const std::size_t end = line.find_first_not_of("0123456789", i + 1);
        if (end > i + 1) names.push_back(line.substr(i, end - i));
    }
    return names;
}

// Names are declared before they are used, outputs assigned once each; gives the number of functions.
int check_text(const std::string& text, int outputs)
{
    std::set<std::string> declared;
    std::set<int> assigned;
    std::istringstream lines(text);
    int functions = 0;
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 130u) << line;
        if (line == "{") {
            declared.clear();
            ++functions;
        }
        if (line.starts_with("    out[")) {
            EXPECT_TRUE(assigned.insert(std::stoi(line.substr(8))).second) << line;
        }
        const auto names = names_in(line);
        const bool declares = line.starts_with("    const double x");
        for (std::size_t i = declares ? 1 : 0; i < names.size(); ++i)
            EXPECT_TRUE(declared.contains(names[i])) << line;
        if (declares) {
            EXPECT_TRUE(declared.insert(names[0]).second) << line;
        }
    }
    EXPECT_EQ(static_cast<int>(assigned.size()), outputs);
    return functions;
}

TEST_F(EmitC, NamesAreDeclaredBeforeUseAndOutputsAssignedOnce)
{
    Graph fresh;
    const auto small = RandomExpressions(fresh, 3, 300).expressions();
    EXPECT_EQ(check_text(emit(small), static_cast<int>(small.size())), 1);
    const auto large = RandomExpressions(fresh, 4, 2500).expressions();
    EXPECT_GT(check_text(emit(large), static_cast<int>(large.size())), 2);
}

// A directory that lives as long as the object.
struct TemporaryDirectory {
    std::filesystem::path path;
    TemporaryDirectory()
    {
        std::string name = (std::filesystem::temp_directory_path() / "tamis_XXXXXX").string();
        if (!mkdtemp(name.data())) fail("no directory {}", name);
        path = name;
    }
    ~TemporaryDirectory() { std::filesystem::remove_all(path); }
};

TEST_F(EmitC, CompiledCodeEqualsTheTapeBitForBit)
{
    if (std::system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no compiler cc";
    const TemporaryDirectory directory;
    const auto source = directory.path / "f.c", library = directory.path / "f.so";

    Graph fresh;
    const RandomExpressions small(fresh, 5, 300), large(fresh, 6, 2500);
    const std::vector<Schedule> schedules{make_schedule(small.expressions()),
                                          make_schedule(large.expressions()), make_schedule({})};
    const char* const names[] = {"small_function", "large_function", "empty_function"};
    {
        std::ofstream file(source);
        file << "#include <math.h>\n";
        for (std::size_t i = 0; i < schedules.size(); ++i) file << emit_function(names[i], "", schedules[i]);
    }
    const std::string command = "cc -std=c99 -O2 -ffp-contract=off -Wall -Wextra -Werror -shared -fPIC -o " +
                                library.string() + " " + source.string() + " -lm";
    ASSERT_EQ(std::system(command.c_str()), 0);
    void* handle = dlopen(library.c_str(), RTLD_NOW);
    ASSERT_NE(handle, nullptr) << dlerror();

    const RandomExpressions* const random[] = {&small, &large, &small};
    using Function = void(const double*, const double*, const double*, const double*, double*);
    for (std::size_t i = 0; i < schedules.size(); ++i) {
        auto* function = reinterpret_cast<Function*>(dlsym(handle, names[i]));
        ASSERT_NE(function, nullptr);
        const RandomExpressions& in = *random[i];
        const std::size_t n = schedules[i].outputs.size();
        std::vector<double> compiled(n, -1), interpreted(n, -2);
        function(in.p.data(), in.q.data(), in.v.data(), in.w.data(), compiled.data());
        Tape{schedules[i]}(in.p.data(), in.q.data(), in.v.data(), in.w.data(), interpreted.data());
        EXPECT_EQ(compiled, interpreted);
    }
    dlclose(handle);
}

} // namespace
} // namespace tamis::emit_c_test
