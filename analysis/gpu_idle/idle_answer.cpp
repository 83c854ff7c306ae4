// SPDX-License-Identifier: Apache-2.0
// Invariant: m_tally's causes sum to its idle share; machine measurements move time between its causes and never add any.
#include "analysis/gpu_idle/idle_answer.h"

#include <algorithm>
#include <cstdio>

#include "analysis/gpu_idle/idle_machines.h"
#include "analysis/gpu_idle/idle_parts.h"
#include "analysis/gpu_idle/idle_spans.h"
#include "analysis/gpu_idle/idle_words.h"

namespace runglass {
namespace {

using words::Arg;
using words::Message;

class Explainer {
 public:
  Explainer(Reader& reader, const Attempt& attempt, const IdleScope& scope, const std::stop_token& stop)
      : m_reader(reader), m_attempt(attempt), m_scope(scope), m_stop(stop) {
    m_answer.attempt = attempt.id;
  }

  Result<IdleAnswer> explain() {
    RG_ASSIGN(m_ranks, m_reader.ranks(m_attempt.id));
    RG_TRY(readSteps());
    RG_TRY(readMachinesOfSteps());
    if (m_answer.basis == IdleBasis::kMetrics && !fromMetrics()) return std::move(m_answer);
    RG_TRY(addMachines());
    finish();
    return std::move(m_answer);
  }

 private:
  // Spans if all work of any device was recorded, else parts. The basis stays kMetrics if there is neither.
  Status readSteps() {
    RG_ASSIGN(RankSteps steps, readRankSteps(m_reader, m_attempt.id, m_scope, m_stop));
    IdleScope scope = m_scope;
    RG_ASSIGN(const auto recorded, readDeviceExtent(m_reader, m_attempt.id, m_stop));
    if (recorded) {
      // The spans may be of much earlier steps.
      if (!scope.time && !scope.first_step && !scope.last_step && !isOverlapping(steps, *recorded)) {
        scope.time = recorded;
        RG_ASSIGN(steps, readRankSteps(m_reader, m_attempt.id, scope, m_stop));
      }
      RG_ASSIGN(m_spans, readSpanIdle(m_reader, m_attempt.id, steps, scope, m_stop));
    }
    for (const auto& [rank, own] : steps)
      for (const RankStep& step : own) m_times.push_back(step.range);
    if (m_spans.tally.window > 0) {
      fromSpans();
      return {};
    }
    RG_ASSIGN(m_parts, readPartIdle(m_reader, m_attempt.id, m_scope, m_stop));
    if (m_parts.any()) fromParts();
    return {};
  }

  static bool isOverlapping(const RankSteps& steps, TimeRange range) {
    for (const auto& [rank, own] : steps)
      for (const RankStep& step : own)
        if (step.range.t0 < range.t1 && range.t0 < step.range.t1) return true;
    return false;
  }

  void fromSpans() {
    m_answer.basis = IdleBasis::kSpans;
    m_tally = std::move(m_spans.tally);
    const double window = m_tally.window;
    m_answer.busy = {.compute = m_spans.compute / window,
                     .comm = m_spans.comm / window,
                     .copy = m_spans.copy / window,
                     .comm_wait = {},
                     .overlapped_comm = m_spans.overlapped / window};
    m_answer.launches = m_spans.launches;
    m_answer.left_out = m_spans.left_out, m_answer.ranks_left_out = m_spans.ranks_left_out;
    const Arg left_out = m_answer.ranks_left_out > 0 ? Arg(m_answer.ranks_left_out) : Arg();
    m_answer.basis_words = Message{"idle_basis_spans", {{"devices", m_tally.units}, {"ranks", left_out}}};
    m_unit = "device";
  }

  void fromParts() {
    m_answer.basis = IdleBasis::kParts;
    m_tally = std::move(m_parts.tally);
    const double window = m_tally.window;
    m_answer.busy.compute = m_parts.work / window;
    if (m_parts.comm_reported) m_answer.busy.comm = m_parts.transfer / window, m_answer.busy.comm_wait = m_parts.wait / window;
    m_tally.units = 0;
    for (const Rank& rank : m_ranks) m_tally.units += rank.rank >= 0 ? 1 : 0;
    m_answer.basis_words = Message{"idle_basis_parts", {{"ranks", m_tally.units}}};
    m_unit = "rank";
  }

  std::optional<TimeRange> window() const {
    if (m_scope.time) return m_scope.time;
    if (m_tally.when) return m_tally.when;
    std::optional<TimeRange> out;
    for (const TimeRange& range : m_times) out = out ? TimeRange{std::min(out->t0, range.t0), std::max(out->t1, range.t1)} : range;
    if (out) return out;
    if (m_attempt.start && m_attempt.end && *m_attempt.start < *m_attempt.end) return TimeRange{*m_attempt.start, *m_attempt.end};
    return std::nullopt;
  }

  Status readMachinesOfSteps() {
    m_answer.when = window();
    DurNs length = 0;
    if (!m_answer.when || __builtin_sub_overflow(m_answer.when->t1, m_answer.when->t0, &length) || length <= 0) return {};
    RG_ASSIGN(m_machines, readMachines(m_reader, m_ranks, *m_answer.when, m_stop));
    m_answer.gpu_busy_ratio = m_machines.gpu_busy;
    m_answer.sm_active_ratio = m_machines.sm_active;
    return {};
  }

  bool fromMetrics() {
    const auto busy = m_machines.gpu_busy        ? m_machines.gpu_busy
                      : m_machines.engine_active ? m_machines.engine_active
                                                 : m_machines.sm_active;
    if (!busy) {
      m_answer.reason = m_spans.partial ? Message{"idle_partial_spans", {}} : Message{"idle_not_recorded", {}};
      return false;
    }
    const char* metric = m_machines.gpu_busy ? "gpu_busy_ratio" : m_machines.engine_active ? "graphics_active_ratio" : "sm_active_ratio";
    m_answer.basis_words =
        Message{"idle_basis_metric", {{"metric", metric}, {"devices", m_machines.busy_devices}, {"sample", deviceSample()}}};
    m_unit = "device";
    m_tally.units = m_machines.busy_devices;
    m_tally.window = static_cast<double>(m_answer.when->t1 - m_answer.when->t0) * static_cast<double>(m_machines.busy_devices);
    m_tally[IdleCause::kUnexplained].ns = (1 - *busy) * m_tally.window;
    m_tally.when = m_answer.when;
    return true;
  }

  double totalIdle() const {
    double ns = 0;
    for (const CauseSum& cause : m_tally.causes) ns += cause.ns;
    return m_tally.window > 0 ? ns / m_tally.window : 0;
  }

  Status addMachines() {
    std::optional<std::int64_t> first, last;
    if (!m_tally.steps.empty()) first = *m_tally.steps.begin(), last = *m_tally.steps.rbegin();
    std::optional<double> delay;
    if (m_parts.delay_reported && m_answer.basis == IdleBasis::kParts) {
      delay = m_parts.delay / m_tally.window;
    } else {
      RG_ASSIGN(delay, readRunDelay(m_reader, m_attempt.id, first, last, m_stop));
    }
    addSaturation(delay);
    addStalls();
    addThrottle(IdleCause::kThermal, kThermalReasons, &DeviceClocks::thermal);
    addThrottle(IdleCause::kPowerCap, kPowerCapReason, &DeviceClocks::power_cap);
    return {};
  }

  // In large jobs a sample of the machines represents all.
  Arg nodeSample() const {
    if (m_machines.nodes_total <= kMachinesAsked) return {};
    return Message{"idle_sample_nodes", {{"count", kMachinesAsked}, {"total", m_machines.nodes_total}}};
  }
  Arg deviceSample() const {
    if (m_machines.devices_total <= kMachinesAsked) return {};
    return Message{"idle_sample_devices", {{"count", kMachinesAsked}, {"total", m_machines.devices_total}}};
  }

  // The scheduler's own measurement if recorded, else the share of time in which the node's CPUs were saturated.
  void addSaturation(std::optional<double> delay) {
    double share = 0, busy = 0;
    std::size_t nodes = 0, saturated = 0;
    const NodeLoad* worst = nullptr;
    for (const NodeLoad& node : m_machines.nodes) {
      if (!node.cpu) continue;
      ++nodes;
      share += node.cpu->share, busy += node.cpu->mean_busy;
      saturated += node.cpu->share >= kNoticed ? 1 : 0;
      if (worst == nullptr || node.cpu->share > worst->cpu->share) worst = &node;
    }
    if (!delay && nodes == 0) {
      missing(IdleCause::kCpuSaturation, Message{"idle_no_cpu", {}});
      return;
    }
    const double host = m_tally.share(IdleCause::kHostBound) + m_tally.share(IdleCause::kSmallKernels);
    const double wanted = delay ? *delay : (host + m_tally.share(IdleCause::kUnexplained)) * share / static_cast<double>(nodes);
    if (wanted < kReported) return;
    const double moved =
        m_tally.move(IdleCause::kCpuSaturation, wanted, {IdleCause::kHostBound, IdleCause::kSmallKernels, IdleCause::kUnexplained});
    if (moved < kReported) return;
    IdleRow row = rowOf(IdleCause::kCpuSaturation);
    row.confidence = delay ? 0.6 : 0.4;
    const Arg delayed = delay ? Arg(Message{"idle_run_delay", {{"share", words::ratio(*delay)}}}) : Arg();
    if (nodes == 0) {
      row.evidence = Message{"idle_run_delay", {{"share", words::ratio(*delay)}}};
    } else {
      row.evidence = Message{"idle_saturated",
                             {{"delay", delayed},
                              {"saturated", saturated},
                              {"nodes", nodes},
                              {"share", words::ratio(share / static_cast<double>(nodes))},
                              {"busy", busy > 0 ? Arg(words::ratio(busy / static_cast<double>(nodes))) : Arg()},
                              {"sample", nodeSample()}}};
      row.units = saturated, row.units_total = nodes, row.unit = "node";
      if (worst->cpu->share > 0) row.when = worst->cpu->longest, row.node = worst->node;
    }
    m_answer.rows.push_back(std::move(row));
  }

  void addStalls() {
    double share = 0, count = 0, fallbacks = 0;
    std::size_t nodes = 0, stalled = 0;
    bool timed = true;
    const NodeLoad* worst = nullptr;
    for (const NodeLoad& node : m_machines.nodes) {
      if (!node.stalls) continue;
      ++nodes;
      count += node.stalls->count, fallbacks += node.huge_page_fallbacks.value_or(0);
      if (node.stalls->count <= 0) continue;
      ++stalled;
      timed &= node.stalls->share.has_value();
      share += node.stalls->share.value_or(0);
      if (worst == nullptr || node.stalls->count > worst->stalls->count) worst = &node;
    }
    if (nodes == 0) return missing(IdleCause::kMemoryStall, Message{"idle_no_stalls", {}});
    if (worst == nullptr) return;
    std::optional<double> moved;
    if (timed)
      moved = m_tally.move(IdleCause::kMemoryStall, share / static_cast<double>(nodes), {IdleCause::kHostBound, IdleCause::kUnexplained});
    if (moved && *moved < kReported) return;
    IdleRow row = rowOf(IdleCause::kMemoryStall);
    row.share = moved;
    row.confidence = moved ? 0.4 : 0.2;
    row.units = stalled, row.units_total = nodes, row.unit = "node";
    row.when = worst->stalls->longest, row.node = worst->node;
    row.evidence = Message{"idle_stalls",
                           {{"count", static_cast<std::int64_t>(count)},
                            {"nodes", stalled},
                            {"fallbacks", fallbacks > 0 ? Arg(static_cast<std::int64_t>(fallbacks)) : Arg()},
                            {"length", moved ? Message{"idle_stalls_share", {{"share", words::ratio(share / static_cast<double>(nodes))}}}
                                             : Message{"idle_stalls_no_length", {}}},
                            {"sample", nodeSample()}}};
    m_answer.rows.push_back(std::move(row));
  }

  // Time in which the device was busy: separate from the idle share, and at most its complement.
  void addThrottle(IdleCause cause, std::uint64_t mask, std::optional<ThrottleShare> DeviceClocks::*of) {
    ClockSum sum;
    for (const DeviceClocks& device : m_machines.devices)
      if (const auto& throttle = device.*of) sum.add(device, *throttle);
    if (sum.devices == 0) return missing(cause, Message{"idle_no_clocks", {}});
    if (sum.held == 0) return;
    const bool known = sum.known > 0;
    const double lost = known ? std::min(sum.lost / static_cast<double>(sum.devices), 1 - totalIdle()) : 0;
    if (known && lost < kReported) return;
    IdleRow row = rowOf(cause);
    row.share = known ? std::optional(lost) : std::nullopt;
    row.units = sum.held, row.units_total = sum.devices, row.unit = "device";
    row.confidence = known ? 0.7 : 0.3;
    row.device = sum.worst->device, row.rank = sum.worst->rank;
    row.when = (sum.worst->*of)->longest;
    row.evidence = clockWords(sum, *sum.worst, *(sum.worst->*of), mask, deviceSample());
    m_answer.rows.push_back(std::move(row));
  }

  IdleRow rowOf(IdleCause cause) const {
    IdleRow row{.cause = cause,
                .share = m_tally.share(cause),
                .units = {},
                .units_total = m_tally.units,
                .unit = m_unit,
                .evidence = {},
                .track = {},
                .device = {},
                .node = {}};
    const CauseSum& sum = m_tally[cause];
    row.units = sum.units.size();
    row.first_step = sum.first_step, row.last_step = sum.last_step;
    if (sum.longest.t0 < sum.longest.t1) row.when = sum.longest;
    row.rank = sum.rank, row.track = sum.track;
    return row;
  }

  void missing(IdleCause cause, Message why) { m_answer.not_recorded.push_back({cause, std::move(why)}); }

  void finish() {
    m_answer.ok = true;
    m_answer.units = m_tally.units;
    m_answer.steps = m_tally.steps.size();
    if (!m_tally.steps.empty()) m_answer.first_step = *m_tally.steps.begin(), m_answer.last_step = *m_tally.steps.rbegin();
    m_answer.step_ns = m_tally.samples > 0 ? m_tally.window / static_cast<double>(m_tally.samples) : 0;
    m_answer.idle_share = totalIdle();
    for (int c = 0; c <= static_cast<int>(IdleCause::kUnexplained); ++c) {
      const auto cause = static_cast<IdleCause>(c);
      if (cause == IdleCause::kCpuSaturation || cause == IdleCause::kMemoryStall) continue;
      if (m_tally.share(cause) < kReported && cause != IdleCause::kUnexplained) continue;
      IdleRow row = rowOf(cause);
      row.evidence = m_answer.basis == IdleBasis::kSpans   ? spanEvidence(cause, m_tally, m_spans.launches)
                     : m_answer.basis == IdleBasis::kParts ? partEvidence(cause, m_tally)
                                                           : Message{"idle_metric_only", {}};
      row.confidence = confidenceOf(cause);
      m_answer.rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(m_answer.rows, [](const IdleRow& a, const IdleRow& b) {
      const auto key = [](const IdleRow& row) {
        return std::pair(isSlowNotIdle(row.cause) ? 2 : row.cause == IdleCause::kUnexplained ? 1 : 0, -row.share.value_or(0));
      };
      return key(a) < key(b);
    });
    listMissing();
  }

  double confidenceOf(IdleCause cause) const {
    if (m_answer.basis == IdleBasis::kMetrics) return 0.3;
    if (m_answer.basis == IdleBasis::kParts) return cause == IdleCause::kUnexplained ? 0.4 : 0.6;
    const LaunchStats& launches = m_spans.launches;
    const double known =
        launches.kernels > 0 ? std::min(1.0, static_cast<double>(launches.launches_known) / static_cast<double>(launches.kernels)) : 0;
    return 0.5 + 0.4 * known;
  }

  void listMissing() {
    if (m_answer.basis == IdleBasis::kSpans) {
      const auto unless = [&](HostActivity activity, IdleCause cause, Message why) {
        if (!m_spans.seen[static_cast<std::size_t>(activity)]) missing(cause, std::move(why));
      };
      unless(HostActivity::kDataload, IdleCause::kData, Message{"idle_no_data_span", {}});
      unless(HostActivity::kCheckpoint, IdleCause::kCheckpoint, Message{"idle_no_save_span", {}});
      unless(HostActivity::kGc, IdleCause::kGc, Message{"idle_no_gc_span", {}});
      unless(HostActivity::kLogging, IdleCause::kLogging, Message{"idle_no_logging_span", {}});
      if (m_spans.launches.launches_known == 0) missing(IdleCause::kHostBound, Message{"idle_no_launches", {}});
      return;
    }
    const bool parts = m_answer.basis == IdleBasis::kParts;
    const auto unless = [&](StepColumn column, IdleCause cause, const char* part) {
      if (!parts)
        missing(cause, Message{"idle_no_spans_no_parts", {}});
      else if (!m_parts.reported[static_cast<std::size_t>(column)] && m_tally.share(cause) < kReported)
        missing(cause, Message{"idle_part_not_recorded", {{"part", part}}});
    };
    unless(StepColumn::kData, IdleCause::kData, "data");
    unless(StepColumn::kCheckpoint, IdleCause::kCheckpoint, "checkpoint");
    unless(StepColumn::kGc, IdleCause::kGc, "gc");
    unless(StepColumn::kHost, IdleCause::kHostBound, "host");
    if (parts && !m_parts.comm_reported) missing(IdleCause::kUnexplained, Message{"idle_no_waits", {}});
    for (const IdleCause cause : {IdleCause::kSync, IdleCause::kSmallKernels, IdleCause::kLogging})
      missing(cause, Message{"idle_no_full_spans", {}});
  }

  Reader& m_reader;
  const Attempt& m_attempt;
  const IdleScope& m_scope;
  const std::stop_token& m_stop;
  std::vector<Rank> m_ranks;
  std::vector<TimeRange> m_times;
  SpanIdle m_spans;
  PartIdle m_parts;
  MachineReading m_machines;
  IdleTally m_tally;
  std::string m_unit;
  IdleAnswer m_answer;
};

}  // namespace

const char* idleBasisName(IdleBasis basis) {
  switch (basis) {
    case IdleBasis::kSpans:
      return "spans";
    case IdleBasis::kParts:
      return "step_parts";
    case IdleBasis::kMetrics:
      break;
  }
  return "metrics";
}

const IdleRow* IdleAnswer::row(IdleCause cause) const {
  const auto found = std::ranges::find(rows, cause, &IdleRow::cause);
  return found == rows.end() ? nullptr : &*found;
}

Result<IdleAnswer> readIdleAnswer(Reader& reader, const Attempt& attempt, const IdleScope& scope, std::stop_token stop) {
  return Explainer(reader, attempt, scope, stop).explain();
}

}  // namespace runglass
