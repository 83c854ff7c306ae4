// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. What was put in place of something is never looked at again: secrets first, then addresses, paths, names; no pseudonym has the shape
//    of a later class or is a known name.
#include "analysis/report/redaction.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/topology.h"

namespace runglass::report {
namespace {

constexpr std::size_t kMostCached = 50'000, kLongestCached = 512;
constexpr std::size_t kLeastRandom = 32;
constexpr double kRandomBits = 3.2;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string lowered(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}
bool isWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

double entropy(std::string_view text) {
  std::array<int, 256> counts{};
  for (const char c : text) ++counts[static_cast<unsigned char>(c)];
  double bits = 0;
  for (const int count : counts)
    if (count > 0) bits -= count * std::log2(static_cast<double>(count) / static_cast<double>(text.size()));
  return bits / static_cast<double>(text.size());
}

bool isRandom(std::string_view text) {
  const bool letter = std::ranges::any_of(text, [](char c) { return lower(c) >= 'a' && lower(c) <= 'z'; });
  const bool digit = std::ranges::any_of(text, [](char c) { return c >= '0' && c <= '9'; });
  return text.size() >= kLeastRandom && letter && digit && entropy(text) > kRandomBits;
}

RE2::Options latin() {
  RE2::Options options(RE2::Latin1);  // bytes are matched as they are
  options.set_log_errors(false);
  return options;
}

// Names of facts and variables whose value is a host or a person.
bool namesHost(std::string_view name) {
  const std::string key = lowered(name);
  return key == "hostname" || key == "host" || key == "nodename" || key.ends_with("_hostname") || key.ends_with("_nodename") ||
         key == "master_addr" || key.ends_with("_host");
}
bool namesUser(std::string_view name) {
  const std::string key = lowered(name);
  return key == "user" || key == "username" || key == "logname" || key == "author" || key.ends_with("_user") ||
         key.ends_with("_username") || key == "email" || key == "sudo_user";
}

}  // namespace

struct Redactor::Patterns {
  // Group 1 is what goes.
  RE2 private_key{R"((?s)(-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)))", latin()};
  RE2 authorization{
      R"((?i)\b(?:authorization|proxy-authorization|x-api-key|x-auth-token|cookie|set-cookie)["']?\s*[:=]\s*["']?((?:bearer|basic|token|digest)?\s*[^\s"',;]+))",
      latin()};
  RE2 bearer{R"((?i)\bbearer\s+([A-Za-z0-9._~+/=-]{8,}))", latin()};
  RE2 assigned{
      R"((?i)([A-Za-z0-9_.-]*(?:token|secret|passw(?:or)?d|passwd|pwd|api[_-]?key|access[_-]?key|private[_-]?key|credential|auth[_-]?key|session[_-]?key|signature)[A-Za-z0-9_.-]*)["']?\s*(?:=|:|\s--?\s)\s*["']?([^\s"',;&]{3,}))",
      latin()};
  RE2 flag{R"((?i)--?([a-z0-9_-]*(?:token|secret|passw(?:or)?d|api[_-]?key|credential)[a-z0-9_-]*)[ =]+["']?([^\s"']{3,}))", latin()};
  RE2 url_password{R"([a-zA-Z][a-zA-Z0-9+.-]*://([^\s/@:]*:[^\s/@]+)@)", latin()};
  RE2 known_shape{
      R"(\b((?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}|hf_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abposr]-[A-Za-z0-9-]{10,}|sk-[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{30,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.?[A-Za-z0-9_-]*|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{16,}|dop_v1_[a-f0-9]{32,}|ya29\.[A-Za-z0-9_-]{16,}))",
      latin()};
  RE2 long_word{R"(([A-Za-z0-9+/_=-]{32,}))", latin()};
  RE2 uuid{R"((?i)(?:GPU-|MIG-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})", latin()};
  RE2 mac{R"(\b([0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}(?:(?::[0-9A-Fa-f]{2}){2})?|[0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2}){5})\b)", latin()};
  RE2 ipv4{R"(\b((?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})\b)", latin()};
  RE2 ipv6{
      R"((?:^|[^0-9A-Za-z:.])((?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}:){1,7}:(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?|::(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6}))(?:%[A-Za-z0-9]+)?)",
      latin()};
  RE2 email{R"(([A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}))", latin()};
  RE2 at_host{R"(\b([A-Za-z_][A-Za-z0-9._-]{0,31})@[A-Za-z0-9])", latin()};
  RE2 home{R"((?:/home/|/Users/|/users/|C:\\Users\\)([A-Za-z0-9._-]+))", latin()};
  RE2 user_word{R"((?i)\b(?:user(?:name)?|uid|login|owner)\s*[=:]\s*["']?([A-Za-z_][A-Za-z0-9._-]*))", latin()};
  RE2 path{
      R"((?:^|[\s"'=:,;(\[<{|>])([A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>|;,()]+|(?:~|\.{1,2})?(?:/[^\s"'<>|:;,(){}\[\]]+){1,}/?|[A-Za-z]:\\[^\s"'<>|;,]+))",
      latin()};
  RE2 fqdn{
      R"((?i)\b([a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\.(?:com|net|org|edu|gov|mil|io|ai|dev|cloud|local|localdomain|lan|internal|intern|intra|corp|cluster|home|example|test|invalid|de|fr|uk|eu|cn|jp|ch|us))\b)",
      latin()};
  RE2 host_word{R"((?i)\b(?:host(?:name)?|node(?:name)?|server|master_addr)\s*[=:]\s*["']?([A-Za-z0-9][A-Za-z0-9.-]*))", latin()};
};

const char* redactClassName(RedactClass one) {
  constexpr std::array<const char*, kRedactClasses> kNames = {"hosts", "users", "paths", "addresses", "tokens"};
  return kNames[static_cast<std::size_t>(one)];
}

std::optional<std::set<RedactClass>> redactClassesFromText(std::string_view text) {
  std::set<RedactClass> out;
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), name.size() + 1));
    bool known = name == "none" || name.empty();
    for (std::size_t i = 0; i < kRedactClasses; ++i)
      if (name == "all" || name == redactClassName(static_cast<RedactClass>(i))) out.insert(static_cast<RedactClass>(i)), known = true;
    if (!known) return std::nullopt;
  }
  return out;
}

Redactor::Redactor(std::set<RedactClass> classes) : m_classes(std::move(classes)), m_patterns(std::make_unique<Patterns>()) {}
Redactor::~Redactor() = default;

void Redactor::know(std::set<std::string> hosts, std::set<std::string> users) {
  m_names.clear(), m_users.clear(), m_cache.clear();
  m_longest = 0;
  const auto take = [&](const std::set<std::string>& names, const char* format, RedactClass of) {
    int number = 0;
    for (const std::string& name : names) {
      // Everybody's names tell nothing of anybody, and are words of messages.
      constexpr std::array<std::string_view, 9> kCommon = {"localhost", "root",   "user",   "users", "admin",
                                                           "nobody",    "daemon", "ubuntu", "node"};
      if (name.empty() || std::ranges::find(kCommon, name) != kCommon.end()) continue;
      char pseudonym[32];
      std::snprintf(pseudonym, sizeof pseudonym, format, ++number);
      if (!redacts(of) || !m_names.emplace(lowered(name), pseudonym).second) continue;
      if (of == RedactClass::kUsers) m_users.insert(lowered(name));
      m_longest = std::max(m_longest, name.size());
    }
  };
  take(hosts, "node-%02d", RedactClass::kHosts);
  take(users, "user-%02d", RedactClass::kUsers);
}

std::string Redactor::replace(RedactClass one, const std::string& what, const std::string& with) {
  m_found[static_cast<std::size_t>(one)].emplace(what, with);
  return with;
}

// Stays the same for the same thing within one report.
std::string Redactor::numbered(RedactClass one, const std::string& what, const char* word) {
  auto& found = m_found[static_cast<std::size_t>(one)];
  const auto known = found.find(what);
  if (known != found.end()) return known->second;
  return found.emplace(what, "[" + std::string(word) + " " + std::to_string(found.size() + 1) + "]").first->second;
}

// Group 1, or the last, of every match; what `change` leaves empty stays.
template <class Change>
void Redactor::byPattern(std::string& text, const void* pattern, int group, Change change) {
  const RE2& re = *static_cast<const RE2*>(pattern);
  std::array<re2::StringPiece, 4> parts;
  std::size_t from = 0, copied = 0;
  std::string out;
  while (from <= text.size() && re.Match(text, from, text.size(), RE2::UNANCHORED, parts.data(), group + 1)) {
    const re2::StringPiece what = parts[static_cast<std::size_t>(group)];
    const std::size_t begin = static_cast<std::size_t>(what.data() - text.data()), end = begin + what.size();
    if (what.data() == nullptr || what.empty()) {
      from = static_cast<std::size_t>(parts[0].data() - text.data()) + std::max<std::size_t>(1, parts[0].size());
      continue;
    }
    const std::string with = change(std::string(what.data(), what.size()));
    if (!with.empty()) {
      out.append(text, copied, begin - copied);
      out += with;
      copied = end;
    }
    from = std::max(end, from + 1);
  }
  if (copied == 0 && out.empty()) return;
  out.append(text, copied, std::string::npos);
  text = std::move(out);
}

// Known names as words. A host's domain goes with it: "n1.cluster.example".
void Redactor::byName(std::string& text) {
  if (m_names.empty()) return;
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins = isWord(text[i]) && (i == 0 || !isWord(text[i - 1]));
    std::size_t taken = 0;
    const std::string* with = nullptr;
    if (begins) {
      const std::string window = lowered(std::string_view(text).substr(i, m_longest));
      for (std::size_t length = window.size(); length > 0 && with == nullptr; --length) {
        if (i + length < text.size() && isWord(text[i + length])) continue;
        const auto found = m_names.find(std::string_view(window).substr(0, length));
        if (found == m_names.end()) continue;
        with = &found->second, taken = length;
      }
    }
    if (with == nullptr) {
      out += text[i++];
      continue;
    }
    const std::string name = text.substr(i, taken);
    const bool user = m_users.contains(lowered(name));
    if (!user)
      while (i + taken + 1 < text.size() && text[i + taken] == '.' && isWord(text[i + taken + 1]) &&
             !(text[i + taken + 1] >= '0' && text[i + taken + 1] <= '9'))
        for (++taken; i + taken < text.size() && (isWord(text[i + taken]) || text[i + taken] == '-');) ++taken;
    out += replace(user ? RedactClass::kUsers : RedactClass::kHosts, name, *with);
    i += taken;
  }
  text = std::move(out);
}

std::string Redactor::text(std::string_view given) {
  if (m_classes.empty() || given.empty()) return std::string(given);
  std::string out(given);
  if (given.size() <= kLongestCached)
    if (const auto known = m_cache.find(out); known != m_cache.end()) return known->second;
  const auto token = [&](const std::string& what) {
    return what.starts_with("[") ? std::string() : numbered(RedactClass::kTokens, what, "secret");
  };
  const Patterns& p = *m_patterns;
  if (redacts(RedactClass::kTokens)) {
    byPattern(out, &p.private_key, 1, token);
    byPattern(out, &p.authorization, 1, token);
    byPattern(out, &p.bearer, 1, token);
    byPattern(out, &p.url_password, 1, token);
    byPattern(out, &p.flag, 2, token);
    byPattern(out, &p.assigned, 2, token);
    byPattern(out, &p.known_shape, 1, token);
    byPattern(out, &p.long_word, 1, [&](const std::string& what) {
      // A path is many words.
      if (RE2::FullMatch(what, p.uuid) || std::ranges::count(what, '/') > 1 || !isRandom(what)) return std::string();
      return token(what);
    });
  }
  if (redacts(RedactClass::kUsers)) {
    byPattern(out, &p.email, 1, [&](const std::string& what) { return numbered(RedactClass::kUsers, what, "e-mail"); });
    const auto user = [&](const std::string& what) {
      const auto known = m_names.find(lowered(what));
      return known != m_names.end() ? replace(RedactClass::kUsers, what, known->second) : numbered(RedactClass::kUsers, what, "user");
    };
    byPattern(out, &p.home, 1, user);
    byPattern(out, &p.user_word, 1, user);
    byPattern(out, &p.at_host, 1, user);
  }
  if (redacts(RedactClass::kAddresses)) {
    const auto address = [&](const std::string& what) { return numbered(RedactClass::kAddresses, what, "address"); };
    byPattern(out, &p.mac, 1, address);
    byPattern(out, &p.ipv6, 1, [&](const std::string& what) {
      // Times and "a::b" of programs are none.
      return what.size() < 4 || std::ranges::count(what, ':') < 2 ? std::string() : address(what);
    });
    byPattern(out, &p.ipv4, 1, address);
  }
  if (redacts(RedactClass::kPaths))
    byPattern(out, &p.path, 1, [&](const std::string& what) {
      // "/s" of a rate and "24/7" are none.
      if (what.starts_with("runglass://") || (what.front() == '/' && std::ranges::count(what, '/') == 1 && what.size() < 5))
        return std::string();
      return numbered(RedactClass::kPaths, what, "path");
    });
  byName(out);
  if (redacts(RedactClass::kHosts)) {
    const auto host = [&](const std::string& what) {
      const bool number = std::ranges::all_of(what, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
      return number || what == "localhost" || lowered(what).starts_with("node-") ? std::string()
                                                                                 : numbered(RedactClass::kHosts, what, "host");
    };
    byPattern(out, &p.host_word, 1, host);
    byPattern(out, &p.fqdn, 1, host);
  }
  if (given.size() <= kLongestCached && m_cache.size() < kMostCached) m_cache.emplace(given, out);
  return out;
}

std::string Redactor::value(std::string_view name, std::string_view value) {
  if (value.empty()) return {};
  const std::string whole(value);
  if (redacts(RedactClass::kTokens) && looksSecret(name)) return numbered(RedactClass::kTokens, whole, "secret");
  if (redacts(RedactClass::kHosts) && namesHost(name)) return host(whole);
  if (redacts(RedactClass::kUsers) && namesUser(name)) return user(whole);
  return text(value);
}

std::string Redactor::host(const std::string& name) {
  if (name.empty() || !redacts(RedactClass::kHosts)) return text(name);
  const auto known = m_names.find(lowered(name));
  return known != m_names.end() ? replace(RedactClass::kHosts, name, known->second) : numbered(RedactClass::kHosts, name, "host");
}

std::string Redactor::user(const std::string& name) {
  if (name.empty() || !redacts(RedactClass::kUsers)) return text(name);
  const auto known = m_names.find(lowered(name));
  return known != m_names.end() ? replace(RedactClass::kUsers, name, known->second) : numbered(RedactClass::kUsers, name, "user");
}

// The analyses' own keys are words; others may be names.
std::string Redactor::jsonKey(const std::string& key) {
  if (const auto known = m_names.find(lowered(key)); known != m_names.end() && !m_users.contains(lowered(key))) return known->second;
  const bool words = std::ranges::all_of(key, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  return words ? key : text(key);
}

std::string Redactor::json(std::string_view given) {
  using Json = nlohmann::ordered_json;
  if (m_classes.empty() || given.empty()) return std::string(given);
  Json document = Json::parse(given, nullptr, false);
  if (document.is_discarded()) return text(given);
  // Without recursion: depth is the source's.
  std::vector<std::pair<Json*, std::string>> open{{&document, ""}};
  while (!open.empty()) {
    const auto [at, name] = open.back();
    open.pop_back();
    if (at->is_string()) {
      *at = value(name, at->get_ref<const std::string&>());
    } else if (at->is_array()) {
      for (Json& one : *at) open.emplace_back(&one, name);
    } else if (at->is_object()) {
      Json renamed = Json::object();
      for (auto& [key, one] : at->items()) renamed[jsonKey(key)] = std::move(one);
      *at = std::move(renamed);
      for (auto& [key, one] : at->items()) open.emplace_back(&one, key);
    }
  }
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace runglass::report
