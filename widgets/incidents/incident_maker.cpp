// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/incident_maker.h"

#include <algorithm>
#include <limits>

#include "widgets/core/run_words.h"
#include "widgets/core/units.h"
#include "widgets/incidents/incident_data.h"

namespace runglass {
namespace {

constexpr int kLineTitleChars = 80;

}  // namespace

IncidentMaker::IncidentMaker(ViewContext context, QObject* parent) : QObject(parent), m_context(std::move(context)) {}

void IncidentMaker::fromSeed(const IncidentSeed& seed) {
  if (seed.rank) {
    DraftPlace place = placeOfState();
    place.rank = seed.rank, place.attempt = seed.attempt, place.node = {};
    start([place](Reader& reader, const Run& run, std::stop_token stop) { return draftOfRank(reader, run, place, std::move(stop)); });
    return;
  }
  start([seed](Reader& reader, const Run& run, std::stop_token stop) {
    return seed.finding != 0 || !seed.event ? draftOfFinding(reader, run, seed.finding, std::move(stop))
                                            : draftOfEvent(reader, run, *seed.event, std::move(stop));
  });
}

DraftPlace IncidentMaker::placeOfState() const {
  const ViewState& state = m_context.state->state();
  const Selection& selection = state.selection;
  DraftPlace place{
      .range = std::nullopt, .attempt = selection.attempt, .rank = selection.rank, .node = selection.node, .step = selection.step};
  if (state.window.range.t0 < state.window.range.t1) {
    place.range = state.window.range;
    // A window that follows the newest data refers to something ongoing.
    if (state.window.mode == WindowMode::kFollow) place.range->t1 = std::numeric_limits<TimeNs>::max();
  }
  return place;
}

void IncidentMaker::fromSelection() {
  const DraftPlace place = placeOfState();
  start([place](Reader& reader, const Run& run, std::stop_token stop) { return draftOfPlace(reader, run, place, std::move(stop)); });
}

void IncidentMaker::start(Draw draw) {
  const QString refusal = m_context.edits != nullptr ? m_context.edits->refusal() : tr("This store cannot be edited.");
  if (!refusal.isEmpty()) {
    emit failed(refusal);
    return;
  }
  if (m_busy) return;  // the key was held down
  m_busy = true;
  m_context.queries->submit<Drawn>(
      m_slot, QueryService::Supersede::kCancelOlder,
      [draw = std::move(draw), wanted = m_context.state->state().selection.run](Reader& reader, std::stop_token stop) -> Result<Drawn> {
        Drawn drawn;
        RG_ASSIGN(drawn.run, chooseRun(reader, wanted));
        RG_ASSIGN(drawn.draft, draw(reader, drawn.run, std::move(stop)));
        if (const auto attempt = reader.attempt(drawn.draft.incident.attempt); attempt.ok()) drawn.attempt = attempt->number;
        return drawn;
      },
      [this](const Result<std::shared_ptr<const Drawn>>& answer) {
        if (answer.ok()) return store(**answer);
        m_busy = false;
        emit failed(screenText(answer.status().message()));
      });
}

void IncidentMaker::store(const Drawn& drawn) {
  if (!drawn.draft.changed) return tell(drawn);
  const IncidentEdit edit{.run_uuid = drawn.run.uuid, .attempt = drawn.attempt, .incident = drawn.draft.incident};
  m_context.edits->submit(edit, this, [this, drawn](const Status& status) {
    if (status.ok()) return tell(drawn);
    m_busy = false;
    emit failed(screenText(status.message()));
  });
}

void IncidentMaker::tell(const Drawn& drawn) {
  m_busy = false;
  const Incident& incident = drawn.draft.incident;
  Selection selection = m_context.state->state().selection;
  selection.run = drawn.run.id;
  if (incident.attempt) selection.attempt = incident.attempt;
  selection.incident = incident.uuid;
  m_context.state->select(selection);
  const QString title = screenText(incident.title, kLineTitleChars);
  const QString words = !drawn.draft.stored   ? tr("New incident: %1").arg(title)
                        : drawn.draft.changed ? tr("The finding joined the incident “%1”").arg(title)
                                              : tr("The finding belongs to the incident “%1”").arg(title);
  emit made(QString::fromStdString(incident.uuid), !drawn.draft.stored, words);
}

}  // namespace runglass
