// State -> file -> state equal in every bit, damage found whatever byte it hits, the last valid one used.
#include "error_of.hpp"
#include "io/forged_checksum.hpp"
#include "io/scratch.hpp"
#include "model/scenes.hpp"
#include "tamis/io/checkpoint.hpp"
#include "tamis/io/file.hpp"
#include "tamis/io/hdf5_file.hpp"
#include "tamis/model/description.hpp"
#include "tamis/model/model_hash.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <chrono>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace tamis::test::checkpoint_test {

namespace {

void expect_equal(const SavedState& a, const SavedState& b)
{
    EXPECT_EQ(a.t, b.t);
    EXPECT_EQ(a.step, b.step);
    EXPECT_EQ(a.integers, b.integers);
    ASSERT_EQ(a.numbers.size(), b.numbers.size());
    for (const auto& [name, values] : a.numbers) {
        const std::vector<double>& other = b.get(name, values.size());
        ASSERT_TRUE(values.empty() ||
                    std::memcmp(values.data(), other.data(), values.size() * sizeof(double)) == 0)
            << name;
    }
}

Checkpoint random_checkpoint(int coordinates, int grains, int impulses, long step)
{
    std::mt19937_64 random(step);
    std::uniform_real_distribution<double> number(-1, 1);
    const auto numbers = [&](int count) {
        std::vector<double> x(count);
        for (int k = 0; k < count; ++k)
            x[k] = k % 7 == 3 ? -0.0 : k % 7 == 5 ? 1e-300 * number(random) : number(random);
        return x;
    };
    Checkpoint c;
    c.model = "bed";
    c.model_hash = random();
    c.options = "{\"h\":0.0001}";
    c.state.step = step;
    c.state.t = 1e-4 * static_cast<double>(step);
    c.state.put("q", numbers(coordinates));
    c.state.put("grains", numbers(13 * grains));
    c.state.put("part/impulses", numbers(6 * impulses));
    std::vector<std::int64_t> pairs;
    for (int k = 0; k < 3 * impulses; ++k) pairs.push_back(static_cast<std::int64_t>(random() % 100000) - 1);
    c.state.put_integers("part/pairs", pairs);
    c.run["statistics"] = {1, 2, 0.1};
    c.run["none"] = {};
    return c;
}

std::vector<std::string> names(const std::filesystem::path& folder)
{
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
}

} // namespace

TEST(Checkpoint, StateSurvivesBitByBit)
{
    ScratchFolder folder;
    for (const auto& [coordinates, grains, impulses] :
         {std::array{0, 0, 0}, std::array{0, 1, 0}, std::array{4, 0, 1}, std::array{5, 3000, 7000}}) {
        const Checkpoint written = random_checkpoint(coordinates, grains, impulses, 123);
        write_checkpoint(folder / "", written);
        const Checkpoint read = read_checkpoint(folder / "checkpoint_000123.h5");
        expect_equal(read.state, written.state);
        EXPECT_EQ(read.model, written.model);
        EXPECT_EQ(read.model_hash, written.model_hash);
        EXPECT_EQ(read.options, written.options);
        EXPECT_EQ(read.run, written.run);
    }
}

TEST(Checkpoint, HundredThousandGrainsTakeSeconds)
{
    ScratchFolder folder;
    const Checkpoint written = random_checkpoint(5, 100000, 300000, 1);
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    write_checkpoint(folder / "", written);
    const double write = seconds();
    const Checkpoint read = read_checkpoint(folder / "checkpoint_000001.h5");
    const double both = seconds();
    expect_equal(read.state, written.state);
    RecordProperty("write_seconds", std::to_string(write));
    RecordProperty("read_seconds", std::to_string(both - write));
    EXPECT_LT(both, 30);
}

TEST(Checkpoint, NumberThatIsNotFiniteIsRefusedAndTheOldFilesStay)
{
    ScratchFolder folder;
    write_checkpoint(folder / "", random_checkpoint(4, 2, 1, 5));
    for (const char* name : {"q", "grains", "part/impulses"}) {
        Checkpoint bad = random_checkpoint(4, 2, 1, 6);
        bad.state.numbers[name][1] = std::nan("");
        const std::string error = error_of([&] { write_checkpoint(folder / "", bad); });
        EXPECT_TRUE(contains(error, "finite") && contains(error, name)) << error;
    }
    EXPECT_EQ(names(folder / ""), std::vector<std::string>{"checkpoint_000005.h5"});
}

TEST(Checkpoint, TheTwoLastOnesAreKept)
{
    ScratchFolder folder;
    write_file(folder / "checkpoint_mine.h5", "not ours");
    for (const long step : {999998L, 999999L, 1000000L, 1000001L})
        write_checkpoint(folder / "", random_checkpoint(1, 1, 1, step));
    EXPECT_EQ(names(folder / ""), (std::vector<std::string>{"checkpoint_1000000.h5", "checkpoint_1000001.h5",
                                                            "checkpoint_mine.h5"}));
    EXPECT_EQ(read_latest(folder / "", "bed").checkpoint.state.step, 1000001);
    // A run that went back leaves no later ones.
    write_checkpoint(folder / "", random_checkpoint(1, 1, 1, 7));
    EXPECT_EQ(names(folder / ""), (std::vector<std::string>{"checkpoint_000007.h5", "checkpoint_mine.h5"}));
    remove_checkpoints(folder / "");
    EXPECT_EQ(names(folder / ""), std::vector<std::string>{"checkpoint_mine.h5"});
}

TEST(Checkpoint, DamagedOrForeignOneIsPassedOverWithASentence)
{
    ScratchFolder folder;
    write_checkpoint(folder / "", random_checkpoint(4, 50, 60, 1));
    write_checkpoint(folder / "", random_checkpoint(4, 50, 60, 2));
    const std::filesystem::path newest = folder / "checkpoint_000002.h5";
    const std::string whole = text_of(newest);
    EXPECT_TRUE(read_latest(folder / "", "bed").notes.empty());
    Hdf5 other, later = read_hdf5(newest);
    other.datasets["x"] = {std::vector<double>{1}};
    later.attributes["version"] = std::vector<std::int32_t>{1000};
    Checkpoint foreign = random_checkpoint(4, 50, 60, 2);
    foreign.model = "drum";
    for (int kind = 0; kind < 6; ++kind) {
        if (kind == 0) write_file(newest, whole.substr(0, whole.size() / 2));
        if (kind == 1) write_file(newest, "");
        if (kind == 2) write_file(newest, "text");
        if (kind == 3) write_hdf5(newest, other);
        if (kind == 4) write_hdf5(newest, later);
        if (kind == 5) write_checkpoint(folder / "", foreign);
        const LatestCheckpoint latest = read_latest(folder / "", "bed");
        EXPECT_EQ(latest.checkpoint.state.step, 1) << kind;
        EXPECT_EQ(latest.file, folder / "checkpoint_000001.h5");
        ASSERT_EQ(latest.notes.size(), 1u) << kind;
        EXPECT_TRUE(contains(latest.notes[0], "checkpoint_000002.h5")) << latest.notes[0];
    }
}

TEST(Checkpoint, NoByteChangesUnnoticed)
{
    ScratchFolder folder;
    write_checkpoint(folder / "", random_checkpoint(4, 200, 100, 1));
    const std::filesystem::path file = folder / "checkpoint_000001.h5";
    const std::string whole = text_of(file);
    std::mt19937 random(3);
    for (int k = 0; k < 200; ++k) {
        std::string changed = whole;
        changed[random() % whole.size()] ^= static_cast<char>(1 << random() % 8);
        write_file(file, changed);
        EXPECT_TRUE(contains(error_of([&] { read_checkpoint(file); }), "checkpoint_000001.h5"));
    }
}

// A file that is whole, but whose numbers are not those that were written.
TEST(Checkpoint, NumbersThatDoNotFitTheirChecksumAreRefused)
{
    ScratchFolder folder;
    write_checkpoint(folder / "", random_checkpoint(4, 20, 10, 1));
    const std::filesystem::path file = folder / "checkpoint_000001.h5";
    const Hdf5 whole = read_hdf5(file, true);
    for (const char* name : {"state/q", "state/grains", "state/part/impulses", "run/statistics"}) {
        Hdf5 changed = whole;
        double& x = std::get<std::vector<double>>(changed.datasets.at(name).values).back();
        x = std::nextafter(x, 2);
        write_hdf5(file, changed);
        EXPECT_TRUE(contains(error_of([&] { read_checkpoint(file); }), "checksum")) << name;
    }
    Hdf5 changed = whole;
    changed.attributes["t"] = std::vector<double>{0.5};
    write_hdf5(file, changed);
    EXPECT_TRUE(contains(error_of([&] { read_checkpoint(file); }), "checksum"));
}

// Whole files that fit their checksum, of numbers that no run writes.
TEST(Checkpoint, ForgedTimesStepsAndNumbersAreRefused)
{
    ScratchFolder folder;
    write_checkpoint(folder / "", random_checkpoint(4, 20, 10, 1));
    const std::filesystem::path file = folder / "checkpoint_000001.h5";
    const Hdf5 whole = read_hdf5(file, true);
    const auto error = [&](auto&& forge) {
        Hdf5 forged = whole;
        forge(forged);
        renew_checksum(forged);
        write_hdf5(file, forged);
        return error_of([&] { read_checkpoint(file); });
    };
    EXPECT_EQ(error([](Hdf5&) {}), "");
    for (const double t : {std::nan(""), HUGE_VAL, -1e-9}) {
        const std::string said = error([&](Hdf5& f) { f.attributes["t"] = std::vector{t}; });
        EXPECT_TRUE(contains(said, "it is of step 1 at t = ")) << said;
    }
    const std::string said = error([](Hdf5& f) { f.attributes["step"] = std::vector<std::int64_t>{-1}; });
    EXPECT_TRUE(contains(said, "it is of step -1 at t = ")) << said;
    for (const double bad : {std::nan(""), -HUGE_VAL})
        for (const char* name : {"q", "grains", "part/impulses"}) {
            const std::string of_number = error([&](Hdf5& f) {
                std::get<std::vector<double>>(f.datasets.at(std::string("state/") + name).values)[1] = bad;
            });
            EXPECT_TRUE(contains(of_number, std::string("'") + name + "' are not all finite")) << of_number;
        }
}

TEST(Checkpoint, WithoutAValidOneTheErrorSaysWhatToDo)
{
    ScratchFolder folder;
    for (const char* where : {"", "none"}) {
        const std::string message = error_of([&] { read_latest(folder / where, "bed"); });
        EXPECT_TRUE(contains(message, "no checkpoint") && contains(message, "anew")) << message;
    }
    write_file(folder / "checkpoint_000001.h5", "damaged");
    const std::string message = error_of([&] { read_latest(folder / "", "bed"); });
    EXPECT_TRUE(contains(message, "checkpoint_000001.h5") && contains(message, "anew")) << message;
}

// Restored into a new stepper, the slider-crank goes on to the same bits, through impacts.
TEST(Checkpoint, RestoredRunGoesOnToTheSameBits)
{
    ScratchFolder folder;
    ModelDescription model("slider_crank");
    scenes::slider_crank(model);
    const MoreauJeanOptions options{.h = 1e-5};
    MoreauJean whole(model.finish(), options), resumed(model.finish(), options);
    for (int n = 0; n < 2000; ++n) whole.step();
    Checkpoint c;
    c.model = model.name();
    c.state = whole.save();
    write_checkpoint(folder / "", c);
    resumed.restore(read_latest(folder / "", model.name()).checkpoint.state);
    EXPECT_EQ(resumed.state_hash(), whole.state_hash());
    bool touched = false;
    for (int n = 0; n < 2000; ++n) {
        touched = whole.step().contacts > 0 || touched;
        resumed.step();
        ASSERT_EQ(resumed.state_hash(), whole.state_hash()) << n;
    }
    EXPECT_TRUE(touched);
    // What does not fit is refused by name, and the state stays.
    for (const char* name : {"q", "v", "impulses", "memory"}) {
        SavedState other = c.state;
        other.numbers[name].push_back(1);
        const std::string error = error_of([&] { resumed.restore(other); });
        EXPECT_TRUE(contains(error, name) && contains(error, "another model")) << error;
        other.numbers.erase(name);
        EXPECT_TRUE(contains(error_of([&] { resumed.restore(other); }), "lacks")) << name;
    }
    for (const std::int64_t bad :
         {std::int64_t{-1}, std::int64_t{3}, std::int64_t{99}, std::int64_t{1} << 32})
        for (const std::size_t k : {0, 2}) {
            SavedState forged = c.state;
            forged.integers.at("partitions").at(k) = bad; // of three coordinates
            const std::string error = error_of([&] { resumed.restore(forged); });
            EXPECT_TRUE(contains(error, "names a coordinate that mechanism ")) << error;
        }
    const auto with_impulse = [&](std::int64_t a, std::int64_t b) {
        SavedState forged = c.state;
        forged.integers.at("impulse_pairs") = {a, b, 0};
        forged.numbers.at("impulses").assign(9, 0);
        return error_of([&] { resumed.restore(forged); });
    };
    for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{3}, std::int64_t{1} << 32})
        for (const std::string& error : {with_impulse(0, bad), with_impulse(bad, 1)})
            EXPECT_TRUE(contains(error, fmt::format("an impulse on shape {} of 3", bad))) << error;
    EXPECT_EQ(resumed.state_hash(), whole.state_hash());
    EXPECT_EQ(with_impulse(0, 2), "");
}

TEST(ModelHash, TellsModelsApartByEveryNumber)
{
    struct Numbers {
        double mass = 1, length = 1, friction = 0.3, radius = 0.1, start = 0, stiffness = 5, gravity = -10,
               density = 1000, height = 2;
        int grains = 2;
    };
    const auto hash = [](const Numbers& n) {
        ModelDescription model("m");
        model.gravity({0, 0, n.gravity});
        const Body body = model.add({.name = "arm",
                                     .joint = hinge_x(),
                                     .at = {0, 0, n.length},
                                     .mass = n.mass,
                                     .com = {0, 0.1, 0},
                                     .inertia = {1, 1, 1}});
        model.start(body, n.start, 0);
        model.spring(model.coordinate(body), {.stiffness = n.stiffness});
        const MaterialId stone = model.add(Material{.friction = n.friction});
        model.attach(body, sphere(n.radius), stone);
        for (int g = 0; g < n.grains; ++g)
            model.grain({.shape = sphere(0.1),
                         .material = stone,
                         .density = n.density,
                         .at = {.p = {static_cast<double>(g), 0, n.height}}});
        return model_hash(model.finish());
    };
    const std::uint64_t same = hash({});
    EXPECT_EQ(hash({}), same);
    Numbers n;
    for (double* x : {&n.mass, &n.length, &n.friction, &n.radius, &n.start, &n.stiffness, &n.gravity,
                      &n.density, &n.height}) {
        const double before = *x;
        *x = std::nextafter(before, 100);
        EXPECT_NE(hash(n), same) << x - &n.mass;
        *x = before;
    }
    n.grains = 3;
    EXPECT_NE(hash(n), same);
}

} // namespace tamis::test::checkpoint_test
