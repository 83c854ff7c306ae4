// SPDX-License-Identifier: Apache-2.0
// CaptureEvidence: what captures of an attempt show about its ranks during a standstill: processes that cannot run, and clusters of stacks.
//
// Threading:  one thread.
// Ownership:  CaptureReading keeps its last answer.
// Units:      TimeNs.
// Errors:     the Reader's.
// Cost:       look(): a list of the captures since then; the text of each new capture once.
#pragma once

#include <map>
#include <string>

#include "analysis/hangs/stack_clusters.h"
#include "storage/reader.h"

namespace runglass {

struct CaptureEvidence {
  // Ranks whose process cannot run, with the kernel's state: "T (stopped)", "Z (zombie)"; "D (disk sleep)" only where two captures at least
  // kDiskSleep apart have it: a short read is not a fault.
  std::map<std::int32_t, std::string> states;
  StackClusters stacks;
};
inline constexpr DurNs kDiskSleep = 2 * kNsPerSecond;

class CaptureReading {
 public:
  Result<const CaptureEvidence*> look(Reader& reader, RunId run, AttemptId attempt, TimeNs since);

 private:
  CaptureEvidence m_evidence;
  AttemptId m_attempt;
  TimeNs m_since = 0;
  std::size_t m_count = 0;
  std::int64_t m_newest = 0;  // id of the newest capture
};

}  // namespace runglass
