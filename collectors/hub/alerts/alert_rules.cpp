// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/alerts/alert_rules.h"

#include <sys/stat.h>
#include <toml++/toml.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <sstream>

namespace runglass {
namespace {

constexpr std::size_t kMaxRules = 1'000, kMaxTargets = 64, kMaxBytes = 1U << 20;
constexpr DurNs kLongest = 366LL * 24 * 3600 * kNsPerSecond;

// A file being read; every message includes its name.
struct File {
  const std::string& name;

  Status wrong(const std::string& where, const std::string& why) const {
    return {Code::kInvalidArgument, "alert rules: " + name + ": " + where + ": " + why};
  }
  Status onlyKeys(const toml::table& table, const std::string& where, std::initializer_list<std::string_view> known) const {
    for (const auto& [key, value] : table)
      if (std::ranges::find(known, key.str()) == known.end()) return wrong(where, "has no key '" + std::string(key.str()) + "'");
    return {};
  }
  // "90s", "5m", "6h", "2d"; a bare number is seconds.
  Status duration(const toml::table& table, std::string_view key, const std::string& where, DurNs& out) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return {};
    std::optional<double> count = node->value<double>();
    double unit = 1;
    if (const auto text = node->value<std::string>()) {
      double value = 0;
      const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
      const std::string suffix(end, text->data() + text->size());
      const std::string_view units = "smhd";
      static constexpr double kSeconds[] = {1, 60, 3600, 86'400};
      const std::size_t at = suffix.size() == 1 ? units.find(suffix[0]) : std::string_view::npos;
      if (error == std::errc() && at != std::string_view::npos) count = value, unit = kSeconds[at];
    }
    if (!count || !(*count >= 0) || *count * unit * 1e9 > static_cast<double>(kLongest))
      return wrong(where, std::string(key) + " must be a duration like \"90s\", \"5m\", \"6h\" or \"2d\"");
    out = static_cast<DurNs>(*count * unit * 1e9);
    return {};
  }
  Status texts(const toml::table& table, std::string_view key, const std::string& where, std::vector<std::string>& out) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return {};
    if (const auto one = node->value<std::string>()) {
      out = {*one};
      return {};
    }
    const toml::array* list = node->as_array();
    if (list == nullptr) return wrong(where, std::string(key) + " must be a text or a list of texts");
    for (const auto& item : *list) {
      const auto text = item.value<std::string>();
      if (!text) return wrong(where, std::string(key) + " must be a text or a list of texts");
      out.push_back(*text);
    }
    return {};
  }
  Status number(const toml::table& table, std::string_view key, const std::string& where, std::optional<double>& out) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return {};
    out = node->value<double>();
    if (!out || !std::isfinite(*out)) return wrong(where, std::string(key) + " must be a number");
    return {};
  }
};

Result<AlertTarget> readTarget(const File& file, const std::string& name, const toml::table& table) {
  const std::string where = "target." + name;
  RG_TRY(file.onlyKeys(table, where, {"command", "webhook", "otlp", "desktop", "headers", "ca_file", "timeout"}));
  AlertTarget target{.name = name};
  RG_TRY(file.texts(table, "command", where, target.command));
  target.webhook = table["webhook"].value_or(std::string());
  target.otlp = table["otlp"].value_or(std::string());
  target.desktop = table["desktop"].value_or(false);
  RG_TRY(file.texts(table, "headers", where, target.headers));
  target.ca_file = table["ca_file"].value_or(std::string());
  RG_TRY(file.duration(table, "timeout", where, target.timeout));
  if ((target.command.empty() ? 0 : 1) + (target.webhook.empty() ? 0 : 1) + (target.otlp.empty() ? 0 : 1) + (target.desktop ? 1 : 0) != 1)
    return file.wrong(where, "needs exactly one of command, webhook, otlp and desktop");
  for (const auto& [key, url] : {std::pair("webhook", &target.webhook), std::pair("otlp", &target.otlp)})
    if (!url->empty() && !url->starts_with("http://") && !url->starts_with("https://"))
      return file.wrong(where, std::string(key) + " must begin with http:// or https://");
  for (const std::string& header : target.headers)
    if (header.find(':') == std::string::npos || header.find_first_of("\r\n") != std::string::npos)
      return file.wrong(where, "a header is \"Name: value\" on one line");
  if (!target.command.empty() && target.command[0].empty()) return file.wrong(where, "command names no program");
  constexpr DurNs kMax = 300 * kNsPerSecond;
  if (target.timeout <= 0 || target.timeout > kMax) return file.wrong(where, "timeout must be above 0 and at most 5m");
  return target;
}

Status readMetric(const File& file, const toml::table& table, const std::string& where, AlertRule& rule) {
  MetricCondition metric{.metric = table["metric"].value_or(std::string())};
  RG_TRY(file.number(table, "above", where, metric.above));
  RG_TRY(file.number(table, "below", where, metric.below));
  RG_TRY(file.number(table, "clear", where, metric.clear));
  metric.absent = table["absent"].value_or(false);
  if ((metric.above ? 1 : 0) + (metric.below ? 1 : 0) + (metric.absent ? 1 : 0) != 1)
    return file.wrong(where, "a metric wants exactly one of above, below and absent");
  if (metric.clear && (metric.absent || (metric.above && *metric.clear > *metric.above) || (metric.below && *metric.clear < *metric.below)))
    return file.wrong(where, "clear must be on the good side of the threshold");
  if (metric.absent && rule.hold < kNsPerSecond) return file.wrong(where, "absent wants for = how long");
  rule.metric = metric;
  return {};
}

// Only these events last until another event ends them.
bool isLasting(const std::string& event) { return event == "node_lost" || event == "node_stale" || event == "store_full"; }

Result<AlertRule> readRule(const File& file, const toml::table& table, std::size_t index, const AlertOptions& all) {
  AlertRule rule{.name = table["name"].value_or(std::string())};
  const std::string where = "rule " + (rule.name.empty() ? std::to_string(index + 1) : rule.name);
  RG_TRY(file.onlyKeys(table, where, {"name", "finding", "event", "metric", "above", "below", "clear", "absent", "severity", "for", "to"}));
  if (rule.name.empty() || rule.name.size() > 256) return file.wrong(where, "needs a name of at most 256 bytes");
  if (std::ranges::find(all.rules, rule.name, &AlertRule::name) != all.rules.end()) return file.wrong(where, "there are two of this name");
  RG_TRY(file.texts(table, "finding", where, rule.findings));
  RG_TRY(file.texts(table, "event", where, rule.events));
  const auto severity = severityFromName(table["severity"].value_or(std::string("warning")));
  if (!severity) return file.wrong(where, "severity is one of debug, info, warning, error, critical");
  rule.at_least = *severity;
  RG_TRY(file.duration(table, "for", where, rule.hold));
  const bool metric = table.contains("metric");
  if ((rule.findings.empty() ? 0 : 1) + (rule.events.empty() ? 0 : 1) + (metric ? 1 : 0) != 1)
    return file.wrong(where, "wants exactly one of finding, event and metric");
  if (metric) RG_TRY(readMetric(file, table, where, rule));
  if (rule.hold > 0 && !rule.events.empty() && !std::ranges::all_of(rule.events, isLasting))
    return file.wrong(where, "for is allowed with the events node_lost, node_stale and store_full only: the others have no duration");
  if (table.contains("to")) {
    RG_TRY(file.texts(table, "to", where, rule.to));
  } else {
    for (const AlertTarget& target : all.targets) rule.to.push_back(target.name);
  }
  for (const std::string& name : rule.to)
    if (std::ranges::find(all.targets, name, &AlertTarget::name) == all.targets.end())
      return file.wrong(where, "there is no target '" + name + "'");
  return rule;
}

Status readDeadman(const File& file, const toml::table& table, AlertOptions& all) {
  RG_TRY(file.onlyKeys(table, "deadman", {"file", "url", "method", "every", "timeout"}));
  DeadmanOptions deadman{.file = table["file"].value_or(std::string()), .url = table["url"].value_or(std::string())};
  deadman.method = table["method"].value_or(deadman.method);
  RG_TRY(file.duration(table, "every", "deadman", deadman.every));
  RG_TRY(file.duration(table, "timeout", "deadman", deadman.timeout));
  if (deadman.file.empty() == deadman.url.empty()) return file.wrong("deadman", "needs a file or a url");
  if (deadman.method != "GET" && deadman.method != "POST") return file.wrong("deadman", "method is GET or POST");
  if (deadman.every < kNsPerSecond || deadman.timeout <= 0) return file.wrong("deadman", "every must be 1s or more, timeout above 0");
  all.deadman = deadman;
  return {};
}

Result<AlertOptions> readTable(const toml::table& table, const std::string& name) {
  const File file{name};
  AlertOptions all;
  RG_TRY(file.onlyKeys(table, "top",
                       {"repeat_after", "rearm_after", "most_per_hour", "price_per_gpu_hour", "currency", "target", "rule", "deadman"}));
  RG_TRY(file.duration(table, "repeat_after", "top", all.repeat_after));
  RG_TRY(file.duration(table, "rearm_after", "top", all.rearm_after));
  all.most_per_hour = table["most_per_hour"].value_or(all.most_per_hour);
  if (all.most_per_hour < 1 || all.most_per_hour > 1'000) return file.wrong("top", "most_per_hour must be in 1..1000");
  constexpr DurNs kMinRepeat = 60 * kNsPerSecond;
  if (all.repeat_after < kMinRepeat) return file.wrong("top", "repeat_after must be 1m or more");
  RG_TRY(file.number(table, "price_per_gpu_hour", "top", all.price_per_gpu_hour));
  all.currency = table["currency"].value_or(std::string());
  if (const toml::table* targets = table["target"].as_table()) {
    for (const auto& [key, value] : *targets) {
      if (!value.is_table()) return file.wrong("target." + std::string(key.str()), "must be a table");
      RG_ASSIGN(AlertTarget target, readTarget(file, std::string(key.str()), *value.as_table()));
      all.targets.push_back(std::move(target));
    }
  }
  if (all.targets.size() > kMaxTargets) return file.wrong("target", "more than 64");
  if (const toml::array* rules = table["rule"].as_array()) {
    if (rules->size() > kMaxRules) return file.wrong("rule", "more than 1000");
    for (std::size_t i = 0; i < rules->size(); ++i) {
      if (!(*rules)[i].is_table()) return file.wrong("rule " + std::to_string(i + 1), "must be a table");
      RG_ASSIGN(AlertRule rule, readRule(file, *(*rules)[i].as_table(), i, all));
      all.rules.push_back(std::move(rule));
    }
  } else {
    // A file without rules of its own: the default rules, sent to its targets.
    all.rules = defaultAlerts(false).rules;
    for (AlertRule& rule : all.rules)
      for (const AlertTarget& target : all.targets) rule.to.push_back(target.name);
  }
  if (const toml::table* deadman = table["deadman"].as_table()) RG_TRY(readDeadman(file, *deadman, all));
  return all;
}

}  // namespace

AlertOptions defaultAlerts(bool desktop) {
  AlertOptions all;
  if (desktop) all.targets.push_back({.name = "desktop", .command = {}, .webhook = "", .otlp = "", .desktop = true});
  const std::vector<std::string> to = desktop ? std::vector<std::string>{"desktop"} : std::vector<std::string>();
  // An uncertain analysis lowers its severity; "insufficient_evidence" is visible in the console but not sent.
  all.rules.push_back({.name = "uncertain", .findings = {"insufficient_evidence"}, .at_least = Severity::kDebug});
  all.rules.push_back({.name = "findings", .findings = {"*"}, .at_least = Severity::kWarning, .to = to});
  all.rules.push_back({.name = "lost nodes", .events = {"node_lost"}, .at_least = Severity::kError, .hold = 60 * kNsPerSecond, .to = to});
  all.rules.push_back({.name = "full store", .events = {"store_full"}, .at_least = Severity::kError, .to = to});
  return all;
}

Result<AlertOptions> parseAlertRules(std::string_view text, const std::string& name) {
  if (text.size() > kMaxBytes) return Status(Code::kInvalidArgument, "alert rules: " + name + ": larger than 1 MiB");
  try {
    return readTable(toml::parse(text), name);
  } catch (const toml::parse_error& error) {
    return Status(Code::kInvalidArgument,
                  "alert rules: " + name + ": line " + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
  }
}

Result<AlertOptions> readAlertRules(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return Status(Code::kInvalidArgument, "alert rules: " + path + ": cannot be read");
  RG_ASSIGN(AlertOptions options, parseAlertRules(text.str(), path));
  // A header can hold a token, and the address of many chat rooms or monitors is a secret. Without TLS neither is protected.
  const auto is_secret = [](const std::string& url) { return url.starts_with("https://"); };
  const bool secret =
      (options.deadman && is_secret(options.deadman->url)) || std::ranges::any_of(options.targets, [&](const AlertTarget& target) {
        return is_secret(target.webhook) || is_secret(target.otlp) || !target.headers.empty();
      });
  struct stat info {};
  if (secret && (stat(path.c_str(), &info) != 0 || (info.st_mode & 077U) != 0))
    return Status(Code::kPermissionDenied,
                  "alert rules: " + path + ": names addresses or headers of targets, and others can read it; chmod 600 it");
  return options;
}

}  // namespace runglass
