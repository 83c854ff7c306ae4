// SPDX-License-Identifier: GPL-3.0-or-later
// Marks of loss spikes for a panel: position, severity and text.
//
// Threading:  any thread; on a query worker where it reads.
// Units:      x of the plot's axis: steps, or ns minus `offset`.
// Errors:     the Reader's.
// Cost:       as SpikeCache; O(spikes) texts.
#pragma once

#include <stop_token>
#include <vector>

#include "analysis/loss_spikes/series_rules.h"
#include "analysis/loss_spikes/series_spikes.h"
#include "widgets/charts/plot_data.h"

namespace runglass {

// Whether a series is a training loss, whose spikes are marked.
bool isLoss(const Series& series);

// A spike in one sentence.
QString spikeWords(const LossSpike& spike);

struct SpikePlace {
  XAxis axis = XAxis::kStep;
  std::int64_t offset = 0;  // time of the series = x + offset
  QString name;             // of the curve, if the panel has several; safe for the screen
};

// A benign or undecided spike is a warning, a malignant one an error, NaN and Inf are critical. A spike without a position on the axis has
// no mark.
std::vector<PanelMark> spikeMarks(const std::vector<SeriesSpike>& spikes, const SpikePlace& place);
// Hits of the i-th published rule; drawn muted, because published rules raise no alarms of Runglass.
std::vector<PanelMark> ruleMarks(const SeriesRules& rules, std::size_t rule, const SpikePlace& place);
// Empty for a series that is not a loss (isLoss()).
Result<std::vector<PanelMark>> readSpikeMarks(Reader& reader, SpikeCache& cache, const Series& series,
                                              std::optional<std::int64_t> superseded_from, const SpikePlace& place,
                                              const std::stop_token& stop);

}  // namespace runglass
