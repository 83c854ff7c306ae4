// SPDX-License-Identifier: Apache-2.0
// RuleSet: all rule files, validated and compiled: finds the rules that match a line, and parses a line's prefix.
//
// Threading:  immutable; any number of threads, each with its own Scratch.
// Ownership:  shared; results view the given line.
// Units:      captured times as printed (see LinePrefix).
// Errors:     compile(): INVALID_ARGUMENT "rules: FILE: record 2: why". Built-in rules always compile.
// Cost:       one pass over the line for the literals of all rules; only rules whose literals occur run their regex.
#pragma once

#include <re2/filtered_re2.h>
#include <re2/re2.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/importers/train_log/literal_index.h"
#include "collectors/importers/train_log/rule.h"
#include "model/result.h"
#include "model/time.h"

namespace runglass::train_log {

struct RuleText {
  std::string name;  // file name
  std::string toml;
};
// The built-in rule files.
std::span<const RuleText> builtinRules();

inline constexpr int kMaxCaptures = 16;

// A rule that matches a line; groups[i] belongs to rule->captures[i] (data() == nullptr: the group did not match).
struct Match {
  const Rule* rule = nullptr;
  std::string_view groups[kMaxCaptures];
  std::string_view group(Role role) const;
};

// A date and time as printed. Year 0 or zone_minutes absent: not printed.
struct PrintedTime {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  std::int32_t nanosecond = 0;
  std::optional<int> zone_minutes;
};
// The time from the captures of a match, if it has a whole date (except the year, if the rule does not capture it) and time.
std::optional<PrintedTime> printedTime(const Match& match);

// Prefix of a line, as added by launchers and loggers.
struct LinePrefix {
  std::optional<std::int32_t> rank, pid;
  std::string_view host;
  std::optional<PrintedTime> time;
  std::size_t size = 0;  // of the prefixes, in bytes
};

class RuleSet {
 public:
  struct Scratch {
    LiteralIndex::Hits hits;
    std::vector<int> rules;
    std::vector<Match> matches;
  };

  static Result<std::shared_ptr<const RuleSet>> compile(std::span<const RuleText> texts);
  // Built-in rules and those of the user's folder ($RUNGLASS_RULES_DIR, else ~/.config/runglass/rules.d), read once per process. A user
  // file with the name of a built-in one replaces it. Files that do not compile are left out and listed in problems().
  static std::shared_ptr<const RuleSet> standard();
  static std::shared_ptr<const RuleSet> withFolder(const std::string& folder);

  // All rules that match the line, in file order, in scratch.matches (views into `line`).
  void match(std::string_view line, Scratch& scratch) const;
  LinePrefix prefixOf(std::string_view line) const;
  // A rank, process id or host that `match` captured.
  static void addPlace(const Match& match, LinePrefix& prefix);

  const std::vector<RuleFile>& files() const { return m_files; }
  const std::vector<Rule>& rules() const { return m_rules; }
  const std::vector<std::string>& problems() const { return m_problems; }
  // Rules whose regex has no literal of at least three bytes: they run on every line.
  std::vector<std::string> slowRules() const;

 private:
  RuleSet() = default;
  Status add(const RuleText& text);
  void finish();

  std::vector<RuleFile> m_files;
  std::vector<Rule> m_rules;
  re2::FilteredRE2 m_filter{3};  // regex i belongs to m_rules[i]
  std::unique_ptr<LiteralIndex> m_literals;
  std::vector<int> m_always;  // rules without a literal that could exclude them
  struct PrefixRule {
    Rule rule;
    std::unique_ptr<re2::RE2> regex;
  };
  std::vector<PrefixRule> m_prefixes;
  std::vector<std::string> m_problems;
};

}  // namespace runglass::train_log
