// SPDX-License-Identifier: Apache-2.0
// Invariants:
//  1. At most one finding is open at a time: a hang replaces the stall that it grew out of, which then ends.
//  2. A published finding that no longer holds ends when ranks make progress again, or with its attempt.
//  3. No findings for a run without a reporting rank, nor for one that was ended on purpose.
#include "analysis/hangs/hangs.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "analysis/engine/withdrawal.h"
#include "analysis/hangs/culprit_places.h"
#include "analysis/hangs/hang_words.h"
#include "analysis/hangs/last_moved.h"
#include "analysis/hangs/standstill.h"
#include "analysis/hangs/step_watch.h"
#include "analysis/hangs/timeout_suspects.h"
#include "analysis/one_fault/attempt_cause.h"
#include "analysis/one_fault/end_events.h"
#include "analysis/one_fault/watchdog.h"
#include "analysis/words/sentences.h"

namespace runglass {
namespace {

constexpr DurNs kNear = 30 * kNsPerSecond;          // an end or a save this close to the last progress explains it
constexpr DurNs kUnheardAfter = 60 * kNsPerSecond;  // no rank reports for this long: the hub is at fault, not the run
constexpr std::string_view kHang = "hang", kStall = "stall";

class Hangs : public Analysis {
 public:
  Result<std::vector<Finding>> look(const Question& question) override {
    m_out.clear();
    m_run = question.run;
    RG_ASSIGN(const Run run, question.reader.run(question.run));
    RG_ASSIGN(const auto attempts, question.reader.attempts(run.id));
    if (attempts.empty()) return std::vector<Finding>();
    RG_TRY(remember(question.reader));
    RG_TRY(readSteps(question, attempts));
    RG_TRY(judgePast(question, run, attempts));
    RG_TRY(judgeNow(question, run, attempts.back()));
    keepIdentities();
    closeOthers(run, attempts);
    repeatGrown();
    return m_out;
  }

 private:
  // Findings that an earlier instance of this analysis published and left open.
  Status remember(Reader& reader) {
    if (m_remembered) return {};
    m_remembered = true;
    RG_ASSIGN(auto said, reader.findings(m_run));
    for (Finding& one : said) {
      if (one.kind != kHang && one.kind != kStall) continue;
      m_reported.push_back(one);
      (one.end ? m_grown : m_open).push_back(std::move(one));
    }
    // A stall ends where the hang begins that it becomes.
    std::erase_if(m_grown, [&](const Finding& stall) {
      return stall.kind != kStall || std::ranges::none_of(m_open, [&](const Finding& hang) {
               return hang.kind == kHang && hang.attempt == stall.attempt && hang.start && stall.end >= hang.start &&
                      stall.start <= hang.start;
             });
    });
    return {};
  }

  Status readSteps(const Question& question, const std::vector<Attempt>& attempts) {
    for (const Attempt& attempt : attempts) {
      const auto known = std::ranges::find(m_watches, attempt.id, &StepWatch::attempt);
      const bool done = known != m_watches.end() && attempt.id != attempts.back().id && m_settled.contains(attempt.id);
      if (done) continue;
      StepWatch& watch = known != m_watches.end() ? *known : m_watches.emplace_back(m_run, attempt.id);
      RG_TRY(watch.read(question.reader, question.stop));
      if (attempt.id != attempts.back().id) m_settled.insert(attempt.id);
    }
    return {};
  }

  Finding make(const Attempt& attempt, std::string_view kind, Severity severity, const HangEvidence& evidence) const {
    Finding finding;
    finding.run = m_run, finding.attempt = attempt.id;
    finding.kind = kind, finding.subject = "attempt:" + std::to_string(attempt.number);
    finding.severity = severity;
    finding.start = evidence.since;
    finding.first_step = finding.last_step = evidence.step;
    finding.evidence = printHangEvidence(evidence);
    return finding;
  }

  Status judgePast(const Question& question, const Run& run, const std::vector<Attempt>& attempts) {
    for (const Attempt& attempt : attempts) {
      const auto watch = std::ranges::find(m_watches, attempt.id, &StepWatch::attempt);
      for (const StallGap& gap : watch->gaps()) {
        HangEvidence evidence{.source = watch->fromLog() ? "log" : "steps", .phase = {}};
        evidence.step = gap.step, evidence.since = gap.range.t0, evidence.as_of = gap.range.t1, evidence.limit = gap.limit;
        Finding finding = make(attempt, kStall, watch->fromLog() ? Severity::kInfo : Severity::kWarning, evidence);
        finding.end = gap.range.t1;
        finding.confidence = watch->fromLog() ? 0.3 : 0.9;
        words::setMessage(finding, stallMessage(evidence, gap.range.t1 - gap.range.t0, true));
        m_out.push_back(std::move(finding));
      }
    }
    EventFilter filter;
    filter.run = m_run;
    filter.kind = "collective_timeout";
    RG_ASSIGN(m_timeouts, question.reader.events(filter));
    std::optional<std::vector<Event>> events;
    for (const Attempt& attempt : attempts) {
      const bool newest = attempt.id == attempts.back().id;
      if (newest) m_failed.erase(attempt.id);
      if (newest || m_judged.insert(attempt.id).second) {
        RG_ASSIGN(const bool followed, followFrom(question.reader, run, attempts, attempt, events));
        if (followed) m_failed.insert(attempt.id);
      }
      if (!newest) RG_TRY(sayTimeouts(question.reader, attempt));
    }
    return {};
  }

  // Whether the timeouts of an attempt that is known from logs alone follow from a fault or a failed rank, whose finding has them as
  // evidence. Where ranks reported steps or progress, the hang has the ranks that wait. `events`: read when first needed.
  Result<bool> followFrom(Reader& reader, const Run& run, const std::vector<Attempt>& attempts, const Attempt& attempt,
                          std::optional<std::vector<Event>>& events) const {
    if (std::ranges::find(m_timeouts, attempt.id, &Event::attempt) == m_timeouts.end()) return false;
    const StepWatch& watch = *std::ranges::find(m_watches, attempt.id, &StepWatch::attempt);
    RG_ASSIGN(const auto progress, reader.progress(m_run));
    const bool moves = std::ranges::find(progress, attempt.id, &Progress::attempt) != progress.end();
    if (moves || (watch.known() && !watch.fromLog())) return false;
    if (!events) {
      RG_ASSIGN(events, endEvents(reader, m_run));
    }
    RG_ASSIGN(const auto places, placesOfRanks(reader, attempt));
    const EndedBy by = causeOf(attempt, *events, places).by;
    return by == EndedBy::kMachine || (by == EndedBy::kProcess && hasFailed(run, attempts, attempt));
  }

  // Watchdog timeouts, where there is no progress to use. If most ranks have one, those without are the suspects.
  Status sayTimeouts(Reader& reader, const Attempt& attempt) {
    if (m_failed.contains(attempt.id)) return {};
    HangEvidence evidence{.source = "events", .phase = {}};
    evidence.world = attempt.layout.world;
    std::set<std::int32_t> ranks;
    std::vector<Event> timeouts;
    for (const Event& event : m_timeouts) {
      if (event.attempt != attempt.id) continue;
      timeouts.push_back(event);
      const TimeoutWords words = timeoutWords(event);
      ++evidence.timeouts;
      if (event.rank) ranks.insert(*event.rank);
      if (!event.time) continue;
      evidence.as_of = std::max(evidence.as_of.value_or(*event.time), *event.time);
      const TimeNs since = *event.time - words.ran.value_or(kDefaultWatchdog);
      evidence.since = std::min(evidence.since.value_or(since), since);
    }
    if (evidence.timeouts == 0) return {};
    // Ranks interleave their log output: for some only the line with their state is readable.
    RG_ASSIGN(auto states, reader.events({.range = {}, .run = m_run, .kind = "collective_state"}));
    std::erase_if(states, [&](const Event& event) { return event.attempt != attempt.id; });
    for (const Event& event : states)
      if (event.rank) ranks.insert(*event.rank);
    // The default timeout may be longer than the attempt.
    if (evidence.since && attempt.start) evidence.since = std::max(*evidence.since, std::min(*attempt.start, *evidence.as_of));
    RG_ASSIGN(auto silent, withoutTimeout(reader, attempt, ranks));
    evidence.silent = static_cast<std::int64_t>(silent.members.size());
    evidence.blocked = static_cast<std::int64_t>(ranks.size());
    evidence.world = std::max({evidence.world, silent.world, evidence.blocked});
    evidence.culprits = std::move(silent.members);
    if (evidence.culprits.empty()) {
      TimeoutSuspects suspects = suspectsOf(timeouts, states);
      evidence.culprits = std::move(suspects.culprits);
      if (suspects.mismatch) evidence.groups.push_back(std::move(*suspects.mismatch)), evidence.group_count = 1;
      if (evidence.culprits.empty())
        evidence.unclear = ranks.empty()                       ? "no_rank"
                           : !suspects.same                    ? "several_collectives"
                           : !silent.whole                     ? "unknown_world"
                           : evidence.blocked < evidence.world ? "few_timed_out"
                                                               : "all_timed_out";
    }
    evidence.culprit_count = static_cast<std::int64_t>(evidence.culprits.size());
    evidence.step = attempt.last_step;
    Finding finding = make(attempt, kHang, Severity::kCritical, evidence);
    finding.end = evidence.as_of;
    finding.confidence = 0.7;
    words::setMessage(finding, hangMessage(evidence));
    RG_TRY(placeCulprits(reader, attempt, evidence, finding));
    m_out.push_back(std::move(finding));
    return {};
  }

  struct Now {
    std::vector<Progress> progress;
    TimeNs as_of = 0, newest = 0, moved = 0;
    std::string phase;
    std::optional<std::int64_t> step;  // the highest of any rank
  };

  Result<std::optional<Now>> gather(const Question& question, const Run& run, const Attempt& attempt, const StepWatch& watch) {
    Now now;
    RG_ASSIGN(now.progress, question.reader.progress(m_run));
    std::erase_if(now.progress, [&](const Progress& p) { return p.attempt != attempt.id; });
    const bool over = run.state == RunState::kFinished || attempt.planned.value_or(false);
    if (now.progress.empty() || over) return std::optional<Now>();
    std::map<std::string, std::size_t> phases;
    now.newest = std::ranges::max(now.progress, {}, &Progress::time).time;
    for (const Progress& p : now.progress) {
      if (p.step) now.step = std::max(now.step.value_or(*p.step), *p.step);
      ++phases[p.phase];
    }
    const auto open = std::ranges::find(m_open, attempt.id, &Finding::attempt);
    now.moved = m_last_moved.at(attempt, now.progress, watch.clock().lastEnd(), open != m_open.end() ? open->start : std::nullopt);
    now.phase = std::ranges::max_element(phases, {}, [](const auto& entry) { return entry.second; })->first;
    now.as_of = question.now ? std::max(*question.now, now.newest) : now.newest;
    if (attempt.end) now.as_of = std::min(now.as_of, std::max(*attempt.end, now.newest));
    return std::optional(std::move(now));
  }

  Status judgeNow(const Question& question, const Run& run, const Attempt& attempt) {
    const StepWatch& watch = *std::ranges::find(m_watches, attempt.id, &StepWatch::attempt);
    RG_ASSIGN(const auto now, gather(question, run, attempt, watch));
    m_moved.reset();
    if (!now) {
      RG_TRY(sayTimeouts(question.reader, attempt));
      return judgeLog(question, run, attempt, watch);
    }
    m_moved = now->moved;
    if (question.now && !attempt.end && *question.now - now->newest > kUnheardAfter) return keepOpen();
    RG_ASSIGN(const bool dump, isDump(question.reader, attempt, watch));
    bool starting = !watch.clock().judges() || (!now->phase.empty() && now->phase != "steady");
    const DurNs start_limit = phaseLimit(watch.longestPhase());
    const DurNs still = now->as_of - now->moved;
    // A trainer may save without reporting a phase.
    if (!starting && now->as_of - watch.clock().lastEnd().value_or(now->moved) >= kNear) {
      RG_ASSIGN(starting, watch.saves(question.reader, now->moved, now->as_of));
    }
    DurNs hang_limit = start_limit;
    if (!starting && still >= watch.clock().hangLimit(DurNs{1})) {
      RG_ASSIGN(const auto op_p99, watch.communicationP99(question.reader, question.stop));
      hang_limit = watch.clock().hangLimit(op_p99);
    }
    if (dump || (still >= hang_limit && hang_limit > 0)) {
      RG_ASSIGN(const bool on_purpose, endedOnPurpose(question.reader, *now));
      if (!on_purpose) return sayHang(question, attempt, *now, dump, hang_limit);
    }
    // A reference rank that does not report is no evidence about the other ranks' steps.
    const auto last = watch.clock().last();
    const bool in_time = last && (!now->step || *now->step <= last->step + 1);
    const DurNs stall_limit = starting ? start_limit : watch.clock().stallLimit();
    if (in_time && !watch.fromLog() && now->as_of - *watch.clock().lastEnd() >= stall_limit) {
      RG_ASSIGN(const bool on_purpose, endedOnPurpose(question.reader, *now));
      if (!on_purpose) sayStall(attempt, watch, now->as_of, stall_limit, now->phase);
    }
    return {};
  }

  void sayStall(const Attempt& attempt, const StepWatch& watch, TimeNs as_of, DurNs limit, const std::string& phase) {
    HangEvidence evidence{.source = watch.fromLog() ? "log" : "steps", .phase = phase};
    evidence.step = watch.clock().last()->step, evidence.since = watch.clock().lastEnd(), evidence.as_of = as_of, evidence.limit = limit;
    Finding finding = make(attempt, kStall, watch.fromLog() ? Severity::kInfo : Severity::kWarning, evidence);
    finding.confidence = watch.fromLog() ? 0.3 : 0.8;
    words::setMessage(finding, stallMessage(evidence, as_of - *evidence.since, false));
    m_out.push_back(std::move(finding));
  }

  // A stored log ends with its last line; only a live one can fall silent.
  Status judgeLog(const Question& question, const Run& run, const Attempt& attempt, const StepWatch& watch) {
    const auto last = watch.clock().lastEnd();
    if (!question.now || !last || !watch.fromLog() || attempt.end || run.state != RunState::kRunning) return {};
    m_moved = last;
    const DurNs limit = watch.clock().judges() ? watch.clock().stallLimit() : phaseLimit(watch.longestPhase());
    if (*question.now - *last >= limit) sayStall(attempt, watch, *question.now, limit, {});
    return {};
  }

  // Flight recorder dumps alone. A run that reports steps is judged by its progress: a capture may have taken the dump while it ran.
  static Result<bool> isDump(Reader& reader, const Attempt& attempt, const StepWatch& watch) {
    if (watch.known()) return false;
    RG_ASSIGN(const auto facts, reader.facts(attempt.id));
    return std::ranges::any_of(facts, [](const Fact& fact) { return fact.key == "flight_recorder_version"; });
  }

  // A user ended it, or all ranks signed off, while it still made progress or shortly after.
  Result<bool> endedOnPurpose(Reader& reader, const Now& now) const {
    static constexpr std::array<std::string_view, 4> kEnds = {"terminated", "job_stopped", "finished", "stopped"};
    EventFilter filter;
    filter.run = m_run;
    filter.range = {now.moved - kNear, now.moved + kNear};
    RG_ASSIGN(const auto events, reader.events(filter));
    return std::ranges::any_of(events, [](const Event& event) { return std::ranges::find(kEnds, event.kind) != kEnds.end(); });
  }

  Status sayHang(const Question& question, const Attempt& attempt, const Now& now, bool dump, DurNs limit) {
    HangEvidence evidence{.source = dump ? "flight_recorder" : "progress", .phase = now.phase};
    evidence.step = now.step, evidence.since = now.moved, evidence.as_of = now.as_of, evidence.world = attempt.layout.world;
    if (!dump) evidence.limit = limit;
    const StandstillFacts facts{
        .run = m_run, .attempt = attempt.id, .progress = now.progress, .moved = now.moved, .newest = now.newest, .dump = dump};
    RG_TRY(m_standstill.look(question.reader, facts, question.stop, evidence));
    // A requested dump is not a hang by itself: a wait must show in it.
    const bool waits = !evidence.groups.empty() && (!evidence.culprits.empty() || evidence.groups.front().reason != HangReason::kMissing);
    // Where most dumps are missing, both are possible.
    const bool partial = dump && evidence.unclear == "no_dumps";
    if (dump && !waits && !partial) return {};
    for (const Event& event : m_timeouts) evidence.timeouts += event.attempt == attempt.id ? 1 : 0;
    std::optional<TimeNs> waiting_since;
    for (const HangGroup& group : evidence.groups)
      if (group.since) waiting_since = std::min(waiting_since.value_or(*group.since), *group.since);
    if (waiting_since) {
      RG_ASSIGN(const auto said, question.reader.facts(attempt.id));
      const Watchdog watchdog = watchdogOf(said);
      evidence.watchdog = watchdog.timeout, evidence.watchdog_source = watchdog.source;
      if (watchdog.timeout) evidence.watchdog_at = *waiting_since + *watchdog.timeout;
    }
    const Severity severity = partial ? Severity::kInfo : dump ? Severity::kError : Severity::kCritical;
    Finding finding = make(attempt, kHang, severity, evidence);
    words::setMessage(finding, hangMessage(evidence));
    finding.confidence = partial ? 0.3 : dump ? 0.6 : evidence.culprits.empty() ? 0.6 : 0.9;
    finding.coverage = static_cast<double>(now.progress.size()) / static_cast<double>(std::max<std::int64_t>(1, evidence.world));
    finding.score = static_cast<double>(evidence.blocked) / static_cast<double>(std::max<std::int64_t>(1, evidence.world));
    if (attempt.end) finding.end = attempt.end;
    RG_TRY(placeCulprits(question.reader, attempt, evidence, finding));
    m_out.push_back(std::move(finding));
    return {};
  }

  static bool same(const Finding& a, const Finding& b) {
    return a.kind == b.kind && a.subject == b.subject && a.first_step == b.first_step;
  }

  // The same standstill keeps the step under which it was first published, even if steps arrive late.
  void keepIdentities() {
    constexpr TimeNs kNow = std::numeric_limits<TimeNs>::max();
    for (Finding& one : m_out)
      for (const Finding& before : m_reported)
        if (one.kind == before.kind && one.subject == before.subject && one.start && before.start &&
            *one.start < before.end.value_or(kNow) && *before.start < one.end.value_or(kNow)) {
          one.first_step = before.first_step;
          break;
        }
    m_reported = m_out;
  }

  // No rank reports: published findings neither hold nor end.
  Status keepOpen() {
    for (const Finding& one : m_open) m_out.push_back(one);
    return {};
  }

  // Stalls that a hub reported before its restart, of a hang that is still open: the notifier must see that both are one fault.
  void repeatGrown() {
    for (const Finding& stall : std::exchange(m_grown, {}))
      if (std::ranges::none_of(m_out, [&](const Finding& one) { return same(one, stall); })) m_out.push_back(stall);
  }

  bool steppedSince(const Finding& finding) const {
    const auto watch = std::ranges::find(m_watches, finding.attempt, &StepWatch::attempt);
    // std::optional order: absent is before any time.
    return watch != m_watches.end() && watch->clock().lastEnd() > finding.start;
  }

  void closeOthers(const Run& run, const std::vector<Attempt>& attempts) {
    std::vector<Finding> still;
    for (Finding& open : m_open) {
      if (std::ranges::any_of(m_out, [&](const Finding& one) { return same(one, open); })) continue;
      const auto attempt = std::ranges::find(attempts, open.attempt, &Attempt::id);
      const bool older = attempt != attempts.end() && attempt->id != attempts.back().id;
      // A run that finished without another step was not stuck: it did its last save and evaluation.
      if (!older && run.state == RunState::kFinished && !steppedSince(open))
        withdraw(open, run.end.value_or(open.start.value_or(0)));
      else if (older && attempt->end)
        open.end = attempt->end;
      else if (older && attempts.back().start)
        open.end = attempts.back().start;
      else if (attempt != attempts.end() && attempt->end)
        open.end = attempt->end;
      else if (m_moved && (!open.start || *m_moved > *open.start))
        open.end = m_moved;
      else if (const auto grown = std::ranges::find(m_out, kHang, &Finding::kind); grown != m_out.end())
        open.end = grown->start;  // the stall that became this hang
      else
        open.end = m_moved ? m_moved : run.end ? run.end : open.start;
      m_out.push_back(open);
    }
    for (const Finding& one : m_out)
      if (!one.end) still.push_back(one);
    m_open = std::move(still);
  }

  RunId m_run;
  bool m_remembered = false;
  std::vector<Finding> m_open, m_reported, m_grown, m_out;
  std::vector<StepWatch> m_watches;
  std::set<AttemptId> m_settled;
  std::set<AttemptId> m_failed, m_judged;  // their timeouts follow from a fault or a failure; ended, and judged for it
  std::vector<Event> m_timeouts;
  LastMoved m_last_moved;
  std::optional<TimeNs> m_moved;
  Standstill m_standstill;
};

}  // namespace

std::unique_ptr<Analysis> makeHangs() { return std::make_unique<Hangs>(); }

}  // namespace runglass
