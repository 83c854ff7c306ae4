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

// A list ("n[1-4]") and an address are no name that stands in texts.
bool isName(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.:") != std::string_view::npos &&
         text.find_first_of("[], \t") == std::string_view::npos;
}

// An answer whose texts are changed in place.
template <class T, class Change>
Result<std::vector<T>> each(Result<std::vector<T>> rows, Change change) {
  if (!rows.ok()) return rows;
  for (T& row : *rows) change(row);
  return rows;
}

void redact(Redactor& redactor, Run& one) { one.name = redactor.text(one.name), one.framework = redactor.text(one.framework); }
void redact(Redactor& redactor, Attempt& one) { one.key = redactor.text(one.key), one.end_cause = redactor.text(one.end_cause); }

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
        if (Redactor::namesHost(fact.key) && isName(fact.value)) hosts.insert(fact.value);
        if (Redactor::namesPerson(fact.key) && isName(fact.value)) users.insert(fact.value);
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
  RG_ASSIGN(StoreInfo info, m_inner.info());
  info.path = m_redactor.text(info.path);
  return info;
}

Result<std::vector<Node>> RedactedReader::nodes() {
  return each(m_inner.nodes(), [&](Node& one) {
    one.name = m_redactor.host(one.name);
    one.uuid = m_redactor.text(one.uuid);
    one.rack = m_redactor.text(one.rack), one.fabric_switch = m_redactor.text(one.fabric_switch);
  });
}

Result<std::vector<Device>> RedactedReader::devices() {
  return each(m_inner.devices(), [&](Device& one) {
    one.uuid = m_redactor.text(one.uuid), one.kind = m_redactor.text(one.kind), one.model = m_redactor.text(one.model);
  });
}

Result<std::optional<ClockAlignment>> RedactedReader::alignment(AttemptId attempt) {
  RG_ASSIGN(auto alignment, m_inner.alignment(attempt));
  if (alignment) alignment->source = m_redactor.text(alignment->source);
  return alignment;
}

Result<std::unique_ptr<Reader>> RedactedReader::unaligned() {
  // Owns the other one, which nobody else knows.
  struct Owning final : RedactedReader {
    Owning(std::unique_ptr<Reader> reader, Redactor& redactor) : RedactedReader(*reader, redactor), m_reader(std::move(reader)) {}
    std::unique_ptr<Reader> m_reader;
  };
  RG_ASSIGN(auto reader, m_inner.unaligned());
  return std::unique_ptr<Reader>(std::make_unique<Owning>(std::move(reader), m_redactor));
}

Result<std::vector<Run>> RedactedReader::runs() {
  return each(m_inner.runs(), [&](Run& one) { redact(m_redactor, one); });
}

Result<Run> RedactedReader::run(RunId run) {
  RG_ASSIGN(Run one, m_inner.run(run));
  redact(m_redactor, one);
  return one;
}

Result<std::vector<Attempt>> RedactedReader::attempts(RunId run) {
  return each(m_inner.attempts(run), [&](Attempt& one) { redact(m_redactor, one); });
}

Result<Attempt> RedactedReader::attempt(AttemptId attempt) {
  RG_ASSIGN(Attempt one, m_inner.attempt(attempt));
  redact(m_redactor, one);
  return one;
}

Result<std::vector<Fact>> RedactedReader::facts(AttemptId attempt) {
  return each(m_inner.facts(attempt),
              [&](Fact& one) { one.value = m_redactor.value(one.key, one.value), one.key = m_redactor.key(one.key); });
}

Result<std::vector<CommGroup>> RedactedReader::groups(AttemptId attempt) {
  return each(m_inner.groups(attempt), [&](CommGroup& one) { one.name = m_redactor.text(one.name), one.kind = m_redactor.text(one.kind); });
}

Result<std::vector<Checkpoint>> RedactedReader::checkpoints(RunId run) {
  return each(m_inner.checkpoints(run), [&](Checkpoint& one) { one.path = m_redactor.text(one.path); });
}

Result<std::vector<Progress>> RedactedReader::progress(RunId run) {
  return each(m_inner.progress(run), [&](Progress& one) { one.op = m_redactor.text(one.op), one.phase = m_redactor.text(one.phase); });
}

Result<std::vector<Series>> RedactedReader::series(const SeriesFilter& filter) {
  return each(m_inner.series(filter), [&](Series& one) {
    one.key.metric = m_redactor.text(one.key.metric), one.key.source = m_redactor.text(one.key.source);
    one.key.labels = m_redactor.json(one.key.labels);
  });
}

Event RedactedReader::redacted(Event event) {
  event.message = m_redactor.text(event.message), event.code = m_redactor.text(event.code), event.kind = m_redactor.key(event.kind);
  return event;
}

LogLine RedactedReader::redacted(LogLine line) {
  line.text = m_redactor.text(line.text), line.stream = m_redactor.text(line.stream);
  return line;
}

Result<std::vector<Event>> RedactedReader::events(const EventFilter& filter) {
  return each(m_inner.events(filter), [&](Event& one) { one = redacted(std::move(one)); });
}

Result<std::vector<LogLine>> RedactedReader::logs(const EventFilter& filter) {
  return each(m_inner.logs(filter), [&](LogLine& one) { one = redacted(std::move(one)); });
}

Result<LogPage> RedactedReader::searchLogs(const RowQuery& query, std::stop_token stop) {
  RG_ASSIGN(LogPage page, m_inner.searchLogs(query, std::move(stop)));
  for (LogHit& hit : page.hits) hit.line = redacted(std::move(hit.line));
  return page;
}

Result<EventPage> RedactedReader::searchEvents(const RowQuery& query, std::stop_token stop) {
  RG_ASSIGN(EventPage page, m_inner.searchEvents(query, std::move(stop)));
  for (Event& one : page.events) one = redacted(std::move(one));
  return page;
}

Result<LogContext> RedactedReader::logContext(std::int64_t log_id, std::size_t before, std::size_t after, std::stop_token stop) {
  RG_ASSIGN(LogContext context, m_inner.logContext(log_id, before, after, std::move(stop)));
  for (LogHit& hit : context.lines) hit.line = redacted(std::move(hit.line));
  return context;
}

Result<std::vector<Issue>> RedactedReader::issues() {
  return each(m_inner.issues(), [&](Issue& one) { one.source = m_redactor.text(one.source), one.detail = m_redactor.text(one.detail); });
}

Result<std::vector<Label>> RedactedReader::labels(RunId run) {
  return each(m_inner.labels(run), [&](Label& one) { one.kind = m_redactor.key(one.kind); });
}

Result<std::vector<Capture>> RedactedReader::captures(RunId run, TimeRange range, CaptureTexts texts) {
  return each(m_inner.captures(run, range, texts), [&](Capture& one) {
    one.kind = m_redactor.key(one.kind), one.text = m_redactor.text(one.text), one.source = m_redactor.text(one.source),
    one.reason = m_redactor.text(one.reason);
  });
}

Finding RedactedReader::redacted(Finding one) {
  one.summary = m_redactor.text(one.summary), one.subject = m_redactor.text(one.subject), one.evidence = m_redactor.json(one.evidence);
  one.kind = m_redactor.key(one.kind);
  return one;
}

Result<std::vector<Finding>> RedactedReader::findings(std::optional<RunId> run) {
  return each(m_inner.findings(run), [&](Finding& one) { one = redacted(std::move(one)); });
}

Result<std::vector<Finding>> RedactedReader::tellings(std::optional<RunId> run) {
  return each(m_inner.tellings(run), [&](Finding& one) { one = redacted(std::move(one)); });
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
  return each(m_inner.incidents(run), [&](Incident& one) { one = redacted(std::move(one)); });
}

Result<Incident> RedactedReader::incident(std::string_view uuid) {
  RG_ASSIGN(Incident incident, m_inner.incident(uuid));
  return redacted(std::move(incident));
}

Result<std::vector<Note>> RedactedReader::notes(RunId run) {
  return each(m_inner.notes(run), [&](Note& one) { one.author = m_redactor.user(one.author), one.text = m_redactor.text(one.text); });
}

Result<std::vector<Alert>> RedactedReader::alerts(std::size_t limit) {
  return each(m_inner.alerts(limit), [&](Alert& one) {
    for (std::string* text : {&one.rule, &one.cause, &one.summary, &one.link, &one.delivery, &one.kind}) *text = m_redactor.text(*text);
  });
}

Result<std::vector<Snooze>> RedactedReader::snoozes() {
  return each(m_inner.snoozes(), [&](Snooze& one) {
    one.rule = m_redactor.text(one.rule), one.cause = m_redactor.text(one.cause), one.author = m_redactor.user(one.author);
  });
}

Result<std::vector<Track>> RedactedReader::tracks(AttemptId attempt) {
  return each(m_inner.tracks(attempt), [&](Track& one) { one.key.name = m_redactor.text(one.key.name); });
}

SpanColumns RedactedReader::redacted(SpanColumns spans) {
  for (std::string& name : spans.names) name = m_redactor.text(name);
  for (std::string& args : spans.args) args = m_redactor.json(args);
  return spans;
}

Result<SpanColumns> RedactedReader::spans(TrackId track, TimeRange range, std::stop_token stop) {
  RG_ASSIGN(SpanColumns spans, m_inner.spans(track, range, std::move(stop)));
  return redacted(std::move(spans));
}

Result<StoredSpans> RedactedReader::spansWith(std::int64_t span, TimeRange range) {
  RG_ASSIGN(StoredSpans stored, m_inner.spansWith(span, range));
  stored.spans = redacted(std::move(stored.spans));
  return stored;
}

Result<SpanPicture> RedactedReader::spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop) {
  RG_ASSIGN(SpanPicture picture, m_inner.spanPicture(tracks, range, pixel, std::move(stop)));
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
  return m_inner.query(sql, redacting, std::move(stop));
}

Result<std::vector<std::string>> RedactedReader::verify(std::stop_token stop) {
  return each(m_inner.verify(std::move(stop)), [&](std::string& one) { one = m_redactor.text(one); });
}

}  // namespace runglass::report
