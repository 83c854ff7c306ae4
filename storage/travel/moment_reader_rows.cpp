// SPDX-License-Identifier: Apache-2.0
// MomentReader: events, log lines and captures; findings, incidents, notes and alerts about runs.
#include <algorithm>
#include <cmath>

#include "storage/travel/moment_reader.h"

namespace runglass {

// Rows without a time are in the whole range only. They are included when no row of the kind is later than the moment.
template <class Ask>
Result<TimeRange> MomentReader::rowRange(TimeRange range, const std::optional<RunId>& run, const Ask& any_later) {
  if (range.t1 <= m_after) return range;
  if (run) {
    RG_ASSIGN(const auto lives, this->lives());
    if (!lifeOf(lives->of_run, run->value).clocked) return range;
  }
  if (range != TimeRange{}) return clipped(range);
  RG_ASSIGN(const bool more, any_later(TimeRange{m_after, kHighest}));
  return more ? clipped(range) : range;
}

Result<std::vector<Event>> MomentReader::events(const EventFilter& filter) {
  EventFilter then = filter;
  RG_ASSIGN(then.range, rowRange(filter.range, filter.run, [&](TimeRange later) -> Result<bool> {
              EventFilter rest{.range = later, .run = filter.run, .kind = {}, .limit = 1};
              RG_ASSIGN(const auto found, inner().events(rest));
              return !found.empty();
            }));
  return inner().events(then);
}

Result<std::vector<LogLine>> MomentReader::logs(const EventFilter& filter) {
  EventFilter then = filter;
  RG_ASSIGN(then.range, rowRange(filter.range, filter.run, [&](TimeRange later) -> Result<bool> {
              EventFilter rest{.range = later, .run = filter.run, .kind = {}, .limit = 1};
              RG_ASSIGN(const auto found, inner().logs(rest));
              return !found.empty();
            }));
  return inner().logs(then);
}

Result<LogPage> MomentReader::searchLogs(const RowQuery& query, std::stop_token stop) {
  RowQuery then = query;
  RG_ASSIGN(then.range, rowRange(query.range, query.run, [&](TimeRange later) -> Result<bool> {
              RG_ASSIGN(const LogPage found, inner().searchLogs({.range = later, .run = query.run, .limit = 1}, stop));
              return !found.hits.empty();
            }));
  return inner().searchLogs(then, std::move(stop));
}

Result<EventPage> MomentReader::searchEvents(const RowQuery& query, std::stop_token stop) {
  RowQuery then = query;
  RG_ASSIGN(then.range, rowRange(query.range, query.run, [&](TimeRange later) -> Result<bool> {
              RG_ASSIGN(const EventPage found, inner().searchEvents({.range = later, .run = query.run, .limit = 1}, stop));
              return !found.events.empty();
            }));
  return inner().searchEvents(then, std::move(stop));
}

Result<LogContext> MomentReader::logContext(std::int64_t log_id, std::size_t before, std::size_t after, std::stop_token stop) {
  RG_ASSIGN(LogContext found, inner().logContext(log_id, before, after, std::move(stop)));
  if (found.lines.empty()) return found;
  RG_ASSIGN(const auto lives, this->lives());
  const LogLine& asked = found.lines[found.at].line;
  if (!lifeOf(lives->of_attempt, asked.attempt.value).clocked) return found;
  if (later(asked.time)) return Status(Code::kNotFound, "log line " + std::to_string(log_id) + ": it is later than the moment");
  // Lines are in order of time: the erased ones are all after the requested line.
  std::erase_if(found.lines, [&](const LogHit& hit) { return later(hit.line.time); });
  return found;
}

Result<RowDensity> MomentReader::rowDensity(const RowQuery& query, std::size_t parts, std::stop_token stop) {
  RG_ASSIGN(RowDensity found, inner().rowDensity(query, parts, stop));
  if (query.range.t1 <= m_after) return found;
  if (query.run) {
    RG_ASSIGN(const auto lives, this->lives());
    if (!lifeOf(lives->of_run, query.run->value).clocked) return found;
  }
  const double width = static_cast<double>(query.range.t1) - static_cast<double>(query.range.t0);
  const double share = (static_cast<double>(m_after) - static_cast<double>(query.range.t0)) / width;
  const std::size_t cut = share <= 0 ? 0 : std::min(parts - 1, static_cast<std::size_t>(share * static_cast<double>(parts)));
  for (auto* counts : {&found.events, &found.logs})
    std::fill(counts->begin() + static_cast<std::ptrdiff_t>(cut), counts->end(), SeverityCounts{});
  RowQuery of_part = query;
  const double into = std::ceil(width * static_cast<double>(cut) / static_cast<double>(parts));
  of_part.range = {query.range.t0 + static_cast<TimeNs>(into), m_after};
  if (of_part.range.t0 >= of_part.range.t1) return found;
  RG_ASSIGN(const RowDensity part, inner().rowDensity(of_part, 1, std::move(stop)));
  found.events[cut] = part.events.front();
  found.logs[cut] = part.logs.front();
  return found;
}

Result<std::vector<Issue>> MomentReader::issues() {
  RG_ASSIGN(auto found, inner().issues());
  std::erase_if(found, [&](const Issue& issue) { return later(issue.first); });
  for (Issue& issue : found)
    if (later(issue.last)) issue.last.reset();
  return found;
}

Result<std::vector<Label>> MomentReader::labels(RunId run) {
  RG_ASSIGN(const auto lives, this->lives());
  const Life life = lifeOf(lives->of_run, run.value);
  RG_ASSIGN(auto found, inner().labels(run));
  std::erase_if(found, [&](const Label& label) { return !there(life, label.start, m_moment); });
  for (Label& label : found)
    if (life.clocked && later(label.end)) label.end.reset(), label.last_step.reset();
  return found;
}

Result<std::vector<Capture>> MomentReader::captures(RunId run, TimeRange range, CaptureTexts texts) {
  RG_ASSIGN(const auto lives, this->lives());
  return inner().captures(run, lifeOf(lives->of_run, run.value).clocked ? clipped(range) : range, texts);
}

// Whether the versions of a finding, by time, were published while its run was in progress, by a clock that agrees with the run's.
bool MomentReader::ofTheirTime(std::span<const Finding> published, const Life& life) {
  if (!life.clocked || published.empty()) return false;
  const TimeNs first = *published.front().published;
  const auto& begin = published.front().start ? published.front().start : life.first;
  return (!begin || first >= *begin) && (!life.last || static_cast<double>(first) - static_cast<double>(*life.last) <= kReportedAfter);
}

Result<std::vector<Finding>> MomentReader::findings(std::optional<RunId> run) {
  RG_ASSIGN(const auto lives, this->lives());
  RG_ASSIGN(auto found, inner().findings(run));
  RG_ASSIGN(auto all, inner().publishedFindings(run));
  std::ranges::stable_sort(all, {}, &Finding::id);
  std::vector<Finding> then;
  for (Finding& finding : found) {
    const Life life = lifeOf(lives->of_run, finding.run.value);
    const auto published = std::ranges::equal_range(all, finding.id, {}, &Finding::id);
    if (ofTheirTime(published, life)) {
      const auto next = std::ranges::upper_bound(published, m_moment, {}, [](const Finding& one) { return *one.published; });
      if (next == published.begin()) continue;
      // Conclusions after the last publication apply once all of the run is included.
      if (next != published.end() || !life.over) finding = *std::prev(next);
    } else if (!there(life, finding.start ? finding.start : finding.end, m_moment)) {
      continue;
    } else if (!life.whole()) {
      finding.published.reset();
    }
    if (life.clocked && later(finding.end)) finding.end.reset(), finding.last_step.reset();
    then.push_back(std::move(finding));
  }
  return then;
}

Result<std::vector<Finding>> MomentReader::publishedFindings(std::optional<RunId> run) {
  RG_ASSIGN(const auto lives, this->lives());
  RG_ASSIGN(auto found, inner().publishedFindings(run));
  std::erase_if(found, [&](const Finding& one) { return lifeOf(lives->of_run, one.run.value).clocked && *one.published > m_moment; });
  return found;
}

Incident MomentReader::asItWas(Incident incident) const {
  const auto open = [&](TimeRange& range) {
    if (range.t1 > m_after) range.t1 = kHighest;
  };
  if (incident.range) open(*incident.range);
  std::erase_if(incident.evidence, [&](const IncidentEvidence& card) { return card.range && card.range->t0 > m_moment; });
  for (IncidentEvidence& card : incident.evidence)
    if (card.range) open(*card.range);
  if (!later(incident.updated)) return incident;
  incident.updated = incident.created;
  incident.state = IncidentState::kOpen;
  for (std::string* text : {&incident.cause, &incident.summary, &incident.notes, &incident.reason}) text->clear();
  return incident;
}

Result<std::vector<Incident>> MomentReader::incidents(std::optional<RunId> run) {
  RG_ASSIGN(const auto lives, this->lives());
  RG_ASSIGN(auto all, inner().incidents(run));
  std::vector<Incident> found;
  for (Incident& incident : all) {
    const Life life = lifeOf(lives->of_run, incident.run.value);
    if (!life.clocked) {
      found.push_back(std::move(incident));
    } else if (there(life, incident.created, m_moment)) {
      found.push_back(asItWas(std::move(incident)));
    }
  }
  return found;
}

Result<Incident> MomentReader::incident(std::string_view uuid) {
  RG_ASSIGN(const auto lives, this->lives());
  RG_ASSIGN(Incident found, inner().incident(uuid));
  const Life life = lifeOf(lives->of_run, found.run.value);
  if (!life.clocked) return found;
  if (!there(life, found.created, m_moment))
    return Status(Code::kNotFound, "incident " + std::string(uuid) + ": it was made later than the moment");
  return asItWas(std::move(found));
}

Result<std::vector<Note>> MomentReader::notes(RunId run) {
  RG_ASSIGN(const auto lives, this->lives());
  const Life life = lifeOf(lives->of_run, run.value);
  RG_ASSIGN(auto found, inner().notes(run));
  std::erase_if(found, [&](const Note& note) { return !there(life, note.time, m_moment); });
  return found;
}

Result<std::vector<Alert>> MomentReader::alerts(std::size_t limit) {
  RG_ASSIGN(auto found, inner().alerts(static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max())));
  std::erase_if(found, [&](const Alert& alert) { return alert.since > m_moment; });
  for (Alert& alert : found) {
    if (later(alert.end)) alert.end.reset();
    if (later(alert.due)) {
      alert.due.reset();
      alert.count = std::max<std::int64_t>(alert.count, 1) - 1;
    }
    if (!alert.due || later(alert.notified)) alert.notified.reset(), alert.delivery.clear();
  }
  std::ranges::sort(found, [](const Alert& a, const Alert& b) {
    return std::pair(a.due.value_or(a.since), a.id) > std::pair(b.due.value_or(b.since), b.id);
  });
  if (found.size() > limit) found.resize(limit);
  return found;
}

Result<std::vector<Snooze>> MomentReader::snoozes() {
  RG_ASSIGN(auto found, inner().snoozes());
  std::erase_if(found, [&](const Snooze& snooze) { return later(snooze.until); });
  return found;
}

}  // namespace runglass
