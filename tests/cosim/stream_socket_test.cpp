// Connections that come, and those that do not: nothing waits longer than it should.
#include "tamis/cosim/stream_socket.hpp"

#include "cosim/scripted_mbdyn.hpp"
#include "error_of.hpp"
#include "io/scratch.hpp"

#include <gtest/gtest.h>
#include <sys/time.h>

namespace tamis::stream_socket_test {

using scripted::OtherProcess;

namespace {

SocketAddress at(const test::ScratchFolder& folder)
{
    return {.path = (folder / "socket").string()};
}

void bind_without_listening(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    close(descriptor);
}

template <class Action>
double seconds_of(Action&& action)
{
    const auto start = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

TEST(StreamSocket, BytesArriveAsTheyWereSentAndThenTheEnd)
{
    const test::ScratchFolder folder;
    std::vector<std::byte> much(1 << 20); // beyond what the system holds in between
    for (std::size_t k = 0; k < much.size(); ++k) much[k] = static_cast<std::byte>(k % 251);
    OtherProcess other([&] {
        StreamSocket socket = StreamSocket::connect(at(folder), 5);
        return socket.send(much, 5) ? 0 : 1;
    });
    StreamSocket socket = StreamSocket::accept(at(folder), 5);
    EXPECT_FALSE(std::filesystem::exists(folder / "socket")); // nobody else is to come
    std::vector<std::byte> received(much.size());
    std::this_thread::sleep_for(std::chrono::milliseconds(50)); // let the sender wait, too
    EXPECT_TRUE(socket.receive(received, 5));
    EXPECT_EQ(received, much);
    EXPECT_FALSE(socket.receive(received, 5));
    EXPECT_EQ(other.wait(), 0);
}

TEST(StreamSocket, WhatIsNotThereIsToldInOneSentence)
{
    const test::ScratchFolder folder;
    const SocketAddress address = at(folder);
    const auto connecting = [&](const SocketAddress& to) {
        return error_of([&] { StreamSocket::connect(to, 0.1); });
    };
    const auto accepting = [&](const SocketAddress& from) {
        return error_of([&] { StreamSocket::accept(from, 0.1); });
    };
    EXPECT_EQ(connecting(address), "Nobody listens at '" + address.path +
                                       "' after 0.1 s: start the other program, or give it more time.");
    EXPECT_EQ(accepting(address), "Nobody connected to '" + address.path +
                                      "' within 0.1 s: start the other program, or give it more time.");
    EXPECT_FALSE(std::filesystem::exists(address.path));
    bind_without_listening(address.path); // a stale file
    EXPECT_PRED2(contains, connecting(address), "if an earlier run left it, remove it");
    EXPECT_PRED2(contains, accepting(address), "an earlier one left it; remove it, or choose another path");
    EXPECT_TRUE(std::filesystem::exists(address.path));
    const SocketAddress file{.path = (folder / "file").string()};
    std::ofstream(file.path) << "text";
    EXPECT_PRED2(contains, accepting(file), "it is no socket");
    EXPECT_PRED2(contains, connecting({.path = std::string(200, 'x')}),
                 "has 200 characters: 107 are allowed");
    EXPECT_PRED2(contains, accepting({.path = (folder / "none" / "socket").string()}), "No such file");
    EXPECT_PRED2(contains, connecting({.port = 5501, .host = "no host"}), "The host 'no host' is not known");
}

TEST(StreamSocket, SilenceEndsAfterTheTimeGiven)
{
    const test::ScratchFolder folder;
    OtherProcess other([&] {
        StreamSocket socket = StreamSocket::connect(at(folder), 5);
        std::byte byte{1};
        socket.send({&byte, 1}, 5); // a part
        std::this_thread::sleep_for(std::chrono::seconds(20));
        return 0;
    });
    StreamSocket socket = StreamSocket::accept(at(folder), 5);
    std::array<std::byte, 2> two;
    const double seconds = seconds_of([&] {
        EXPECT_PRED2(contains, error_of([&] { socket.receive(two, 0.1); }), "has sent nothing for 0.1 s");
    });
    EXPECT_GE(seconds, 0.1);
    EXPECT_LT(seconds, 2);
    const std::vector<std::byte> much(1 << 24);
    EXPECT_PRED2(contains, error_of([&] { socket.send(much, 0.1); }), "has taken nothing for 0.1 s");
}

TEST(StreamSocket, SecondClientsAreRefused)
{
    const test::ScratchFolder folder;
    OtherProcess other([&] {
        StreamSocket socket = StreamSocket::connect(at(folder), 5);
        std::byte byte;
        socket.receive({&byte, 1}, 5); // the first one is served
        try {
            StreamSocket::connect(at(folder), 0.1);
        } catch (const Error&) {
            return 0;
        }
        return 1;
    });
    StreamSocket socket = StreamSocket::accept(at(folder), 5);
    const std::byte byte{1};
    EXPECT_TRUE(socket.send({&byte, 1}, 5));
    EXPECT_EQ(other.wait(), 0);
}

TEST(StreamSocket, SignalsEndTheWait)
{
    const test::ScratchFolder folder;
    const auto before = std::signal(SIGALRM, [](int) {});
    const itimerval soon{{0, 10'000}, {0, 100'000}},
        never{}; // again and again, as it may come between two waits
    const double seconds = seconds_of([&] {
        setitimer(ITIMER_REAL, &soon, nullptr);
        EXPECT_PRED2(contains, error_of([&] { StreamSocket::accept(at(folder), 20); }),
                     "A signal ended the wait");
    });
    EXPECT_LT(seconds, 5);
    setitimer(ITIMER_REAL, &never, nullptr);
    std::signal(SIGALRM, before);
}

TEST(StreamSocket, MeanwhileMayGiveUp)
{
    const test::ScratchFolder folder;
    const auto never = [] { fail("enough"); };
    EXPECT_EQ(error_of([&] { StreamSocket::accept(at(folder), 20, never); }), "enough");
    EXPECT_EQ(error_of([&] { StreamSocket::connect(at(folder), 20, never); }), "enough");
}

} // namespace tamis::stream_socket_test
