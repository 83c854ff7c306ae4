// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/spike_marks.h"

#include <QObject>
#include <cmath>

#include "analysis/run_summary/roles.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

QString wordsOf(const LossSpike& spike) {
  const auto back = [&](const QString& otherwise) {
    return spike.recovered_step ? QObject::tr("recovered at %1").arg(formatCount(*spike.recovered_step)) : otherwise;
  };
  if (spike.rule == SpikeRule::kNonFinite)
    return QObject::tr("loss is %1 at step %2, %3")
        .arg(formatNumber(spike.peak), formatCount(spike.first_step), back(QObject::tr("and stays not finite")));
  const QString what = QObject::tr("loss spike at step %1: %2 against %3")
                           .arg(formatCount(spike.peak_step), formatNumber(spike.peak), formatNumber(spike.baseline));
  if (spike.verdict == SpikeVerdict::kMalignant)
    return QObject::tr("%1, not back within %2 points%3")
        .arg(what)
        .arg(kSpikePersistence)
        .arg(spike.recovered_step ? QStringLiteral(", ") + back({}) : QString());
  return what + QStringLiteral(", ") + back(QObject::tr("not back yet"));
}

Severity severityOf(const LossSpike& spike) {
  if (spike.rule == SpikeRule::kNonFinite) return Severity::kCritical;
  // What came back is worth a look, not an alarm: healthy runs have dozens.
  if (spike.verdict == SpikeVerdict::kBenign) return Severity::kInfo;
  return spike.verdict == SpikeVerdict::kMalignant ? Severity::kError : Severity::kWarning;
}

}  // namespace

// As for the overview's loss: a name among the known ones, and not of an evaluation.
bool isLoss(const Series& series) {
  return series.key.kind == SeriesKind::kScalar && pickSeries(std::span(&series, 1), Role::kLoss) != nullptr;
}

std::vector<PanelMark> spikeMarks(const std::vector<SeriesSpike>& spikes, const SpikePlace& place) {
  std::vector<PanelMark> marks;
  for (const SeriesSpike& one : spikes) {
    if (place.axis == XAxis::kTime && !one.peak_time) continue;
    const std::int64_t x = place.axis == XAxis::kStep ? one.spike.peak_step : *one.peak_time - place.offset;
    const QString words = wordsOf(one.spike);
    marks.push_back({x, severityOf(one.spike), place.name.isEmpty() ? words : place.name + QStringLiteral(": ") + words});
  }
  return marks;
}

Result<std::vector<PanelMark>> readSpikeMarks(Reader& reader, SpikeCache& cache, const Series& series,
                                              std::optional<std::int64_t> superseded_from, const SpikePlace& place,
                                              const std::stop_token& stop) {
  if (!isLoss(series)) return std::vector<PanelMark>{};
  RG_ASSIGN(const SharedSpikes spikes, cache.spikes(reader, series, superseded_from, stop));
  return spikeMarks(*spikes, place);
}

}  // namespace runglass
