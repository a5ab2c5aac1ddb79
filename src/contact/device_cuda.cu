// The functors of device_kernel.hpp on an NVIDIA device: one kernel for all of them, a thread for each i.
// Launches run one after the other, and a copy waits for those before it.
#include "tamis/contact/device.hpp"

#include <cuda_runtime.h>

namespace tamis {

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

void* allocate(std::size_t bytes)
{
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes));
    return memory;
}

void release(void* memory)
{
    cudaFree(memory); // also while an error is on its way
}

void upload(void* to, const void* from, std::size_t bytes)
{
    check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
}

void download(void* to, const void* from, std::size_t bytes)
{
    check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

} // namespace

// (C++ gives constants of a namespace no name outside the file unless told so.)
extern const Device cuda;
const Device cuda{allocate,
                  release,
                  upload,
                  download,
                  device_kernels<OnCuda, double>("cuda"),
                  device_kernels<OnCuda, float>("cuda-float")};

// No driver, no device, or one that these kernels were not compiled for.
const char* cuda_obstacle()
{
    int driver = 0, devices = 0;
    cudaDriverGetVersion(&driver);
    if (driver == 0) return "there is no driver"; // CUDA calls that an old one
    cudaError_t error = cudaGetDeviceCount(&devices);
    cudaFuncAttributes attributes;
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, each<SweepManifold<double>>);
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

} // namespace tamis
