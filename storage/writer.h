// SPDX-License-Identifier: Apache-2.0
// Writer: the only read-write connection of a store, as a Recorder plus journal, retention and findings.
//
// Threading:  all calls on one thread (the store writer), except runBegun(). liveTail() may be passed to Readers on any thread.
// Ownership:  owns the connection, the lock and the journal; the destructor closes cleanly (see close()).
// Units:      TimeNs, bytes.
// Errors:     open: ALREADY_EXISTS: another process holds the lock (its pid is in the message); FAILED_PRECONDITION: newer schema, not a
//             store, or a folder on a network filesystem, where neither SQLite's locks nor its shared memory work; PERMISSION_DENIED;
//             RESOURCE_EXHAUSTED: disk full. A full disk never loses stored data: flush() fails with RESOURCE_EXHAUSTED, nothing is
//             half-written, and a later flush() may succeed.
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
// Decodes a journaled payload and records it again. Provided by the code that knows the payload's format (collectors/wire).
using JournalReplay = std::function<Status(const StreamKey&, std::uint64_t seq, std::string_view payload, Writer&)>;

struct WriterOptions {
  JournalReplay replay;                                  // required if the journal is not empty; otherwise open() fails
  std::int64_t replay_portion = std::int64_t{64} << 20;  // bytes of the journal per commit during replay
  bool power_safe = false;                               // grouped fdatasync of the journal, <= 200 ms
  std::string contact;                                   // HOST:PORT where the owner of the lock accepts edits; written into the lock file
  std::int64_t max_pages = 0;                            // > 0: maximum size of the file in pages of 4 KiB
  DurNs late_idle = 60 * kNsPerSecond;  // late chunks are evicted from memory after between this and twice this time without data
  DurNs idle = 300 * kNsPerSecond;      // series, tracks, ended attempts and streams are evicted from memory after this time without data
  // Free space of the store's disk; absent: unknown, nothing is held back. Empty: statvfs(). Tests provide their own. Called on any thread.
  std::function<std::optional<DiskSpace>(const std::string& path)> disk_space;
  // The network filesystem of a folder; empty: a local one. Empty function: sharedFilesystem(). Tests provide their own.
  std::function<std::string(const std::string& folder)> filesystem;
  const SchemaHistory* schema = nullptr;  // null: shippedSchema(); tests provide their own
};

// All operations of a file's writer. Callers that need less use a base: a Recorder, Ingest, Edits or FileMaintenance.
class Writer : public MirrorRecorder, public RankPlaces, public Ingest, public Edits, public FileMaintenance {
 public:
  ~Writer() override = default;
};

}  // namespace runglass
