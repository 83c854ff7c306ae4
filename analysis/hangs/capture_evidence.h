// SPDX-License-Identifier: Apache-2.0
// CaptureEvidence: what captures of an attempt say of its ranks while it stands still: processes that do not run, and stacks in clusters.
//
// Threading:  one thread.
// Ownership:  values; CaptureReading keeps its last answer.
// Units:      TimeNs.
// Errors:     the Reader's.
// Cost:       look(): a list of the captures since then; their texts once per capture that is new.
#pragma once

#include <map>
#include <string>

#include "analysis/hangs/stack_clusters.h"
#include "storage/reader.h"

namespace runglass {

struct CaptureEvidence {
  // Ranks whose process cannot run, with the kernel's words: "T (stopped)", "Z (zombie)"; "D (disk sleep)" only where two captures at
  // least kDiskSleep apart show it: a read that takes a moment is no fault.
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
  std::int64_t m_newest = 0;  // its id
};

}  // namespace runglass
