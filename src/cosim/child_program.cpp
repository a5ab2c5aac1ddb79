#include "tamis/cosim/child_program.hpp"

#include "tamis/base/error.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>

extern char** environ;

namespace tamis {

namespace {

constexpr double patience = 2; // s, at its end

} // namespace

ChildProgram::ChildProgram(Command command) : command_(std::move(command))
{
    std::vector<char*> words;
    for (std::string& word : command_.words) words.push_back(word.data());
    words.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, command_.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    // In a group of its own: a signal from the terminal ends this program first, which then ends the other.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int error = posix_spawnp(&process_, words[0], &files, &attributes, words.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (error == 0) return;
    fail("The program '{}' does not start with its log in '{}' ({}): is it on the PATH?", name(),
         command_.log.string(), std::strerror(error));
}

ChildProgram::~ChildProgram()
{
    if (wait(patience)) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
}

bool ChildProgram::wait(double seconds)
{
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (runs() && Clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return !runs();
}

bool ChildProgram::runs()
{
    if (process_ < 0) return false;
    if (waitpid(process_, nullptr, WNOHANG) == 0) return true;
    process_ = -1;
    return false;
}

std::string ChildProgram::last_words() const
{
    std::ifstream log(command_.log);
    std::deque<std::string> lines;
    for (std::string line; std::getline(log, line);) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        lines.push_back(std::move(line));
        if (lines.size() > 3) lines.pop_front();
    }
    std::string words;
    for (const std::string& line : lines) words += (words.empty() ? "" : " / ") + line;
    return words;
}

} // namespace tamis
