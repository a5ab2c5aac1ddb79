// Functors and memory on an NVIDIA device: one kernel for all functors, a thread for each i. Launches run one after the
// other, and a copy waits for those before it.
#pragma once

#include "tamis/contact/device_memory.hpp"

#include <cuda_runtime.h>

namespace tamis {

// A device that refuses, say for want of memory, ends the run.
[[noreturn]] void cuda_failed(const char* words_of_cuda);

namespace {

template <class F>
__global__ void each(F f, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) f(i);
}

void check(cudaError_t error)
{
    if (error != cudaSuccess) cuda_failed(cudaGetErrorString(error));
}

struct OnCuda {
    template <class F>
    static void run(const F& f, int count)
    {
        constexpr int block = 128;
        if (count == 0) return;
        each<<<(count + block - 1) / block, block>>>(f, count);
        check(cudaGetLastError());
    }
};

constexpr DeviceAccess cuda_access{
    [](std::size_t bytes) {
        void* memory = nullptr;
        check(cudaMalloc(&memory, bytes));
        return memory;
    },
    [](void* memory) { cudaFree(memory); }, // also while an error is on its way
    [](void* to, const void* from, std::size_t bytes) {
        check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    },
    [](void* to, const void* from, std::size_t bytes) {
        check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
    }};

} // namespace
} // namespace tamis
