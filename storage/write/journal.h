// SPDX-License-Identifier: Apache-2.0
// The append-only journal of a store: what was acknowledged and is not stored for good yet. Internal to storage. While its content is being
// stored, what comes goes to a second file, which takes the first one's name once that is on the disk.
//
// Threading:  the writer's thread.
// Ownership:  owns the files.
// Units:      bytes.
// Errors:     append: RESOURCE_EXHAUSTED disk full, UNAVAILABLE other I/O errors; a failed append leaves the file as it was. After a failed
//             sync nothing is appended to that file any more: the kernel may have dropped what it could not write. The next setApart()
//             begins a new one. Damage is skipped by replay() and reported by it.
// Cost:       one writev per append call, CRC32C over the payload; a grouped fdatasync, each 200 ms where batches must survive a power cut
//             before they are acknowledged, else each 2 s on a thread of its own.
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

// What replay() found of what an earlier life had acknowledged.
struct JournalLoss {
  JournalDamage damage;
  std::uint64_t batches = 0;                   // that are missing between the marks and the records, or between records
  std::map<StreamKey, std::uint64_t> streams;  // of these
  std::uint64_t left_out = 0;                  // readable batches behind a hole of a power cut: their senders send them again
  std::vector<std::string> kept;               // damaged files, as they were
};

class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal() = default;

  // Opens or creates that of `store`, whose uuid is `store_uuid`.
  Status open(const std::string& store, const std::string& store_uuid, bool power_safe);
  using Take = std::function<Status(const StreamKey&, std::uint64_t seq, std::string_view payload)>;
  // The sequence number that a stream's next batch has, as far as the store knows.
  using Mark = std::function<std::uint64_t(const StreamKey&)>;
  // Calls `take` for each whole record, oldest first; stops at the first failure of `take`, which may flush the store: until all is
  // replayed that gives back nothing.
  Result<JournalLoss> replay(const Take& take, const Mark& mark);
  bool empty() const { return m_size <= JournalFormat::kHeadBytes && m_older_size == 0; }
  // Of what no commit has stored.
  std::int64_t bytes() const { return m_older_size + m_size - m_stored; }

  // `skipped`: per entry, how many batches its sender left out right before it.
  Status append(std::span<const Writer::JournalEntry> entries, std::span<const std::uint64_t> skipped);
  // Power-safe: all that was appended is on the disk once this returned. Else: what is older than 2 s is on its way there, and an error
  // says that it did not arrive.
  Status sync();
  Status syncIfDue();
  // What is in it is being stored: what comes from here on goes to a file of its own. Where none can be made (no room, no permission), or
  // two are there already, it is appended as before, and gives its room back later.
  void setApart();
  // What was there at setApart() is committed. `durable`: a power cut cannot undo that; only then its room is given back.
  Status settle(bool durable);
  // Closes and deletes the files.
  Status remove();

  // How many damaged files of a store are kept.
  static constexpr std::size_t kMaxKept = 4;

 private:
  Result<std::shared_ptr<OpenFile>> create(const std::string& path) const;
  Status rotate();
  void keep(const std::string& path, JournalLoss& loss) const;
  void noteSynced();
  Status failed(const char* what, int error) const;

  std::string m_path, m_next_path;  // m_path: of the older file, if there are two
  JournalFormat m_format{""};
  std::shared_ptr<OpenFile> m_file, m_older;  // m_file: that is appended to
  std::shared_ptr<OpenFile> m_folder;         // of both
  std::int64_t m_size = 0;
  std::int64_t m_older_size = 0;  // 0: there is one file
  std::int64_t m_apart_size = 0;  // m_size at setApart()
  std::int64_t m_stored = 0;      // of both files: committed, but perhaps not durable
  bool m_power_safe = false;
  bool m_unsynced = false, m_older_unsynced = false;
  JournalSynced m_synced;               // of both files
  std::shared_ptr<OpenFile> m_syncing;  // m_file when the sync that runs began, and what it had
  std::int64_t m_syncing_size = 0;
  bool m_syncing_older = false;
  bool m_unnamed = false;  // a file was created or renamed since the folder was synced
  bool m_replaying = false;
  bool m_remains = false;  // of a failed append, behind m_size
  int m_broken = 0;        // errno of the sync that failed; 0: nothing may be appended
  int m_older_broken = 0;  // of the older file, until what it holds is stored
  TimeNs m_synced_at = 0;
  FileSync m_sync;
};

}  // namespace runglass
