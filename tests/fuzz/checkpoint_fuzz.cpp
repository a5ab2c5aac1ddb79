#include "fuzz/fuzz.hpp"
#include "io/forged_checksum.hpp"
#include "io/forged_seal.hpp"
#include "tamis/io/checkpoint.hpp"
#include "tamis/model/description.hpp"
#include "tamis/nscd/moreau_jean.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

namespace {

using namespace tamis;

// Arms held by a rod, and a grain on the ground: something of everything that a state holds.
const Model& arms()
{
    static const auto all = [] {
        ::setenv("TAMIS_EQUATIONS", "interpreted", 1);
        auto model = std::make_unique<ModelDescription>("arms");
        model->gravity({0, -10, 0});
        const auto arm = [&](const char* name, Body parent, double along) {
            return model->add({.name = name,
                               .parent = parent,
                               .joint = hinge_z(),
                               .at = {along, 0, 0},
                               .mass = 1,
                               .inertia = {0.1, 0.1, 0.1}});
        };
        const Body lower = arm("lower", arm("upper", ground, 0), 1);
        model->close({.name = "rod",
                      .kind = LoopKind::rod,
                      .a = lower,
                      .point_a = {1, 0, 0},
                      .b = ground,
                      .point_b = {2, 1.5, 0},
                      .length = 1.5});
        model->memory("now", 0, [](const View& s, double) { return s.time(); });
        const MaterialId stone = model->add(Material{.friction = 0.3});
        model->attach(ground, wall({0, 1, 0}, -5), stone);
        model->grain(
            {.shape = sphere(0.1), .material = stone, .density = 1000, .at = {.p = {5, -4.9001, 0}}});
        return model;
    }();
    return all->finish();
}

const MoreauJeanOptions options{.h = 1e-3, .contacts = {.threads = 1}};

// Neither the seal of the file nor the checksum of the state stops what is forged; and it is gone on from.
int read_forged(const std::uint8_t* data, std::size_t size)
{
    return fuzz::take([&] {
        const std::string image(reinterpret_cast<const char*>(data), size);
        Hdf5 content = read_hdf5(fuzz::file_of(test::with_seal(image), ".h5"));
        test::renew_checksum(content);
        const auto file = fuzz::file_of("", ".h5");
        write_hdf5(file, content);
        const SavedState state = read_checkpoint(file).state;
        fuzz::require(std::isfinite(state.t) && state.t >= 0 && state.step >= 0);
        for (const auto& [name, numbers] : state.numbers)
            fuzz::require(
                std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }));
        MoreauJean(arms(), options).restore(state);
    });
}

std::vector<std::string> seeds()
{
    MoreauJean run(arms(), options);
    for (int n = 0; n < 3; ++n) run.step();
    const Checkpoint checkpoint{
        .model = "arms", .options = "{}", .state = run.save(), .run = {{"statistics", {1, 2}}}};
    const auto folder = fuzz::file_of("", ".h5").parent_path();
    write_checkpoint(folder, checkpoint);
    const std::string image = fuzz::text_of(folder / "checkpoint_000003.h5");
    return {image.substr(0, image.size() - 16)}; // without the seal
}

TAMIS_FUZZ_TARGET("checkpoint", 300, read_forged, seeds)

} // namespace
