// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/receivers/otlp/otlp_request.h"

#include <algorithm>
#include <bit>
#include <string>

#include "collectors/hub/receivers/otlp/otlp_value.h"

namespace runglass {
namespace {

using Kind = OtlpMetric::Kind;

// Fields of the messages around the items.
constexpr std::uint32_t kResources = 1, kResource = 1, kScopes = 2, kScope = 1, kItems = 2, kAttributes = 1, kScopeAttributes = 3;
constexpr std::uint32_t kMetricName = 1, kMetricUnit = 3, kDataPoints = 1, kTemporality = 2, kIsMonotonic = 3;
constexpr std::uint64_t kDelta = 1, kNoRecordedValue = 1;

Status malformed(const char* what) { return {Code::kInvalidArgument, std::string("otlp: malformed ") + what}; }
Status tooMany(std::int64_t most, const char* what) {
  return {Code::kResourceExhausted, "otlp: more than " + std::to_string(most) + " " + what};
}

double realOf(WireReader& reader) { return std::bit_cast<double>(reader.fixed64()); }

// Packed or one by one. False: more than a data point may have.
template <class Value, class Read>
bool readColumn(WireReader& reader, std::uint32_t wire_type, std::vector<Value>& out, const Read& read) {
  if (reader.wireType() == wire_type) {
    out.push_back(read(reader));
  } else if (reader.wireType() == 2) {
    WireReader packed(reader.bytes());
    while (reader.ok() && packed.ok() && !packed.done() && out.size() <= OtlpCounts::kMaxBuckets) {
      const Value value = read(packed);
      if (packed.ok()) out.push_back(value);
    }
    if (!packed.ok()) return false;
  } else {
    reader.skip();
  }
  return out.size() <= OtlpCounts::kMaxBuckets;
}

bool readBuckets(std::string_view bytes, OtlpPoint::Buckets& buckets) {
  WireReader reader(bytes);
  while (reader.next()) {
    if (reader.field() == 1 && reader.wireType() == 0)
      buckets.offset = std::clamp<std::int64_t>(reader.zigzag(), INT32_MIN, INT32_MAX);
    else if (reader.field() == 2) {
      if (!readColumn(reader, 0, buckets.counts, [](WireReader& from) { return from.varint(); })) return false;
    } else
      reader.skip();
  }
  return reader.ok();
}

void clear(OtlpPoint& point) {
  point.attributes.clear();
  point.time = point.count = point.zero_count = 0;
  point.value = point.zero_threshold = 0;
  point.recorded = true;
  point.sum.reset(), point.min.reset(), point.max.reset();
  point.bounds.clear();
  point.scale = 0;
  point.positive.offset = point.negative.offset = 0;
  point.positive.counts.clear(), point.negative.counts.clear();
  point.quantiles.clear();
}

struct PointFields {
  std::uint32_t attributes, flags, min, max;
};
constexpr PointFields fieldsOf(Kind kind) {
  switch (kind) {
    case Kind::kHistogram:
      return {9, 10, 11, 12};
    case Kind::kExponential:
      return {1, 10, 12, 13};
    default:
      return {7, 8, 0, 0};
  }
}

// A field that only this kind of data point has; false: malformed or too large.
bool readOwn(WireReader& reader, Kind kind, OtlpPoint& point) {
  const std::uint32_t field = reader.field(), type = reader.wireType();
  if (kind == Kind::kGauge || kind == Kind::kSum) {
    if (field == 4 && type == 1)
      point.value = realOf(reader);
    else if (field == 6 && type == 1)
      point.value = static_cast<double>(reader.fixed64());
    else
      reader.skip();
    return true;
  }
  if (field == 4 && type == 1)
    point.count = static_cast<std::uint64_t>(reader.fixed64());
  else if (field == 5 && type == 1)
    point.sum = realOf(reader);
  else if (kind == Kind::kSummary && field == 6 && type == 2) {
    auto& [quantile, value] = point.quantiles.emplace_back();
    WireReader pair(reader.bytes());
    while (pair.next()) {
      if (pair.wireType() == 1 && pair.field() <= 2)
        (pair.field() == 1 ? quantile : value) = realOf(pair);
      else
        pair.skip();
    }
    return pair.ok() && point.quantiles.size() <= OtlpCounts::kMaxBuckets;
  } else if (kind == Kind::kHistogram && field == 6)
    return readColumn(reader, 1, point.positive.counts, [](WireReader& from) { return static_cast<std::uint64_t>(from.fixed64()); });
  else if (kind == Kind::kHistogram && field == 7)
    return readColumn(reader, 1, point.bounds, [](WireReader& from) { return realOf(from); });
  else if (kind == Kind::kExponential && field == 6 && type == 0)
    point.scale = static_cast<std::int32_t>(std::clamp<std::int64_t>(reader.zigzag(), -1'000, 1'000));
  else if (kind == Kind::kExponential && field == 7 && type == 1)
    point.zero_count = static_cast<std::uint64_t>(reader.fixed64());
  else if (kind == Kind::kExponential && (field == 8 || field == 9) && type == 2)
    return readBuckets(reader.bytes(), field == 8 ? point.positive : point.negative);
  else if (kind == Kind::kExponential && field == 14 && type == 1)
    point.zero_threshold = realOf(reader);
  else
    reader.skip();
  return true;
}

bool readPoint(std::string_view bytes, Kind kind, OtlpPoint& point) {
  clear(point);
  const PointFields fields = fieldsOf(kind);
  std::size_t attribute_bytes = 0;
  WireReader reader(bytes);
  while (reader.next()) {
    const std::uint32_t field = reader.field(), type = reader.wireType();
    if (field == fields.attributes && type == 2) {
      const std::string_view attribute = reader.bytes();
      attribute_bytes += attribute.size();
      if (!isAttribute(attribute) || attribute_bytes > OtlpCounts::kMaxAttributeBytes) return false;
      if (static_cast<std::int64_t>(point.attributes.size()) >= OtlpCounts::kMaxAttributes) return false;
      point.attributes.push_back(attribute);
    } else if (field == 3 && type == 1) {
      point.time = static_cast<std::uint64_t>(reader.fixed64());
    } else if (field == fields.flags && type == 0) {
      point.recorded = (reader.varint() & kNoRecordedValue) == 0;
    } else if (fields.min != 0 && (field == fields.min || field == fields.max) && type == 1) {
      (field == fields.min ? point.min : point.max) = realOf(reader);
    } else if (!readOwn(reader, kind, point)) {
      return false;
    }
  }
  // The same attributes in another order are the same series.
  if (point.attributes.size() > 1) std::ranges::sort(point.attributes);
  return reader.ok();
}

std::optional<Kind> kindOf(std::uint32_t field) {
  switch (field) {
    case 5:
      return Kind::kGauge;
    case 7:
      return Kind::kSum;
    case 9:
      return Kind::kHistogram;
    case 10:
      return Kind::kExponential;
    case 11:
      return Kind::kSummary;
    default:
      return std::nullopt;
  }
}

Status countAttributes(std::string_view message, std::uint32_t field, const char* of, std::size_t most_bytes) {
  std::int64_t count = 0;
  std::size_t bytes = 0;
  const bool whole = eachMessage(message, field, [&](std::string_view attribute) {
    ++count, bytes += attribute.size();
    return isAttribute(attribute);
  });
  if (!whole) return malformed(of);
  if (count > OtlpCounts::kMaxAttributes) return tooMany(OtlpCounts::kMaxAttributes, "attributes of one owner");
  if (bytes > most_bytes) return tooMany(static_cast<std::int64_t>(most_bytes), "bytes of attributes of one owner");
  return {};
}

std::int64_t partsOf(const OtlpPoint& point) {
  return 1 + static_cast<std::int64_t>(point.positive.counts.size() + point.negative.counts.size() + point.quantiles.size());
}

Status countMetric(std::string_view metric, OtlpPoint& point, OtlpCounts& counts) {
  const bool whole = forEachPoint(metric, point, [&](const OtlpMetric& what, const OtlpPoint& one) {
    ++counts.items;
    const std::int64_t parts = partsOf(one);
    counts.parts += parts;
    std::size_t bytes = what.name.size() + what.unit.size();
    for (const std::string_view attribute : one.attributes) bytes += attribute.size();
    counts.part_bytes += static_cast<std::size_t>(parts) * bytes;
    return counts.parts <= OtlpCounts::kMaxParts && counts.part_bytes <= OtlpCounts::kMaxPartBytes;
  });
  if (counts.part_bytes > OtlpCounts::kMaxPartBytes)
    return {Code::kResourceExhausted, "otlp: more than 512 MiB of names and attributes, counted once for each bucket"};
  if (counts.parts > OtlpCounts::kMaxParts) return tooMany(OtlpCounts::kMaxParts, "data points and buckets");
  return whole ? Status() : malformed("data point, or more than 128 attributes, 16 KiB of them or 4096 buckets of one");
}

Status countRecord(OtlpSignal signal, std::string_view record, OtlpCounts& counts) {
  ++counts.items;
  if (++counts.parts > OtlpCounts::kMaxParts) return tooMany(OtlpCounts::kMaxParts, "spans or log records");
  if (record.size() > OtlpCounts::kMaxRecordBytes) return tooMany(OtlpCounts::kMaxRecordBytes, "bytes of a span or log record");
  if (signal == OtlpSignal::kLogs) {
    if (!isValue(bytesOf(record, 5))) return malformed("body of a log record");
    return countAttributes(record, kLogAttributes, "log record", OtlpCounts::kMaxRecordBytes);
  }
  for (const std::uint32_t field : {kSpanEvents, kSpanLinks})
    if (!eachMessage(record, field, [](std::string_view one) { return eachMessage(one, 3, [](std::string_view) { return true; }); }))
      return malformed("event or link of a span");
  return countAttributes(record, kSpanAttributes, "span", OtlpCounts::kMaxRecordBytes);
}

}  // namespace

bool forEachPoint(std::string_view metric, OtlpPoint& point, const std::function<bool(const OtlpMetric&, const OtlpPoint&)>& use) {
  OtlpMetric what{.name = bytesOf(metric, kMetricName), .unit = bytesOf(metric, kMetricUnit)};
  WireReader reader(metric);
  while (reader.next()) {
    const std::optional<Kind> kind = kindOf(reader.field());
    if (!kind || reader.wireType() != 2) {
      reader.skip();
      continue;
    }
    const std::string_view data = reader.bytes();
    if (!reader.ok()) return false;
    what.kind = *kind;
    what.delta = what.monotonic = false;
    for (WireReader head(data); head.next();) {
      if (head.wireType() == 0 && head.field() == kTemporality)
        what.delta = head.varint() == kDelta;
      else if (head.wireType() == 0 && head.field() == kIsMonotonic)
        what.monotonic = head.varint() != 0;
      else
        head.skip();
    }
    if (!eachMessage(data, kDataPoints, [&](std::string_view one) { return readPoint(one, *kind, point) && use(what, point); }))
      return false;
  }
  return reader.ok();
}

Result<OtlpCounts> countOtlp(OtlpSignal signal, std::string_view request) {
  OtlpCounts counts;
  OtlpPoint point;
  Status status;
  const auto fail = [&](Status why) {
    status = std::move(why);
    return status.ok();
  };
  const bool whole = eachMessage(request, kResources, [&](std::string_view of_resource) {
    if (!fail(countAttributes(bytesOf(of_resource, kResource), kAttributes, "resource", OtlpCounts::kMaxAttributeBytes))) return false;
    return eachMessage(of_resource, kScopes, [&](std::string_view of_scope) {
      if (++counts.scopes > OtlpCounts::kMaxScopes) return fail(tooMany(OtlpCounts::kMaxScopes, "scopes"));
      if (!fail(countAttributes(bytesOf(of_scope, kScope), kScopeAttributes, "scope", OtlpCounts::kMaxAttributeBytes))) return false;
      return eachMessage(of_scope, kItems, [&](std::string_view item) {
        return fail(signal == OtlpSignal::kMetrics ? countMetric(item, point, counts) : countRecord(signal, item, counts));
      });
    });
  });
  if (!status.ok()) return status;
  if (!whole) return malformed("request");
  return counts;
}

void forEachItem(std::string_view request, const std::function<void(const OtlpScope&)>& scope,
                 const std::function<void(std::string_view item)>& item) {
  eachMessage(request, kResources, [&](std::string_view of_resource) {
    const std::string_view resource = bytesOf(of_resource, kResource);
    return eachMessage(of_resource, kScopes, [&](std::string_view of_scope) {
      scope({resource, bytesOf(of_scope, kScope)});
      return eachMessage(of_scope, kItems, [&](std::string_view one) { return item(one), true; });
    });
  });
}

OtlpSpan spanOf(std::string_view bytes) {
  OtlpSpan span;
  WireReader reader(bytes);
  while (reader.next()) {
    const std::uint32_t field = reader.field(), type = reader.wireType();
    std::string_view* const text = field == 1    ? &span.trace_id
                                   : field == 2  ? &span.span_id
                                   : field == 4  ? &span.parent_id
                                   : field == 5  ? &span.name
                                   : field == 15 ? &span.status
                                                 : nullptr;
    if (type == 2 && text != nullptr)
      *text = reader.bytes();
    else if (type == 0 && field == 6)
      span.kind = static_cast<std::uint32_t>(reader.varint());
    else if (type == 1 && (field == 7 || field == 8))
      (field == 7 ? span.start : span.end) = static_cast<std::uint64_t>(reader.fixed64());
    else
      reader.skip();
  }
  return span;
}

OtlpLog logOf(std::string_view bytes) {
  OtlpLog log;
  std::uint64_t observed = 0;
  WireReader reader(bytes);
  while (reader.next()) {
    const std::uint32_t field = reader.field(), type = reader.wireType();
    std::string_view* const text = field == 3    ? &log.severity_text
                                   : field == 5  ? &log.body
                                   : field == 9  ? &log.trace_id
                                   : field == 10 ? &log.span_id
                                   : field == 12 ? &log.event_name
                                                 : nullptr;
    if (type == 2 && text != nullptr)
      *text = reader.bytes();
    else if (type == 0 && field == 2)
      log.severity = static_cast<std::uint32_t>(reader.varint());
    else if (type == 1 && (field == 1 || field == 11))
      (field == 1 ? log.time : observed) = static_cast<std::uint64_t>(reader.fixed64());
    else
      reader.skip();
  }
  if (log.time == 0) log.time = observed;
  return log;
}

}  // namespace runglass
