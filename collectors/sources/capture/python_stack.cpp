// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A signal is sent only through a pidfd opened before the process was checked: it reaches the checked process or none.
// 2. The file is only read, except for truncation once it has grown beyond kMaxFile.
#include "collectors/sources/capture/python_stack.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "collectors/sources/capture/process_look.h"

namespace runglass {
namespace {

constexpr DurNs kQuiet = 60 * kNsPerMs;  // a dump that has not grown for this long is complete
constexpr std::int64_t kMaxFile = 4 << 20;

std::string stackPath(const std::string& ring) { return std::filesystem::path(ring).replace_extension(".stack"); }

}  // namespace

PythonStack::~PythonStack() {
  if (m_fd >= 0) ::close(m_fd);
}

void PythonStack::none(CaptureLog& log, const std::string& why) {
  log.absent(owner(), "stack", why);
  m_on_none(log);
}

// The file that runglass.py created next to the ring; its first line identifies the process and its handler.
Status PythonStack::checkFile() {
  const std::string path = stackPath(m_trainer.ring);
  m_fd = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (m_fd < 0 && errno == ENOENT) return {Code::kFailedPrecondition, "its Python did not arm faulthandler"};
  struct stat info {};
  if (m_fd < 0 || ::fstat(m_fd, &info) != 0) return {Code::kPermissionDenied, path + ": " + std::strerror(errno)};
  RG_ASSIGN(const ProcessLook look, lookAt(m_root, m_trainer.pid));
  if (!S_ISREG(info.st_mode) || info.st_nlink != 1 || info.st_uid != look.uid)
    return {Code::kPermissionDenied, path + ": is not a file of the trainer's own"};
  std::array<char, 128> head{};
  [[maybe_unused]] const ssize_t read = ::pread(m_fd, head.data(), head.size() - 1, 0);
  int pid = 0, signal = 0;
  if (std::sscanf(head.data(), "runglass stacks 1 pid %d signal %d\n", &pid, &signal) != 2 || signal != kSignal ||
      std::ranges::find(look.pids, pid) == look.pids.end())
    return {Code::kPermissionDenied, path + ": is not what this process armed"};
  if (!holdsOpen(m_root, m_trainer.pid, info.st_dev, info.st_ino).value_or(true))
    return {Code::kFailedPrecondition, "it does not hold its stack file open"};
  m_head = static_cast<std::int64_t>(std::string_view(head.data()).find('\n')) + 1;
  m_from = m_size = info.st_size;
  return {};
}

Status PythonStack::begin() {
  const auto pidfd = static_cast<int>(::syscall(SYS_pidfd_open, m_trainer.pid, 0));
  if (pidfd < 0) return {Code::kNotFound, "process " + std::to_string(m_trainer.pid) + ": " + std::strerror(errno)};
  Status status = checkFile();
  if (const auto look = lookAt(m_root, m_trainer.pid); status.ok()) {
    if (!look.ok())
      status = look.status();
    else if (look->stopped())
      status = {Code::kFailedPrecondition, "the process cannot answer, it is in state " + look->state_words};
    else if (!look->catches(kSignal))
      status = {Code::kFailedPrecondition, "it does not catch the signal that it armed"};
    else if (::syscall(SYS_pidfd_send_signal, pidfd, kSignal, nullptr, 0) != 0)
      status = {Code::kPermissionDenied, std::string("signal: ") + std::strerror(errno)};
  }
  ::close(pidfd);
  return status;
}

bool PythonStack::poll(CaptureLog& log, DurNs now) {
  if (!m_begun) {
    m_begun = true;
    m_until = now + kPatience;
    if (const Status begun = begin(); !begun.ok()) {
      none(log, begun.message());
      return true;
    }
    return false;
  }
  struct stat info {};
  if (::fstat(m_fd, &info) == 0 && info.st_size != m_size) {
    m_size = info.st_size;
    m_grown = now;
  }
  if (m_size > m_from && now - m_grown >= kQuiet) {
    take(log);
    return true;
  }
  if (now < m_until) return false;
  giveUp(log);
  return true;
}

void PythonStack::take(CaptureLog& log) {
  const std::int64_t begin = std::max(m_from, m_size - static_cast<std::int64_t>(kMaxCaptureBytes));
  std::string text(static_cast<std::size_t>(m_size - begin), '\0');
  const ssize_t got = ::pread(m_fd, text.data(), text.size(), begin);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  if (m_size > kMaxFile) {
    // The trainer appends to it, so everything after the first line can be removed.
    [[maybe_unused]] const int cut = ::ftruncate(m_fd, m_head);
  }
  log.got(owner(), "stack", "faulthandler", std::move(text), begin - m_from);
}

void PythonStack::giveUp(CaptureLog& log) {
  if (m_size > m_from) return take(log);
  const auto look = lookAt(m_root, m_trainer.pid);
  none(log, "no answer to the signal within " + std::to_string(kPatience / kNsPerSecond) + " s" +
                (look.ok() ? ", state " + look->state_words : ", the process is gone"));
}

}  // namespace runglass
