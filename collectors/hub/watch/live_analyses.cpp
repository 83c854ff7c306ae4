// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A finding is ended here only if its analysis answered in this round without it; one that only the store has, only if every analysis
//    answered; or if its run is no longer live, since its analyses will not run again.
// 2. The new or changed findings that a round returns equal those in `known`: a caller that stores them needs no further data.
#include "collectors/hub/watch/live_analyses.h"

#include <algorithm>

#include "analysis/engine/withdrawal.h"

namespace runglass {
namespace {

constexpr DurNs kLookForDataEvery = 60 * kNsPerSecond;
constexpr DurNs kArrivals = 20 * kNsPerSecond, kLate = 10 * kNsPerSecond;
constexpr double kFasterThanTime = 1.2;

using What = FindingChange::What;

bool isSame(const Finding& a, const Finding& b) {
  const auto rest = [](const Finding& f) {
    return std::tie(f.attempt, f.severity, f.start, f.end, f.last_step, f.node, f.rank, f.dp, f.pp, f.tp, f.score, f.confidence, f.coverage,
                    f.summary, f.evidence);
  };
  return rest(a) == rest(b);
}

bool isWorth(const Finding& a, const Finding& b) { return a.severity != b.severity || a.end.has_value() != b.end.has_value(); }

// Whether the run has UTC times and a running state.
bool saysItRuns(const Run& run) {
  return run.time_domain == TimeDomain::kUtc && (run.state == RunState::kRunning || run.state == RunState::kStalled);
}

}  // namespace

Result<bool> LiveAnalyses::isLive(Reader& reader, const Run& run, TimeNs now) {
  if (!saysItRuns(run)) return false;
  Watched& watched = m_runs[run.id];
  if (watched.looked_for_data == 0 || now - watched.looked_for_data >= kLookForDataEvery) {
    watched.looked_for_data = now;
    RG_ASSIGN(const std::vector<Series> series, reader.series({.run = run.id}));
    watched.last_data = run.start;
    for (const Series& one : series)
      if (one.last_time) watched.last_data = std::max(watched.last_data.value_or(*one.last_time), *one.last_time);
  }
  return watched.last_data && now - *watched.last_data < kForgotten;
}

// A reconnected agent sends its spool: steps of some minutes ago, one after the other. Such a run is not stopped. In a stopped run, nothing
// arrives for much longer than kArrivals before its silence is judged.
Result<TimeNs> LiveAnalyses::silenceUntil(Reader& reader, Watched& watched, RunId run, TimeNs now) {
  RG_ASSIGN(const auto progress, reader.progress(run));
  if (progress.empty()) return now;
  const TimeNs newest = std::ranges::max(progress, {}, &Progress::time).time;
  watched.arrivals.push_back({now, newest});
  while (now - watched.arrivals.front().clock > kArrivals) watched.arrivals.pop_front();
  const Arrival& before = watched.arrivals.front();
  const auto passed = static_cast<double>(now - before.clock), arrived = static_cast<double>(newest - before.newest);
  return now - newest > kLate && arrived > kFasterThanTime * passed ? newest : now;
}

Result<LiveRound> LiveAnalyses::round(Reader& reader, TimeNs now, const std::stop_token& stop) {
  LiveRound out;
  ++m_round;
  RG_ASSIGN(const std::vector<Run> runs, reader.runs());
  for (const Run& run : runs) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "watch: stopped");
    RG_ASSIGN(const bool live, isLive(reader, run, now));
    const auto watched = m_runs.find(run.id);
    if (live) {
      out.live.push_back(run);
      RG_ASSIGN(const TimeNs until, silenceUntil(reader, m_runs[run.id], run.id, now));
      RG_TRY(ask(reader, run, until, now, stop, out));
    } else if (watched != m_runs.end()) {
      if (!watched->second.analyses.empty()) {
        RG_TRY(ask(reader, run, std::nullopt, run.end.value_or(now), stop, out));
        endAll(watched->second, run.end.value_or(now), out);
      }
      // A run without recent data is analysed again when it has data: its entry has the time of the last check.
      if (saysItRuns(run))
        watched->second.analyses.clear(), watched->second.known.clear();
      else
        m_runs.erase(watched);
    }
  }
  return out;
}

Status LiveAnalyses::ask(Reader& reader, const Run& run, std::optional<TimeNs> now, TimeNs clock, const std::stop_token& stop,
                         LiveRound& out) {
  Watched& watched = m_runs[run.id];
  if (watched.analyses.empty() && !m_entries.empty()) {
    for (const AnalysisEntry& entry : m_entries) watched.analyses.push_back(entry.make());
    watched.failure.assign(m_entries.size(), "");
    RG_ASSIGN(std::vector<Finding> stored, reader.findings(run.id));
    for (Finding& finding : stored) {
      Key key{finding.kind, finding.subject, finding.first_step};
      watched.known.emplace(std::move(key), Known{.finding = std::move(finding), .written = clock});
    }
  }
  std::vector<bool> answered(m_entries.size(), false);
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    Result<std::vector<Finding>> said = watched.analyses[i]->look({.reader = reader, .run = run.id, .now = now, .stop = stop});
    if (stop.stop_requested()) return {Code::kCancelled, "watch: stopped"};
    if (!said.ok()) {
      if (watched.failure[i] != said.status().message())
        out.issues.push_back({.code = "watch.analysis_failed",
                              .source = std::string(m_entries[i].name),
                              .first = clock,
                              .last = clock,
                              .detail = "run " + run.name + ": " + said.status().message()});
      watched.failure[i] = said.status().message();
      continue;
    }
    watched.failure[i].clear();
    answered[i] = true;
    for (Finding& finding : *said) {
      finding.run = run.id;
      take(watched, i, std::move(finding), clock, out);
    }
  }
  endUnsaid(watched, answered, clock, out);
  return {};
}

void LiveAnalyses::take(Watched& watched, std::size_t analysis, Finding finding, TimeNs clock, LiveRound& out) {
  const Key key{finding.kind, finding.subject, finding.first_step};
  auto at = watched.known.find(key);
  const bool is_new = at == watched.known.end();
  if (is_new) {
    if (watched.known.size() >= kMaxFindings) {
      if (!std::exchange(watched.reported_too_many, true))
        out.issues.push_back({.code = "watch.too_many_findings",
                              .source = std::string(m_entries[analysis].name),
                              .first = clock,
                              .last = clock,
                              .detail = "more than " + std::to_string(kMaxFindings) + " findings of one run"});
      return;
    }
    at = watched.known.emplace(key, Known{.finding = finding}).first;
  }
  Known& known = at->second;
  known.by = analysis;
  known.round = m_round;
  const bool worth = is_new || isWorth(known.finding, finding);
  const bool refined = !worth && clock - known.written >= kRefineEvery && !isSame(known.finding, finding);
  if (worth || refined) {
    known.finding = std::move(finding);
    known.written = clock;
    out.changes.push_back({is_new ? What::kNew : worth ? What::kChanged : What::kRefined, known.finding});
  } else if (!known.reported) {
    out.changes.push_back({What::kKnown, known.finding});
  }
  known.reported = true;
}

void LiveAnalyses::endUnsaid(Watched& watched, const std::vector<bool>& answered, TimeNs clock, LiveRound& out) {
  const bool all = std::ranges::all_of(answered, [](bool yes) { return yes; });
  for (auto& [key, known] : watched.known) {
    if (known.finding.end || known.round == m_round || !(known.by ? answered[*known.by] : all)) continue;
    // Analyses keep reporting ended findings, so a finding of this process that is no longer reported is withdrawn. One that an earlier
    // process stored may be older than the data that this one reads, so it is ended.
    if (known.by)
      withdraw(known.finding, clock);
    else
      known.finding.end = std::max(clock, known.finding.start.value_or(clock));
    known.written = clock;
    out.changes.push_back({What::kChanged, known.finding});
  }
}

void LiveAnalyses::endAll(Watched& watched, TimeNs clock, LiveRound& out) {
  for (auto& [key, known] : watched.known) {
    if (known.finding.end) continue;
    known.finding.end = std::max(clock, known.finding.start.value_or(clock));
    out.changes.push_back({What::kChanged, known.finding});
  }
}

}  // namespace runglass
