// SPDX-License-Identifier: Apache-2.0
// RecentRing: a trainer's last seconds of GPU work (`<ring>.recent`), read while it is written over or after its process is gone.
//
// Threading:  one thread.
// Ownership:  owns the descriptor; the file is only read.
// Units:      ns; slots of 64 bytes.
// Errors:     open(): those of OpenRing; INVALID_ARGUMENT not a recent ring of a version known here.
//             ship(): UNAVAILABLE the trainer has not identified itself; DATA_LOSS the header makes no sense any more; else the Recorder's.
//             What is written over while it is read, or was left half written by a death, is skipped and counted.
// Cost:       ship(): two reads of the file, 1 MiB at a time (64 MiB: some 0.1 s), whatever part of it is asked for.
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
    std::int64_t known = 0;      // left out: they went through the main ring, or an earlier ship()
    std::int64_t damaged = 0;    // runs of slots that were written over meanwhile, or torn
    TimeNs first = 0, last = 0;  // of the spans: the earliest start, the latest end
  };

  // What ship() has handed over: all that lies before position `to` and ended after `from`, of the trainer's clock.
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
  // How long ago it was last written to; of an earlier boot: for ever.
  DurNs age() const;

  // Hands the spans that ended in the last `last` ns before now (of a dead trainer: before its end) to `out` and flushes it. `last` <= 0:
  // as many seconds as the trainer was asked to keep.
  Result<Shipped> ship(Recorder& out, const SourceContext& context, DurNs last);
  const Mark& mark() const { return m_mark; }
  // Goes on from what an earlier object of the same file has shipped. Nothing where the file cannot be the one that it was.
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
  // Slots taken in; at least one.
  std::uint64_t takeChunk(Visit& visit, std::uint64_t position, std::uint64_t count, std::uint64_t oldest) const;
  void takeRecord(Visit& visit, std::uint64_t position, std::uint64_t index, std::uint64_t slots) const;

  const OpenRing m_file;
  rgr_header m_header{};
  bool m_alive = true;
  std::vector<std::string> m_strings;
  Mark m_mark;
};

}  // namespace runglass
