// A connection to another program on this machine or elsewhere: a Unix socket or TCP. Nothing waits longer than asked,
// nor once a signal came.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace tamis {

struct SocketAddress {
    std::string path;               // of a Unix socket; empty: TCP
    int port = 0;                   // of TCP
    std::string host = "127.0.0.1"; // of TCP: this machine, unless another is asked for

    std::string text() const; // for messages
};

class StreamSocket {
  public:
    // Waits until somebody listens there. `meanwhile` is called now and then, and ends the waiting by throwing.
    static StreamSocket connect(const SocketAddress& address, double seconds,
                                const std::function<void()>& meanwhile = {});
    // Listens until the first client comes; further ones are refused. A path must not exist yet.
    static StreamSocket accept(const SocketAddress& address, double seconds,
                               const std::function<void()>& meanwhile = {});

    StreamSocket(StreamSocket&& other) noexcept;
    StreamSocket& operator=(StreamSocket&&) = delete;
    ~StreamSocket();

    // All bytes within that time; false if the other side had closed the connection before the first of them.
    bool receive(std::span<std::byte> bytes, double seconds);
    // By one call as far as the system takes them, since receivers need not wait for parts; false if the other side has
    // closed.
    bool send(std::span<const std::byte> bytes, double seconds);

  private:
    StreamSocket(int descriptor, SocketAddress address)
        : descriptor_(descriptor), address_(std::move(address))
    {
    }

    int descriptor_ = -1;
    SocketAddress address_;
};

} // namespace tamis
