// SPDX-License-Identifier: Apache-2.0
// TrackSorter: gathers the spans of many tracks, and records each track's sorted by begin with their nesting depth.
//
// Threading:  one thread.
// Ownership:  borrows the Recorder; owns what waits.
// Units:      ns, bytes.
// Errors:     the Recorder's, at its flush().
// Cost:       at most kMostBytes wait; a sort per flush. Nesting is exact within what waited together.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectors/importers/timeline/name_book.h"
#include "model/recorder.h"

namespace runglass {

struct TraceSpan {
  TimeNs start = 0;
  DurNs dur = 0;  // kAbsent: still open. Else start + dur is within 64 bits
  SpanCategory category = SpanCategory::kOther;
  std::int64_t correlation = kAbsent, external_id = kAbsent, bytes = kAbsent, sequence = kAbsent, group = kAbsent;
  std::int64_t step = kAbsent, microbatch = kAbsent;  // where the source says them itself
};

class TrackSorter {
 public:
  static constexpr std::size_t kMostBytes = 48U << 20;

  explicit TrackSorter(Recorder& out) : m_out(out) {}
  void add(TrackId track, const TraceSpan& span, std::string_view name, std::string_view args);
  // Training steps by their ranges; spans that begin in one, and have no step of their own, carry its number.
  void addStep(std::int64_t step, TimeNs begin, DurNs dur) { m_steps[begin] = {begin + dur, step}; }
  bool full() const { return m_bytes > kMostBytes; }
  void flush();
  // Spans that lost their name to the bound on names.
  std::int64_t renamed() const { return m_renamed; }

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Name {
    const std::string* text;  // of m_names
    bool renamed;
  };
  struct Waiting {
    struct Span {
      TraceSpan span;
      std::uint32_t name;    // of dictionary
      std::size_t args_end;  // in args; they begin where those of the span before end
    };
    std::string_view argsOf(std::size_t i) const {
      const std::size_t begin = i == 0 ? 0 : spans[i - 1].args_end;
      return std::string_view(args).substr(begin, spans[i].args_end - begin);
    }
    std::vector<Span> spans;
    std::string args;
    std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> known;
    std::vector<Name> dictionary;  // by the numbers in `known`
    std::vector<TimeNs> open;      // ends of what encloses the newest span
  };
  static constexpr std::size_t kBatchSpans = 4'096;
  void record(TrackId track, Waiting& waiting);
  void recordBatch(TrackId track, Waiting& waiting, std::span<const std::uint32_t> order);
  std::int64_t stepAt(TimeNs time) const;

  Recorder& m_out;
  std::map<TrackId, Waiting> m_tracks;
  std::map<TimeNs, std::pair<TimeNs, std::int64_t>> m_steps;  // begin -> end, number
  NameBook m_names;
  std::int64_t m_renamed = 0;
  std::size_t m_bytes = 0;
};

}  // namespace runglass
