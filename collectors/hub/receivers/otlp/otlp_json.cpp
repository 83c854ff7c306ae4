// SPDX-License-Identifier: Apache-2.0
// Tables of the messages of opentelemetry-proto, and a parser that writes each value as its field. Unknown keys are skipped with all in
// them. Invariant: a message is complete when it is written into the one around it, so that each byte is copied once per level.
#include "collectors/hub/receivers/otlp/otlp_json.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "collectors/wire/wire_writer.h"

namespace runglass {
namespace {

enum class Type : std::uint8_t { kText, kHex, kBase64, kBool, kVarint, kZigzag, kFixed64, kDouble, kMessage };
struct Message;
struct Field {
  std::string_view name;
  std::uint32_t number;
  Type type;
  const Message* message = nullptr;
  bool packed = false;
};
struct Message {
  std::span<const Field> fields;
};

extern const Message kAnyValue, kKeyValue;
constexpr std::array kArrayFields = {Field{"values", 1, Type::kMessage, &kAnyValue}};
constexpr Message kArray{kArrayFields};
constexpr std::array kListFields = {Field{"values", 1, Type::kMessage, &kKeyValue}};
constexpr Message kList{kListFields};
constexpr std::array kAnyValueFields = {Field{"stringValue", 1, Type::kText},
                                        Field{"boolValue", 2, Type::kBool},
                                        Field{"intValue", 3, Type::kVarint},
                                        Field{"doubleValue", 4, Type::kDouble},
                                        Field{"arrayValue", 5, Type::kMessage, &kArray},
                                        Field{"kvlistValue", 6, Type::kMessage, &kList},
                                        Field{"bytesValue", 7, Type::kBase64}};
constexpr Message kAnyValue{kAnyValueFields};
constexpr std::array kKeyValueFields = {Field{"key", 1, Type::kText}, Field{"value", 2, Type::kMessage, &kAnyValue}};
constexpr Message kKeyValue{kKeyValueFields};
constexpr std::array kResourceFields = {Field{"attributes", 1, Type::kMessage, &kKeyValue}};
constexpr Message kResource{kResourceFields};
constexpr std::array kScopeFields = {Field{"name", 1, Type::kText}, Field{"version", 2, Type::kText},
                                     Field{"attributes", 3, Type::kMessage, &kKeyValue}};
constexpr Message kScope{kScopeFields};

constexpr std::array kNumberFields = {Field{"startTimeUnixNano", 2, Type::kFixed64},
                                      Field{"timeUnixNano", 3, Type::kFixed64},
                                      Field{"asDouble", 4, Type::kDouble},
                                      Field{"asInt", 6, Type::kFixed64},
                                      Field{"attributes", 7, Type::kMessage, &kKeyValue},
                                      Field{"flags", 8, Type::kVarint}};
constexpr Message kNumber{kNumberFields};
constexpr std::array kHistogramPointFields = {Field{"startTimeUnixNano", 2, Type::kFixed64},
                                              Field{"timeUnixNano", 3, Type::kFixed64},
                                              Field{"count", 4, Type::kFixed64},
                                              Field{"sum", 5, Type::kDouble},
                                              Field{"bucketCounts", 6, Type::kFixed64, nullptr, true},
                                              Field{"explicitBounds", 7, Type::kDouble, nullptr, true},
                                              Field{"attributes", 9, Type::kMessage, &kKeyValue},
                                              Field{"flags", 10, Type::kVarint},
                                              Field{"min", 11, Type::kDouble},
                                              Field{"max", 12, Type::kDouble}};
constexpr Message kHistogramPoint{kHistogramPointFields};
constexpr std::array kBucketsFields = {Field{"offset", 1, Type::kZigzag}, Field{"bucketCounts", 2, Type::kVarint, nullptr, true}};
constexpr Message kBuckets{kBucketsFields};
constexpr std::array kExponentialPointFields = {Field{"attributes", 1, Type::kMessage, &kKeyValue},
                                                Field{"startTimeUnixNano", 2, Type::kFixed64},
                                                Field{"timeUnixNano", 3, Type::kFixed64},
                                                Field{"count", 4, Type::kFixed64},
                                                Field{"sum", 5, Type::kDouble},
                                                Field{"scale", 6, Type::kZigzag},
                                                Field{"zeroCount", 7, Type::kFixed64},
                                                Field{"positive", 8, Type::kMessage, &kBuckets},
                                                Field{"negative", 9, Type::kMessage, &kBuckets},
                                                Field{"flags", 10, Type::kVarint},
                                                Field{"min", 12, Type::kDouble},
                                                Field{"max", 13, Type::kDouble},
                                                Field{"zeroThreshold", 14, Type::kDouble}};
constexpr Message kExponentialPoint{kExponentialPointFields};
constexpr std::array kQuantileFields = {Field{"quantile", 1, Type::kDouble}, Field{"value", 2, Type::kDouble}};
constexpr Message kQuantile{kQuantileFields};
constexpr std::array kSummaryPointFields = {Field{"startTimeUnixNano", 2, Type::kFixed64},
                                            Field{"timeUnixNano", 3, Type::kFixed64},
                                            Field{"count", 4, Type::kFixed64},
                                            Field{"sum", 5, Type::kDouble},
                                            Field{"quantileValues", 6, Type::kMessage, &kQuantile},
                                            Field{"attributes", 7, Type::kMessage, &kKeyValue},
                                            Field{"flags", 8, Type::kVarint}};
constexpr Message kSummaryPoint{kSummaryPointFields};
constexpr std::array kGaugeFields = {Field{"dataPoints", 1, Type::kMessage, &kNumber}};
constexpr Message kGauge{kGaugeFields};
constexpr std::array kSumFields = {Field{"dataPoints", 1, Type::kMessage, &kNumber}, Field{"aggregationTemporality", 2, Type::kVarint},
                                   Field{"isMonotonic", 3, Type::kBool}};
constexpr Message kSum{kSumFields};
constexpr std::array kHistogramFields = {Field{"dataPoints", 1, Type::kMessage, &kHistogramPoint},
                                         Field{"aggregationTemporality", 2, Type::kVarint}};
constexpr Message kHistogram{kHistogramFields};
constexpr std::array kExponentialFields = {Field{"dataPoints", 1, Type::kMessage, &kExponentialPoint},
                                           Field{"aggregationTemporality", 2, Type::kVarint}};
constexpr Message kExponential{kExponentialFields};
constexpr std::array kSummaryFields = {Field{"dataPoints", 1, Type::kMessage, &kSummaryPoint}};
constexpr Message kSummary{kSummaryFields};
constexpr std::array kMetricFields = {Field{"name", 1, Type::kText},
                                      Field{"unit", 3, Type::kText},
                                      Field{"gauge", 5, Type::kMessage, &kGauge},
                                      Field{"sum", 7, Type::kMessage, &kSum},
                                      Field{"histogram", 9, Type::kMessage, &kHistogram},
                                      Field{"exponentialHistogram", 10, Type::kMessage, &kExponential},
                                      Field{"summary", 11, Type::kMessage, &kSummary}};
constexpr Message kMetric{kMetricFields};

constexpr std::array kEventFields = {Field{"timeUnixNano", 1, Type::kFixed64}, Field{"name", 2, Type::kText},
                                     Field{"attributes", 3, Type::kMessage, &kKeyValue}};
constexpr Message kEvent{kEventFields};
constexpr std::array kLinkFields = {Field{"traceId", 1, Type::kHex}, Field{"spanId", 2, Type::kHex}};
constexpr Message kLink{kLinkFields};
constexpr std::array kStatusFields = {Field{"message", 2, Type::kText}, Field{"code", 3, Type::kVarint}};
constexpr Message kStatus{kStatusFields};
constexpr std::array kSpanFields = {Field{"traceId", 1, Type::kHex},
                                    Field{"spanId", 2, Type::kHex},
                                    Field{"parentSpanId", 4, Type::kHex},
                                    Field{"name", 5, Type::kText},
                                    Field{"kind", 6, Type::kVarint},
                                    Field{"startTimeUnixNano", 7, Type::kFixed64},
                                    Field{"endTimeUnixNano", 8, Type::kFixed64},
                                    Field{"attributes", 9, Type::kMessage, &kKeyValue},
                                    Field{"events", 11, Type::kMessage, &kEvent},
                                    Field{"links", 13, Type::kMessage, &kLink},
                                    Field{"status", 15, Type::kMessage, &kStatus}};
constexpr Message kSpan{kSpanFields};
constexpr std::array kLogFields = {Field{"timeUnixNano", 1, Type::kFixed64},
                                   Field{"severityNumber", 2, Type::kVarint},
                                   Field{"severityText", 3, Type::kText},
                                   Field{"body", 5, Type::kMessage, &kAnyValue},
                                   Field{"attributes", 6, Type::kMessage, &kKeyValue},
                                   Field{"traceId", 9, Type::kHex},
                                   Field{"spanId", 10, Type::kHex},
                                   Field{"observedTimeUnixNano", 11, Type::kFixed64},
                                   Field{"eventName", 12, Type::kText}};
constexpr Message kLog{kLogFields};

// The three requests differ in names only down to their items.
constexpr std::array kScopeMetricsFields = {Field{"scope", 1, Type::kMessage, &kScope}, Field{"metrics", 2, Type::kMessage, &kMetric}};
constexpr std::array kScopeSpansFields = {Field{"scope", 1, Type::kMessage, &kScope}, Field{"spans", 2, Type::kMessage, &kSpan}};
constexpr std::array kScopeLogsFields = {Field{"scope", 1, Type::kMessage, &kScope}, Field{"logRecords", 2, Type::kMessage, &kLog}};
constexpr Message kScopeMetrics{kScopeMetricsFields}, kScopeSpans{kScopeSpansFields}, kScopeLogs{kScopeLogsFields};
constexpr std::array kResourceMetricsFields = {Field{"resource", 1, Type::kMessage, &kResource},
                                               Field{"scopeMetrics", 2, Type::kMessage, &kScopeMetrics}};
constexpr std::array kResourceSpansFields = {Field{"resource", 1, Type::kMessage, &kResource},
                                             Field{"scopeSpans", 2, Type::kMessage, &kScopeSpans}};
constexpr std::array kResourceLogsFields = {Field{"resource", 1, Type::kMessage, &kResource},
                                            Field{"scopeLogs", 2, Type::kMessage, &kScopeLogs}};
constexpr Message kResourceMetrics{kResourceMetricsFields}, kResourceSpans{kResourceSpansFields}, kResourceLogs{kResourceLogsFields};
constexpr std::array kMetricsFields = {Field{"resourceMetrics", 1, Type::kMessage, &kResourceMetrics}};
constexpr std::array kTracesFields = {Field{"resourceSpans", 1, Type::kMessage, &kResourceSpans}};
constexpr std::array kLogsFields = {Field{"resourceLogs", 1, Type::kMessage, &kResourceLogs}};
constexpr Message kMetrics{kMetricsFields}, kTraces{kTracesFields}, kLogs{kLogsFields};

const Message& messageOf(OtlpSignal signal) {
  return signal == OtlpSignal::kMetrics ? kMetrics : signal == OtlpSignal::kLogs ? kLogs : kTraces;
}

int hexDigit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool fromHex(std::string_view text, std::string& out) {
  if (text.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hexDigit(text[i]), low = hexDigit(text[i + 1]);
    if (high < 0 || low < 0) return false;
    out += static_cast<char>(high * 16 + low);
  }
  return true;
}

bool fromBase64(std::string_view text, std::string& out) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::uint32_t bits = 0, held = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c == '-' ? '+' : c == '_' ? '/' : c);
    if (digit == std::string_view::npos) return false;
    held = held << 6U | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(held >> bits & 0xFFU);
  }
  return true;
}

class Transcoder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Transcoder(const Message& root) : m_root(&root) {}
  std::string take() { return std::move(m_out); }
  const std::string& why() const { return m_why; }

  bool null() override { return true; }
  bool boolean(bool value) override {
    return put([&](Type type, std::string& out) { return type == Type::kBool && (wire::appendVarint(out, value ? 1 : 0), true); });
  }
  bool number_integer(number_integer_t value) override { return whole(static_cast<std::uint64_t>(value), static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return whole(value, static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override {
    return put([&](Type type, std::string& out) {
      if (type == Type::kDouble) return fixed(out, value);
      // 1e9 is a whole number too.
      if (std::abs(value) >= 9e18 || value != std::floor(value)) return false;
      return number(type, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), value, out);
    });
  }
  bool string(string_t& value) override {
    return put([&](Type type, std::string& out) { return text(type, value, out); });
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override {
    if (m_skip > 0 || (!m_frames.empty() && value() == nullptr)) return ++m_skip, true;
    const Field* const field = m_frames.empty() ? nullptr : value();
    if (field != nullptr && field->type != Type::kMessage) return wrong();
    return push({.message = field == nullptr ? m_root : field->message, .in = field});
  }
  bool key(string_t& name) override {
    if (m_skip > 0) return true;
    Frame& frame = m_frames.back();
    frame.at = nullptr;
    // Protobuf's own JSON accepts the names of the .proto file too.
    std::string camel;
    for (std::size_t i = 0; i < name.size(); ++i)
      camel += name[i] == '_' && i + 1 < name.size() ? static_cast<char>(std::toupper(static_cast<unsigned char>(name[++i]))) : name[i];
    for (const Field& field : frame.message->fields)
      if (field.name == camel) frame.at = &field;
    return true;
  }
  bool end_object() override { return m_skip > 0 ? (--m_skip, true) : pop(); }
  bool start_array(std::size_t) override {
    if (m_frames.empty()) return wrong();
    if (m_skip > 0 || value() == nullptr) return ++m_skip, true;
    const Field* const field = value();
    if (m_frames.back().array || (field->type != Type::kMessage && !field->packed)) return wrong();
    return push({.message = nullptr, .in = field, .at = field, .array = true});
  }
  bool end_array() override { return m_skip > 0 ? (--m_skip, true) : pop(); }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) override {
    m_why = "no JSON at byte " + std::to_string(at);
    return false;
  }

 private:
  struct Frame {
    const Message* message = nullptr;  // null: an array
    const Field* in = nullptr;         // the field of the frame around it; null: the request
    const Field* at = nullptr;         // the field of the value that comes; null: unknown
    bool array = false;
    std::string out = {};
  };

  const Field* value() const { return m_frames.empty() ? nullptr : m_frames.back().at; }
  bool wrong() {
    m_why = m_frames.empty() ? "no object" : "a value of another type in " + std::string(value() != nullptr ? value()->name : "an object");
    return false;
  }
  bool push(Frame frame) {
    if (m_frames.size() >= kMaxJsonDepth) return m_why = "nested too deep", false;
    m_frames.push_back(std::move(frame));
    return true;
  }
  bool pop() {
    Frame done = std::move(m_frames.back());
    m_frames.pop_back();
    if (m_frames.empty()) return m_out = std::move(done.out), true;
    std::string& out = m_frames.back().out;
    // An array of messages holds them with their tags.
    if (done.array && !done.in->packed)
      out += done.out;
    else
      wire::appendBytes(out, done.in->number, done.out);
    return true;
  }
  template <class Write>
  bool put(const Write& write) {
    if (m_skip > 0) return true;
    const Field* const field = value();
    if (field == nullptr) return m_frames.empty() ? wrong() : true;
    Frame& frame = m_frames.back();
    if (field->packed != frame.array || field->type == Type::kMessage) return wrong();
    m_value.clear();
    if (!write(field->type, m_value)) return wrong();
    const std::uint32_t wire_type = field->type == Type::kDouble || field->type == Type::kFixed64 ? 1 : 0;
    if (field->type == Type::kText || field->type == Type::kHex || field->type == Type::kBase64) {
      wire::appendBytes(frame.out, field->number, m_value);
    } else {
      if (!frame.array) wire::appendTag(frame.out, field->number, wire_type);
      frame.out += m_value;
    }
    return true;
  }
  bool whole(std::uint64_t bits, double value) {
    return put([&](Type type, std::string& out) { return number(type, bits, value, out); });
  }
  static bool fixed(std::string& out, double value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
    return true;
  }
  static bool number(Type type, std::uint64_t bits, double value, std::string& out) {
    switch (type) {
      case Type::kDouble:
        return fixed(out, value);
      case Type::kVarint:
        return wire::appendVarint(out, bits), true;
      case Type::kZigzag:
        return wire::appendVarint(out, wire::zigzag(static_cast<std::int64_t>(bits))), true;
      case Type::kFixed64:
        return out.append(reinterpret_cast<const char*>(&bits), sizeof bits), true;
      default:
        return false;
    }
  }
  static bool text(Type type, const std::string& value, std::string& out) {
    if (type == Type::kText) return out = value, true;
    if (type == Type::kHex) return fromHex(value, out);
    if (type == Type::kBase64) return fromBase64(value, out);
    if (type == Type::kDouble && value == "NaN") return fixed(out, std::numeric_limits<double>::quiet_NaN());
    if (type == Type::kDouble && (value == "Infinity" || value == "-Infinity"))
      return fixed(out, value[0] == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity());
    const char* const end = value.data() + value.size();
    double real = 0;
    if (type == Type::kDouble) {
      const auto parsed = std::from_chars(value.data(), end, real);
      return parsed.ec == std::errc() && parsed.ptr == end && fixed(out, real);
    }
    // 64-bit numbers are texts in JSON.
    std::int64_t signed_value = 0;
    std::uint64_t bits = 0;
    const auto parsed =
        value.starts_with('-') ? std::from_chars(value.data(), end, signed_value) : std::from_chars(value.data(), end, bits);
    if (value.starts_with('-')) bits = static_cast<std::uint64_t>(signed_value);
    return parsed.ec == std::errc() && parsed.ptr == end && number(type, bits, 0, out);
  }

  const Message* const m_root;
  std::vector<Frame> m_frames;
  std::size_t m_skip = 0;  // depth within a value that is skipped
  std::string m_out, m_value, m_why;
};

}  // namespace

Result<std::string> otlpFromJson(OtlpSignal signal, std::string_view text) {
  Transcoder transcoder(messageOf(signal));
  if (!nlohmann::json::sax_parse(text, &transcoder)) return Status(Code::kInvalidArgument, "otlp: malformed JSON: " + transcoder.why());
  return transcoder.take();
}

}  // namespace runglass
