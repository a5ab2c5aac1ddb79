// Number of allocations made by the test program so far, and what of them is in use, by allocations.cpp.
#pragma once

#include <atomic>

extern std::atomic<long> allocations;

long heap_in_use(); // bytes, of all threads; 0 where it cannot be told
