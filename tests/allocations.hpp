// Number of allocations made by the test program so far, counted by allocations.cpp.
#pragma once

#include <atomic>

extern std::atomic<long> allocations;
