// SPDX-License-Identifier: Apache-2.0
// The ranking of an attempt's ranks, read from a store: scores, findings, votes, the previous attempt, the cost of a restart.
//
// Threading:  one thread at a time, that of the Reader; its answer is a value.
// Ownership:  a RankingFeed keeps the data that it read between calls.
// Units:      as RankedRow.
// Errors:     the Reader's; NOT_FOUND in an empty store; CANCELLED when `stop` fires. With too little data `kind` is absent, with a reason.
// Cost:       the first call as readStepTable() of two attempts, without step parts also readWhatIf(), with spans readWaitVotes(). Later
//             calls read new steps; spans are read again at most a twentieth of the time.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/collectives/wait_vote_reading.h"
#include "analysis/ranking/eviction.h"
#include "analysis/ranking/rank_rows.h"
#include "analysis/slow_ranks/step_table.h"
#include "storage/reader.h"

namespace runglass {

struct Ranking {
  Run run;
  Attempt attempt;
  std::vector<Rank> places;
  std::map<NodeId, Node> nodes;
  bool over = false;                           // the attempt is complete
  bool past = false;                           // `relative` is of the steps of a slowness that ended
  SlowRanks relative;                          // of the newest steps; for an ended attempt, those up to the end of its worst suspect
  std::vector<std::optional<TimeRange>> when;  // of its steps
  bool has_parts = false;                      // as StepTableAnswer
  std::optional<double> span_waits_known;      // as StepTableAnswer
  std::vector<NvrxScore> nvrx;
  WaitVotes votes;
  std::optional<WhatIfScores> what_if;  // read where no step parts are recorded
  Suspects suspects;
  SlowVerdict verdict;  // of `relative` where that is the kind of score, and of the suspects
  std::optional<EarlierAttempt> earlier;
  RestartTime restart;
  std::optional<ScoreKind> kind;  // absent: no data to rank by
  std::string reason;             // why
  std::vector<RankedRow> rows;

  const Suspect* suspectOf(const RankedRow& row) const { return row.suspect == kNoSuspect ? nullptr : &suspects.all[row.suspect]; }
  // The time of the newest known step.
  std::optional<TimeNs> lastTime() const;
  std::int32_t gpus() const;
};

class RankingFeed {
 public:
  // Run 0: see chooseRun(). Attempt 0: the newest with data about its ranks' steps.
  RankingFeed(RunId run, AttemptId attempt) : m_run(run), m_wanted(attempt) {}

  // `findings` of the run; null: the stored ones.
  Result<Ranking> read(Reader& reader, const std::vector<Finding>* findings, const std::stop_token& stop);

 private:
  struct Rested {  // read again only after a pause
    std::uint64_t generation = 0;
    std::chrono::steady_clock::time_point until;
    bool asked = false;
    bool due(std::uint64_t now) const { return !asked || (generation != now && std::chrono::steady_clock::now() >= until); }
    void took(std::uint64_t now, std::chrono::steady_clock::duration length);
  };

  Result<Attempt> chooseAttempt(Reader& reader, const std::vector<Attempt>& attempts);
  Status readSteps(Reader& reader, Ranking& out, const std::stop_token& stop);
  Status readSpans(Reader& reader, Ranking& out, const std::stop_token& stop);
  Status readEarlier(Reader& reader, const std::vector<Attempt>& attempts, Ranking& out, const std::stop_token& stop);

  RunId m_run;
  AttemptId m_wanted, m_attempt;
  std::unique_ptr<StepTableFeed> m_table;
  std::optional<std::int64_t> m_newest;  // the step up to which m_table was read
  struct Compared {                      // of one revision of m_table
    std::uint64_t revision = 0;
    SlowRanks relative;
    std::vector<NvrxScore> nvrx;
  };
  std::optional<Compared> m_compared;
  Rested m_what_if_rest, m_votes_rest;
  std::optional<WhatIfScores> m_what_if;
  WaitVotes m_votes;
  std::optional<ScoreKind> m_earlier_kind;  // the kind that m_earlier was read for
  std::optional<EarlierAttempt> m_earlier;
  std::optional<std::size_t> m_restarts_of;  // number of attempts that m_restart was computed from
  RestartTime m_restart;
};

}  // namespace runglass
