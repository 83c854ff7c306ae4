// SPDX-License-Identifier: Apache-2.0
// Spool: batches on disk that the hub has not acknowledged, in append-only segment files.
//
// Threading:  one thread at a time.
// Ownership:  owns the files `segment-*.rgs` of its directory.
// Units:      bytes.
// Errors:     I/O failures come back as UNAVAILABLE with the file's name; a damaged tail is cut off on open() and told as an issue.
// Cost:       one write(2) per append; fdatasync per sync().
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/events.h"
#include "model/result.h"

namespace runglass {

class Spool {
 public:
  static constexpr std::uint64_t kSegmentBytes = 16U << 20;
  struct Location {
    std::uint64_t segment = 0;
    std::uint64_t offset = 0;
    std::uint32_t size = 0;
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
  // The batch there is no longer needed; a segment whose batches all are released is deleted.
  void release(const Location& where);
  Status sync();

  std::uint64_t bytes() const { return m_bytes; }
  // Number of the oldest segment; 0 when there is none.
  std::uint64_t oldest() const { return m_segments.empty() ? 0 : m_segments.begin()->first; }

 private:
  struct Segment {
    std::uint64_t bytes = 0;
    std::uint64_t live = 0;  // batches not released
  };
  std::string pathOf(std::uint64_t number) const;
  Status begin(const std::string& session);
  Status appendDefinitions(std::string_view records);
  Result<Location> appendBatch(std::uint32_t stream, std::uint64_t seq, TimeNs sealed, std::string_view payload);
  Status writeRecord(char kind, std::string_view head, std::string_view body);
  void closeCurrent();
  void scan(std::uint64_t number, Recovered& out);

  std::string m_directory;
  std::uint64_t m_segment_bytes = kSegmentBytes;
  std::map<std::uint64_t, Segment> m_segments;
  std::uint64_t m_bytes = 0, m_next = 1;
  int m_fd = -1;
  std::uint64_t m_current = 0;
  std::string m_session;
  std::size_t m_written_dictionary = 0;
  bool m_dirty = false;
};

}  // namespace runglass
