// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/devices/gpu_data.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/metric_catalog.h"
#include "widgets/core/run_words.h"
#include "widgets/devices/gpu_words.h"

namespace runglass {
namespace {

constexpr DurNs kLostAfter = 15 * kNsPerSecond;  // contract: lost
// The slowest default rate is 0.1 Hz: a value three periods old is not current, even if its device reports other metrics.
constexpr DurNs kValueStaleAfter = 30 * kNsPerSecond;
constexpr std::array<const char*, 7> kErrorMetrics = {"ecc_uncorrected_total",  "row_remap_failed_count",    "pcie_replay_total",
                                                      "nvlink_crc_error_total", "nvlink_replay_error_total", "nvlink_recovery_error_total",
                                                      "net_errors_total"};
constexpr std::array<const char*, 3> kLinkErrors = {"nvlink_crc_error_total", "nvlink_replay_error_total", "nvlink_recovery_error_total"};

class Builder {
 public:
  Builder(const MomentReaders& readers, const GpuQuestion& question, std::stop_token stop)
      : m_reader(readers.then), m_whole(readers.whole), m_question(question), m_stop(std::move(stop)) {}

  Result<GpuData> build() {
    RG_ASSIGN(m_fleet, readFleet(m_reader, m_question.run, m_question.now));
    m_data.has_gpus = !m_fleet.devices.empty();
    m_data.live = m_fleet.live;
    indexRanks();
    RG_TRY(chooseMetric());
    layOut();
    RG_TRY(readValues());
    RG_TRY(readDifferences());
    RG_TRY(readBadges());
    RG_TRY(readFindings());
    shade();
    count();
    m_data.chosen = isShown(m_question.node) ? m_question.node : mostDeviating();
    RG_ASSIGN(m_data.detail, readHostDetail({m_reader, m_whole}, m_fleet,
                                            {.node = m_data.chosen,
                                             .device = m_question.device,
                                             .window = m_question.window,
                                             .pixels = m_question.pixels,
                                             .style = m_question.style},
                                            m_stop));
    sayGpus(m_data, m_fleet.now, m_question.style);
    return std::move(m_data);
  }

 private:
  void indexRanks() {
    for (const Rank& rank : m_fleet.ranks) {
      m_ranks_of[{rank.node, {}}].push_back(&rank);
      if (rank.device) m_ranks_of[{rank.node, rank.device}].push_back(&rank);
    }
  }
  // For a GPU the ranks on it, for a host without GPUs all its ranks.
  const std::vector<const Rank*>& ranksOf(const GpuCell& cell) const {
    static const std::vector<const Rank*> kNone;
    const auto found = m_ranks_of.find({cell.node, cell.device});
    return found == m_ranks_of.end() ? kNone : found->second;
  }

  Status chooseMetric() {
    // If the store has no GPU, the hosts' own metrics are shown.
    const std::size_t other = m_data.has_gpus ? kPowerMetric : kHostMetric;
    const auto wanted = m_question.metric;
    m_data.metric = wanted && (m_data.has_gpus || !isOfGpusOnly(*wanted)) ? *wanted : other;
    if (!wanted || *wanted == kWorkMetric) {
      RG_TRY(readWork());
      if (wanted || m_work.compared) m_data.metric = kWorkMetric;
    }
    m_metric = &kGridMetrics[m_data.metric];
    return {};
  }

  Status readWork() {
    if (!m_fleet.run || !m_fleet.attempt) return {};
    RG_ASSIGN(m_work, readSlowVerdict(m_question.memory.get(), m_reader, m_fleet.run->id, m_fleet.attempt, m_fleet.ranks, m_stop));
    m_data.work_steps = m_work.steps.size();
    m_data.whole_steps = m_work.basis == SlownessBasis::kStepTime;
    return {};
  }

  void layOut() {
    std::map<NodeId, std::vector<const Device*>> devices;
    for (const Device& device : m_fleet.devices) devices[device.node].push_back(&device);
    const auto firstRank = [&](const HostColumn& host) {
      const auto ranks = m_ranks_of.find({host.node, {}});
      return ranks == m_ranks_of.end() ? INT32_MAX : (*std::ranges::min_element(ranks->second, {}, &Rank::rank))->rank;
    };
    for (const Node& node : m_fleet.nodes) {
      HostColumn host{node.id, screenText(node.name, 60), screenText(node.rack, 40), {}};
      for (const Device* device : devices[node.id]) {
        GpuCell cell{.node = node.id, .device = device->id};
        cell.index = device->index.value_or(static_cast<std::int32_t>(host.cells.size()));
        cell.name = host.name + QStringLiteral(" GPU %1").arg(cell.index);
        if (const auto& ranks = ranksOf(cell); !ranks.empty()) cell.rank = rankText(*ranks.back()), cell.rank_number = ranks.back()->rank;
        host.cells.push_back(std::move(cell));
      }
      if (host.cells.empty()) host.cells.push_back({.node = node.id, .name = host.name});
      std::ranges::stable_sort(host.cells, {}, &GpuCell::index);
      m_data.hosts.push_back(std::move(host));
    }
    if (m_question.by_job) std::ranges::stable_sort(m_data.hosts, {}, firstRank);
  }

  template <class Fn>
  void eachCell(Fn&& fn) {
    for (HostColumn& host : m_data.hosts)
      for (GpuCell& cell : host.cells) fn(cell);
  }

  // The series of a metric, by cell in the order of eachCell().
  struct CellSeries {
    std::vector<SeriesId> ids;
    std::vector<std::pair<std::size_t, std::size_t>> of_cell;  // start and count in ids
  };
  CellSeries seriesOf(const char* metric) {
    CellSeries out;
    eachCell([&](const GpuCell& cell) {
      auto series = m_fleet.find(cell.node, cell.device, metric);
      // A GPU shows its host's value of a host metric.
      if (series.empty() && cell.device) series = m_fleet.find(cell.node, {}, metric);
      out.of_cell.emplace_back(out.ids.size(), series.size());
      for (const Series* one : series) out.ids.push_back(one->id);
    });
    return out;
  }

  // Newest samples by cell; several series (interfaces) are summed.
  Result<std::vector<std::optional<LatestSample>>> latest(const char* metric) { return newest(seriesOf(metric)); }

  Result<std::vector<std::optional<LatestSample>>> newest(const CellSeries& series) {
    RG_ASSIGN(const auto found, m_reader.latest(series.ids));
    std::map<SeriesId, LatestSample> by_id;
    for (const LatestSample& sample : found) by_id[sample.series] = sample;
    std::vector<std::optional<LatestSample>> result;
    for (const auto& [begin, count] : series.of_cell) {
      std::optional<LatestSample> sum;
      for (std::size_t i = begin; i < begin + count; ++i) {
        const auto one = by_id.find(series.ids[i]);
        if (one == by_id.end()) continue;
        if (!sum)
          sum = one->second;
        else
          sum->value += one->second.value, sum->x = std::max(sum->x, one->second.x), sum->mean.reset();
      }
      result.push_back(sum);
    }
    return result;
  }

  // Means over kAveragedOver by cell, summed like newest(); absent where there were no samples.
  Result<std::vector<std::optional<double>>> averaged(const CellSeries& series) {
    std::vector<std::optional<double>> result;
    for (const auto& [begin, count] : series.of_cell) {
      std::optional<double> sum;
      for (std::size_t i = begin; i < begin + count; ++i) {
        RG_ASSIGN(const auto bins, m_reader.bins(series.ids[i], Axis::kX, m_fleet.now - kAveragedOver, m_fleet.now + 1, 1, m_stop));
        if (bins.front().count > 0) sum = sum.value_or(0) + bins.front().sum / static_cast<double>(bins.front().count);
      }
      result.push_back(sum);
    }
    return result;
  }

  Status readValues() {
    eachCell([&](GpuCell& cell) { judgeAge(cell); });
    switch (m_metric->kind) {
      case GridMetric::Kind::kWork:
        putWork();
        return {};
      case GridMetric::Kind::kSample:
        return readSamples();
      case GridMetric::Kind::kErrors:
        return readErrors();
      case GridMetric::Kind::kLastReport:
        m_data.unit = "ns";
        eachCell([](GpuCell& cell) {
          if (cell.age) cell.value = static_cast<double>(*cell.age);
        });
        return {};
      case GridMetric::Kind::kStepTime:
        return readStepTimes();
    }
    return {};
  }

  // Reporting, stale or lost: by the device's newest sample of any metric, and by the hub's record of its node.
  void judgeAge(GpuCell& cell) {
    std::optional<TimeNs> heard = m_fleet.lastHeard(cell.node, cell.device);
    if (!heard) {
      if (const Rank* rank = m_fleet.rankOf(cell.node, cell.device))
        if (const Series* steps = m_fleet.stepTime(rank->rank)) heard = steps->last_time;
    }
    if (!heard) return;
    cell.age = std::max<DurNs>(0, m_fleet.now - *heard);
    cell.state = *cell.age > kLostAfter ? CellState::kLost : *cell.age > kStaleAfter ? CellState::kStale : CellState::kHeard;
    const bool over = m_fleet.run && (m_fleet.run->state == RunState::kFinished || m_fleet.run->state == RunState::kFailed);
    if (over) return;
    const auto node = std::ranges::find(m_fleet.nodes, cell.node, &Node::id);
    if (node->state == NodeState::kLost) cell.state = CellState::kLost;
    if (node->state == NodeState::kStale) cell.state = std::max(cell.state, CellState::kStale);
  }

  // Of several ranks a slow one, else the one furthest above its peers. A rank that takes longer without being slow has no colour.
  void putWork() {
    m_data.unit = "ns";
    eachCell([&](GpuCell& cell) {
      const RankPace* worst = nullptr;
      for (const Rank* rank : ranksOf(cell))
        if (const auto pace = m_work.ranks.find(rank->rank);
            pace != m_work.ranks.end() &&
            (worst == nullptr || std::pair(pace->second.slow, pace->second.slower) > std::pair(worst->slow, worst->slower)))
          worst = &pace->second;
      if (worst == nullptr) return;
      cell.value = worst->own_ns;
      cell.deviation = worst->slower;
      if (worst->slower && (worst->slow || *worst->slower < 0)) cell.shade = shadeOf(*worst->slower, m_metric->scale);
    });
  }

  Status readSamples() {
    const CellSeries series = seriesOf(m_metric->metric);
    RG_ASSIGN(const auto values, newest(series));
    RG_ASSIGN(const auto means, averaged(series));
    std::vector<std::optional<LatestSample>> over(values.size());
    if (m_metric->over[0] != '\0') {
      RG_ASSIGN(over, latest(m_metric->over));
    }
    const bool limited = std::ranges::any_of(over, [](const auto& limit) { return limit && limit->value > 0; });
    m_data.unit = limited ? "ratio" : std::string(unitOfMetric(m_metric->metric));
    std::size_t i = 0;
    eachCell([&](GpuCell& cell) {
      const auto &value = values[i], &limit = over[i];
      const auto& mean = means[i];
      ++i;
      if (!value || (limited && !(limit && limit->value > 0))) return;
      cell.value = mean.value_or(value->mean.value_or(value->value)) / (limited ? limit->value : 1);
      if (m_fleet.now - value->x > kValueStaleAfter) cell.state = std::max(cell.state, CellState::kStale);
    });
    return {};
  }

  Status readErrors() {
    m_data.unit = "count";
    for (const char* metric : kErrorMetrics) {
      RG_ASSIGN(const auto values, latest(metric));
      std::size_t i = 0;
      eachCell([&](GpuCell& cell) {
        if (values[i]) cell.value = cell.value.value_or(0) + values[i]->value;
        ++i;
      });
    }
    return {};
  }

  Status readStepTimes() {
    m_data.unit = "ns";
    CellSeries series;
    eachCell([&](const GpuCell& cell) {
      const auto& ranks = ranksOf(cell);
      const Series* steps = ranks.empty() ? nullptr : m_fleet.stepTime(ranks.front()->rank);
      series.of_cell.emplace_back(series.ids.size(), steps == nullptr ? 0 : 1);
      if (steps != nullptr) series.ids.push_back(steps->id);
    });
    RG_ASSIGN(const auto values, newest(series));
    std::size_t i = 0;
    eachCell([&](GpuCell& cell) {
      if (values[i]) cell.value = values[i]->value;
      ++i;
    });
    return {};
  }

  Status readBadges() {
    RG_ASSIGN(const auto reasons, latest("clock_event_reasons"));
    RG_ASSIGN(const auto remap, latest("row_remap_pending_count"));
    EventFilter filter{.range = {m_fleet.now - 3600 * kNsPerSecond, m_fleet.now + kNsPerSecond}, .kind = "xid", .limit = 5'000};
    RG_ASSIGN(auto events, m_reader.events(filter));
    std::set<DeviceId> xids, links;
    for (const Event& event : events)
      if (event.device) xids.insert(event.device);
    filter.kind = "nvlink_error";
    RG_ASSIGN(events, m_reader.events(filter));
    for (const Event& event : events)
      if (event.device) links.insert(event.device);
    std::size_t i = 0;
    eachCell([&](GpuCell& cell) {
      const auto bits = reasons[i] && cell.device ? static_cast<std::uint64_t>(reasons[i]->value) : 0;
      cell.throttled = (bits & kSlowdownReasons) != 0;
      cell.capped = (bits & kPowerCapReason) != 0;
      cell.remap_pending = remap[i] && cell.device && remap[i]->value > 0;
      cell.xid = xids.contains(cell.device);
      cell.link_error = links.contains(cell.device);
      QStringList instances;
      if (cell.device)
        for (const Device* instance : m_fleet.instancesOf(cell.device)) instances << screenText(instance->model, 40);
      cell.instances = instances.join(QStringLiteral(", "));
      QStringList tenants;
      for (const std::string& tenant : m_fleet.tenantsOf(cell.node, cell.device)) tenants << screenText(tenant, 60);
      constexpr qsizetype kTenantsShown = 4;
      if (tenants.size() > kTenantsShown)
        tenants = tenants.mid(0, kTenantsShown) << DeviceText::tr("and %1 more").arg(tenants.size() - kTenantsShown);
      cell.tenants = tenants.join(QStringLiteral(", "));
      cell.mig = cell.device && (!instances.isEmpty() || std::ranges::binary_search(m_data.facts.mig, cell.device));
      ++i;
    });
    for (const char* metric : kLinkErrors) {
      RG_ASSIGN(const auto errors, latest(metric));
      i = 0;
      eachCell([&](GpuCell& cell) {
        cell.link_error = cell.link_error || (cell.device && errors[i] && errors[i]->value > 0);
        ++i;
      });
    }
    return {};
  }

  Status readFindings() {
    if (!m_fleet.run) return {};
    RG_ASSIGN(const auto findings, m_reader.findings(m_fleet.run->id));
    const FindingMarks marks = markOpenFindings(findings, m_fleet.attempt, m_fleet.ranks, m_fleet.devices, m_fleet.now,
                                                m_fleet.run ? m_fleet.run->end : std::nullopt);
    const auto add = [&](GpuCell& cell, DeviceId device) {
      const auto found = marks.find({cell.node, device});
      if (found == marks.end()) return;
      const std::size_t others = cell.finding ? cell.finding->count : 0;
      if (!cell.finding || cell.finding->severity < found->second.severity) cell.finding = found->second;
      cell.finding->count = others + found->second.count;
    };
    eachCell([&](GpuCell& cell) {
      add(cell, {});
      if (cell.device) add(cell, cell.device);
    });
    return {};
  }

  void shade() {
    std::vector<double> values;
    std::vector<PeerValue> all;
    eachCell([&](const GpuCell& cell) {
      if (cell.value && cell.state == CellState::kHeard) values.push_back(*cell.value);
      const auto& ranks = ranksOf(cell);
      all.push_back({.value = cell.state == CellState::kHeard ? cell.value : std::nullopt,
                     .role = !ranks.empty()          ? ranks.front()->pp.value_or(kNoRole)
                             : m_fleet.ranks.empty() ? kNoRole
                                                     : kNoJob});
    });
    m_data.median = median(values);
    if (m_metric->kind == GridMetric::Kind::kWork) return;
    const bool of_peers = m_metric->kind == GridMetric::Kind::kSample || m_metric->kind == GridMetric::Kind::kStepTime;
    const auto deviations = of_peers ? againstPeers(all, {.join_small_stages = true}) : std::vector<std::optional<double>>(all.size());
    std::size_t i = 0;
    eachCell([&](GpuCell& cell) {
      cell.deviation = deviations[i++];
      if (!cell.value) return;
      if (m_metric->kind == GridMetric::Kind::kErrors) cell.deviation = *cell.value > 0 ? 1 : 0;
      if (m_metric->kind == GridMetric::Kind::kLastReport) cell.deviation = *cell.value / static_cast<double>(kStaleAfter);
      if (cell.deviation) cell.shade = shadeOf(*cell.deviation, m_metric->scale);
    });
  }

  void count() {
    eachCell([&](const GpuCell& cell) {
      ++m_data.total;
      for (const auto& [group, name] : kCellGroups) m_data.counts[group] += isIn(cell, group);
    });
  }

  bool isShown(NodeId node) const {
    return node && std::ranges::any_of(m_data.hosts, [&](const HostColumn& host) { return host.node == node; });
  }

  NodeId mostDeviating() {
    NodeId node;
    double most = -1;
    eachCell([&](const GpuCell& cell) {
      const double badness = std::max(0.0, cell.shade) + (cell.finding ? 20 * static_cast<double>(cell.finding->severity) : 0) +
                             (cell.xid ? 10 : 0) + (cell.throttled ? 5 : 0) + (cell.state == CellState::kLost ? 3 : 0);
      if (badness > most) most = badness, node = cell.node;
    });
    return node;
  }

  // Facts change only when a driver is reloaded, which is rare.
  Status readDifferences() {
    m_data.facts_of = static_cast<std::int64_t>(m_fleet.devices.size());
    if (m_question.previous && m_question.previous->facts_of == m_data.facts_of) {
      m_data.facts = m_question.previous->facts;
      return {};
    }
    const auto nameOf = [&](DeviceId device) {
      QString name;
      eachCell([&](const GpuCell& cell) {
        if (cell.device == device) name = cell.name;
      });
      return name;
    };
    RG_ASSIGN(m_data.facts, readDeviceFacts(m_reader, nameOf));
    return {};
  }

  Reader& m_reader;
  Reader& m_whole;  // for panels with a time axis
  const GpuQuestion& m_question;
  std::stop_token m_stop;
  const GridMetric* m_metric = &kGridMetrics[0];
  Fleet m_fleet;
  std::map<std::pair<NodeId, DeviceId>, std::vector<const Rank*>> m_ranks_of;  // device 0: all ranks of the node
  SlowVerdict m_work;
  GpuData m_data;
};

}  // namespace

bool isIn(const GpuCell& cell, CellGroup group) {
  switch (group) {
    case CellGroup::kAll:
      return true;
    case CellGroup::kHeard:
      return cell.state == CellState::kHeard;
    case CellGroup::kStale:
      return cell.state == CellState::kStale;
    case CellGroup::kLost:
      return cell.state == CellState::kLost;
    case CellGroup::kAbsent:
      return !cell.value;
    case CellGroup::kFinding:
      return cell.finding.has_value();
    case CellGroup::kXid:
      return cell.xid;
    case CellGroup::kThrottled:
      return cell.throttled;
    case CellGroup::kRemap:
      return cell.remap_pending;
    case CellGroup::kLinkError:
      return cell.link_error;
    case CellGroup::kMig:
      return cell.mig;
    case CellGroup::kCapped:
      return cell.capped;
  }
  return false;
}

Result<GpuData> readGpus(const MomentReaders& readers, const GpuQuestion& question, std::stop_token stop) {
  return Builder(readers, question, std::move(stop)).build();
}

}  // namespace runglass
