// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. m_record_begin is the offset of the first byte not covered by a complete record; it only grows.
// 2. A length in the file is checked against kMaxRecord before memory is allocated for it.
// 3. A scalar is passed on exactly once, unless its record begins before m_skip_to.
#include "collectors/importers/tfevents/tfevents_parser.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "collectors/importers/input/run_name.h"
#include "model/crc32c.h"

namespace runglass {
namespace {

constexpr std::size_t kHeader = 12, kFooter = 4;
constexpr std::uint64_t kMaxRecord = 16 << 20;
constexpr std::size_t kBatch = 8192, kMaxBatched = 2 << 20;

template <class T>
T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::uint32_t masked(std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U; }

// A cursor over protobuf wire bytes.
struct Wire {
  const char* at;
  const char* end;
  explicit Wire(std::string_view bytes) : at(bytes.data()), end(bytes.data() + bytes.size()) {}

  bool varint(std::uint64_t* value) {
    std::uint64_t result = 0;
    for (unsigned shift = 0; shift < 64 && at < end; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(*at++);
      result |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return *value = result, true;
    }
    return false;
  }
  bool bytes(std::string_view* value) {
    std::uint64_t size = 0;
    if (!varint(&size) || size > static_cast<std::uint64_t>(end - at)) return false;
    *value = {at, static_cast<std::size_t>(size)};
    at += size;
    return true;
  }
  template <class T>
  bool fixed(T* value) {
    if (static_cast<std::size_t>(end - at) < sizeof(T)) return false;
    *value = load<T>(at);
    at += sizeof(T);
    return true;
  }
  bool skip(std::uint32_t wire_type) {
    std::uint64_t ignored = 0;
    std::string_view ignored_bytes;
    std::uint32_t ignored32 = 0;
    switch (wire_type) {
      case 0:
        return varint(&ignored);
      case 1:
        return fixed(&ignored);
      case 2:
        return bytes(&ignored_bytes);
      case 5:
        return fixed(&ignored32);
      default:
        return false;  // groups do not occur in these messages
    }
  }
  // Next field; false at the end or on a broken tag (then at != end).
  bool field(std::uint32_t* number, std::uint32_t* wire_type) {
    std::uint64_t tag = 0;
    if (at == end || !varint(&tag)) return false;
    *number = static_cast<std::uint32_t>(tag >> 3);
    *wire_type = static_cast<std::uint32_t>(tag & 7);
    return true;
  }
};

double halfToDouble(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  return exponent == 0 ? sign * std::ldexp(fraction, -24) : sign * std::ldexp(1024 + fraction, exponent - 25);
}

double bfloatToDouble(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

enum DataType : std::uint64_t {
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kInt64 = 9,
  kBool = 10,
  kBfloat16 = 14,
  kUint16 = 17,
  kHalf = 19,
  kUint32 = 22,
  kUint64 = 23
};

std::optional<double> contentValue(std::uint64_t dtype, std::string_view content) {
  const auto as = [&](auto type) -> std::optional<double> {
    using T = decltype(type);
    if (content.size() != sizeof(T)) return std::nullopt;
    return static_cast<double>(load<T>(content.data()));
  };
  switch (dtype) {
    case kFloat:
      return as(float{});
    case kDouble:
      return as(double{});
    case kInt32:
      return as(std::int32_t{});
    case kInt64:
      return as(std::int64_t{});
    case kUint8:
    case kBool:
      return as(std::uint8_t{});
    case kInt8:
      return as(std::int8_t{});
    case kInt16:
      return as(std::int16_t{});
    case kUint16:
      return as(std::uint16_t{});
    case kUint32:
      return as(std::uint32_t{});
    case kUint64:
      return as(std::uint64_t{});
    case kBfloat16:
      return content.size() == 2 ? std::optional(bfloatToDouble(load<std::uint16_t>(content.data()))) : std::nullopt;
    case kHalf:
      return content.size() == 2 ? std::optional(halfToDouble(load<std::uint16_t>(content.data()))) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// Tensor rank 0, or every dimension 1.
bool isOneElement(std::string_view shape) {
  Wire wire(shape);
  std::uint32_t number = 0, type = 0;
  while (wire.field(&number, &type)) {
    std::string_view dimension;
    std::uint64_t size = 0;
    if (number == 2 && type == 2) {
      if (!wire.bytes(&dimension)) return false;
      Wire inside(dimension);
      if (!inside.field(&number, &type) || number != 1 || type != 0 || !inside.varint(&size) || size != 1) return false;
    } else if (number == 3 || !wire.skip(type)) {  // unknown tensor rank
      return false;
    }
  }
  return wire.at == wire.end;
}

// The value of a tensor with one number; none for any other tensor.
std::optional<double> tensorScalar(std::string_view tensor) {
  Wire wire(tensor);
  std::uint64_t dtype = 0;
  bool one_element = true;
  std::string_view content;
  std::optional<double> value;
  std::optional<std::uint64_t> sixteen_bits;
  std::uint32_t number = 0, type = 0;
  while (wire.field(&number, &type)) {
    std::string_view bytes;
    if (number == 1 && type == 0) {
      if (!wire.varint(&dtype)) return std::nullopt;
    } else if (type == 2 && wire.bytes(&bytes)) {  // shape, content, or a packed array whose first element counts
      Wire packed(bytes);
      float f = 0;
      double d = 0;
      std::uint64_t v = 0;
      if (number == 2)
        one_element = isOneElement(bytes);
      else if (number == 4)
        content = bytes;
      else if (number == 5 && packed.fixed(&f))
        value = f;
      else if (number == 6 && packed.fixed(&d))
        value = d;
      else if ((number == 7 || number == 10 || number == 11) && packed.varint(&v))
        value = static_cast<double>(static_cast<std::int64_t>(v));
      else if (number == 13 && packed.varint(&v))
        sixteen_bits = v;
      else if ((number == 16 || number == 17) && packed.varint(&v))
        value = static_cast<double>(v);
    } else if (type == 5 && number == 5) {  // unpacked float_val
      float f = 0;
      if (!wire.fixed(&f)) return std::nullopt;
      value = f;
    } else if (type == 2 || !wire.skip(type)) {
      return std::nullopt;
    }
  }
  if (!one_element) return std::nullopt;
  if (!content.empty()) return contentValue(dtype, content);
  if (sixteen_bits && dtype == kHalf) return halfToDouble(static_cast<std::uint16_t>(*sixteen_bits));
  if (sixteen_bits && dtype == kBfloat16) return bfloatToDouble(static_cast<std::uint16_t>(*sixteen_bits));
  return value;
}

// SessionLog { status: START }
bool saysStart(std::string_view session) {
  Wire wire(session);
  std::uint32_t number = 0, type = 0;
  std::uint64_t status = 0;
  while (wire.field(&number, &type))
    if (number == 1 && type == 0 ? !wire.varint(&status) : !wire.skip(type)) return false;
  return status == 1;
}

}  // namespace

TimeNs wallTimeToNs(double seconds) {
  if (!(std::abs(seconds) < 9.2e9)) return seconds > 0 ? std::numeric_limits<TimeNs>::max() : std::numeric_limits<TimeNs>::min();
  const double whole = std::floor(seconds);
  return static_cast<TimeNs>(whole) * kNsPerSecond + std::llround((seconds - whole) * 1e9);
}

bool looksLikeTfevents(std::string_view head) {
  if (head.size() < kHeader) return false;
  const auto length = load<std::uint64_t>(head.data());
  if (masked(crc32c(head.substr(0, 8))) != load<std::uint32_t>(head.data() + 8) || length > kMaxRecord) return false;
  // Any TFRecord file begins like this; an event file's first event has its version.
  const std::string_view data = head.substr(kHeader, std::min<std::uint64_t>(length, head.size() - kHeader));
  return data.find("brain.Event:") != std::string_view::npos || (!data.empty() && data[0] == 0x09);
}

TfeventsParser::TfeventsParser(Sink sink, std::uint64_t skip_to, StartSink start)
    : m_sink(std::move(sink)), m_start(std::move(start)), m_skip_to(skip_to) {}

bool TfeventsParser::feed(std::string_view bytes) {
  if (m_counts.bad_length_at) return false;
  m_fed += bytes.size();
  std::size_t used = 0;
  if (m_pending.empty()) {
    const bool ok = parseRecords(bytes, &used);
    m_pending.assign(bytes.substr(std::min(used, bytes.size())));
    return ok;
  }
  m_pending.append(bytes);
  const bool ok = parseRecords(m_pending, &used);
  m_pending.erase(0, used);
  return ok;
}

bool TfeventsParser::parseRecords(std::string_view bytes, std::size_t* used) {
  std::size_t at = 0;
  for (;;) {
    if (m_skip_bytes > 0) {
      const std::uint64_t n = std::min<std::uint64_t>(m_skip_bytes, bytes.size() - at);
      at += n;
      m_skip_bytes -= n;
      m_record_begin += n;  // invariant 1 holds per byte here: no part of the record will be needed again
      if (m_skip_bytes > 0) break;
    }
    if (bytes.size() - at < kHeader) break;
    const char* record = bytes.data() + at;
    const auto length = load<std::uint64_t>(record);
    if (masked(crc32c({record, 8})) != load<std::uint32_t>(record + 8)) {
      m_counts.bad_length_at = m_record_begin;
      *used = at;
      return false;
    }
    if (length > kMaxRecord) {  // graphs and embedded media; a scalar is never this large
      if (length > std::numeric_limits<std::uint64_t>::max() / 2) {
        m_counts.bad_length_at = m_record_begin;
        *used = at;
        return false;
      }
      ++m_counts.records;
      if (m_record_begin >= m_skip_to) ++m_counts.too_large;
      m_skip_bytes = kHeader + length + kFooter;
      continue;
    }
    const std::size_t whole = kHeader + static_cast<std::size_t>(length) + kFooter;
    if (bytes.size() - at < whole) break;
    const std::string_view data(record + kHeader, static_cast<std::size_t>(length));
    ++m_counts.records;
    const bool skipped = m_record_begin < m_skip_to;
    if (masked(crc32c(data)) == load<std::uint32_t>(record + kHeader + length))
      event(data, skipped);
    else if (!skipped)
      ++m_counts.bad_data_crc;
    at += whole;
    m_record_begin += whole;
  }
  *used = at;
  return true;
}

void TfeventsParser::event(std::string_view data, bool skipped) {
  Wire wire(data);
  double seconds = 0;
  std::uint64_t step = 0;
  std::string_view summary, session;
  std::uint32_t number = 0, type = 0;
  bool ok = true;
  while (ok && wire.field(&number, &type)) {
    if (number == 1 && type == 1)
      ok = wire.fixed(&seconds);
    else if (number == 2 && type == 0)
      ok = wire.varint(&step);
    else if (number == 5 && type == 2)
      ok = wire.bytes(&summary);
    else if (number == 7 && type == 2)
      ok = wire.bytes(&session);
    else
      ok = wire.skip(type);
  }
  ok = ok && wire.at == wire.end;
  if (ok && m_start && saysStart(session)) {
    flush();
    const auto at = static_cast<std::int64_t>(step);
    const bool again = m_newest_step && at < *m_newest_step;
    if (again) m_newest_step.reset();
    m_start(at, again);
  }
  if (!summary.empty())
    m_newest_step = std::max(m_newest_step.value_or(std::numeric_limits<std::int64_t>::min()), static_cast<std::int64_t>(step));
  if (skipped) return;
  if (!ok) {
    ++m_counts.malformed;
    return;
  }
  const TimeNs time = wallTimeToNs(seconds);
  m_counts.first_time = std::min(m_counts.first_time.value_or(time), time);
  m_counts.last_time = std::max(m_counts.last_time.value_or(time), time);
  Wire values(summary);
  while (values.field(&number, &type)) {
    std::string_view value;
    if (number != 1 || type != 2) {
      if (!values.skip(type)) break;
    } else if (!values.bytes(&value) || !summaryValue(value, seconds, static_cast<std::int64_t>(step))) {
      break;
    }
  }
  if (values.at != values.end) ++m_counts.malformed;
}

bool TfeventsParser::summaryValue(std::string_view data, double seconds, std::int64_t step) {
  Wire wire(data);
  std::string_view tag, tensor;
  std::optional<double> value;
  std::uint32_t number = 0, type = 0;
  while (wire.field(&number, &type)) {
    bool ok = true;
    float simple = 0;
    if (number == 1 && type == 2)
      ok = wire.bytes(&tag);
    else if (number == 2 && type == 5)
      ok = wire.fixed(&simple), value = simple;
    else if (number == 8 && type == 2)
      ok = wire.bytes(&tensor);
    else
      ok = wire.skip(type);
    if (!ok) return false;
  }
  if (wire.at != wire.end) return false;
  if (!value && !tensor.empty()) value = tensorScalar(tensor);
  if (value)
    add(tag, seconds, step, *value);
  else
    ++m_counts.not_scalar;
  return true;
}

void TfeventsParser::add(std::string_view tag, double seconds, std::int64_t step, double value) {
  std::string cut;
  if (tag.size() > kMaxTagBytes) tag = cut = std::string(tag.substr(0, kMaxTagBytes)) + " #" + std::to_string(crc32c(tag));
  auto found = m_tag_index.find(tag);
  if (found == m_tag_index.end()) {
    if (m_tags.size() == kMaxTags) {
      ++m_counts.too_many_tags;
      return;
    }
    found = m_tag_index.emplace(std::string(tag), m_tags.size()).first;
    std::string name = printable(tag);
    if (name != tag) name += " #" + std::to_string(crc32c(tag));
    m_tags.push_back({std::move(name), {}});
  }
  TagPoints& points = m_tags[found->second];
  points.points.step.push_back(step);
  points.points.time.push_back(wallTimeToNs(seconds));
  points.points.value.push_back(value);
  ++m_counts.scalars;
  ++m_batched;
  if (points.points.step.size() >= kBatch)
    hand(points);
  else if (m_batched >= kMaxBatched)
    flush();
}

void TfeventsParser::hand(TagPoints& tag) {
  if (tag.points.step.empty()) return;
  m_sink(tag.tag, tag.points);
  m_batched -= tag.points.step.size();
  tag.points.step.clear();
  tag.points.time.clear();
  tag.points.value.clear();
}

void TfeventsParser::flush() {
  for (TagPoints& tag : m_tags) hand(tag);
}

}  // namespace runglass
