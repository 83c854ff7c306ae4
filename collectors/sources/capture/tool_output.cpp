// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/capture/tool_output.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace runglass {

std::string ToolOutput::find(const std::string& name) {
  if (name.empty()) return "";
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : "";
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const std::string whole = folder + "/" + name; !folder.empty() && ::access(whole.c_str(), X_OK) == 0) return whole;
  return "";
}

ToolOutput::~ToolOutput() {
  if (m_fd >= 0) ::close(m_fd);
  if (m_child <= 0) return;
  ::kill(m_child, SIGKILL);
  // A child that hangs in the kernel is left: waiting for it would hang the agent too.
  for (int i = 0; i < 20 && ::waitpid(m_child, nullptr, WNOHANG) == 0; ++i) ::usleep(1000);
}

Status ToolOutput::begin() {
  const std::string program = find(m_arguments[0]);
  if (program.empty()) return {Code::kNotFound, "no " + m_arguments[0] + " here"};
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return {Code::kUnavailable, std::string("pipe: ") + std::strerror(errno)};
  m_fd = ends[0];
  ::fcntl(ends[1], F_SETFL, 0);  // blocking for the child, as programs expect
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);  // the agent itself blocks SIGTERM
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  std::vector<char*> argv;
  for (std::string& argument : m_arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const int error = ::posix_spawn(&m_child, program.c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error == 0) return {};
  m_child = -1;
  return {Code::kUnavailable, m_arguments[0] + ": " + std::strerror(error)};
}

bool ToolOutput::drain() {
  std::array<char, 16384> bytes{};
  while (true) {
    const ssize_t got = ::read(m_fd, bytes.data(), bytes.size());
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (got < 0) return true;
    m_text.append(bytes.data(), static_cast<std::size_t>(got));
    if (m_text.size() <= 2 * kMaxCaptureBytes) continue;
    const std::size_t cut = m_text.size() - kMaxCaptureBytes;
    m_cut += static_cast<std::int64_t>(cut);
    m_text.erase(0, cut);
  }
}

bool ToolOutput::poll(CaptureLog& log, DurNs now) {
  if (m_child < 0) {
    m_until = now + kPatience;
    const Status begun = begin();
    if (!begun.ok()) log.absent(m_owner, m_kind, begun.message());
    return !begun.ok();
  }
  const bool open = drain();
  int status = 0;
  const bool ended = !open && ::waitpid(m_child, &status, WNOHANG) == m_child;
  if (!ended) {
    if (now < m_until) return false;
    giveUp(log);
    return true;
  }
  m_child = 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    log.got(m_owner, m_kind, m_source, std::move(m_text), m_cut);
  else
    log.absent(m_owner, m_kind, m_source + " failed: " + m_text.substr(0, std::min<std::size_t>(m_text.find('\n'), 120)));
  return true;
}

void ToolOutput::giveUp(CaptureLog& log) { log.absent(m_owner, m_kind, m_source + " did not end in time"); }

}  // namespace runglass
