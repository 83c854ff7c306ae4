// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A line is handled once, when it is finished; lines that begin before resume_at change state but record nothing.
// 2. m_state, m_said_once and m_file_step describe the open attempt only: openAttempt() clears them.
// 3. Only lines of a rule's owner (the first rank that printed it) can open an attempt.
#include "collectors/importers/train_log/log_session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>

namespace runglass::train_log {
namespace {
constexpr std::int64_t kMaxEventsPerRule = 2000;
constexpr std::int64_t kMaxLogLines = 5000;
constexpr std::size_t kMaxMessage = 500, kMaxLogText = 4096, kMaxName = 200, kMaxFact = 2048;
constexpr std::size_t kMaxNodes = 4096;

// Valid UTF-8 without control characters, at most `most` bytes: what came from a log is shown on screens and in reports.
std::string cleanText(std::string_view text, std::size_t most) {
  std::string out;
  text = trimmed(text);
  for (std::size_t i = 0; i < text.size() && out.size() < most;) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t want = c < 0x80 ? 1 : (c >= 0xC2 && c < 0xE0) ? 2 : (c >= 0xE0 && c < 0xF0) ? 3 : (c >= 0xF0 && c < 0xF5) ? 4 : 0;
    bool good = want != 0 && i + want <= text.size();
    for (std::size_t k = 1; good && k < want; ++k) good = (static_cast<unsigned char>(text[i + k]) & 0xC0) == 0x80;
    if (good && c == 0xE0) good = static_cast<unsigned char>(text[i + 1]) >= 0xA0;
    if (good && c == 0xED) good = static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (good && c == 0xF0) good = static_cast<unsigned char>(text[i + 1]) >= 0x90;
    if (good && c == 0xF4) good = static_cast<unsigned char>(text[i + 1]) < 0x90;
    if (!good) {
      out += "\xEF\xBF\xBD";
      ++i;
    } else if (want == 1) {
      out += c < 0x20 || c == 0x7F ? ' ' : text[i];
      ++i;
    } else {
      out.append(text.substr(i, want));
      i += want;
    }
  }
  return out;
}

bool saysNothing(std::string_view text) { return text.empty() || text == "N/A" || text == "None" || text == "null" || text == "-"; }

std::string labelsOf(const std::string& canonical, bool samples) {
  std::string out;
  if (!canonical.empty()) out += "\"canonical\":\"" + canonical + "\"";
  if (samples) out += std::string(out.empty() ? "" : ",") + "\"x\":\"samples\"";
  return out.empty() ? out : "{" + out + "}";
}
}  // namespace

LogSession::LogSession(std::shared_ptr<const RuleSet> rules, SessionOptions options)
    : m_rules(std::move(rules)), m_options(std::move(options)), m_run(m_options.run_name, m_options.attempt_key, m_options.live) {
  m_recording = m_options.resume_at == 0;
  for (const std::string& problem : m_rules->problems()) addIssue("train_log.bad_rule", problem);
}

void LogSession::push(std::string_view bytes, Recorder& out) {
  m_lines.push(bytes, [&](std::string_view line, std::uint64_t offset) { onLine(line, offset, out); });
}

void LogSession::onLine(std::string_view raw, std::uint64_t offset, Recorder& out) {
  if (raw.empty()) return;
  if (const bool recording = offset >= m_options.resume_at; recording != m_recording) {
    m_recording = recording;
    m_long_before = m_lines.longLines();
    m_refused_before = m_points.refused();
  }
  if (std::memchr(raw.data(), '\x1b', raw.size())) {
    stripAnsi(raw, m_clean);
    raw = m_clean;
  }
  m_rules->match(raw, m_scratch);
  if (!m_scratch.matches.empty() || m_log_more > 0) {
    Line line{raw, m_rules->prefixOf(raw), {}, m_recording};
    m_run.setRecording(line.record);
    if (line.prefix.time) line.time = timeOf(*line.prefix.time);
    for (const Match& match : m_scratch.matches)
      if (const auto printed = printedTime(match)) line.time = timeOf(*printed);
    if (!line.time) line.time = nearTime();
    if (!line.time) line.time = m_arrival;
    if (line.time && !m_scratch.matches.empty()) stamp(*line.time);
    const bool goes_on = m_log_more > 0;
    for (const Match& match : m_scratch.matches) apply(match, line, out);
    if (goes_on && m_log_more > 0) {
      --m_log_more;
      onLog(raw, m_log_severity, line, out);
    }
  }
  remember(raw);
}

void LogSession::apply(const Match& match, const Line& line, Recorder& out) {
  const Rule& rule = *match.rule;
  switch (rule.kind) {
    case RuleKind::kRecord:
      m_run.framework(m_rules->files()[rule.file].framework, m_rules->files()[rule.file].priority);
      return rule.name_key.empty() ? onRecord(match, line, out) : onNamed(match, line, out);
    case RuleKind::kEvent:
      return onEvent(match, line, out);
    case RuleKind::kLayout:
      return onLayout(match);
    case RuleKind::kFramework:
      return m_run.framework(rule.name, rule.priority);
    case RuleKind::kFact: {
      const std::string key = cleanText(match.group(Role::kKey), kMaxName);
      if (!key.empty() && !looksSecret(key)) m_run.fact(key, cleanText(match.group(Role::kText), kMaxFact));
      return;
    }
    case RuleKind::kVariable:
      for (std::size_t i = 0; i < rule.captures.size(); ++i)
        if (const auto value = parseInteger(match.groups[i])) m_variables[rule.captures[i].name] = static_cast<double>(*value);
      return;
    case RuleKind::kStep:
      if (const auto step = parseInteger(match.group(Role::kStep))) m_file_step[rule.file] = *step;
      if (const auto total = parseInteger(match.group(Role::kTotal))) m_variables["total_steps"] = static_cast<double>(*total);
      return;
    case RuleKind::kLog:
      m_log_more = rule.more_lines + (m_log_more > 0 ? 1 : 0);  // the line itself is logged here, not as a follower
      m_log_severity = rule.severity;
      if (m_log_more > rule.more_lines) --m_log_more;
      return onLog(line.text, rule.severity, line, out);
  }
}

// The rank whose lines stand for the whole run: the first that printed this kind of line in this attempt.
bool LogSession::ownerOf(const Rule& rule, const std::optional<std::int32_t>& rank) {
  RuleState& state = m_state[&rule];
  if (!state.owned) {
    state.owned = true;
    state.owner = rank;
  }
  return state.owner == rank;
}

std::optional<double> LogSession::number(std::string_view key) const {
  for (const Pair& pair : m_pairs)
    if (pair.key == key)
      if (const auto quantity = parseQuantity(pair.text)) return quantity->value;
  return std::nullopt;
}

std::optional<LogSession::Step> LogSession::stepOf(const Match& match) {
  const Rule& rule = *match.rule;
  const auto whole = [](std::optional<double> value) -> std::optional<std::int64_t> {
    if (!value || !(std::abs(*value) < 9e15)) return std::nullopt;
    return std::llround(*value);
  };
  for (const StepFrom from : rule.step_from) {
    std::optional<std::int64_t> step;
    if (from == StepFrom::kCapture) step = parseInteger(match.group(Role::kStep));
    if (from == StepFrom::kKeys) {
      for (const std::string& key : rule.step_keys)
        if (!step) step = whole(number(key));
      for (const std::string& key : rule.sample_keys)
        if (!step)
          if (const auto samples = whole(number(key))) return Step{*samples, true};
    }
    if (from == StepFrom::kEpoch) {
      const auto epochs = m_variables.find("num_epochs"), total = m_variables.find("total_steps");
      const auto epoch = number("epoch");
      if (epoch && epochs != m_variables.end() && total != m_variables.end() && epochs->second > 0)
        step = whole(*epoch / epochs->second * total->second);
    }
    if (from == StepFrom::kPrevious)
      if (const auto it = m_file_step.find(rule.file); it != m_file_step.end()) step = it->second;
    if (from == StepFrom::kCount) step = m_state[&rule].count + 1;
    if (step) return Step{*step, false};
  }
  return std::nullopt;
}

void LogSession::stamp(TimeNs time) {
  m_run.stamp(time);
  m_end_time = std::max(m_end_time.value_or(time), time);
}

void LogSession::openAttempt(Recorder& out) {
  m_state.clear();
  m_said_once.clear();
  m_file_step.clear();
  m_points.open(m_run.attempt(out), out);
}

// For records whose steps say nothing about restarts. True when an attempt was opened.
bool LogSession::beginIfNeeded(std::int64_t step, Recorder& out) {
  if (m_run.waiting())
    m_run.record(step, std::nullopt, false, out);
  else if (m_run.exists())
    return false;
  openAttempt(out);
  return true;
}

void LogSession::onRecord(const Match& match, const Line& line, Recorder& out) {
  const Rule& rule = *match.rule;
  m_pairs.clear();
  for (std::size_t i = 0; i < rule.captures.size(); ++i)
    if (rule.captures[i].role == Role::kValue && !rule.captures[i].name.empty() && match.groups[i].data())
      m_pairs.push_back({rule.captures[i].name, std::string(trimmed(match.groups[i]))});
  const std::string_view text = match.group(Role::kPairs).data() ? match.group(Role::kPairs) : line.text;
  readPairs(rule.pairs, text, m_pairs);

  const auto step = stepOf(match);
  if (!step) {
    if (!m_pairs.empty()) addIssue("train_log.no_step", cleanText(line.text, 120));
    return;
  }
  std::optional<std::int64_t> total = parseInteger(match.group(Role::kTotal));
  if (total) m_variables["total_steps"] = static_cast<double>(*total);
  const bool owner = ownerOf(rule, line.prefix.rank);
  if (rule.advances && owner) {
    const auto last = m_state[&rule].last_step;
    if (m_run.record(step->value, total, last && step->value < *last, out)) {
      openAttempt(out);
      ownerOf(rule, line.prefix.rank);
    }
  } else if (beginIfNeeded(step->value, out)) {
    ownerOf(rule, line.prefix.rank);
  }
  if (line.time) stamp(*line.time);
  RuleState& state = m_state[&rule];
  if (owner) {
    const bool again = rule.split && state.last_step == step->value;
    if (!again)
      state.repeats = 0;
    else if (state.last_text != text)
      ++state.repeats;
    if (rule.split) state.last_text = text;
    state.last_step = step->value;
    ++state.count;
  }
  if (!step->samples) m_file_step[rule.file] = step->value;
  ++m_records;
  const std::vector<Pair> pairs = std::move(m_pairs);
  for (const Pair& pair : pairs) onValue(rule, pair, step->value, step->samples, line, out);
}

// Lines that carry one named value (MLPerf): {"key": "train_loss", "value": 1.2, "time_ms": ..., "metadata": {"step": 3}}.
void LogSession::onNamed(const Match& match, const Line& line, Recorder& out) {
  const Rule& rule = *match.rule;
  m_pairs.clear();
  readPairs(rule.pairs, match.group(Role::kPairs).data() ? match.group(Role::kPairs) : line.text, m_pairs);
  std::string name;
  std::vector<Pair> values;
  Line here = line;
  for (const Pair& pair : m_pairs) {
    if (pair.key == rule.name_key) name = pair.text;
    if (pair.key == rule.time_key)
      if (const auto time = parseQuantity(pair.text); time && std::abs(time->value) < 9.2e12)
        here.time = std::llround(time->value) * kNsPerMs;
  }
  if (here.time) stamp(*here.time);
  std::string metric;
  for (const Pair& pair : m_pairs) {
    if (pair.key == rule.value_key)
      values.push_back({name, pair.text});
    else if (pair.key.size() > rule.value_key.size() && pair.key.starts_with(rule.value_key) && pair.key[rule.value_key.size()] == '.')
      values.push_back({pair.key.substr(rule.value_key.size() + 1), pair.text});
    else if (std::find(rule.keep.begin(), rule.keep.end(), pair.key) != rule.keep.end())
      values.push_back({pair.key.substr(pair.key.rfind('.') + 1), pair.text});
    else if (pair.key == "metadata.metric")
      metric = pair.text;
  }
  const auto step = stepOf(match);
  for (Pair& pair : values) {
    if (!step) {  // a setting, not a measurement
      if (!pair.key.empty() && !saysNothing(pair.text) && pair.key == name)
        m_run.fact(cleanText(name, kMaxName), cleanText(pair.text, kMaxFact));
      continue;
    }
    if (!parseQuantity(pair.text)) continue;
    beginIfNeeded(step->value, out);
    ++m_records;
    if (!metric.empty() && pair.key == name) pair.key += "/" + metric;
    onValue(rule, pair, step->value, step->samples, here, out);
  }
}

void LogSession::onValue(const Rule& rule, const Pair& pair, std::int64_t step, bool samples, const Line& line, Recorder& out) {
  if (std::find(rule.step_keys.begin(), rule.step_keys.end(), pair.key) != rule.step_keys.end()) return;
  if (rule.name_key.empty() && !rule.keep.empty() && std::find(rule.keep.begin(), rule.keep.end(), pair.key) == rule.keep.end()) return;
  const auto& metrics = m_rules->files()[rule.file].metrics;
  const auto known = metrics.find(pair.key);
  const MetricRule* metric = known == metrics.end() ? nullptr : &known->second;
  if (metric && metric->drop) return;
  const auto quantity = parseQuantity(pair.text);
  if (!quantity) {
    if (metric && !saysNothing(pair.text)) addIssue("train_log.unreadable_value", cleanText(pair.key + ": " + pair.text, 120));
    return;
  }
  SeriesKey key;
  key.metric = cleanText(rule.prefix + (metric ? metric->name : pair.key), kMaxName);
  key.source = sourceOf(metric && !metric->source.empty() ? metric->source : rule.source);
  key.labels = labelsOf(metric ? metric->canonical : "", samples);
  key.unit = quantity->unit;
  double value = quantity->value;
  if (quantity->unit.empty()) {  // a unit printed with the number wins
    value *= metric && metric->scale != 1 ? metric->scale : rule.scale;
    key.unit = metric && !metric->unit.empty() ? metric->unit : rule.unit;
  }
  const RuleState& state = m_state[&rule];
  if (state.repeats > 0) key.source += "#" + std::to_string(state.repeats + 1);
  const bool owner = state.owner == line.prefix.rank || !state.owned;
  m_points.add(key, owner, line.prefix.rank, {step, line.time, value, line.record}, out);

  if (!metric || !owner) return;
  const bool non_finite = !std::isfinite(value) && (metric->canonical == "loss" || metric->canonical == "grad_norm");
  if (!non_finite && (metric->event.empty() || !(value > metric->above))) return;
  Event event;
  event.kind = non_finite ? "non_finite" : metric->event;
  event.severity = non_finite ? Severity::kWarning : Severity::kInfo;
  event.step = step;
  event.message = cleanText(pair.key + ": " + pair.text, kMaxMessage);
  if (++m_event_count[&rule] <= kMaxEventsPerRule)
    say(std::move(event), line, out);
  else
    addIssue("train_log.too_many_events", rule.where);
}

void LogSession::say(Event event, const Line& line, Recorder& out) {
  event.time = line.time;
  event.rank = line.prefix.rank;
  event.node = nodeOf(line.prefix.host, out);
  m_run.event(std::move(event), out);
}

void LogSession::onEvent(const Match& match, const Line& line, Recorder& out) {
  const Rule& rule = *match.rule;
  if (!m_run.exists()) openAttempt(out);
  if (rule.once && !m_said_once.emplace(&rule, line.prefix.rank.value_or(-1)).second) return;
  if (rule.starts) m_run.starts(out);
  Event event;
  event.kind = rule.event;
  event.severity = rule.severity;
  event.code = cleanText(match.group(Role::kCode), kMaxName);
  event.step = parseInteger(match.group(Role::kStep));
  if (!event.step && !rule.starts)
    if (const auto it = m_file_step.find(rule.file); it != m_file_step.end()) event.step = it->second;
  event.message = cleanText(line.text, kMaxMessage);
  const std::optional<std::int64_t> step = event.step;
  if (++m_event_count[&rule] > kMaxEventsPerRule) return addIssue("train_log.too_many_events", rule.where);
  say(std::move(event), line, out);
  if (rule.ends == Ending::kFinished) m_run.ended(RunBuilder::End::kFinished, rule.event);
  if (rule.ends == Ending::kFailed) m_run.ended(RunBuilder::End::kFailed, rule.event);
  if (rule.ends == Ending::kStopped) m_run.ended(RunBuilder::End::kStopped, rule.event);
  if (rule.checkpoint == CheckpointPart::kLoaded && step) m_run.resumedFrom(*step);
  if (rule.checkpoint == CheckpointPart::kBegin || rule.checkpoint == CheckpointPart::kSaved) {
    if (!step) return;
    Checkpoint checkpoint;
    checkpoint.step = *step;
    checkpoint.path = cleanText(match.group(Role::kPath), kMaxFact);
    (rule.checkpoint == CheckpointPart::kBegin ? checkpoint.begin : checkpoint.durable) = line.time;
    m_run.checkpoint(std::move(checkpoint), out);
  }
}

// Captures are named as the sizes of Layout; dp_shard multiplies dp.
void LogSession::onLayout(const Match& match) {
  Layout layout = m_run.layout();
  std::int32_t shard = 0;
  const std::pair<std::string_view, std::int32_t*> fields[] = {{"world", &layout.world}, {"tp", &layout.tp},  {"pp", &layout.pp},
                                                               {"dp", &layout.dp},       {"cp", &layout.cp},  {"ep", &layout.ep},
                                                               {"vpp", &layout.vpp},     {"dp_shard", &shard}};
  for (std::size_t i = 0; i < match.rule->captures.size(); ++i)
    for (const auto& [name, field] : fields)
      if (match.rule->captures[i].name == name)
        if (const auto value = parseInteger(match.groups[i]); value && *value > 0 && *value < (1 << 24))
          *field = static_cast<std::int32_t>(*value);
  if (shard > 0) layout.dp = std::max(layout.dp, 1) * shard;
  m_run.layout(layout);
}

void LogSession::onLog(std::string_view text, Severity severity, const Line& line, Recorder& out) {
  if (!line.record) return;
  if (++m_logs > kMaxLogLines) return addIssue("train_log.too_many_log_lines", cleanText(text, 120));
  const bool fresh = !m_run.exists();
  LogLine log;
  log.time = line.time;
  log.attempt = m_run.attempt(out);
  if (fresh) openAttempt(out);
  log.node = nodeOf(line.prefix.host, out);
  log.rank = line.prefix.rank;
  log.stream = m_options.stream;
  log.severity = severity;
  log.text = cleanText(text, kMaxLogText);
  if (!log.text.empty()) out.log(log);
}

NodeId LogSession::nodeOf(std::string_view host, Recorder& out) {
  if (host.empty()) return m_options.node;
  std::string name = cleanText(host, kMaxName);
  if (const auto it = m_nodes.find(name); it != m_nodes.end()) return it->second;
  if (m_nodes.size() >= kMaxNodes) return m_options.node;
  Node node;
  node.uuid = "name:" + name;
  node.name = name;
  return m_nodes[name] = out.node(node);
}

std::optional<TimeNs> LogSession::utc(const PrintedTime& printed) {
  using namespace std::chrono;
  const year_month_day date{year{printed.year}, month{static_cast<unsigned>(printed.month)}, day{static_cast<unsigned>(printed.day)}};
  if (!date.ok() || printed.year > 2200) return std::nullopt;
  const std::int64_t days = sys_days{date}.time_since_epoch().count();
  const std::int64_t minutes = (days * 24 + printed.hour) * 60 + printed.minute - printed.zone_minutes.value_or(0);
  return (minutes * 60 + printed.second) * kNsPerSecond + printed.nanosecond;
}

std::optional<TimeNs> LogSession::timeOf(const PrintedTime& printed) {
  const auto time = utc(printed);
  if (!time || printed.zone_minutes) return time;
  if (m_options.live) {
    std::tm local{};
    local.tm_year = printed.year - 1900;
    local.tm_mon = printed.month - 1;
    local.tm_mday = printed.day;
    local.tm_hour = printed.hour;
    local.tm_min = printed.minute;
    local.tm_sec = printed.second;
    local.tm_isdst = -1;
    return std::int64_t{std::mktime(&local)} * kNsPerSecond + printed.nanosecond;
  }
  addIssue("train_log.no_time_zone", "times such as " + std::to_string(printed.year) + "-" + std::to_string(printed.month) + "-" +
                                         std::to_string(printed.day) + " " + std::to_string(printed.hour) + ":" +
                                         std::to_string(printed.minute));
  return time;
}

// The time of the nearest of the last lines that printed one.
std::optional<TimeNs> LogSession::nearTime() {
  for (std::size_t back = 1; back <= kNearLines; ++back) {
    const std::size_t at = (m_near_at + kNearLines - back) % kNearLines;
    if (m_near_size[at] == 0) continue;
    const LinePrefix prefix = m_rules->prefixOf({m_near[at].data(), m_near_size[at]});
    if (prefix.time) return timeOf(*prefix.time);
    m_near_size[at] = 0;  // has none: need not be asked again
  }
  return std::nullopt;
}

void LogSession::remember(std::string_view line) {
  const std::size_t size = std::min(line.size(), kNearBytes);
  std::memcpy(m_near[m_near_at].data(), line.data(), size);
  m_near_size[m_near_at] = static_cast<std::uint8_t>(size);
  m_near_at = (m_near_at + 1) % kNearLines;
}

std::string LogSession::sourceOf(const std::string& sub) const {
  if (m_options.source.empty() || sub.empty()) return m_options.source + sub;
  return m_options.source + "/" + sub;
}

void LogSession::addIssue(const std::string& code, std::string detail, std::int64_t count) {
  if (!m_recording) return;
  IssueNote& issue = m_issues[code];
  if (issue.count == 0) issue.detail = std::move(detail);
  issue.count += count;
}

std::map<std::string, LogSession::IssueNote> LogSession::issues() const {
  auto all = m_issues;
  if (!m_recording) return all;
  if (m_lines.longLines() > m_long_before)
    all["train_log.long_line"] = {m_lines.longLines() - m_long_before, std::to_string(m_lines.skippedBytes()) + " bytes skipped"};
  if (m_points.refused() > m_refused_before)
    all["train_log.too_many_series"] = {m_points.refused() - m_refused_before,
                                        "more than " + std::to_string(PointBook::kMaxSeries) + " series"};
  if (m_run.refused() > 0)
    all["train_log.too_many_restarts"] = {m_run.refused(), "more than " + std::to_string(RunBuilder::kMaxAttempts) + " restarts"};
  return all;
}

void LogSession::flush(Recorder& out) {
  m_points.flush(out);
  m_run.flush(out, false);
}

void LogSession::startOver() {
  if (m_lines.longLines() > m_long_before)
    addIssue("train_log.long_line", "before the file was replaced", m_lines.longLines() - m_long_before);
  m_lines = LineSplitter();
  m_long_before = 0;
  m_options.resume_at = 0;
  m_near_size.fill(0);
  m_log_more = 0;
}

bool LogSession::cutRecord() {
  stripAnsi(m_lines.partial(), m_clean);
  m_rules->match(m_clean, m_scratch);
  return std::any_of(m_scratch.matches.begin(), m_scratch.matches.end(),
                     [](const Match& match) { return match.rule->kind == RuleKind::kRecord; });
}

void LogSession::finish(Recorder& out) {
  m_points.finish(out);
  m_run.flush(out, true);
}

}  // namespace runglass::train_log
