// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. m_mark describes the open file's first bytes when m_offset passed them: if they differ now, the file was rewritten.
// 2. A replaced file is read to its end before its successor is opened.
#include "collectors/sources/follow/followed_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "model/crc32c.h"

namespace runglass {
namespace {
constexpr std::uint32_t kHeadBytes = 256;
}  // namespace

FollowedFile::~FollowedFile() { close(); }

void FollowedFile::close() {
  if (m_fd >= 0) ::close(m_fd);
  m_fd = -1;
}

Status FollowedFile::open() {
  if (m_fd >= 0) return {};
  m_fd = ::open(m_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (m_only ? O_NOFOLLOW : 0));
  if (m_fd < 0) return {errno == ENOENT ? Code::kUnavailable : Code::kPermissionDenied, "follow: " + m_path + ": " + std::strerror(errno)};
  struct stat info {};
  if (fstat(m_fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    close();
    return {Code::kInvalidArgument, "follow: " + m_path + ": not a plain file"};
  }
  if (m_only && *m_only != FileId{info.st_dev, info.st_ino}) {
    close();
    return {Code::kUnavailable, "follow: " + m_path + ": another file has this name now"};
  }
  if (m_owner && *m_owner != info.st_uid) {
    close();
    return {Code::kUnavailable, "follow: " + m_path + ": it belongs to another user now"};
  }
  m_offset = 0;
  m_mark = markOf(0).value_or(FileMark{});
  return {};
}

void FollowedFile::skipTo(std::uint64_t offset) {
  m_offset = offset;
  m_mark = markOf(static_cast<std::uint32_t>(std::min<std::uint64_t>(offset, kHeadBytes))).value_or(m_mark);
}

std::uint64_t FollowedFile::skipToLast(std::uint64_t bytes) {
  struct stat info {};
  if (m_fd < 0 || fstat(m_fd, &info) != 0 || static_cast<std::uint64_t>(info.st_size) <= bytes) return m_offset;
  std::uint64_t offset = static_cast<std::uint64_t>(info.st_size) - bytes;
  std::array<char, 65536> piece{};
  const ssize_t got = pread(m_fd, piece.data(), piece.size(), static_cast<off_t>(offset));
  const std::string_view text(piece.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  if (const std::size_t line = text.find('\n'); line != std::string_view::npos) offset += line + 1;
  skipTo(offset);
  return m_offset;
}

std::optional<FileMark> FollowedFile::markOf(std::uint32_t head_size) const {
  struct stat info {};
  if (m_fd < 0 || fstat(m_fd, &info) != 0) return std::nullopt;
  std::array<char, kHeadBytes> head{};
  const ssize_t got = pread(m_fd, head.data(), std::min(head_size, kHeadBytes), 0);
  if (got < 0) return std::nullopt;
  return FileMark{info.st_dev, info.st_ino, static_cast<std::uint32_t>(got), crc32c({head.data(), static_cast<std::size_t>(got)})};
}

std::optional<FileMark> FollowedFile::mark() const { return m_fd < 0 ? std::nullopt : std::optional<FileMark>(m_mark); }

bool FollowedFile::isSame(const FileMark& mark) const { return markOf(mark.head_size) == mark; }

Result<FollowedFile::Read> FollowedFile::read(std::size_t budget) {
  RG_TRY(open());
  if (std::exchange(m_replaced, false)) return Read{News::kReplaced, {}, true};
  struct stat info {};
  if (fstat(m_fd, &info) != 0) return Status(Code::kUnknown, "follow: " + m_path + ": " + std::strerror(errno));
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size < m_offset || (size > m_offset && !isSame(m_mark))) {
    m_offset = 0;
    m_mark = markOf(0).value_or(FileMark{});
    return Read{News::kCut, {}, true};
  }
  if (size > m_offset) {
    m_buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(budget, size - m_offset)));
    const ssize_t got = pread(m_fd, m_buffer.data(), m_buffer.size(), static_cast<off_t>(m_offset));
    if (got < 0) return Status(Code::kUnknown, "follow: " + m_path + ": " + std::strerror(errno));
    m_offset += static_cast<std::uint64_t>(got);
    if (m_mark.head_size < kHeadBytes)
      m_mark = markOf(static_cast<std::uint32_t>(std::min<std::uint64_t>(m_offset, kHeadBytes))).value_or(m_mark);
    return Read{News::kBytes, std::string_view(m_buffer.data(), static_cast<std::size_t>(got)), m_offset < size};
  }
  struct stat named {};
  if (stat(m_path.c_str(), &named) == 0 && (named.st_ino != info.st_ino || named.st_dev != info.st_dev) &&
      (!m_only || *m_only == FileId{named.st_dev, named.st_ino})) {
    close();
    m_replaced = true;
    RG_TRY(open());
    m_replaced = false;
    return Read{News::kReplaced, {}, true};
  }
  return Read{};
}

}  // namespace runglass
