// SPDX-License-Identifier: Apache-2.0
// The restart ledger of a run: what every moment of its wall time was spent on, what restarts cost and how much of the time made progress.
//
// The effective training-time rate is MegaScale's: completed iterations × iteration time ÷ wall time (Jiang et al., "MegaScale: Scaling
// Large Language Model Training to More Than 10,000 GPUs", NSDI '24). Completed are the iterations that were kept: of those
// that a rewind undid, only the second doing counts. The iteration time is the median of the steady steps of all attempts with the same
// layout, so that a change of the world size does not count as a loss.
//
// Parts are painted over each other, the later wins: start-up and the time after the last step, then what is known inside them (process
// groups, loading), saves and evaluations, steps, standstills. What nothing paints is `unexplained`: parts sum to the wall time.
//
// Threading:  pure; any thread.
// Ownership:  values.
// Units:      TimeNs, DurNs, half-open ranges; steps; ratios.
// Errors:     none: without a clock there are no parts, only what steps tell.
// Cost:       O(steps) time and memory, 40 bytes a step while it works.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/goodput/ending.h"
#include "analysis/statistics/failures.h"
#include "model/topology.h"

namespace runglass {

enum class Spend : std::uint8_t {
  kGap,          // no attempt lived: from an end that was told to the next start
  kStartUp,      // from the start to the first step, where nothing tells more
  kInit,         // process groups
  kLoad,         // a checkpoint was read
  kCatchUp,      // steps that were done before and lost
  kProductive,   // steps done for the first time
  kSave,         // training waited for a save
  kEval,         // training waited for an evaluation
  kStalled,      // nothing moved
  kAfterLast,    // from the last step to the end
  kUnexplained,  // between steps, and what nobody told
};
inline constexpr std::size_t kSpendCount = 11;
inline constexpr double kLongerStep = 1.2;  // a step of less than so many medians did not wait for its save or evaluation
inline constexpr double kOddStep = 5;       // of a step of more, only one median is training; nobody said what the rest was
const char* spendName(Spend spend);         // "scheduling_gap", stable
const char* spendWords(Spend spend);        // "scheduling gap"

enum class StepKind : std::uint8_t { kTraining, kFirst, kEval, kSave };
// One step, or several in a row that a log sums up in one line.
struct LedgerStep {
  std::int64_t step = 0;  // the last of them
  std::int64_t count = 1;
  TimeNs begin = 0, end = 0;
  StepKind kind = StepKind::kTraining;
};

struct KnownTime {
  TimeRange range;
  Spend spend = Spend::kUnexplained;
};

struct AttemptRecord {
  std::int32_t number = 0;
  std::optional<TimeNs> start, end;  // as told; end absent: it runs, or nobody saw it end
  bool running = false;
  std::optional<TimeNs> last_sign;  // of data, where the end is not known
  std::optional<std::int64_t> resumed_from, first_step, last_step;
  std::vector<LedgerStep> steps;  // by time
  std::vector<DurNs> durations;   // of steady steps, where nobody told when they were
  std::vector<KnownTime> known;   // init, load, saves, evaluations, standstills; any order
  Layout layout;
  Ending ending;
};

struct Segment {
  TimeNs t0 = 0, t1 = 0;
  Spend spend = Spend::kUnexplained;
};

using SpendTimes = std::array<std::optional<DurNs>, kSpendCount>;  // absent: not known, or it did not happen

struct LedgerRow {
  std::int32_t number = 0;
  std::optional<TimeRange> range;  // from its start, or the first sign of it, to its end or the last sign
  bool start_reported = false, end_reported = false;
  SpendTimes spent;               // with the gap before it
  std::vector<Segment> segments;  // tile [end of the one before, range.t1)
  std::optional<std::int64_t> first_step, last_step, resumed_from;
  std::int64_t lost_steps = 0;          // of the attempt that stepped before, undone by this one's begin
  std::int64_t kept_steps = 0;          // of this one
  std::optional<DurNs> iteration_time;  // median of its steady steps
  bool untimed = false;                 // it is told how long steps took and not when: in `segments` they are unexplained
  bool layout_changed = false;          // against the attempt before
  Layout layout;
  Ending ending;
  std::optional<TimeNs> stepped_until;  // the end of the last step
};

struct EndCause {
  EndKind kind = EndKind::kNotSaid;
  int count = 0;
  bool planned = false;
  // Standstills before the end, the time after the last step of one that was not planned, the gap and start-up after it, and what was done
  // again: as an incident counts it.
  DurNs cost = 0;
};

struct SaveCost {
  std::optional<DurNs> blocked;        // median time that training waited for one
  std::optional<DurNs> until_durable;  // median; an asynchronous save blocks for less
  std::optional<DurNs> every;          // median time between two
  std::optional<std::int64_t> every_steps;
  int saves = 0;
};

struct Ledger {
  std::vector<LedgerRow> rows;
  std::optional<DurNs> wall;
  SpendTimes spent;
  bool is_sample = false;  // only some of the steps were recorded
  std::int64_t completed_steps = 0, lost_steps = 0;
  std::optional<double> effective_ratio;
  int failures = 0, planned_ends = 0, unsaid_ends = 0;
  Mtbf mtbf;                     // of the failures over the attempts' time
  std::vector<EndCause> causes;  // unplanned first, then by cost
};

struct SaveTime {
  std::int32_t attempt = 0;
  std::int64_t step = 0;
  std::optional<TimeNs> begin, durable;
  std::optional<TimeRange> step_beside;  // the step during which it became durable, where nobody told its begin
};

Ledger makeLedger(std::vector<AttemptRecord> attempts);
SaveCost saveCostOf(const Ledger& ledger, const std::vector<SaveTime>& saves);
// What of a range was spent how; outside the run nothing. O(log segments + those in the range) an attempt.
SpendTimes spentIn(const Ledger& ledger, TimeRange range);

}  // namespace runglass
