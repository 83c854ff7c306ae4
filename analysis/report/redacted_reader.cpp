// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/redacted_reader.h"

#include <algorithm>

namespace runglass::report {
namespace {

// What a path says of whose home it is in.
void addHome(std::string_view text, std::set<std::string>& users) {
  for (const std::string_view root : {"/home/", "/Users/"}) {
    for (std::size_t at = text.find(root); at != std::string_view::npos; at = text.find(root, at + 1)) {
      const std::string_view rest = text.substr(at + root.size());
      const std::string_view name = rest.substr(0, rest.find_first_of("/ \t\n\"':,;"));
      if (!name.empty() && name.size() <= 64) users.emplace(name);
    }
  }
}

bool endsWithOf(std::string_view key, std::initializer_list<std::string_view> ends) {
  std::string lower(key);
  std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return std::ranges::any_of(ends, [&](std::string_view end) { return lower == end || lower.ends_with("_" + std::string(end)); });
}

// An answer whose texts are changed in place.
template <class T, class Change>
Result<std::vector<T>> each(Result<std::vector<T>> rows, Change change) {
  if (!rows.ok()) return rows;
  for (T& row : *rows) change(row);
  return rows;
}

}  // namespace

Status learnNames(Reader& reader, Redactor& redactor) {
  std::set<std::string> hosts, users;
  RG_ASSIGN(const auto nodes, reader.nodes());
  for (const Node& node : nodes) hosts.insert(node.name);
  RG_ASSIGN(const auto runs, reader.runs());
  for (const Run& run : runs) {
    addHome(run.name, users);
    RG_ASSIGN(const auto attempts, reader.attempts(run.id));
    for (const Attempt& attempt : attempts) {
      RG_ASSIGN(const auto facts, reader.facts(attempt.id));
      for (const Fact& fact : facts) {
        addHome(fact.value, users);
        const bool address = fact.value.find_first_not_of("0123456789.:") == std::string::npos;
        if (endsWithOf(fact.key, {"hostname", "nodename", "host", "master_addr"}) && !address) hosts.insert(fact.value);
        if (endsWithOf(fact.key, {"user", "username", "logname"})) users.insert(fact.value);
      }
    }
    RG_ASSIGN(const auto notes, reader.notes(run.id));
    for (const Note& note : notes) users.insert(note.author);
    RG_ASSIGN(const auto saves, reader.checkpoints(run.id));
    for (const Checkpoint& save : saves) addHome(save.path, users);
  }
  redactor.know(std::move(hosts), std::move(users));
  return {};
}

Result<StoreInfo> RedactedReader::info() {
  RG_ASSIGN(StoreInfo info, inner().info());
  info.path = m_redactor.text(info.path);
  return info;
}

Result<std::vector<Node>> RedactedReader::nodes() {
  return each(inner().nodes(), [&](Node& one) {
    one.name = m_redactor.host(one.name);
    one.uuid = m_redactor.text(one.uuid);
    one.rack = m_redactor.text(one.rack), one.fabric_switch = m_redactor.text(one.fabric_switch);
  });
}

Result<std::vector<Device>> RedactedReader::devices() {
  return each(inner().devices(), [&](Device& one) { one.uuid = m_redactor.text(one.uuid), one.model = m_redactor.text(one.model); });
}

Result<std::unique_ptr<Reader>> RedactedReader::unaligned() {
  // Owns the other one, which nobody else knows.
  struct Owning : RedactedReader {
    Owning(std::unique_ptr<Reader> reader, Redactor& redactor) : RedactedReader(*reader, redactor), m_reader(std::move(reader)) {}
    std::unique_ptr<Reader> m_reader;
  };
  RG_ASSIGN(auto reader, inner().unaligned());
  return std::unique_ptr<Reader>(std::make_unique<Owning>(std::move(reader), m_redactor));
}

Result<std::vector<Run>> RedactedReader::runs() {
  return each(inner().runs(), [&](Run& one) { one.name = m_redactor.text(one.name), one.framework = m_redactor.text(one.framework); });
}

Result<std::vector<Attempt>> RedactedReader::attempts(RunId run) {
  return each(inner().attempts(run),
              [&](Attempt& one) { one.key = m_redactor.text(one.key), one.end_cause = m_redactor.text(one.end_cause); });
}

Result<std::vector<Fact>> RedactedReader::facts(AttemptId attempt) {
  return each(inner().facts(attempt), [&](Fact& one) { one.value = m_redactor.value(one.key, one.value); });
}

Result<std::vector<CommGroup>> RedactedReader::groups(AttemptId attempt) {
  return each(inner().groups(attempt), [&](CommGroup& one) { one.name = m_redactor.text(one.name); });
}

Result<std::vector<Checkpoint>> RedactedReader::checkpoints(RunId run) {
  return each(inner().checkpoints(run), [&](Checkpoint& one) { one.path = m_redactor.text(one.path); });
}

Result<std::vector<Progress>> RedactedReader::progress(RunId run) {
  return each(inner().progress(run), [&](Progress& one) { one.op = m_redactor.text(one.op), one.phase = m_redactor.text(one.phase); });
}

Result<std::vector<Series>> RedactedReader::series(const SeriesFilter& filter) {
  return each(inner().series(filter), [&](Series& one) {
    one.key.metric = m_redactor.text(one.key.metric), one.key.source = m_redactor.text(one.key.source);
    one.key.labels = m_redactor.json(one.key.labels);
  });
}

Event RedactedReader::redacted(Event event) {
  event.message = m_redactor.text(event.message), event.code = m_redactor.text(event.code);
  return event;
}

LogLine RedactedReader::redacted(LogLine line) {
  line.text = m_redactor.text(line.text), line.stream = m_redactor.text(line.stream);
  return line;
}

Result<std::vector<Event>> RedactedReader::events(const EventFilter& filter) {
  return each(inner().events(filter), [&](Event& one) { one = redacted(std::move(one)); });
}

Result<std::vector<LogLine>> RedactedReader::logs(const EventFilter& filter) {
  return each(inner().logs(filter), [&](LogLine& one) { one = redacted(std::move(one)); });
}

Result<LogPage> RedactedReader::searchLogs(const RowQuery& query, std::stop_token stop) {
  RG_ASSIGN(LogPage page, inner().searchLogs(query, std::move(stop)));
  for (LogHit& hit : page.hits) hit.line = redacted(std::move(hit.line));
  return page;
}

Result<EventPage> RedactedReader::searchEvents(const RowQuery& query, std::stop_token stop) {
  RG_ASSIGN(EventPage page, inner().searchEvents(query, std::move(stop)));
  for (Event& one : page.events) one = redacted(std::move(one));
  return page;
}

Result<LogContext> RedactedReader::logContext(std::int64_t log_id, std::size_t before, std::size_t after, std::stop_token stop) {
  RG_ASSIGN(LogContext context, inner().logContext(log_id, before, after, std::move(stop)));
  for (LogHit& hit : context.lines) hit.line = redacted(std::move(hit.line));
  return context;
}

Result<std::vector<Issue>> RedactedReader::issues() {
  return each(inner().issues(), [&](Issue& one) { one.source = m_redactor.text(one.source), one.detail = m_redactor.text(one.detail); });
}

Result<std::vector<Label>> RedactedReader::labels(RunId run) { return inner().labels(run); }

Result<std::vector<Capture>> RedactedReader::captures(RunId run, TimeRange range, CaptureTexts texts) {
  return each(inner().captures(run, range, texts), [&](Capture& one) {
    one.text = m_redactor.text(one.text), one.source = m_redactor.text(one.source), one.reason = m_redactor.text(one.reason);
  });
}

Finding RedactedReader::redacted(Finding one) {
  one.summary = m_redactor.text(one.summary), one.subject = m_redactor.text(one.subject), one.evidence = m_redactor.json(one.evidence);
  return one;
}

Result<std::vector<Finding>> RedactedReader::findings(std::optional<RunId> run) {
  return each(inner().findings(run), [&](Finding& one) { one = redacted(std::move(one)); });
}

Result<std::vector<Finding>> RedactedReader::tellings(std::optional<RunId> run) {
  return each(inner().tellings(run), [&](Finding& one) { one = redacted(std::move(one)); });
}

Incident RedactedReader::redacted(Incident one) {
  for (std::string* text : {&one.title, &one.summary, &one.notes, &one.reason}) *text = m_redactor.text(*text);
  for (IncidentEvidence& card : one.evidence) {
    card.title = m_redactor.text(card.title), card.caption = m_redactor.text(card.caption);
    card.select = m_redactor.text(card.select);
  }
  return one;
}

Result<std::vector<Incident>> RedactedReader::incidents(std::optional<RunId> run) {
  return each(inner().incidents(run), [&](Incident& one) { one = redacted(std::move(one)); });
}

Result<Incident> RedactedReader::incident(std::string_view uuid) {
  RG_ASSIGN(Incident incident, inner().incident(uuid));
  return redacted(std::move(incident));
}

Result<std::vector<Note>> RedactedReader::notes(RunId run) {
  return each(inner().notes(run), [&](Note& one) { one.author = m_redactor.user(one.author), one.text = m_redactor.text(one.text); });
}

Result<std::vector<Alert>> RedactedReader::alerts(std::size_t limit) {
  return each(inner().alerts(limit), [&](Alert& one) {
    for (std::string* text : {&one.rule, &one.cause, &one.summary, &one.link, &one.delivery}) *text = m_redactor.text(*text);
  });
}

Result<std::vector<Snooze>> RedactedReader::snoozes() {
  return each(inner().snoozes(), [&](Snooze& one) { one.cause = m_redactor.text(one.cause), one.author = m_redactor.user(one.author); });
}

Result<std::vector<Track>> RedactedReader::tracks(AttemptId attempt) {
  return each(inner().tracks(attempt), [&](Track& one) { one.key.name = m_redactor.text(one.key.name); });
}

SpanColumns RedactedReader::redacted(SpanColumns spans) {
  for (std::string& name : spans.names) name = m_redactor.text(name);
  for (std::string& args : spans.args) args = m_redactor.json(args);
  return spans;
}

Result<SpanColumns> RedactedReader::spans(TrackId track, TimeRange range, std::stop_token stop) {
  RG_ASSIGN(SpanColumns spans, inner().spans(track, range, std::move(stop)));
  return redacted(std::move(spans));
}

Result<StoredSpans> RedactedReader::spansWith(std::int64_t span, TimeRange range) {
  RG_ASSIGN(StoredSpans stored, inner().spansWith(span, range));
  stored.spans = redacted(std::move(stored.spans));
  return stored;
}

Result<SpanPicture> RedactedReader::spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop) {
  RG_ASSIGN(SpanPicture picture, inner().spanPicture(tracks, range, pixel, std::move(stop)));
  for (std::string& name : picture.names) name = m_redactor.text(name);
  return picture;
}

Status RedactedReader::query(std::string_view sql, const SqlSink& sink, std::stop_token stop) {
  SqlSink redacting = sink;
  std::vector<std::string> names;
  redacting.columns = [&](const std::vector<std::string>& columns) {
    names = columns;
    if (sink.columns) sink.columns(columns);
  };
  redacting.row = [&](const std::vector<SqlValue>& row) {
    std::vector<SqlValue> out = row;
    for (std::size_t i = 0; i < out.size(); ++i)
      if (auto* text = std::get_if<std::string>(&out[i])) *text = m_redactor.value(i < names.size() ? names[i] : "", *text);
    return sink.row ? sink.row(out) : true;
  };
  return inner().query(sql, redacting, std::move(stop));
}

Result<std::vector<std::string>> RedactedReader::verify(std::stop_token stop) {
  return each(inner().verify(std::move(stop)), [&](std::string& one) { one = m_redactor.text(one); });
}

}  // namespace runglass::report
