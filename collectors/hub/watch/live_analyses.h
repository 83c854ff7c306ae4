// SPDX-License-Identifier: Apache-2.0
// LiveAnalyses: asks every analysis about every live run again and again, and says what is new since the round before.
//
// Threading:  one thread.
// Ownership:  owns one object per analysis and run; borrows Reader and Recorder during a round.
// Units:      as Finding.
// Errors:     an analysis that fails is counted and told once per run and reason (issue watch.analysis_failed); the others go on, and what
//             the failed one said before stands.
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
    kKnown,    // the store has it from before this process; said once, so that listeners learn that it still holds
    kNew,      // never said before
    kChanged,  // severity, or whether it has an end
    kRefined,  // anything else: scores, evidence, how far it reaches
  };
  What what;
  Finding finding;
};

struct LiveRound {
  std::vector<FindingChange> changes;  // all of them but kKnown belong into the store
  std::vector<Issue> issues;
  std::vector<Run> live;
};

class LiveAnalyses {
 public:
  // Runs that call themselves running but brought nothing for so long were left behind by a trainer that died.
  static constexpr DurNs kForgotten = 24LL * 3600 * kNsPerSecond;
  // A finding that only grows is not written again sooner.
  static constexpr DurNs kRefineEvery = 30 * kNsPerSecond;
  static constexpr std::size_t kMaxFindings = 100'000;  // of a run; what an analysis says beyond them is left out and told as an issue

  explicit LiveAnalyses(std::span<const AnalysisEntry> entries) : m_entries(entries.begin(), entries.end()) {}
  // A run that ended is asked about once more, as of its last data, and its findings end with it. What an analysis no longer reports is
  // withdrawn.
  Result<LiveRound> round(Reader& reader, TimeNs now, const std::stop_token& stop);

 private:
  using Key = std::tuple<std::string, std::string, std::optional<std::int64_t>>;  // kind, subject, first step
  struct Known {
    Finding finding;
    std::optional<std::size_t> by;  // which analysis; absent: the store had it, nobody has said it yet
    bool reported = false;
    TimeNs written = 0;
    std::uint64_t round = 0;  // in which it was said last
  };
  struct Arrival {
    TimeNs clock = 0, newest = 0;  // when it was looked at; the newest that its ranks had reported
  };
  struct Watched {
    std::vector<std::unique_ptr<Analysis>> analyses;
    std::vector<std::string> failure;  // of each, as it was told
    std::map<Key, Known> known;
    std::optional<TimeNs> last_data;
    TimeNs looked_for_data = 0;
    std::deque<Arrival> arrivals;  // of the last kArrivals
    bool reported_too_many = false;
  };

  Result<bool> isLive(Reader& reader, const Run& run, TimeNs now);
  // Until when silence of the run is evidence: `now`, or its newest data while that arrives late and faster than time passes.
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
