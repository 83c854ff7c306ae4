// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/devices/gpu_words.h"

#include <algorithm>
#include <cmath>

namespace runglass {
namespace {

constexpr int kFewOutliers = 8, kManyOf = 8;  // more than a host of GPUs, and more than an eighth of all, are no single one

const GridMetric& metricOf(const GpuData& data) { return kGridMetrics[data.metric]; }
template <class Fn>
void eachCell(const GpuData& data, Fn&& fn) {
  for (const HostColumn& host : data.hosts)
    for (const GpuCell& cell : host.cells) fn(cell);
}

QString titleOf(const GpuData& data) {
  if (metricOf(data).kind == GridMetric::Kind::kWork && data.whole_steps) return QStringLiteral("step time");
  return QString::fromUtf8(metricOf(data).title);
}

// The worst outlier. Where many deviate, it is no fault of that one: stages of a pipeline, or something that all of a group share.
QString outlierText(const GpuData& data) {
  if (!comparesPeers(metricOf(data))) return {};
  const GpuCell* worst = nullptr;
  int outliers = 0;
  eachCell(data, [&](const GpuCell& cell) {
    if (cell.shade <= 0 || cell.state != CellState::kHeard) return;
    ++outliers;
    if (worst == nullptr || std::abs(*cell.deviation) > std::abs(*worst->deviation)) worst = &cell;
  });
  if (worst == nullptr) return {};
  if (outliers > kFewOutliers && outliers * kManyOf > data.total)
    return QStringLiteral("%1 are more than %2 %3 their peers in %4; no single one is an outlier.")
        .arg(formatCount(outliers), formatPercent(metricOf(data).scale.calm, 0),
             metricOf(data).scale.more_is_worse ? QStringLiteral("above") : QStringLiteral("below"), titleOf(data));
  return QStringLiteral("%1: %2 %3.").arg(worst->name, titleOf(data), deviationText(*worst));
}

QString sentenceOf(const GpuData& data, TimeNs as_of, TimeStyle style) {
  const QString things = data.has_gpus     ? data.total == 1 ? QStringLiteral("GPU") : QStringLiteral("GPUs")
                             : data.total == 1 ? QStringLiteral("host")
                                           : QStringLiteral("hosts");
  QStringList parts;
  const auto add = [&](CellGroup group, const char* text) {
    if (const int n = data.counts.at(group); n > 0) parts << QStringLiteral("%1 %2").arg(formatCount(n), QLatin1String(text));
  };
  add(CellGroup::kFinding, "with an open finding");
  add(CellGroup::kXid, "with an Xid");
  add(CellGroup::kLost, "lost");
  add(CellGroup::kStale, "stale");
  add(CellGroup::kThrottled, "slowed by heat or hardware");
  add(CellGroup::kRemap, "with a row remap pending");
  QString text = parts.isEmpty() ? QStringLiteral("%1 %2, all reporting").arg(formatCount(data.total), things)
                                 : QStringLiteral("%1 of %2 %3").arg(parts.join(QStringLiteral(", ")), formatCount(data.total), things);
  text += QLatin1Char('.');
  if (const QString outlier = outlierText(data); !outlier.isEmpty()) text += QLatin1Char(' ') + outlier;
  if (!data.live) text += QStringLiteral(" As of %1.").arg(formatTime(as_of, style));
  return text;
}

Severity severityOf(const GpuData& data) {
  Severity worst = Severity::kInfo;
  eachCell(data, [&](const GpuCell& cell) {
    if (cell.finding) worst = std::max(worst, cell.finding->severity);
  });
  if (data.counts.at(CellGroup::kXid) > 0 || data.counts.at(CellGroup::kLost) > 0) return std::max(worst, Severity::kError);
  if (data.counts.at(CellGroup::kThrottled) > 0 || data.counts.at(CellGroup::kStale) > 0) return std::max(worst, Severity::kWarning);
  return worst;
}

// "own work without waiting, median of the newest 20 steps, against its peers"
QString ruleOf(const GpuData& data) {
  switch (metricOf(data).kind) {
    case GridMetric::Kind::kWork:
      return QStringLiteral("%1, median of the newest %2 steps, against its peers")
          .arg(data.whole_steps ? QStringLiteral("step time (no step parts are recorded)") : QStringLiteral("own work without waiting"))
          .arg(data.work_steps);
    case GridMetric::Kind::kSample:
      return QStringLiteral("mean of %1, against its peers").arg(formatLength(kAveragedOver));
    default:
      return {};
  }
}

QString scaleOf(const GpuData& data) {
  const GridMetric& metric = metricOf(data);
  if (!data.median) return QStringLiteral("No GPU or host reports this metric.");
  QString shades = QStringLiteral("neutral within ±%1, full colour from ±%2")
                       .arg(formatPercent(metric.scale.calm, 0), formatPercent(metric.scale.full, 0));
  if (metric.kind == GridMetric::Kind::kErrors) shades = QStringLiteral("any error is full colour");
  if (metric.kind == GridMetric::Kind::kLastReport)
    shades =
        QStringLiteral("neutral up to %1, full colour from %2")
            .arg(formatDuration(static_cast<DurNs>(metric.scale.calm * static_cast<double>(kStaleAfter))), formatDuration(kStaleAfter));
  QStringList parts{QStringLiteral("median %1").arg(formatValue(*data.median, data.unit))};
  if (const QString rule = ruleOf(data); !rule.isEmpty()) parts << rule;
  parts << shades << QStringLiteral("outlined: open finding") << QStringLiteral("hatched: stale or no data") << QStringLiteral("×: lost");
  return parts.join(QStringLiteral(" · "));
}

}  // namespace

bool comparesPeers(const GridMetric& metric) {
  return metric.kind != GridMetric::Kind::kErrors && metric.kind != GridMetric::Kind::kLastReport;
}

QString deviationText(const GpuCell& cell) {
  if (!cell.deviation) return kAbsentText;
  return QStringLiteral("%1 %2 its peers")
      .arg(formatPercent(std::abs(*cell.deviation)), *cell.deviation < 0 ? QStringLiteral("below") : QStringLiteral("above"));
}

void sayGpus(GpuData& data, TimeNs as_of, TimeStyle style) {
  if (data.total == 0) return;
  data.severity = severityOf(data);
  data.sentence = sentenceOf(data, as_of, style);
  data.scale = scaleOf(data);
}

}  // namespace runglass
