// SPDX-License-Identifier: Apache-2.0
// ImportSession: what is in the user's files and folders becomes runs in a store: recognises each file by content, decides what is one
// run, and imports only what is new since the last time.
//
// Threading:  one thread; traces and dumps of ranks are parsed on up to three others, and recorded in an order that does not depend on
//             them.
// Ownership:  borrows the Writer.
// Errors:     a file that fails is a FileResult with status kFailed and its reason; the others go on. import() itself fails only when
//             the store does (disk full, ...): then nothing of the file in hand is stored and everything before it is.
// Cost:       one transaction per file, or per ranks' files of up to 1 GiB of text: a kill in the middle of one leaves nothing of it.
//             Some 100 MiB of memory per file that is parsed.
//
// One run: --run NAME takes everything. Event files: a top directory is a run and its sub-directories are sources; a file that begins after
// the one before has ended is the next attempt. Everything else: a file is a run. Another file at the path of one imported before (its
// beginning differs) is another run, or, where folders or --run make the run, another attempt: one for all that are replaced in one import.
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
  std::function<void(const std::string& path)> on_file;  // progress
  std::stop_token stop;
  std::shared_ptr<Importer> mapped;  // of the user's own CSV layouts; asked before all others
  unsigned threads = 0;              // that may parse at once; 0 = as many as there are cores
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
  std::size_t m_turn = 0;  // of m_parses
  std::uint64_t m_uncommitted_bytes = 0;
  Status m_cancelled;
  std::map<std::string, std::string> m_restarted;  // of this import: the attempts of replaced files, by where attempts are remembered
};

}  // namespace runglass
