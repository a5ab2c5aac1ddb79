// The step of a penalty bed on a device. The bed makes its lists itself; between two of them balls and histories stay
// in the memory of the device, and sums alone travel: by block of balls, as the other kernels make them, with the same
// bits (but for those of equal balls, which have kernels of their own there).
#pragma once

#include "tamis/dem/penalty_device.hpp"
#include "tamis/dem/wall_list.hpp"

#include <Eigen/Core>
#include <span>
#include <vector>

namespace tamis {

class DeviceBalls {
  public:
    explicit DeviceBalls(const PenaltyDevice& device) : device_(device) {}
    // All balls and lists anew.
    void send(const BallRows& rows, int laws, PairList& pairs, WallList& walls,
              std::span<const DeviceSurface> surfaces, int parts);
    // Forces of all contacts; overlaps of pairs, and by blocks what walls do.
    void push(std::span<const WallMotion> walls, DeepestOverlap& of_pairs,
              std::span<DeepestOverlap> of_blocks, std::span<WallPush> by_block);
    // Motion by these forces.
    void move(const Eigen::Vector3d& gravity, const Eigen::Vector3d& mean, std::span<MotionSums> by_block);
    // Balls and histories as they are now, into what they were sent from.
    void fetch(const BallRows& rows, PairList& pairs, WallList& walls) const;

  private:
    struct Contacts {
        DeviceMemory<double> u, depth, answer;
        DeviceMemory<unsigned char> touched;
    };
    struct Slots {
        DeviceMemory<int> first, slot;
    };
    DeviceContacts contacts(Contacts& at, const double* u, const unsigned char* touched, int count);
    SlotsOfBalls by_ball(Slots& at, std::span<const int> ball);
    void fetch_contacts(const Contacts& from, double* u, unsigned char* touched, int count) const;

    const PenaltyDevice& device_;
    PenaltyMemory bed_{};
    int at_walls_ = 0; // with those that fill up
    DeviceMemory<double> x_, v_, laws_, term_, point_;
    DeviceMemory<int> material_, i_, j_, ball_, surface_of_, first_group_;
    Contacts of_pairs_, of_walls_;
    Slots before_, behind_, of_ball_;
    DeviceMemory<DeviceSurface> surface_;
    DeviceMemory<WallMotion> motion_;
    DeviceMemory<WallGroup> group_;
    DeviceMemory<WallPush> push_;
    DeviceMemory<DeepestOverlap> deepest_;
    DeviceMemory<MotionSums> sums_;
    std::vector<int> first_, slot_; // while sending
    std::vector<unsigned char> bytes_;
    std::vector<DeepestOverlap> found_;
};

} // namespace tamis
