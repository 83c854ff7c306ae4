// SPDX-License-Identifier: Apache-2.0
// Redaction: names of machines and people, paths, addresses and secrets in texts, replaced so that equal ones stay equal. The kernel.
//
// Hosts and users are known by name (nodes, facts, authors, home folders) and found wherever they stand as a word; what else looks like one
// is found by its shape. Pseudonyms are given in the order of names, so that the same store always gives the same ones.
//
// Sources of the shapes: RFC 6750 (Bearer), RFC 7519 (JWT), RFC 7468 (PEM), RFC 4291 (IPv6), IEEE 802 (MAC); AWS access key ids (IAM user
// guide, "unique identifiers"), GitHub and Hugging Face token prefixes as their issuers document them. A random string is one of 32
// characters or more with letters and digits and an entropy of over 3.2 bits a character (Shannon 1948); uuids are none.
//
// Threading:  one thread at a time.
// Units:      UTF-8 or whatever bytes the source sent.
// Errors:     none. Too much is taken rather than too little.
// Cost:       linear in the text (RE2).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace runglass::report {

enum class RedactClass : std::uint8_t { kHosts, kUsers, kPaths, kAddresses, kTokens };
inline constexpr std::size_t kRedactClasses = 5;
const char* redactClassName(RedactClass one);  // "hosts"
// "hosts,tokens" or "all"; absent: one of them is not known.
std::optional<std::set<RedactClass>> redactClassesFromText(std::string_view text);

struct Replacement {
  std::string what, with;
};

class Redactor {
 public:
  explicit Redactor(std::set<RedactClass> classes);
  ~Redactor();
  Redactor(const Redactor&) = delete;
  Redactor& operator=(const Redactor&) = delete;

  bool redacts(RedactClass one) const { return m_classes.contains(one); }
  const std::set<RedactClass>& classes() const { return m_classes; }
  // All names that are known, before the first text.
  void know(std::set<std::string> hosts, std::set<std::string> users);

  std::string text(std::string_view text);
  // A value under a name: the whole of it where the name says what it is ("HOSTNAME", "USER", "api_key").
  std::string value(std::string_view name, std::string_view value);
  // Texts in a JSON document, its keys too; text that is no JSON as text().
  std::string json(std::string_view json);
  // A name under which others are: words of ours stay, what has a known name or shape in it does not.
  std::string key(const std::string& key);
  std::string host(const std::string& name);  // "" stays
  std::string user(const std::string& name);

  // Whether what is under this name is a host ("HOSTNAME", "SLURM_JOB_NODELIST") or a person.
  static bool namesHost(std::string_view name);
  static bool namesPerson(std::string_view name);

  // What was replaced so far, by class: different ones, in order.
  const std::map<std::string, std::string>& found(RedactClass one) const { return m_found[static_cast<std::size_t>(one)]; }
  std::size_t count(RedactClass one) const { return found(one).size(); }

 private:
  struct Patterns;
  std::string replace(RedactClass one, const std::string& what, const std::string& with);
  std::string numbered(RedactClass one, const std::string& what, const char* word);
  std::string secret(const std::string& what);
  void assigned(std::string& text);
  void secrets(std::string& text);
  void people(std::string& text);
  void addresses(std::string& text);
  void machines(std::string& text);
  void byName(std::string& text);
  template <class Change>
  void byPattern(std::string& text, const void* pattern, Change change);

  std::set<RedactClass> m_classes;
  std::map<std::string, std::string, std::less<>> m_names;  // hosts and users, in lower case
  std::set<std::string, std::less<>> m_users, m_pseudonyms;
  std::size_t m_longest = 0;
  std::array<std::map<std::string, std::string>, kRedactClasses> m_found;
  std::map<std::string, std::string> m_cache;  // texts come again and again
  std::unique_ptr<Patterns> m_patterns;
};

}  // namespace runglass::report
