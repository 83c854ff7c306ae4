// SPDX-License-Identifier: Apache-2.0
// A program of this build, its standard output in a pipe.
//
// Threading:  one thread.
// Ownership:  owns the process: it dies with this object.
// Units:      none.
// Errors:     aborts the test program when it cannot be started.
// Cost:       a process.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "model/result.h"
#include "tests/emulated.h"

namespace runglass::test {

class Process {
 public:
  explicit Process(std::vector<std::string> arguments) {
    arguments[0] = std::string(RG_BIN_DIR "/") + arguments[0];
    arguments = runnable(std::move(arguments));
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    int fds[2];
    RG_CHECK(pipe2(fds, O_CLOEXEC) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
    RG_CHECK(posix_spawn(&m_pid, argv[0], &actions, nullptr, argv.data(), environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    close(fds[1]);
    m_out = fds[0];
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    (void)end(SIGKILL);
    close(m_out);
  }
  // The first line of its output; empty if it ended without one.
  std::string line() const {
    std::string text;
    for (char c = 0; read(m_out, &c, 1) == 1 && c != '\n';) text += c;
    return text;
  }
  // Signals it and waits: its exit status, or -signal.
  int end(int signal) {
    if (m_pid < 0) return 0;
    kill(m_pid, signal);
    int status = 0;
    waitpid(m_pid, &status, 0);
    m_pid = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t m_pid = -1;
  int m_out = -1;
};

}  // namespace runglass::test
