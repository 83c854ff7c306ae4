// SPDX-License-Identifier: GPL-3.0-or-later
// View `curves`: any series against step, time or time since the run began; runs compared in one plot.
//
// Threading:  GUI thread; catalogue and cards are read on query workers.
// Ownership:  as View.
// Units:      as CardQuestion. The time axis uses the shared window; the other two use a window of the view, with its own undo.
// Errors:     a failed catalogue read shows its reason; a failed card its own.
// Cost:       one catalogue read per text tick, coalesced; one query per visible card.
#pragma once

#include <QTimer>
#include <map>
#include <optional>

#include "widgets/core/state_panel.h"
#include "widgets/core/view.h"
#include "widgets/curves/cursor_table.h"
#include "widgets/curves/curve_card.h"
#include "widgets/curves/tag_tree.h"
#include "widgets/curves/window_history.h"

class QComboBox;
class QDoubleSpinBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QListWidget;
class QScrollArea;
class QSlider;
class QSplitter;
class QStackedLayout;
class QToolButton;
class QTreeView;

namespace runglass {

class CurvesView : public View {
  Q_OBJECT

 public:
  CurvesView(ViewContext context, QWidget* parent);

  void applyState(const ViewState& state) override;
  void refresh(Tick tick) override;
  bool isFinal() const override;
  QString copyText() const override;
  void focusFilter() override;
  void reveal(const Object& object) override;

  TagTree* tags() const { return m_tags; }
  std::vector<CurveCard*> cards() const { return m_cards; }
  void setAxis(CurveAxis axis);
  CurveAxis axis() const { return m_axis; }
  void setSmoothing(double weight);
  double smoothing() const { return m_smoothing; }

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* makeBar();
  QWidget* makeSide();
  QWidget* makeMain();
  void askCatalog(QueryService::Supersede supersede);
  void catalogAnswered(const Result<std::shared_ptr<const CurveCatalog>>& answer);
  void fillRuns();
  void chooseRuns();
  void filterChanged();
  void tickFiltered();
  void tickRevealed();
  void arrangeCards();
  void updateCards(bool fresh);
  std::vector<std::size_t> colorsOf(std::size_t tag, const std::vector<std::size_t>& members) const;
  CurveCard* makeCard();
  void connectPlot(CurveCard* card);
  std::optional<XRange> extent(std::span<const std::size_t> tags) const;
  XRange windowOf(std::size_t tag) const;
  void setOwnWindow(std::optional<XRange> window, bool gesture);
  void moveWindow(std::int64_t x0, std::int64_t x1, bool gesture);
  void showAll();
  void stepBack(int by);
  void cursorAt(std::optional<std::int64_t> x);
  std::optional<TimeNs> beginOfRun() const;
  void askPlayhead();
  void moveMoment(std::int64_t x);
  void goTo(const CurvePlace& place);

  const ViewContext m_context;
  ViewState m_state;
  CurveAxis m_axis = CurveAxis::kStep;
  double m_smoothing = 0.6;
  bool m_robust = false;
  bool m_runs_chosen = false;
  const std::shared_ptr<SpikeCache> m_spikes = std::make_shared<SpikeCache>();
  const std::shared_ptr<RulesCache> m_rule_cache = std::make_shared<RulesCache>();
  std::set<std::string> m_log_tags;
  std::map<std::string, SpikeRules> m_rules_of;  // by tag
  WindowHistory m_history;                       // of the step and relative axes
  std::optional<std::int64_t> m_cursor;
  std::optional<std::int64_t> m_playhead;  // position of the moment on the axis

  TagTree* m_tags;
  TagFilter* m_filtered;
  QTreeView* m_tree;
  QListWidget* m_runs;
  QLineEdit* m_filter;
  QLabel* m_filter_note;
  QComboBox* m_axes;
  QSlider* m_slider;
  QDoubleSpinBox* m_weight;
  QToolButton* m_outliers;
  QLabel* m_note;
  QScrollArea* m_scroll;
  QWidget* m_page;
  std::vector<CurveCard*> m_cards;  // as shown
  CursorTable* m_table;
  StatePanel* m_panel;
  QStackedLayout* m_stack;
  QTimer m_table_timer;
  bool m_catalog_shown = false;
  std::string m_revealed;  // metric to show alone, once the catalogue has it
  QuerySlot m_slot, m_playhead_slot, m_moment_slot, m_step_slot;
};

}  // namespace runglass
