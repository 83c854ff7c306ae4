// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/slurm/command_output.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "collectors/text/display_name.h"

namespace runglass {
namespace {

class Pipe {
 public:
  Pipe() { m_open = ::pipe2(m_ends.data(), O_CLOEXEC) == 0; }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    if (!m_open) return;
    ::close(m_ends[0]);
    closeWriter();
  }
  bool open() const { return m_open; }
  int reader() const { return m_ends[0]; }
  int writer() const { return m_ends[1]; }
  void closeWriter() {
    if (m_ends[1] >= 0) ::close(m_ends[1]);
    m_ends[1] = -1;
  }

 private:
  std::array<int, 2> m_ends{-1, -1};
  bool m_open = false;
};

Result<pid_t> start(std::vector<std::string>& arguments, const Pipe& out, const Pipe& errors) {
  std::vector<char*> argv, variables;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::string zone = "TZ=UTC";
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with("TZ=") && !std::string_view(*variable).starts_with("SLURM_TIME_FORMAT="))
      variables.push_back(*variable);
  variables.push_back(zone.data());
  variables.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out.writer(), 1);
  posix_spawn_file_actions_adddup2(&files, errors.writer(), 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = -1;
  const int error = ::posix_spawnp(&child, argv[0], &files, &attributes, argv.data(), variables.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error == ENOENT) return Status(Code::kNotFound, "no " + arguments[0] + " on this machine");
  if (error != 0) return Status(Code::kUnavailable, arguments[0] + ": " + std::strerror(error));
  return child;
}

// Appends a piece; false: the pipe has ended.
bool readSome(int fd, std::string& to) {
  std::array<char, 65'536> bytes{};
  const ssize_t got = ::read(fd, bytes.data(), bytes.size());
  if (got > 0) to.append(bytes.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

}  // namespace

Result<std::string> commandOutput(std::vector<std::string> arguments, DurNs timeout) {
  Pipe out, errors;
  if (!out.open() || !errors.open()) return Status(Code::kUnavailable, std::string("pipe: ") + std::strerror(errno));
  RG_ASSIGN(const pid_t child, start(arguments, out, errors));
  out.closeWriter();
  errors.closeWriter();
  const auto end = [child](bool kill) {
    if (kill) ::kill(-child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return status;
  };
  std::string text, words;
  const DurNs until = monotonicNow() + timeout;
  std::array<pollfd, 2> fds{pollfd{out.reader(), POLLIN, 0}, pollfd{errors.reader(), POLLIN, 0}};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const DurNs left = until - monotonicNow();
    if (left <= 0) {
      end(true);
      return Status(Code::kUnavailable, arguments[0] + ": no answer within " + std::to_string(timeout / kNsPerSecond) + " s");
    }
    ::poll(fds.data(), fds.size(), static_cast<int>(std::min<DurNs>(left / kNsPerMs + 1, 1'000)));
    if (fds[0].revents != 0 && !readSome(fds[0].fd, text)) fds[0].fd = -1;
    if (fds[1].revents != 0 && !readSome(fds[1].fd, words)) fds[1].fd = -1;
    if (text.size() + words.size() > kMaxOutput) {
      end(true);
      return Status(Code::kResourceExhausted, arguments[0] + ": more than " + std::to_string(kMaxOutput >> 20) + " MiB of output");
    }
  }
  const int status = end(false);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  return Status(Code::kUnavailable, arguments[0] + ": " + displayName(words.substr(0, words.find('\n'))));
}

}  // namespace runglass
