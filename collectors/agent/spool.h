// SPDX-License-Identifier: Apache-2.0
// Spool: batches on disk that the hub has not acknowledged, in append-only segment files.
//
// Threading:  one thread at a time.
// Ownership:  owns the files `segment-*.rgs` of its directory, and `segment-*.rgs.corrupt`: unchanged copies of damaged ones.
// Units:      bytes.
// Errors:     I/O failures are UNAVAILABLE with the file's name; open() skips damaged parts and reports them as an issue. After a failed
//             sync nothing more is written to that file: takeUnsynced() names it, and its batches can be appended again.
// Cost:       one write(2) per append; fdatasync per sync().
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/events.h"
#include "model/result.h"

namespace runglass {

// Begins each record of a segment and seeds its checksum: random, so that no payload can be mistaken for a record.
inline constexpr std::string_view kSpoolMagic = "RGSPOOL2";
inline constexpr std::size_t kSpoolSaltBytes = 8;
class SpoolMark {
 public:
  SpoolMark() = default;  // version 1 has no mark
  explicit SpoolMark(std::string_view salt);
  const std::string& marker() const { return m_marker; }
  std::uint32_t seed() const { return m_seed; }
  // A record up to and including its kind; `head` and `body` must follow.
  std::string record(char kind, std::string_view head, std::string_view body) const;

 private:
  std::string m_marker;
  std::uint32_t m_seed = 0;
};

class Spool {
 public:
  static constexpr std::uint64_t kSegmentBytes = 16U << 20;
  struct Location {
    std::uint64_t segment = 0;
    std::uint64_t offset = 0;
    std::uint32_t size = 0;
    std::uint32_t crc = 0;
  };
  struct Batch {
    std::uint32_t stream = 0;
    std::uint64_t seq = 0;
    TimeNs sealed = 0;
    Location where;
  };
  // State left by an earlier process: a session, the part of its dictionary that its batches need, its batches in the order of appending.
  struct Session {
    std::string name;
    std::string dictionary;
    std::vector<Batch> batches;
  };
  struct Recovered {
    std::vector<Session> sessions;  // oldest first
    std::vector<Issue> issues;
  };

  Spool() = default;
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  ~Spool();

  // `segment_bytes`: size at which a new file begins, and the amount dropped at once.
  Result<Recovered> open(const std::string& directory, std::uint64_t segment_bytes = kSegmentBytes);
  // Appends a batch of `session`; `dictionary` returns the session's definitions from a byte offset. Those missing in the segment are
  // written first, so that every segment is self-contained.
  template <class Dictionary>
  Result<Location> append(const std::string& session, const Dictionary& dictionary, std::uint32_t stream, std::uint64_t seq, TimeNs sealed,
                          std::string_view payload) {
    RG_TRY(begin(session));
    if (const std::string records = dictionary(m_written_dictionary); !records.empty()) RG_TRY(appendDefinitions(records));
    return appendBatch(stream, seq, sealed, payload);
  }
  Result<std::string> read(const Location& where);
  // Releases an acknowledged batch; a segment whose batches are all released is deleted. One whose sync failed stays until a later sync
  // succeeded: it may hold the only copy on disk of a batch that was appended again.
  void release(const Location& where);
  // A failure is reported once and never followed by a success for the same file, because the kernel discards the pages that it could not
  // write.
  Status sync();
  // Segments whose sync failed since the last call.
  std::vector<std::uint64_t> takeUnsynced() { return std::exchange(m_unsynced, {}); }

  std::uint64_t bytes() const { return m_bytes; }
  // Number of the oldest segment with batches; 0 when there is none.
  std::uint64_t oldest() const {
    for (const auto& [number, segment] : m_segments)
      if (segment.live > 0) return number;
    return 0;
  }

 private:
  struct Segment {
    std::uint64_t bytes = 0;
    std::uint64_t live = 0;  // batches not released
  };
  std::string pathOf(std::uint64_t number) const;
  Status create(const std::string& session);
  Status begin(const std::string& session);
  Status appendDefinitions(std::string_view records);
  Result<Location> appendBatch(std::uint32_t stream, std::uint64_t seq, TimeNs sealed, std::string_view payload);
  Status writeRecord(char kind, std::string_view head, std::string_view body);
  void closeCurrent();
  void remove(std::uint64_t number);
  void removeFailed();
  std::string keepDamaged(const std::string& path) const;

  std::string m_directory;
  std::uint64_t m_segment_bytes = kSegmentBytes;
  std::map<std::uint64_t, Segment> m_segments;
  std::uint64_t m_bytes = 0, m_next = 1;
  int m_fd = -1;
  std::uint64_t m_current = 0;
  std::string m_session;
  SpoolMark m_mark;  // of the current segment
  std::vector<std::uint64_t> m_unsynced;
  std::set<std::uint64_t> m_failed;  // segments whose sync failed, until all of them can be deleted
  std::size_t m_written_dictionary = 0;
  bool m_dirty = false;
};

}  // namespace runglass
