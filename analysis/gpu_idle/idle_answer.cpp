// SPDX-License-Identifier: Apache-2.0
// Invariant: m_tally's causes sum to its idle share; machine measurements move time between its causes and never add any.
#include "analysis/gpu_idle/idle_answer.h"

#include <algorithm>
#include <cstdio>

#include "analysis/gpu_idle/idle_machines.h"
#include "analysis/gpu_idle/idle_parts.h"
#include "analysis/gpu_idle/idle_spans.h"
#include "analysis/gpu_idle/idle_words.h"
#include "model/number_text.h"

namespace runglass {
namespace {

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
    m_answer.basis_words = "GPU streams of " + counted(m_tally.units, "device");
    if (m_answer.ranks_left_out > 0)
      m_answer.basis_words += "; those of " + counted(m_answer.ranks_left_out, "rank") + " were not read: their spans are too many";
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
    m_answer.basis_words = "step parts of " + counted(m_tally.units, "rank");
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
      m_answer.reason =
          m_spans.partial
              ? "the spans of the devices are of some of their work only, no step has parts and no device utilisation is recorded"
              : "neither spans of a device nor parts of steps were recorded, and no device utilisation either";
      return false;
    }
    const char* metric = m_machines.gpu_busy ? "gpu_busy_ratio" : m_machines.engine_active ? "graphics_active_ratio" : "sm_active_ratio";
    m_answer.basis_words =
        std::string(metric) + " of " + counted(m_machines.busy_devices, "device") + askedWords(m_machines.devices_total, "device");
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
  static std::string askedWords(std::size_t total, const char* one) {
    if (total <= kMachinesAsked) return {};
    return "; " + std::to_string(kMachinesAsked) + " of " + counted(total, one) + " were looked at";
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
      missing(IdleCause::kCpuSaturation, "neither the run delay of a trainer's thread nor CPU use of a node was recorded");
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
    row.evidence = delay ? "the training thread was ready and had no CPU for " + percentText(*delay) + " of the steps" : "";
    if (nodes > 0) {
      row.evidence += (delay ? "; " : "") + std::to_string(saturated) + " of " + counted(nodes, "node") +
                      " had no CPU to give (at least 95 % busy, or tasks waiting 80 % of the time), " +
                      percentText(share / static_cast<double>(nodes)) + " of the time";
      if (busy > 0) row.evidence += "; CPUs were " + percentText(busy / static_cast<double>(nodes)) + " busy on average";
      row.units = saturated, row.units_total = nodes, row.unit = "node";
      row.evidence += askedWords(m_machines.nodes_total, "node");
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
    if (nodes == 0) return missing(IdleCause::kMemoryStall, "compaction stalls of no node were recorded (/proc/vmstat)");
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
    row.evidence = std::to_string(static_cast<long long>(count)) + " waits for memory compaction on " + counted(stalled, "node") +
                   (fallbacks > 0 ? ", " + std::to_string(static_cast<long long>(fallbacks)) + " page faults found no huge page" : "") +
                   (moved ? "; tasks waited for memory " + percentText(share / static_cast<double>(nodes)) + " of the time meanwhile"
                          : "; how long they took was not recorded") +
                   askedWords(m_machines.nodes_total, "node");
    m_answer.rows.push_back(std::move(row));
  }

  // Time in which the device was busy: separate from the idle share, and at most its complement.
  void addThrottle(IdleCause cause, std::uint64_t mask, std::optional<ThrottleShare> DeviceClocks::*of) {
    ClockSum sum;
    for (const DeviceClocks& device : m_machines.devices)
      if (const auto& throttle = device.*of) sum.add(device, *throttle);
    if (sum.devices == 0) return missing(cause, "SM clocks and their event reasons of no device were recorded");
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
    row.evidence = clockWords(sum, *sum.worst, *(sum.worst->*of), mask) + askedWords(m_machines.devices_total, "device");
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

  void missing(IdleCause cause, std::string why) { m_answer.not_recorded.push_back({cause, std::move(why)}); }

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
                                                           : "no spans and no step parts are recorded to explain idle devices";
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
      const auto unless = [&](HostActivity activity, IdleCause cause, const char* what) {
        if (!m_spans.seen[static_cast<std::size_t>(activity)])
          missing(cause, std::string("no span of the threads that launch names ") + what);
      };
      unless(HostActivity::kDataload, IdleCause::kData, "a data loader");
      unless(HostActivity::kCheckpoint, IdleCause::kCheckpoint, "a save");
      unless(HostActivity::kGc, IdleCause::kGc, "a collection");
      unless(HostActivity::kLogging, IdleCause::kLogging, "logging");
      if (m_spans.launches.launches_known == 0)
        missing(IdleCause::kHostBound, "launches cannot be matched with kernels: their calls are not recorded");
      return;
    }
    const bool parts = m_answer.basis == IdleBasis::kParts;
    const auto unless = [&](StepColumn column, IdleCause cause, const char* part) {
      if (!parts)
        missing(cause, "neither spans nor parts of steps were recorded");
      else if (!m_parts.reported[static_cast<std::size_t>(column)] && m_tally.share(cause) < kReported)
        missing(cause, std::string("no rank recorded a part \"") + part + "\"");
    };
    unless(StepColumn::kData, IdleCause::kData, "data");
    unless(StepColumn::kCheckpoint, IdleCause::kCheckpoint, "checkpoint");
    unless(StepColumn::kGc, IdleCause::kGc, "gc");
    unless(StepColumn::kHost, IdleCause::kHostBound, "host");
    if (parts && !m_parts.comm_reported)
      missing(IdleCause::kUnexplained, "the waiting of communication: what of a step is in no part may be that");
    for (const IdleCause cause : {IdleCause::kSync, IdleCause::kSmallKernels, IdleCause::kLogging})
      missing(cause, "no spans of all work of a GPU's streams were recorded");
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
