// SPDX-License-Identifier: Apache-2.0
// FollowedFile: tails one file, through rotation, truncation and late creation.
//
// Threading:  one thread.
// Ownership:  owns the descriptor; never locks or changes the file.
// Units:      bytes; offsets are in the currently open file.
// Errors:     read(): UNAVAILABLE while the file does not exist (it may appear), PERMISSION_DENIED while it cannot be opened,
//             INVALID_ARGUMENT if it is not a plain file, others when reading fails.
// Cost:       per read() without new data: one fstat and one stat.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/result.h"

namespace runglass {

// Distinguishes a file from a later one of the same name: device, inode and first bytes.
struct FileMark {
  std::uint64_t device = 0, inode = 0;
  std::uint32_t head_size = 0, head_crc = 0;  // over at most the first 256 bytes
  friend bool operator==(const FileMark&, const FileMark&) = default;
};

// Which file a path must lead to.
struct FileId {
  std::uint64_t device = 0, inode = 0;
  friend auto operator<=>(const FileId&, const FileId&) = default;
};

class FollowedFile {
 public:
  enum class News : std::uint8_t {
    kNone,      // no new data
    kBytes,     // `bytes` has the appended data
    kReplaced,  // another file has the name now (rotation); its first bytes come with the next read()
    kCut,       // the file was truncated or rewritten in place; it is read from its start again
  };
  struct Read {
    News news = News::kNone;
    std::string_view bytes;  // valid until the next call
    bool more = false;       // the budget was exhausted before the end of the file
  };

  // `only`: no other file is opened, and none through a symbolic link.
  // `owner`: user that the file must belong to.
  explicit FollowedFile(std::string path, std::optional<FileId> only = {}, std::optional<std::uint32_t> owner = {})
      : m_path(std::move(path)), m_only(only), m_owner(owner) {}
  ~FollowedFile();
  FollowedFile(const FollowedFile&) = delete;
  FollowedFile& operator=(const FollowedFile&) = delete;

  Result<Read> read(std::size_t budget);
  // Opens it, if it is not open, without reading.
  Status open();
  // Continues at `offset` of the open file.
  void skipTo(std::uint64_t offset);
  // The file that the path leads to from now on: after a rotation.
  void expect(FileId only, std::optional<std::uint32_t> owner) { m_only = only, m_owner = owner; }
  // The open file has another name now.
  void renamed(const std::string& path) { m_path = path; }
  // Continues `bytes` before the end of the open file, with the first line that begins there. Returns the offset.
  std::uint64_t skipToLast(std::uint64_t bytes);

  const std::string& path() const { return m_path; }
  std::uint64_t offset() const { return m_offset; }
  // Of the open file; absent before the first successful read().
  std::optional<FileMark> mark() const;
  // True if `mark` is of the open file, which may have grown since.
  bool isSame(const FileMark& mark) const;

 private:
  void close();
  std::optional<FileMark> markOf(std::uint32_t head_size) const;

  std::string m_path;
  std::optional<FileId> m_only;
  std::optional<std::uint32_t> m_owner;
  bool m_replaced = false;  // the successor is not open yet
  int m_fd = -1;
  std::uint64_t m_offset = 0;
  FileMark m_mark;  // head grows with the file up to 256 bytes
  std::string m_buffer;
};

}  // namespace runglass
