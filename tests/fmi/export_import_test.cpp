// What is exported is what is imported: an FMU of ours, read and driven as one of anybody's would be.
#include "export_reference.hpp"
#include "tamis/fmi/fmu_archive.hpp"
#include "tamis/fmi/fmu_instance.hpp"

#include <gtest/gtest.h>

namespace tamis::fmi_export_import_test {

using namespace tamis::fmi_export_test;

class Imported {
  public:
    explicit Imported(const std::filesystem::path& file)
        : archive_(file), description_(read_fmu_description(archive_.description(), "rattle")),
          instance_(
              FmuInstance::make(description_, {.name = "rattle",
                                               .folder = archive_.unpack(fmu_platform(description_.version)),
                                               .log = &log_}))
    {
        inputs_ = references({"position.x", "velocity.x"});
        outputs_ = references({"force.x", "force.y", "force.z", "moment.x", "moment.y", "moment.z"});
    }
    const FmuDescription& description() const { return description_; }
    FmuInstance& instance() { return *instance_; }
    void shake(double t)
    {
        instance_->set(inputs_, std::array{Shaker::A * std::sin(Shaker::w * t),
                                           Shaker::A * Shaker::w * std::cos(Shaker::w * t)});
    }
    Wrench wrench()
    {
        std::array<double, wrench_size> wire;
        instance_->get(outputs_, wire);
        return read_wrench(wire);
    }

  private:
    std::vector<std::uint32_t> references(std::initializer_list<const char*> names) const
    {
        std::vector<std::uint32_t> found;
        for (const char* name : names) found.push_back(description_.find(name)->reference);
        return found;
    }

    FmuLog log_;
    FmuArchive archive_;
    FmuDescription description_;
    std::unique_ptr<FmuInstance> instance_;
    std::vector<std::uint32_t> inputs_, outputs_;
};

TEST(ImportedExport, GivesTheBitsOfTheSideSteppedInProcess)
{
    for (const char* version : {"2", "3"}) {
        Imported fmu(write_fmu("rattle", "", version));
        EXPECT_EQ(std::to_string(fmu.description().version), version);
        EXPECT_TRUE(fmu.description().saves_state && fmu.description().serialises_state);
        const FmuUnit unit = fmu.description().unit_of(*fmu.description().find("force.x"));
        EXPECT_EQ(unit.powers, (std::array{1, 1, -2, 0, 0, 0, 0}));
        Reference reference("rattle", "");
        fmu.instance().begin(0, {});
        fmu.shake(0);
        fmu.instance().end_of_initialisation();
        const double H = 1e-3;
        double greatest = 0;
        for (int k = 0; k < 100; ++k) {
            if (k == 50) fmu.instance().save_state();
            for (int repeat = 0; repeat < (k == 50 ? 2 : 1); ++repeat) {
                if (repeat > 0) fmu.instance().restore_state();
                fmu.shake((k + 1) * H);
                fmu.instance().step(k * H, H, false);
            }
            reference.step();
            const Wrench found = fmu.wrench(), expected = reference.wrench();
            ASSERT_EQ(found.force, expected.force) << version << ' ' << k;
            ASSERT_EQ(found.moment, expected.moment) << version << ' ' << k;
            greatest = std::max(greatest, found.force.norm());
        }
        EXPECT_GT(greatest, 0.1); // the balls have hit the box
    }
}

} // namespace tamis::fmi_export_import_test
