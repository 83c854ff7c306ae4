// SPDX-License-Identifier: Apache-2.0
// The append-only journal of a store: batches that were acknowledged and are not stored durably yet. Internal to storage. While its content
// is being stored, new batches go to a second file, which takes the first one's name once that content is on disk.
//
// Threading:  the writer's thread.
// Ownership:  owns the files.
// Units:      bytes.
// Errors:     append: RESOURCE_EXHAUSTED: disk full, UNAVAILABLE: other I/O errors; a failed append leaves the file unchanged. After a
//             failed sync nothing more is appended to that file: the kernel may have dropped the unwritten pages. The next setApart()
//             starts a new one. Damage is skipped and reported by replay().
// Cost:       one writev per append call, CRC32C over the payload; a grouped fdatasync, every 200 ms where batches must survive a power cut
//             before they are acknowledged, else every 2 s on its own thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"
#include "model/time.h"
#include "storage/sqlite/file_sync.h"
#include "storage/write/journal_file.h"
#include "storage/writer.h"

namespace runglass {

// The acknowledged batches of an earlier run of the writer that replay() could not find.
struct JournalLoss {
  JournalDamage damage;
  std::uint64_t batches = 0;                   // missing between the marks and the records, or between records
  std::map<StreamKey, std::uint64_t> streams;  // missing batches by stream
  std::uint64_t left_out = 0;                  // readable batches after a gap left by a power cut: their senders send them again
  std::vector<std::string> kept;               // damaged files, unchanged
};

class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal() = default;

  // Opens or creates the journal of `store`, whose uuid is `store_uuid`.
  Status open(const std::string& store, const std::string& store_uuid, bool power_safe);
  using Take = std::function<Status(const StreamKey&, std::uint64_t seq, std::string_view payload)>;
  // The sequence number of a stream's next batch according to the store.
  using Mark = std::function<std::uint64_t(const StreamKey&)>;
  // Calls `take` for each complete record, oldest first; stops at the first failure of `take`. `take` may flush the store: no space is
  // released until everything is replayed.
  Result<JournalLoss> replay(const Take& take, const Mark& mark);
  bool empty() const { return m_size <= JournalFormat::kHeadBytes && m_older_size == 0; }
  // Bytes that no commit has stored.
  std::int64_t bytes() const { return m_older_size + m_size - m_stored; }

  // `skipped`: per entry, the number of batches that its sender left out right before it.
  Status append(std::span<const Writer::JournalEntry> entries, std::span<const std::uint64_t> skipped);
  // Power-safe: all appended batches are on disk once this returned. Otherwise: starts the sync of batches older than 2 s, and returns the
  // error of a failed one.
  Status sync();
  Status syncIfDue();
  // Call when storing the content begins: new batches go to another file. If none can be created (no space, no permission), or there are
  // two already, they are appended as before, and the space is released later.
  void setApart();
  // The content at setApart() is committed. `durable`: a power cut cannot undo that; only then is its space released.
  Status settle(bool durable);
  // Closes and deletes the files.
  Status remove();

  // The maximum number of damaged files kept per store.
  static constexpr std::size_t kMaxKept = 4;

 private:
  Result<std::shared_ptr<OpenFile>> create(const std::string& path) const;
  Status rotate();
  void keep(const std::string& path, JournalLoss& loss) const;
  void noteSynced();
  Status failed(const char* what, int error) const;

  std::string m_path, m_next_path;  // m_path: the older file, if there are two
  JournalFormat m_format{""};
  std::shared_ptr<OpenFile> m_file, m_older;  // m_file: the one appended to
  std::shared_ptr<OpenFile> m_folder;         // of both
  std::int64_t m_size = 0;
  std::int64_t m_older_size = 0;  // 0: there is only one file
  std::int64_t m_apart_size = 0;  // m_size at setApart()
  std::int64_t m_stored = 0;      // in both files: committed, but possibly not durable
  bool m_power_safe = false;
  bool m_unsynced = false, m_older_unsynced = false;
  JournalSynced m_synced;               // of both files
  std::shared_ptr<OpenFile> m_syncing;  // m_file and its content when the running sync began
  std::int64_t m_syncing_size = 0;
  bool m_syncing_older = false;
  bool m_unnamed = false;  // a file was created or renamed since the folder was synced
  bool m_replaying = false;
  bool m_remains = false;  // bytes of a failed append remain after m_size
  int m_broken = 0;        // errno of the failed sync; not 0: nothing may be appended
  int m_older_broken = 0;  // of the older file, until its content is stored
  TimeNs m_synced_at = 0;
  FileSync m_sync;
};

}  // namespace runglass
