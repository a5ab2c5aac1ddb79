#include "allocations.hpp"

#include <Eigen/Core>
#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <vector>

std::atomic<long> allocations{0};

// Eigen allocates past operator new: with glibc, malloc itself counts. Sanitizers keep their own malloc, and
// nothing is counted under them.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TAMIS_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TAMIS_SANITIZED
#endif
#if defined(__GLIBC__) && !defined(TAMIS_SANITIZED)
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) noexcept
{
    ++allocations;
    return __libc_malloc(size);
}

long heap_in_use()
{
    const struct mallinfo2 info = mallinfo2();
    return static_cast<long>(info.uordblks + info.hblkhd);
}

// Without this, tests that nothing allocates could not fail.
TEST(Allocations, OfEigenAndOfOperatorNewAreCounted)
{
    const long before = allocations;
    const Eigen::VectorXd x = Eigen::VectorXd::Zero(1000);
    const std::vector<double> y(1000);
    EXPECT_GE(allocations - before, 2) << x.size() << y.size();
}
#else
long heap_in_use()
{
    return 0;
}
#endif
