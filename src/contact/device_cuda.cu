// The functors of device_kernel.hpp on an NVIDIA device.
#include "tamis/contact/cuda_launch.cuh"
#include "tamis/contact/device.hpp"

namespace tamis {

// (C++ gives constants of a namespace no name outside the file unless told so.)
extern const Device cuda;
const Device cuda{cuda_access, device_kernels<OnCuda, double>("cuda"),
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
