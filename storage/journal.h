// SPDX-License-Identifier: Apache-2.0
// The append-only journal beside a store: what was acknowledged and is not committed yet. Internal to storage. While its content is being
// stored, what comes goes to a second file, which takes the first one's name once that is stored.
//
// Threading:  the writer's thread.
// Ownership:  owns the files.
// Units:      bytes.
// Errors:     append: RESOURCE_EXHAUSTED disk full, UNAVAILABLE other I/O errors; a failed append leaves the file as it was. A torn or
//             damaged tail ends the replay of a file: it was never acknowledged, or the disk damaged it, which truncatedBytes() tells.
// Cost:       one writev per append call, CRC32C over the payload; power-safe adds a grouped fdatasync.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "model/result.h"
#include "model/time.h"
#include "storage/writer.h"

namespace runglass {

class Journal {
 public:
  // Magic, length and a uuid of 36 letters: what a journal without batches holds.
  static constexpr std::size_t kHeadBytes = 4 + 4 + 36;

  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  // Opens or creates that of `store`; `store_uuid` must match a journal that is there.
  Status open(const std::string& store, const std::string& store_uuid, bool power_safe);
  using Take = std::function<Status(const StreamKey&, std::uint64_t seq, std::string_view payload)>;
  // Calls `take` for each whole record, oldest first; stops at the first failure of `take`.
  Status replay(const Take& take);
  bool empty() const { return m_size <= m_head_size && m_older_size == 0; }
  std::int64_t bytes() const { return m_older_size + m_size; }
  std::int64_t truncatedBytes() const { return m_truncated; }

  Status append(std::span<const Writer::JournalEntry> entries);
  Status sync();  // no-op unless power-safe
  Status syncIfDue();
  // What is in it is being stored: what comes from here on goes to a file of its own. Where none can be made (no room, no permission), or
  // an earlier attempt to store has failed and left two, it is appended as before, and gives its room back later.
  void setApart();
  // What was there at setApart() is committed.
  Status settle();
  // Closes and deletes the files.
  Status remove();

 private:
  Status replayFile(int fd, std::int64_t& size, const Take& take, std::map<StreamKey, std::uint32_t>& named);
  Status writeHead();
  Status rotate();
  Status syncFolder() const;
  Status failed(const char* what, int error) const;

  std::string m_path, m_next_path, m_store_uuid;  // m_path: of the older file, if there are two
  int m_fd = -1;                                  // of the one that is appended to
  std::int64_t m_size = 0, m_head_size = 0, m_truncated = 0;
  std::int64_t m_older_size = 0;  // 0: there is one file
  std::int64_t m_apart_size = 0;  // m_size at setApart()
  bool m_power_safe = false, m_unsynced = false;
  TimeNs m_synced_at = 0;
  std::map<StreamKey, std::uint32_t> m_streams;  // already named in the file that is appended to
};

}  // namespace runglass
