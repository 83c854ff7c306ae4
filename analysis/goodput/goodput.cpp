// SPDX-License-Identifier: Apache-2.0
#include "analysis/goodput/goodput.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <span>

#include "analysis/goodput/step_record.h"
#include "analysis/run_summary/roles.h"
#include "model/spans.h"

namespace runglass {
namespace {

constexpr DurNs kBesideHang = 2 * 60 * kNsPerSecond;  // clocks and detection of a fault and a hang of the same moment
constexpr DurNs kBesideEnd = 30 * 60 * kNsPerSecond;  // a finding that lasted until at most this long before an end belongs to it
constexpr std::size_t kMaxEvaluations = 100'000;
constexpr std::size_t kMaxMarkedAttempts = 64;  // logs are searched for the newest attempts only

class Gatherer {
 public:
  Gatherer(Reader& reader, const Run& run, std::span<const Finding> findings, std::optional<TimeNs> now, std::stop_token stop)
      : m_reader(reader), m_run(run), m_findings(findings), m_now(now), m_stop(std::move(stop)) {}

  Result<Goodput> gather() {
    RG_ASSIGN(m_attempts, m_reader.attempts(m_run.id));
    RG_ASSIGN(m_series, m_reader.series({.run = m_run.id}));
    RG_ASSIGN(m_checkpoints, m_reader.checkpoints(m_run.id));
    RG_ASSIGN(m_events, m_reader.events({.range = {}, .run = m_run.id, .at_least = Severity::kDebug, .kind = "checkpoint_loaded"}));
    std::vector<AttemptRecord> records;
    Goodput out;
    for (const Attempt& attempt : m_attempts) {
      if (m_stop.stop_requested()) return Status(Code::kCancelled, "goodput: superseded");
      std::vector<Series> own;
      for (const Series& series : m_series)
        if (series.key.attempt == attempt.id) own.push_back(series);
      RG_ASSIGN(StepRecord steps, readSteps(m_reader, attempt.id, own, m_stop));
      RG_ASSIGN(AttemptRecord record, recordOf(attempt, own, steps));
      records.push_back(std::move(record));
      out.step_sources.push_back(std::move(steps.source));
    }
    out.kept = keptSteps(records);
    const bool any_steps = std::ranges::any_of(records, [](const AttemptRecord& r) { return !r.steps.empty() || !r.durations.empty(); });
    out.ledger = makeLedger(std::move(records));
    out.saves = saveCostOf(out.ledger, saveTimes());
    const int gpus = m_attempts.empty() ? 0 : m_attempts.back().layout.world;
    out.advice = adviseSaves(out.ledger, out.saves, gpus);
    if (!out.ledger.effective_ratio)
      out.reason = m_attempts.empty()                       ? "the run has no attempt"
                   : m_run.time_domain == TimeDomain::kNone ? "the run's source has no clock: wall time is not known"
                   : out.ledger.is_sample                   ? "only some of the steps were recorded"
                   : !any_steps                             ? "begin and end of steps are not recorded"
                                                            : "no attempt has a begin and an end";
    return out;
  }

 private:
  Result<AttemptRecord> recordOf(const Attempt& attempt, std::span<const Series> own, StepRecord& steps) {
    const bool newest = attempt.id == m_attempts.back().id;
    AttemptRecord record{.number = attempt.number,
                         .start = attempt.start,
                         .end = attempt.end,
                         .resumed_from = attempt.resumed_from_step,
                         .first_step = attempt.first_step,
                         .last_step = attempt.last_step,
                         .steps = std::move(steps.steps),
                         .durations = std::move(steps.durations),
                         .layout = attempt.layout};
    record.running = newest && m_run.state == RunState::kRunning && !attempt.end;
    for (const Series& series : own)
      if (series.last_time) record.last_sign = std::max(record.last_sign.value_or(*series.last_time), *series.last_time);
    if (record.running && m_now) record.end = std::max(*m_now, record.last_sign.value_or(*m_now));
    RG_TRY(markPartial(attempt, record));
    addSaves(attempt, record);
    RG_TRY(addEvaluations(own, record));
    addFindings(attempt, record);
    RG_TRY(addMarks(attempt, record));
    return record;
  }

  // A dump of a flight recorder has the last seconds; a log whose steps have no times may have dated errors.
  Status markPartial(const Attempt& attempt, AttemptRecord& record) const {
    if (!record.steps.empty() || !record.durations.empty()) return {};
    RG_ASSIGN(const auto facts, m_reader.facts(attempt.id));
    const bool dump = std::ranges::any_of(facts, [](const Fact& fact) { return fact.key == "flight_recorder_version"; });
    record.partial = dump || record.first_step;
    return {};
  }

  void addSaves(const Attempt& attempt, AttemptRecord& record) {
    for (const Checkpoint& save : m_checkpoints) {
      if (save.attempt != attempt.id) continue;
      if (save.begin && save.durable && *save.durable > *save.begin) record.known.push_back({{*save.begin, *save.durable}, Spend::kSave});
      // Inside a step, as where Megatron saves within "elapsed time per iteration": the excess over other steps is the save.
      if (save.begin || !save.durable) continue;
      const auto step = std::ranges::lower_bound(record.steps, *save.durable, {}, &LedgerStep::end);
      if (step == record.steps.end() || step->begin >= *save.durable || step->kind != StepKind::kTraining) continue;
      step->kind = StepKind::kSave;
      m_saved_in[{attempt.number, save.step}] = TimeRange{step->begin, step->end};
    }
  }

  // An evaluation's value between two steps: the time up to it was spent on the evaluation.
  Status addEvaluations(std::span<const Series> own, AttemptRecord& record) const {
    if (record.steps.size() < 2) return {};
    std::vector<TimeNs> spoken;
    for (const Series& series : own) {
      if (series.key.kind != SeriesKind::kScalar || series.key.rank || !series.last_time || !isEvaluation(series.key)) continue;
      if (series.sample_count > static_cast<std::int64_t>(kMaxEvaluations)) continue;
      RG_ASSIGN(const ScalarColumns points,
                m_reader.scalars(series.id, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), m_stop));
      std::ranges::copy_if(points.time, std::back_inserter(spoken), [](TimeNs at) { return at != kAbsent; });
    }
    std::ranges::sort(spoken);
    spoken.erase(std::unique(spoken.begin(), spoken.end()), spoken.end());
    for (const TimeNs at : spoken) {
      // Inside a step, as in Megatron's "elapsed time per iteration": the excess over other steps is the evaluation.
      const auto after = std::ranges::upper_bound(record.steps, at, {}, &LedgerStep::end);
      if (after != record.steps.end() && after->begin < at && after->kind == StepKind::kTraining) after->kind = StepKind::kEval;
      const auto next = std::ranges::upper_bound(record.steps, at, {}, &LedgerStep::begin);
      if (next == record.steps.begin() || next == record.steps.end()) continue;
      const LedgerStep& before = *std::prev(next);
      if (before.end < at) record.known.push_back({{before.end, at}, Spend::kEval});
    }
    return {};
  }

  void addFindings(const Attempt& attempt, AttemptRecord& record) const {
    std::string fault, hang;
    std::optional<TimeNs> fault_start, hang_start, hang_until;
    const auto end = attempt.end;
    for (const Finding& finding : m_findings) {
      if (finding.attempt != attempt.id) continue;
      const bool stands = finding.kind == "hang" || finding.kind == "stall", broken = finding.kind == "hardware_fault";
      const auto until = finding.end ? finding.end : record.running ? record.end : end;
      if (stands && finding.start && until && *until > *finding.start) record.known.push_back({{*finding.start, *until}, Spend::kStalled});
      if (!end || !finding.start || *finding.start > *end || finding.severity < Severity::kError) continue;
      if (until && static_cast<double>(*until) < static_cast<double>(*end) - static_cast<double>(kBesideEnd)) continue;
      if (broken && (fault.empty() || *finding.start < *fault_start)) fault = finding.summary, fault_start = finding.start;
      if (stands && hang.empty()) hang = finding.summary, hang_start = finding.start, hang_until = until;
    }
    // A fault while the ranks waited did not cause their wait.
    const bool waited = fault_start && hang_start && (!hang_until || *hang_until >= *fault_start);
    if (waited && *fault_start > *hang_start + kBesideHang) fault.clear();
    if (record.running) {
      record.ending = {.kind = EndKind::kRunning};
      return;
    }
    record.ending = endingOf(attempt.end_cause, attempt.planned, fault, hang);
    if (attempt.id == m_attempts.back().id && attempt.end_cause.empty() && m_run.state == RunState::kFinished)
      record.ending = {.kind = EndKind::kFinished, .planned = true};
  }

  // The oldest or newest log line, by `order`, with any of the phrases and a time before `until`.
  Result<std::optional<TimeNs>> lineOf(const Attempt& attempt, std::span<const char* const> phrases, TimeNs until, RowOrder order) {
    std::optional<TimeNs> found;
    for (const char* phrase : phrases) {
      RG_ASSIGN(const LogPage page, m_reader.searchLogs({.words = '"' + std::string(phrase) + '"',
                                                         .range = {std::numeric_limits<TimeNs>::min() + 1, until},
                                                         .run = m_run.id,
                                                         .attempt = attempt.id,
                                                         .order = order,
                                                         .limit = 1},
                                                        m_stop));
      if (page.hits.empty() || !page.hits.front().line.time) continue;
      const TimeNs time = *page.hits.front().line.time;
      found = !found ? time : order == RowOrder::kOldestFirst ? std::min(*found, time) : std::max(*found, time);
    }
    return found;
  }

  // Log marks of the time before the first step.
  Status addMarks(const Attempt& attempt, AttemptRecord& record) {
    if (!attempt.start || m_attempts.size() - static_cast<std::size_t>(&attempt - m_attempts.data()) > kMaxMarkedAttempts) return {};
    const TimeNs first = record.steps.empty() ? record.end.value_or(record.last_sign.value_or(*attempt.start)) : record.steps.front().begin;
    const auto inside = [&](std::optional<TimeNs> at) { return at && *at > *attempt.start && *at <= first; };
    // Process groups: Megatron-LM, DeepSpeed, NCCL_DEBUG=INFO. Time before the first of these lines is start-up.
    constexpr std::array kBegins = {"initializing torch distributed", "Initializing TorchBackend", "Init START"};
    constexpr std::array kReady = {"initialized tensor model parallel", "Init COMPLETE"};
    constexpr std::array kLoads = {"loading checkpoint from"};
    const TimeNs until = first == std::numeric_limits<TimeNs>::max() ? first : first + 1;
    RG_ASSIGN(const auto begins, lineOf(attempt, kBegins, until, RowOrder::kOldestFirst));
    RG_ASSIGN(const auto ready, lineOf(attempt, kReady, until, RowOrder::kNewestFirst));
    const TimeNs from = inside(begins) ? *begins : *attempt.start;
    if (inside(ready) && *ready > from) record.known.push_back({{from, *ready}, Spend::kInit});
    RG_ASSIGN(const auto loads, lineOf(attempt, kLoads, until, RowOrder::kOldestFirst));
    for (const Event& event : m_events)
      if (event.attempt == attempt.id && inside(event.time) && inside(loads) && *event.time > *loads)
        record.known.push_back({{*loads, *event.time}, Spend::kLoad});
    return {};
  }

  std::vector<SaveTime> saveTimes() const {
    std::vector<SaveTime> saves;
    for (const Attempt& attempt : m_attempts)
      for (const Checkpoint& save : m_checkpoints)
        if (save.attempt == attempt.id) {
          const auto beside = m_saved_in.find({attempt.number, save.step});
          saves.push_back({attempt.number, save.step, save.begin, save.durable,
                           beside != m_saved_in.end() ? std::optional(beside->second) : std::nullopt});
        }
    std::ranges::stable_sort(
        saves, [](const SaveTime& a, const SaveTime& b) { return std::pair(a.attempt, a.step) < std::pair(b.attempt, b.step); });
    return saves;
  }

  Reader& m_reader;
  const Run& m_run;
  std::span<const Finding> m_findings;
  std::optional<TimeNs> m_now;
  std::stop_token m_stop;
  std::vector<Attempt> m_attempts;
  std::vector<Series> m_series;
  std::vector<Checkpoint> m_checkpoints;
  std::vector<Event> m_events;
  std::map<std::pair<std::int32_t, std::int64_t>, TimeRange> m_saved_in;  // by attempt and the checkpoint's step
};

}  // namespace

Result<Goodput> readGoodput(Reader& reader, const Run& run, std::span<const Finding> findings, std::optional<TimeNs> now,
                            std::stop_token stop) {
  return Gatherer(reader, run, findings, now, std::move(stop)).gather();
}

std::vector<DoneStep> keptSteps(std::span<const AttemptRecord> attempts) {
  std::vector<DoneStep> kept;
  for (const AttemptRecord& attempt : attempts) {
    if (attempt.steps.empty()) continue;
    const std::int64_t from = attempt.resumed_from.value_or(attempt.steps.front().step - attempt.steps.front().count);
    while (!kept.empty() && kept.back().step > from) kept.pop_back();
    for (const LedgerStep& step : attempt.steps)
      if (kept.empty() || step.step > kept.back().step) kept.push_back({step.step, step.end});
  }
  return kept;
}

SaveAdvice adviseSaves(const Ledger& ledger, const SaveCost& saves, int gpus) {
  SaveAdvice out;
  const auto cost = saves.blocked && *saves.blocked > 0 ? saves.blocked : saves.until_durable;
  out.save_blocks = saves.blocked && *saves.blocked > 0;
  if (cost) out.save_s = static_cast<double>(*cost) / kNsPerSecond;
  if (!out.save_s)
    out.reason = saves.saves == 0 ? "no checkpoint is recorded" : "the cost of a save is not recorded: no begin, and no longer step";
  else if (!ledger.mtbf.enough())
    out.reason = std::to_string(ledger.failures) + (ledger.failures == 1 ? " failure" : " failures") +
                 ": fewer than 2 give no time between failures";
  out.enough = out.reason.empty();
  if (out.enough) {
    out.young_s = youngInterval(*out.save_s, *ledger.mtbf.mean_s);
    out.daly_s = dalyInterval(*out.save_s, *ledger.mtbf.mean_s);
  }
  out.field_mtbf_s = expectedMtbf(kFieldFailuresPerGpuDay, gpus);
  if (out.save_s && out.field_mtbf_s) out.field_daly_s = dalyInterval(*out.save_s, out.field_mtbf_s->value);
  return out;
}

}  // namespace runglass
