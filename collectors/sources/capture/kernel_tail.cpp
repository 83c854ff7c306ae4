// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/capture/kernel_tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace runglass {
namespace {

// "6,1234,5678901234,-;text" becomes "[ 5678.901234] <6> text"; other formats stay unchanged.
void appendRecord(std::string_view record, std::string& text) {
  const std::size_t body = record.find(';');
  unsigned long long priority = 0, sequence = 0, time = 0;
  if (body != std::string_view::npos &&
      std::sscanf(std::string(record.substr(0, body)).c_str(), "%llu,%llu,%llu", &priority, &sequence, &time) == 3) {
    std::array<char, 64> stamp{};
    std::snprintf(stamp.data(), stamp.size(), "[%5llu.%06llu] <%llu> ", time / 1'000'000, time % 1'000'000, priority & 7U);
    text += stamp.data();
    record.remove_prefix(body + 1);
  }
  text += record;
  if (!text.ends_with('\n')) text += '\n';
}

// Moves to the next line within the last 2 * most bytes of a longer plain file. Returns the number of skipped bytes.
std::int64_t skipToTail(int fd, std::size_t most) {
  struct stat info {};
  const auto wanted = static_cast<std::int64_t>(2 * most);
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= wanted) return 0;
  std::int64_t begin = info.st_size - wanted;
  std::string bytes(2 * most, '\0');
  const ssize_t got = ::pread(fd, bytes.data(), bytes.size(), begin - 1);
  if (const std::size_t end = got > 0 ? bytes.find('\n') : std::string::npos; end != std::string::npos)
    begin += static_cast<std::int64_t>(end);
  return ::lseek(fd, begin, SEEK_SET) == begin ? begin : 0;
}

}  // namespace

Result<KernelTail> kernelTail(const std::string& path, std::size_t most) {
  constexpr std::size_t kMaxRead = 16U << 20;
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return Status(errno == ENOENT ? Code::kNotFound : Code::kPermissionDenied, path + ": " + std::strerror(errno));
  KernelTail tail;
  tail.truncated_bytes = skipToTail(fd, most);
  std::array<char, 16384> bytes{};
  std::string lines;  // of a plain file; the device returns one record per read
  for (std::size_t taken = 0; taken < kMaxRead;) {
    const ssize_t got = ::read(fd, bytes.data(), bytes.size());
    if (got < 0 && errno == EPIPE) continue;  // overwritten during the read: the next one is available
    if (got <= 0) break;
    taken += static_cast<std::size_t>(got);
    lines.append(bytes.data(), static_cast<std::size_t>(got));
    for (std::size_t end = lines.find('\n'); end != std::string::npos; end = lines.find('\n')) {
      appendRecord(lines.substr(0, end), tail.text);
      lines.erase(0, end + 1);
    }
    if (tail.text.size() <= 2 * most) continue;
    tail.truncated_bytes += static_cast<std::int64_t>(tail.text.size() - most);
    tail.text.erase(0, tail.text.size() - most);
  }
  ::close(fd);
  if (!lines.empty()) appendRecord(lines, tail.text);
  if (tail.text.size() > most) {
    tail.truncated_bytes += static_cast<std::int64_t>(tail.text.size() - most);
    tail.text.erase(0, tail.text.size() - most);
  }
  return tail;
}

}  // namespace runglass
