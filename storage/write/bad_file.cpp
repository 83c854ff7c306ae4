// SPDX-License-Identifier: Apache-2.0
// Invariant: a record that was not written completely is truncated away again.
#include "storage/write/bad_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "model/time.h"

namespace runglass {
namespace {

std::string jsonText(std::string_view text) {
  constexpr const char* kHex = "0123456789abcdef";
  std::string out(1, '"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\')
      out += c;
    else
      out.append("\\u00").append({kHex[byte >> 4], kHex[byte & 15]});
  }
  return out + '"';
}

bool writeAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

}  // namespace

std::string BadFile::append(std::initializer_list<std::pair<std::string_view, std::string>> head, std::string_view content) const {
  const int fd = ::open(m_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return std::string("not kept: ") + std::strerror(errno);
  struct stat before {};
  std::string record = "{\"time_ns\":" + std::to_string(wallNow());
  for (const auto& [key, value] : head) record.append(",\"").append(key).append("\":").append(jsonText(value));
  record.append(",\"bytes\":").append(std::to_string(content.size())).append("}\n").append(content).append("\n");
  std::string reported = "kept in " + m_path;
  if (::fstat(fd, &before) != 0 || before.st_size + static_cast<std::int64_t>(record.size()) > kMaxBytes) {
    reported = "not kept: " + m_path + " is full";
  } else if (!writeAll(fd, record) || (m_power_safe && ::fdatasync(fd) != 0)) {
    reported = std::string("not kept: ") + std::strerror(errno);
    if (::ftruncate(fd, before.st_size) != 0) reported += "; " + m_path + " ends in the middle of a record";
  }
  ::close(fd);
  return reported;
}

}  // namespace runglass
