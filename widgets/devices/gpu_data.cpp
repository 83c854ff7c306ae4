// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/devices/gpu_data.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/metric_catalog.h"
#include "widgets/core/run_summary.h"

namespace runglass {
namespace {

constexpr DurNs kStaleAfter = 6 * kNsPerSecond, kLostAfter = 15 * kNsPerSecond;  // reliability.md 2.9
constexpr DurNs kLiveWithin = 120 * kNsPerSecond;  // data newer than this: the store is live, ages count from now
constexpr std::uint64_t kBadReasons = 0x8 | 0x20 | 0x40 | 0x80;
constexpr double kOutlier = 0.1;

constexpr std::array<const char*, 8> kDetailMetrics = {"power_watts",           "sm_clock_hertz",        "temperature_celsius",
                                                       "sm_active_ratio",       "gpu_memory_used_bytes", "nvlink_transmit_bytes_per_s",
                                                       "ecc_uncorrected_total", "clock_event_reasons"};
// Strips of a host: its devices' first, then its own.
constexpr std::array<const char*, 3> kDeviceStrips = {"power_watts", "sm_clock_hertz", "temperature_celsius"};
constexpr std::array<const char*, 4> kHostStrips = {"cpu_busy_ratio", "memory_available_bytes", "net_transmit_bytes_per_s",
                                                    "pressure_cpu_some_ratio"};

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class Builder {
 public:
  Builder(Reader& reader, const GpuQuestion& question, std::stop_token stop)
      : m_reader(reader), m_question(question), m_stop(std::move(stop)), m_theme(theme(question.theme)) {}

  Result<GpuData> build() {
    RG_ASSIGN(m_nodes, m_reader.nodes());
    RG_ASSIGN(m_devices, m_reader.devices());
    std::erase_if(m_devices, [](const Device& device) { return device.kind != "gpu" && device.kind != "npu"; });
    m_data.has_gpus = !m_devices.empty();
    RG_ASSIGN(const auto all, m_reader.series({}));
    for (const Series& series : all)
      if (!series.key.attempt && series.sample_count > 0)
        m_series[{series.key.node, series.key.device, series.key.metric}].push_back(series);
    RG_TRY(readRanks());
    layOut();
    RG_TRY(readValues());
    RG_TRY(readBadges());
    colour();
    m_data.chosen = m_question.node ? m_question.node : mostDeviating();
    RG_TRY(readDetail());
    makeSentence();
    return std::move(m_data);
  }

 private:
  using Key = std::tuple<NodeId, DeviceId, std::string>;

  // One series per key; those with labels (mounts, interfaces) give the first.
  const Series* find(NodeId node, DeviceId device, const char* metric) const {
    const auto it = m_series.find({node, device, metric});
    return it == m_series.end() ? nullptr : &it->second.front();
  }

  Status readRanks() {
    const auto run = chooseRun(m_reader, m_question.run);
    if (!run.ok()) return {};
    RG_ASSIGN(const auto attempts, m_reader.attempts(run->id));
    if (attempts.empty()) return {};
    RG_ASSIGN(m_ranks, m_reader.ranks(attempts.back().id));
    return {};
  }

  void layOut() {
    std::stable_sort(m_nodes.begin(), m_nodes.end(),
                     [](const Node& a, const Node& b) { return std::tie(a.rack, a.name) < std::tie(b.rack, b.name); });
    for (const Node& node : m_nodes) {
      HostColumn host{node.id, screenText(node.name, 60), screenText(node.rack, 40), {}};
      for (const Device& device : m_devices)
        if (device.node == node.id)
          host.cells.push_back({.node = node.id,
                                .device = device.id,
                                .index = device.index.value_or(static_cast<std::int32_t>(host.cells.size())),
                                .name = host.name + QStringLiteral(" GPU %1").arg(device.index.value_or(0))});
      if (host.cells.empty()) host.cells.push_back({.node = node.id, .name = host.name});
      std::stable_sort(host.cells.begin(), host.cells.end(), [](const GpuCell& a, const GpuCell& b) { return a.index < b.index; });
      m_data.hosts.push_back(std::move(host));
    }
  }

  template <class Fn>
  void eachCell(Fn&& fn) {
    for (HostColumn& host : m_data.hosts)
      for (GpuCell& cell : host.cells) fn(cell);
  }

  // Newest value of `metric` per cell, in the order of eachCell().
  Result<std::vector<std::optional<LatestSample>>> latest(const char* metric) {
    std::vector<SeriesId> ids;
    std::vector<std::optional<std::size_t>> place;
    eachCell([&](const GpuCell& cell) {
      // A host without GPUs has only host metrics; a GPU shows its host's value for those.
      const Series* series = find(cell.node, cell.device, metric);
      if (series == nullptr && cell.device) series = find(cell.node, {}, metric);
      place.push_back(series == nullptr ? std::nullopt : std::optional(ids.size()));
      if (series != nullptr) ids.push_back(series->id);
    });
    RG_ASSIGN(const auto found, m_reader.latest(ids));
    std::map<SeriesId, LatestSample> by_id;
    for (const LatestSample& sample : found) by_id[sample.series] = sample;
    std::vector<std::optional<LatestSample>> result;
    for (const auto& at : place) {
      const auto it = at ? by_id.find(ids[*at]) : by_id.end();
      result.push_back(it == by_id.end() ? std::nullopt : std::optional(it->second));
    }
    return result;
  }

  Status readValues() {
    // Without a GPU in the store the hosts' CPU is what there is to see.
    const GridMetric& metric = m_data.has_gpus ? kGridMetrics[m_question.metric] : kGridMetrics.back();
    RG_ASSIGN(const auto values, latest(metric.metric));
    std::vector<std::optional<LatestSample>> over(values.size());
    if (metric.over[0] != '\0') {
      RG_ASSIGN(over, latest(metric.over));
    }
    m_data.unit = metric.over[0] != '\0' ? "ratio" : std::string(unitOfMetric(metric.metric));
    TimeNs newest = 0;
    for (const auto& value : values)
      if (value) newest = std::max(newest, value->x);
    // A stored run is shown as it was at its end; a live one ages.
    m_now = m_question.now - newest < kLiveWithin ? std::max(m_question.now, newest) : newest;
    std::size_t i = 0;
    eachCell([&](GpuCell& cell) {
      const auto &value = values[i], &limit = over[i];
      ++i;
      if (!value) return;
      cell.age = m_now - value->x;
      cell.state = cell.age > kLostAfter ? CellState::kLost : cell.age > kStaleAfter ? CellState::kStale : CellState::kHeard;
      if (metric.over[0] == '\0')
        cell.value = value->value;
      else if (limit && limit->value > 0)
        cell.value = value->value / limit->value;
    });
    return {};
  }

  Status readBadges() {
    RG_ASSIGN(const auto reasons, latest("clock_event_reasons"));
    RG_ASSIGN(const auto remap, latest("row_remap_pending_count"));
    RG_ASSIGN(
        const auto events,
        m_reader.events({.range = {m_now - 3600 * kNsPerSecond, m_now + kNsPerSecond}, .at_least = Severity::kWarning, .limit = 5'000}));
    std::set<DeviceId> xids;
    for (const Event& event : events)
      if (event.kind == "xid" && event.device) xids.insert(event.device);
    std::size_t i = 0;
    eachCell([&](GpuCell& cell) {
      cell.throttled = reasons[i] && cell.device && (static_cast<std::uint64_t>(reasons[i]->value) & kBadReasons) != 0;
      cell.remap_pending = remap[i] && cell.device && remap[i]->value > 0;
      cell.xid = xids.contains(cell.device);
      ++i;
    });
    return {};
  }

  void colour() {
    std::vector<double> values, distances;
    eachCell([&](const GpuCell& cell) {
      if (cell.value && cell.state == CellState::kHeard) values.push_back(*cell.value);
    });
    m_data.median = median(values);
    eachCell([&](GpuCell& cell) {
      if (cell.value && m_data.median && *m_data.median != 0) cell.deviation = *cell.value / *m_data.median - 1;
      distances.push_back(std::abs(cell.deviation));
      m_data.heard += cell.state == CellState::kHeard;
      m_data.stale += cell.state == CellState::kStale;
      m_data.lost += cell.state == CellState::kLost;
      m_data.absent += cell.state == CellState::kAbsent;
      m_data.throttled += cell.throttled;
      m_data.xids += cell.xid;
    });
    // Full colour at the largest deviation, but never for less than a tenth: noise stays neutral.
    m_data.spread = std::max(kOutlier, distances.empty() ? 0 : *std::max_element(distances.begin(), distances.end()));
  }

  NodeId mostDeviating() {
    NodeId node;
    double most = -1;
    eachCell([&](const GpuCell& cell) {
      const double badness =
          std::abs(cell.deviation) + (cell.xid ? 10 : 0) + (cell.throttled ? 5 : 0) + (cell.state == CellState::kLost ? 3 : 0);
      if (badness > most) most = badness, node = cell.node;
    });
    return node;
  }

  Status readDetail() {
    const auto host = std::find_if(m_data.hosts.begin(), m_data.hosts.end(), [&](const HostColumn& h) { return h.node == m_data.chosen; });
    if (host == m_data.hosts.end()) return {};
    m_data.chosen_name = host->name;
    for (const char* metric : kDetailMetrics) {
      const MetricInfo* info = findMetric(metric);
      m_data.columns.push_back(QString::fromUtf8(info != nullptr ? info->title.data() : metric,
                                                 info != nullptr ? static_cast<qsizetype>(info->title.size()) : -1));
    }
    for (const GpuCell& cell : host->cells) {
      if (!cell.device) continue;
      HostRow row{.device = QStringLiteral("GPU %1").arg(cell.index), .rank = kAbsentText};
      for (const Rank& rank : m_ranks) {
        if (rank.device != cell.device) continue;
        row.rank = QString::number(rank.rank);
        if (rank.dp && rank.pp && rank.tp) row.rank += QStringLiteral(" (%1,%2,%3)").arg(*rank.dp).arg(*rank.pp).arg(*rank.tp);
      }
      for (const char* metric : kDetailMetrics) {
        const Series* series = find(cell.node, cell.device, metric);
        QString text = kAbsentText;
        if (series != nullptr) {
          RG_ASSIGN(const auto value, m_reader.latest({&series->id, 1}));
          if (!value.empty())
            text = std::string_view(metric) == "clock_event_reasons" ? reasonText(static_cast<std::uint64_t>(value[0].value))
                                                                     : formatValue(value[0].value, unitOfMetric(metric));
        }
        row.values.push_back(text);
      }
      m_data.rows.push_back(std::move(row));
    }
    return readStrips(*host);
  }

  static QString reasonText(std::uint64_t bits) {
    QStringList words;
    for (const auto& [bit, word] : {std::pair<std::uint64_t, const char*>{0x4, "power cap"},
                                    {0x8, "HW slowdown"},
                                    {0x20, "SW thermal"},
                                    {0x40, "HW thermal"},
                                    {0x80, "power brake"},
                                    {0x1, "idle"}})
      if ((bits & bit) != 0) words << QLatin1String(word);
    return words.isEmpty() ? QStringLiteral("none") : words.join(QStringLiteral(", "));
  }

  Status readStrips(const HostColumn& host) {
    auto plots = std::make_shared<PlotData>();
    plots->style = m_question.style;
    m_data.x0 = m_question.window.range.t0;
    m_data.x1 = m_question.window.range.t1;
    const auto add = [&](PlotPanel& panel, const Series& series, const QString& name, std::size_t colour) -> Status {
      RG_ASSIGN(auto bins, m_reader.bins(series.id, Axis::kTime, m_data.x0, m_data.x1, m_question.pixels, m_stop));
      panel.curves.push_back({.name = name,
                              .color = m_theme.series[colour % m_theme.series.size()],
                              .bins = std::make_shared<const std::vector<Bin>>(std::move(bins)),
                              .gaps = true});
      return {};
    };
    if (m_data.x1 <= m_data.x0) extent(host);
    for (const char* metric : kDeviceStrips) {
      PlotPanel panel{.title = title(metric), .unit = std::string(unitOfMetric(metric))};
      for (const GpuCell& cell : host.cells)
        if (const Series* series = cell.device ? find(cell.node, cell.device, metric) : nullptr)
          RG_TRY(add(panel, *series, QString::number(cell.index), static_cast<std::size_t>(cell.index)));
      if (!panel.curves.empty()) plots->panels.push_back(std::move(panel));
    }
    for (const char* metric : kHostStrips) {
      PlotPanel panel{.title = title(metric), .unit = std::string(unitOfMetric(metric))};
      const auto it = m_series.find({host.node, DeviceId{}, metric});
      if (it == m_series.end()) continue;
      std::size_t colour = 0;
      for (const Series& series : it->second) {
        // {"interface":"eth0"} -> eth0
        const std::string& labels = series.key.labels;
        const std::size_t quote = labels.rfind(":\"");
        const QString name = quote == std::string::npos ? host.name : screenText(labels.substr(quote + 2, labels.size() - quote - 4), 40);
        RG_TRY(add(panel, series, name, colour++));
        if (colour == m_theme.series.size()) break;
      }
      plots->panels.push_back(std::move(panel));
      if (m_data.has_gpus && plots->panels.size() >= 5) break;
    }
    m_data.strips = plots;
    return {};
  }

  void extent(const HostColumn& host) {
    for (const auto& [key, all] : m_series) {
      if (std::get<0>(key) != host.node) continue;
      for (const Series& series : all) {
        if (m_data.x1 == 0 || series.first_x < m_data.x0) m_data.x0 = series.first_x;
        m_data.x1 = std::max(m_data.x1, series.last_x + 1);
      }
    }
  }

  static QString title(const char* metric) {
    const MetricInfo* info = findMetric(metric);
    return info != nullptr ? QString::fromUtf8(info->title.data(), static_cast<qsizetype>(info->title.size())) : QString::fromUtf8(metric);
  }

  void makeSentence() {
    const int total = m_data.heard + m_data.stale + m_data.lost + m_data.absent;
    if (total == 0) return;
    const QString what = m_data.has_gpus ? QStringLiteral("GPUs") : QStringLiteral("hosts");
    QStringList words;
    if (m_data.xids > 0) words << QStringLiteral("%1 with an Xid").arg(m_data.xids);
    if (m_data.lost > 0) words << QStringLiteral("%1 lost").arg(m_data.lost);
    if (m_data.stale > 0) words << QStringLiteral("%1 stale").arg(m_data.stale);
    if (m_data.throttled > 0) words << QStringLiteral("%1 slowed by heat or hardware").arg(m_data.throttled);
    if (m_data.absent > 0) words << QStringLiteral("%1 say nothing of this metric").arg(m_data.absent);
    m_data.severity = m_data.xids > 0 || m_data.lost > 0         ? Severity::kError
                      : m_data.throttled > 0 || m_data.stale > 0 ? Severity::kWarning
                                                                 : Severity::kInfo;
    m_data.sentence = QStringLiteral("%1 of %2 %3 heard").arg(m_data.heard).arg(total).arg(what) +
                      (words.isEmpty() ? QStringLiteral(".") : QStringLiteral("; ") + words.join(QStringLiteral(", ")) + QLatin1Char('.'));
    if (!m_data.has_gpus) m_data.sentence += QStringLiteral(" No GPU in this store: the hosts show their CPU.");
  }

  Reader& m_reader;
  const GpuQuestion& m_question;
  std::stop_token m_stop;
  const Theme& m_theme;
  std::vector<Node> m_nodes;
  std::vector<Device> m_devices;
  std::vector<Rank> m_ranks;
  std::map<Key, std::vector<Series>> m_series;
  TimeNs m_now = 0;
  GpuData m_data;
};

}  // namespace

Result<GpuData> readGpus(Reader& reader, const GpuQuestion& question, std::stop_token stop) {
  return Builder(reader, question, std::move(stop)).build();
}

}  // namespace runglass
