// SPDX-License-Identifier: GPL-3.0-or-later
// View `ranking`: who is slow: a sentence, the ranks worst first, and rank x step in colour.
//
// Threading:  GUI thread; the ranking is made on a query worker.
// Ownership:  as View.
// Units:      as RankingData.
// Errors:     a failed read shows the reason.
// Cost:       one ranking a text tick, coalesced; none while the selection moves within a run.
#pragma once

#include <QLabel>
#include <QStackedLayout>

#include "widgets/core/state_panel.h"
#include "widgets/core/table_view.h"
#include "widgets/core/view.h"
#include "widgets/ranking/ranking_data.h"
#include "widgets/ranking/what_if_panel.h"

class QTabWidget;

namespace runglass {

class RankingView : public View {
  Q_OBJECT

 public:
  RankingView(ViewContext context, QWidget* parent);

  void applyState(const ViewState& state) override;
  void refresh(Tick tick) override;
  bool isFinal() const override;
  QString copyText() const override;
  void focusFilter() override;
  QString sentence() const { return m_sentence->text(); }
  const TableModel<RankRow>* model() const { return m_model; }
  TableView* table() const { return m_table; }
  RankHeatMap* heatMap() const { return m_heat; }
  WhatIfPanel* whatIf() const { return m_what_if; }
  void showWhatIf();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* makePage();
  void ask(QueryService::Supersede supersede);
  void showAnswer(const Result<std::shared_ptr<const RankingData>>& answer);
  void showSelection();
  void select(std::int32_t rank, std::optional<std::int64_t> step);
  // Shows the rank's step in the timeline; without a step its worst.
  void open(std::int32_t rank, std::optional<std::int64_t> step);

  const ViewContext m_context;
  ViewState m_state;
  std::shared_ptr<const RankingData> m_data;
  TableModel<RankRow>* m_model;
  QLabel* m_sentence;
  QLabel* m_grounds;
  QLabel* m_evidence;
  TableView* m_table;
  RankHeatMap* m_heat;
  StatePanel* m_panel;
  QTabWidget* m_tabs;
  QStackedLayout* m_stack;
  WhatIfPanel* m_what_if;
  bool m_asked = false, m_shown = false, m_fitted = false;
  QuerySlot m_slot;
};

}  // namespace runglass
