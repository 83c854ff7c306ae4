// SPDX-License-Identifier: Apache-2.0
// The append-only journal beside a store: what was acknowledged and is not committed yet. Internal to storage.
//
// Threading:  the writer's thread.
// Ownership:  owns the file descriptor.
// Units:      bytes.
// Errors:     append: RESOURCE_EXHAUSTED disk full, UNAVAILABLE other I/O errors; a failed append leaves the file as it was. A torn or
//             damaged tail ends the replay: it was never acknowledged, or the disk damaged it, which truncatedBytes() tells.
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

  // Opens or creates; `store_uuid` must match a journal that is there.
  Status open(const std::string& path, const std::string& store_uuid, bool power_safe);
  using Take = std::function<Status(const StreamKey&, std::uint64_t seq, std::string_view payload)>;
  // Calls `take` for each whole record from the start; stops at the first failure of `take`.
  Status replay(const Take& take);
  bool empty() const { return m_size <= m_head_size; }
  std::int64_t bytes() const { return m_size; }
  std::int64_t truncatedBytes() const { return m_truncated; }

  Status append(std::span<const Writer::JournalEntry> entries);
  Status sync();  // no-op unless power-safe
  Status syncIfDue();
  // Everything in it is committed.
  Status clear();
  // Closes and deletes the file.
  Status remove();

 private:
  Status writeHead();
  Status failed(const char* what, int error) const;

  std::string m_path, m_store_uuid;
  int m_fd = -1;
  std::int64_t m_size = 0, m_head_size = 0, m_truncated = 0;
  bool m_power_safe = false, m_unsynced = false;
  TimeNs m_synced_at = 0;
  std::map<StreamKey, std::uint32_t> m_streams;  // already named in this file
};

}  // namespace runglass
