// SPDX-License-Identifier: Apache-2.0
// InputFile: one file of the user as decompressed members: the file itself, or the members of a .tar. Reads .gz, .bz2, .zst and .xz through
// libarchive.
//
// Threading:  one thread.
// Ownership:  owns the handle; a Member's stream is valid until the next call of next().
// Units:      decompressed bytes.
// Errors:     open: NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT (a directory, a device). Reading: DATA_LOSS with the member and the
//             archive's error; RESOURCE_EXHAUSTED if a small file grows beyond the limits (a decompression bomb) or has too many members.
// Cost:       streaming; 64 KiB of head per member.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "collectors/importers/importer.h"

struct archive;

namespace runglass {

class InputFile {
 public:
  static Result<std::unique_ptr<InputFile>> open(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  struct Member {
    std::string path;                     // "file" or "archive.tar/member"
    std::string_view head;                // first up to 64 KiB
    ByteStream* stream;                   // from the first byte, head included
    Status head_status;                   // why the head is short, if the archive is damaged there already
    std::optional<TimeNs> modified = {};  // of the archive's member if recorded, else of the file
  };
  // Next regular file inside; none after the last, or after one whose stream reported a damaged archive.
  Result<std::optional<Member>> next();

 private:
  class MemberStream;
  explicit InputFile(std::string path);
  Status openArchive(bool tar);
  std::string m_path;
  archive* m_archive = nullptr;
  std::int64_t m_members = 0, m_entries = 0;
  std::uint64_t m_decompressed = 0;
  bool m_done = false, m_tar = false;
  std::unique_ptr<MemberStream> m_stream;
};

}  // namespace runglass
