// SPDX-License-Identifier: Apache-2.0
#include "analysis/gpu_idle/idle_machines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "analysis/steps/attempt_steps.h"

namespace runglass {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// At most kMachinesAsked of them, evenly sampled.
template <class T>
std::vector<T> chosen(const std::set<T>& all) {
  std::vector<T> out;
  std::size_t i = 0;
  for (const T& one : all) {
    if (all.size() <= kMachinesAsked || i * kMachinesAsked / all.size() != (i + 1) * kMachinesAsked / all.size()) out.push_back(one);
    ++i;
  }
  return out;
}

double meanOf(const Bin& bin) { return bin.count > 0 ? bin.sum / static_cast<double>(bin.count) : kNothing; }

class MachineReader {
 public:
  MachineReader(Reader& reader, TimeRange when, const std::stop_token& stop) : m_reader(reader), m_when(when), m_stop(stop) {}

  Result<MachineReading> read(const std::vector<Rank>& ranks) {
    std::set<DeviceId> devices;
    std::set<NodeId> nodes;
    for (const Rank& rank : ranks) {
      if (rank.device) devices.insert(rank.device), m_rank_of.try_emplace(rank.device, rank.rank);
      if (rank.node) nodes.insert(rank.node);
    }
    m_out.devices_total = devices.size(), m_out.nodes_total = nodes.size();
    RG_TRY(readBusy(chosen(devices)));
    RG_TRY(readClocks(chosen(devices)));
    RG_TRY(readNodes(chosen(nodes)));
    return std::move(m_out);
  }

 private:
  // The series without labels of all devices or nodes.
  Result<std::map<std::uint64_t, SeriesId>> seriesOf(const char* metric, bool of_device) {
    RG_ASSIGN(const auto all, m_reader.series({.metric = metric}));
    std::map<std::uint64_t, SeriesId> out;
    for (const Series& series : all) {
      if (series.sample_count == 0 || series.key.kind == SeriesKind::kScalar) continue;
      const std::uint64_t owner = of_device ? series.key.device.value : series.key.device ? 0 : series.key.node.value;
      if (owner != 0) out.try_emplace(owner, series.id);
    }
    return out;
  }

  Result<std::vector<Bin>> binsOf(const std::map<std::uint64_t, SeriesId>& series, std::uint64_t owner, std::size_t count) {
    if (m_stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
    const auto found = series.find(owner);
    if (found == series.end()) return std::vector<Bin>();
    return m_reader.bins(found->second, Axis::kTime, m_when.t0, m_when.t1, count, m_stop);
  }

  Status readBusy(const std::vector<DeviceId>& devices) {
    const auto mean = [&](const char* metric, std::optional<double>& into) -> Status {
      RG_ASSIGN(const auto series, seriesOf(metric, true));
      double sum = 0;
      std::size_t count = 0;
      for (const DeviceId device : devices) {
        RG_ASSIGN(const auto bins, binsOf(series, device.value, 1));
        if (bins.empty() || bins.front().count == 0 || !std::isfinite(meanOf(bins.front()))) continue;
        sum += meanOf(bins.front());
        ++count;
      }
      if (count == 0) return {};
      into = std::clamp(sum / static_cast<double>(count), 0.0, 1.0);
      if (m_out.busy_devices == 0) m_out.busy_devices = count;
      return {};
    };
    RG_TRY(mean("gpu_busy_ratio", m_out.gpu_busy));
    RG_TRY(mean("graphics_active_ratio", m_out.engine_active));
    return mean("sm_active_ratio", m_out.sm_active);
  }

  Status readClocks(const std::vector<DeviceId>& devices) {
    RG_ASSIGN(const auto clocks, seriesOf("sm_clock_hertz", true));
    RG_ASSIGN(const auto reasons, seriesOf("clock_event_reasons", true));
    std::vector<std::vector<ClockBin>> bins_of;
    std::vector<double> levels;
    for (const DeviceId device : devices) {
      RG_ASSIGN(const auto clock, binsOf(clocks, device.value, kMachineBins));
      RG_ASSIGN(const auto reason, binsOf(reasons, device.value, kMachineBins));
      if (clock.empty() || reason.empty()) continue;
      bins_of.push_back(clockBins(clock, reason));
      const auto rank = m_rank_of.find(device);
      m_out.devices.push_back(
          {.device = device, .rank = rank->second, .level = unthrottledHertz(bins_of.back()), .thermal = {}, .power_cap = {}});
      if (m_out.devices.back().level) levels.push_back(*m_out.devices.back().level);
    }
    std::ranges::sort(levels);
    for (std::size_t i = 0; i < m_out.devices.size(); ++i) {
      DeviceClocks& one = m_out.devices[i];
      if (!one.level && !levels.empty()) one.level = levels[levels.size() / 2], one.level_of_others = true;
      one.thermal = throttleShare(bins_of[i], kThermalReasons, one.level);
      one.power_cap = throttleShare(bins_of[i], kPowerCapReason, one.level);
    }
    return {};
  }

  // Reasons are reported rarely or on change: each holds until the next one.
  static std::vector<ClockBin> clockBins(const std::vector<Bin>& clock, const std::vector<Bin>& reason) {
    std::vector<ClockBin> out;
    std::optional<std::uint64_t> known;
    std::size_t r = 0;
    for (const Bin& bin : clock) {
      for (; r < reason.size() && reason[r].x0 < bin.x1; ++r)
        if (reason[r].count > 0 && reason[r].last >= 0 && reason[r].last < 1e15) known = static_cast<std::uint64_t>(reason[r].last);
      if (bin.count > 0) out.push_back({{bin.x0, bin.x1}, meanOf(bin), known});
    }
    return out;
  }

  Status readNodes(const std::vector<NodeId>& nodes) {
    std::map<std::string, std::map<std::uint64_t, SeriesId>> series;
    for (const char* metric : {"cpu_busy_ratio", "pressure_cpu_some_ratio", "vm_compact_stall_total", "pressure_memory_some_ratio",
                               "vm_thp_fault_fallback_total"}) {
      RG_ASSIGN(series[metric], seriesOf(metric, false));
    }
    for (const NodeId node : nodes) {
      const auto bins = [&](const char* metric) { return binsOf(series[metric], node.value, kMachineBins); };
      RG_ASSIGN(const auto busy, bins("cpu_busy_ratio"));
      RG_ASSIGN(const auto pressure, bins("pressure_cpu_some_ratio"));
      RG_ASSIGN(const auto stalls, bins("vm_compact_stall_total"));
      RG_ASSIGN(const auto memory, bins("pressure_memory_some_ratio"));
      RG_ASSIGN(const auto fallbacks, bins("vm_thp_fault_fallback_total"));
      NodeLoad load{.node = node, .cpu = {}, .stalls = {}, .huge_page_fallbacks = {}};
      load.cpu = saturationShare(cpuBins(busy, pressure));
      load.stalls = stallShare(stallBins(stalls, memory));
      if (const auto grown = growth(fallbacks)) {
        load.huge_page_fallbacks = 0;
        for (const double more : *grown)
          if (std::isfinite(more)) *load.huge_page_fallbacks += more;
      }
      if (load.cpu || load.stalls) m_out.nodes.push_back(load);
    }
    return {};
  }

  static std::vector<CpuBin> cpuBins(const std::vector<Bin>& busy, const std::vector<Bin>& pressure) {
    std::vector<CpuBin> out;
    const std::vector<Bin>& lead = busy.empty() ? pressure : busy;
    for (std::size_t i = 0; i < lead.size(); ++i)
      out.push_back({{lead[i].x0, lead[i].x1}, busy.empty() ? kNothing : meanOf(busy[i]), at(pressure, lead[i].x0, i)});
    return out;
  }

  static std::vector<StallBin> stallBins(const std::vector<Bin>& stalls, const std::vector<Bin>& memory) {
    std::vector<StallBin> out;
    const auto grown = growth(stalls);
    if (!grown) return out;
    for (std::size_t i = 0; i < stalls.size(); ++i) out.push_back({{stalls[i].x0, stalls[i].x1}, (*grown)[i], at(memory, stalls[i].x0, i)});
    return out;
  }

  // Bins of two series may have different edges.
  static double at(const std::vector<Bin>& bins, std::int64_t x, std::size_t hint) {
    if (hint < bins.size() && bins[hint].x0 == x) return meanOf(bins[hint]);
    const auto it = std::ranges::upper_bound(bins, x, {}, &Bin::x1);
    return it == bins.end() ? kNothing : meanOf(*it);
  }

  // Growth of a counter per bin; a decrease is a counter reset. Absent: nothing was recorded.
  static std::optional<std::vector<double>> growth(const std::vector<Bin>& bins) {
    std::optional<double> before;
    std::vector<double> out(bins.size(), kNothing);
    bool any = false;
    for (std::size_t i = 0; i < bins.size(); ++i) {
      if (bins[i].count == 0 || !std::isfinite(bins[i].last)) continue;
      const double from = before.value_or(bins[i].first);
      out[i] = std::max(0.0, bins[i].last - from);
      before = bins[i].last;
      any = true;
    }
    return any ? std::optional(out) : std::nullopt;
  }

  Reader& m_reader;
  const TimeRange m_when;
  const std::stop_token& m_stop;
  std::map<DeviceId, std::int32_t> m_rank_of;
  MachineReading m_out;
};

}  // namespace

Result<MachineReading> readMachines(Reader& reader, const std::vector<Rank>& ranks, TimeRange when, const std::stop_token& stop) {
  return MachineReader(reader, when, stop).read(ranks);
}

Result<std::optional<double>> readRunDelay(Reader& reader, AttemptId attempt, std::optional<std::int64_t> first_step,
                                           std::optional<std::int64_t> last_step, const std::stop_token& stop) {
  if (!first_step || !last_step) return std::optional<double>();
  std::map<std::int32_t, std::map<std::int64_t, double>> delays;
  RG_ASSIGN(const auto steps, AttemptSteps::list(reader, attempt, {StepSeries::kRunDelay, StepSeries::kTime}));
  for (const Series& one : steps.of(StepSeries::kRunDelay)) {
    RG_ASSIGN(const auto points, reader.scalars(one.id, *first_step, *last_step + 1, stop));
    for (std::size_t i = 0; i < points.size(); ++i)
      if (std::isfinite(points.value[i]) && points.value[i] >= 0) delays[*one.key.rank][points.step[i]] = points.value[i];
  }
  if (delays.empty()) return std::optional<double>();
  double delay = 0, time = 0;
  for (const Series& one : steps.of(StepSeries::kTime)) {
    const auto own = delays.find(*one.key.rank);
    if (own == delays.end()) continue;
    RG_ASSIGN(const auto points, reader.scalars(one.id, *first_step, *last_step + 1, stop));
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto step = own->second.find(points.step[i]);
      if (step == own->second.end() || !std::isfinite(points.value[i]) || points.value[i] <= 0) continue;
      delay += std::min(step->second, points.value[i]);
      time += points.value[i];
    }
  }
  return time > 0 ? std::optional(delay / time) : std::nullopt;
}

}  // namespace runglass
