// A loop shared by threads. A single thread bypasses OpenMP, whose overhead would exceed the work of small
// scenes.
#pragma once

#include <algorithm>

namespace tamis {

// work(begin, end) on equal parts of 0 .. count - 1, one per thread; no two may write to the same place.
template <class Work>
void parallel_for(int count, int threads, const Work& work)
{
    if (threads <= 1) return work(0, count);
    const int share = (count + threads - 1) / threads;
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int k = 0; k < threads; ++k) work(std::min(k * share, count), std::min((k + 1) * share, count));
}

} // namespace tamis
