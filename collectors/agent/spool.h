// SPDX-License-Identifier: Apache-2.0
// Spool: batches on disk that the hub has not acknowledged, in append-only segment files.
//
// Threading:  one thread at a time.
// Ownership:  owns the files `segment-*.rgs` of its directory, and `segment-*.rgs.corrupt`: damaged ones, as they were.
// Units:      bytes.
// Errors:     I/O failures come back as UNAVAILABLE with the file's name; open() skips what is damaged and reports it as an issue. After a
//             failed sync nothing goes to that file any more: takeUnsynced() names it, and what it holds may be appended again.
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

// What a segment's records begin with, and their checksums start from: random, so that no payload can pass for a record.
inline constexpr std::string_view kSpoolMagic = "RGSPOOL2";
inline constexpr std::size_t kSpoolSaltBytes = 8;
class SpoolMark {
 public:
  SpoolMark() = default;  // of version 1: none
  explicit SpoolMark(std::string_view salt);
  const std::string& marker() const { return m_marker; }
  std::uint32_t seed() const { return m_seed; }
  // A record as far as its kind; `head` and `body` are to follow.
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
  // What an earlier life left: a session, its dictionary as far as any batch needs it, its batches in the order of their appends.
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

  // `segment_bytes`: what a file holds before the next one begins; what is dropped at once.
  Result<Recovered> open(const std::string& directory, std::uint64_t segment_bytes = kSegmentBytes);
  // Appends a batch of `session`; `dictionary` gives the session's definitions from a byte offset on, and those the segment lacks are
  // written first, so that every segment explains itself.
  template <class Dictionary>
  Result<Location> append(const std::string& session, const Dictionary& dictionary, std::uint32_t stream, std::uint64_t seq, TimeNs sealed,
                          std::string_view payload) {
    RG_TRY(begin(session));
    if (const std::string records = dictionary(m_written_dictionary); !records.empty()) RG_TRY(appendDefinitions(records));
    return appendBatch(stream, seq, sealed, payload);
  }
  Result<std::string> read(const Location& where);
  // The batch there is no longer needed; a segment whose batches all are released is deleted. One whose sync failed stays until a later
  // sync worked: what it had on the disk before may be all that is left of a batch that was appended again.
  void release(const Location& where);
  // A failure is said once; it is never followed by a success for the same file, because the kernel forgets what it could not write.
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
  std::set<std::uint64_t> m_failed;  // whose sync failed, until all of them may go
  std::size_t m_written_dictionary = 0;
  bool m_dirty = false;
};

}  // namespace runglass
