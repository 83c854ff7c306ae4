// SPDX-License-Identifier: Apache-2.0
// Lists the files that an import of these files and folders would read, before any write: each file's kind, or why it is not recognised.
//
// Threading:  any one thread; stops through the token.
// Units:      bytes on disk, compressed for compressed files.
// Errors:     an unreadable file has a reason; CANCELLED when stopped.
// Cost:       opens each file and reads its first 64 KiB, in archives each member's; at most kMaxPreviewed files and members.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "model/result.h"

namespace runglass {

inline constexpr std::size_t kMaxPreviewed = 2'000;

struct PreviewedFile {
  std::string path;  // "archive.tar/member" for members
  std::string kind;  // "": not imported, for `reason`
  std::string reason;
  std::optional<std::uint64_t> bytes;  // absent: inside an archive
};

struct ImportPreview {
  std::vector<PreviewedFile> files;
  bool more = false;  // there are more than kMaxPreviewed files; an import reads all of them
};

Result<ImportPreview> previewImport(const std::vector<std::string>& paths, const std::stop_token& stop);

}  // namespace runglass
