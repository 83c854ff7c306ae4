// SPDX-License-Identifier: Apache-2.0
// TrackSorter: collects the spans of many tracks, and records each track's sorted by start with their nesting depth.
//
// Threading:  one thread.
// Ownership:  borrows the Recorder; owns the waiting spans.
// Units:      ns, bytes.
// Errors:     the Recorder's, at its flush().
// Cost:       at most kMaxBytes wait; a sort per flush. Nesting is exact among spans that waited together.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectors/importers/timeline/name_table.h"
#include "model/recorder.h"

namespace runglass {

struct TraceSpan {
  TimeNs start = 0;
  DurNs dur = 0;  // kAbsent: still open. Otherwise start + dur is within 64 bits
  SpanCategory category = SpanCategory::kOther;
  std::int64_t correlation = kAbsent, external_id = kAbsent, bytes = kAbsent, sequence = kAbsent, group = kAbsent;
  std::int64_t step = kAbsent, microbatch = kAbsent;  // if the source records them
};

class TrackSorter {
 public:
  static constexpr std::size_t kMaxBytes = 48U << 20;

  explicit TrackSorter(Recorder& out) : m_out(out) {}
  void add(TrackId track, const TraceSpan& span, std::string_view name, std::string_view args);
  // Training steps by their ranges; a span that begins in one, and has no step of its own, gets its number.
  void addStep(std::int64_t step, TimeNs begin, DurNs dur) { m_steps[begin] = {begin + dur, step}; }
  bool full() const { return m_bytes > kMaxBytes; }
  void flush();
  // Spans renamed because of the limit on names.
  std::int64_t renamed() const { return m_renamed; }

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Name {
    const std::string* text;  // in m_names
    bool renamed;
    std::uint64_t batch = 0;  // last batch that has the name; `at`: its index there
    std::uint32_t at = 0;
  };
  struct Row {
    std::size_t waiting = 0, end = 0;  // number of spans in m_spans, and their end in m_order
    std::vector<TimeNs> open;          // ends of the spans that enclose the newest one
  };
  struct Waiting {
    TraceSpan span;
    Row* row;
    std::uint32_t name;    // index into m_dictionary
    std::size_t args_end;  // end in m_args; the start is the end of the previous span's
  };
  static constexpr std::size_t kBatchSpans = 4'096;
  void recordBatch(TrackId track, Row& row, std::span<const std::uint32_t> order);
  std::uint32_t nameInBatch(Name& name);
  std::string_view argsOf(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : m_spans[i - 1].args_end;
    return std::string_view(m_args).substr(begin, m_spans[i].args_end - begin);
  }
  std::int64_t stepAt(TimeNs time) const;

  Recorder& m_out;
  // One list for all tracks, and one batch: their memory is reused, so that a long file needs no further allocation.
  std::map<TrackId, Row> m_rows;
  std::vector<Waiting> m_spans;
  std::string m_args;
  std::vector<std::uint32_t> m_order;
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> m_known;
  std::vector<Name> m_dictionary;  // by the numbers in m_known
  SpanColumns m_batch;
  std::uint64_t m_batches = 0;
  std::map<TimeNs, std::pair<TimeNs, std::int64_t>> m_steps;  // begin -> end, number
  NameTable m_names;
  std::int64_t m_renamed = 0;
  std::size_t m_bytes = 0;
};

}  // namespace runglass
