// SPDX-License-Identifier: Apache-2.0
// What all readers of Chrome traces do alike: bytes into an EventSlicer to the end, and telling epoch times from others.
//
// Threading:  one thread.
// Ownership:  borrows everything.
// Units:      ns, bytes.
// Errors:     INVALID_ARGUMENT when the first byte is neither an object's nor a list's, and what `failure` returns. A damaged archive, a
//             file that ends in the middle and a stop are told in TraceEnd.
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

// `failure` is asked after every piece whether to go on.
Result<TraceEnd> readTrace(ByteStream& in, const std::string& path, EventSlicer& slicer, const std::stop_token& stop,
                           const std::function<Status()>& failure);

// Times without a base that are this large count from 1970: later than 1973, longer than 3 years of uptime.
inline constexpr std::int64_t kEpochNs = 100'000'000LL * kNsPerSecond;

}  // namespace runglass
