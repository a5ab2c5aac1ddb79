// What detection keeps from step to step changes nothing that it finds.
#include "tamis/model/detection.hpp"

#include "tamis/model/description.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <random>

namespace tamis::detection_test {
namespace {

using Eigen::Vector3d;

struct Drift {
    std::mt19937 random{11};
    double operator()(double size) { return std::uniform_real_distribution<double>(-size, size)(random); }
    Vector3d vector(double size) { return {(*this)(size), (*this)(size), (*this)(size)}; }
};

bool equal(const std::vector<DetectedContact>& a, const std::vector<DetectedContact>& b)
{
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k)
        if (a[k].shape_a != b[k].shape_a || a[k].shape_b != b[k].shape_b ||
            a[k].point.feature != b[k].point.feature || a[k].point.gap != b[k].point.gap ||
            a[k].point.on_a != b[k].point.on_a || a[k].point.normal != b[k].point.normal)
            return false;
    return true;
}

// Stones that creep, some that fly, alert distances that vary: as found by a detection that knows nothing of before.
TEST(Detection, FindsTheSameWhateverItHasSeenBefore)
{
    Drift drift;
    ModelDescription description("stones");
    const MaterialId stone = description.add(Material{.anticipation = true});
    constexpr int n = 60;
    for (int g = 0; g < n; ++g) {
        std::vector<Vector3d> corners;
        for (int c = 0; c < 14; ++c) corners.push_back(0.02 * drift.vector(1).normalized());
        description.grain({.shape = polyhedron(corners),
                           .material = stone,
                           .density = 2700,
                           .at = {.p = drift.vector(0.07)}});
    }
    description.attach(ground, wall({0, 0, 1}, -0.08), stone);
    const Model& model = description.finish();
    std::vector<Pose> poses;
    std::vector<Vector3d> v, omega;
    for (const GrainRecord& grain : model.grains()) {
        poses.push_back(grain.at);
        const double speed = poses.size() % 10 == 0 ? 1e-2 : 1e-5; // in a step
        v.push_back(drift.vector(speed));
        omega.push_back(drift.vector(30 * speed));
    }
    Detection kept(model), kept_by_two(model, 2);
    std::vector<double> reach(model.shapes().size());
    std::size_t contacts = 0;
    for (int step = 0; step < 400; ++step) {
        for (double& r : reach) r = step % 7 == 0 ? 2e-3 : 2e-4 * (1 + drift(1));
        for (int g = 0; g < n; ++g) {
            poses[g].p += v[g];
            poses[g].R = Eigen::AngleAxisd(omega[g].norm(), omega[g].normalized()) * poses[g].R;
            if (poses[g].p.norm() > 0.09) v[g] = -v[g];
        }
        const auto pose = [&](int body) { return poses[body]; };
        Detection fresh(model);
        const std::vector<DetectedContact> expected = fresh.detect(pose, 0, reach);
        ASSERT_TRUE(equal(kept.detect(pose, 0, reach), expected)) << step;
        ASSERT_TRUE(equal(kept_by_two.detect(pose, 0, reach), expected)) << step;
        contacts += expected.size();

        // Looking again for some shapes finds their contacts of the wider reach.
        std::vector<char> widened(reach.size(), 0);
        for (std::size_t s = step % 3; s < widened.size(); s += 5) {
            widened[s] = 1;
            reach[s] += 1e-3;
        }
        std::vector<DetectedContact> again;
        for (const DetectedContact& d : fresh.detect(pose, 0, reach))
            if (widened[d.shape_a] || widened[d.shape_b]) again.push_back(d);
        ASSERT_TRUE(equal(kept.look_again(widened, reach), again)) << step;
    }
    EXPECT_GT(contacts, 10000u);
}

} // namespace
} // namespace tamis::detection_test
