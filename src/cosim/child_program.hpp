// Another program, started by this one; its words go to a file.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tamis {

class ChildProgram {
  public:
    struct Command {
        std::vector<std::string> words; // the first is looked up on the PATH
        std::filesystem::path log;
    };

    explicit ChildProgram(Command command);
    ChildProgram(const ChildProgram&) = delete;
    ChildProgram& operator=(const ChildProgram&) = delete;
    ~ChildProgram(); // waits a little for its end, then ends it

    const std::string& name() const { return command_.words[0]; }
    bool runs();                    // still
    bool wait(double seconds);      // for its end: whether it came
    std::string last_words() const; // the end of its log, in one line

  private:
    Command command_;
    pid_t process_ = -1;
};

} // namespace tamis
