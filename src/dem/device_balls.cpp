// Contacts are sorted by balls, and the bits of histories are bytes, which threads can write side by side.
#include "tamis/dem/device_balls.hpp"

#include <algorithm>
#include <numeric>

namespace tamis {

DeviceContacts DeviceBalls::contacts(Contacts& at, const double* u, const unsigned char* touched, int count)
{
    at.u.resize(device_, 3 * static_cast<std::size_t>(count));
    if (bed_.rows.elastic) at.u.upload(u, 3 * static_cast<std::size_t>(count));
    bytes_.resize(count);
    for (int k = 0; k < count; ++k) bytes_[k] = touched[k / 8] >> k % 8 & 1;
    at.touched.send(device_, bytes_);
    at.depth.resize(device_, count);
    at.answer.resize(device_, 16 * static_cast<std::size_t>(count));
    return {at.u.data(), at.touched.data(), at.depth.data(), at.answer.data()};
}

// Sorted by counting: of each ball in the order of the slots. Those beyond the balls fill up a list.
SlotsOfBalls DeviceBalls::by_ball(Slots& at, std::span<const int> ball)
{
    const int balls = bed_.rows.count;
    first_.assign(balls + 2, 0);
    for (const int b : ball)
        if (b < balls) ++first_[b + 2];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    slot_.resize(first_.back());
    for (int k = 0; k < static_cast<int>(ball.size()); ++k)
        if (ball[k] < balls) slot_[first_[ball[k] + 1]++] = k;
    return {at.first.send(device_, first_), at.slot.send(device_, slot_)};
}

void DeviceBalls::send(const BallRows& rows, int laws, PairList& pairs, WallList& walls,
                       std::span<const DeviceSurface> surfaces, int parts)
{
    const std::size_t balls = rows.count;
    bed_.rows = rows;
    bed_.rows.x = x_.send(device_, std::span(rows.x, 4 * balls));
    bed_.rows.v = v_.send(device_, std::span(rows.v, 8 * balls));
    bed_.rows.material = material_.send(device_, std::span(rows.material, balls));
    bed_.rows.laws = laws_.send(device_, std::span(rows.laws, 8 * static_cast<std::size_t>(laws)));
    term_.resize(device_, 16 * balls);
    bed_.rows.force = term_.data();

    const PairSlots near = pairs.slots();
    const std::span<const int> i(near.i, pairs.size()), j(near.j, pairs.size());
    bed_.i = i_.send(device_, i);
    bed_.j = j_.send(device_, j);
    bed_.pairs = pairs.size();
    bed_.of_pairs = contacts(of_pairs_, near.u, near.touched, bed_.pairs);
    bed_.before = by_ball(before_, j);
    bed_.behind = by_ball(behind_, i);

    const WallSlots at_walls = walls.slots();
    const std::span<const int> ball(at_walls.ball, at_walls.count);
    std::vector<int> surface_of(ball.size(), 0);
    for (const WallGroup& g : walls.groups()) std::fill_n(&surface_of[g.first], g.count, g.surface);
    at_walls_ = at_walls.count;
    bed_.ball = ball_.send(device_, ball);
    bed_.surface_of = surface_of_.send(device_, surface_of);
    bed_.of_walls = contacts(of_walls_, at_walls.u, at_walls.touched, at_walls_);
    bed_.at_walls = by_ball(of_ball_, ball);
    point_.resize(device_, 3 * ball.size());
    bed_.point = point_.data();
    bed_.surface = surface_.send(device_, surfaces);
    bed_.walls = parts;
    bed_.group = group_.send(device_, walls.groups());
    bed_.first_group = first_group_.send(device_, walls.first_groups());
    bed_.block_size = WallList::block_size;
}

void DeviceBalls::push(std::span<const WallMotion> walls, DeepestOverlap& of_pairs,
                       std::span<DeepestOverlap> of_blocks, std::span<WallPush> by_block)
{
    bed_.motion = motion_.send(device_, walls);
    device_.push_pairs({bed_}, bed_.pairs);
    device_.push_at_walls({bed_}, at_walls_);
    const int blocks = static_cast<int>(of_blocks.size());
    push_.resize(device_, by_block.size());
    deepest_.resize(device_, blocks);
    device_.sum_walls({bed_, push_.data(), deepest_.data()}, blocks);
    push_.download(by_block.data(), by_block.size());
    deepest_.download(of_blocks.data(), blocks);

    const int parts = (bed_.pairs + FindDeepest::part_size - 1) / FindDeepest::part_size;
    found_.resize(parts);
    deepest_.resize(device_, parts);
    device_.find_deepest({bed_, deepest_.data()}, parts);
    deepest_.download(found_.data(), parts);
    of_pairs = {0, -1, -1, 0};
    for (const DeepestOverlap& d : found_) {
        const int contacts = of_pairs.contacts + d.contacts;
        if (d.delta > of_pairs.delta) of_pairs = d;
        of_pairs.contacts = contacts;
    }
}

void DeviceBalls::move(const Eigen::Vector3d& gravity, const Eigen::Vector3d& mean,
                       std::span<MotionSums> by_block)
{
    const int blocks = static_cast<int>(by_block.size());
    device_.move_balls({bed_, {gravity[0], gravity[1], gravity[2]}, {mean[0], mean[1], mean[2]}},
                       bed_.rows.count);
    sums_.resize(device_, blocks);
    device_.sum_motion({bed_, sums_.data()}, blocks);
    sums_.download(by_block.data(), blocks);
}

void DeviceBalls::fetch_contacts(const Contacts& from, double* u, unsigned char* touched, int count) const
{
    if (!bed_.rows.elastic) return; // without history
    from.u.download(u, 3 * static_cast<std::size_t>(count));
    std::vector<unsigned char> bytes(count);
    from.touched.download(bytes.data(), count);
    std::fill_n(touched, (count + 7) / 8, static_cast<unsigned char>(0));
    for (int k = 0; k < count; ++k) touched[k / 8] |= static_cast<unsigned char>(bytes[k] << k % 8);
}

void DeviceBalls::fetch(const BallRows& rows, PairList& pairs, WallList& walls) const
{
    x_.download(rows.x, 4 * static_cast<std::size_t>(rows.count));
    v_.download(rows.v, 8 * static_cast<std::size_t>(rows.count));
    const PairSlots near = pairs.slots();
    fetch_contacts(of_pairs_, near.u, near.touched, pairs.size());
    const WallSlots at_walls = walls.slots();
    fetch_contacts(of_walls_, at_walls.u, at_walls.touched, at_walls.count);
}

} // namespace tamis
