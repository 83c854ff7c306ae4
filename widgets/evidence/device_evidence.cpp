// SPDX-License-Identifier: GPL-3.0-or-later
// Power, clock, temperature, activity and errors of a device or host around an incident, compared with its peers, with its events.
#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/text/record_sql.h"
#include "widgets/evidence/curve_reading.h"
#include "widgets/evidence/event_words.h"
#include "widgets/evidence/evidence_kinds.h"

namespace runglass {
namespace {

struct Strip {
  const char *metric, *instead;  // `instead`: if no device has the first
};
constexpr std::array<Strip, 4> kDeviceStrips = {
    {{"power_watts", ""}, {"sm_clock_hertz", ""}, {"temperature_celsius", ""}, {"sm_active_ratio", "gpu_busy_ratio"}}};
constexpr std::array<Strip, 4> kHostStrips = {{{"cpu_busy_ratio", ""},
                                               {"memory_available_bytes", ""},
                                               {"rdma_transmit_bytes_per_s", "net_transmit_bytes_per_s"},
                                               {"pressure_cpu_some_ratio", ""}}};
constexpr std::array<const char*, 6> kErrors = {"ecc_uncorrected_total", "ecc_corrected_total",         "nvlink_replay_error_total",
                                                "pcie_replay_total",     "nvlink_recovery_error_total", "nvlink_crc_error_total"};
constexpr std::size_t kMaxPeers = 64, kMaxOwn = 8;
constexpr DurNs kSilentShare = 20;  // divisor of the window: a longer silence is reported
constexpr double kWarmer = 3;       // degrees
constexpr double kNews = 0.03;      // smallest reported difference from the peers
constexpr double kDeviceShare = 0.8, kErrorShare = 0.5;

class DeviceReading {
 public:
  DeviceReading(Reader& reader, const EvidenceSubject& subject, const EvidenceQuestion& question, const std::stop_token& stop)
      : m_reader(reader), m_subject(subject), m_question(question), m_stop(stop) {}

  Result<Evidence> read() {
    Evidence out{.title = QObject::tr("Device and host")};
    m_node = m_subject.node();
    m_device = m_subject.device();
    if (m_node == nullptr && m_device == nullptr) {
      out.reason = m_subject.select.rank ? QObject::tr("It is not known on which machine rank %1 ran.").arg(*m_subject.select.rank)
                                         : QObject::tr("The card names no rank and no node of this store.");
      return out;
    }
    const auto range = m_subject.around();
    if (!range) {
      out.reason = QObject::tr("The run has no clock: device metrics have no place beside it.");
      return out;
    }
    m_range = {.axis = CurveAxis::kTime, .x0 = range->t0, .x1 = range->t1, .columns = m_question.columns};
    m_story.x0 = range->t0, m_story.x1 = range->t1;
    m_story.plot.style = m_subject.style;
    if (m_subject.mark) m_range.mark = m_story.mark = {m_subject.mark->t0, m_subject.mark->t1};
    choose();
    for (const Strip& strip : m_own.empty() ? kHostStrips : kDeviceStrips) RG_TRY(addStrip(strip));
    RG_TRY(addErrors());
    const NodeId node = m_node != nullptr ? m_node->id : m_device->node;
    RG_ASSIGN(EventsReported events,
              readEventsReported(m_reader, m_subject, node, m_device != nullptr ? m_device->id : DeviceId(), *range, m_stop));
    if (m_story.plot.panels.empty()) {
      out.reason = events.events.empty()
                       ? QObject::tr("Nothing was measured on %1 in this window.").arg(name())
                       : QObject::tr("Nothing was measured on %1 in this window. Events: %2").arg(name(), events.events.front().words);
      return out;
    }
    m_story.events = std::move(events.events), m_story.more_events = events.more;
    finish(out);
    return out;
  }

 private:
  bool isGpu(const Device& device) const { return device.kind != "nic"; }

  QString name() const {
    const QString host = m_node != nullptr ? m_subject.nodeName(m_node->id) : m_subject.nodeName(m_device->node);
    if (m_device == nullptr) return host;
    const QString gpu = shortName();
    return host.isEmpty() ? gpu : QObject::tr("%1 of %2").arg(gpu, host);
  }

  // Without its host, which is in the title.
  QString shortName() const {
    if (m_device == nullptr) return m_subject.nodeName(m_node->id);
    return m_device->index ? QObject::tr("GPU %1").arg(*m_device->index) : screenText(m_device->kind, 20);
  }

  // Its own devices, and those of the job's other ranks; if there are many, every nth.
  void choose() {
    for (const Device& device : m_subject.devices) {
      const bool own = m_device != nullptr ? device.id == m_device->id : m_node != nullptr && device.node == m_node->id && isGpu(device);
      if (own && m_own.size() < kMaxOwn) m_own.push_back(device.id);
    }
    std::vector<DeviceId> others;
    std::vector<NodeId> nodes;
    for (const Rank& rank : m_subject.ranks) {
      if (rank.device && std::ranges::find(m_own, rank.device) == m_own.end() &&
          (m_device != nullptr || m_node == nullptr || rank.node != m_node->id))
        others.push_back(rank.device);
      if (rank.node && m_node != nullptr && rank.node != m_node->id) nodes.push_back(rank.node);
    }
    const auto thin = [](auto& all, auto& into) {
      std::ranges::sort(all);
      const auto doubles = std::ranges::unique(all);
      all.erase(doubles.begin(), doubles.end());
      const std::size_t every = (all.size() + kMaxPeers - 1) / kMaxPeers;
      for (std::size_t i = 0; i < all.size(); i += std::max<std::size_t>(every, 1)) into.push_back(all[i]);
    };
    m_peer_count = 0;
    thin(others, m_peers);
    thin(nodes, m_peer_nodes);
    m_peer_count = m_own.empty() ? nodes.size() : others.size();
  }

  Status addStrip(const Strip& strip) {
    for (const char* metric : {strip.metric, strip.instead}) {
      if (metric[0] == '\0') continue;
      SeriesFilter filter;
      filter.metric = metric;
      RG_ASSIGN(const auto all, m_reader.series(filter));
      std::vector<const Series*> own, peers;
      for (const Series& series : all) {
        if (series.sample_count == 0 || series.key.kind == SeriesKind::kScalar) continue;
        if (m_own.empty()) {
          if (series.key.device) continue;
          if (series.key.node == m_node->id) own.push_back(&series);
          if (std::ranges::binary_search(m_peer_nodes, series.key.node)) peers.push_back(&series);
        } else if (std::ranges::find(m_own, series.key.device) != m_own.end()) {
          own.push_back(&series);
        } else if (std::ranges::binary_search(m_peers, series.key.device)) {
          peers.push_back(&series);
        }
      }
      if (own.size() > kMaxOwn) own.resize(kMaxOwn);
      RG_ASSIGN(const bool shown, addPanel(metric, own, peers));
      if (shown) return {};
    }
    return {};
  }

  Result<bool> addPanel(const char* metric, const std::vector<const Series*>& own, const std::vector<const Series*>& peers) {
    RG_ASSIGN(MeansRead mine, readMeans(m_reader, m_subject, own, m_range, m_stop));
    if (mine.points == 0) return false;
    RG_ASSIGN(BandRead others, readBand(m_reader, peers, nullptr, m_range, m_stop));
    PlotPanel panel{.title = metricTitle(metric), .unit = own.front()->key.unit, .share = kDeviceShare};
    std::vector<CurveInk> inks;
    mine.curves.back().name = QObject::tr("min–max");
    if (own.size() == 1) mine.curves.front().name = shortName();
    SharedBins median;
    const auto put = [&](PlotCurve& curve, const CurveInk& ink) { panel.curves.push_back(std::move(curve)), inks.push_back(ink); };
    for (std::size_t i = 0; i + 1 < mine.curves.size(); ++i) put(mine.curves[i], mine.inks[i]);
    for (std::size_t i = 0; i < others.curves.size(); ++i) {
      if (others.inks[i].role != CurveRole::kCompared) continue;
      others.curves[i].name = QObject::tr("peers' median (%1)").arg(others.heard);
      median = others.curves[i].bins;
      put(others.curves[i], others.inks[i]);
    }
    put(mine.curves.back(), mine.inks.back());
    m_peers_heard = std::max(m_peers_heard, others.heard);
    m_points += mine.points;
    compare(panel, mine.bins, median);
    findSilence(mine.bins);
    m_metrics.push_back(metric);
    m_story.add(std::move(panel), std::move(inks));
    return true;
  }

  // The device and its peers at the same times of the mark: its silent times are not compared.
  void compare(const PlotPanel& panel, const std::vector<Bin>& mine, const SharedBins& median) {
    double own = 0, theirs = 0;
    std::int64_t points = 0;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const Bin& bin = mine[i];
      if (bin.count == 0 || !std::isfinite(bin.sum) || (m_range.mark && !isWithin(bin, *m_range.mark))) continue;
      const bool both = median && i < median->size() && (*median)[i].count > 0;
      if (median && !both) continue;
      own += bin.sum, points += bin.count;
      if (both) theirs += (*median)[i].last * static_cast<double>(bin.count);
    }
    if (points == 0) return;
    own /= static_cast<double>(points), theirs /= static_cast<double>(points);
    if (!median) return void(m_alone << QObject::tr("%1 %2").arg(panel.title, formatValue(own, panel.unit)));
    const double ratio = theirs != 0 ? own / theirs - 1 : 0;
    const bool degrees = panel.unit == "celsius";
    const bool news = degrees ? std::fabs(own - theirs) >= kWarmer : std::fabs(ratio) >= kNews;
    const QString off = news && !degrees ? QStringLiteral(" (%1)").arg(formatSignedPercent(ratio, 0)) : QString();
    (news ? m_differs : m_alike)
        << QObject::tr("%1 %2 against %3%4").arg(panel.title, formatValue(own, panel.unit), formatValue(theirs, panel.unit), off);
  }

  // The longest stretch without a reading, if it is long relative to the usual distance of readings.
  void findSilence(const std::vector<Bin>& bins) {
    DurNs empty = 0, longest = 0;
    for (const Bin& bin : bins) {
      empty = bin.count > 0 ? 0 : empty + (bin.x1 - bin.x0);
      longest = std::max(longest, empty);
    }
    if (longest >= (m_range.x1 - m_range.x0) / kSilentShare)
      m_silent = std::min(m_silent.value_or(longest), longest);
    else
      m_silent = 0;
  }

  // Counters that rose in the window; constant ones are summarized in one sentence.
  Status addErrors() {
    PlotPanel panel{.title = QObject::tr("errors, total"), .unit = "", .share = kErrorShare};
    std::vector<CurveInk> inks;
    std::size_t reported = 0;
    for (const char* metric : kErrors) {
      SeriesFilter filter;
      filter.metric = metric;
      RG_ASSIGN(const auto all, m_reader.series(filter));
      for (const Series& series : all) {
        if (std::ranges::find(m_own, series.key.device) == m_own.end() || series.sample_count == 0) continue;
        RG_ASSIGN(CurvesRead read, readLines(m_reader, m_subject, {&series}, m_range, 0, m_stop));
        if (read.points == 0) continue;
        ++reported;
        if (!read.most || !read.least || *read.most <= *read.least || panel.curves.size() == kMaxOwn) continue;
        read.curves.front().name = metricTitle(metric);
        m_rose << QObject::tr("%1 rose by %2").arg(metricTitle(metric), formatNumber(*read.most - *read.least));
        inks.push_back({CurveRole::kSeries, panel.curves.size()});
        panel.curves.push_back(std::move(read.curves.front()));
        m_metrics.push_back(metric);
      }
    }
    if (panel.curves.empty()) {
      if (reported > 0) m_alike << QObject::tr("no error counter rose");
      return {};
    }
    m_story.add(std::move(panel), std::move(inks));
    return {};
  }

  void finish(Evidence& out) {
    out.title = name();
    QStringList parts = m_differs + m_rose;
    if (m_silent.value_or(0) > 0) parts.prepend(QObject::tr("no reading for %1").arg(formatLength(*m_silent)));
    if (parts.isEmpty()) parts = m_alone;
    if (parts.isEmpty() && !m_alike.isEmpty()) parts << QObject::tr("as its peers: %1").arg(m_alike.join(QStringLiteral(", ")));
    out.shows = parts.isEmpty() ? QObject::tr("%1.").arg(name()) : QObject::tr("%1: %2.").arg(name(), parts.join(QStringLiteral(", ")));
    out.coverage = countWords(m_points, QT_TRANSLATE_NOOP("Counts", "%1 reading"), QT_TRANSLATE_NOOP("Counts", "%1 readings"));
    if (m_peers_heard > 0)
      out.coverage += QObject::tr("; peers: %1 of %2 of the job's %3")
                          .arg(formatCount(static_cast<std::int64_t>(m_peers_heard)), formatCount(static_cast<std::int64_t>(m_peer_count)),
                               m_own.empty() ? QObject::tr("hosts") : QObject::tr("devices"));
    std::string metrics;
    for (const std::string& metric : m_metrics) metrics += (metrics.empty() ? "" : ", ") + sqlText(metric);
    const TimeRange range{m_range.x0, m_range.x1};
    out.sql = "SELECT s.metric, s.device_uuid, x.time_ns, x.value FROM series s JOIN sample(s.series_id, " + std::to_string(range.t0) +
              ", " + std::to_string(range.t1) + ") x WHERE s.metric IN (" + metrics + ")";
    if (m_device != nullptr)
      out.sql += " AND s.device_uuid = " + sqlText(m_device->uuid);
    else
      out.sql += " AND s.node = " + sqlText(m_node->name);
    out.sql += " ORDER BY 1, 2, 3";
    out.place = {.view = "gpus", .t0 = range.t0, .t1 = range.t1, .select = m_subject.linkSelect()};
    out.picture = std::make_shared<const CurvePicture>(std::move(m_story));
  }

  Reader& m_reader;
  const EvidenceSubject& m_subject;
  const EvidenceQuestion& m_question;
  const std::stop_token& m_stop;
  const Node* m_node = nullptr;
  const Device* m_device = nullptr;
  std::vector<DeviceId> m_own, m_peers;  // m_peers, m_peer_nodes sorted
  std::vector<NodeId> m_peer_nodes;
  std::size_t m_peer_count = 0, m_peers_heard = 0;
  CurveRange m_range;
  CurveStory m_story;
  std::int64_t m_points = 0;
  std::optional<DurNs> m_silent;  // of all its metrics together; 0: at least one of them always reported
  QStringList m_differs, m_alike, m_alone, m_rose;
  std::vector<std::string> m_metrics;
};

}  // namespace

Result<Evidence> readDeviceEvidence(Reader& reader, const EvidenceSubject& subject, const EvidenceQuestion& question,
                                    const std::stop_token& stop) {
  return DeviceReading(reader, subject, question, stop).read();
}

}  // namespace runglass
