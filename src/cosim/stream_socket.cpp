// Descriptors do not block: every wait is a poll() with an end, which a signal cuts short.
#include "tamis/cosim/stream_socket.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace tamis {

namespace {

constexpr double glance = 0.02; // s between two looks at what cannot be waited for

class Deadline {
  public:
    explicit Deadline(double seconds) : end_(Clock::now() + std::chrono::duration<double>(seconds)) {}
    double left() const { return std::chrono::duration<double>(end_ - Clock::now()).count(); }

  private:
    using Clock = std::chrono::steady_clock;
    std::chrono::time_point<Clock, std::chrono::duration<double>> end_;
};

// An address as the system wants it.
struct Native {
    sockaddr_storage storage{};
    socklen_t size = 0;
    sockaddr* pointer() { return reinterpret_cast<sockaddr*>(&storage); }
};

Native native(const SocketAddress& address)
{
    Native n;
    if (!address.path.empty()) {
        sockaddr_un unix_address{};
        unix_address.sun_family = AF_UNIX;
        if (address.path.size() >= sizeof unix_address.sun_path)
            fail("The path of the socket '{}' has {} characters: {} are allowed, choose a shorter one.",
                 address.path, address.path.size(), sizeof unix_address.sun_path - 1);
        std::memcpy(unix_address.sun_path, address.path.c_str(), address.path.size() + 1);
        std::memcpy(&n.storage, &unix_address, sizeof unix_address);
        n.size = sizeof unix_address;
        return n;
    }
    addrinfo hints{}, *found = nullptr;
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    const std::string port = std::to_string(address.port);
    if (const int error = getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found); error != 0)
        fail("The host '{}' is not known ({}): give another name, or its address.", address.host,
             gai_strerror(error));
    std::memcpy(&n.storage, found->ai_addr, found->ai_addrlen);
    n.size = found->ai_addrlen;
    freeaddrinfo(found);
    return n;
}

class Descriptor {
  public:
    explicit Descriptor(const SocketAddress& address)
        : value(
              socket(address.path.empty() ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
    {
        if (value < 0) fail("The system gives no socket for {}: {}.", address.text(), std::strerror(errno));
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (value >= 0) close(value);
    }
    int release() { return std::exchange(value, -1); }
    int value;
};

void set(int descriptor, int level, int option)
{
    const int on = 1;
    setsockopt(descriptor, level, option, &on, sizeof on);
}

// Whether the event, or the end of the connection, came in time.
bool wait(int descriptor, short event, double seconds, const SocketAddress& address)
{
    pollfd poll_descriptor{descriptor, event, 0};
    const int most = 1'000'000'000; // ms
    const int time = seconds <= 0 ? 0 : seconds < most / 1e3 ? static_cast<int>(seconds * 1e3) + 1 : most;
    const int found = poll(&poll_descriptor, 1, time);
    if (found < 0 && errno == EINTR) fail("A signal ended the wait for {}.", address.text());
    if (found < 0) fail("Waiting for {} failed: {}.", address.text(), std::strerror(errno));
    return found > 0;
}

[[noreturn]] void silent(const char* verb, double seconds, const SocketAddress& address)
{
    fail(
        "The program at {} has {} nothing for {} s: it hangs, needs more time, or waits itself, as when both "
        "sides mean different couplings.",
        address.text(), verb, seconds);
}

} // namespace

std::string SocketAddress::text() const
{
    return path.empty() ? fmt::format("{}:{}", host, port) : fmt::format("'{}'", path);
}

StreamSocket StreamSocket::connect(const SocketAddress& address, double seconds,
                                   const std::function<void()>& meanwhile)
{
    Native to = native(address);
    const Deadline deadline(seconds);
    for (;;) {
        Descriptor descriptor(address);
        int error = ::connect(descriptor.value, to.pointer(), to.size) == 0 ? 0 : errno;
        if (error == EINPROGRESS) {
            socklen_t size = sizeof error;
            if (!wait(descriptor.value, POLLOUT, deadline.left(), address))
                error = ETIMEDOUT;
            else if (getsockopt(descriptor.value, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
                error = errno;
        }
        if (error == 0) {
            if (address.path.empty()) set(descriptor.value, IPPROTO_TCP, TCP_NODELAY);
            return {descriptor.release(), address};
        }
        if (error != ENOENT && error != ECONNREFUSED && error != EAGAIN && error != ETIMEDOUT)
            fail("There is no way to {} ({}): give the address at which the other program listens.",
                 address.text(), std::strerror(error));
        if (deadline.left() <= 0) {
            if (!address.path.empty() && error == ECONNREFUSED)
                fail("Nobody listens at {}, although the file exists: if an earlier run left it, remove it, "
                     "then start the other program.",
                     address.text());
            fail("Nobody listens at {} after {} s: start the other program, or give it more time.",
                 address.text(), seconds);
        }
        if (meanwhile) meanwhile();
        wait(-1, 0, std::min(glance, deadline.left()), address);
    }
}

StreamSocket StreamSocket::accept(const SocketAddress& address, double seconds,
                                  const std::function<void()>& meanwhile)
{
    Native at = native(address);
    struct stat file;
    if (!address.path.empty() && lstat(address.path.c_str(), &file) == 0)
        fail("'{}' exists already: {}; remove it, or choose another path.", address.path,
             S_ISSOCK(file.st_mode) ? "another run listens there, or an earlier one left it"
                                    : "it is no socket");
    Descriptor listener(address);
    if (address.path.empty()) set(listener.value, SOL_SOCKET, SO_REUSEADDR);
    if (bind(listener.value, at.pointer(), at.size) != 0)
        fail("It is not possible to listen at {} ({}): choose another address.", address.text(),
             std::strerror(errno));
    struct Unlink {
        const std::string& path;
        ~Unlink()
        {
            if (!path.empty()) unlink(path.c_str());
        }
    } unlink_at_the_end{address.path};
    if (listen(listener.value, 1) != 0)
        fail("It is not possible to listen at {} ({}): choose another address.", address.text(),
             std::strerror(errno));
    for (const Deadline deadline(seconds);;) {
        if (wait(listener.value, POLLIN, std::min(glance, deadline.left()), address)) {
            const int client = accept4(listener.value, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
            if (client >= 0) {
                if (address.path.empty()) set(client, IPPROTO_TCP, TCP_NODELAY);
                return {client, address};
            }
            if (errno != EAGAIN && errno != ECONNABORTED)
                fail("The connection to {} failed: {}.", address.text(), std::strerror(errno));
        }
        if (deadline.left() <= 0)
            fail("Nobody connected to {} within {} s: start the other program, or give it more time.",
                 address.text(), seconds);
        if (meanwhile) meanwhile();
    }
}

StreamSocket::StreamSocket(StreamSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), address_(std::move(other.address_))
{
}

StreamSocket::~StreamSocket()
{
    if (descriptor_ >= 0) close(descriptor_);
}

bool StreamSocket::receive(std::span<std::byte> bytes, double seconds)
{
    const Deadline deadline(seconds);
    std::size_t got = 0;
    while (got < bytes.size()) {
        // Else acknowledgements of small messages are held back for tens of milliseconds; the system forgets it.
        if (address_.path.empty()) set(descriptor_, IPPROTO_TCP, TCP_QUICKACK);
        const ssize_t n = recv(descriptor_, bytes.data() + got, bytes.size() - got, 0);
        if (n > 0) {
            got += static_cast<std::size_t>(n);
        } else if (n == 0 || errno == ECONNRESET) {
            if (got == 0) return false;
            fail("The program at {} closed the connection within a message: {} of {} bytes came.",
                 address_.text(), got, bytes.size());
        } else if (errno != EAGAIN && errno != EINTR) {
            fail("Receiving from {} failed: {}.", address_.text(), std::strerror(errno));
        } else if (!wait(descriptor_, POLLIN, deadline.left(), address_)) {
            silent("sent", seconds, address_);
        }
    }
    return true;
}

bool StreamSocket::send(std::span<const std::byte> bytes, double seconds)
{
    const Deadline deadline(seconds);
    while (!bytes.empty()) {
        const ssize_t n = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n >= 0)
            bytes = bytes.subspan(static_cast<std::size_t>(n));
        else if (errno == EPIPE || errno == ECONNRESET)
            return false;
        else if (errno != EAGAIN && errno != EINTR)
            fail("Sending to {} failed: {}.", address_.text(), std::strerror(errno));
        else if (!wait(descriptor_, POLLOUT, deadline.left(), address_))
            silent("taken", seconds, address_);
    }
    return true;
}

} // namespace tamis
