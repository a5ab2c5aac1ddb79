// The inputs of a peer over one macro step: a polynomial of order 0, 1 or 2 in time through samples.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace tamis {

class Signal {
  public:
    struct Sample {
        double t; // since the start of the macro step, s
        std::span<const double> u;
    };

    explicit Signal(int size) : size_(static_cast<std::size_t>(size)), c_(3 * size_) {}
    int size() const { return static_cast<int>(size_); }
    int order() const { return order_; }

    // Through one to three samples, the newest first: its value is met to the last bit. Newton's form,
    //     u(t) = c_0 + (t - t_0) (c_1 + (t - t_1) c_2)
    void through(std::span<const Sample> samples)
    {
        order_ = static_cast<int>(samples.size()) - 1;
        for (int k = 0; k < 2; ++k) t_[k] = samples[k <= order_ ? k : 0].t;
        for (std::size_t i = 0; i < size_; ++i) {
            double* c = &c_[3 * i];
            c[0] = samples[0].u[i];
            c[1] = order_ < 1 ? 0 : (samples[0].u[i] - samples[1].u[i]) / (samples[0].t - samples[1].t);
            if (order_ < 2) {
                c[2] = 0;
            } else {
                const double before = (samples[1].u[i] - samples[2].u[i]) / (samples[1].t - samples[2].t);
                c[2] = (c[1] - before) / (samples[0].t - samples[2].t);
            }
        }
    }

    void at(double t, std::span<double> u) const
    {
        for (std::size_t i = 0; i < size_; ++i) {
            const double* c = &c_[3 * i];
            u[i] = c[0] + (t - t_[0]) * (c[1] + (t - t_[1]) * c[2]);
        }
    }

    // du/dt, for peers that also want the rates of their inputs
    void slope(double t, std::span<double> rate) const
    {
        for (std::size_t i = 0; i < size_; ++i) {
            const double* c = &c_[3 * i];
            rate[i] = c[1] + ((t - t_[0]) + (t - t_[1])) * c[2];
        }
    }

  private:
    std::size_t size_;
    int order_ = 0;
    std::array<double, 2> t_{};
    std::vector<double> c_;
};

} // namespace tamis
