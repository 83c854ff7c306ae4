// SPDX-License-Identifier: Apache-2.0
// SpanBatches: collects spans of many tracks and passes them on track by track, unchanged: in any order, overlapping, still open. Nested
// spans belong in a TrackSorter.
//
// Threading:  one thread.
// Ownership:  borrows the Recorder; owns the waiting spans.
// Units:      ns, bytes.
// Errors:     the Recorder's, at its flush().
// Cost:       at most kMaxBytes wait, plus one span; names are limited by a NameTable.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "collectors/importers/timeline/name_table.h"
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
  static constexpr std::size_t kMaxBytes = 16U << 20;

  explicit SpanBatches(Recorder& out) : m_out(out) {}
  void add(TrackId track, const LooseSpan& span, std::string_view name, std::string args);
  void flush();
  // Spans renamed because of the limit on names.
  std::int64_t renamed() const { return m_renamed; }

 private:
  struct Waiting {
    SpanColumns columns;
    std::unordered_map<const std::string*, std::uint32_t> names;  // index in m_names -> index in columns
  };

  Recorder& m_out;
  std::map<TrackId, Waiting> m_waiting;
  NameTable m_names;
  std::int64_t m_renamed = 0;
  std::size_t m_bytes = 0;
};

}  // namespace runglass
