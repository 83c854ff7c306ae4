// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/redacted_reader.h"

#include <algorithm>

#include "model/judgement_fields.h"
#include "model/recorder_fields.h"

namespace runglass::report {
namespace {

// Adds the users whose home folders occur in a path.
void addHome(std::string_view text, std::set<std::string>& users) {
  for (const std::string_view root : {"/home/", "/Users/"}) {
    for (std::size_t at = text.find(root); at != std::string_view::npos; at = text.find(root, at + 1)) {
      const std::string_view rest = text.substr(at + root.size());
      const std::string_view name = rest.substr(0, rest.find_first_of("/ \t\n\"':,;"));
      if (!name.empty() && name.size() <= 64) users.emplace(name);
    }
  }
}

// A list ("n[1-4]") or an address is not a name that occurs in texts.
bool isName(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.:") != std::string_view::npos &&
         text.find_first_of("[], \t") == std::string_view::npos;
}

void redact(Redactor& redactor, std::string& text, FieldRole role) {
  switch (role) {
    case FieldRole::kText:
    case FieldRole::kDictionary:
      text = redactor.text(text);
      break;
    case FieldRole::kKey:
      text = redactor.key(text);
      break;
    case FieldRole::kHost:
      text = redactor.host(text);
      break;
    case FieldRole::kPerson:
      text = redactor.user(text);
      break;
    case FieldRole::kJson:
      text = redactor.json(text);
      break;
    default:  // our own words; values under a key are redacted with it
      break;
  }
}

// By the role of each text in model/fields.h.
template <class Record>
void redact(Redactor& redactor, Record& record) {
  if constexpr (std::is_same_v<Record, Fact>) record.value = redactor.value(record.key, record.value);
  eachField(record, [&redactor]<class T>(const char*, T& field, FieldRole role) {
    if constexpr (std::is_same_v<T, std::string>) redact(redactor, field, role);
    if constexpr (std::is_same_v<T, std::vector<std::string>>)
      for (std::string& text : field) redact(redactor, text, role);
  });
}

template <class Record>
Result<Record> redacted(Redactor& redactor, Result<Record> record) {
  if (record.ok()) redact(redactor, *record);
  return record;
}
template <class Record>
Result<std::vector<Record>> redacted(Redactor& redactor, Result<std::vector<Record>> records) {
  if (!records.ok()) return records;
  for (Record& record : *records) redact(redactor, record);
  return records;
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

Result<std::vector<Node>> RedactedReader::nodes() { return redacted(m_redactor, m_inner.nodes()); }

Result<std::vector<Device>> RedactedReader::devices() { return redacted(m_redactor, m_inner.devices()); }

Result<std::optional<ClockAlignment>> RedactedReader::alignment(AttemptId attempt) {
  RG_ASSIGN(auto alignment, m_inner.alignment(attempt));
  if (alignment) redact(m_redactor, *alignment);
  return alignment;
}

Result<std::unique_ptr<Reader>> RedactedReader::unaligned() {
  // Owns the other Reader.
  struct Owning final : RedactedReader {
    Owning(std::unique_ptr<Reader> reader, Redactor& redactor) : RedactedReader(*reader, redactor), m_reader(std::move(reader)) {}
    std::unique_ptr<Reader> m_reader;
  };
  RG_ASSIGN(auto reader, m_inner.unaligned());
  return std::unique_ptr<Reader>(std::make_unique<Owning>(std::move(reader), m_redactor));
}

Result<std::vector<Run>> RedactedReader::runs() { return redacted(m_redactor, m_inner.runs()); }

Result<Run> RedactedReader::run(RunId run) { return redacted(m_redactor, m_inner.run(run)); }

Result<std::vector<Attempt>> RedactedReader::attempts(RunId run) { return redacted(m_redactor, m_inner.attempts(run)); }

Result<Attempt> RedactedReader::attempt(AttemptId attempt) { return redacted(m_redactor, m_inner.attempt(attempt)); }

Result<std::vector<Fact>> RedactedReader::facts(AttemptId attempt) { return redacted(m_redactor, m_inner.facts(attempt)); }

Result<std::vector<CommGroup>> RedactedReader::groups(AttemptId attempt) { return redacted(m_redactor, m_inner.groups(attempt)); }

Result<std::vector<Checkpoint>> RedactedReader::checkpoints(RunId run) { return redacted(m_redactor, m_inner.checkpoints(run)); }

Result<std::vector<Progress>> RedactedReader::progress(RunId run) { return redacted(m_redactor, m_inner.progress(run)); }

Result<std::vector<Series>> RedactedReader::series(const SeriesFilter& filter) { return redacted(m_redactor, m_inner.series(filter)); }

Result<std::vector<Event>> RedactedReader::events(const EventFilter& filter) { return redacted(m_redactor, m_inner.events(filter)); }

Result<std::vector<LogLine>> RedactedReader::logs(const EventFilter& filter) { return redacted(m_redactor, m_inner.logs(filter)); }

Result<LogPage> RedactedReader::searchLogs(const RowQuery& query, std::stop_token stop) {
  RG_ASSIGN(LogPage page, m_inner.searchLogs(query, std::move(stop)));
  for (LogHit& hit : page.hits) redact(m_redactor, hit.line);
  return page;
}

Result<EventPage> RedactedReader::searchEvents(const RowQuery& query, std::stop_token stop) {
  RG_ASSIGN(EventPage page, m_inner.searchEvents(query, std::move(stop)));
  for (Event& one : page.events) redact(m_redactor, one);
  return page;
}

Result<LogContext> RedactedReader::logContext(std::int64_t log_id, std::size_t before, std::size_t after, std::stop_token stop) {
  RG_ASSIGN(LogContext context, m_inner.logContext(log_id, before, after, std::move(stop)));
  for (LogHit& hit : context.lines) redact(m_redactor, hit.line);
  return context;
}

Result<std::vector<Issue>> RedactedReader::issues() { return redacted(m_redactor, m_inner.issues()); }

Result<std::vector<Label>> RedactedReader::labels(RunId run) { return redacted(m_redactor, m_inner.labels(run)); }

Result<std::vector<Capture>> RedactedReader::captures(RunId run, TimeRange range, CaptureTexts texts) {
  return redacted(m_redactor, m_inner.captures(run, range, texts));
}

Result<std::vector<Finding>> RedactedReader::findings(std::optional<RunId> run) { return redacted(m_redactor, m_inner.findings(run)); }

Result<std::vector<Finding>> RedactedReader::publishedFindings(std::optional<RunId> run) {
  return redacted(m_redactor, m_inner.publishedFindings(run));
}

Result<std::vector<Incident>> RedactedReader::incidents(std::optional<RunId> run) { return redacted(m_redactor, m_inner.incidents(run)); }

Result<Incident> RedactedReader::incident(std::string_view uuid) { return redacted(m_redactor, m_inner.incident(uuid)); }

Result<std::vector<Note>> RedactedReader::notes(RunId run) { return redacted(m_redactor, m_inner.notes(run)); }

Result<std::vector<Alert>> RedactedReader::alerts(std::size_t limit) { return redacted(m_redactor, m_inner.alerts(limit)); }

Result<std::vector<Snooze>> RedactedReader::snoozes() { return redacted(m_redactor, m_inner.snoozes()); }

Result<std::vector<Track>> RedactedReader::tracks(AttemptId attempt) { return redacted(m_redactor, m_inner.tracks(attempt)); }

Result<SpanColumns> RedactedReader::spans(TrackId track, TimeRange range, std::stop_token stop) {
  return redacted(m_redactor, m_inner.spans(track, range, std::move(stop)));
}

Result<StoredSpans> RedactedReader::spansWith(std::int64_t span, TimeRange range) {
  RG_ASSIGN(StoredSpans stored, m_inner.spansWith(span, range));
  redact(m_redactor, stored.spans);
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
  RG_ASSIGN(std::vector<std::string> problems, m_inner.verify(std::move(stop)));
  for (std::string& one : problems) one = m_redactor.text(one);
  return problems;
}

}  // namespace runglass::report
