// SPDX-License-Identifier: Apache-2.0
// ImportSession: imports files and folders as runs of a store: recognises each file by content, assigns files to runs, and imports only
// data that is new since the last import.
//
// Threading:  one thread; traces and dumps of ranks are parsed on up to three others, and recorded in an order that does not depend on
//             them.
// Ownership:  borrows the Writer.
// Errors:     a file that fails is a FileResult with status kFailed and its reason; the others are still imported. import() itself fails
//             only if the store does (disk full, ...): then nothing of the current file is stored and everything before it is.
// Cost:       one transaction per file, or for ranks' files of up to 1 GiB of text in total: after a kill nothing of the current one is
//             stored. Some 100 MiB of memory per file being parsed.
//
// Runs: with --run NAME all files form one run. Event files: a top directory is a run and its sub-directories are sources; a file that
// begins after the end of the previous one is the next attempt. Any other file is a run. A file that replaced an imported one at the same
// path (its beginning differs) is another run, or, if folders or --run determine the run, another attempt: one for all files replaced in
// one import.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "collectors/importers/importer.h"
#include "collectors/importers/input/input_file.h"
#include "collectors/importers/session/run_grouping.h"
#include "storage/writer.h"

namespace runglass {

class CountingRecorder;

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
  std::function<void(const std::string& path)> on_file;  // called for each file, for progress
  std::stop_token stop;
  std::shared_ptr<Importer> mapped;  // importer for the user's own CSV layouts; takes precedence over all others
  unsigned threads = 0;              // limit of parsing threads; 0 = number of cores
};

class ImportSession {
 public:
  ImportSession(Writer& writer, ImportOptions options);
  ~ImportSession();
  Result<std::vector<FileResult>> import(const std::vector<std::string>& paths);

 private:
  struct Plan;
  struct Parse;
  Status importFile(const FoundFile& file);
  Importer* importerOf(const InputFile::Member& member);
  Plan plan(const FoundFile& file, const InputFile::Member& member, Importer& importer);
  Status importMember(const Plan& plan, ByteStream& stream);
  void conclude(const Plan& plan, const Status& status, const ImportReport& report, const CountingRecorder& counting);
  bool mayParseAside(const Importer& importer, const InputFile::Member& member) const;
  Status parseAside(const FoundFile& file, std::unique_ptr<InputFile> input, const InputFile::Member& member, Importer& importer);
  void playNext();
  Status finishParses();
  std::string runName(const std::string& base, const std::string& origin);
  std::int64_t timesReplaced(const std::string& path_key) const;
  std::string attemptKey(const std::string& run_name, const std::string& source, std::optional<TimeNs> begin, bool replaced);
  void rememberEnd(const std::string& run_name, const std::string& source, const std::string& attempt_key, std::optional<TimeNs> end);

  Writer& m_writer;
  ImportOptions m_options;
  std::vector<FileResult> m_results;
  std::size_t m_most_parses = 1;
  std::vector<std::unique_ptr<Parse>> m_parses;
  std::size_t m_turn = 0;  // index into m_parses
  std::uint64_t m_uncommitted_bytes = 0;
  Status m_cancelled;
  std::map<std::string, std::string> m_restarted;  // of this import: the attempts of replaced files, by the key of the attempt's mark
};

}  // namespace runglass
