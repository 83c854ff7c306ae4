// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/devices/gpu_data.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <cmath>
#include <set>

#include "model/metric_catalog.h"
#include "widgets/core/run_summary.h"

namespace runglass {
namespace {

constexpr DurNs kStaleAfter = 6 * kNsPerSecond, kLostAfter = 15 * kNsPerSecond;  // three missed beats; contract: lost
// The slowest default rate is 0.1 Hz: a value three periods old is not now's, whatever else its device says.
constexpr DurNs kValueStaleAfter = 30 * kNsPerSecond;
constexpr double kOutlier = 0.1;
constexpr int kFewOutliers = 8, kManyOf = 8;  // more than a host of GPUs, and more than an eighth of all, are no single one
constexpr std::array<const char*, 7> kErrorMetrics = {"ecc_uncorrected_total",  "row_remap_failed_count",    "pcie_replay_total",
                                                      "nvlink_crc_error_total", "nvlink_replay_error_total", "nvlink_recovery_error_total",
                                                      "net_errors_total"};
constexpr std::array<const char*, 3> kLinkErrors = {"nvlink_crc_error_total", "nvlink_replay_error_total", "nvlink_recovery_error_total"};
constexpr std::size_t kFactDevices = 20'000;

class Builder {
 public:
  Builder(const MomentReaders& readers, const GpuQuestion& question, std::stop_token stop)
      : m_reader(readers.then), m_whole(readers.whole), m_question(question), m_stop(std::move(stop)) {}

  Result<GpuData> build() {
    RG_ASSIGN(m_fleet, readFleet(m_reader, m_question.run, m_question.now));
    m_data.has_gpus = !m_fleet.devices.empty();
    m_data.live = m_fleet.live;
    // Without a GPU in the store the hosts' own metrics are what there is to see.
    m_metric =
        &kGridMetrics[m_data.has_gpus || m_question.metric == kHostMetric || m_question.metric >= 5 ? m_question.metric : kHostMetric];
    layOut();
    RG_TRY(readValues());
    RG_TRY(readDifferences());
    RG_TRY(readBadges());
    colour();
    count();
    m_data.chosen = isShown(m_question.node) ? m_question.node : mostDeviating();
    RG_ASSIGN(m_data.detail, readHostDetail({m_reader, m_whole}, m_fleet,
                                            {.node = m_data.chosen,
                                             .device = m_question.device,
                                             .window = m_question.window,
                                             .pixels = m_question.pixels,
                                             .style = m_question.style},
                                            m_stop));
    makeSentence();
    makeScale();
    return std::move(m_data);
  }

 private:
  void layOut() {
    std::map<NodeId, std::vector<const Device*>> devices;
    for (const Device& device : m_fleet.devices) devices[device.node].push_back(&device);
    std::map<NodeId, std::int32_t> first_rank;
    std::map<DeviceId, QString> ranks;
    for (const Rank& rank : m_fleet.ranks) {
      const auto [at, added] = first_rank.emplace(rank.node, rank.rank);
      if (!added) at->second = std::min(at->second, rank.rank);
      if (rank.device) ranks[rank.device] = rankText(rank);
    }
    for (const Node& node : m_fleet.nodes) {
      HostColumn host{node.id, screenText(node.name, 60), screenText(node.rack, 40), {}};
      for (const Device* device : devices[node.id]) {
        GpuCell cell{.node = node.id, .device = device->id};
        cell.index = device->index.value_or(static_cast<std::int32_t>(host.cells.size()));
        cell.name = host.name + QStringLiteral(" GPU %1").arg(cell.index);
        if (const auto rank = ranks.find(device->id); rank != ranks.end()) cell.rank = rank->second;
        host.cells.push_back(std::move(cell));
      }
      if (host.cells.empty()) host.cells.push_back({.node = node.id, .name = host.name});
      std::ranges::stable_sort(host.cells, {}, &GpuCell::index);
      m_data.hosts.push_back(std::move(host));
    }
    if (m_question.by_job)
      std::ranges::stable_sort(m_data.hosts, {}, [&](const HostColumn& host) {
        const auto rank = first_rank.find(host.node);
        return rank == first_rank.end() ? INT32_MAX : rank->second;
      });
  }

  template <class Fn>
  void eachCell(Fn&& fn) {
    for (HostColumn& host : m_data.hosts)
      for (GpuCell& cell : host.cells) fn(cell);
  }

  // Newest samples per cell, in the order of eachCell(); several series (interfaces) are summed.
  Result<std::vector<std::optional<LatestSample>>> latest(const char* metric) {
    std::vector<SeriesId> ids;
    std::vector<std::pair<std::size_t, std::size_t>> span;
    eachCell([&](const GpuCell& cell) {
      auto series = m_fleet.find(cell.node, cell.device, metric);
      // A GPU shows its host's value for what only hosts have.
      if (series.empty() && cell.device) series = m_fleet.find(cell.node, {}, metric);
      span.emplace_back(ids.size(), series.size());
      for (const Series* one : series) ids.push_back(one->id);
    });
    return newest(ids, span);
  }

  Result<std::vector<std::optional<LatestSample>>> newest(const std::vector<SeriesId>& ids,
                                                          const std::vector<std::pair<std::size_t, std::size_t>>& span) {
    RG_ASSIGN(const auto found, m_reader.latest(ids));
    std::map<SeriesId, LatestSample> by_id;
    for (const LatestSample& sample : found) by_id[sample.series] = sample;
    std::vector<std::optional<LatestSample>> result;
    for (const auto& [begin, count] : span) {
      std::optional<LatestSample> sum;
      for (std::size_t i = begin; i < begin + count; ++i) {
        const auto one = by_id.find(ids[i]);
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

  Status readValues() {
    eachCell([&](GpuCell& cell) { judgeAge(cell); });
    switch (m_metric->kind) {
      case GridMetric::Kind::kSample:
        return readSamples();
      case GridMetric::Kind::kErrors:
        return readErrors();
      case GridMetric::Kind::kLastHeard:
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

  // Heard, stale or lost: by the device's newest sample of any metric, and by what the hub knows of its node.
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

  Status readSamples() {
    RG_ASSIGN(const auto values, latest(m_metric->metric));
    std::vector<std::optional<LatestSample>> over(values.size());
    if (m_metric->over[0] != '\0') {
      RG_ASSIGN(over, latest(m_metric->over));
    }
    const bool limited = std::ranges::any_of(over, [](const auto& limit) { return limit && limit->value > 0; });
    m_data.unit = limited ? "ratio" : std::string(unitOfMetric(m_metric->metric));
    std::size_t i = 0;
    eachCell([&](GpuCell& cell) {
      const auto &value = values[i], &limit = over[i];
      ++i;
      const bool usable = value && (!limited || (limit && limit->value > 0));
      // Devices are compared: single samples of different moments would make one stand out that does not.
      if (usable) cell.value = limited ? value->mean.value_or(value->value) / limit->value : value->mean.value_or(value->value);
      if (usable && value->mean) m_of_means = true;
      if (usable && m_fleet.now - value->x > kValueStaleAfter) cell.state = std::max(cell.state, CellState::kStale);
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
    std::vector<SeriesId> ids;
    std::vector<std::pair<std::size_t, std::size_t>> span;
    eachCell([&](const GpuCell& cell) {
      const Rank* rank = m_fleet.rankOf(cell.node, cell.device);
      const Series* steps = rank == nullptr ? nullptr : m_fleet.stepTime(rank->rank);
      span.emplace_back(ids.size(), steps == nullptr ? 0 : 1);
      if (steps != nullptr) ids.push_back(steps->id);
    });
    RG_ASSIGN(const auto values, newest(ids, span));
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
      cell.mig = cell.device && std::ranges::binary_search(m_data.mig, cell.device);
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

  void colour() {
    std::vector<double> values;
    eachCell([&](const GpuCell& cell) {
      if (cell.value && cell.state == CellState::kHeard) values.push_back(*cell.value);
    });
    m_data.median = median(values);
    m_data.spread = kOutlier;
    eachCell([&](GpuCell& cell) {
      if (!cell.value) return;
      if (m_metric->kind == GridMetric::Kind::kErrors)
        cell.deviation = *cell.value > 0 ? 1 : 0;
      else if (m_metric->kind == GridMetric::Kind::kLastHeard)
        cell.deviation = *cell.value / static_cast<double>(kStaleAfter);
      else if (m_data.median && *m_data.median != 0)
        cell.deviation = *cell.value / *m_data.median - 1;
      // Full colour at the largest deviation, but never for less than a tenth: noise stays neutral.
      m_data.spread = std::max(m_data.spread, std::abs(cell.deviation));
    });
    if (m_metric->kind == GridMetric::Kind::kLastHeard) m_data.spread = 1;
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
      const bool worse = m_metric->more_is_worse ? cell.deviation > 0 : cell.deviation < 0;
      const double badness = (worse ? std::abs(cell.deviation) : 0) + (cell.xid ? 10 : 0) + (cell.throttled ? 5 : 0) +
                             (cell.state == CellState::kLost ? 3 : 0);
      if (badness > most) most = badness, node = cell.node;
    });
    return node;
  }

  // What a few devices have differently: driver, clock limit, ECC mode, MIG, ... as their drivers said at the agent's start.
  Status readDifferences() {
    m_data.facts_of = static_cast<std::int64_t>(m_fleet.devices.size());
    if (m_question.previous && m_question.previous->facts_of == m_data.facts_of) {
      m_data.differences = m_question.previous->differences;
      m_data.mig = m_question.previous->mig;
      return {};
    }
    RG_ASSIGN(const auto events, m_reader.events({.kind = "device_facts", .limit = kFactDevices}));
    std::map<QString, std::map<QString, std::set<DeviceId>>> facts;  // key, value, who
    std::set<DeviceId> seen;
    for (const Event& event : events) {  // newest first
      if (!event.device || !seen.insert(event.device).second) continue;
      const QJsonObject object = QJsonDocument::fromJson(QByteArray::fromStdString(event.message)).object();
      if (object.value(QLatin1String("mig")).toBool()) m_data.mig.push_back(event.device);
      for (auto it = object.begin(); it != object.end(); ++it)
        if (it.key() != QLatin1String("pci") && it.key() != QLatin1String("numa_node"))
          facts[it.key()][it.value().toVariant().toString()].insert(event.device);
    }
    std::ranges::sort(m_data.mig);
    for (const auto& [key, values] : facts) {
      if (values.size() < 2) continue;
      const auto most = std::ranges::max_element(values, {}, [](const auto& value) { return value.second.size(); });
      for (auto value = values.begin(); value != values.end(); ++value) {
        if (value == most) continue;
        FactDifference difference{.text = QStringLiteral("%1: %2 on %3, %4 on %5")
                                              .arg(screenText(key.toStdString(), 40).replace(u'_', u' '),
                                                   screenText(value->first.toStdString(), 40), whoText(value->second),
                                                   screenText(most->first.toStdString(), 40))
                                              .arg(most->second.size())};
        difference.odd.assign(value->second.begin(), value->second.end());
        m_data.differences.push_back(std::move(difference));
      }
    }
    return {};
  }

  QString whoText(const std::set<DeviceId>& devices) {
    if (devices.size() > 1) return QString::number(devices.size());
    QString name;
    eachCell([&](const GpuCell& cell) {
      if (devices.contains(cell.device)) name = cell.name;
    });
    return name.isEmpty() ? QStringLiteral("1") : name;
  }

  void makeSentence() {
    if (m_data.total == 0) return;
    const QString what = m_data.has_gpus     ? m_data.total == 1 ? QStringLiteral("GPU") : QStringLiteral("GPUs")
                             : m_data.total == 1 ? QStringLiteral("host")
                                             : QStringLiteral("hosts");
    QStringList words;
    const auto say = [&](CellGroup group, const char* text) {
      if (const int n = m_data.counts[group]; n > 0) words << QStringLiteral("%1 %2").arg(formatCount(n), QLatin1String(text));
    };
    say(CellGroup::kXid, "with an Xid");
    say(CellGroup::kLost, "lost");
    say(CellGroup::kStale, "stale");
    say(CellGroup::kThrottled, "slowed by heat or hardware");
    say(CellGroup::kRemap, "with a row remap pending");
    m_data.severity = m_data.counts[CellGroup::kXid] > 0 || m_data.counts[CellGroup::kLost] > 0          ? Severity::kError
                      : m_data.counts[CellGroup::kThrottled] > 0 || m_data.counts[CellGroup::kStale] > 0 ? Severity::kWarning
                                                                                                         : Severity::kInfo;
    QString text = words.isEmpty() ? QStringLiteral("%1 %2, all heard").arg(formatCount(m_data.total), what)
                                   : QStringLiteral("%1 of %2 %3").arg(words.join(QStringLiteral(", ")), formatCount(m_data.total), what);
    text += QLatin1Char('.');
    if (const QString outlier = outlierText(); !outlier.isEmpty()) text += QLatin1Char(' ') + outlier;
    if (!m_data.live) text += QStringLiteral(" As of %1.").arg(formatTime(m_fleet.now, m_question.style));
    m_data.sentence = text;
  }

  // The one cell that stands out most on the worse side. Where many do, it is no fault of that one: a moment in which stages of a pipeline
  // wait, or what all of a group have in common.
  QString outlierText() {
    if (m_metric->kind != GridMetric::Kind::kSample && m_metric->kind != GridMetric::Kind::kStepTime) return {};
    const GpuCell* worst = nullptr;
    int outliers = 0;
    eachCell([&](const GpuCell& cell) {
      if (!cell.value || cell.state != CellState::kHeard || (m_metric->more_is_worse ? cell.deviation : -cell.deviation) < kOutlier) return;
      ++outliers;
      if (worst == nullptr || std::abs(cell.deviation) > std::abs(worst->deviation)) worst = &cell;
    });
    if (worst == nullptr) return {};
    if (outliers > kFewOutliers && outliers * kManyOf > m_data.total)
      return QStringLiteral("%1 are %2 the median of %3 by a tenth or more, none of them alone.")
          .arg(formatCount(outliers), m_metric->more_is_worse ? QStringLiteral("above") : QStringLiteral("below"),
               QString::fromUtf8(m_metric->title));
    return QStringLiteral("%1: %2 %3 to the median.")
        .arg(worst->name, QString::fromUtf8(m_metric->title), formatSignedPercent(worst->deviation, 0));
  }

  void makeScale() {
    if (!m_data.median) {
      m_data.scale = QStringLiteral("no device says this");
      return;
    }
    QString colour = QStringLiteral("full colour at ±%1 of it").arg(formatPercent(m_data.spread, 0));
    if (m_metric->kind == GridMetric::Kind::kErrors) colour = QStringLiteral("any error is full colour");
    if (m_metric->kind == GridMetric::Kind::kLastHeard) colour = QStringLiteral("full colour at %1").arg(formatDuration(kStaleAfter));
    m_data.scale =
        QStringLiteral("median %1 · %2 · hatched: stale or absent · ×: lost").arg(formatValue(*m_data.median, m_data.unit), colour);
    if (m_of_means) m_data.scale += QStringLiteral(" · means of up to 64 samples, which is what is here of them");
  }

  Reader& m_reader;
  Reader& m_whole;  // for what has time on an axis
  const GpuQuestion& m_question;
  std::stop_token m_stop;
  const GridMetric* m_metric = &kGridMetrics[0];
  Fleet m_fleet;
  bool m_of_means = false;  // values are
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
