// MBDyn as the smooth side of a coupling, by the socket of its external structural force: it is told the wrench on one
// of the element's nodes, and gives the motion of this node. MBDyn is the master, it owns time and iterations: a macro
// step here is a time step there.
#pragma once

#include "tamis/cosim/child_program.hpp"
#include "tamis/cosim/mbdyn_protocol.hpp"
#include "tamis/cosim/peer.hpp"
#include "tamis/cosim/stream_socket.hpp"

#include <optional>

namespace tamis {

// What `coupling` says in MBDyn's input.
enum class MbdynCoupling {
    loose,     // one exchange in a step, of the predicted motion
    staggered, // the same, of the motion at the end of the step; the wrench serves the next one
    tight,     // as many as this side wants, or every N-th of MBDyn's iterations
};

struct MbdynOptions {
    SocketAddress address;
    bool listen = false; // MBDyn connects (`create, no`), else this program does (`create, yes`)
    double timeout = 60; // of the connection and of every message, s
    MbdynLayout layout;
    int node = 0;              // that carries the nonsmooth side, by its place in the element
    std::optional<Pose> frame; // of MBDyn's world in this one's
    MbdynCoupling coupling = MbdynCoupling::tight;
    double reach = 0; // as far as MBDyn's node may be from the marker at the start, m; 0: anywhere
    std::optional<ChildProgram::Command> start; // starts MBDyn, too
};

class MbdynPeer : public Peer {
  public:
    // Connects and negotiates. `start` is the motion of the marker there, as MBDyn tells it only in couplings that are
    // not tight.
    MbdynPeer(MbdynOptions options, const InterfaceMotion& start, double H);
    ~MbdynPeer() override; // tells MBDyn to stop, if it has not come to its end

    std::string name() const override { return "MBDyn's side"; }
    int inputs() const override { return wrench_size; }
    int outputs() const override { return InterfaceMotion::size; }
    void output(std::span<const double> u, std::span<double> y) const override; // as MBDyn last told it
    bool predict(double H, std::span<double> y) override;
    void advance(double H, const Signal& u) override;
    void save() override {} // MBDyn repeats a step until it is told that the wrench is final
    void conclude() override { final_ = true; }
    void accept() override;
    std::uint64_t state_hash() const override;

  private:
    void connect();
    void negotiate();
    void take(std::span<std::byte> bytes);
    void give(std::span<const std::byte> bytes);
    void receive(MbdynCommand expected); // motion
    void send(MbdynCommand command, const Wrench& wrench);
    void leave();
    [[noreturn]] void end(const char* how);
    double time() const { return static_cast<double>(steps_) * H_; }

    MbdynOptions options_;
    InterfaceMotion marker_; // in this world
    double H_;
    long steps_ = 0;
    bool final_ = false;               // the next wrench, in this step
    bool told_ = false;                // a first motion
    bool waits_ = false, gone_ = true; // MBDyn: for an answer; or is not known to listen
    std::optional<ChildProgram> program_;
    std::optional<StreamSocket> socket_;
    MbdynMotion motion_;
    std::vector<std::byte> bytes_;
    std::array<double, wrench_size> wire_;
};

} // namespace tamis
