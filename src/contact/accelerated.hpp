// Acceleration of sweeps that map a state x = (impulses, velocities) to G(x). Velocities are
// affine in the impulses, so that impulses and velocities mixed with the same weights, which sum
// to one, still belong together.
#pragma once

#include <cstddef>
#include <vector>

namespace tamis {

enum class Acceleration { none, anderson, nncg };

template <class T>
class Accelerator {
  public:
    // Of the `size` numbers of a state the first `measured` say how far it is from a solution.
    void start(Acceleration kind, std::size_t measured, std::size_t size, int threads);
    int sweeps() const; // that make up G

    std::vector<T> before, after; // x and G(x)
    // From x and G(x), both filled by the caller, the state to go on from, in `before`.
    void mix();
    // True while plain sweeps are to follow; then x is wanted again once awake().
    bool rest() { return rest_ > 0 && rest_-- > 0; }
    bool awake() const { return rest_ == 0; }
    int rejected() const { return rejected_; } // how often the last mixture was undone

  private:
    static constexpr int depth = 5;

    template <class Work>
    void chunks(const Work& work); // work(first, end, chunk) over fixed chunks of a state
    double sum(int column) const;  // of partial_ over the chunks
    void mix_anderson();
    void mix_nncg();

    Acceleration kind_ = Acceleration::none;
    std::size_t measured_ = 0, size_ = 0;
    int threads_ = 1;
    std::vector<T> step_, plain_; // G(x) - x and G(x) of the last time; NNCG: direction in step_
    std::vector<T> d_step_[depth], d_plain_[depth]; // their latest differences
    std::vector<double> partial_;                   // sums over chunks, 2 depth + 1 columns
    double gram_[depth][depth];
    int columns_ = 0, next_ = 0; // differences held, place of the next
    bool last_ = false;          // step_ and plain_ are there
    bool mixed_ = false;         // `before` was a mixture
    int waited_ = 0;             // mixtures since |f| was smallest
    int rest_ = 0, next_rest_ = 0, rejected_ = 0;
    double square_ = 0; // |f|^2: Anderson, smallest; NNCG, last
};

} // namespace tamis
