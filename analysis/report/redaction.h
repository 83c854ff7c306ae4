// SPDX-License-Identifier: Apache-2.0
// Redaction: replaces names of machines and people, paths, addresses and secrets in texts; equal ones get equal replacements. The kernel.
//
// Hosts and users are known by name (nodes, facts, authors, home folders) and replaced wherever they occur as a word; others are found by
// their form. Pseudonyms are assigned in the order of names, so that the same store always gives the same ones.
//
// Sources of the forms: RFC 6750 (Bearer), RFC 7519 (JWT), RFC 7468 (PEM), RFC 4291 (IPv6), IEEE 802 (MAC); AWS access key ids (IAM user
// guide, "unique identifiers"), GitHub and Hugging Face token prefixes as documented by their issuers. A random string has at least 32
// characters with letters and digits and an entropy above 3.2 bits per character (Shannon 1948); uuids are excluded.
//
// Threading:  one thread at a time.
// Units:      UTF-8 or arbitrary bytes from the source.
// Errors:     in doubt, text is replaced.
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
// "hosts,tokens" or "all"; absent: an unknown class.
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
  // Sets all known names; call before the first text.
  void know(std::set<std::string> hosts, std::set<std::string> users);

  std::string text(std::string_view text);
  // The value of a named field: replaced as a whole where the name implies its class ("HOSTNAME", "USER", "api_key").
  std::string value(std::string_view name, std::string_view value);
  // Texts in a JSON document, including keys; other text as text().
  std::string json(std::string_view json);
  // A key in a document: our own words are kept, known names and forms are replaced.
  std::string key(const std::string& key);
  std::string host(const std::string& name);  // "" is kept
  std::string user(const std::string& name);

  // Whether a field of this name holds a host ("HOSTNAME", "SLURM_JOB_NODELIST") or a person.
  static bool namesHost(std::string_view name);
  static bool namesPerson(std::string_view name);

  // Replacements so far, by class: distinct ones, sorted.
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
  std::map<std::string, std::string> m_cache;  // the same texts occur many times
  std::unique_ptr<Patterns> m_patterns;
};

}  // namespace runglass::report
