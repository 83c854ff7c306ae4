// SPDX-License-Identifier: GPL-3.0-or-later
// User actions in the view `incidents`: decide on proposals, change an incident, run commands of the palette.
#include <algorithm>
#include <array>

#include "analysis/incident/incident_draft.h"
#include "widgets/incidents/editable_text.h"
#include "widgets/incidents/incident_cards.h"
#include "widgets/incidents/incident_head.h"
#include "widgets/incidents/incident_notes.h"
#include "widgets/incidents/incident_share.h"
#include "widgets/incidents/incidents_view.h"
#include "widgets/incidents/logbook_page.h"

namespace runglass {
namespace {

constexpr std::array kCommands = {
    IncidentCommand{"accept", QT_TRANSLATE_NOOP("Incidents", "Accept the chosen proposal")},
    IncidentCommand{"merge", QT_TRANSLATE_NOOP("Incidents", "Merge the selected incidents into one")},
    IncidentCommand{"dismiss", QT_TRANSLATE_NOOP("Incidents", "Dismiss it: not a problem because …")},
    IncidentCommand{"undo", QT_TRANSLATE_NOOP("Incidents", "Undo the last change")},
    IncidentCommand{"title", QT_TRANSLATE_NOOP("Incidents", "Change its title")},
    IncidentCommand{"sentence", QT_TRANSLATE_NOOP("Incidents", "Change its sentence")},
    IncidentCommand{"open", QT_TRANSLATE_NOOP("Incidents", "State: open")},
    IncidentCommand{"mitigated", QT_TRANSLATE_NOOP("Incidents", "State: mitigated")},
    IncidentCommand{"resolved", QT_TRANSLATE_NOOP("Incidents", "State: resolved")},
    IncidentCommand{"cause", QT_TRANSLATE_NOOP("Incidents", "Accept the suggested root cause")},
    IncidentCommand{"notes", QT_TRANSLATE_NOOP("Incidents", "Edit its notes")},
    IncidentCommand{"price", QT_TRANSLATE_NOOP("Incidents", "Price per GPU-hour …")},
    IncidentCommand{"report", QT_TRANSLATE_NOOP("Incidents", "Export its report …")},
    IncidentCommand{"share", QT_TRANSLATE_NOOP("Incidents", "Export it as .rgl …")},
    IncidentCommand{"logbook", QT_TRANSLATE_NOOP("Incidents", "Show the run log")},
    IncidentCommand{"note", QT_TRANSLATE_NOOP("Incidents", "Add a note to the run log")},
};

// A selection as the `select` of a card.
std::string selectText(const IncidentList& list, const Selection& selection) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ",") + part; };
  if (selection.rank) add("rank=" + std::to_string(*selection.rank));
  for (const auto& [name, id] : list.nodes)
    if (selection.node && id == selection.node && name.find(',') == std::string::npos) add("node=" + name);
  if (selection.step) add("step=" + std::to_string(*selection.step));
  if (const auto number = list.numberOf(selection.attempt)) add("attempt=" + std::to_string(*number));
  return text;
}

}  // namespace

std::span<const IncidentCommand> incidentCommands() { return kCommands; }

void IncidentsView::connectProposals() {
  connect(m_list_panel, &IncidentListPanel::chosenChanged, this, [this](const QString& key) { chosenByUser(key.toStdString()); });
  connect(m_list_panel, &IncidentListPanel::acceptWanted, this, [this](const QString& key) { accept(key.toStdString(), {}); });
  connect(m_list_panel, &IncidentListPanel::mergeWanted, this,
          [this](const QString& key, const QString& into) { accept(key.toStdString(), into.toStdString()); });
  connect(m_list_panel, &IncidentListPanel::dismissWanted, this,
          [this](const QString& key, const QString& reason) { dismiss(key.toStdString(), reason); });
  connect(m_list_panel, &IncidentListPanel::newWanted, this, &IncidentsView::newWanted);
}

void IncidentsView::connectEdits() {
  connect(m_head, &IncidentHead::titleChanged, this, [this](const QString& title) {
    if (!title.isEmpty()) change(tr("title: %1").arg(title), [text = title.toStdString()](Incident& one) { one.title = text; });
  });
  connect(m_head, &IncidentHead::sentenceChanged, this, [this](const QString& sentence) {
    change(tr("sentence: %1").arg(sentence), [text = sentence.toStdString()](Incident& one) { one.summary = text; });
  });
  connect(m_head, &IncidentHead::stateChosen, this, [this](IncidentState state, const QString& reason) {
    change(tr("state: %1").arg(stateWord(state)),
           [state, text = reason.toStdString()](Incident& one) { one.state = state, one.reason = text; });
  });
  connect(m_head, &IncidentHead::causeChosen, this, [this](const QString& code) {
    change(tr("root cause: %1").arg(causeWords(code.toStdString())), [text = code.toStdString()](Incident& one) { one.cause = text; });
  });
  connect(m_head, &IncidentHead::priceChanged, this, [this] {
    showChosen();
    askCosts();
  });
  connect(m_notes, &IncidentNotes::saveWanted, this, [this](const QString& notes) {
    m_saving_notes = true;
    change(tr("notes"), [text = notes.toStdString()](Incident& one) { one.notes = text; });
  });
  connect(m_cards, &IncidentCards::addWanted, this, &IncidentsView::addCard);
  connect(m_cards, &IncidentCards::removeWanted, this, [this](const IncidentEvidence& card) {
    change(tr("a card less"), [card](Incident& one) {
      if (const auto found = std::ranges::find(one.evidence, card); found != one.evidence.end()) one.evidence.erase(found);
    });
  });
  connect(m_cards, &IncidentCards::captionChanged, this, [this](const IncidentEvidence& card, const QString& caption) {
    change(tr("caption: %1").arg(caption), [card, text = caption.toStdString()](Incident& one) {
      if (const auto found = std::ranges::find(one.evidence, card); found != one.evidence.end()) found->caption = text;
    });
  });
  connect(m_share, &IncidentShare::deleteWanted, this, [this] {
    if (!proposalShown() && shownIncident() != nullptr) m_editor->remove(m_chosen);
  });
  connect(m_share, &IncidentShare::undoWanted, m_editor, &IncidentEditor::undo);
  connect(m_head, &IncidentHead::insisted, m_editor, &IncidentEditor::insist);
  connect(m_head, &IncidentHead::yielded, this, [this] {
    if (std::exchange(m_saving_notes, false)) m_notes->notSaved();
    m_editor->yield();
  });
  connect(m_editor, &IncidentEditor::said, this, [this](const QString& words, bool failed) {
    if (failed && std::exchange(m_saving_notes, false)) m_notes->notSaved();
    m_share->say(words, failed);
    m_share->setUndo(m_editor->undoWords());
  });
  connect(m_editor, &IncidentEditor::readWanted, this, [this] { askList(QueryService::Supersede::kCancelOlder); });
  connect(m_editor, &IncidentEditor::edited, this, [this] {
    if (std::exchange(m_saving_notes, false)) m_notes->saved();
    askList(QueryService::Supersede::kCancelOlder);
  });
  connect(m_editor, &IncidentEditor::conflicted, this, [this](const QString& words, const QStringList& differences, const Incident& newer) {
    m_head->showConflict(words, differences);
    if (m_saving_notes) m_notes->showOthers(newer.notes);
  });
}

void IncidentsView::change(const QString& words, IncidentEditor::Change change) {
  if (!proposalShown() && shownIncident() != nullptr) m_editor->change(m_chosen, words, std::move(change));
}

void IncidentsView::accept(const std::string& key, const std::string& into) {
  const IncidentProposal* const proposal = m_list ? m_list->proposal(key) : nullptr;
  if (proposal == nullptr) return merge(key, into);
  const std::string& joined = into.empty() ? proposal->joins : into;
  if (joined.empty()) {
    m_editor->put(proposal->incident, tr("accepted"));
    return;
  }
  choose(joined);
  m_editor->change(joined, tr("merged: %1").arg(screenText(proposal->incident.title, 80)),
                   [proposal = *proposal, list = m_list](Incident& one) { joinProposal(one, proposal, list->findings); });
}

void IncidentsView::merge(const std::string& from, const std::string& into) {
  const Incident *const one = m_list ? m_list->find(from) : nullptr, *const other = m_list ? m_list->find(into) : nullptr;
  if (one == nullptr || other == nullptr || one == other) return;
  const std::string reason = "merged into “" + other->title + "”";
  const QString words = tr("merged: %1").arg(screenText(one->title, 80));
  choose(into);
  m_editor->merge(
      from, into, words, [merged = *one, list = m_list](Incident& joined) { joinIncident(joined, merged, list->findings); },
      [reason](Incident& merged) { merged.state = IncidentState::kDismissed, merged.reason = reason; });
}

void IncidentsView::dismiss(const std::string& key, const QString& reason) {
  const IncidentProposal* const proposal = m_list ? m_list->proposal(key) : nullptr;
  if (proposal == nullptr) return;
  Incident incident = proposal->incident;
  incident.state = IncidentState::kDismissed;
  incident.reason = reason.toStdString();
  m_editor->put(incident, tr("dismissed"));
}

void IncidentsView::addCard(const QString& kind) {
  IncidentEvidence card{.kind = kind.toStdString(), .title = "", .caption = "", .range = std::nullopt, .select = {}};
  const TimeRange window = m_state.window.range;
  if (window.t0 < window.t1) card.range = window;
  card.select = selectText(*m_list, m_state.selection);
  change(tr("a card more"), [card](Incident& one) { one.evidence.push_back(card); });
}

bool IncidentsView::runCommand(const QString& id) {
  if (id == QLatin1String("logbook")) return showTab(id);
  if (id == QLatin1String("note")) {
    showTab(QStringLiteral("logbook"));
    m_logbook->focusNote();
    return true;
  }
  showTab(QStringLiteral("incidents"));
  if (id == QLatin1String("undo")) return !m_editor->undoWords().isEmpty() && (m_editor->undo(), true);
  const Incident* const incident = shownIncident();
  if (incident == nullptr) return false;
  if (id == QLatin1String("price")) return m_head->editPrice(), true;
  if (id == QLatin1String("dismiss") && proposalShown()) return m_list_panel->dismissChosen();
  if (id == QLatin1String("accept")) return m_list_panel->acceptChosen();
  if (id == QLatin1String("merge")) return m_list_panel->mergeChosen();
  if (proposalShown()) return false;
  if (const auto state = incidentStateFromName(id.toStdString()); state && *state != IncidentState::kDismissed)
    return emit m_head->stateChosen(*state, {}), true;
  if (id == QLatin1String("dismiss")) return m_head->askWhyDismissed(), true;
  if (id == QLatin1String("title")) return m_head->editTitle(), true;
  if (id == QLatin1String("sentence")) return m_head->sentence()->edit(), true;
  if (id == QLatin1String("notes")) return m_notes->edit(), true;
  if (id == QLatin1String("report")) return emit reportRequested(QString::fromStdString(m_chosen)), true;
  if (id == QLatin1String("share")) return m_share->chooseFile(), true;
  if (id != QLatin1String("cause") || !m_page || !m_page->likely) return false;
  emit m_head->causeChosen(QString::fromStdString(std::string(m_page->likely->code)));
  return true;
}

}  // namespace runglass
