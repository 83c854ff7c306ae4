// SPDX-License-Identifier: Apache-2.0
// Invariants: 1. Segments of a row tile its time in order. 2. A step is painted once, as catch-up exactly when an earlier attempt did it.
#include "analysis/goodput/ledger.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "analysis/statistics/median.h"
#include "analysis/steps/stalled_steps.h"

namespace runglass {
namespace {

constexpr double kMaxUseful = 1.1;  // times the wall time: median times are not means

using Segments = std::vector<Segment>;

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

void append(Segments& out, TimeNs t0, TimeNs t1, Spend spend) {
  if (t0 >= t1) return;
  if (!out.empty() && out.back().spend == spend && out.back().t1 == t0)
    out.back().t1 = t1;
  else
    out.push_back({t0, t1, spend});
}

// `over` is sorted by start; of overlapping segments the first wins.
Segments paint(const Segments& under, const Segments& over) {
  Segments out;
  std::size_t top = 0;
  for (const Segment& base : under) {
    TimeNs at = base.t0;
    while (at < base.t1) {
      while (top < over.size() && over[top].t1 <= at) ++top;
      if (top == over.size() || over[top].t0 >= base.t1) {
        append(out, at, base.t1, base.spend);
        break;
      }
      append(out, at, over[top].t0, base.spend);
      const TimeNs begin = std::max(at, over[top].t0), end = std::min(base.t1, over[top].t1);
      append(out, begin, end, over[top].spend);
      at = end;
    }
  }
  return out;
}

// A store may hold arbitrary values; values so large that sums would overflow are treated as absent.
constexpr TimeNs kFar = 4'000'000'000'000'000'000;
constexpr std::int64_t kFarStep = std::int64_t{1} << 53;
constexpr std::int64_t kMaxCount = 1'000'000;
bool isTime(TimeNs time) { return time > -kFar && time < kFar; }
bool isStep(std::int64_t step) { return step > -kFarStep && step < kFarStep; }

void takeNonsenseOut(AttemptRecord& attempt) {
  for (std::optional<TimeNs>* time : {&attempt.start, &attempt.end, &attempt.last_sign})
    if (*time && !isTime(**time)) time->reset();
  for (std::optional<std::int64_t>* step : {&attempt.resumed_from, &attempt.first_step, &attempt.last_step})
    if (*step && !isStep(**step)) step->reset();
  std::erase_if(attempt.steps, [](const LedgerStep& one) {
    return !isTime(one.begin) || !isTime(one.end) || !isStep(one.step) || one.count < 1 || one.count > kMaxCount;
  });
  std::erase_if(attempt.durations, [](DurNs one) { return one <= 0 || one > kFar; });
}

std::vector<DurNs> steadyDurations(const AttemptRecord& attempt) {
  std::vector<DurNs> steady = attempt.durations;
  for (const LedgerStep& step : attempt.steps)
    if (step.kind == StepKind::kTraining && step.end > step.begin) steady.push_back((step.end - step.begin) / step.count);
  const UsualLength usual = usualLength(steady);
  std::erase_if(steady, [&](DurNs length) { return usual.isStalled(length); });
  return steady;
}

using RegimeKey = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;
RegimeKey regimeOf(const Layout& l) { return {l.world, l.tp, l.pp, l.dp}; }

// The cause of a step's time beyond the median.
Spend excessOf(StepKind kind) {
  switch (kind) {
    case StepKind::kFirst:
      return Spend::kStartUp;  // compiling, opening files, warming caches
    case StepKind::kEval:
      return Spend::kEval;
    case StepKind::kSave:
      return Spend::kSave;
    case StepKind::kTraining:
      break;
  }
  return Spend::kUnexplained;
}

// The segments of an attempt's steps. `done`: the last step that earlier attempts did.
Segments stepSegments(const AttemptRecord& attempt, std::int64_t done, std::optional<DurNs> usual) {
  Segments out;
  TimeNs free = std::numeric_limits<TimeNs>::min();
  for (const LedgerStep& step : attempt.steps) {
    const TimeNs begin = std::max(step.begin, free), end = step.end;
    if (begin >= end) continue;
    free = end;
    TimeNs trained = end;
    const double most = static_cast<double>(usual.value_or(0)) * static_cast<double>(step.count);
    const double limit = step.kind == StepKind::kEval || step.kind == StepKind::kSave ? kLongerStep : kOddStep;
    if (usual && static_cast<double>(end - begin) > limit * most) trained = begin + static_cast<DurNs>(most);
    const std::int64_t redone = done == kNone ? 0 : std::clamp<std::int64_t>(done - (step.step - step.count), 0, step.count);
    const TimeNs caught_up = begin + static_cast<TimeNs>(static_cast<double>(trained - begin) * static_cast<double>(redone) /
                                                         static_cast<double>(std::max<std::int64_t>(1, step.count)));
    append(out, begin, caught_up, Spend::kCatchUp);
    append(out, caught_up, trained, Spend::kProductive);
    append(out, trained, end, excessOf(step.kind));
  }
  return out;
}

Segments knownSegments(const AttemptRecord& attempt, std::initializer_list<Spend> wanted) {
  Segments out;
  for (const KnownTime& known : attempt.known)
    if (std::ranges::find(wanted, known.spend) != wanted.end() && known.range.t0 < known.range.t1)
      out.push_back({known.range.t0, known.range.t1, known.spend});
  std::ranges::stable_sort(out, {}, &Segment::t0);
  return out;
}

class Maker {
 public:
  explicit Maker(std::vector<AttemptRecord> attempts) : m_attempts(std::move(attempts)) {
    for (AttemptRecord& attempt : m_attempts) takeNonsenseOut(attempt);
    std::ranges::stable_sort(m_attempts, {}, &AttemptRecord::number);
  }

  Ledger make() {
    std::map<RegimeKey, std::vector<DurNs>> steady;
    for (const AttemptRecord& attempt : m_attempts) {
      auto own = steadyDurations(attempt);
      auto& all = steady[regimeOf(attempt.layout)];
      all.insert(all.end(), own.begin(), own.end());
    }
    for (auto& [regime, values] : steady)
      if (const auto middle = median(std::move(values))) m_usual[regime] = *middle;
    for (const AttemptRecord& attempt : m_attempts) addRow(attempt);
    countKept();
    sumUp();
    countEnds();
    return std::move(m_ledger);
  }

 private:
  std::optional<DurNs> usual(const Layout& layout) const {
    const auto found = m_usual.find(regimeOf(layout));
    return found != m_usual.end() ? std::optional(found->second) : std::nullopt;
  }

  void addRow(const AttemptRecord& attempt) {
    LedgerRow row{.number = attempt.number, .resumed_from = attempt.resumed_from, .layout = attempt.layout, .ending = attempt.ending};
    row.first_step = attempt.first_step, row.last_step = attempt.last_step;
    for (const LedgerStep& step : attempt.steps) {
      row.first_step = std::min(row.first_step.value_or(step.step), step.step - step.count + 1);
      row.last_step = std::max(row.last_step.value_or(step.step), step.step);
    }
    const LedgerRow* before = m_ledger.rows.empty() ? nullptr : &m_ledger.rows.back();
    // An attempt without steps lost nothing; it did not recover the previous one's loss either.
    if (m_tip && row.first_step) row.lost_steps = std::max<std::int64_t>(0, *m_tip - row.resumed_from.value_or(*row.first_step - 1));
    if (before != nullptr) {
      const auto differ = [](std::int32_t a, std::int32_t b) { return a > 0 && b > 0 && a != b; };
      const Layout &a = before->layout, &b = row.layout;
      row.layout_changed = differ(a.world, b.world) || differ(a.tp, b.tp) || differ(a.pp, b.pp) || differ(a.dp, b.dp) ||
                           differ(a.cp, b.cp) || differ(a.ep, b.ep) || differ(a.vpp, b.vpp);
    }
    row.iteration_time = median(steadyDurations(attempt));
    row.untimed = attempt.steps.empty() && !attempt.durations.empty();
    paintRow(attempt, row);
    if (row.last_step) m_done = std::max(m_done, *row.last_step), m_tip = row.last_step;
    m_ledger.lost_steps += row.lost_steps;
    m_ledger.rows.push_back(std::move(row));
  }

  void paintRow(const AttemptRecord& attempt, LedgerRow& row) {
    std::optional<TimeNs> t0 = attempt.start, t1 = attempt.end;
    if (!t0 && !attempt.steps.empty()) t0 = attempt.steps.front().begin;
    if (!t1) {
      t1 = attempt.last_sign;
      if (!attempt.steps.empty()) t1 = std::max(t1.value_or(attempt.steps.back().end), attempt.steps.back().end);
    }
    if (!t0 || !t1 || *t1 <= *t0) return;
    // A running attempt has no last step yet: the time since its newest step belongs to the step in progress.
    row.start_reported = attempt.start.has_value(), row.end_reported = attempt.end.has_value() && !attempt.running;
    if (m_end && *t0 < *m_end) t0 = m_end;  // overlapping attempts: the later one gets only the remaining time
    if (*t1 <= *t0) return;
    row.range = TimeRange{*t0, *t1};
    Segments all;
    if (m_end) append(all, *m_end, *t0, m_end_reported && row.start_reported ? Spend::kGap : Spend::kUnexplained);
    m_end = t1, m_end_reported = row.end_reported;
    Segments own{{*t0, *t1, Spend::kUnexplained}};
    const bool stepped = !attempt.steps.empty();
    if (stepped) row.stepped_until = attempt.steps.back().end;
    // Steps without times leave the time unexplained.
    if (row.start_reported && (stepped || !attempt.first_step))
      own = paint(own, {{*t0, stepped ? attempt.steps.front().begin : *t1, Spend::kStartUp}});
    // Times that contradict the order of the steps do not show which step was last.
    if (stepped && row.end_reported && attempt.steps.back().step == row.last_step)
      own = paint(own, {{attempt.steps.back().end, *t1, Spend::kAfterLast}});
    own = paint(own, knownSegments(attempt, {Spend::kInit, Spend::kLoad}));
    own = paint(own, knownSegments(attempt, {Spend::kSave, Spend::kEval}));
    own = paint(own, stepSegments(attempt, m_done, usual(attempt.layout)));
    own = paint(own, knownSegments(attempt, {Spend::kStalled}));
    for (const Segment& one : own) append(all, one.t0, one.t1, one.spend);
    for (const Segment& one : all) {
      auto& sum = row.spent[static_cast<std::size_t>(one.spend)];
      sum = sum.value_or(0) + (one.t1 - one.t0);
    }
    row.segments = std::move(all);
  }

  // From the newest attempt backwards: steps of an earlier attempt beyond the resume point of a later one are lost.
  void countKept() {
    std::int64_t upper = std::numeric_limits<std::int64_t>::max();
    for (auto row = m_ledger.rows.rbegin(); row != m_ledger.rows.rend(); ++row) {
      if (!row->first_step || !row->last_step) continue;
      // Steps before the first recorded one do not count: a run whose log begins at 5,000 did not do 5,000 steps here.
      const std::int64_t from = *row->first_step - 1;
      row->kept_steps = std::max<std::int64_t>(0, std::min(*row->last_step, upper) - from);
      upper = std::min(upper, row->resumed_from.value_or(from));
      m_ledger.completed_steps += row->kept_steps;
    }
  }

  void sumUp() {
    double useful = 0;
    bool any = false;
    DurNs wall = 0;
    for (const LedgerRow& row : m_ledger.rows) {
      for (const Segment& one : row.segments) wall += one.t1 - one.t0;
      if (const auto time = usual(row.layout); time && row.range) {
        any = true;
        double kept = static_cast<double>(row.kept_steps) * static_cast<double>(*time);
        // Useful time is at most the steps' actual time: a median of few steps overestimates slightly.
        if (const auto& first = row.spent[static_cast<std::size_t>(Spend::kProductive)];
            first && kept < kMaxUseful * static_cast<double>(*first))
          kept = std::min(kept, static_cast<double>(*first + row.spent[static_cast<std::size_t>(Spend::kCatchUp)].value_or(0)));
        useful += kept;
      }
    }
    if (wall > 0) m_ledger.wall = wall;
    // Steps longer than the available time: their numbers advance where nothing was recorded, as in a profile of some steps.
    m_ledger.is_sample = any && wall > 0 && useful > kMaxUseful * static_cast<double>(wall);
    if (any && wall > 0 && !m_ledger.is_sample) addUntimed();
    for (const LedgerRow& row : m_ledger.rows)
      for (std::size_t i = 0; i < kSpendCount; ++i)
        if (row.spent[i]) m_ledger.spent[i] = m_ledger.spent[i].value_or(0) + *row.spent[i];
    if (any && wall > 0 && !m_ledger.is_sample) m_ledger.effective_ratio = std::min(1.0, useful / static_cast<double>(wall));
  }

  // Steps with durations but no times: they are assigned that much of the unexplained time.
  void addUntimed() {
    for (LedgerRow& row : m_ledger.rows) {
      auto& rest = row.spent[static_cast<std::size_t>(Spend::kUnexplained)];
      if (!row.untimed || !row.range || !row.iteration_time || row.kept_steps <= 0 || !rest) continue;
      const double kept = static_cast<double>(row.kept_steps) * static_cast<double>(*row.iteration_time);
      const DurNs took = kept < static_cast<double>(*rest) ? static_cast<DurNs>(kept) : *rest;
      auto& productive = row.spent[static_cast<std::size_t>(Spend::kProductive)];
      productive = productive.value_or(0) + took, *rest -= took;
      if (*rest == 0) rest.reset();
    }
  }

  void countEnds() {
    std::map<EndKind, EndCause> causes;
    double up_s = 0;
    for (std::size_t i = 0; i < m_ledger.rows.size(); ++i) {
      const LedgerRow& row = m_ledger.rows[i];
      if (row.range) up_s += static_cast<double>(row.range->t1 - row.range->t0) / kNsPerSecond;
      if (row.ending.kind == EndKind::kRunning) continue;
      if (!row.ending.planned)
        ++m_ledger.unsaid_ends;
      else
        ++(*row.ending.planned ? m_ledger.planned_ends : m_ledger.failures);
      EndCause& cause = causes[row.ending.kind];
      cause.kind = row.ending.kind;
      ++cause.count;
      cause.planned = row.ending.planned.value_or(false);
      cause.cost += row.spent[static_cast<std::size_t>(Spend::kStalled)].value_or(0);
      // For a planned end it is the shutdown time.
      if (!cause.planned) cause.cost += row.spent[static_cast<std::size_t>(Spend::kAfterLast)].value_or(0);
      if (i + 1 == m_ledger.rows.size()) continue;
      for (const Spend spend : {Spend::kGap, Spend::kStartUp, Spend::kInit, Spend::kLoad, Spend::kCatchUp})
        cause.cost += m_ledger.rows[i + 1].spent[static_cast<std::size_t>(spend)].value_or(0);
    }
    for (const auto& [kind, cause] : causes) m_ledger.causes.push_back(cause);
    std::ranges::stable_sort(m_ledger.causes, [](const EndCause& a, const EndCause& b) {
      return std::tuple(a.planned, -a.cost, -a.count) < std::tuple(b.planned, -b.cost, -b.count);
    });
    if (std::ranges::none_of(m_attempts, &AttemptRecord::partial)) m_ledger.mtbf = mtbfOf(m_ledger.failures, up_s);
  }

  std::vector<AttemptRecord> m_attempts;
  std::map<RegimeKey, DurNs> m_usual;
  std::int64_t m_done = kNone;
  std::optional<std::int64_t> m_tip;  // the last step of the newest attempt with steps
  std::optional<TimeNs> m_end;
  bool m_end_reported = false;
  Ledger m_ledger;
};

}  // namespace

const char* spendName(Spend spend) {
  constexpr std::array kNames = {"scheduling_gap", "start_up",   "init",    "checkpoint_load", "catch_up",   "productive",
                                 "checkpoint",     "evaluation", "stalled", "after_last_step", "unexplained"};
  return kNames[static_cast<std::size_t>(spend)];
}

const char* spendWords(Spend spend) {
  constexpr std::array kNames = {
      "scheduling gap", "start-up", "process-group initialisation", "checkpoint load", "catch-up", "productive", "checkpoint",
      "evaluation",     "stalled",  "after the last step",          "unexplained"};
  return kNames[static_cast<std::size_t>(spend)];
}

Ledger makeLedger(std::vector<AttemptRecord> attempts) { return Maker(std::move(attempts)).make(); }

SpendTimes spentIn(const Ledger& ledger, TimeRange range) {
  SpendTimes out;
  for (const LedgerRow& row : ledger.rows)
    for (auto one = std::ranges::upper_bound(row.segments, range.t0, {}, &Segment::t1); one != row.segments.end() && one->t0 < range.t1;
         ++one) {
      const DurNs length = std::min(one->t1, range.t1) - std::max(one->t0, range.t0);
      if (length <= 0) continue;
      auto& sum = out[static_cast<std::size_t>(one->spend)];
      sum = sum.value_or(0) + length;
    }
  return out;
}

SaveCost saveCostOf(const Ledger& ledger, const std::vector<SaveTime>& saves) {
  SaveCost out{.saves = static_cast<int>(saves.size())};
  std::vector<DurNs> durable, blocked, every, every_steps;
  const SaveTime* before = nullptr;
  for (const SaveTime& save : saves) {
    if ((save.begin && !isTime(*save.begin)) || (save.durable && !isTime(*save.durable)) || !isStep(save.step)) continue;
    if (save.begin && save.durable && *save.durable > *save.begin) {
      durable.push_back(*save.durable - *save.begin);
      blocked.push_back(spentIn(ledger, {*save.begin, *save.durable})[static_cast<std::size_t>(Spend::kSave)].value_or(0));
    }
    if (!save.begin && save.step_beside)
      if (const auto waited = spentIn(ledger, *save.step_beside)[static_cast<std::size_t>(Spend::kSave)]) blocked.push_back(*waited);
    const auto at = save.begin ? save.begin : save.durable;
    if (before != nullptr && before->attempt == save.attempt) {
      const auto at_before = before->begin ? before->begin : before->durable;
      if (at && at_before && *at > *at_before) every.push_back(*at - *at_before);
      if (save.step > before->step) every_steps.push_back(save.step - before->step);
    }
    before = &save;
  }
  out.until_durable = median(std::move(durable));
  // Whether a step waited is known only where steps were recorded.
  const bool stepped = ledger.spent[static_cast<std::size_t>(Spend::kProductive)].has_value();
  if (stepped) out.blocked = median(std::move(blocked));
  out.every = median(std::move(every));
  out.every_steps = median(std::move(every_steps));
  return out;
}

}  // namespace runglass
