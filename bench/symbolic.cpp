// What generation buys: M and c of a mechanism by emitted code, by the tape and by the recursion in double.
//
// Sample runs:  bench_symbolic
//               bench_symbolic --csv symbolic.csv
//
// All three are compared before they are timed. A time is the median of repeated rounds over random states;
// the spread is half the distance between the quartiles. The emitted text is compiled as a model's would be,
// with -O3 and without contraction, and loaded.
#include "mbs_symbolic/gallery.hpp"
#include "tamis/base/error.hpp"
#include "tamis/mbs_symbolic/emit_c.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/os.h>
#include <fstream>
#include <functional>

using namespace tamis;
using gallery::Sample;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int rounds = 31, states = 16;
constexpr double round_seconds = 2e-3;

double seconds_since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Timing {
    double median, spread;
};
Timing statistics(std::vector<double> x)
{
    std::sort(x.begin(), x.end());
    const std::size_t n = x.size();
    return {x[n / 2], (x[3 * n / 4] - x[n / 4]) / 2};
}

struct TemporaryDirectory {
    std::filesystem::path path;
    TemporaryDirectory()
    {
        std::string name = (std::filesystem::temp_directory_path() / "tamis_XXXXXX").string();
        if (!mkdtemp(name.data())) fail("Cannot make a directory {}.", name);
        path = name;
    }
    ~TemporaryDirectory() { std::filesystem::remove_all(path); }
};

struct Library {
    void* handle;
    explicit Library(const std::filesystem::path& file) : handle(dlopen(file.c_str(), RTLD_NOW))
    {
        if (!handle) fail("Cannot load the emitted code: {}", dlerror());
    }
    ~Library() { dlclose(handle); }
};

// Nanoseconds per call of f(state).
template <class F>
Timing nanoseconds(const std::vector<Sample>& x, F&& f)
{
    long calls = states;
    auto run = [&] {
        const Clock::time_point start = Clock::now();
        for (long k = 0; k < calls; ++k) f(x[k % states]);
        return seconds_since(start);
    };
    while (run() < round_seconds) calls *= 2;
    std::vector<double> times;
    for (int r = 0; r < rounds; ++r) times.push_back(run() * 1e9 / static_cast<double>(calls));
    return statistics(times);
}

struct Result {
    std::string name;
    int joints;
    OperationCount count;
    double generate, compile; // s
    Timing emitted, tape, numeric;
};

Result measure(const std::function<Mechanism()>& make)
{
    const Mechanism m = make();
    Result r{.name = m.name(), .joints = m.nv()};
    std::vector<double> generate;
    std::string text;
    for (int k = 0; k < 5; ++k) {
        const Mechanism fresh = make(); // a used graph knows the answer
        const Clock::time_point start = Clock::now();
        const Schedule schedule = make_schedule(symbolic(fresh, Quantity::dynamics));
        text = emit_function("dynamics", "", schedule);
        generate.push_back(seconds_since(start));
        r.count = schedule.count();
    }
    r.generate = statistics(generate).median;

    const TemporaryDirectory directory;
    const auto source = directory.path / "dynamics.c", file = directory.path / "dynamics.so";
    std::ofstream(source) << "#include <math.h>\n" << text;
    const std::string command =
        fmt::format("cc -std=c99 -O2 -ffp-contract=off -fno-math-errno -shared -fPIC -o {} {} -lm",
                    file.string(), source.string());
    const Clock::time_point start = Clock::now();
    if (std::system(command.c_str()) != 0)
        fail("The compiler refused the equations of '{}': {}", m.name(), command);
    r.compile = seconds_since(start);
    const Library library(file);
    const auto function = reinterpret_cast<GeneratedFunction>(dlsym(library.handle, "dynamics"));
    if (!function) fail("The emitted code has no function 'dynamics'.");

    Equations tape(m, Equations::Source::tape);
    NumericEquations numeric(m);
    const Eigen::VectorXd p = m.parameter_values();
    std::vector<Sample> x;
    for (int k = 0; k < states; ++k) x.push_back(gallery::random_sample(m, k));
    Eigen::VectorXd out(output_size(m, Quantity::dynamics));
    auto emitted = [&](const Sample& s) {
        function(p.data(), s.q.data(), s.v.data(), s.w.data(), out.data());
    };
    auto call = [&](auto& f) {
        return
            [&](const Sample& s) { f(Quantity::dynamics, s.q.data(), s.v.data(), s.w.data(), out.data()); };
    };
    for (const Sample& s : x) {
        emitted(s);
        const Eigen::VectorXd result = out;
        if (gallery::value(tape, m, Quantity::dynamics, s) != result)
            fail("Emitted code and tape of '{}' differ.", m.name());
        if (gallery::relative_error(result, gallery::value(numeric, m, Quantity::dynamics, s)) > 1e-11)
            fail("Emitted code and recursion of '{}' differ.", m.name());
    }
    r.emitted = nanoseconds(x, emitted);
    r.tape = nanoseconds(x, call(tape));
    r.numeric = nanoseconds(x, call(numeric));
    return r;
}

} // namespace

int main(int argc, char** argv)
try {
    CLI::App app("Operations, generation and evaluation of the equations of motion");
    std::string csv;
    app.add_option("--csv", csv, "write the table to this file too");
    CLI11_PARSE(app, argc, argv);

    std::vector<std::function<Mechanism()>> cases;
    for (int n : {3, 6, 10, 20, 50}) cases.push_back([n] { return gallery::spatial_chain(n); });
    cases.insert(cases.end(), {gallery::slider_crank, gallery::tamping_machine});

    std::vector<Result> results;
    fmt::print("{:<20} {:>3} {:>6} {:>6} {:>5} {:>9} {:>9} {:>16} {:>16} {:>16} {:>7}\n", "mechanism", "nv",
               "mult", "add", "trig", "gen ms", "compile s", "emitted ns", "tape ns", "numeric ns", "ratio");
    for (const auto& make : cases) {
        const Result r = measure(make);
        auto time = [](const Timing& t) { return fmt::format("{:.0f} +- {:.0f}", t.median, t.spread); };
        fmt::print("{:<20} {:>3} {:>6} {:>6} {:>5} {:>9.2f} {:>9.2f} {:>16} {:>16} {:>16} {:>7.2f}\n", r.name,
                   r.joints, r.count.multiplications, r.count.additions, r.count.trigonometric,
                   r.generate * 1e3, r.compile, time(r.emitted), time(r.tape), time(r.numeric),
                   r.numeric.median / r.emitted.median);
        std::fflush(stdout);
        results.push_back(r);
    }
    if (!csv.empty()) {
        auto file = fmt::output_file(csv);
        file.print("mechanism,velocities,multiplications,additions,trigonometric,generation_s,compilation_s,"
                   "emitted_ns,emitted_spread_ns,tape_ns,tape_spread_ns,numeric_ns,numeric_spread_ns\n");
        for (const Result& r : results)
            file.print("{},{},{},{},{},{:.6g},{:.6g},{:.6g},{:.3g},{:.6g},{:.3g},{:.6g},{:.3g}\n", r.name,
                       r.joints, r.count.multiplications, r.count.additions, r.count.trigonometric,
                       r.generate, r.compile, r.emitted.median, r.emitted.spread, r.tape.median,
                       r.tape.spread, r.numeric.median, r.numeric.spread);
    }
} catch (const Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
}
