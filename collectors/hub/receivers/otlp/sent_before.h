// SPDX-License-Identifier: Apache-2.0
// SentBefore: which spans and log lines of a request are delivered already. An exporter sends a request again, byte for byte, when it got
// no answer: this session knows its requests, and what an earlier one may have delivered is in the store.
//
// Threading:  one thread, the Reader's.
// Ownership:  borrows the Reader.
// Units:      TimeNs.
// Errors:     those of the Reader.
// Cost:       a hash of a request; for spans and lines older than the session, one read per track or owner of lines, from the first
// request's times, at most kReach before the session's begin, up to that begin; `most_ids` ids at a time, some 40 bytes each.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "storage/reader.h"

namespace runglass {

class SentBefore {
 public:
  static constexpr std::size_t kMaxRequests = 65'536, kMaxOwners = 4'096;
  // A span ends, and a line is written, before it is sent; clocks of two machines differ.
  static constexpr DurNs kSkew = 600 * kNsPerSecond, kSlack = 600 * kNsPerSecond;
  static constexpr DurNs kReach = 24 * 3'600 * kNsPerSecond;

  SentBefore(Reader& reader, TimeNs session_began, std::size_t most_ids) : m_reader(&reader), m_began(session_began), m_most(most_ids) {}

  static std::uint64_t hashOf(std::string_view request) { return std::hash<std::string_view>()(request); }
  bool isDelivered(std::uint64_t request) const { return m_requests.contains(request); }
  // Ends the use of earlier results of spans() and logs().
  void remember(std::uint64_t request);

  // Whether an earlier session may have delivered what was complete at this time.
  bool mayBeStored(TimeNs time) const { return time < m_began + kSkew; }
  // The store is not read about rows that were complete at this time.
  bool isTooOld(TimeNs time) const { return time < m_began - kReach; }
  // Owner of spans and lines in the store: an attempt by its run's name and its key, or a node by its uuid.
  struct Owner {
    std::string run, attempt, node_uuid;
    std::optional<std::int32_t> rank;
  };
  using Ids = std::unordered_set<std::uint64_t>;
  // SpanColumns::external_id of the track's spans that an earlier session delivered, at least of those that begin at `oldest` or later
  // and end within reach. Null: more than are kept.
  Result<const Ids*> spans(const Owner& owner, const TrackKey& track, TimeNs oldest);
  // idOf() of the owner's log lines likewise.
  Result<const Ids*> logs(const Owner& owner, TimeNs oldest);
  static std::uint64_t idOf(const LogLine& line);

 private:
  struct Known {
    std::optional<TimeNs> from;  // read from there up to the session's begin
    Ids ids;
    bool too_many = false;  // ids, which are not kept
  };
  Result<std::optional<AttemptId>> attemptOf(const Owner& owner);
  // The entry of `key`; `missing`: what is to be read for it, if anything.
  Known& entry(const std::string& key, TimeNs oldest, std::optional<TimeRange>& missing);
  // False from the first id beyond the limit on.
  bool keep(Known& known, std::uint64_t id);

  Reader* m_reader;
  TimeNs m_began;
  std::size_t m_most, m_kept = 0;  // ids of all that is known
  std::unordered_set<std::uint64_t> m_requests;
  std::deque<std::uint64_t> m_order;  // of m_requests, oldest first
  std::map<std::string, Known> m_known;
};

}  // namespace runglass
