// Number of allocations made by the test program so far; nlgs_test.cpp counts them.
#pragma once

#include <atomic>

extern std::atomic<long> allocations;
