// argmax_i n.x_i over all vertices. For the few dozens of them that grains have, this is cheaper than walking
// from neighbour to neighbour, whose branches cannot be foretold.
//
// By four: each lane keeps the largest of its products and its place, the first if there are
// several; the products are summed in the order of Eigen's dot(). Places are doubles, so that
// they blend like the products.
#include "tamis/collision/support_point.hpp"

#include <cstring>
#include <limits>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace tamis {

namespace {

int by_one(const Hull& hull, const Eigen::Vector3d& n)
{
    int best = 0;
    double reach = -std::numeric_limits<double>::infinity();
    const int count = static_cast<int>(hull.vertices.size());
    for (int i = 0; i < count; ++i) {
        const double x = n.dot(hull.vertices[i]);
        if (x > reach) {
            reach = x;
            best = i;
        }
    }
    return best;
}

#ifdef __x86_64__
[[gnu::target("avx2")]] int by_four(const Hull& hull, const Eigen::Vector3d& n)
{
    const __m256d n_x = _mm256_set1_pd(n[0]), n_y = _mm256_set1_pd(n[1]), n_z = _mm256_set1_pd(n[2]);
    __m256d reach = _mm256_set1_pd(-std::numeric_limits<double>::infinity());
    __m256d here = _mm256_setr_pd(0, 1, 2, 3), best = here;
    const double* const end = hull.quads.data() + hull.quads.size();
    for (const double* quad = hull.quads.data(); quad != end; quad += 12) {
        const __m256d x = _mm256_mul_pd(n_x, _mm256_loadu_pd(quad)),
                      y = _mm256_mul_pd(n_y, _mm256_loadu_pd(quad + 4)),
                      z = _mm256_mul_pd(n_z, _mm256_loadu_pd(quad + 8));
        const __m256d along = _mm256_add_pd(_mm256_add_pd(x, y), z);
        best = _mm256_blendv_pd(best, here, _mm256_cmp_pd(along, reach, _CMP_GT_OQ));
        reach = _mm256_max_pd(along, reach);
        here = _mm256_add_pd(here, _mm256_set1_pd(4));
    }
    // The largest in all lanes, then the lowest of the places that have it.
    __m256d most = _mm256_max_pd(reach, _mm256_permute2f128_pd(reach, reach, 1));
    most = _mm256_max_pd(most, _mm256_permute_pd(most, 5));
    const __m256d none = _mm256_set1_pd(std::numeric_limits<double>::infinity());
    best = _mm256_blendv_pd(none, best, _mm256_cmp_pd(reach, most, _CMP_EQ_OQ));
    const __m128d two = _mm_min_pd(_mm256_castpd256_pd128(best), _mm256_extractf128_pd(best, 1));
    return _mm_cvttsd_si32(_mm_min_sd(two, _mm_unpackhi_pd(two, two)));
}
#endif

} // namespace

SupportPoint support_point_with(const char* instructions)
{
    if (std::strcmp(instructions, "scalar") == 0) return by_one;
#ifdef __x86_64__
    if (std::strcmp(instructions, "avx2") == 0 && __builtin_cpu_supports("avx2")) return by_four;
#endif
    return nullptr;
}

int support_point(const Hull& hull, const Eigen::Vector3d& n)
{
    static const SupportPoint widest = support_point_with("avx2") ? support_point_with("avx2") : by_one;
    return widest(hull, n);
}

} // namespace tamis
