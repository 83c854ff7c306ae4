// SPDX-License-Identifier: Apache-2.0
// Timeline spans in columns.
//
// Ownership:  columns own their data; names are indices into `names`, local to the batch.
// Units:      TimeNs / DurNs, bytes.
// Errors:     overlap is allowed: storage puts overlapping spans on overflow lanes, nothing is dropped.
// Cost:       optional columns are empty when no span of the batch has the value.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"
#include "model/time.h"

namespace runglass {

enum class SpanCategory : std::uint8_t {
  kCompute = 0,
  kComm,
  kMemcpy,
  kMemset,
  kRuntime,
  kCpuOp,
  kAnnotation,
  kSync,
  kDataload,
  kCheckpoint,
  kGc,
  kIdle,
  kOther,
};
inline constexpr int kSpanCategoryCount = 13;
const char* spanCategoryName(SpanCategory category);                 // "compute", "comm", ...
std::optional<SpanCategory> spanCategoryFromName(std::string_view);  // inverse

// Classes distinguished by colour: work of the device, communication, copies, the host's.
enum class SpanClass : std::uint8_t { kCompute = 0, kComm, kCopy, kHost };
inline constexpr int kSpanClassCount = 4;
constexpr SpanClass spanClass(SpanCategory category) {
  switch (category) {
    case SpanCategory::kCompute:
      return SpanClass::kCompute;
    case SpanCategory::kComm:
      return SpanClass::kComm;
    case SpanCategory::kMemcpy:
    case SpanCategory::kMemset:
      return SpanClass::kCopy;
    default:
      return SpanClass::kHost;
  }
}

// A row of the timeline: a GPU stream, a thread, a PP direction.
struct TrackKey {
  AttemptId attempt;
  std::optional<std::int32_t> rank;
  std::string kind;  // "gpu_stream", "thread", "pp_send", ...
  std::string name;
  friend bool operator==(const TrackKey&, const TrackKey&) = default;
};

// A stream or queue of a GPU or accelerator.
inline bool isDeviceTrack(const TrackKey& key) { return key.kind == "gpu_stream" || key.kind == "accel_queue"; }

struct Track {
  TrackId id;
  TrackKey key;
  RunId run;
};

// Marks a missing value in optional integer columns, inside a batch only; relations return NULL.
inline constexpr std::int64_t kAbsent = std::numeric_limits<std::int64_t>::min();
inline std::optional<std::int64_t> unlessAbsent(std::int64_t value) { return value == kAbsent ? std::nullopt : std::optional(value); }
// Of an optional column, which is empty where no row has a value.
inline std::int64_t columnValue(const std::vector<std::int64_t>& column, std::size_t i) { return column.empty() ? kAbsent : column[i]; }

struct SpanColumns {
  std::vector<std::int64_t> id;  // span_id, filled by Reader::spans; ignored on input
  std::vector<TimeNs> start;
  std::vector<DurNs> dur;           // kAbsent = still open
  std::vector<std::uint32_t> name;  // index into names
  std::vector<SpanCategory> category;
  std::vector<std::int32_t> depth;  // nesting depth at the source; empty = all 0
  // Optional columns: empty, or as long as start with kAbsent where a span has no value.
  std::vector<std::int64_t> step, microbatch, group, seq, bytes, correlation, external_id;
  std::vector<std::string> args;  // raw JSON object text or ""
  std::vector<std::string> names;
  std::size_t size() const { return start.size(); }
};

}  // namespace runglass
