// SPDX-License-Identifier: GPL-3.0-or-later
// View `incidents`: the incidents of the run: proposals to accept, incidents with cause, cost, timeline, evidence, suspects and notes; and
// the run log.
//
// Threading:  GUI thread; reading happens on query workers, edits and exports through the context's ports.
// Ownership:  widgets are owned by their Qt parents.
// Units:      TimeNs.
// Errors:     shown in place; a conflict with another user loses no typed text.
// Cost:       the list at most every kListAgainMs while data arrives, with all costs from one read of the goodput; the selected incident
//             when it changes, first without the ranking, then with it; again every kPageAgainMs while it is ongoing.
#pragma once

#include <QElapsedTimer>
#include <memory>
#include <span>

#include "widgets/core/state_panel.h"
#include "widgets/core/view.h"
#include "widgets/incidents/incident_data.h"
#include "widgets/incidents/incident_editor.h"
#include "widgets/incidents/incident_list.h"
#include "widgets/incidents/incident_text.h"

class QSplitter;
class QStackedLayout;
class QTabWidget;

namespace runglass {

class IncidentCards;
class IncidentFacts;
class IncidentHead;
class IncidentLanes;
class IncidentNotes;
class IncidentShare;
class LogbookPage;
struct EvidencePlace;

// A command of this view in the palette.
struct IncidentCommand {
  const char* id;
  const char* words;
};
std::span<const IncidentCommand> incidentCommands();

class IncidentsView : public View {
  Q_OBJECT

 public:
  IncidentsView(ViewContext context, QWidget* parent);
  ~IncidentsView() override;

  void applyState(const ViewState& state) override;
  void refresh(Tick tick) override;
  bool isFinal() const override;
  QString copyText() const override;
  bool showTab(const QString& name) override;
  void focusFilter() override;

  // False: nothing applicable is selected.
  bool runCommand(const QString& id);
  // Opens the title for editing as soon as the incident is shown: it was just created.
  void nameWhenShown(const QString& uuid) { m_name_when_shown = uuid.toStdString(); }

  IncidentListPanel* list() const { return m_list_panel; }
  IncidentHead* head() const { return m_head; }
  IncidentLanes* lanes() const { return m_lanes; }
  IncidentCards* cards() const { return m_cards; }
  IncidentFacts* facts() const { return m_facts; }
  IncidentNotes* notes() const { return m_notes; }
  IncidentShare* share() const { return m_share; }
  LogbookPage* logbook() const { return m_logbook; }
  const std::string& chosen() const { return m_chosen; }

 signals:
  // The New button: the frame creates one as for Shift+I.
  void newWanted();

 private:
  QWidget* makePage();
  void connectEdits();
  void connectJumps();
  void connectProposals();
  void askList(QueryService::Supersede supersede);
  void showList(const Result<std::shared_ptr<const IncidentList>>& answer);
  void askCosts();
  void choose(const std::string& key);
  void chosenByUser(const std::string& key);
  std::string firstChoice() const;
  const Incident* shownIncident() const;  // stored or proposed; null: none
  bool proposalShown() const;
  void showChosen();
  void askPage(bool with_ranking);
  void showPage(const Result<std::shared_ptr<const IncidentPage>>& answer, bool with_ranking);
  void jumpTo(const TimelineEntry& entry);
  void open(const EvidencePlace& place);
  void accept(const std::string& key, const std::string& into);
  void merge(const std::string& from, const std::string& into);
  void dismiss(const std::string& key, const QString& reason);
  void change(const QString& words, IncidentEditor::Change change);
  void addCard(const QString& kind);
  bool logbookShown() const;

  static constexpr int kListAgainMs = 2'000, kPageAgainMs = 15'000;
  const ViewContext m_context;
  ViewState m_state;
  std::shared_ptr<const IncidentList> m_list;
  std::shared_ptr<const IncidentPage> m_page;  // of m_page_of
  Incident m_page_of;
  std::optional<double> m_page_price;
  std::vector<std::pair<std::string, std::optional<TimeNs>>> m_costs_of;
  std::optional<double> m_costs_price;
  std::string m_chosen, m_name_when_shown;
  IncidentEditor* m_editor;
  IncidentListPanel* m_list_panel;
  IncidentHead* m_head;
  IncidentLanes* m_lanes;
  IncidentCards* m_cards;
  IncidentFacts* m_facts;
  IncidentNotes* m_notes;
  IncidentShare* m_share;
  LogbookPage* m_logbook;
  StatePanel *m_panel, *m_detail_panel;
  QTabWidget* m_tabs;
  QSplitter* m_middle = nullptr;
  QStackedLayout *m_stack = nullptr, *m_detail = nullptr;
  QElapsedTimer m_list_age, m_page_age, m_costs_age;
  bool m_asked = false, m_shown = false, m_saving_notes = false, m_middle_moved = false;
  QuerySlot m_list_slot, m_page_slot, m_cost_slot;
};

}  // namespace runglass
