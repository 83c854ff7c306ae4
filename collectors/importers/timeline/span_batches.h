// SPDX-License-Identifier: Apache-2.0
// SpanBatches: gathers spans of many tracks and hands them on track by track, as they are: any order, overlapping, still open. Spans
// that nest belong into a TrackSorter.
//
// Threading:  one thread.
// Ownership:  borrows the Recorder; owns what waits.
// Units:      ns, bytes.
// Errors:     the Recorder's, at its flush().
// Cost:       at most kMostBytes wait and one span more.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/recorder.h"

namespace runglass {

struct LooseSpan {
  TimeNs start = 0;
  DurNs dur = kAbsent;  // still open
  SpanCategory category = SpanCategory::kComm;
  std::int64_t group = kAbsent, seq = kAbsent, bytes = kAbsent, correlation = kAbsent;
};

class SpanBatches {
 public:
  static constexpr std::size_t kMostBytes = 16U << 20;

  explicit SpanBatches(Recorder& out) : m_out(out) {}
  void add(TrackId track, const LooseSpan& span, std::string_view name, std::string args);
  void flush();

 private:
  struct Waiting {
    SpanColumns columns;
    std::map<std::string, std::uint32_t, std::less<>> names;
  };

  Recorder& m_out;
  std::map<TrackId, Waiting> m_waiting;
  std::size_t m_bytes = 0;
};

}  // namespace runglass
