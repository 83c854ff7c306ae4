// SPDX-License-Identifier: Apache-2.0
// Importer: reads one kind of file into a Recorder. Importers are independent of the store, so that agents and tests can use them directly.
//
// Threading:  an Importer has no state: run() can be called on several threads at once, each with its own stream and Recorder.
// Ownership:  the caller owns stream, Recorder and report.
// Units:      decompressed bytes.
// Errors:     run() fails only if nothing can be read at all (INVALID_ARGUMENT wrong or damaged header, with offset and cause); invalid
//             data inside is counted in the report and recorded as issues. CANCELLED when `stop` fires. In every case committed_offset
//             covers all recorded data.
// Cost:       streaming; memory limited for any file size (a 2 GiB line included).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "model/recorder.h"

namespace runglass {

// A decompressed byte stream (plain, .gz, .zst, .bz2, or a member of a .tar).
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Next bytes, at most `max`; empty = end. The view is valid until the next call. DATA_LOSS on a damaged or truncated archive.
  virtual Result<std::string_view> next(std::size_t max = 1 << 20) = 0;
  virtual std::uint64_t offset() const = 0;  // decompressed bytes returned so far
  // The last bytes if they are accessible without reading the rest (a plain file); else empty.
  virtual std::string tail(std::size_t) const { return {}; }
};

struct ImportProbe {
  std::string path;       // as given by the user; for tar members "archive.tar/member"
  std::string_view head;  // first up to 64 KiB, decompressed
};

struct ImportTarget {
  std::string run_name;     // from --run or derived from the path
  std::string file_name;    // last path component, for `source` and messages
  std::string path;         // full display path, for issues
  std::string source;       // sub-directory relative to the run's top directory, "" at the top
  std::string attempt_key;  // of the file's attempt; an importer that finds restarts inside appends to it
  std::uint64_t resume_at =
      0;              // ImportReport::committed_offset of an earlier import of the same, since grown file: record nothing before it
  bool final = true;  // false while a file is being tailed: a truncated end is then no issue
  std::string canonical_path = {};      // of the file, or of the archive's member; "": same as `path`
  std::optional<TimeNs> modified = {};  // of the file, or of the archive's member: supplies the year of stamps without one
  bool run_named = false;               // run_name is the user's choice
};

// The session counts points, spans, events and issues from the recorded data.
struct ImportReport {
  RunId run;  // 0 while nothing was recorded
  std::uint64_t committed_offset =
      0;                           // after the last complete record, in the importer's own unit (bytes unless its header states another)
  std::optional<TimeNs> end_time;  // newest time in the file, to order the files of one run
  std::string partial_reason;      // non-empty: status "partial"
  std::string skipped_reason;      // non-empty: recognised, but without usable data: status "skipped"
};

class Importer {
 public:
  virtual ~Importer() = default;
  virtual std::string_view kind() const = 0;  // "tfevents", "train_log", ...
  // Distinguishes a file from another one at the same path; unchanged while the file grows. Default: from its head.
  virtual std::string identity(const ImportProbe& probe) const;
  // Whether the file, possibly grown, is the one that had this identity() before. Default: its first bytes are unchanged.
  virtual bool isSame(const ImportProbe& probe, std::string_view identity) const;
  // The files that form one run: each alone; those of a folder; the files of its ranks, recognised by name; dumps whose names end in the
  // rank.
  enum class Grouping : std::uint8_t { kAlone, kFolder, kRankFiles, kRankDumps };
  virtual Grouping grouping() const { return Grouping::kAlone; }
  // First time in the file, if its head has one.
  virtual std::optional<TimeNs> beginTime(const ImportProbe&) const { return std::nullopt; }
  virtual int recognise(const ImportProbe& probe) const = 0;  // 0 = not recognised .. 100 = certain, by content first
  virtual Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) = 0;
};

// Every importer, one line each in registry.cpp. Built once, immutable.
const std::vector<std::unique_ptr<Importer>>& importers();
// The importer that recognises it best; null: none. `first`, if it recognises the file at all, wins a tie; it may be null.
Importer* recognisedBy(const ImportProbe& probe, Importer* first = nullptr);
// Text for the user: why no importer recognised it.
std::string whyUnrecognised(const ImportProbe& probe);

}  // namespace runglass
