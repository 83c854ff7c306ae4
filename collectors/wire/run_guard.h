// SPDX-License-Identifier: Apache-2.0
// RunGuard: limits the records of one node's agent about a run with ranks on other nodes.
//
// Threading:  the Recorder's thread.
// Ownership:  borrows the places of ranks during a payload.
// Errors:     refused records are counted by run.
// Cost:       a hash look-up per record; the number of waiting records is limited.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/rank_places.h"
#include "model/samples.h"
#include "model/spans.h"
#include "model/topology.h"

namespace runglass {

// A *member* has a rank of the attempt on its node. An attempt is *open* while none of its ranks is on any node: a run reported by logs
// only. A series or track of a rank without a node *claims* its attempt: definitions arrive before the rank's own record, which may be
// delayed behind other events after an outage.
class RunGuard {
 public:
  static constexpr std::size_t kMaxWaiting = 4'096, kMaxOfOne = 16;  // runs, attempts; records of each

  // To call for each payload. `places` null or node 0: nothing is refused.
  void begin(RankPlaces* places) { m_places = places, m_node = {}, m_follows = false; }
  void bind(NodeId node) { m_node = node; }
  void follows() { m_follows = true; }
  bool isBound() const { return m_places != nullptr && m_node; }

  void named(RunId run, const std::string& name);
  void named(AttemptId attempt, RunId run) { m_runs.try_emplace(attempt.value, run); }

  bool mayEnd(AttemptId attempt) { return !isBound() || !attempt || isMember(attempt) || m_places->ranksOn(attempt, {}) == 0; }
  bool mayRecord(AttemptId attempt) { return mayEnd(attempt) || m_claimed.contains(attempt.value); }
  bool mayAdd(AttemptId attempt) { return m_follows || mayRecord(attempt); }
  bool isElsewhere(AttemptId attempt, std::optional<std::int32_t> rank);
  // A job that ended can start again under the same attempt, on other nodes.
  bool mayPlace(const Rank& rank) { return !isElsewhere(rank.attempt, rank.rank) || m_places->hasEnded(rank.attempt); }
  // For a record of a rank that only one agent may write.
  bool mayReplace(AttemptId attempt, std::optional<std::int32_t> rank) {
    return mayAdd(attempt) && (m_follows || !isElsewhere(attempt, rank));
  }
  bool mayDefine(const SeriesKey& key);
  bool mayDefine(const TrackKey& key);

  // Removes fields that only members may report; they wait until take() for a rank on the agent's node. Starts and layouts often come just
  // before the rank, so only ends count as refused meanwhile.
  void strip(RunId run, Run& update);
  void strip(AttemptId attempt, Attempt& update);
  std::vector<Run> takeRuns(AttemptId joined);
  std::vector<Attempt> takeAttempts(AttemptId joined);

  void defer(std::uint32_t id, const SeriesKey& key) { put(m_series, id, key); }
  void defer(std::uint32_t id, const TrackKey& key) { put(m_tracks, id, key); }
  const SeriesKey* deferredSeries(std::uint32_t id) const { return find(m_series, id); }
  const TrackKey* deferredTrack(std::uint32_t id) const { return find(m_tracks, id); }
  void forgetSeries(std::uint32_t id) { m_series.erase(id); }
  void forgetTrack(std::uint32_t id) { m_tracks.erase(id); }

  void refused(AttemptId attempt, const char* what, std::int64_t count = 1);
  // By run: its name, and the number of records by kind.
  struct Refused {
    std::string run, what;
    std::int64_t count = 0;
  };
  std::vector<Refused> takeRefused();

 private:
  template <class Key>
  static void put(std::unordered_map<std::uint32_t, Key>& to, std::uint32_t id, const Key& key) {
    if (to.size() < 16 * kMaxWaiting) to.emplace(id, key);
  }
  template <class Key>
  static const Key* find(const std::unordered_map<std::uint32_t, Key>& in, std::uint32_t id) {
    const auto found = in.find(id);
    return found == in.end() ? nullptr : &found->second;
  }
  bool isMember(AttemptId attempt) { return m_places->ranksOn(attempt, m_node) > 0; }
  RunId runOf(AttemptId attempt) const;

  RankPlaces* m_places = nullptr;
  NodeId m_node;
  bool m_follows = false;  // it may hold leases
  std::unordered_map<std::uint64_t, std::string> m_names;
  std::unordered_map<std::uint64_t, RunId> m_runs;  // by attempt
  std::unordered_set<std::uint64_t> m_claimed;      // at most kMaxWaiting
  template <class Record>
  using Waiting = std::unordered_map<std::uint64_t, std::vector<Record>>;
  // False: no room.
  template <class Record>
  static bool keep(Waiting<Record>& waiting, std::uint64_t of, const Record& record) {
    if (waiting.size() >= kMaxWaiting && !waiting.contains(of)) return false;
    std::vector<Record>& records = waiting[of];
    if (records.size() >= kMaxOfOne) return false;
    records.push_back(record);
    return true;
  }
  Waiting<Run> m_waiting_runs;
  Waiting<Attempt> m_waiting_attempts;
  std::set<std::uint64_t> m_new_runs, m_new_attempts;  // those in this payload
  std::unordered_map<std::uint32_t, SeriesKey> m_series;
  std::unordered_map<std::uint32_t, TrackKey> m_tracks;
  std::map<std::uint64_t, std::map<std::string, std::int64_t>> m_refused;  // by run
};

}  // namespace runglass
