// SPDX-License-Identifier: Apache-2.0
#include "model/place_link.h"

#include <charconv>

namespace runglass {
namespace {

constexpr std::string_view kScheme = "runglass://";
constexpr std::size_t kLongest = 4'096;
constexpr std::string_view kHex = "0123456789ABCDEF";

// Unreserved characters of RFC 3986 are not escaped, and neither are those of a selection, which have no special meaning in a query.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~,:=").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    }
  }
  return out;
}

Result<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    const auto [end, error] = i + 2 < text.size() ? std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16)
                                                  : std::from_chars_result{nullptr, std::errc::invalid_argument};
    if (error != std::errc() || end != text.data() + i + 3 || value == 0)
      return Status(Code::kInvalidArgument, "link: " + std::string(text) + ": a % without two hex digits");
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

Status takeTime(std::string_view text, std::optional<TimeNs>& out) {
  TimeNs time = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), time);
  if (error != std::errc() || end != text.data() + text.size())
    return {Code::kInvalidArgument, "link: " + std::string(text) + ": no time in ns"};
  out = time;
  return {};
}

}  // namespace

bool isLink(std::string_view text) { return text.starts_with(kScheme); }

std::string linkText(const PlaceLink& link) {
  std::string text = std::string(kScheme) + escaped(link.store_uuid);
  if (!link.run_uuid.empty()) text += "/run/" + escaped(link.run_uuid);
  char before = '?';
  const auto add = [&](const char* key, const std::string& value) {
    text += before;
    text.append(key).append("=").append(value);
    before = '&';
  };
  if (!link.view.empty()) add("view", escaped(link.view));
  if (link.t0) add("t0", std::to_string(*link.t0));
  if (link.t1) add("t1", std::to_string(*link.t1));
  if (link.at) add("at", std::to_string(*link.at));
  if (!link.select.empty()) add("select", escaped(link.select));
  return text;
}

Result<PlaceLink> parseLink(std::string_view text) {
  const auto wrong = [&](const char* why) {
    return Status(Code::kInvalidArgument, "link: " + std::string(text.substr(0, 200)) + ": " + why);
  };
  if (!isLink(text)) return wrong("does not begin with runglass://");
  if (text.size() > kLongest) return wrong("too long");
  std::string_view rest = text.substr(kScheme.size());
  const std::size_t question = rest.find('?');
  std::string_view query = question == std::string_view::npos ? std::string_view() : rest.substr(question + 1);
  rest = rest.substr(0, question);
  PlaceLink link;
  const std::size_t slash = rest.find('/');
  RG_ASSIGN(link.store_uuid, unescaped(rest.substr(0, slash)));
  if (link.store_uuid.empty()) return wrong("names no store");
  if (slash != std::string_view::npos && rest.size() > slash + 1) {
    std::string_view path = rest.substr(slash + 1);
    constexpr std::string_view kRun = "run/";
    if (!path.starts_with(kRun)) return wrong("after the store comes /run/UUID");
    path.remove_prefix(kRun.size());
    if (path.find('/') != std::string_view::npos) return wrong("after the store comes /run/UUID");
    RG_ASSIGN(link.run_uuid, unescaped(path));
  }
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals), value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
    if (key == "view") {
      RG_ASSIGN(link.view, unescaped(value));
    } else if (key == "select") {
      RG_ASSIGN(link.select, unescaped(value));
    } else if (key == "t0") {
      RG_TRY(takeTime(value, link.t0));
    } else if (key == "t1") {
      RG_TRY(takeTime(value, link.t1));
    } else if (key == "at") {
      RG_TRY(takeTime(value, link.at));
    }
    // Unknown parameters of a newer program are ignored.
  }
  return link;
}

const char* viewOfFinding(std::string_view kind) {
  if (kind == "hang" || kind == "stall") return "topology";
  if (kind.starts_with("loss_") || kind == "non_finite" || kind == "clip_pressure") return "curves";
  if (kind.starts_with("slow_") || kind.ends_with("_imbalance")) return "ranking";
  if (kind == "settings") return "compare";
  if (kind == "throughput_shift" || kind.ends_with("_bound") || kind == "gc_jitter") return "overview";
  return "events";
}

}  // namespace runglass
