// SPDX-License-Identifier: Apache-2.0
// The ranking of an attempt's ranks, read from a store: scores, findings, votes, the attempt before, what a restart costs.
//
// Threading:  one thread at a time, that of the Reader; its answer is a value.
// Ownership:  values. A RankingFeed keeps what it read between calls.
// Units:      as RankedRow.
// Errors:     the Reader's; NOT_FOUND in an empty store; CANCELLED when `stop` fires. Too little data is an absent `kind` with a reason.
// Cost:       once as readStepTable() of two attempts, without step parts also readWhatIf(), with spans readWaitVotes(). Then the steps
//             since; spans are looked at again when that takes at most a twentieth of the time.
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
  bool over = false;                           // nothing more comes of this attempt
  SlowRanks relative;                          // of the newest steps; of an attempt that is over, those up to its worst suspect's end
  std::vector<std::optional<TimeRange>> when;  // of its steps
  bool has_parts = false;                      // as StepTableAnswer
  std::optional<double> span_waits_known;      // as StepTableAnswer
  std::vector<NvrxScore> nvrx;
  WaitVotes votes;
  std::optional<WhatIfScores> what_if;  // asked where nobody told step parts
  Suspects suspects;
  std::optional<EarlierAttempt> earlier;
  RestartTime restart;
  std::optional<ScoreKind> kind;  // absent: nothing ranks anybody
  std::string reason;             // why
  std::vector<RankedRow> rows;

  const Suspect* suspectOf(const RankedRow& row) const { return row.suspect == kNoSuspect ? nullptr : &suspects.all[row.suspect]; }
  // Up to when steps are known.
  std::optional<TimeNs> lastTime() const;
  std::int32_t gpus() const;
};

class RankingFeed {
 public:
  // Run 0: see chooseRun(). Attempt 0: the newest that tells anything of its ranks' steps.
  RankingFeed(RunId run, AttemptId attempt) : m_run(run), m_wanted(attempt) {}

  // `findings` of the run; null: those that are stored.
  Result<Ranking> read(Reader& reader, const std::vector<Finding>* findings, const std::stop_token& stop);

 private:
  struct Rested {  // something that is looked at again after a rest
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
  std::optional<std::int64_t> m_newest;  // that m_table is read up to
  struct Compared {                      // of one state of m_table
    std::uint64_t revision = 0;
    SlowRanks relative;
    std::vector<NvrxScore> nvrx;
  };
  std::optional<Compared> m_compared;
  Rested m_what_if_rest, m_votes_rest;
  std::optional<WhatIfScores> m_what_if;
  WaitVotes m_votes;
  std::optional<ScoreKind> m_earlier_kind;  // that m_earlier was read for
  std::optional<EarlierAttempt> m_earlier;
  std::optional<std::size_t> m_restarts_of;  // attempts that m_restart is of
  RestartTime m_restart;
};

}  // namespace runglass
