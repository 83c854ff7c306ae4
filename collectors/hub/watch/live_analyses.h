// SPDX-License-Identifier: Apache-2.0
// LiveAnalyses: runs every analysis on every live run periodically, and returns the changes since the previous round.
//
// Threading:  one thread.
// Ownership:  owns one object per analysis and run; borrows Reader and Recorder during a round.
// Errors:     a failing analysis is counted and reported once per run and reason (issue watch.analysis_failed); the others continue, and
//             the findings of the failed one stay.
// Cost:       the analyses'; findings of live runs in memory.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/engine/analysis.h"

namespace runglass {

struct FindingChange {
  enum class What : std::uint8_t {
    kKnown,    // stored by an earlier process; returned once, so that listeners learn that it still holds
    kNew,      // reported for the first time
    kChanged,  // severity, or whether it has an end
    kRefined,  // other fields: scores, evidence, extent
  };
  What what;
  Finding finding;
};

struct LiveRound {
  std::vector<FindingChange> changes;  // all except kKnown must be stored
  std::vector<Issue> issues;
  std::vector<Run> live;
};

class LiveAnalyses {
 public:
  // A run in state running without data for this long was left behind by a dead trainer.
  static constexpr DurNs kForgotten = 24LL * 3600 * kNsPerSecond;
  // Minimum interval for storing a finding that only grows.
  static constexpr DurNs kRefineEvery = 30 * kNsPerSecond;
  static constexpr std::size_t kMaxFindings = 100'000;  // per run; further ones are left out and reported as an issue

  explicit LiveAnalyses(std::span<const AnalysisEntry> entries) : m_entries(entries.begin(), entries.end()) {}
  // An ended run is analysed once more, as of its last data, and its findings end with it. Findings that an analysis no longer reports are
  // withdrawn.
  Result<LiveRound> round(Reader& reader, TimeNs now, const std::stop_token& stop);

 private:
  using Key = std::tuple<std::string, std::string, std::optional<std::int64_t>>;  // kind, subject, first step
  struct Known {
    Finding finding;
    std::optional<std::size_t> by;  // which analysis; absent: from the store, not yet reported by this process
    bool reported = false;
    TimeNs written = 0;
    std::uint64_t round = 0;  // last round that reported it
  };
  struct Arrival {
    TimeNs clock = 0, newest = 0;  // time of the check; newest time reported by the run's ranks
  };
  struct Watched {
    std::vector<std::unique_ptr<Analysis>> analyses;
    std::vector<std::string> failure;  // last reported error of each analysis
    std::map<Key, Known> known;
    std::optional<TimeNs> last_data;
    TimeNs looked_for_data = 0;
    std::deque<Arrival> arrivals;  // of the last kArrivals
    bool reported_too_many = false;
  };

  Result<bool> isLive(Reader& reader, const Run& run, TimeNs now);
  // Time up to which silence of the run is evidence: `now`, or the newest data while it arrives late and faster than time passes.
  static Result<TimeNs> silenceUntil(Reader& reader, Watched& watched, RunId run, TimeNs now);
  Status ask(Reader& reader, const Run& run, std::optional<TimeNs> now, TimeNs clock, const std::stop_token& stop, LiveRound& out);
  void take(Watched& watched, std::size_t analysis, Finding finding, TimeNs clock, LiveRound& out);
  void endUnsaid(Watched& watched, const std::vector<bool>& answered, TimeNs clock, LiveRound& out);
  static void endAll(Watched& watched, TimeNs clock, LiveRound& out);

  const std::vector<AnalysisEntry> m_entries;
  std::map<RunId, Watched> m_runs;
  std::uint64_t m_round = 0;
};

}  // namespace runglass
