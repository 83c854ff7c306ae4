// SPDX-License-Identifier: Apache-2.0
// Programs of this build, with their standard output in a pipe.
//
// Threading:  one thread.
// Ownership:  a Process owns its process, which ends with it; the result of spawn() belongs to the caller.
// Errors:     aborts the test program if it cannot be started.
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
#include "tests/support/emulated.h"

namespace runglass::test {

struct Spawned {
  pid_t pid = -1;
  int out = -1;
};

// A program of this build by its name, any other by its path.
inline Spawned spawn(std::vector<std::string> arguments) {
  if (!arguments[0].starts_with('/')) arguments[0] = std::string(RG_BIN_DIR "/") + arguments[0];
  arguments = runnable(std::move(arguments));
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  Spawned spawned;
  int fds[2];
  RG_CHECK(pipe2(fds, O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
  RG_CHECK(posix_spawn(&spawned.pid, argv[0], &actions, nullptr, argv.data(), environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  close(fds[1]);
  spawned.out = fds[0];
  return spawned;
}

// The first line of output; empty if it ended without one.
inline std::string firstLine(int out) {
  std::string text;
  for (char c = 0; read(out, &c, 1) == 1 && c != '\n';) text += c;
  return text;
}

class Process {
 public:
  explicit Process(std::vector<std::string> arguments) : m_spawned(spawn(std::move(arguments))) {}
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    (void)end(SIGKILL);
    close(m_spawned.out);
  }
  // The first line of its output; empty if it ended without one.
  std::string line() const { return firstLine(m_spawned.out); }
  pid_t pid() const { return m_spawned.pid; }
  // Sends it a signal and waits: its exit status, or -signal.
  int end(int signal) {
    if (m_spawned.pid < 0) return 0;
    kill(m_spawned.pid, signal);
    int status = 0;
    waitpid(m_spawned.pid, &status, 0);
    m_spawned.pid = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  Spawned m_spawned;
};

}  // namespace runglass::test
