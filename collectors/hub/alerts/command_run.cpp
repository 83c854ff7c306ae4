// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. The child inherits three descriptors only, and no signal mask (a hub blocks SIGTERM).
// 2. Its input is a socket, so that a child that does not read causes an error of send() and no SIGPIPE.
#include "collectors/hub/alerts/command_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

extern char** environ;

namespace runglass {
namespace {

constexpr DurNs kPoll = 20 * kNsPerMs;

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : m_fd(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return m_fd; }
  void take(int fd) { close(), m_fd = fd; }
  void close() {
    if (m_fd >= 0) ::close(m_fd);
    m_fd = -1;
  }

 private:
  int m_fd;
};

struct Pipes {
  Descriptor input, child_input, output, child_output;
  Status open() {
    int in[2], out[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0) return {Code::kResourceExhausted, std::strerror(errno)};
    input.take(in[0]), child_input.take(in[1]);
    if (::pipe2(out, O_CLOEXEC) != 0) return {Code::kResourceExhausted, std::strerror(errno)};
    output.take(out[0]), child_output.take(out[1]);
    ::fcntl(input.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
    return {};
  }
};

Result<pid_t> spawn(const std::vector<std::string>& argv, const std::vector<std::string>& environment, Pipes& pipes) {
  std::vector<char*> arguments, variables;
  for (const std::string& one : argv) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  for (char** one = environ; *one != nullptr; ++one) variables.push_back(*one);
  for (const std::string& one : environment) variables.push_back(const_cast<char*>(one.c_str()));
  variables.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&files, pipes.child_input.get(), 0);
  posix_spawn_file_actions_adddup2(&files, pipes.child_output.get(), 1);
  posix_spawn_file_actions_adddup2(&files, pipes.child_output.get(), 2);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments[0], &files, &attributes, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return Status(Code::kInvalidArgument, std::strerror(error));
  return child;
}

// Transfers all available data, waiting at most kPoll.
void pump(Pipes& pipes, std::string_view& input, std::string& output) {
  pollfd waits[2] = {{pipes.output.get(), POLLIN, 0}, {input.empty() ? -1 : pipes.input.get(), POLLOUT, 0}};
  ::poll(waits, 2, static_cast<int>(kPoll / kNsPerMs));
  if (!input.empty()) {
    const ssize_t sent = ::send(pipes.input.get(), input.data(), input.size(), MSG_NOSIGNAL);
    if (sent > 0) input.remove_prefix(static_cast<std::size_t>(sent));
    if (sent < 0 && errno != EAGAIN && errno != EINTR) input = {};  // the child does not read its input
    if (input.empty()) pipes.input.close();
  }
  char block[16'384];
  // A few blocks only: a flood of output must not delay the check of the time limit.
  for (int i = 0; i < 8; ++i) {
    const ssize_t got = ::read(pipes.output.get(), block, sizeof block);
    // End of its output; the program may continue to run.
    if (got == 0) pipes.output.close();
    if (got <= 0) return;
    output.append(block, static_cast<std::size_t>(got));
    if (output.size() > kKeptOutput) output.erase(0, output.size() - kKeptOutput);
  }
}

std::string lastLine(std::string output) {
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output.substr(output.rfind('\n') + 1);
}

}  // namespace

Status runCommand(const std::vector<std::string>& argv, const std::vector<std::string>& environment, const std::string& input,
                  DurNs timeout, const std::stop_token& stop) {
  const std::string what = "command " + argv.at(0) + ": ";
  Pipes pipes;
  if (const Status opened = pipes.open(); !opened.ok()) return {opened.code(), what + opened.message()};
  const Result<pid_t> child = spawn(argv, environment, pipes);
  if (!child.ok()) return {child.status().code(), what + child.status().message()};
  pipes.child_input.close();
  pipes.child_output.close();
  const TimeNs until = monotonicNow() + timeout;
  std::string_view rest = input;
  std::string output;
  while (true) {
    pump(pipes, rest, output);
    int status = 0;
    if (::waitpid(*child, &status, WNOHANG) == *child) {
      pump(pipes, rest, output);
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
      const std::string how = WIFEXITED(status) ? "ended with status " + std::to_string(WEXITSTATUS(status))
                                                : "was ended by signal " + std::to_string(WTERMSIG(status));
      const std::string said = lastLine(output);
      return {Code::kUnavailable, what + how + (said.empty() ? "" : ": " + said)};
    }
    if (stop.stop_requested() || monotonicNow() >= until) {
      ::kill(-*child, SIGKILL);
      ::waitpid(*child, &status, 0);
      if (stop.stop_requested()) return {Code::kCancelled, what + "stopped"};
      return {Code::kUnavailable, what + "did not end within " + std::to_string(timeout / kNsPerMs) + " ms and was killed"};
    }
  }
}

}  // namespace runglass
