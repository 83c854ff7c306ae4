// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Regex i of m_filter belongs to m_rules[i]; a file is added as a whole or not at all.
// 2. Every rule has at most kMaxCaptures groups (checked when added).
// 3. prefixOf() consumes at least one byte per step and takes at most kMaxPrefixes steps.
#include "collectors/importers/train_log/rule_set.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "collectors/importers/train_log/rule_loader.h"

namespace runglass::train_log {
namespace {
constexpr int kMaxPrefixes = 8;
constexpr std::size_t kPrefixWindow = 256;  // prefixes are within the first bytes of a line
constexpr std::uintmax_t kMaxRuleFile = 1 << 20;

re2::RE2::Options options() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_encoding(re2::RE2::Options::EncodingLatin1);  // logs are bytes: one invalid character must not exclude a line
  options.set_max_mem(16 << 20);
  return options;
}

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

// Fills rule.captures from the regex's named groups; unnamed groups count as values named by number and are ignored later.
Status describeCaptures(const re2::RE2& regex, Rule& rule) {
  if (regex.NumberOfCapturingGroups() > kMaxCaptures)
    return Status(Code::kInvalidArgument, rule.where + ": match has more than " + std::to_string(kMaxCaptures) + " groups");
  rule.captures.resize(static_cast<std::size_t>(regex.NumberOfCapturingGroups()));
  for (const auto& [group, name] : regex.CapturingGroupNames()) rule.captures[static_cast<std::size_t>(group - 1)] = {name, roleOf(name)};
  return {};
}

bool run(const re2::RE2& regex, std::string_view text, re2::RE2::Anchor anchor, const Rule& rule, Match& match) {
  re2::StringPiece groups[kMaxCaptures + 1];
  const int wanted = static_cast<int>(rule.captures.size()) + 1;
  if (!regex.Match(piece(text), 0, text.size(), anchor, groups, wanted)) return false;
  match.rule = &rule;
  for (int i = 1; i < wanted; ++i) match.groups[i - 1] = std::string_view(groups[i].data(), groups[i].size());
  return true;
}

std::optional<int> smallNumber(std::string_view text, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0 || value > most) return std::nullopt;
  return value;
}

std::int32_t nanoseconds(std::string_view fraction) {
  std::int32_t value = 0;
  for (std::size_t i = 0; i < 9; ++i)
    value = value * 10 + (i < fraction.size() && fraction[i] >= '0' && fraction[i] <= '9' ? fraction[i] - '0' : 0);
  return value;
}

std::optional<int> zoneMinutes(std::string_view zone) {
  if (zone == "Z") return 0;
  if (zone.size() < 5 || (zone[0] != '+' && zone[0] != '-')) return std::nullopt;
  const auto hours = smallNumber(zone.substr(1, 2), 14), minutes = smallNumber(zone.substr(zone.size() - 2), 59);
  if (!hours || !minutes) return std::nullopt;
  return (zone[0] == '-' ? -1 : 1) * (*hours * 60 + *minutes);
}

std::string userFolder() {
  if (const char* folder = std::getenv("RUNGLASS_RULES_DIR")) return folder;
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config && *config) return std::string(config) + "/runglass/rules.d";
  const char* home = std::getenv("HOME");
  return home ? std::string(home) + "/.config/runglass/rules.d" : std::string();
}
}  // namespace

std::string_view Match::group(Role role) const {
  for (std::size_t i = 0; i < rule->captures.size(); ++i)
    if (rule->captures[i].role == role && groups[i].data()) return groups[i];
  return {};
}

std::optional<PrintedTime> printedTime(const Match& match) {
  const bool yearless = std::ranges::none_of(match.rule->captures, [](const Capture& one) { return one.role == Role::kYear; });
  const auto year = yearless ? std::optional(0) : smallNumber(match.group(Role::kYear), 9999),
             month = smallNumber(match.group(Role::kMonth), 12), day = smallNumber(match.group(Role::kDay), 31),
             hour = smallNumber(match.group(Role::kHour), 23), minute = smallNumber(match.group(Role::kMinute), 59),
             second = smallNumber(match.group(Role::kSecond), 60);
  if (!year || !month || !day || !hour || !minute || !second || *month == 0 || *day == 0) return std::nullopt;
  if (!yearless && *year < 1970) return std::nullopt;
  return PrintedTime{
      *year, *month, *day, *hour, *minute, *second, nanoseconds(match.group(Role::kFraction)), zoneMinutes(match.group(Role::kZone))};
}

Status RuleSet::add(const RuleText& text) {
  RG_ASSIGN(LoadedRules loaded, loadRules(text.name, text.toml));
  for (auto* rules : {&loaded.rules, &loaded.prefixes})
    for (auto& [rule, pattern] : *rules) {
      const re2::RE2 regex(pattern, options());
      if (!regex.ok()) return Status(Code::kInvalidArgument, rule.where + ": match: " + regex.error());
      RG_TRY(describeCaptures(regex, rule));
      rule.file = m_files.size();
    }
  m_files.push_back(std::move(loaded.file));
  for (auto& [rule, pattern] : loaded.rules) {
    int id = 0;
    RG_CHECK(m_filter.Add(pattern, options(), &id) == re2::RE2::NoError);
    m_rules.push_back(std::move(rule));
  }
  for (auto& [rule, pattern] : loaded.prefixes) m_prefixes.push_back({std::move(rule), std::make_unique<re2::RE2>(pattern, options())});
  return {};
}

void RuleSet::finish() {
  std::vector<std::string> words;
  m_filter.Compile(&words);
  m_literals = std::make_unique<LiteralIndex>(words);
  if (!m_rules.empty()) m_filter.AllPotentials({}, &m_always);
}

Result<std::shared_ptr<const RuleSet>> RuleSet::compile(std::span<const RuleText> texts) {
  std::shared_ptr<RuleSet> set(new RuleSet());
  for (const RuleText& text : texts)
    if (Status status = set->add(text); !status.ok()) return Status(status.code(), "rules: " + status.message());
  set->finish();
  return std::shared_ptr<const RuleSet>(set);
}

std::shared_ptr<const RuleSet> RuleSet::withFolder(const std::string& folder) {
  std::shared_ptr<RuleSet> set(new RuleSet());
  std::vector<RuleText> texts(builtinRules().begin(), builtinRules().end());
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  if (!folder.empty())
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
      if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    std::ostringstream text;
    if (!file || error || size > kMaxRuleFile || (size > 0 && !(text << file.rdbuf()))) {
      set->m_problems.push_back(path.string() + ": cannot be read, or is larger than 1 MiB");
      continue;
    }
    RuleText user{path.filename().string(), text.str()};
    // Compiled alone first, so that an invalid file neither replaces a built-in one nor invalidates the set.
    if (auto alone = compile({&user, 1}); !alone.ok()) {
      set->m_problems.push_back(path.parent_path().string() + ": " + alone.status().message());
      continue;
    }
    std::erase_if(texts, [&](const RuleText& other) { return other.name == user.name; });
    texts.push_back(std::move(user));
  }
  for (const RuleText& text : texts) {
    const Status status = set->add(text);
    if (!status.ok()) set->m_problems.push_back(status.message());
  }
  set->finish();
  return set;
}

std::shared_ptr<const RuleSet> RuleSet::standard() {
  static const std::shared_ptr<const RuleSet> kStandard = withFolder(userFolder());
  return kStandard;
}

void RuleSet::match(std::string_view line, Scratch& scratch) const {
  scratch.matches.clear();
  m_literals->find(line, scratch.hits);
  if (scratch.hits.words.empty()) {
    if (m_always.empty()) return;
    scratch.rules = m_always;
  } else {
    m_filter.AllPotentials(scratch.hits.words, &scratch.rules);
  }
  std::sort(scratch.rules.begin(), scratch.rules.end());
  for (const int id : scratch.rules) {
    Match match;
    if (run(m_filter.GetRE2(id), line, re2::RE2::UNANCHORED, m_rules[static_cast<std::size_t>(id)], match))
      scratch.matches.push_back(match);
  }
}

void RuleSet::addPlace(const Match& match, LinePrefix& prefix) {
  if (const auto rank = smallNumber(match.group(Role::kRank), 9'999'999)) prefix.rank = *rank;
  if (const auto pid = smallNumber(match.group(Role::kPid), 1 << 30)) prefix.pid = *pid;
  if (const auto host = match.group(Role::kHost); !host.empty()) prefix.host = host;
}

LinePrefix RuleSet::prefixOf(std::string_view line) const {
  LinePrefix out;
  line = line.substr(0, kPrefixWindow);
  for (int steps = 0; steps < kMaxPrefixes && !line.empty(); ++steps) {
    bool found = false;
    for (const PrefixRule& prefix : m_prefixes) {
      re2::StringPiece whole[kMaxCaptures + 1];
      const int wanted = static_cast<int>(prefix.rule.captures.size()) + 1;
      if (!prefix.regex->Match(piece(line), 0, line.size(), re2::RE2::ANCHOR_START, whole, wanted) || whole[0].empty()) continue;
      Match match{&prefix.rule, {}};
      for (int i = 1; i < wanted; ++i) match.groups[i - 1] = std::string_view(whole[i].data(), whole[i].size());
      addPlace(match, out);
      if (const auto time = printedTime(match)) out.time = time;
      line.remove_prefix(whole[0].size());
      out.size += whole[0].size();
      found = true;
      break;
    }
    if (!found) break;
  }
  return out;
}

std::vector<std::string> RuleSet::slowRules() const {
  std::vector<std::string> out;
  for (const int id : m_always) out.push_back(m_rules[static_cast<std::size_t>(id)].where);
  return out;
}

}  // namespace runglass::train_log
