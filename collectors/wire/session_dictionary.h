// SPDX-License-Identifier: Apache-2.0
// SessionDictionary: the ids of one agent session and their definitions for the hub.
//
// Threading:  thread-safe; every Recorder of a session shares one.
// Ownership:  owns the records.
// Units:      ids are dense per kind, from 1.
// Cost:       a hash look-up under a lock per call; records() only grows, about 60 bytes a series.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/mutex.h"
#include "model/samples.h"
#include "model/spans.h"
#include "model/topology.h"

namespace runglass {

class SessionDictionary {
 public:
  NodeId node(const Node& node);
  DeviceId device(const Device& device);
  RunId run(const Run& run);
  AttemptId attempt(const Attempt& attempt);
  SeriesId series(const SeriesKey& key);
  TrackId track(const TrackKey& key);

  std::size_t size() const;
  // The records from byte `offset` on: a Payload of whole definitions if `offset` is an earlier size().
  std::string recordsFrom(std::size_t offset) const;

 private:
  enum class Kind : std::uint8_t { kNode, kDevice, kRun, kAttempt, kSeries, kTrack };
  using Ids = std::unordered_map<std::string, std::uint32_t>;
  // The id of `identity` (equal for equal objects of a kind); for a new one, calls `record` for the definition with that id.
  template <class Record>
  std::uint32_t idOf(Kind kind, std::uint32_t field, std::string identity, const Record& record);

  mutable Mutex m_mutex;
  std::string m_records RG_GUARDED_BY(m_mutex);
  std::array<Ids, 6> m_ids RG_GUARDED_BY(m_mutex);  // by Kind
};

}  // namespace runglass
