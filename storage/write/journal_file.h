// SPDX-License-Identifier: Apache-2.0
// The format of a journal file: its head, its records, and how it is read past damage. Internal to storage.
//
// File   = "RGJ2" | u32 uuid size | uuid of the store | records
// Record = u32 marker | u32 size of the body | u32 crc32c of the body | body
// Body   = 3 | varint size, agent | varint size, session | varint stream | varint seq | varint seq - wanted | varint synced | payload
//
// synced = 2 * bytes of this file that were on disk when the record was written, + 1 if all of the older file was. Kind 2, of earlier
// programs, has no `synced`.
//
// A record is independent of others: it names its stream, and with `wanted` (the next expected sequence number) the number of batches that
// its sender had skipped, so that records missing here are counted. Marker and checksum depend on the store's uuid: a record of another
// store, or an imitation inside a payload, is not valid. Version 1 ("RGJ1"), which earlier programs may have left: Record = u32 size | u32
// crc32c | body, Body = 0 | varint index | agent | session | stream, which names a stream, or 1 | varint index | varint seq | payload.
//
// Threading:  any thread.
// Units:      bytes.
// Errors:     damage is counted, never an error; a failure of `take` ends the reading.
// Cost:       one pass over the file in pieces of 1 MiB; a damaged record costs a search for the next marker.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/result.h"
#include "storage/writer.h"

namespace runglass {

// The data that was on disk when a record was written.
struct JournalSynced {
  std::int64_t bytes = 0;  // of its own file, from the start
  bool older = true;       // all of the older file
};

struct JournalRecord {
  const StreamKey* stream = nullptr;
  std::uint64_t seq = 0;
  std::optional<std::uint64_t> wanted;  // absent: version 1
  std::string_view payload;
  std::optional<JournalSynced> synced;  // absent: written by an earlier program
};

struct JournalDamage {
  std::int64_t bytes = 0, places = 0;  // bytes and places in which no record could be read
  std::int64_t end = 0;                // of the last such place
  std::int64_t torn_bytes = 0;         // of an incomplete record at the end, which was never acknowledged
  bool foreign = false;                // all of it belongs to another store
};

class JournalFormat {
 public:
  static constexpr std::int64_t kHeadBytes = 4 + 4 + 36;

  explicit JournalFormat(std::string store_uuid);
  std::string head() const;
  // Appends a record to `out` up to its payload, which has to follow.
  void appendRecord(std::string& out, const StreamKey& stream, std::uint64_t seq, std::uint64_t wanted, JournalSynced synced,
                    std::string_view payload) const;

  using Take = std::function<Status(const JournalRecord&)>;
  // Calls `take` for each complete record in the file's first `size` bytes, oldest first; ends at the first failure of `take`.
  Status read(int fd, std::int64_t size, const Take& take, JournalDamage& damage) const;

 private:
  std::string m_uuid;
  std::string m_marker;
  std::uint32_t m_seed;
};

}  // namespace runglass
