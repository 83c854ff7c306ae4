// SPDX-License-Identifier: Apache-2.0
// Queries for events and log lines, and their answers: filters, pages in a total order, context, density.
//
// Units:      TimeNs; ranges are half-open.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "model/events.h"
#include "model/ids.h"
#include "model/time.h"

namespace runglass {

struct EventFilter {
  TimeRange range;
  std::optional<RunId> run;  // also matches events of the run's nodes and devices that have no attempt
  Severity at_least = Severity::kDebug;
  std::string kind;            // of events; "" = any
  std::size_t limit = 10'000;  // newest first
};

// A position in the order of events or log lines: by corrected time, then by id. Rows without a time come before all others.
struct RowKey {
  TimeNs time = std::numeric_limits<TimeNs>::min();
  std::int64_t id = 0;
  friend auto operator<=>(const RowKey&, const RowKey&) = default;
};

enum class RowOrder : std::uint8_t { kNewestFirst, kOldestFirst };

// A query for events or log lines.
struct RowQuery {
  std::string words = {};         // as typed, see model/log_query.h; for events: in kind, code and message
  TimeRange range = {};           // the whole range includes rows without a time
  std::optional<RunId> run = {};  // also rows of the run's nodes and devices that have no attempt
  std::optional<AttemptId> attempt = {};
  std::optional<NodeId> node = {};
  std::optional<DeviceId> device = {};  // events only
  std::optional<std::int32_t> rank = {};
  std::string kind = {};    // events only; "" = any
  std::string stream = {};  // log lines only; "" = any
  Severity at_least = Severity::kDebug;
  RowOrder order = RowOrder::kNewestFirst;
  std::optional<RowKey> after = {};  // the last row of the previous page
  std::size_t limit = 200;
};

struct LogHit {
  RowKey key;
  LogLine line;
};
struct LogPage {
  std::vector<LogHit> hits;
  bool more = false;
};
struct EventPage {
  std::vector<Event> events;
  bool more = false;
};
// Lines of one node, rank and stream in order of time.
struct LogContext {
  std::vector<LogHit> lines;
  std::size_t at = 0;  // index of the requested line
};

inline constexpr std::size_t kSeverityCount = 5;
using SeverityCounts = std::array<std::uint32_t, kSeverityCount>;
// The number of rows of each severity in equal parts of a range.
struct RowDensity {
  std::vector<SeverityCounts> events, logs;
};

}  // namespace runglass
