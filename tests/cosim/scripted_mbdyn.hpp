// MBDyn's side of its external structural force, as a script in another process. It shares no code with what it tests:
// plain system calls, messages put together field by field, payloads read by one call like MBDyn does.
#pragma once

#include "tamis/cosim/interface_motion.hpp"

#include <arpa/inet.h>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <functional>
#include <netinet/in.h>
#include <numbers>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tamis::scripted {

// A process that does `work` and ends with the number it returns; 99 if that throws.
class OtherProcess {
  public:
    explicit OtherProcess(const std::function<int()>& work) : process_(fork())
    {
        if (process_ != 0) return;
        prctl(PR_SET_PDEATHSIG, SIGKILL); // not to outlive a test that crashes
        int code = 99;
        try {
            code = work();
        } catch (...) {
        }
        _exit(code);
    }
    OtherProcess(const OtherProcess&) = delete;
    ~OtherProcess()
    {
        if (process_ <= 0) return;
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    // What it ended with, -1 if it had to be ended.
    int wait(double seconds = 20)
    {
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        int status = 0;
        while (waitpid(process_, &status, WNOHANG) == 0) {
            if (std::chrono::steady_clock::now() > end) return -1;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        process_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

  private:
    pid_t process_;
};

struct Failed : std::exception {};

// What the element says, in the order of the bits of the negotiation.
struct Element {
    std::string path; // empty: TCP
    int port = 0;
    bool create = true; // MBDyn listens
    std::uint32_t flags = 0x202;
    std::uint32_t nodes = 1;

    bool reference() const { return flags & 0x04; }
    bool accelerations() const { return flags & 0x08; }
    bool labels() const { return flags & 0x10; }
    std::uint32_t orientation() const { return flags & 0xf00; }
};

class Bytes {
  public:
    template <class T>
    Bytes& operator<<(const T& value)
    {
        text_.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    Bytes& operator<<(const Eigen::Vector3d& x) { return *this << x[0] << x[1] << x[2]; }
    const std::string& text() const { return text_; }

  private:
    std::string text_;
};

inline Bytes& put_turn(Bytes& out, std::uint32_t kind, const Eigen::Quaterniond& turn)
{
    if (kind == 0x200) {
        const Eigen::Matrix3d R = turn.toRotationMatrix();
        for (int column = 0; column < 3; ++column)
            for (int row = 0; row < 3; ++row) out << R(row, column);
    } else if (kind == 0x100) {
        const Eigen::AngleAxisd a(turn);
        out << Eigen::Vector3d(a.angle() * a.axis());
    } else if (kind == 0x400) { // R = R_x(a) R_y(b) R_z(c), degrees
        const Eigen::Matrix3d R = turn.toRotationMatrix();
        const double degree = 180 / std::numbers::pi;
        out << degree * std::atan2(-R(1, 2), R(2, 2)) << degree * std::asin(R(0, 2))
            << degree * std::atan2(-R(0, 1), R(0, 0));
    }
    return out;
}

// Labels are 11, 12, ... and 5 of the reference node. With a reference node the motions are relative already.
inline std::string motion_bytes(const Element& e, const std::vector<InterfaceMotion>& nodes,
                                const InterfaceMotion& reference = {})
{
    Bytes out;
    const bool turns = e.orientation() != 0;
    if (e.reference()) {
        if (e.labels()) out << std::uint32_t{5} << std::uint32_t{0};
        out << reference.x;
        put_turn(out, e.orientation(), reference.turn) << reference.v;
        if (turns) out << reference.omega;
        if (e.accelerations()) out << reference.a;
        if (e.accelerations() && turns) out << reference.alpha;
    }
    if (e.labels()) {
        for (std::uint32_t i = 0; i < e.nodes; ++i) out << std::uint32_t{11 + i};
        if (e.nodes % 2 == 1) out << std::uint32_t{0xdeadbeef}; // anything
    }
    for (const InterfaceMotion& m : nodes) out << m.x;
    for (const InterfaceMotion& m : nodes) put_turn(out, e.orientation(), m.turn);
    for (const InterfaceMotion& m : nodes) out << m.v;
    if (turns)
        for (const InterfaceMotion& m : nodes) out << m.omega;
    if (e.accelerations())
        for (const InterfaceMotion& m : nodes) out << m.a;
    if (e.accelerations() && turns)
        for (const InterfaceMotion& m : nodes) out << m.alpha;
    return out.text();
}

struct Answer {
    int command = -1; // -1: the other side closed the connection
    std::vector<Wrench> forces;
    Wrench reference;
};

inline Eigen::Vector3d vector_at(const std::string& bytes, std::size_t at)
{
    Eigen::Vector3d x;
    std::memcpy(x.data(), bytes.data() + at, 24);
    return x;
}

inline void require(bool holds)
{
    if (!holds) throw Failed();
}

inline std::size_t size_of_reference_forces(const Element& e)
{
    return !e.reference() ? 0 : (e.labels() ? 8 : 0) + (e.orientation() != 0 ? 48 : 24);
}
inline std::size_t size_of_forces(const Element& e)
{
    return (e.labels() ? 4 * (e.nodes + e.nodes % 2) : 0) + e.nodes * (e.orientation() != 0 ? 48 : 24);
}

// Of both parts, one behind the other.
inline void read_forces(const Element& e, const std::string& bytes, Answer& answer)
{
    const Eigen::Vector3d none(0, 0, 0);
    const bool turns = e.orientation() != 0;
    std::size_t at = size_of_reference_forces(e);
    require(bytes.size() == at + size_of_forces(e));
    if (e.reference()) {
        const std::size_t head = e.labels() ? 8 : 0;
        if (e.labels()) require(bytes.substr(0, 4) == (Bytes() << std::uint32_t{5}).text());
        answer.reference = {vector_at(bytes, head), turns ? vector_at(bytes, head + 24) : none};
    }
    if (e.labels()) {
        for (std::uint32_t i = 0; i < e.nodes; ++i)
            require(bytes.substr(at + 4 * i, 4) == (Bytes() << std::uint32_t{11 + i}).text());
        at += 4 * (e.nodes + e.nodes % 2);
    }
    for (std::uint32_t i = 0; i < e.nodes; ++i)
        answer.forces.push_back(
            {vector_at(bytes, at + 24 * i), turns ? vector_at(bytes, at + 24 * (e.nodes + i)) : none});
}

class ScriptedMbdyn {
  public:
    explicit ScriptedMbdyn(Element element) : e(std::move(element)) {}
    ~ScriptedMbdyn()
    {
        if (socket_ >= 0) close(socket_);
        if (listener_ >= 0) close(listener_);
        if (listener_ >= 0 && !e.path.empty()) unlink(e.path.c_str());
    }

    // Both roles.
    void meet()
    {
        sockaddr_storage address{};
        socklen_t size = 0;
        if (e.path.empty()) {
            auto& in = reinterpret_cast<sockaddr_in&>(address);
            in.sin_family = AF_INET;
            in.sin_port = htons(static_cast<std::uint16_t>(e.port));
            in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            size = sizeof in;
        } else {
            auto& un = reinterpret_cast<sockaddr_un&>(address);
            un.sun_family = AF_UNIX;
            std::strncpy(un.sun_path, e.path.c_str(), sizeof un.sun_path - 1);
            size = sizeof un;
        }
        const int family = e.path.empty() ? AF_INET : AF_UNIX, on = 1;
        if (e.create) {
            listener_ = ::socket(family, SOCK_STREAM, 0);
            setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
            require(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                    listen(listener_, 1) == 0);
            socket_ = ::accept(listener_, nullptr, nullptr);
            require(socket_ >= 0);
        } else {
            for (int k = 0;; ++k) {
                socket_ = ::socket(family, SOCK_STREAM, 0);
                if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), size) == 0) break;
                close(socket_);
                require(k < 1000);
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            }
        }
    }
    void negotiate()
    {
        if (e.create)
            require(receive_all(9) == layout());
        else
            say(layout());
    }
    std::string layout() const { return (Bytes() << std::uint8_t{7} << e.flags << e.nodes).text(); }
    void begin()
    {
        meet();
        negotiate();
        command(8); // in both roles
    }

    void say(const std::string& bytes)
    {
        require(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                static_cast<ssize_t>(bytes.size()));
    }
    void command(int number) { say(std::string(1, static_cast<char>(number))); }
    // The command by itself, then the reference node and the nodes, in several calls.
    void tell(int number, const std::vector<InterfaceMotion>& nodes, const InterfaceMotion& reference = {})
    {
        command(number);
        const std::string bytes = motion_bytes(e, nodes, reference);
        const std::size_t part = e.reference() ? bytes.size() / 3 : bytes.size();
        for (std::size_t at = 0; at < bytes.size(); at += part) say(bytes.substr(at, part));
    }
    // A payload must be there as a whole when its first byte is.
    Answer hear()
    {
        Answer answer;
        const std::string byte = receive_all(1, true);
        if (byte.empty()) return answer;
        answer.command = static_cast<unsigned char>(byte[0]);
        if (answer.command != 2 && answer.command != 6) return answer;
        std::string bytes;
        if (e.reference()) bytes = receive_once(size_of_reference_forces(e));
        read_forces(e, bytes + receive_once(size_of_forces(e)), answer);
        return answer;
    }
    // The end, as MBDyn tells it: whatever the other side has still to say is not read.
    void end()
    {
        command(5);
        const linger at_once{1, 0};
        setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close(socket_);
        socket_ = -1;
    }

    Element e;

  private:
    std::string receive_all(std::size_t size, bool or_nothing = false)
    {
        std::string bytes(size, '\0');
        const ssize_t n = recv(socket_, bytes.data(), size, MSG_WAITALL);
        if (n <= 0 && or_nothing) return "";
        require(n == static_cast<ssize_t>(size));
        return bytes;
    }
    std::string receive_once(std::size_t size)
    {
        std::string bytes(size, '\0');
        require(recv(socket_, bytes.data(), size, 0) == static_cast<ssize_t>(size));
        return bytes;
    }

    int listener_ = -1, socket_ = -1;
};

} // namespace tamis::scripted
