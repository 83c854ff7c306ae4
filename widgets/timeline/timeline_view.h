// SPDX-License-Identifier: GPL-3.0-or-later
// View `timeline`: the activity of every rank over time: rows of spans under one time axis, with the selected item below.
//
// Threading:  GUI thread; catalogue, pictures, details, areas and searches are read on query workers.
// Ownership:  as View.
// Units:      as TimelinePicture.
// Errors:     a failed read keeps the stale picture and shows the reason.
// Cost:       one picture of the rows on screen per move and per picture tick, coalesced.
#pragma once

#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QStackedLayout>

#include "analysis/ranking/slow_verdict.h"
#include "widgets/core/state_panel.h"
#include "widgets/core/view.h"
#include "widgets/timeline/category_legend.h"
#include "widgets/timeline/clock_panel.h"
#include "widgets/timeline/timeline_anomaly.h"
#include "widgets/timeline/timeline_canvas.h"
#include "widgets/timeline/timeline_drawer.h"
#include "widgets/timeline/timeline_goto.h"
#include "widgets/timeline/timeline_search.h"

namespace runglass {

class TimelineView : public View {
  Q_OBJECT

 public:
  TimelineView(ViewContext context, QWidget* parent);

  void applyState(const ViewState& state) override;
  void refresh(Tick tick) override;
  bool isFinal() const override;
  QString copyText() const override;
  void focusFilter() override;
  TimelineCanvas* canvas() const { return m_canvas; }
  TimelineDrawer* drawer() const { return m_drawer; }
  ClockPanel* clocks() const { return m_clocks; }
  QString badges() const { return m_badge_words; }
  void showAllRanks() { m_choice->setCurrentIndex(1); }

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makePage();
  QWidget* makeBar();
  void connectCanvas();
  void askCatalog(QueryService::Supersede supersede);
  void showCatalog(const Result<std::shared_ptr<const TimelineCatalog>>& answer);
  void ask(QueryService::Supersede supersede);
  void showPicture(const Result<std::shared_ptr<const TimelinePicture>>& answer);
  void askWaits();
  void askDetail(TrackId track, std::int32_t rank, std::int64_t id, TimeNs t0);
  void showDetail(const SpanDetail& detail);
  void askArea(TimeRange range);
  void search(int step);
  void showSearch();
  void goTo(TrackId track, std::int32_t rank, std::int64_t id, TimeNs t0, TimeNs t1);
  void choose(const PointedBar& bar);
  void showMenu(const PointedBar& bar, QPoint at);
  void askNotes();
  void openMark(const Note& note, QPoint at);
  void askAnomaly(int by);
  void askMoment(const QString& text);
  void walkFlow(int by);
  void showAnomaly(const AnomalyAnswer& answer, int by);
  void showBadges();
  TimeRange window() const;
  std::optional<TimeNs> seen() const;
  bool looksElsewhere(const TimelineCatalog& catalog) const;
  std::optional<std::int32_t> stepRank() const;
  RankTracks shownTracks() const;

  const ViewContext m_context;
  ViewState m_state;
  RowList m_rows;
  QComboBox* m_choice;
  QComboBox* m_grouping;
  QLineEdit* m_filter;
  QLineEdit* m_search;
  CategoryLegend* m_legend;
  QLabel* m_badges;
  TimelineCanvas* m_canvas;
  TimelineDrawer* m_drawer;
  ClockPanel* m_clocks;
  StatePanel* m_panel;
  QStackedLayout* m_stack;
  std::shared_ptr<const TimelinePicture> m_picture;
  std::shared_ptr<const WaitParts> m_waits;
  const std::shared_ptr<SharedSlowVerdict> m_slow = std::make_shared<SharedSlowVerdict>();
  std::shared_ptr<const TimelineCatalog> m_waits_catalog;  // from which they were read
  std::optional<PointedBar> m_chosen;
  std::string m_chosen_name;  // full name
  TimelineSearch m_finder;
  MarkEditor* m_mark;
  GoToField* m_go_to;
  std::vector<SpanPeer> m_peers;    // of the selected span, by start
  std::optional<TimeNs> m_anomaly;  // visited last
  int m_wanted_hit = 0;             // 1 or -1: go there as soon as it is found
  QString m_waits_note, m_search_state, m_anomaly_words, m_badge_words, m_problem;
  QueryService::Supersede m_supersede = QueryService::Supersede::kCancelOlder;  // of the newest requested picture
  bool m_shown = false, m_asked = false;
  QElapsedTimer m_catalog_age;
  QuerySlot m_catalog_slot, m_slot, m_detail_slot, m_area_slot, m_waits_slot, m_notes_slot, m_anomaly_slot, m_moment_slot;
};

}  // namespace runglass
