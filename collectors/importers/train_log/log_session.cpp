// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A line is processed once, when it is complete; lines that begin before resume_at change state but record nothing.
// 2. m_state, m_said_once, m_file_step and m_step belong to the open attempt only: openAttempt() clears them.
// 3. Only lines of a rule's owner (the first rank that printed it) can open an attempt.
#include "collectors/importers/train_log/log_session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "collectors/importers/train_log/log_text.h"
#include "collectors/text/wall_stamp.h"

namespace runglass::train_log {
namespace {
constexpr std::size_t kMaxNodes = 4096;
constexpr DurNs kTellRepeatsEvery = 60 * kNsPerSecond;  // interval for repeats in a tailed log
constexpr int kBurstLines = 200;
constexpr DurNs kRefillEvery = 600 * kNsPerSecond;  // interval of refilling the limits in a tailed log

// Zones are multiples of a quarter hour; neighbouring lines are written within seconds. Absent: the times are not of the same moment.
std::optional<DurNs> zoneBetween(TimeNs bare, TimeNs absolute) {
  constexpr DurNs kQuarter = 900 * kNsPerSecond, kApart = 30 * kNsPerSecond, kFarthest = 14LL * 3600 * kNsPerSecond;
  const DurNs ahead = bare - absolute;
  const DurNs zone = (ahead + (ahead < 0 ? -kQuarter : kQuarter) / 2) / kQuarter * kQuarter;
  return std::abs(ahead - zone) <= kApart && std::abs(zone) <= kFarthest ? std::optional(zone) : std::nullopt;
}
}  // namespace

LogSession::LogSession(std::shared_ptr<const RuleSet> rules, SessionOptions options)
    : m_rules(std::move(rules)),
      m_options(std::move(options)),
      m_run(m_options.run_name, m_options.attempt_key, m_options.live, m_options.guest) {
  m_recording = m_options.resume_at == 0;
  for (const std::string& problem : m_rules->problems()) addIssue("train_log.bad_rule", problem);
}

void LogSession::push(std::string_view bytes, Recorder& out) {
  m_lines.push(bytes, [&](std::string_view line, std::uint64_t offset) { onLine(line, offset, out); });
}

void LogSession::onLine(std::string_view raw, std::uint64_t offset, Recorder& out) {
  // Many zeros are the gap in a log that was truncated while being written, or that lost a block in a crash: the line begins after them.
  static constexpr char kZeros[64] = {};
  if (const std::size_t hole = raw.rfind({kZeros, sizeof kZeros}); hole != std::string_view::npos) raw.remove_prefix(hole + sizeof kZeros);
  raw.remove_prefix(std::min(raw.find_first_not_of('\0'), raw.size()));
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
  m_reported_by = 0;
  m_generic_read = false;
  m_known = m_known || isKnown(raw, m_scratch.matches);
  if (m_burst.second > 0) --m_burst.second;
  if (m_place.lines > 0) --m_place.lines;
  if (!m_scratch.matches.empty() || m_log_more > 0 || !m_tracebacks.empty()) {
    Line line{.text = raw, .prefix = m_rules->prefixOf(raw), .record = m_recording};
    findPlace(line);
    m_run.setRecording(line.record);
    for (const Match& match : m_scratch.matches)
      if (const auto absolute = absoluteTime(match, raw)) line.time = absolute;
    for (const Match& match : m_scratch.matches)
      if (const auto printed = printedTime(match); printed && !line.time) line.time = timeOf(*printed);
    if (!line.time && line.prefix.time) line.time = timeOf(*line.prefix.time);
    if (!line.time) line.time = nearTime();
    // Of ranks that fail together, those behind long stacks do not sort before the first, as lines without a time do.
    if (!line.time && m_burst.second > 0 && std::ranges::none_of(m_scratch.matches, isRecord)) line.time = m_burst.first;
    if (!line.time) line.time = m_arrival, line.arrived = true;
    if (line.time && !m_scratch.matches.empty()) stamp(*line.time);
    const bool goes_on = m_log_more > 0;
    for (const Match& match : m_scratch.matches) apply(match, line, out);
    if (goes_on && m_log_more > 0) {
      --m_log_more;
      onLog(m_log_severity, line, out);
    }
    const auto warns = [](const Match& match) {
      return match.rule->kind == RuleKind::kEvent && match.rule->severity >= Severity::kWarning;
    };
    if (!m_scratch.matches.empty() && !goes_on && !isFailure(line) && std::ranges::none_of(m_scratch.matches, warns)) ++m_other_lines;
    followTraceback(line, out);
    if (line.time && !line.arrived && isFailure(line)) m_burst = {line.time, kBurstLines};
  } else if (!trimmed(raw).empty()) {
    onOtherLine(trimmed(raw));
  }
  remember(raw);
}

void LogSession::apply(const Match& match, Line& line, Recorder& out) {
  const Rule& rule = *match.rule;
  switch (rule.kind) {
    case RuleKind::kRecord:
      if (m_rules->files()[rule.file].generic) {
        if (m_known || std::exchange(m_generic_read, true)) return;
        addIssue("train_log.generic", cleanText(line.text, 120));
      }
      surviveLoneErrors(out);
      m_went_on = m_saving = false;
      ++m_other_lines;
      m_run.framework(m_rules->files()[rule.file].framework, m_rules->files()[rule.file].priority);
      return rule.name_key.empty() ? onRecord(match, line, out) : onNamed(match, line, out);
    case RuleKind::kEvent:
      if (rule.otherwise && m_reported_by == rule.file + 1) return;
      m_reported_by = rule.file + 1;
      line.reported = true;
      return onEvent(match, line, out);
    case RuleKind::kPlace:
    case RuleKind::kProcess:
      return learnPlace(match, line, out);
    case RuleKind::kTraceback:
      return onTraceback(match, line, out);
    case RuleKind::kLayout:
      return onLayout(match);
    case RuleKind::kFramework:
      return m_run.framework(rule.name, rule.priority);
    case RuleKind::kFact:
      return onFact(match, line, out);
    case RuleKind::kVariable:
      for (std::size_t i = 0; i < rule.captures.size(); ++i)
        if (const auto value = parseInteger(match.groups[i])) m_variables[rule.captures[i].name] = static_cast<double>(*value);
      return;
    case RuleKind::kStep:
      if (const auto step = parseInteger(match.group(Role::kStep))) m_file_step[rule.file] = m_step.emplace(*step);
      if (const auto total = parseInteger(match.group(Role::kTotal))) m_variables["total_steps"] = static_cast<double>(*total);
      return onBar(match, line, out);
    case RuleKind::kLog:
      m_log_more = rule.more_lines + (m_log_more > 0 ? 1 : 0);  // the line itself is logged here, not as a follower
      m_log_severity = rule.severity;
      if (m_log_more > rule.more_lines) --m_log_more;
      return onLog(rule.severity, line, out);
  }
}

// The rank whose lines represent the whole run: the first that printed this kind of line in this attempt.
bool LogSession::ownerOf(const Rule& rule, const std::optional<std::int32_t>& rank) {
  RuleState& state = m_state[&rule];
  if (!state.owned) {
    state.owned = true;
    state.owner = rank;
  }
  return state.owner == rank;
}

void LogSession::stamp(TimeNs time) {
  m_run.stamp(time);
  m_end_time = std::max(m_end_time.value_or(time), time);
}

void LogSession::openAttempt(Recorder& out) {
  m_state.clear();
  m_said_once.clear();
  m_file_step.clear();
  m_step.reset();
  m_pace.pause();
  m_bar_step.reset();
  m_pace_rule = nullptr;
  m_points.open(m_run.attempt(out), out);
}

// Captures have the names of Layout's sizes; dp_shard multiplies dp.
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

// Programs print the name up to its first dot, or all of it.
bool LogSession::isHere(std::string_view host) const {
  const std::string_view here = m_options.node_name;
  return !here.empty() && host.substr(0, host.find('.')) == here.substr(0, here.find('.'));
}

NodeId LogSession::nodeOf(std::string_view host, Recorder& out) {
  if (host.empty() || isHere(host)) return m_options.node;
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
  if (!date.ok() || printed.year < 1970 || printed.year > 2200) return std::nullopt;
  const std::int64_t days = sys_days{date}.time_since_epoch().count();
  const std::int64_t minutes = (days * 24 + printed.hour) * 60 + printed.minute - printed.zone_minutes.value_or(0);
  return (minutes * 60 + printed.second) * kNsPerSecond + printed.nanosecond;
}

std::optional<TimeNs> LogSession::timeOf(const PrintedTime& printed) {
  const bool yearless = printed.year == 0;
  PrintedTime dated = printed;
  if (yearless) dated.year = 2000;
  auto time = utc(dated);
  if (!time) return std::nullopt;
  const auto shown = [&] {
    return "times such as " + (yearless ? std::string() : std::to_string(printed.year) + "-") + std::to_string(printed.month) + "-" +
           std::to_string(printed.day) + " " + std::to_string(printed.hour) + ":" + std::to_string(printed.minute);
  };
  if (yearless) {
    constexpr DurNs kHalfYear = 182LL * 24 * 3600 * kNsPerSecond;
    const auto written = m_options.live ? std::optional(m_arrival.value_or(wallNow())) : m_options.modified;
    // The year nearest to the dated lines of the same log, since the file may have been copied later.
    const auto reference = m_dated ? std::optional(*m_dated + kHalfYear) : written;
    if (!reference) return std::nullopt;
    time = inAssumedYear(*time, *reference);
    if (!m_options.live) addIssue("train_log.no_year", shown());
  } else {
    m_dated = time;
  }
  if (printed.zone_minutes) return time;
  if (m_options.live) return fromLocalClock(*time);
  if (m_zone) return *time - *m_zone;
  addIssue("train_log.no_time_zone", shown());
  return time;
}

// Milliseconds since 1970 in a record, as MLPerf prints them.
std::optional<TimeNs> LogSession::absoluteTime(const Match& match, std::string_view line) {
  const Rule& rule = *match.rule;
  if (rule.time_key.empty()) return std::nullopt;
  m_pairs.clear();
  readPairs(rule.pairs, match.group(Role::kPairs).data() ? match.group(Role::kPairs) : line, m_pairs);
  const auto ms = number(rule.time_key);
  return ms && std::abs(*ms) < 9.2e12 ? std::optional(std::llround(*ms) * kNsPerMs) : std::nullopt;
}

// A record of a known format that has a loss: those without one leave the loss to the generic rule.
bool LogSession::isKnown(std::string_view line, const std::vector<Match>& matches) const {
  constexpr std::string_view kLoss = "loss";
  const auto folded = [](char a, char b) { return (a | 0x20) == b; };
  return std::ranges::any_of(matches, [&](const Match& match) { return isRecord(match) && !m_rules->files()[match.rule->file].generic; }) &&
         (!std::ranges::search(line, kLoss, folded).empty() || line.find("损失") != std::string_view::npos);
}

bool LogSession::isFailure(const Line& line) const {
  return (line.logged && m_log_severity >= Severity::kError) || std::ranges::any_of(m_scratch.matches, [](const Match& match) {
           return match.rule->kind == RuleKind::kTraceback ||
                  (match.rule->kind == RuleKind::kEvent && match.rule->severity >= Severity::kError);
         });
}

bool LogSession::lookAhead(std::string_view head) {
  m_ahead.lines.push(head, [&](std::string_view line, std::uint64_t) { lookAtLine(line); });
  return m_known && (m_zone || !m_ahead.absolute);
}

void LogSession::lookAtLine(std::string_view line) {
  stripAnsi(line, m_clean);
  m_rules->match(m_clean, m_scratch);
  m_known = m_known || isKnown(m_clean, m_scratch.matches);
  ++m_ahead.back;
  if (const auto printed = m_rules->prefixOf(m_clean).time; printed && printed->year != 0) {
    if (!m_dated) m_dated = utc(*printed);
    if (!printed->zone_minutes) m_ahead.bare = utc(*printed), m_ahead.back = 0;
  }
  std::optional<TimeNs> absolute;
  for (const Match& match : m_scratch.matches)
    if (const auto time = absoluteTime(match, m_clean)) absolute = time;
  if (!absolute) return;
  m_dated = absolute;
  const auto before = std::exchange(m_ahead.absolute, absolute);
  const auto bare = std::exchange(m_ahead.bare, std::nullopt);
  // A stamp between two absolute times that are close to each other has about their age.
  constexpr DurNs kClose = 60 * kNsPerSecond;
  const bool between = before && std::abs(*absolute - *before) <= kClose;
  if (m_zone || !bare || (m_ahead.back > kNearLines && !between)) return;
  m_zone = zoneBetween(*bare, *absolute);
  if (!m_zone && between) m_zone = zoneBetween(*bare, *before);
}

// The time of the nearest of the last lines that has one.
std::optional<TimeNs> LogSession::nearTime() {
  for (std::size_t back = 1; back <= kNearLines; ++back) {
    const std::size_t at = (m_near_at + kNearLines - back) % kNearLines;
    if (m_near_size[at] == 0) continue;
    const LinePrefix prefix = m_rules->prefixOf({m_near[at].data(), m_near_size[at]});
    if (prefix.time) return timeOf(*prefix.time);
    m_near_size[at] = 0;  // no time: not checked again
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
                                        "more than " + std::to_string(PointBuffer::kMaxSeries) + " series"};
  if (m_run.refused() > 0)
    all["train_log.too_many_restarts"] = {m_run.refused(), "more than " + std::to_string(RunBuilder::kMaxAttempts) + " restarts"};
  return all;
}

void LogSession::flush(Recorder& out) {
  sayTracebacks(out);
  if (m_arrival && (!m_repeats_reported || *m_arrival - *m_repeats_reported >= kTellRepeatsEvery)) {
    if (m_repeats_reported) sayRepeats(out);
    m_repeats_reported = m_arrival;
  }
  if (m_arrival && (!m_refilled || *m_arrival - *m_refilled >= kRefillEvery)) {
    m_event_count.clear();
    m_logs = 0;
    m_refilled = m_arrival;
  }
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
  m_place.lines = 0;
  m_tracebacks.clear();
}

void LogSession::continueAs(const SessionOptions& writer, Recorder& out) {
  if (writer.run_name != m_options.run_name || writer.attempt_key != m_options.attempt_key) {
    outputEnded(out);
    finish(out);
    m_tracebacks.clear();
    m_variables.clear();
    m_record_files.clear();
    m_bar_step.reset();
  }
  m_run.continueAs(writer.run_name, writer.attempt_key, writer.guest);
  m_options.run_name = writer.run_name;
  m_options.attempt_key = writer.attempt_key;
  m_options.guest = writer.guest;
  m_options.rank = writer.rank;
  m_options.owns_values = writer.owns_values;
}

// Asked for each value: the file whose values stood for the run may have ended.
bool LogSession::ownsValues() const { return !m_options.rank || !m_options.owns_values || m_options.owns_values(); }

bool LogSession::cutRecord() {
  stripAnsi(m_lines.partial(), m_clean);
  m_rules->match(m_clean, m_scratch);
  return std::any_of(m_scratch.matches.begin(), m_scratch.matches.end(),
                     [](const Match& match) { return match.rule->kind == RuleKind::kRecord; });
}

void LogSession::takeRest(Recorder& out) {
  const std::string rest(m_lines.partial());
  onLine(rest, m_lines.lineStart(), out);
}

void LogSession::outputEnded(Recorder& out) {
  sayTracebacks(out);
  sayLoneErrors(out);
  m_run.outputEnded(m_arrival.value_or(wallNow()), out);
}

void LogSession::finish(Recorder& out) {
  sayTracebacks(out);
  if (!m_options.live) sayLoneErrors(out);
  sayRepeats(out);
  m_points.finish(out);
  m_run.flush(out, true);
}

}  // namespace runglass::train_log
