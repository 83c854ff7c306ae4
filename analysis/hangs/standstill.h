// SPDX-License-Identifier: Apache-2.0
// Standstill: which ranks wait for which in an attempt without progress, and the culprits, from all records: progress, sequence numbers of
// flight recorders, spans of completed operations, process states and stacks of captures.
//
// Threading:  one thread.
// Ownership:  keeps the spans and captures that it has read until the next standstill.
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
  TimeNs moved = 0;                       // no progress since then
  TimeNs newest = 0;                      // of the progress records
  bool dump = false;                      // flight recorders of an ended job, not a live run
};

class Standstill {
 public:
  // Fills ranks, groups, culprits and stacks; the caller fills the rest. Without culprits `unclear` is the reason.
  Status look(Reader& reader, const StandstillFacts& facts, std::stop_token stop, HangEvidence& evidence);

 private:
  Result<std::vector<WavefrontRank>> standing(Reader& reader, const StandstillFacts& facts) const;
  Result<std::vector<CommGroup>> groupsOf(Reader& reader, const StandstillFacts& facts, std::stop_token stop);
  // Adds the completed operations of the missing members, from their spans; returns whether anything was added.
  Result<bool> addReach(Reader& reader, const StandstillFacts& facts, const Wavefront& front, std::stop_token stop,
                        std::vector<WavefrontRank>& ranks);

  std::pair<AttemptId, TimeNs> m_learned_at, m_reach_at;
  std::vector<CommGroup> m_learned;
  std::set<std::int32_t> m_reach_read;
  RankReach m_reach;
  CaptureReading m_captures;
};

}  // namespace runglass
