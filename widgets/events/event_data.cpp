// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. A page's rows precede those of the next page; each source continues after its last shown row.
#include "widgets/events/event_data.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>

#include "model/log_query.h"
#include "widgets/core/language.h"
#include "widgets/core/run_words.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr std::size_t kContextLines = 8, kFewEvents = 20'000;
constexpr DurNs kNear = 30 * kNsPerSecond;  // around an event
// Codes of ingest issues that mean that rows of this timeline are missing.
constexpr std::array<std::string_view, 7> kNotKept = {
    "store.logs_forgotten",       "agent.log_limit", "agent.recorder_full", "train_log.too_many_log_lines", "train_log.too_many_events",
    "kernel_log.too_many_events", kLostBatches};
// Sent once per device at an agent's start; the GPU view shows the relevant facts.
constexpr std::string_view kFacts = "device_facts";
constexpr int kFindingChars = 4'000;

class Names {
 public:
  Status read(Reader& reader, RunId run) {
    RG_ASSIGN(const auto nodes, reader.nodes());
    for (const Node& node : nodes) m_nodes[node.id] = node;
    RG_ASSIGN(const auto devices, reader.devices());
    for (const Device& device : devices) m_devices[device.id] = device;
    if (!run) return {};
    RG_ASSIGN(const auto attempts, reader.attempts(run));
    if (attempts.empty()) return {};
    RG_ASSIGN(const auto ranks, reader.ranks(attempts.back().id));
    for (const Rank& rank : ranks)
      if (rank.device) m_ranks.emplace(rank.device, rank.rank);
    return {};
  }
  std::optional<NodeId> node(std::string_view name) const {
    for (const auto& [id, node] : m_nodes)
      if (node.name == name) return id;
    return std::nullopt;
  }
  // Sets the place and the rank there.
  void place(EventRow& row) const {
    QStringList words;
    const auto device = m_devices.find(row.device);
    if (device != m_devices.end()) {
      if (!row.node) row.node = device->second.node;
      if (const auto rank = m_ranks.find(row.device); !row.rank && rank != m_ranks.end()) row.rank = rank->second;
    }
    if (const auto node = m_nodes.find(row.node); node != m_nodes.end()) words << screenText(node->second.name, 60);
    if (device != m_devices.end()) {
      const std::string& kind = device->second.kind;
      words << (kind == "gpu" ? QStringLiteral("GPU") : screenText(kind, 20)) +
                   (device->second.index ? QStringLiteral(" %1").arg(*device->second.index) : QString());
    }
    if (row.rank) words << (words.isEmpty() ? QString() : QStringLiteral("· ")) + EventText::tr("rank %1").arg(*row.rank);
    row.where = words.join(u' ');
  }

 private:
  std::map<NodeId, Node> m_nodes;
  std::map<DeviceId, Device> m_devices;
  std::map<DeviceId, std::int32_t> m_ranks;
};

EventRow rowOf(Event event) {
  EventRow row{.key = {event.time.value_or(0), EventSource::kEvent, event.id}, .timed = event.time.has_value()};
  row.severity = event.severity, row.kind = std::move(event.kind), row.code = std::move(event.code), row.text = std::move(event.message);
  row.attempt = event.attempt, row.node = event.node, row.device = event.device, row.rank = event.rank, row.step = event.step;
  return row;
}
EventRow rowOf(LogHit hit) {
  LogLine& line = hit.line;
  EventRow row{.key = {line.time.value_or(0), EventSource::kLog, hit.key.id}, .timed = line.time.has_value()};
  row.severity = line.severity, row.kind = std::move(line.stream), row.text = std::move(line.text);
  row.attempt = line.attempt, row.node = line.node, row.rank = line.rank;
  return row;
}
EventRow rowOf(Finding finding, std::span<const Attempt> attempts) {
  EventRow row{.key = {finding.start.value_or(0), EventSource::kFinding, finding.id}, .timed = finding.start.has_value()};
  row.severity = finding.severity, row.text = findingText(finding, kFindingChars).toStdString();
  row.kind = finding.kind;
  row.run = finding.run, row.attempt = finding.attempt, row.node = finding.node, row.rank = finding.rank;
  row.step = finding.first_step, row.end = finding.end;
  // Without an end it lasts to that of its attempt.
  if (const auto attempt = std::ranges::find(attempts, finding.attempt, &Attempt::id); !row.end && attempt != attempts.end())
    row.end = attempt->end;
  row.finding = std::make_shared<const Finding>(std::move(finding));
  return row;
}
EventRow rowOf(Note note, RunId run) {
  EventRow row{.key = {note.time.value_or(0), EventSource::kNote, note.id}, .timed = note.time.has_value()};
  row.kind = "note", row.code = std::move(note.author), row.text = std::move(note.text), row.run = run;
  return row;
}

RowKey placeOf(const EventRow& row) { return {row.timed ? row.key.time : std::numeric_limits<TimeNs>::min(), row.key.id}; }

bool newer(const EventRow& a, const EventRow& b) {
  if (a.timed != b.timed) return a.timed;
  return a.key > b.key;
}

Severity least(EventLevel level, EventSource source, bool words) {
  switch (level) {
    case EventLevel::kUsual:
      return source == EventSource::kLog && !words ? Severity::kWarning : source == EventSource::kLog ? Severity::kDebug : Severity::kInfo;
    case EventLevel::kAll:
      return Severity::kDebug;
    case EventLevel::kWarning:
      return Severity::kWarning;
    case EventLevel::kError:
      return Severity::kError;
    case EventLevel::kCritical:
      return Severity::kCritical;
  }
  return Severity::kDebug;
}

// A query with its names resolved.
class EventSearch {
 public:
  Status prepare(Reader& reader, const EventQuestion& question) {
    m_question = &question;
    m_typed = typedFilters(question.filters.words);
    m_words = LogQuery(m_typed.words);
    RG_ASSIGN(const auto runs, reader.runs());
    if (!runs.empty()) {
      RG_ASSIGN(const Run chosen, chooseRun(reader, question.run));
      m_run = chosen.id;
    }
    RG_TRY(m_names.read(reader, m_run));
    if (m_run) {
      RG_ASSIGN(m_attempts, reader.attempts(m_run));
    }
    m_query.words = m_typed.words;
    m_query.range = question.range;
    m_query.rank = m_typed.rank;
    m_query.limit = question.limit;
    // Of a single run everything is shown, also of machines that had no rank.
    if (runs.size() > 1) m_query.run = m_run;
    if (!m_typed.node.empty()) {
      m_query.node = m_names.node(m_typed.node);
      if (!m_query.node) m_unknown = screenText(m_typed.node, 60);
    }
    return {};
  }
  bool wants(EventSource source) const {
    if (!m_unknown.isEmpty()) return false;
    if (source != EventSource::kEvent && source != EventSource::kFinding && !m_typed.kind.empty()) return false;
    return !m_question->filters.source || *m_question->filters.source == source;
  }
  RowQuery query(EventSource source) const {
    RowQuery query = m_query;
    query.at_least = least(m_question->filters.level, source, !m_words.asksNothing());
    if (source == EventSource::kEvent) query.kind = m_typed.kind;
    return query;
  }
  // A finding without an end lasts on.
  static TimeNs lastOf(const EventRow& row) {
    return row.end.value_or(row.key.source == EventSource::kFinding ? std::numeric_limits<TimeNs>::max() : row.key.time);
  }
  // For findings and notes, which need no index.
  bool fits(const EventRow& row) const {
    if (row.severity < least(m_question->filters.level, row.key.source, true)) return false;
    const TimeRange& range = m_question->range;
    const bool whole = range == TimeRange{};
    if (!whole && (!row.timed || row.key.time >= range.t1 || lastOf(row) < range.t0)) return false;
    if (m_typed.rank && row.rank != m_typed.rank) return false;
    if (m_query.node && row.node != *m_query.node) return false;
    if (!m_typed.kind.empty() && row.kind != m_typed.kind) return false;
    return m_words.matches(row.kind + ' ' + row.text);
  }
  Result<std::vector<EventRow>> findings(Reader& reader) const {
    std::vector<EventRow> rows;
    if (!wants(EventSource::kFinding)) return rows;
    RG_ASSIGN(auto found, reader.findings(m_run ? std::optional(m_run) : std::nullopt));
    for (Finding& finding : found) add(rows, rowOf(std::move(finding), m_attempts));
    std::ranges::sort(rows, newer);
    return rows;
  }
  Result<std::vector<EventRow>> notes(Reader& reader) const {
    std::vector<EventRow> rows;
    if (!wants(EventSource::kNote) || !m_run) return rows;
    RG_ASSIGN(auto found, reader.notes(m_run));
    for (Note& note : found) add(rows, rowOf(std::move(note), m_run));
    std::ranges::sort(rows, newer);
    return rows;
  }
  void place(EventRow& row) const {
    if (!row.run) row.run = m_run;
    m_names.place(row);
  }
  const QString& unknown() const { return m_unknown; }

 private:
  void add(std::vector<EventRow>& rows, EventRow row) const {
    if (fits(row)) rows.push_back(std::move(row));
  }

  const EventQuestion* m_question = nullptr;
  TypedFilters m_typed;
  LogQuery m_words;
  RunId m_run;
  std::vector<Attempt> m_attempts;
  Names m_names;
  RowQuery m_query;
  QString m_unknown;
};

// From the oldest row that matches the filters to the newest row of the page.
Result<std::optional<TimeRange>> extentOf(Reader& reader, const EventSearch& search, const std::vector<EventRow>& rows,
                                          std::stop_token stop) {
  std::optional<TimeRange> range;
  const auto add = [&](TimeNs time) {
    if (!range) range = TimeRange{time, time + 1};
    range->t0 = std::min(range->t0, time);
    range->t1 = std::max(range->t1, time + 1);
  };
  for (const EventRow& row : rows)
    if (row.timed) add(row.key.time);
  for (const EventSource source : {EventSource::kEvent, EventSource::kLog}) {
    if (!range || !search.wants(source)) continue;
    RowQuery oldest = search.query(source);
    oldest.range = {std::numeric_limits<TimeNs>::min() + 1, range->t0};  // only those with a time
    oldest.order = RowOrder::kOldestFirst;
    oldest.limit = 1;
    if (source == EventSource::kEvent) {
      RG_ASSIGN(const auto found, reader.searchEvents(oldest, stop));
      if (!found.events.empty()) add(*found.events[0].time);
    } else {
      RG_ASSIGN(const auto found, reader.searchLogs(oldest, stop));
      if (!found.hits.empty()) add(found.hits[0].key.time);
    }
  }
  return range;
}

}  // namespace

TypedFilters typedFilters(std::string_view typed) {
  TypedFilters filters;
  bool quoted = false;
  for (std::size_t at = 0; at < typed.size();) {
    std::size_t end = at;
    while (end < typed.size() && (quoted || typed[end] != ' ')) {
      if (typed[end] == '"') quoted = !quoted;
      ++end;
    }
    const std::string_view word = typed.substr(at, end - at);
    at = end + 1;
    if (word.starts_with("node:") && word.size() > 5) {
      filters.node = word.substr(5);
    } else if (word.starts_with("kind:") && word.size() > 5) {
      filters.kind = word.substr(5);
    } else if (std::int32_t rank = 0; word.starts_with("rank:") && word.size() > 5 &&
                                      std::from_chars(word.data() + 5, word.data() + word.size(), rank).ptr == word.data() + word.size()) {
      filters.rank = rank;
    } else {
      if (!filters.words.empty()) filters.words += ' ';
      filters.words += word;
    }
  }
  return filters;
}

Result<EventPageData> readEvents(Reader& reader, const EventQuestion& question, std::stop_token stop) {
  EventSearch search;
  RG_TRY(search.prepare(reader, question));
  EventPageData page{.next = question.from, .unknown = search.unknown()};
  bool more = false;
  if (search.wants(EventSource::kEvent)) {
    RowQuery query = search.query(EventSource::kEvent);
    query.after = question.from.event;
    RG_ASSIGN(auto found, reader.searchEvents(query, stop));
    for (Event& event : found.events) page.rows.push_back(rowOf(std::move(event)));
    more |= found.more;
  }
  if (search.wants(EventSource::kLog)) {
    RowQuery query = search.query(EventSource::kLog);
    query.after = question.from.log;
    RG_ASSIGN(auto found, reader.searchLogs(query, stop));
    for (LogHit& hit : found.hits) page.rows.push_back(rowOf(std::move(hit)));
    more |= found.more;
  }
  RG_ASSIGN(auto findings, search.findings(reader));
  for (std::size_t i = question.from.findings; i < findings.size(); ++i) page.rows.push_back(std::move(findings[i]));
  RG_ASSIGN(auto notes, search.notes(reader));
  for (std::size_t i = question.from.notes; i < notes.size(); ++i) page.rows.push_back(std::move(notes[i]));
  std::ranges::stable_sort(page.rows, newer);
  page.more = more || page.rows.size() > question.limit;
  if (page.rows.size() > question.limit) page.rows.resize(question.limit);
  for (const EventRow& row : page.rows) {
    if (row.key.source == EventSource::kEvent) page.next.event = placeOf(row);
    if (row.key.source == EventSource::kLog) page.next.log = placeOf(row);
    page.next.findings += row.key.source == EventSource::kFinding;
    page.next.notes += row.key.source == EventSource::kNote;
  }
  if (question.filters.level == EventLevel::kUsual)
    std::erase_if(page.rows, [](const EventRow& row) { return row.key.source == EventSource::kEvent && row.kind == kFacts; });
  for (EventRow& row : page.rows) search.place(row);
  RG_ASSIGN(const auto issues, reader.issues());
  for (const Issue& issue : issues)
    if (std::ranges::find(kNotKept, issue.code) != kNotKept.end()) page.not_kept.push_back(issue);
  if (question.range == TimeRange{} && !question.from.event && !question.from.log) {
    RG_ASSIGN(page.range, extentOf(reader, search, page.rows, stop));
  }
  page.anything = !page.rows.empty();
  if (!page.anything) {
    RG_ASSIGN(const auto any_event, reader.searchEvents({.limit = 1}, stop));
    RG_ASSIGN(const auto any_line, reader.searchLogs({.limit = 1}, stop));
    page.anything = !any_event.events.empty() || !any_line.hits.empty();
  }
  return page;
}

Result<EventDensity> readDensity(Reader& reader, const EventQuestion& question, std::size_t parts, std::stop_token stop) {
  EventDensity density{.range = question.range};
  EventSearch search;
  RG_TRY(search.prepare(reader, question));
  density.counts.assign(parts, {});
  const auto add = [&](const std::vector<SeverityCounts>& counts) {
    for (std::size_t i = 0; i < counts.size() && i < parts; ++i)
      for (std::size_t s = 0; s < kSeverityCount; ++s) density.counts[i][s] += counts[i][s];
  };
  if (search.wants(EventSource::kEvent)) {
    // Events are usually few; counting would include the log lines.
    RowQuery query = search.query(EventSource::kEvent);
    query.limit = kFewEvents;
    RG_ASSIGN(const auto found, reader.searchEvents(query, stop));
    for (const Event& event : found.events) {
      const auto share = static_cast<double>(*event.time - question.range.t0) / static_cast<double>(question.range.t1 - question.range.t0);
      const auto part = std::min(parts - 1, static_cast<std::size_t>(share * static_cast<double>(parts)));
      density.counts[part][static_cast<std::size_t>(event.severity)] += found.more || event.kind == kFacts ? 0 : 1;
    }
    if (found.more) {
      RG_ASSIGN(const auto counted, reader.rowDensity(query, parts, stop));
      add(counted.events);
    }
  }
  if (search.wants(EventSource::kLog)) {
    RG_ASSIGN(const auto counted, reader.rowDensity(search.query(EventSource::kLog), parts, stop));
    add(counted.logs);
  }
  RG_ASSIGN(density.marks, search.findings(reader));
  RG_ASSIGN(auto notes, search.notes(reader));
  density.marks.insert(density.marks.end(), std::make_move_iterator(notes.begin()), std::make_move_iterator(notes.end()));
  return density;
}

Result<EventDetail> readEventDetail(Reader& reader, const EventRow& row, std::stop_token stop) {
  EventDetail detail{.of = row.key};
  if (const auto attempt = reader.attempt(row.attempt); attempt.ok()) detail.number = attempt->number;
  if (row.key.source == EventSource::kLog) {
    RG_ASSIGN(auto context, reader.logContext(row.key.id, kContextLines, kContextLines, stop));
    detail.lines = std::move(context.lines);
    detail.at = context.at;
    return detail;
  }
  if (!row.timed) return detail;
  RowQuery near{.range = {row.key.time - kNear, row.key.time + kNear}, .limit = 2 * kContextLines};
  if (row.node)
    near.node = row.node;
  else if (row.rank)
    near.rank = row.rank;
  near.order = RowOrder::kOldestFirst;
  RG_ASSIGN(auto page, reader.searchLogs(near, stop));
  detail.lines = std::move(page.hits);
  return detail;
}

std::string withoutEscapes(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b' || i + 1 >= text.size()) {
      plain += text[i];
      continue;
    }
    const char kind = text[++i];
    if (kind == '[') {  // up to its final byte
      while (i + 1 < text.size() && (text[i + 1] < '@' || text[i + 1] > '~') && text[i + 1] >= ' ') ++i;
      if (i + 1 < text.size() && text[i + 1] >= '@') ++i;
    } else if (kind == ']') {  // up to a bell or a string terminator
      while (i + 1 < text.size() && text[i + 1] != '\a' && text[i + 1] != '\x1b') ++i;
      if (i + 1 < text.size()) i += text[i + 1] == '\a' ? 1 : 2;
    }
  }
  return plain;
}

}  // namespace runglass
