// SPDX-License-Identifier: Apache-2.0
// Invariants:
//  1. A replacement is never matched again: secrets come first, then people, addresses, paths, names; no pseudonym has the form of a later
//     class.
#include "analysis/report/redaction.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/report/redaction_patterns.h"
#include "model/topology.h"

namespace runglass::report {
namespace {

constexpr std::size_t kMaxCached = 50'000, kLongestCached = 512;
constexpr std::size_t kMinRandom = 32;
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
  return text.size() >= kMinRandom && letter && digit && entropy(text) > kRandomBits;
}

bool endsWithWord(std::string_view name, std::initializer_list<std::string_view> words) {
  const std::string key = lowered(name);
  return std::ranges::any_of(words, [&](std::string_view word) { return key == word || key.ends_with("_" + std::string(word)); });
}

// Names of accounts may be shared. One may be called "train", so that it is replaced under its key but not as a word in texts.
bool namesAccount(std::string_view name) { return endsWithWord(name, {"account", "entity", "owner", "team"}); }

bool namesSerial(std::string_view name) { return endsWithWord(name, {"serial", "serial_number", "serialnumber"}); }

// "tokens=4096", "max_tokens: 12": the model's input, not a secret.
bool countsTokens(std::string_view name) {
  const std::string key = lowered(name);
  return key.find("tokens") != std::string::npos && key.find("secret") == std::string::npos && key.find("key") == std::string::npos;
}

// Generic names identify no one and occur as words in messages.
bool isCommon(std::string_view name) {
  constexpr std::array<std::string_view, 9> kCommon = {"localhost", "root", "user", "users", "admin", "nobody", "daemon", "ubuntu", "node"};
  return std::ranges::find(kCommon, lowered(name)) != kCommon.end();
}

bool isNumber(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == ':'; });
}

// "n1" of "n1.pod.example"; "" for an address and for a name without a domain.
std::string shortName(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot == std::string_view::npos || dot == 0 || isNumber(name) ? std::string() : std::string(name.substr(0, dot));
}

}  // namespace

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

bool Redactor::namesHost(std::string_view name) {
  if (lowered(name).find("num_") != std::string::npos) return false;
  return endsWithWord(
      name, {"hostname", "hostnames", "host", "hosts", "node", "nodes", "nodename", "node_name", "nodelist", "node_list", "master_addr"});
}

bool Redactor::namesPerson(std::string_view name) { return endsWithWord(name, {"user", "username", "logname", "author", "email"}); }

void Redactor::know(std::set<std::string> hosts, std::set<std::string> users) {
  m_names.clear(), m_users.clear(), m_cache.clear(), m_pseudonyms.clear();
  m_longest = 0;
  // The long names of each short one: a single one means the same machine; otherwise the short one is a separate name.
  std::map<std::string, std::vector<std::string>> longer;
  for (const std::string& name : hosts)
    if (const std::string brief = shortName(name); !brief.empty() && !isCommon(brief)) longer[lowered(brief)].push_back(name);
  for (const auto& [brief, names] : longer) hosts.insert(brief);
  const auto add = [&](const std::string& name, const std::string& pseudonym, RedactClass of) {
    if (!m_names.emplace(lowered(name), pseudonym).second) return;
    if (of == RedactClass::kUsers) m_users.insert(lowered(name));
    m_longest = std::max(m_longest, name.size());
  };
  const auto take = [&](const std::set<std::string>& names, const char* format, RedactClass of) {
    if (!redacts(of)) return;
    int number = 0;
    for (const std::string& name : names) {
      if (name.empty() || isCommon(name) || m_names.contains(lowered(name))) continue;
      char pseudonym[32];
      std::snprintf(pseudonym, sizeof pseudonym, format, ++number);
      m_pseudonyms.insert(pseudonym);
      add(name, pseudonym, of);
      if (const auto same = longer.find(lowered(shortName(name)));
          of == RedactClass::kHosts && same != longer.end() && same->second.size() == 1)
        add(same->first, pseudonym, of);
      if (const auto full = longer.find(lowered(name)); of == RedactClass::kHosts && full != longer.end() && full->second.size() == 1)
        add(full->second.front(), pseudonym, of);
    }
  };
  take(hosts, "node-%02d", RedactClass::kHosts);
  take(users, "user-%02d", RedactClass::kUsers);
}

std::string Redactor::replace(RedactClass one, const std::string& what, const std::string& with) {
  m_found[static_cast<std::size_t>(one)].emplace(what, with);
  return with;
}

// Stable for equal texts within one report.
std::string Redactor::numbered(RedactClass one, const std::string& what, const char* word) {
  auto& found = m_found[static_cast<std::size_t>(one)];
  const auto known = found.find(what);
  if (known != found.end()) return known->second;
  return found.emplace(what, "[" + std::string(word) + " " + std::to_string(found.size() + 1) + "]").first->second;
}

// Replaces the last group of every match; `change` returns "" to keep it.
template <class Change>
void Redactor::byPattern(std::string& text, const void* pattern, Change change) {
  const RE2& re = *static_cast<const RE2*>(pattern);
  const int group = re.NumberOfCapturingGroups();
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

// Known names as words. A host's domain is replaced with it: "n1.cluster.example".
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
        const std::string_view name = std::string_view(window).substr(0, length);
        const auto found = m_names.find(name);
        if (found == m_names.end() || isNumber(name)) continue;  // numbers are ambiguous
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

// The quotes around a value are kept.
std::string Redactor::secret(const std::string& what) {
  if (what.starts_with("[")) return {};
  const bool quoted = what.size() > 2 && (what.front() == '"' || what.front() == '\'') && what.back() == what.front();
  if (!quoted) return numbered(RedactClass::kTokens, what, "secret");
  return what.front() + numbered(RedactClass::kTokens, what.substr(1, what.size() - 2), "secret") + what.back();
}

// "token=a,password=b": text after a comma is another value if it has a name, else part of this one.
void Redactor::assigned(std::string& text) {
  std::string out;
  std::string_view rest = text;
  std::array<re2::StringPiece, 3> parts;
  while (m_patterns->assigned.Match({rest.data(), rest.size()}, 0, rest.size(), RE2::UNANCHORED, parts.data(), 3)) {
    const auto begin = static_cast<std::size_t>(parts[2].data() - rest.data());
    std::string value(parts[2].data(), parts[2].size());
    re2::StringPiece next;
    if (value.front() != '"' && value.front() != '\'' &&
        m_patterns->next_assigned.Match(value, 0, value.size(), RE2::UNANCHORED, &next, 1) && next.data() != value.data())
      value.resize(static_cast<std::size_t>(next.data() - value.data()));
    const bool count = countsTokens({parts[1].data(), parts[1].size()}) && RE2::FullMatch(value, m_patterns->number);
    const std::string with = count ? std::string() : secret(value);
    out += rest.substr(0, begin);
    out += with.empty() ? value : with;
    rest.remove_prefix(begin + value.size());
  }
  text = out + std::string(rest);
}

void Redactor::secrets(std::string& text) {
  const Patterns& p = *m_patterns;
  const auto token = [&](const std::string& what) { return secret(what); };
  byPattern(text, &p.private_key, token);
  byPattern(text, &p.cookie, token);
  byPattern(text, &p.authorization, token);
  byPattern(text, &p.bearer, token);
  byPattern(text, &p.url_password, token);
  byPattern(text, &p.slack_hook, token);
  byPattern(text, &p.flag, token);
  assigned(text);
  byPattern(text, &p.known_shape, token);
  byPattern(text, &p.long_word, [&](const std::string& what) {
    // A path consists of many words.
    if (RE2::FullMatch(what, p.uuid) || std::ranges::count(what, '/') > 1 || !isRandom(what)) return std::string();
    return secret(what);
  });
}

void Redactor::people(std::string& text) {
  const Patterns& p = *m_patterns;
  const auto person = [&](const std::string& what) { return what.starts_with("[") ? std::string() : user(what); };
  byPattern(text, &p.named_email, person);
  byPattern(text, &p.email, [&](const std::string& what) { return numbered(RedactClass::kUsers, what, "e-mail"); });
  byPattern(text, &p.home, person);
  byPattern(text, &p.logged_in_team, person);
  byPattern(text, &p.logged_in, person);
  byPattern(text, &p.user_word, person);
  byPattern(text, &p.at_host, person);
}

void Redactor::addresses(std::string& text) {
  const Patterns& p = *m_patterns;
  const auto address = [&](const std::string& what) { return numbered(RedactClass::kAddresses, what, "address"); };
  byPattern(text, &p.mac, address);
  byPattern(text, &p.ipv6, [&](const std::string& what) {
    // Times and "a::b" in programs are not addresses.
    return what.size() < 4 || std::ranges::count(what, ':') < 2 ? std::string() : address(what);
  });
  byPattern(text, &p.ipv4, address);
}

// Machines without a known name.
void Redactor::machines(std::string& text) {
  const Patterns& p = *m_patterns;
  const auto machine = [&](const std::string& what) {
    return isNumber(what) || isCommon(what) || m_pseudonyms.contains(lowered(what)) ? std::string()
                                                                                    : numbered(RedactClass::kHosts, what, "host");
  };
  byPattern(text, &p.host_word, machine);
  byPattern(text, &p.cloud_host, machine);
  byPattern(text, &p.fqdn, machine);
  const auto part = [&](const std::string& what) { return numbered(RedactClass::kHosts, what, "device"); };
  byPattern(text, &p.gpu_uuid, part);
  byPattern(text, &p.serial, part);
}

std::string Redactor::text(std::string_view given) {
  if (m_classes.empty() || given.empty()) return std::string(given);
  std::string out(given);
  if (given.size() <= kLongestCached)
    if (const auto known = m_cache.find(out); known != m_cache.end()) return known->second;
  if (redacts(RedactClass::kTokens)) secrets(out);
  if (redacts(RedactClass::kUsers)) people(out);
  if (redacts(RedactClass::kAddresses)) addresses(out);
  if (redacts(RedactClass::kPaths))
    byPattern(out, &m_patterns->path, [&](const std::string& what) {
      // "/s" of a rate is not a path.
      if (what.starts_with("runglass://") || (what.front() == '/' && std::ranges::count(what, '/') == 1 && what.size() < 5))
        return std::string();
      return numbered(RedactClass::kPaths, what, "path");
    });
  byName(out);
  if (redacts(RedactClass::kHosts)) machines(out);
  if (given.size() <= kLongestCached && m_cache.size() < kMaxCached) m_cache.emplace(given, out);
  return out;
}

std::string Redactor::value(std::string_view name, std::string_view value) {
  if (value.empty()) return {};
  const std::string whole(value);
  if (redacts(RedactClass::kTokens) && looksSecret(name)) return numbered(RedactClass::kTokens, whole, "secret");
  if (redacts(RedactClass::kHosts) && namesSerial(name)) return numbered(RedactClass::kHosts, whole, "device");
  // An address or a number under such a name is not a host.
  if (redacts(RedactClass::kHosts) && namesHost(name) && !isNumber(value)) return host(whole);
  if (redacts(RedactClass::kUsers) && (namesPerson(name) || namesAccount(name))) return user(whole);
  return text(value);
}

std::string Redactor::host(const std::string& name) {
  if (name.empty() || isCommon(name) || !redacts(RedactClass::kHosts)) return text(name);
  const auto known = m_names.find(lowered(name));
  return known != m_names.end() ? replace(RedactClass::kHosts, name, known->second) : numbered(RedactClass::kHosts, name, "host");
}

std::string Redactor::user(const std::string& name) {
  if (name.empty() || isCommon(name) || !redacts(RedactClass::kUsers)) return text(name);
  const auto known = m_names.find(lowered(name));
  return known != m_names.end() ? replace(RedactClass::kUsers, name, known->second) : numbered(RedactClass::kUsers, name, "user");
}

// Keys of the analyses are words; others may be names.
std::string Redactor::key(const std::string& key) {
  if (const auto known = m_names.find(lowered(key)); known != m_names.end() && !m_users.contains(lowered(key))) return known->second;
  const bool words = std::ranges::all_of(key, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  return words ? key : text(key);
}

std::string Redactor::json(std::string_view given) {
  using Json = nlohmann::ordered_json;
  if (m_classes.empty() || given.empty()) return std::string(given);
  Json document = Json::parse(given, nullptr, false);
  if (document.is_discarded()) return text(given);
  // Without recursion: the source controls the depth.
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
      for (auto& [key, one] : at->items()) renamed[this->key(key)] = std::move(one);
      *at = std::move(renamed);
      for (auto& [key, one] : at->items()) open.emplace_back(&one, key);
    }
  }
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace runglass::report
