// Devices other than CUDA's own part, which is device_cuda.cu.
#include "tamis/contact/device.hpp"

#include "tamis/base/error.hpp"

#include <cstring>
#include <new>

namespace tamis {

namespace {

struct InOrder {
    template <class F>
    static void run(const F& f, int count)
    {
        for (int i = 0; i < count; ++i) f(i);
    }
};

void copy(void* to, const void* from, std::size_t bytes)
{
    std::memcpy(to, from, bytes);
}

} // namespace

const DeviceAccess memory_of_this_processor{[](std::size_t bytes) { return ::operator new(bytes); },
                                            [](void* memory) { ::operator delete(memory); }, copy, copy};
const Device this_processor{memory_of_this_processor, device_kernels<InOrder, double>("colours"),
                            device_kernels<InOrder, float>("colours-float")};

#ifdef TAMIS_CUDA
extern const Device cuda;
const char* cuda_obstacle(); // in the words of CUDA, null if there is none

const Device& cuda_device()
{
    if (const char* obstacle = cuda_obstacle())
        fail("The solver cuda needs an NVIDIA device, and none can be used ({}); take another solver.",
             obstacle);
    return cuda;
}
#else
const Device& cuda_device()
{
    fail("The solver cuda is not in this build, since CUDA's compiler nvcc was not found or not wanted; "
         "install it and configure with -DTAMIS_CUDA=ON, or take another solver.");
}
#endif

void cuda_failed(const char* words_of_cuda)
{
    fail("The NVIDIA device failed ({}); take another solver.", words_of_cuda);
}

} // namespace tamis
