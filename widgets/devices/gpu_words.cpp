// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/devices/gpu_words.h"

#include <algorithm>
#include <cmath>

#include "widgets/core/language.h"
#include "widgets/devices/gpu_data.h"

namespace runglass {
namespace {

constexpr int kFewOutliers = 8, kManyOf = 8;  // more than a host of GPUs, and more than an eighth of all, are no single outlier

const GridMetric& metricOf(const GpuData& data) { return kGridMetrics[data.metric]; }
template <class Fn>
void eachCell(const GpuData& data, Fn&& fn) {
  for (const HostColumn& host : data.hosts)
    for (const GpuCell& cell : host.cells) fn(cell);
}

QString titleOf(const GpuData& data) {
  if (metricOf(data).kind == GridMetric::Kind::kWork && data.whole_steps) return DeviceText::tr("step time");
  return DeviceText::tr(metricOf(data).title);
}

// The worst outlier. If many deviate, the cause is not that one: they are stages of a pipeline, or share something.
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
    return (metricOf(data).scale.more_is_worse
                ? DeviceText::tr("%1 are more than %2 above their peers in %3; no single one is an outlier.")
                : DeviceText::tr("%1 are more than %2 below their peers in %3; no single one is an outlier."))
        .arg(formatCount(outliers), formatPercent(metricOf(data).scale.calm, 0), titleOf(data));
  return DeviceText::tr("%1: %2 %3.").arg(worst->name, titleOf(data), deviationText(*worst));
}

// "8 GPUs", "1 host".
QString countText(const GpuData& data) {
  const QString count = formatCount(data.total);
  if (data.has_gpus) return (data.total == 1 ? DeviceText::tr("%1 GPU") : DeviceText::tr("%1 GPUs")).arg(count);
  return (data.total == 1 ? DeviceText::tr("%1 host") : DeviceText::tr("%1 hosts")).arg(count);
}

QString sentenceOf(const GpuData& data, TimeNs as_of, TimeStyle style) {
  QStringList parts;
  const auto add = [&](CellGroup group, const QString& text) {
    if (const int n = data.counts.at(group); n > 0) parts << text.arg(formatCount(n));
  };
  add(CellGroup::kFinding, DeviceText::tr("%1 with an open finding"));
  add(CellGroup::kXid, DeviceText::tr("%1 with an Xid"));
  add(CellGroup::kLost, DeviceText::tr("%1 lost"));
  add(CellGroup::kStale, DeviceText::tr("%1 stale"));
  add(CellGroup::kThrottled, DeviceText::tr("%1 slowed by heat or hardware"));
  add(CellGroup::kRemap, DeviceText::tr("%1 with a row remap pending"));
  QStringList sentences{parts.isEmpty() ? DeviceText::tr("%1, all reporting.").arg(countText(data))
                                        : DeviceText::tr("%1 of %2.").arg(parts.join(QStringLiteral(", ")), countText(data))};
  if (const QString outlier = outlierText(data); !outlier.isEmpty()) sentences << outlier;
  if (!data.live) sentences << DeviceText::tr("As of %1.").arg(formatTime(as_of, style));
  return sentences.join(u' ');
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
      return (data.whole_steps ? DeviceText::tr("step time (no step parts are recorded), median of the newest %1 steps, against its peers")
                               : DeviceText::tr("own work without waiting, median of the newest %1 steps, against its peers"))
          .arg(data.work_steps);
    case GridMetric::Kind::kSample:
      return DeviceText::tr("mean of %1, against its peers").arg(formatLength(kAveragedOver));
    default:
      return {};
  }
}

QString scaleOf(const GpuData& data) {
  const GridMetric& metric = metricOf(data);
  if (!data.median) return DeviceText::tr("No GPU or host reports this metric.");
  QString shades = DeviceText::tr("neutral within ±%1, full colour from ±%2")
                       .arg(formatPercent(metric.scale.calm, 0), formatPercent(metric.scale.full, 0));
  if (metric.kind == GridMetric::Kind::kErrors) shades = DeviceText::tr("any error is full colour");
  if (metric.kind == GridMetric::Kind::kLastReport)
    shades =
        DeviceText::tr("neutral up to %1, full colour from %2")
            .arg(formatDuration(static_cast<DurNs>(metric.scale.calm * static_cast<double>(kStaleAfter))), formatDuration(kStaleAfter));
  QStringList parts{DeviceText::tr("median %1").arg(formatValue(*data.median, data.unit))};
  if (const QString rule = ruleOf(data); !rule.isEmpty()) parts << rule;
  parts << shades << DeviceText::tr("outlined: open finding") << DeviceText::tr("hatched: stale or no data") << DeviceText::tr("×: lost");
  return parts.join(QStringLiteral(" · "));
}

}  // namespace

bool comparesPeers(const GridMetric& metric) {
  return metric.kind != GridMetric::Kind::kErrors && metric.kind != GridMetric::Kind::kLastReport;
}

QString deviationText(const GpuCell& cell) {
  if (!cell.deviation) return kAbsentText;
  return (*cell.deviation < 0 ? DeviceText::tr("%1 below its peers") : DeviceText::tr("%1 above its peers"))
      .arg(formatPercent(std::abs(*cell.deviation)));
}

QString findingText(const FindingMark& mark) {
  Finding finding;
  finding.summary = mark.summary, finding.message = mark.message;
  return findingText(finding, 200);
}

void sayGpus(GpuData& data, TimeNs as_of, TimeStyle style) {
  if (data.total == 0) return;
  data.severity = severityOf(data);
  data.sentence = sentenceOf(data, as_of, style);
  data.scale = scaleOf(data);
}

}  // namespace runglass
