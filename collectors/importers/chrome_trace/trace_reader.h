// SPDX-License-Identifier: Apache-2.0
// Common to all readers of Chrome traces: feeding an EventSlicer, and recognising epoch times.
//
// Threading:  one thread.
// Ownership:  borrows everything.
// Units:      ns, bytes.
// Errors:     INVALID_ARGUMENT if the first byte begins neither an object nor a list; any error of `failure`. A damaged archive, a
//             truncated file and a stop are reported in TraceEnd.
// Cost:       one pass.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "collectors/importers/chrome_trace/event_slicer.h"
#include "collectors/importers/importer.h"

namespace runglass {

struct TraceEnd {
  bool stopped = false;
  std::string partial_reason;
};

// `failure` is called after every piece; an error ends the reading.
Result<TraceEnd> readTrace(ByteStream& in, const std::string& path, EventSlicer& slicer, const std::stop_token& stop,
                           const std::function<Status()>& failure);

// Times without a base that are at least this large count from 1970: later than 1973, longer than 3 years of uptime.
inline constexpr std::int64_t kEpochNs = 100'000'000LL * kNsPerSecond;

}  // namespace runglass
