// SPDX-License-Identifier: Apache-2.0
// Writer: the one read-write connection of a store, as a Recorder plus journal, retention and findings.
//
// Threading:  all calls on one thread (the store writer), but runBegun(). liveTail() may be handed to Readers on any thread.
// Ownership:  owns the connection, the lock and the journal; the destructor closes cleanly (see close()).
// Units:      TimeNs, bytes.
// Errors:     open: ALREADY_EXISTS another process holds the lock (names its pid); FAILED_PRECONDITION newer schema, not a store, or a
//             folder on a network filesystem, where neither SQLite's locks nor its shared memory hold;
//             PERMISSION_DENIED; RESOURCE_EXHAUSTED disk full. A full disk never loses what is stored: flush() fails with
//             RESOURCE_EXHAUSTED, nothing is half-written, and a later flush() may succeed.
// Cost:       appends are memory copies; encoding may run on worker threads; flush() is one SQLite transaction.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "model/mirror_recorder.h"
#include "model/rank_places.h"
#include "storage/file_maintenance.h"
#include "storage/ingest.h"
#include "storage/run_edits.h"

namespace runglass {

class Writer;
struct SchemaHistory;
// Decodes a journaled payload and records it again. Given by whoever knows the payload's format (collectors/wire).
using JournalReplay = std::function<Status(const StreamKey&, std::uint64_t seq, std::string_view payload, Writer&)>;

struct WriterOptions {
  JournalReplay replay;                                  // required when the journal is not empty; without it open() fails and says so
  std::int64_t replay_portion = std::int64_t{64} << 20;  // of the journal: a commit after each
  bool power_safe = false;                               // grouped fdatasync of the journal, <= 200 ms
  std::string contact;                                   // HOST:PORT where the holder of the lock takes edits; written into the lock file
  std::int64_t max_pages = 0;                            // > 0: the file may not grow beyond so many pages of 4 KiB
  DurNs late_idle = 60 * kNsPerSecond;                   // what came late leaves memory once nothing came for so long, or twice that
  DurNs idle = 300 * kNsPerSecond;  // series, tracks, ended attempts and streams leave memory once nothing came for so long
  // What the store's disk has left; absent: not known, nothing is held back. Empty: statvfs(). Tests give their own. On any thread.
  std::function<std::optional<DiskSpace>(const std::string& path)> disk_space;
  // The network filesystem that a folder lies on; empty: it is this machine's own. Empty: sharedFilesystem(). Tests give their own.
  std::function<std::string(const std::string& folder)> filesystem;
  const SchemaHistory* schema = nullptr;  // null: shippedSchema(). Tests give their own.
};

// Everything that the writer of a file can do. Who needs less takes less: a Recorder, Ingest, Edits or FileMaintenance.
class Writer : public MirrorRecorder, public RankPlaces, public Ingest, public Edits, public FileMaintenance {
 public:
  ~Writer() override = default;
};

}  // namespace runglass
