// SPDX-License-Identifier: Apache-2.0
// ImportSession: what is in the user's files and folders becomes runs in a store: recognises each file by content, decides what is one
// run, and imports only what is new since the last time.
//
// Threading:  one thread.
// Ownership:  borrows the Writer.
// Units:      files.
// Errors:     a file that fails is a FileResult with status kFailed and its reason; the others go on. import() itself fails only when
//             the store does (disk full, ...): then nothing of the file in hand is stored and everything before it is.
// Cost:       one transaction per file: a kill in the middle of a file leaves nothing of it.
//
// One run: --run NAME takes everything. Event files: a top directory is a run and its sub-directories are sources; a file that begins after
// the one before has ended is the next attempt. Everything else: a file is a run. Another file at the path of one imported before (its
// beginning differs) is another run, or, where folders or --run make the run, another attempt.
#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "collectors/importers/importer.h"
#include "collectors/importers/session/run_grouping.h"
#include "storage/writer.h"

namespace runglass {

enum class ImportStatus : std::uint8_t { kOk, kPartial, kFailed, kSkipped };

struct FileResult {
  std::string path, kind, reason;
  ImportStatus status = ImportStatus::kOk;
  RunId run;
  std::int64_t points = 0, spans = 0, events = 0;
  std::map<std::string, std::int64_t> issues;
};

struct ImportOptions {
  std::string run_name;                                  // "" = derived from the paths
  std::function<void(const std::string& path)> on_file;  // progress
  std::stop_token stop;
};

class ImportSession {
 public:
  ImportSession(Writer& writer, ImportOptions options) : m_writer(writer), m_options(std::move(options)) {}
  Result<std::vector<FileResult>> import(const std::vector<std::string>& paths);

 private:
  // One file's bytes and what becomes of them.
  struct Member {
    std::string path;  // of the file, or inside it: "archive.tar/run1/train/file"
    std::string_view head;
    ByteStream& stream;
    const Status& head_status;
  };
  Status importFile(const FoundFile& file, std::vector<FileResult>& results);
  Status importMember(const FoundFile& file, const Member& member, FileResult& result);
  std::string runName(const std::string& base, const std::string& origin);
  std::int64_t timesReplaced(const std::string& path_key) const;
  std::string attemptKey(const std::string& run_name, const std::string& source, std::optional<TimeNs> begin, bool replaced);
  void rememberEnd(const std::string& run_name, const std::string& source, const std::string& attempt_key, std::optional<TimeNs> end);

  Writer& m_writer;
  ImportOptions m_options;
};

}  // namespace runglass
