// SPDX-License-Identifier: Apache-2.0
// LogBudget: how many log lines a source may send. A flood is cut at the node, counted, and never takes room from warnings.
//
// Threading:  one thread, the Recorder's.
// Ownership:  none.
// Units:      lines; monotone or session time in ns.
// Errors:     none: what goes beyond is refused and counted.
// Cost:       O(1) a line.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "model/events.h"

namespace runglass {

class LogBudget {
 public:
  static constexpr std::int64_t kLinesPerSecond = 10'000, kBurst = 100'000;  // of plain lines, and again of warnings and worse

  bool take(Severity severity, TimeNs now) {
    Bucket& bucket = m_buckets[severity >= Severity::kWarning ? 1 : 0];
    if (bucket.filled_at == 0) bucket.filled_at = now;
    // In units of 1 / s, so that no part of a line is lost however often this is asked.
    const DurNs waited = std::clamp<DurNs>(now - bucket.filled_at, 0, kBurst / kLinesPerSecond * kNsPerSecond);
    bucket.room = std::min(kBurst * kNsPerSecond, bucket.room + waited * kLinesPerSecond);
    bucket.filled_at = now;
    if (bucket.room < kNsPerSecond) {
      ++m_refused;
      return false;
    }
    bucket.room -= kNsPerSecond;
    return true;
  }
  // Since the last call; at most one answer above 0 a second.
  std::int64_t refusedToTell(TimeNs now) {
    if (m_refused == 0 || (now >= m_told_at && now - m_told_at < kNsPerSecond)) return 0;
    m_told_at = now;
    return std::exchange(m_refused, 0);
  }
  std::int64_t takeRefused() { return std::exchange(m_refused, 0); }

 private:
  struct Bucket {
    std::int64_t room = kBurst * kNsPerSecond;
    TimeNs filled_at = 0;
  };
  std::array<Bucket, 2> m_buckets;
  std::int64_t m_refused = 0;
  TimeNs m_told_at = 0;
};

}  // namespace runglass
