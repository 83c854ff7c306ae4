// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/spike_marks.h"

#include <QObject>
#include <cmath>

#include "analysis/run_summary/roles.h"
#include "widgets/core/language.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

Severity severityOf(const LossSpike& spike) {
  if (spike.rule == SpikeRule::kNonFinite) return Severity::kCritical;
  if (spike.verdict == SpikeVerdict::kMalignant) return Severity::kError;
  // A spike that recovered soon is worth a look, not an alarm: healthy runs have dozens.
  const bool soon = weightOf(spike, false, true) < SpikeWeight::kLasting;
  return spike.verdict == SpikeVerdict::kBenign && soon ? Severity::kInfo : Severity::kWarning;
}

}  // namespace

QString spikeWords(const LossSpike& spike) {
  if (spike.rule == SpikeRule::kNonFinite)
    return spike.recovered_step
               ? QObject::tr("loss is %1 at step %2, recovered at %3")
                     .arg(formatNumber(spike.peak), formatCount(spike.first_step), formatCount(*spike.recovered_step))
               : QObject::tr("loss is %1 at step %2, and stays not finite").arg(formatNumber(spike.peak), formatCount(spike.first_step));
  const QString what = QObject::tr("loss spike at step %1: %2 against %3")
                           .arg(formatCount(spike.peak_step), formatNumber(spike.peak), formatNumber(spike.baseline));
  if (spike.verdict == SpikeVerdict::kMalignant)
    return spike.recovered_step ? QObject::tr("%1, not back within %2 points, recovered at %3")
                                      .arg(what)
                                      .arg(kSpikePersistence)
                                      .arg(formatCount(*spike.recovered_step))
                                : QObject::tr("%1, not back within %2 points").arg(what).arg(kSpikePersistence);
  return spike.recovered_step ? QObject::tr("%1, recovered at %2").arg(what, formatCount(*spike.recovered_step))
                              : QObject::tr("%1, not back yet").arg(what);
}

// As for the overview's loss: a known name, and not of an evaluation.
bool isLoss(const Series& series) {
  return series.key.kind == SeriesKind::kScalar && pickSeries(std::span(&series, 1), Role::kLoss) != nullptr;
}

std::vector<PanelMark> spikeMarks(const std::vector<SeriesSpike>& spikes, const SpikePlace& place) {
  std::vector<PanelMark> marks;
  for (const SeriesSpike& one : spikes) {
    if (place.axis == XAxis::kTime && !one.peak_time) continue;
    const std::int64_t x = place.axis == XAxis::kStep ? one.spike.peak_step : *one.peak_time - place.offset;
    const QString words = spikeWords(one.spike);
    marks.push_back({x, severityOf(one.spike), place.name.isEmpty() ? words : place.name + QStringLiteral(": ") + words});
  }
  return marks;
}

std::vector<PanelMark> ruleMarks(const SeriesRules& rules, std::size_t rule, const SpikePlace& place) {
  std::vector<PanelMark> marks;
  const RuleHits& hits = rules.hits[rule];
  const std::string_view title = publishedRules()[rule].title;
  const QString name = termText(title);
  for (std::size_t i = 0; i < hits.steps.size(); ++i) {
    if (place.axis == XAxis::kTime && i >= rules.times[rule].size()) break;
    const std::int64_t x = place.axis == XAxis::kStep ? hits.steps[i] : rules.times[rule][i] - place.offset;
    const QString words = QObject::tr("%1: %2 at step %3").arg(name, formatNumber(rules.values[rule][i]), formatCount(hits.steps[i]));
    marks.push_back({x, Severity::kInfo, place.name.isEmpty() ? words : place.name + QStringLiteral(": ") + words});
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
