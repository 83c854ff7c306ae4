// SPDX-License-Identifier: Apache-2.0
// OddEvents: counts the events of a Chrome trace that are left out or invalid, and records them as issues at the end.
//
// Threading:  one thread.
// Units:      events; negative_ns in ns.
// Cost:       an addition per counted event.
#pragma once

#include <string>

#include "model/recorder.h"

namespace runglass {

struct OddEvents {
  std::int64_t no_time = 0, bad_duration = 0, no_track = 0, unmatched_end = 0, never_ended = 0, closed_later = 0, too_many_open = 0,
               instants = 0, flows = 0, not_kept = 0, odd_counters = 0, late_names = 0;
  DurNs negative_ns = 0;  // sum of the negative durations among bad_duration

  // Records the counts above 0 as issues of `source`.
  void tell(Recorder& out, const std::string& source) const;
};

}  // namespace runglass
