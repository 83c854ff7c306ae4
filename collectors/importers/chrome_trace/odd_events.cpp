// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/chrome_trace/odd_events.h"

namespace runglass {

void OddEvents::tell(Recorder& out, const std::string& source) const {
  const auto issue = [&](const char* code, std::int64_t count, const std::string& detail) {
    if (count > 0) out.issue({.code = code, .source = source, .count = count, .detail = detail});
  };
  issue("chrome_trace.no_time", no_time, "events without a usable ts");
  issue("chrome_trace.bad_duration", bad_duration,
        "kept with no length; those that end before they begin do so by " + std::to_string(negative_ns) + " ns in all");
  issue("chrome_trace.too_many_tracks", no_track, "spans on rows beyond the limit");
  issue("chrome_trace.unmatched_end", unmatched_end, "ends (E) that no begin of their thread waits for");
  issue("chrome_trace.never_ended", never_ended, "begins (B) without an end, kept as still open");
  issue("chrome_trace.closed_later", closed_later, "spans that an earlier import found open have ended: both are there");
  issue("chrome_trace.too_many_open", too_many_open, "begins (B) beyond what may be open at once");
  issue("chrome_trace.too_many_instants", instants, "instant events (i) beyond the limit");
  issue("chrome_trace.flow", flows, "ends of arrows (s, t, f)");
  issue("chrome_trace.not_kept", not_kept, "events of other phases");
  issue("chrome_trace.odd_counter", odd_counters, "values of counters (C) that are no numbers, or of too many series");
  issue("chrome_trace.late_names", late_names, "names of rows behind more events than may wait for them");
}

}  // namespace runglass
