// SPDX-License-Identifier: GPL-3.0-or-later
// View `events`: one timeline of hardware, log, training events, findings and notes: time, text, place and action.
//
// Threading:  GUI thread; pages, densities and details are read on query workers.
// Ownership:  as View.
// Units:      TimeNs.
// Errors:     a failed read shows the reason.
// Cost:       a page as the table is scrolled; while data arrives the first page and the densities per text tick, coalesced.
#pragma once

#include <QStackedLayout>
#include <memory>
#include <optional>

#include "widgets/core/finding_card.h"
#include "widgets/core/state_panel.h"
#include "widgets/core/view.h"
#include "widgets/events/event_data.h"
#include "widgets/events/event_lane.h"
#include "widgets/events/event_model.h"
#include "widgets/events/event_panel.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;
class QTimer;

namespace runglass {

class EventsView : public View {
  Q_OBJECT

 public:
  EventsView(ViewContext context, QWidget* parent);

  void applyState(const ViewState& state) override;
  void refresh(Tick tick) override;
  bool isFinal() const override;
  QString copyText() const override;
  std::optional<IncidentSeed> incidentSeed() const override;
  void focusFilter() override;

  EventModel* model() const { return m_model; }
  QTableView* table() const { return m_table; }
  EventLane* lane() const { return m_lane; }
  EventPanel* panel() const { return m_panel; }
  QPushButton* pill() const { return m_pill; }
  QString noteText() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makeFilters();
  QWidget* makePage();
  void connectParts();
  EventFilters filters() const;
  EventQuestion question() const;
  TimeRange listed() const;
  void filtersChanged();
  void askFirst(QueryService::Supersede supersede);
  void askNext();
  void askDensity(QueryService::Supersede supersede);
  void askDetail();
  void showFirst(const Result<std::shared_ptr<const EventPageData>>& answer, bool again);
  void takeFirst(const EventPageData& page);
  void showNext(const Result<std::shared_ptr<const EventPageData>>& answer);
  void showEmptyOr(const EventPageData& page);
  void showNotKept(const EventPageData& page);
  void chooseStart();
  void rowChosen();
  void goTo(const EventRow& row);
  Selection selectionOf(const EventRow& row) const;
  Object objectOf(const EventRow& row) const;
  void showMoment();
  void scrollToMoment();
  void follow(const QString& what);
  void showNewer();

  const ViewContext m_context;
  ViewState m_state;
  // The listed range: the window, except that moving to one of its rows keeps the others listed.
  TimeRange m_list_range{0, 0};
  bool m_list_all = true;
  std::optional<TimeRange> m_own_window;
  std::optional<TimeRange> m_extent;  // of the rows that match the filters
  EventModel* m_model;
  EventLane* m_lane;
  EventPanel* m_panel;
  FindingCard* m_card;  // for a row that is a finding
  QTableView* m_table;
  QLineEdit* m_search;
  QComboBox* m_level;
  QComboBox* m_source;
  QLabel* m_count;
  QLabel* m_note;
  QPushButton* m_pill;
  QPushButton* m_back;
  StatePanel* m_empty;
  QStackedLayout* m_stack;
  QTimer* m_typing;
  EventPosition m_next;
  int m_pages_left = 0;                    // that may still be read for the playhead
  std::optional<EventPageData> m_waiting;  // a newer first page, held back while the table is scrolled
  bool m_shown = false, m_density_shown = false, m_choosing = false, m_touched = false;
  QuerySlot m_first_slot, m_next_slot, m_density_slot, m_detail_slot;
};

}  // namespace runglass
