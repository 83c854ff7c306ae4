// SPDX-License-Identifier: Apache-2.0
// What an import of these files and folders would take, before anything is written: each file's kind, or why nobody knows it.
//
// Threading:  any one thread; stops through the token.
// Ownership:  values.
// Units:      bytes as they lie on disk, compressed ones too.
// Errors:     a file that cannot be read has a reason; CANCELLED when stopped.
// Cost:       opens each file and reads its first 64 KiB, of archives each member's; at most kMaxPreviewed files and members.
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
  std::string path;  // "archive.tar/member" of what lies inside
  std::string kind;  // "": it would be left out, `reason` says why
  std::string reason;
  std::optional<std::uint64_t> bytes;  // absent: inside an archive
};

struct ImportPreview {
  std::vector<PreviewedFile> files;
  bool more = false;  // there are files beyond kMaxPreviewed, which an import takes too
};

Result<ImportPreview> previewImport(const std::vector<std::string>& paths, const std::stop_token& stop);

}  // namespace runglass
