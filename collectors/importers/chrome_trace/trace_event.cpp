// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/chrome_trace/trace_event.h"

#include <charconv>
#include <cmath>

#include "collectors/importers/chrome_trace/event_slicer.h"

namespace runglass {
namespace {

using simdjson::ondemand::value;

std::string_view trimmed(std::string_view token) {
  while (!token.empty() && (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' || token.back() == '\t'))
    token.remove_suffix(1);
  if (token.size() >= 2 && token.front() == '"' && token.back() == '"') token = token.substr(1, token.size() - 2);
  return token;
}

// A number or a string, as written.
std::string_view tokenOf(value& v) { return trimmed(v.raw_json_token()); }

std::string_view textOf(value& v) {
  std::string_view text;
  return v.get_string().get(text) == simdjson::SUCCESS ? text : std::string_view();
}

}  // namespace

std::optional<std::int64_t> integerOf(simdjson::ondemand::value& v) {
  const std::string_view token = tokenOf(v);
  std::int64_t number = 0;
  const auto parsed = std::from_chars(token.data(), token.data() + token.size(), number);
  if (parsed.ec == std::errc() && parsed.ptr == token.data() + token.size()) return number;
  std::uint64_t wide = 0;  // ids above 2^63 keep their bits
  const auto unsigned_parsed = std::from_chars(token.data(), token.data() + token.size(), wide);
  if (unsigned_parsed.ec == std::errc() && unsigned_parsed.ptr == token.data() + token.size()) return static_cast<std::int64_t>(wide);
  return std::nullopt;
}

std::optional<std::int64_t> nsFromMicros(std::string_view token) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max() / 1000 - 1;
  std::int64_t micros = 0;
  const char* const end = token.data() + token.size();
  const auto whole = std::from_chars(token.data(), end, micros);
  if (whole.ec == std::errc() && (whole.ptr == end || *whole.ptr == '.') && micros <= kMax && micros >= -kMax) {
    std::int64_t ns = 0, digits = 0;
    bool round = false, plain = true;
    for (const char* at = whole.ptr == end ? end : whole.ptr + 1; at != end; ++at) {
      if (*at < '0' || *at > '9') {
        plain = false;
        break;
      }
      if (digits < 3) ns = ns * 10 + (*at - '0');
      if (digits == 3) round = *at >= '5';
      ++digits;
    }
    for (; digits < 3; ++digits) ns *= 10;
    if (plain) return token.front() == '-' ? micros * 1000 - ns - round : micros * 1000 + ns + round;
  }
  double value = 0;  // such as 1.7e15
  const auto parsed = std::from_chars(token.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || !(std::abs(value) < static_cast<double>(kMax))) return std::nullopt;
  return static_cast<std::int64_t>(std::llround(value * 1000));
}

bool TraceEventParser::read(std::string_view text, TraceEvent& event) {
  event = {};
  simdjson::ondemand::document document;
  simdjson::ondemand::object object;
  if (m_parser.iterate(simdjson::padded_string_view(text.data(), text.size(), text.size() + EventSlicer::kPadding)).get(document) !=
          simdjson::SUCCESS ||
      document.get_object().get(object) != simdjson::SUCCESS)
    return false;
  bool empty = true;
  for (auto field : object) {
    empty = false;
    std::string_view key;
    value v;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS || field.value().get(v) != simdjson::SUCCESS) return false;
    if (key == "ph") {
      const std::string_view phase = textOf(v);
      event.phase = phase.size() == 1 ? phase.front() : '\0';
    } else if (key == "name") {
      event.name = textOf(v);
    } else if (key == "cat") {
      event.category = textOf(v);
    } else if (key == "ts") {
      event.ts = nsFromMicros(tokenOf(v));
    } else if (key == "dur") {
      event.dur = nsFromMicros(tokenOf(v));
    } else if (key == "pid") {
      event.pid = tokenOf(v);
    } else if (key == "tid") {
      event.tid = tokenOf(v);
    } else if (key == "args") {
      simdjson::ondemand::object args;
      if (v.get_object().get(args) == simdjson::SUCCESS && !readArgs(args, event)) return false;
    }
  }
  // Writers end their list with {} because of the last comma. An object with other members but without a phase is a fragment.
  return event.phase != 0 || empty;
}

bool TraceEventParser::readArgs(simdjson::ondemand::object args, TraceEvent& event) {
  for (auto field : args) {
    std::string_view key;
    value v;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS || field.value().get(v) != simdjson::SUCCESS) return false;
    if (key == "correlation")
      event.correlation = integerOf(v);
    else if (key == "External id" || key == "external id")
      event.external_id = integerOf(v);
    else if (key == "bytes")
      event.bytes = integerOf(v);
    else if (key == "Seq")
      event.sequence = integerOf(v);
    else if (key == "device")
      event.device = integerOf(v);
    else if (key == "stream")
      event.stream = integerOf(v);
    else if (key == "In msg nelems")
      event.in_elements = integerOf(v);
    else if (key == "Out msg nelems")
      event.out_elements = integerOf(v);
    else if (key == "dtype")
      event.element_type = tokenOf(v);
    else if (key == "Process Group Name")
      event.group = tokenOf(v);
    else if (key == "name")
      event.arg_name = textOf(v);
  }
  std::string_view raw;
  if (args.reset().error() != simdjson::SUCCESS || args.raw_json().get(raw) != simdjson::SUCCESS) return false;
  if (raw.size() > 2) event.args = raw;
  return true;
}

}  // namespace runglass
