// SPDX-License-Identifier: Apache-2.0
// The format of a journal file: its head, its records, and how it is read past damage. Internal to storage.
//
// File   = "RGJ2" | u32 uuid size | uuid of the store | records
// Record = u32 marker | u32 size of the body | u32 crc32c of the body | body
// Body   = 3 | varint size, agent | varint size, session | varint stream | varint seq | varint seq - wanted | varint synced | payload
//
// synced = 2 * bytes of this file that were on the disk when the record was written, + 1 where all of the older file was. Kind 2, of
// programs before this one, has none.
//
// A record needs no other one: it names its stream, and with `wanted` (the sequence number that was next) how many batches its sender had
// skipped, so that records that are missing here are counted. Marker and checksum begin from the store's uuid: a record of another store,
// or one that a sender imitates inside a payload, is none. Version 1 ("RGJ1"), which programs before this one may have left: Record = u32
// size | u32 crc32c | body, Body = 0 | varint index | agent | session | stream, which names a stream, or 1 | varint index | varint seq |
// payload.
//
// Threading:  any thread.
// Units:      bytes.
// Errors:     damage is counted, never an error; those of `take` end the reading.
// Cost:       one pass over the file by 1 MiB; a damaged record costs a search for the next marker.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/result.h"
#include "storage/writer.h"

namespace runglass {

// What was on the disk when a record was written.
struct JournalSynced {
  std::int64_t bytes = 0;  // of its file, from the begin
  bool older = true;       // all of the older file
};

struct JournalRecord {
  const StreamKey* stream = nullptr;
  std::uint64_t seq = 0;
  std::optional<std::uint64_t> wanted;  // absent: version 1
  std::string_view payload;
  std::optional<JournalSynced> synced;  // absent: of an older program
};

struct JournalDamage {
  std::int64_t bytes = 0, places = 0;  // that no record could be read from
  std::int64_t end = 0;                // of the last of these places
  std::int64_t torn_bytes = 0;         // of an unfinished record at the end, which was never acknowledged
  bool foreign = false;                // all of it belongs to another store
};

class JournalFormat {
 public:
  static constexpr std::int64_t kHeadBytes = 4 + 4 + 36;

  explicit JournalFormat(std::string store_uuid);
  std::string head() const;
  // Appends a record to `out` as far as its payload, which is to follow.
  void appendRecord(std::string& out, const StreamKey& stream, std::uint64_t seq, std::uint64_t wanted, JournalSynced synced,
                    std::string_view payload) const;

  using Take = std::function<Status(const JournalRecord&)>;
  // Calls `take` for each whole record of the file's first `size` bytes, oldest first; ends at the first failure of `take`.
  Status read(int fd, std::int64_t size, const Take& take, JournalDamage& damage) const;

 private:
  std::string m_uuid;
  std::string m_marker;
  std::uint32_t m_seed;
};

}  // namespace runglass
