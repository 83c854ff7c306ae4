// SPDX-License-Identifier: Apache-2.0
// Standstill: who waits for whom in an attempt that stands still, and who holds it up, from all that is recorded: progress, the numbers of
// flight recorders, spans of operations that ended, process states and stacks of captures.
//
// Threading:  one thread.
// Ownership:  keeps what it has read of spans and captures until the standstill is another one.
// Units:      TimeNs.
// Errors:     the Reader's.
// Cost:       ranks, communicators and facts per call; spans once per standstill, captures once each.
#pragma once

#include <set>
#include <stop_token>

#include "analysis/hangs/capture_evidence.h"
#include "analysis/hangs/group_reach.h"
#include "analysis/hangs/hang_evidence.h"

namespace runglass {

struct StandstillFacts {
  RunId run;
  AttemptId attempt;
  const std::vector<Progress>& progress;  // of this attempt
  TimeNs moved = 0;                       // since then it stands still
  TimeNs newest = 0;                      // of the progress
  bool dump = false;                      // flight recorders of a job that is over, not a live run
};

class Standstill {
 public:
  // Fills ranks, groups, culprits and stacks; the rest is the caller's. Without culprits `unclear` is why.
  Status look(Reader& reader, const StandstillFacts& facts, std::stop_token stop, HangEvidence& evidence);

 private:
  Result<std::vector<WavefrontRank>> standing(Reader& reader, const StandstillFacts& facts) const;
  Result<std::vector<CommGroup>> groupsOf(Reader& reader, const StandstillFacts& facts, std::stop_token stop);
  // Adds what the spans of those that are waited for say; whether anything was added.
  Result<bool> addReach(Reader& reader, const StandstillFacts& facts, const Wavefront& front, std::stop_token stop,
                        std::vector<WavefrontRank>& ranks);

  std::pair<AttemptId, TimeNs> m_learned_at, m_reach_at;
  std::vector<CommGroup> m_learned;
  std::set<std::int32_t> m_reach_read;
  RankReach m_reach;
  CaptureReading m_captures;
};

}  // namespace runglass
