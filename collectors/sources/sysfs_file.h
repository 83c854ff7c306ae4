// SPDX-License-Identifier: Apache-2.0
// SysfsFile: a small file of /sys that is read repeatedly; it stays open until it is closed.
//
// Threading:  one thread.
// Ownership:  owns the descriptor.
// Units:      the file's.
// Errors:     an absent, removed or unreadable file gives no value; it is opened again at the next read.
// Cost:       one pread of at most 255 bytes.
#pragma once

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>

namespace runglass {

class SysfsFile {
 public:
  SysfsFile() = default;
  explicit SysfsFile(std::string path) : m_path(std::move(path)) {}
  SysfsFile(SysfsFile&& other) noexcept : m_path(std::move(other.m_path)), m_fd(std::exchange(other.m_fd, -1)) {}
  SysfsFile& operator=(SysfsFile&& other) noexcept {
    std::swap(m_path, other.m_path);
    std::swap(m_fd, other.m_fd);
    return *this;
  }
  ~SysfsFile() { close(); }

  // Without the trailing newline; valid until the next call.
  std::optional<std::string_view> text() {
    if (m_fd < 0) m_fd = ::open(m_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (m_fd < 0) return std::nullopt;
    const ssize_t got = ::pread(m_fd, m_bytes.data(), m_bytes.size(), 0);
    if (got <= 0) return close(), std::nullopt;
    std::string_view text(m_bytes.data(), static_cast<std::size_t>(got));
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
    return text;
  }
  // Closes the descriptor until the next read, for files that are read rarely.
  void close() {
    if (m_fd >= 0) ::close(m_fd);
    m_fd = -1;
  }
  // Absent also if the text is not a whole number.
  std::optional<std::uint64_t> number() {
    const auto digits = text();
    std::uint64_t value = 0;
    if (!digits) return std::nullopt;
    const auto [end, error] = std::from_chars(digits->data(), digits->data() + digits->size(), value);
    return error == std::errc() && end == digits->data() + digits->size() ? std::optional(value) : std::nullopt;
  }

 private:
  std::string m_path;
  int m_fd = -1;
  std::array<char, 255> m_bytes;
};

}  // namespace runglass
