// SPDX-License-Identifier: Apache-2.0
// Requests of OTLP: ExportMetricsServiceRequest, ExportLogsServiceRequest and ExportTraceServiceRequest in protobuf, read without building
// objects.
//
// Threading:  pure.
// Ownership:  views point into the bytes and are valid for the call only.
// Units:      ns as sent; 0 is no time.
// Errors:     INVALID_ARGUMENT malformed; RESOURCE_EXHAUSTED more than a limit: nothing is allocated by a number that the bytes claim.
// Cost:       countOtlp() O(bytes), and the parts of one data point in memory; the others as much again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/result.h"

namespace runglass {

enum class OtlpSignal : std::uint8_t { kMetrics, kLogs, kTraces };

struct OtlpCounts {
  // Parts: data points with their buckets and quantiles, spans, log records.
  static constexpr std::int64_t kMaxScopes = 65'536, kMaxParts = 2'000'000, kMaxAttributes = 128;
  static constexpr std::size_t kMaxAttributeBytes = 16U << 10;  // of a resource, scope or data point
  static constexpr std::size_t kMaxRecordBytes = 1U << 20;      // of a span or log record
  static constexpr std::size_t kMaxBuckets = 4'096;             // of a data point
  // Of a request's parts: each is a series, whose name has the metric's and the data point's attributes.
  static constexpr std::size_t kMaxPartBytes = 512U << 20;
  std::size_t part_bytes = 0;
  std::int64_t scopes = 0, items = 0, parts = 0;  // items: data points, spans, log records
};
Result<OtlpCounts> countOtlp(OtlpSignal signal, std::string_view request);

// The messages Resource and InstrumentationScope.
struct OtlpScope {
  std::string_view resource, scope;
};
// Metrics, spans or log records of a request that countOtlp() accepted, after the scope that each is of.
void forEachItem(std::string_view request, const std::function<void(const OtlpScope&)>& scope,
                 const std::function<void(std::string_view item)>& item);

struct OtlpMetric {
  enum class Kind : std::uint8_t { kGauge, kSum, kHistogram, kExponential, kSummary };
  std::string_view name, unit;
  Kind kind = Kind::kGauge;
  bool delta = false, monotonic = false;
};
struct OtlpPoint {
  std::vector<std::string_view> attributes;  // KeyValue messages, in the order of their bytes
  std::uint64_t time = 0, count = 0;
  double value = 0;  // of a gauge or sum
  bool recorded = true;
  std::optional<double> sum, min, max;
  std::vector<double> bounds;  // explicit
  std::int32_t scale = 0;      // exponential
  struct Buckets {
    std::int64_t offset = 0;
    std::vector<std::uint64_t> counts;
  };
  Buckets positive, negative;  // explicit: the former
  std::uint64_t zero_count = 0;
  double zero_threshold = 0;
  std::vector<std::pair<double, double>> quantiles;
};
// False: malformed, or beyond a limit of a data point. `point` is reused from one to the next.
bool forEachPoint(std::string_view metric, OtlpPoint& point, const std::function<bool(const OtlpMetric&, const OtlpPoint&)>& use);

struct OtlpSpan {
  std::string_view trace_id, span_id, parent_id, name, status;
  std::uint64_t start = 0, end = 0;
  std::uint32_t kind = 0;
};
OtlpSpan spanOf(std::string_view bytes);

struct OtlpLog {
  std::string_view severity_text, body, trace_id, span_id, event_name;  // body: an AnyValue
  std::uint64_t time = 0;                                               // else the observed one
  std::uint32_t severity = 0;
};
OtlpLog logOf(std::string_view bytes);

inline constexpr std::uint32_t kSpanAttributes = 9, kSpanEvents = 11, kSpanLinks = 13, kLogAttributes = 6;

}  // namespace runglass
