// Devices other than CUDA's own part, which is penalty_cuda.cu.
#include "tamis/dem/penalty_device.hpp"

#include "tamis/contact/device.hpp"

namespace tamis {

namespace {

struct InOrder {
    template <class F>
    static void run(const F& f, int count)
    {
        for (int i = 0; i < count; ++i) f(i);
    }
};

} // namespace

const PenaltyDevice& penalty_on_this_processor()
{
    static const PenaltyDevice device = penalty_device<InOrder>(this_processor);
    return device;
}

#ifdef TAMIS_CUDA
extern const PenaltyDevice penalty_on_cuda;
const PenaltyDevice& penalty_cuda()
{
    cuda_device(); // refuses
    return penalty_on_cuda;
}
#else
const PenaltyDevice& penalty_cuda()
{
    cuda_device();
    return penalty_on_this_processor();
}
#endif

} // namespace tamis
