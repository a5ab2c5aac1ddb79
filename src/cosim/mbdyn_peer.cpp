// One macro step, as seen from here; 2 and 6 are the commands in front of a motion or of forces:
//
//     loose       receive 6, predicted motion; advance; send 6
//     staggered   send 2, the wrench of the last step; receive 6, motion at the end; advance
//     tight       receive 2, predicted motion; repeat: advance, send 2, receive 2, motion; at the end send 6
//
// MBDyn takes no more forces after a 6 in this step, and tells no motion that it then arrives at. Before the first step
// a loose coupling exchanges the motion at the start, a staggered one sends it twice, before and after MBDyn has found
// its accelerations, and a tight one nothing.
#include "tamis/cosim/mbdyn_peer.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/state_hash.hpp"

#include <algorithm>

namespace tamis {

using Eigen::Vector3d;

namespace {

constexpr double farewell = 10; // s at most for MBDyn's last words

std::span<std::byte> bytes_of(std::uint8_t& value)
{
    return std::as_writable_bytes(std::span(&value, 1));
}

} // namespace

MbdynPeer::MbdynPeer(MbdynOptions options, const InterfaceMotion& start, double H)
    : options_(std::move(options)), marker_(start), H_(H)
{
    const MbdynLayout& layout = options_.layout;
    if (layout.nodes < 1 || options_.node < 0 || options_.node >= layout.nodes)
        fail("Node {} of MBDyn's element was to carry the nonsmooth side, and it has {}: count from 1.",
             options_.node + 1, layout.nodes);
    if (layout.reference && layout.orientation == MbdynOrientation::none)
        fail("Motion relative to a reference node cannot be understood without its orientation: give MBDyn's "
             "element one.");
    if (options_.start) program_.emplace(*options_.start);
    try {
        connect();
        negotiate();
        if (options_.coupling == MbdynCoupling::tight) return;
        receive(MbdynCommand::data_and_next);
        const bool staggered = options_.coupling == MbdynCoupling::staggered;
        send(staggered ? MbdynCommand::data : MbdynCommand::data_and_next, {});
        if (staggered) receive(MbdynCommand::data_and_next);
    } catch (...) {
        leave(); // there is no destructor yet
        throw;
    }
}

MbdynPeer::~MbdynPeer()
{
    leave();
}

void MbdynPeer::connect()
{
    const auto alive = [&] {
        if (program_ && !program_->runs())
            fail("{} ended before it was connected, with these words: {}", program_->name(),
                 program_->last_words());
    };
    socket_.emplace(options_.listen ? StreamSocket::accept(options_.address, options_.timeout, alive)
                                    : StreamSocket::connect(options_.address, options_.timeout, alive));
}

void MbdynPeer::negotiate()
{
    std::uint8_t answer = 0;
    if (options_.listen) { // MBDyn tells, and then says itself that all is well
        bytes_.resize(mbdyn_negotiation_size);
        take(bytes_);
        gone_ = true; // it knows nothing to do but to go on
        check_mbdyn_negotiation(options_.layout, bytes_);
    } else {
        give(mbdyn_negotiation(options_.layout));
    }
    take(bytes_of(answer));
    if (answer == static_cast<std::uint8_t>(MbdynCommand::ok)) return;
    gone_ = true;
    if (answer == static_cast<std::uint8_t>(MbdynCommand::abort))
        fail("MBDyn refused {}: its element says otherwise, make them the same.", options_.layout.text());
    fail("MBDyn answered the negotiation with {}, neither {} nor {}: is it the socket of an external "
         "structural force?",
         answer, static_cast<int>(MbdynCommand::ok), static_cast<int>(MbdynCommand::abort));
}

void MbdynPeer::take(std::span<std::byte> bytes)
{
    gone_ = true; // unless it answers
    if (!socket_->receive(bytes, options_.timeout)) end("closed the connection");
    gone_ = false;
}

void MbdynPeer::give(std::span<const std::byte> bytes)
{
    gone_ = true;
    if (!socket_->send(bytes, options_.timeout)) end("closed the connection");
    gone_ = false;
}

void MbdynPeer::receive(MbdynCommand expected)
{
    std::uint8_t command = 0;
    take(bytes_of(command));
    if (command == static_cast<std::uint8_t>(MbdynCommand::abort)) end("ended");
    const bool data = command == static_cast<std::uint8_t>(MbdynCommand::data);
    if (!data && command != static_cast<std::uint8_t>(MbdynCommand::data_and_next)) {
        gone_ = true;
        fail("MBDyn sent the unknown command {} at t = {:.6g} s: do both sides have {}?", command, time(),
             options_.layout.text());
    }
    bytes_.resize(options_.layout.motion_size());
    take(bytes_);
    waits_ = true;
    if (command != static_cast<std::uint8_t>(expected))
        fail("MBDyn's input says 'coupling, {}', and this run is {}: give both the same.",
             data ? "tight' or 'coupling, N" : "loose' or 'coupling, staggered",
             data ? "not iterated" : "iterated");
    motion_ = read_mbdyn_motion(options_.layout, bytes_);
    const InterfaceMotion& node = motion_.nodes[static_cast<std::size_t>(options_.node)];
    const InterfaceMotion seen = options_.frame ? node.seen_from(*options_.frame) : node;
    if (!std::exchange(told_, true) && options_.reach > 0) // at the start, or a step later
        check_start("MBDyn's node", seen, marker_, options_.reach,
                    options_.layout.orientation != MbdynOrientation::none, 10 * H_);
    marker_ = seen;
}

void MbdynPeer::send(MbdynCommand command, const Wrench& wrench)
{
    std::vector<Wrench> forces(motion_.nodes.size());
    Wrench& force = forces[static_cast<std::size_t>(options_.node)];
    force = wrench;
    if (options_.frame) {
        const Eigen::Matrix3d back = options_.frame->R.transpose();
        force = {back * wrench.force, back * wrench.moment};
    }
    waits_ = false;
    give(mbdyn_forces(options_.layout, command, motion_, forces));
}

void MbdynPeer::output(std::span<const double>, std::span<double> y) const
{
    marker_.write(y);
}

bool MbdynPeer::predict(double, std::span<double> y)
{
    if (options_.coupling == MbdynCoupling::staggered) return false;
    receive(options_.coupling == MbdynCoupling::tight ? MbdynCommand::data : MbdynCommand::data_and_next);
    marker_.write(y);
    return true;
}

void MbdynPeer::advance(double H, const Signal& u)
{
    u.at(H, wire_);
    const Wrench wrench = read_wrench(wire_);
    switch (options_.coupling) {
    case MbdynCoupling::loose:
        return send(MbdynCommand::data_and_next, wrench);
    case MbdynCoupling::staggered:
        send(MbdynCommand::data, wrench);
        return receive(MbdynCommand::data_and_next);
    case MbdynCoupling::tight:
        send(final_ ? MbdynCommand::data_and_next : MbdynCommand::data, wrench);
        if (!final_) receive(MbdynCommand::data);
    }
}

void MbdynPeer::accept()
{
    ++steps_;
    final_ = false;
}

std::uint64_t MbdynPeer::state_hash() const
{
    std::array<double, InterfaceMotion::size> wire;
    marker_.write(wire);
    StateHash hash;
    hash.add(wire.data(), wire.size());
    return hash.value;
}

void MbdynPeer::end(const char* how)
{
    gone_ = true;
    if (program_) program_->wait(1); // for the end of its log
    const std::string words = program_ ? program_->last_words() : "";
    fail("MBDyn {} at t = {:.6g} s, before this run: give both the same final time, or see why in its "
         "log{}{}.",
         how, time(), words.empty() ? "" : ": ", words);
}

// MBDyn writes a last command when it ends, which nobody there to read would make it fail.
void MbdynPeer::leave()
{
    if (!socket_ || gone_) return;
    gone_ = true;
    try {
        const double seconds = std::min(options_.timeout, farewell);
        std::uint8_t command = static_cast<std::uint8_t>(MbdynCommand::abort);
        if (waits_) socket_->send(bytes_of(command), seconds);
        for (int k = 0; k < 2; ++k) {
            if (!socket_->receive(bytes_of(command), seconds) ||
                command == static_cast<std::uint8_t>(MbdynCommand::abort))
                return;
            bytes_.resize(options_.layout.motion_size());
            if (!socket_->receive(bytes_, seconds)) return;
            command = static_cast<std::uint8_t>(MbdynCommand::abort);
            socket_->send(bytes_of(command), seconds);
        }
    } catch (const std::exception&) { // no answer is one, too
    }
}

} // namespace tamis
