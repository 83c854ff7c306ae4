// SPDX-License-Identifier: Apache-2.0
// Goodput of a run: its wall time by cause, the cost of restarts, and the share of the time that made progress.
//
// The effective training-time rate is MegaScale's: completed iterations × iteration time ÷ wall time (Jiang et al., "MegaScale: Scaling
// Large Language Model Training to More Than 10,000 GPUs", NSDI '24). Completed iterations are the kept ones: an iteration that a rewind
// undid counts only when it is repeated. The iteration time is the median of the steady steps of all attempts with the same layout, so that
// a change of the world size does not count as a loss.
//
// Segments are painted over each other, the later wins: start-up and the time after the last step, then known segments within them (process
// groups, loading), saves and evaluations, steps, standstills. Unpainted time is `unexplained`: the segments sum to the wall time.
//
// Threading:  pure; any thread.
// Units:      TimeNs, DurNs, half-open ranges; steps; ratios.
// Errors:     without a clock there are no segments, only values that the steps' durations give.
// Cost:       O(steps) time and memory, 40 bytes per step during the computation.
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
  kGap,          // no attempt running: from a recorded end to the next start
  kStartUp,      // from the start to the first step, where no detail is recorded
  kInit,         // process groups
  kLoad,         // a checkpoint was read
  kCatchUp,      // repeating lost steps
  kProductive,   // steps done for the first time
  kSave,         // training waited for a save
  kEval,         // training waited for an evaluation
  kStalled,      // no progress
  kAfterLast,    // from the last step to the end
  kUnexplained,  // between steps, and time without records
};
inline constexpr std::size_t kSpendCount = 11;
inline constexpr double kLongerStep = 1.2;  // in medians: a shorter step did not wait for its save or evaluation
inline constexpr double kOddStep = 5;       // in medians: of a longer step only one median is training; no record explains the rest
const char* spendName(Spend spend);         // "scheduling_gap", stable
const char* spendWords(Spend spend);        // "scheduling gap"

enum class StepKind : std::uint8_t { kTraining, kFirst, kEval, kSave };
// One step, or several consecutive ones that a log summarizes in one line.
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
  std::optional<TimeNs> start, end;  // as recorded; end absent: it runs, or its end was not observed
  bool running = false;
  bool partial = false;             // its times are not those of the run: of a dump, or of the few dated lines of a log
  std::optional<TimeNs> last_sign;  // of data, where the end is unknown
  std::optional<std::int64_t> resumed_from, first_step, last_step;
  std::vector<LedgerStep> steps;  // by time
  std::vector<DurNs> durations;   // of steady steps whose times are not recorded
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
  std::optional<TimeRange> range;  // from its start or first data, to its end or last data
  bool start_reported = false, end_reported = false;
  SpendTimes spent;               // including the gap before it
  std::vector<Segment> segments;  // tile [end of the previous attempt, range.t1)
  std::optional<std::int64_t> first_step, last_step, resumed_from;
  std::int64_t lost_steps = 0;          // of the previous attempt with steps, undone by this one's start
  std::int64_t kept_steps = 0;          // of this one
  std::optional<DurNs> iteration_time;  // median of its steady steps
  bool untimed = false;                 // step durations are recorded without times: they are unexplained in `segments`
  bool layout_changed = false;          // against the previous attempt
  Layout layout;
  Ending ending;
  std::optional<TimeNs> stepped_until;  // the end of the last step
};

struct EndCause {
  EndKind kind = EndKind::kNotSaid;
  int count = 0;
  bool planned = false;
  // Standstills before the end, the time after the last step of an unplanned end, the following gap and start-up, and repeated steps: as
  // for an incident.
  DurNs cost = 0;
};

struct SaveCost {
  std::optional<DurNs> blocked;        // median time that training waited for a save
  std::optional<DurNs> until_durable;  // median; an asynchronous save blocks for less
  std::optional<DurNs> every;          // median time between two saves
  std::optional<std::int64_t> every_steps;
  int saves = 0;
};

struct Ledger {
  std::vector<LedgerRow> rows;
  std::optional<DurNs> wall;
  SpendTimes spent;
  bool is_sample = false;  // only some steps were recorded
  std::int64_t completed_steps = 0, lost_steps = 0;
  std::optional<double> effective_ratio;
  int failures = 0, planned_ends = 0, unsaid_ends = 0;
  Mtbf mtbf;                     // of the failures over the attempts' time; empty if one is partial
  std::vector<EndCause> causes;  // unplanned first, then by cost
};

struct SaveTime {
  std::int32_t attempt = 0;
  std::int64_t step = 0;
  std::optional<TimeNs> begin, durable;
  std::optional<TimeRange> step_beside;  // the step during which it became durable, where its start is not recorded
};

Ledger makeLedger(std::vector<AttemptRecord> attempts);
SaveCost saveCostOf(const Ledger& ledger, const std::vector<SaveTime>& saves);
// The time of a range by cause; nothing outside the run. O(log segments + segments in the range) per attempt.
SpendTimes spentIn(const Ledger& ledger, TimeRange range);

}  // namespace runglass
