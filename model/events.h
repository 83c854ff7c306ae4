// SPDX-License-Identifier: Apache-2.0
// Events, log lines, progress, ingest issues, labels.
//
// Units:      TimeNs.
// Errors:     odd or lost *data* is reported as an Issue.
// Cost:       one row each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/ids.h"
#include "model/time.h"

namespace runglass {

enum class Severity : std::uint8_t { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3, kCritical = 4 };
const char* severityName(Severity severity);
std::optional<Severity> severityFromName(std::string_view name);

struct Event {
  std::int64_t id = 0;         // filled by the store
  std::optional<TimeNs> time;  // absent: the source has no clock
  AttemptId attempt;           // any owner may be 0
  NodeId node;
  DeviceId device;
  std::optional<std::int32_t> rank;
  std::optional<std::int64_t> step;
  std::string kind;  // "start", "restart", "checkpoint_saved", "xid", "skipped_iteration", "node_lost", ...
  Severity severity = Severity::kInfo;
  std::string code;  // Xid number, exit code, ...
  std::string message;
};

struct LogLine {
  std::optional<TimeNs> time;
  AttemptId attempt;
  NodeId node;
  std::optional<std::int32_t> rank;
  std::string stream;  // "stdout", file name, ...
  Severity severity = Severity::kInfo;
  std::string text;
};

// The current activity of a rank; the newest one per (attempt, rank) wins.
struct Progress {
  AttemptId attempt;
  std::int32_t rank = 0;
  TimeNs time = 0;
  std::optional<std::int64_t> step, microbatch, group, seq;
  std::string phase;  // init, warmup, steady, eval, checkpoint
  std::string op;
  std::optional<TimeNs> since;
};

// One kind of odd or lost data from one source; the store adds up the counts of equal (code, source).
struct Issue {
  std::string code;    // from issue_catalog
  std::string source;  // file, agent, series
  std::int64_t count = 1;
  std::optional<TimeNs> first, last;
  std::string detail;  // what, where (byte offset), why
};

// The simulator's ground truth, to score analyses against.
struct Label {
  AttemptId attempt;
  std::string kind;
  NodeId node;
  DeviceId device;
  std::optional<std::int32_t> rank;
  std::optional<TimeNs> start, end;
  std::optional<std::int64_t> first_step, last_step;
  double strength = 0;
};

// One reading of a session's clock compared with the hub's: corrected = raw + offset.
struct ClockReading {
  NodeId node;
  std::string session;
  TimeNs raw = 0;
  DurNs offset = 0, error = 0;
  std::string source;  // "hello", "ack", "import"
};

}  // namespace runglass
