// SPDX-License-Identifier: Apache-2.0
// RecentRing: a trainer's last seconds of GPU work (`<ring>.recent`), read while it is being overwritten or after its process has ended.
//
// Threading:  one thread.
// Ownership:  owns the descriptor; the file is only read.
// Units:      ns; slots of 64 bytes.
// Errors:     open(): those of OpenRing; INVALID_ARGUMENT not a recent ring of a known version. ship(): UNAVAILABLE the trainer has not
//             identified itself; DATA_LOSS the header is no longer valid; else the Recorder's. Records overwritten during the read, or half
//             written at a crash, are skipped and counted.
// Cost:       ship(): two reads of the file, 1 MiB at a time (64 MiB: some 0.1 s), for any part of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectors/client/ring_layout.h"
#include "collectors/sources/client/open_ring.h"
#include "collectors/sources/source.h"
#include "model/result.h"

namespace runglass {

class RecentRing {
 public:
  struct Shipped {
    std::int64_t spans = 0;
    std::int64_t known = 0;      // left out: sent through the main ring, or by an earlier ship()
    std::int64_t damaged = 0;    // runs of slots overwritten during the read, or torn
    TimeNs first = 0, last = 0;  // of the spans: the earliest start, the latest end
  };

  // Extent of the spans already shipped: those before position `to` that ended after `from` (trainer's clock).
  struct Mark {
    std::uint64_t to = 0;
    std::int64_t from = INT64_MAX;
    friend bool operator==(const Mark&, const Mark&) = default;
  };

  static Result<std::unique_ptr<RecentRing>> open(const std::string& path);
  RecentRing(const RecentRing&) = delete;
  RecentRing& operator=(const RecentRing&) = delete;

  const std::string& path() const { return m_file.path(); }
  void remove() const { m_file.remove(); }
  // The header as of open() or the last look().
  const rgr_header& header() const { return m_header; }
  Status look();
  bool alive() const { return m_alive; }
  // Time since the last write; of an earlier boot: the maximum.
  DurNs age() const;

  // Passes the spans that ended in the last `last` ns before now (for a dead trainer: before its end) to `out` and flushes it. `last` <= 0:
  // the number of seconds for which the ring was requested.
  Result<Shipped> ship(Recorder& out, const SourceContext& context, DurNs last);
  const Mark& mark() const { return m_mark; }
  // Continues from the mark of an earlier object for the same file. No effect if the file cannot be the same.
  void resume(const Mark& mark) {
    if (mark.to <= m_header.head) m_mark = mark;
  }

 private:
  struct Visit;
  explicit RecentRing(OpenRing file) : m_file(std::move(file)) {}
  bool readAt(void* to, std::size_t bytes, std::uint64_t offset) const;
  bool readSlots(std::vector<char>& to, std::uint64_t position, std::uint64_t count) const;
  Status readStrings();
  std::string_view string(std::uint32_t id) const;
  // Returns the number of slots processed, at least one.
  std::uint64_t takeChunk(Visit& visit, std::uint64_t position, std::uint64_t count, std::uint64_t oldest) const;
  void takeRecord(Visit& visit, std::uint64_t position, std::uint64_t index, std::uint64_t slots) const;

  const OpenRing m_file;
  rgr_header m_header{};
  bool m_alive = true;
  std::vector<std::string> m_strings;
  Mark m_mark;
};

}  // namespace runglass
