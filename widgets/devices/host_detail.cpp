// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/devices/host_detail.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "model/fault_catalog.h"
#include "model/metric_catalog.h"
#include "model/series_extent.h"
#include "widgets/charts/bin_bands.h"
#include "widgets/core/label_text.h"
#include "widgets/core/language.h"
#include "widgets/devices/gpu_data.h"

namespace runglass {
namespace {

struct DetailMetric {
  const char* metric;
  const char* over;  // printed after it: "612 / 700"
};
constexpr std::array<DetailMetric, 13> kDetail = {{{"power_watts", "power_limit_watts"},
                                                   {"sm_clock_hertz", "sm_clock_max_hertz"},
                                                   {"clock_event_reasons", ""},
                                                   {"temperature_celsius", "temperature_slowdown_celsius"},
                                                   {"sm_active_ratio", ""},
                                                   {"gpu_memory_used_bytes", "gpu_memory_total_bytes"},
                                                   {"ecc_corrected_total", ""},
                                                   {"ecc_uncorrected_total", ""},
                                                   {"nvlink_transmit_bytes_per_s", ""},
                                                   {"nvlink_replay_error_total", ""},
                                                   {"pcie_link_width", ""},
                                                   {"pcie_replay_total", ""},
                                                   {"power_refresh_ns", ""}}};
constexpr std::array<const char*, 3> kDeviceStrips = {"power_watts", "sm_clock_hertz", "temperature_celsius"};
constexpr std::array<const char*, 4> kHostStrips = {"cpu_busy_ratio", "net_transmit_bytes_per_s", "memory_available_bytes",
                                                    "pressure_cpu_some_ratio"};
constexpr std::array<const char*, 6> kHostLine = {"cpu_busy_ratio",           "pressure_cpu_some_ratio", "memory_available_bytes",
                                                  "net_transmit_bytes_per_s", "mount_free_bytes",        "mount_time_to_full_ns"};
constexpr std::size_t kStrips = 5;
constexpr DurNs kRecent = 3'600 * kNsPerSecond;
constexpr std::size_t kTroubleLines = 4, kTroubleEvents = 5'000;
constexpr double kFullSoon = 7.0 * 86'400 * kNsPerSecond;  // a mount that takes longer to fill is not reported

QString titleOf(std::string_view metric) {
  const MetricInfo* info = findMetric(metric);
  const std::string_view title = info != nullptr ? info->title : metric;
  return termText(title);
}
QString helpOf(std::string_view metric) {
  const MetricInfo* info = findMetric(metric);
  return info == nullptr ? QString() : termText(info->help);
}

QString labelOf(const Series& series) { return labelText(series.key.labels); }

class Builder {
 public:
  Builder(const MomentReaders& readers, const Fleet& fleet, const DetailQuestion& question, const std::stop_token& stop)
      : m_reader(readers.then), m_whole(readers.whole), m_fleet(fleet), m_question(question), m_stop(stop) {}

  Result<HostDetail> build() {
    const auto node = std::ranges::find(m_fleet.nodes, m_question.node, &Node::id);
    if (node == m_fleet.nodes.end()) return std::move(m_out);
    for (const Device& device : m_fleet.devices)
      if (device.node == node->id) m_devices.push_back(&device);
    std::ranges::stable_sort(m_devices, {}, [](const Device* device) { return device->index.value_or(0); });
    name(*node);
    RG_TRY(readNewest());
    readTable();
    readHostLine();
    RG_TRY(readTrouble());
    RG_TRY(readStrips());
    return std::move(m_out);
  }

 private:
  void name(const Node& node) {
    m_out.name = screenText(node.name, 60);
    if (!node.rack.empty()) m_out.name += QStringLiteral(" · ") + screenText(node.rack, 40);
    std::vector<std::int32_t> ranks;
    for (const Rank& rank : m_fleet.ranks)
      if (rank.node == node.id) ranks.push_back(rank.rank);
    if (ranks.empty()) return;
    const auto [low, high] = std::ranges::minmax(ranks);
    m_out.name = low == high ? DeviceText::tr("%1 · rank %2").arg(m_out.name, QString::number(low))
                             : DeviceText::tr("%1 · ranks %2–%3").arg(m_out.name, QString::number(low), QString::number(high));
  }

  // All values for the table and the host's line, in one query.
  Status readNewest() {
    std::vector<SeriesId> ids;
    const auto want = [&](DeviceId device, const char* metric) {
      for (const Series* series : m_fleet.find(m_question.node, device, metric)) ids.push_back(series->id);
    };
    for (const Device* device : m_devices)
      for (const DetailMetric& metric : kDetail)
        for (const char* name : {metric.metric, metric.over}) want(device->id, name);
    for (const char* name : kHostLine) want({}, name);
    RG_ASSIGN(const auto newest, m_reader.latest(ids));
    for (const LatestSample& one : newest) m_newest[one.series] = one.value;
    return {};
  }

  std::optional<double> latest(const Series* series) const {
    const auto value = series == nullptr ? m_newest.end() : m_newest.find(series->id);
    return value == m_newest.end() ? std::optional<double>() : std::optional(value->second);
  }

  void readTable() {
    if (m_devices.empty()) return;
    m_out.columns.push_back({DeviceText::tr("rank (dp,pp,tp)"), DeviceText::tr("Of the run's newest attempt."), false});
    for (const Device* device : m_devices) {
      const Rank* rank = m_fleet.rankOf(m_question.node, device->id);
      m_out.rows.push_back({QStringLiteral("GPU %1").arg(device->index.value_or(0)), {rank ? rankText(*rank) : kAbsentText}});
    }
    for (const DetailMetric& metric : kDetail) readColumn(metric);
    const bool pids = std::ranges::any_of(m_fleet.ranks, [&](const Rank& rank) { return rank.node == m_question.node && rank.pid; });
    if (!pids) return;
    m_out.columns.push_back({QStringLiteral("PID"), DeviceText::tr("Of the rank's process on the host.")});
    for (std::size_t i = 0; i < m_devices.size(); ++i) {
      const Rank* rank = m_fleet.rankOf(m_question.node, m_devices[i]->id);
      m_out.rows[i].cells.push_back(rank && rank->pid ? QString::number(*rank->pid) : kAbsentText);
    }
  }

  void readColumn(const DetailMetric& metric) {
    std::vector<std::optional<double>> values, limits;
    double least = INFINITY, most = -INFINITY;
    for (const Device* device : m_devices) {
      const auto value = latest(m_fleet.first(m_question.node, device->id, metric.metric));
      values.push_back(value);
      if (value) least = std::min(least, *value), most = std::max(most, *value);
      const auto limit = latest(m_fleet.first(m_question.node, device->id, metric.over));
      limits.push_back(limit);
      if (limit) most = std::max(most, *limit);
    }
    if (least > most) return;  // no device reports it
    const std::string_view unit = unitOfMetric(metric.metric);
    const bool words = std::string_view(metric.metric) == "clock_event_reasons";
    const bool limited = std::ranges::any_of(limits, [](const auto& limit) { return limit.has_value(); });
    const UnitScale scale = unitScale(unit == "total" ? "" : unit, least, most);
    QString title = titleOf(metric.metric);
    if (limited) title = DeviceText::tr("%1 / limit").arg(title);
    if (!scale.suffix.empty() && !words) title += QStringLiteral(", ") + suffixOf(scale);
    QString why = helpOf(metric.metric);
    if (limited) why = DeviceText::tr("%1 Limit: %2").arg(why, helpOf(metric.over));
    m_out.columns.push_back({title, why, !words});
    for (std::size_t i = 0; i < m_devices.size(); ++i) {
      QString text = kAbsentText;
      if (values[i]) text = words ? reasonText(static_cast<std::uint64_t>(*values[i])) : formatScaled(*values[i], scale);
      if (values[i] && limits[i]) text += QStringLiteral(" / ") + formatScaled(*limits[i], scale);
      m_out.rows[i].cells.push_back(text);
    }
  }

  void readHostLine() {
    QStringList words;
    const auto add = [&](const char* metric, const QString& what) {
      const auto value = latest(m_fleet.first(m_question.node, {}, metric));
      if (value) words << what + u' ' + formatValue(*value, unitOfMetric(metric));
    };
    add("cpu_busy_ratio", QStringLiteral("CPU"));
    add("pressure_cpu_some_ratio", DeviceText::tr("CPU pressure"));
    add("memory_available_bytes", DeviceText::tr("memory free"));
    for (const Series* series : m_fleet.find(m_question.node, {}, "net_transmit_bytes_per_s")) {
      const auto value = latest(series);
      if (value && *value > 0) words << labelOf(*series) + QStringLiteral(" ") + formatValue(*value, "bytes_per_s");
    }
    for (const Series* series : m_fleet.find(m_question.node, {}, "mount_free_bytes")) {
      const auto value = latest(series);
      if (!value) continue;
      QString text = DeviceText::tr("%1 %2 free").arg(labelOf(*series), formatBytes(*value));
      for (const Series* full : m_fleet.find(m_question.node, {}, "mount_time_to_full_ns")) {
        // Shown only while the mount is filling.
        if (full->key.labels != series->key.labels || full->last_x < series->last_x) continue;
        const auto left = latest(full);
        if (left && *left < kFullSoon) text = DeviceText::tr("%1, full in %2").arg(text, formatAge(static_cast<DurNs>(*left)));
      }
      words << text;
    }
    m_out.host_line = words.join(QStringLiteral(" · "));
  }

  // Faults of the host and its devices, the worst first; repeats are folded into one line.
  Status readTrouble() {
    struct Trouble {
      Event newest;
      int count = 0;
    };
    RG_ASSIGN(const auto events,
              m_reader.events(
                  {.range = {m_fleet.now - kRecent, m_fleet.now + kNsPerSecond}, .at_least = Severity::kWarning, .limit = kTroubleEvents}));
    std::vector<Trouble> found;
    for (const Event& event : events) {  // newest first
      const bool ours =
          event.node == m_question.node || std::ranges::any_of(m_devices, [&](const Device* device) { return device->id == event.device; });
      if (!ours) continue;
      const auto same = std::ranges::find_if(found, [&](const Trouble& t) {
        return t.newest.kind == event.kind && t.newest.code == event.code && t.newest.device == event.device;
      });
      if (same == found.end())
        found.push_back({event, 1});
      else
        ++same->count;
    }
    // A consequence of another fault is never on top of it.
    const auto rank = [](const Trouble& t) {
      const FaultInfo* fault = findFault(t.newest.kind, t.newest.code);
      return std::pair(fault != nullptr && fault->secondary ? 1 : 0, -static_cast<int>(t.newest.severity));
    };
    std::ranges::stable_sort(found, {}, rank);
    QStringList lines;
    for (std::size_t i = 0; i < std::min(found.size(), kTroubleLines); ++i) lines << troubleText(found[i].newest, found[i].count);
    if (found.size() > kTroubleLines) lines << DeviceText::tr("and %1 more: see the events").arg(found.size() - kTroubleLines);
    m_out.trouble = lines.join(u'\n');
    return {};
  }

  QString troubleText(const Event& event, int count) {
    QString text = severityGlyph(event.severity) + u' ' + formatTimeOfDay(event.time.value_or(0), m_question.style) + u' ';
    for (const Device* device : m_devices)
      if (device->id == event.device) text += QStringLiteral("GPU %1 ").arg(device->index.value_or(0));
    text += event.kind == "xid" ? QStringLiteral("Xid") : screenText(event.kind, 40).replace(u'_', u' ');
    if (!event.code.empty()) text += u' ' + screenText(event.code, 20);
    if (count > 1) text += QStringLiteral(" × %1").arg(formatCount(count));
    const FaultInfo* fault = findFault(event.kind, event.code);
    if (fault == nullptr) return text + QStringLiteral(": ") + screenText(event.message, 160);
    text += QStringLiteral(": ") + termText(fault->meaning);
    if (!fault->advice.empty()) text += QStringLiteral(" → ") + termText(fault->advice);
    return text + (event.kind == "xid" ? QStringLiteral(" (%1)").arg(termText(kXidSource)) : QString());
  }

  Status readStrips() {
    auto plots = std::make_shared<PlotData>();
    plots->style = m_question.style;
    m_out.x0 = m_question.window.range.t0;
    m_out.x1 = m_question.window.range.t1;
    if (m_out.x1 <= m_out.x0) extent();
    for (const char* metric : kDeviceStrips) RG_TRY(addDevices(metric, *plots));
    for (const char* metric : kHostStrips)
      if (plots->panels.size() < kStrips) RG_TRY(addHost(metric, *plots));
    m_out.strips = plots;
    return {};
  }

  Result<std::vector<Bin>> bins(const Series& series) {
    return m_whole.bins(series.id, Axis::kTime, m_out.x0, m_out.x1, m_question.pixels, m_stop);
  }

  // Many devices in one strip: their range as a band, the mean of each as a line, the selected one on top.
  Status addDevices(const char* metric, PlotData& plots) {
    PlotPanel panel{.title = titleOf(metric), .unit = std::string(unitOfMetric(metric))};
    std::vector<Bin> band;
    std::optional<PlotCurve> chosen;
    for (const Device* device : m_devices) {
      const Series* series = m_fleet.first(m_question.node, device->id, metric);
      if (series == nullptr) continue;
      RG_ASSIGN(auto read, bins(*series));
      widenBand(band, read);
      const auto index = static_cast<std::size_t>(device->index.value_or(0));
      PlotCurve curve{.name = QString::number(index), .ink = seriesInk(index), .bins = meansOf(std::move(read))};
      curve.gaps = true;
      if (device->id == m_question.device)
        chosen = curve;
      else
        panel.curves.push_back(std::move(curve));
    }
    if (chosen) panel.curves.push_back(*chosen);
    if (panel.curves.empty()) return {};
    PlotCurve reach{.name = DeviceText::tr("min–max"), .bins = std::make_shared<const std::vector<Bin>>(std::move(band))};
    reach.band = reach.gaps = true;
    panel.curves.insert(panel.curves.begin(), std::move(reach));
    plots.panels.push_back(std::move(panel));
    return {};
  }

  Status addHost(const char* metric, PlotData& plots) {
    PlotPanel panel{.title = titleOf(metric), .unit = std::string(unitOfMetric(metric))};
    for (const Series* series : m_fleet.find(m_question.node, {}, metric)) {
      if (panel.curves.size() == Theme{}.series.size()) break;
      RG_ASSIGN(auto read, bins(*series));
      // An interface that never carried traffic (a bridge, an unused port) gets no curve.
      const bool silent = std::ranges::all_of(read, [](const Bin& bin) { return bin.count == 0 || (bin.min == 0 && bin.max == 0); });
      if (silent && !series->key.labels.empty()) continue;
      PlotCurve curve{.name = labelOf(*series),
                      .ink = seriesInk(panel.curves.size()),
                      .bins = std::make_shared<const std::vector<Bin>>(std::move(read))};
      curve.gaps = true;
      panel.curves.push_back(std::move(curve));
    }
    if (!panel.curves.empty()) plots.panels.push_back(std::move(panel));
    return {};
  }

  void extent() {
    for (const Series& series : m_fleet.series()) {
      if (series.key.node != m_question.node) continue;
      if (m_out.x1 == 0 || series.first_x < m_out.x0) m_out.x0 = series.first_x;
      m_out.x1 = std::max(m_out.x1, endOf(series));
    }
  }

  Reader& m_reader;
  Reader& m_whole;  // for the strips
  const Fleet& m_fleet;
  const DetailQuestion& m_question;
  const std::stop_token& m_stop;
  std::vector<const Device*> m_devices;
  std::map<SeriesId, double> m_newest;
  HostDetail m_out;
};

}  // namespace

QString rankText(const Rank& rank) {
  QString text = QString::number(rank.rank);
  if (rank.dp && rank.pp && rank.tp) text += QStringLiteral(" (%1,%2,%3)").arg(*rank.dp).arg(*rank.pp).arg(*rank.tp);
  return text;
}

QString reasonText(std::uint64_t reasons) {
  QStringList words;
  for (const auto& [bit, word] : {std::pair(kPowerCapReason, DeviceText::tr("power cap")),
                                  {0x8, DeviceText::tr("HW slowdown")},
                                  {0x20, DeviceText::tr("SW thermal")},
                                  {0x40, DeviceText::tr("HW thermal")},
                                  {0x80, DeviceText::tr("power brake")},
                                  {0x1, DeviceText::tr("idle")}})
    if ((reasons & bit) != 0) words << word;
  return words.isEmpty() ? DeviceText::tr("none") : words.join(QStringLiteral(", "));
}

Result<HostDetail> readHostDetail(const MomentReaders& readers, const Fleet& fleet, const DetailQuestion& question,
                                  const std::stop_token& stop) {
  return Builder(readers, fleet, question, stop).build();
}

}  // namespace runglass
