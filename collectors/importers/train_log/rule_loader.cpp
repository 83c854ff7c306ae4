// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/train_log/rule_loader.h"

#include <algorithm>
#include <array>
#include <set>

#include <toml++/toml.h>

#include "model/metric_catalog.h"

namespace runglass::train_log {
namespace {

constexpr std::array<std::pair<std::string_view, PairStyle>, 3> kPairStyles = {
    {{"bars", PairStyle::kBars}, {"words", PairStyle::kWords}, {"json", PairStyle::kJson}}};
constexpr std::array<std::pair<std::string_view, StepFrom>, 6> kStepFrom = {{{"capture", StepFrom::kCapture},
                                                                             {"keys", StepFrom::kKeys},
                                                                             {"epoch", StepFrom::kEpoch},
                                                                             {"epoch_bar", StepFrom::kEpochBar},
                                                                             {"previous", StepFrom::kPrevious},
                                                                             {"count", StepFrom::kCount}}};
constexpr std::array<std::pair<std::string_view, CheckpointPart>, 3> kCheckpointParts = {
    {{"begin", CheckpointPart::kBegin}, {"saved", CheckpointPart::kSaved}, {"loaded", CheckpointPart::kLoaded}}};
constexpr std::array<std::pair<std::string_view, Ending>, 5> kEndings = {{{"finished", Ending::kFinished},
                                                                          {"done", Ending::kDone},
                                                                          {"failed", Ending::kFailed},
                                                                          {"stopped", Ending::kStopped},
                                                                          {"terminated", Ending::kTerminated}}};
constexpr std::array<std::pair<std::string_view, Role>, 18> kRoles = {{{"step", Role::kStep},
                                                                       {"total", Role::kTotal},
                                                                       {"pairs", Role::kPairs},
                                                                       {"key", Role::kKey},
                                                                       {"text", Role::kText},
                                                                       {"path", Role::kPath},
                                                                       {"code", Role::kCode},
                                                                       {"rank", Role::kRank},
                                                                       {"year", Role::kYear},
                                                                       {"month", Role::kMonth},
                                                                       {"day", Role::kDay},
                                                                       {"hour", Role::kHour},
                                                                       {"minute", Role::kMinute},
                                                                       {"second", Role::kSecond},
                                                                       {"fraction", Role::kFraction},
                                                                       {"zone", Role::kZone},
                                                                       {"host", Role::kHost},
                                                                       {"pid", Role::kPid}}};
constexpr std::array<std::pair<std::string_view, FactScope>, 3> kScopes = {
    {{"attempt", FactScope::kAttempt}, {"node", FactScope::kNode}, {"rank", FactScope::kRank}}};
constexpr std::array<std::pair<std::string_view, FactTake>, 3> kTakes = {
    {{"last", FactTake::kLast}, {"first", FactTake::kFirst}, {"all", FactTake::kAll}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kTracebackParts = {{{"first", false}, {"last", true}}};

template <class Table>
auto lookUp(const Table& table, std::string_view name) -> const typename Table::value_type::second_type* {
  const auto it = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.first == name; });
  return it == table.end() ? nullptr : &it->second;
}

// Reads the fields of one TOML table; keeps the first error.
class Fields {
 public:
  Fields(const toml::table& table, std::string where) : m_table(table), m_where(std::move(where)) {}

  std::string text(std::string_view key, std::string_view otherwise = "") {
    const auto* node = take(key);
    if (!node) return std::string(otherwise);
    if (!node->is_string()) return wrong(key, "must be a string"), std::string();
    return node->as_string()->get();
  }
  double number(std::string_view key, double otherwise) {
    const auto* node = take(key);
    if (!node) return otherwise;
    const auto value = node->value<double>();
    if (!value || !node->is_number()) return wrong(key, "must be a number"), otherwise;
    return *value;
  }
  bool flag(std::string_view key) {
    const auto* node = take(key);
    if (node && !node->is_boolean()) wrong(key, "must be true or false");
    return node && node->value_or(false);
  }
  // A string or an array of strings.
  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> out;
    const auto* node = take(key);
    if (!node) return out;
    if (node->is_string()) return {node->as_string()->get()};
    if (!node->is_array()) return wrong(key, "must be a string or an array of strings"), out;
    for (const auto& item : *node->as_array()) {
      if (!item.is_string()) return wrong(key, "must be a string or an array of strings"), out;
      out.push_back(item.as_string()->get());
    }
    return out;
  }
  template <class Table>
  auto choice(std::string_view key, const Table& table) -> typename Table::value_type::second_type {
    const std::string name = text(key);
    if (name.empty()) return {};
    const auto* value = lookUp(table, name);
    if (!value) return wrong(key, "cannot be \"" + name + "\""), typename Table::value_type::second_type{};
    return *value;
  }
  void wrong(std::string_view key, std::string_view why) {
    if (m_status.ok()) m_status = Status(Code::kInvalidArgument, m_where + ": " + std::string(key) + " " + std::string(why));
  }
  // The first error, including unknown fields.
  Status finish() {
    for (const auto& [key, node] : m_table)
      if (!m_taken.contains(std::string(key.str()))) wrong(key.str(), "is not a field of this table");
    return m_status;
  }

 private:
  const toml::node* take(std::string_view key) {
    m_taken.insert(std::string(key));
    return m_table.get(key);
  }

  const toml::table& m_table;
  std::string m_where;
  std::set<std::string> m_taken;
  Status m_status;
};

std::string unitField(Fields& fields) {
  const std::string unit = fields.text("unit");
  if (!unit.empty() && unitOfMetric("x_" + unit) != unit) fields.wrong("unit", "\"" + unit + "\" is not a known unit");
  return unit;
}

void readRecord(Fields& fields, Rule& rule) {
  rule.pairs = fields.choice("pairs", kPairStyles);
  for (const std::string& name : fields.texts("step")) {
    if (const StepFrom* from = lookUp(kStepFrom, name))
      rule.step_from.push_back(*from);
    else
      fields.wrong("step", "cannot be \"" + name + "\"");
  }
  rule.step_keys = fields.texts("step_keys");
  rule.sample_keys = fields.texts("sample_keys");
  if (rule.step_from.empty()) rule.step_from = {StepFrom::kCapture, StepFrom::kKeys};
  rule.name_key = fields.text("name_key");
  rule.value_key = fields.text("value_key");
  rule.time_key = fields.text("time_key");
  if (rule.name_key.empty() != rule.value_key.empty()) fields.wrong("name_key", "needs value_key, and the other way round");
  rule.keep = fields.texts("keep");
  rule.source = fields.text("source");
  rule.prefix = fields.text("prefix");
  rule.unit = unitField(fields);
  rule.scale = fields.number("scale", 1);
  rule.advances = fields.flag("advances");
  rule.split = fields.flag("split");
}

void readEvent(Fields& fields, Rule& rule) {
  rule.event = fields.text("kind");
  if (rule.event.empty()) fields.wrong("kind", "is missing");
  rule.once = fields.flag("once");
  rule.starts = fields.flag("starts");
  rule.checkpoint = fields.choice("checkpoint", kCheckpointParts);
  rule.ends = fields.choice("ends", kEndings);
  rule.code = fields.text("code");
  rule.group = fields.flag("group");
  rule.otherwise = fields.flag("otherwise");
}

void readFact(Fields& fields, Rule& rule) {
  rule.key = fields.text("key");
  rule.text = fields.text("text");
  rule.scope = fields.choice("scope", kScopes);
  rule.take = fields.choice("take", kTakes);
}

void readSeverity(Fields& fields, Rule& rule, std::string_view otherwise) {
  const std::string name = fields.text("severity", otherwise);
  if (const auto severity = severityFromName(name))
    rule.severity = *severity;
  else
    fields.wrong("severity", "cannot be \"" + name + "\"");
}

struct Kind {
  std::string_view table;
  RuleKind kind;
};
// Rules that set a step come before those that need one: a progress bar and the values of its step can be in one line.
constexpr std::array kKinds = {
    Kind{"place", RuleKind::kPlace}, Kind{"process", RuleKind::kProcess},    Kind{"variable", RuleKind::kVariable},
    Kind{"step", RuleKind::kStep},   Kind{"record", RuleKind::kRecord},      Kind{"event", RuleKind::kEvent},
    Kind{"fact", RuleKind::kFact},   Kind{"layout", RuleKind::kLayout},      Kind{"framework", RuleKind::kFramework},
    Kind{"log", RuleKind::kLog},     Kind{"traceback", RuleKind::kTraceback}};

Result<std::pair<Rule, std::string>> readRule(const toml::table& table, RuleKind kind, const std::string& where) {
  Fields fields(table, where);
  Rule rule;
  rule.kind = kind;
  rule.where = where;
  const std::string pattern = fields.text("match");
  if (pattern.empty()) fields.wrong("match", "is missing");
  if (kind == RuleKind::kRecord) readRecord(fields, rule);
  if (kind == RuleKind::kEvent) readEvent(fields, rule);
  if (kind == RuleKind::kEvent || kind == RuleKind::kLog) readSeverity(fields, rule, kind == RuleKind::kLog ? "warning" : "info");
  if (kind == RuleKind::kLog) rule.more_lines = static_cast<int>(std::clamp(fields.number("more_lines", 0), 0.0, 1000.0));
  if (kind == RuleKind::kFact) readFact(fields, rule);
  if (kind == RuleKind::kPlace) {
    rule.lines = static_cast<int>(std::clamp(fields.number("lines", 1), 1.0, 100.0));
    rule.first_failure = fields.flag("first_failure");
  }
  if (kind == RuleKind::kTraceback) rule.last = fields.choice("part", kTracebackParts);
  if (kind == RuleKind::kFramework) {
    rule.name = fields.text("name");
    rule.priority = static_cast<int>(std::clamp(fields.number("priority", 0), -1e6, 1e6));
  }
  RG_TRY(fields.finish());
  return std::pair(std::move(rule), pattern);
}

Result<std::pair<std::string, MetricRule>> readMetric(const toml::table& table, const std::string& where) {
  Fields fields(table, where);
  MetricRule metric;
  const std::string key = fields.text("key");
  if (key.empty()) fields.wrong("key", "is missing");
  metric.name = fields.text("name", key);
  metric.unit = unitField(fields);
  metric.scale = fields.number("scale", 1);
  metric.canonical = fields.text("canonical");
  metric.source = fields.text("source");
  metric.event = fields.text("event");
  metric.above = fields.number("above", metric.above);
  metric.drop = fields.flag("drop");
  RG_TRY(fields.finish());
  return std::pair(key, std::move(metric));
}

// Calls read(table, "FILE: record 2") for every table of the array `name`.
template <class Read>
Status eachTable(const toml::table& root, std::string_view name, const std::string& file, Read&& read) {
  const toml::node* node = root.get(name);
  if (!node) return {};
  const toml::array* array = node->as_array();
  if (!array)
    return Status(Code::kInvalidArgument, file + ": " + std::string(name) + " must be an array of tables: [[" + std::string(name) + "]]");
  int number = 0;
  for (const auto& item : *array) {
    const std::string where = file + ": " + std::string(name) + " " + std::to_string(++number);
    if (!item.is_table()) return Status(Code::kInvalidArgument, where + ": is not a table");
    RG_TRY(read(*item.as_table(), where));
  }
  return {};
}

Status readHead(const toml::table& root, const std::string& name, RuleFile& file) {
  file.name = name;
  for (const auto& [key, node] : root) {
    const bool known = key.str() == "about" || key.str() == "metric" || key.str() == "prefix" ||
                       std::any_of(kKinds.begin(), kKinds.end(), [&](const Kind& kind) { return kind.table == key.str(); });
    if (!known) return Status(Code::kInvalidArgument, name + ": unknown table " + std::string(key.str()));
  }
  const toml::node* about = root.get("about");
  if (!about) return {};
  if (!about->is_table()) return Status(Code::kInvalidArgument, name + ": about must be a table");
  Fields fields(*about->as_table(), name + ": about");
  file.framework = fields.text("framework");
  file.generic = fields.flag("generic");
  file.priority = static_cast<int>(std::clamp(fields.number("priority", 0), -1e6, 1e6));
  return fields.finish();
}

Status readAll(const toml::table& root, const std::string& name, LoadedRules& out) {
  RG_TRY(readHead(root, name, out.file));
  RG_TRY(eachTable(root, "metric", name, [&](const toml::table& table, const std::string& where) -> Status {
    RG_ASSIGN(auto metric, readMetric(table, where));
    out.file.metrics[metric.first] = std::move(metric.second);
    return {};
  }));
  for (const Kind& kind : kKinds)
    RG_TRY(eachTable(root, kind.table, name, [&](const toml::table& table, const std::string& where) -> Status {
      RG_ASSIGN(auto rule, readRule(table, kind.kind, where));
      out.rules.push_back(std::move(rule));
      return {};
    }));
  return eachTable(root, "prefix", name, [&](const toml::table& table, const std::string& where) -> Status {
    RG_ASSIGN(auto rule, readRule(table, RuleKind::kVariable, where));
    out.prefixes.push_back(std::move(rule));
    return {};
  });
}
}  // namespace

Role roleOf(std::string_view capture) {
  const Role* role = lookUp(kRoles, capture);
  return role ? *role : Role::kValue;
}

Result<LoadedRules> loadRules(const std::string& name, std::string_view toml) {
  try {
    LoadedRules out;
    RG_TRY(readAll(toml::parse(toml, name), name, out));
    return out;
  } catch (const toml::parse_error& error) {
    const auto& at = error.source().begin;
    return Status(Code::kInvalidArgument, name + ": line " + std::to_string(at.line) + ": " + std::string(error.description()));
  }
}

}  // namespace runglass::train_log
