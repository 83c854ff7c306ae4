// SPDX-License-Identifier: Apache-2.0
// CounterSeries: a trace's counter events (C) as metric series, one for every number in their args.
//
// Threading:  one thread.
// Ownership:  borrows the Recorder.
// Units:      ns; values as in the trace, without a unit unless the name ends in one.
// Errors:     put() returns the number of values left out: not numeric, or of series beyond kMaxSeries.
// Cost:       one pass over the args and a hash look-up per value.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>
#include <unordered_map>

#include "collectors/importers/chrome_trace/trace_event.h"
#include "model/recorder.h"

namespace runglass {

class CounterSeries {
 public:
  static constexpr std::size_t kMaxSeries = 4'096;

  explicit CounterSeries(Recorder& out) : m_out(out) {}
  // `process` separates equal counters of different processes.
  std::int64_t put(AttemptId attempt, std::optional<std::int32_t> rank, const std::string& process, const TraceEvent& event);

 private:
  SeriesId seriesOf(const SeriesKey& key);
  Recorder& m_out;
  simdjson::ondemand::parser m_parser;
  std::unordered_map<std::string, SeriesId> m_series;
};

}  // namespace runglass
