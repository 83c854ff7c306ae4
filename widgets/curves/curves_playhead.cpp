// SPDX-License-Identifier: GPL-3.0-or-later
// The playhead over the curves, for any axis.
#include <algorithm>

#include "analysis/run_summary/run_steps.h"
#include "widgets/core/run_words.h"
#include "widgets/curves/curve_card.h"
#include "widgets/curves/curves_view.h"

namespace runglass {

// Start of the selected run, else of the first one drawn.
std::optional<TimeNs> CurvesView::beginOfRun() const {
  if (!m_catalog_shown || m_tags->catalog()->runs.empty()) return std::nullopt;
  const auto& runs = m_tags->catalog()->runs;
  const auto shown = std::ranges::find_if(runs, [&](const auto& one) { return one.run.id == m_state.selection.run; });
  return (shown == runs.end() ? runs.front() : *shown).begin;
}

// Maps the moment to the axis: a time, the time since the run started, or the last step that had ended by then.
void CurvesView::askPlayhead() {
  const auto show = [this](std::optional<std::int64_t> x) {
    m_playhead = x;
    for (CurveCard* card : m_cards) card->plot()->setPlayhead(x);
  };
  if (m_axis != CurveAxis::kStep || !m_state.moment) {
    m_playhead_slot.cancel();
    const auto begin = m_axis == CurveAxis::kRelative ? beginOfRun() : std::optional<TimeNs>(0);
    return show(m_state.moment && begin ? std::optional(*m_state.moment - *begin) : std::nullopt);
  }
  m_context.queries->submitAt<std::optional<StepMoment>>(
      m_playhead_slot, m_state.moment, QueryService::Supersede::kCancelOlder,
      [run = m_state.selection.run, moment = *m_state.moment](const MomentReaders& readers,
                                                              std::stop_token stop) -> Result<std::optional<StepMoment>> {
        RG_ASSIGN(const Run shown, chooseRun(readers.whole, run));
        return stepAt(readers.whole, shown.id, moment, std::move(stop));
      },
      [show](const Result<std::shared_ptr<const std::optional<StepMoment>>>& answer) {
        show(answer.ok() && **answer ? std::optional((**answer)->step) : std::nullopt);
      });
}

// Maps a position on the axis to a moment; for a step the moment at which the run ended it.
void CurvesView::moveMoment(std::int64_t x) {
  if (m_axis == CurveAxis::kTime) return m_context.state->setMoment(x);
  if (m_axis == CurveAxis::kRelative) {
    if (const auto begin = beginOfRun()) m_context.state->setMoment(*begin + x);
    return;
  }
  m_context.queries->submit<std::optional<StepMoment>>(
      m_moment_slot, QueryService::Supersede::kCancelOlder,
      [run = m_state.selection.run, x](Reader& reader, std::stop_token stop) -> Result<std::optional<StepMoment>> {
        RG_ASSIGN(const Run shown, chooseRun(reader, run));
        return momentOfStep(reader, shown.id, x, std::move(stop));
      },
      [this](const Result<std::shared_ptr<const std::optional<StepMoment>>>& answer) {
        if (answer.ok() && **answer) m_context.state->setMoment((**answer)->time);
      });
}

}  // namespace runglass
