// SPDX-License-Identifier: GPL-3.0-or-later
// View `runs`: every run of the store, one line each, and the restarts of the selected one.
//
// Threading:  GUI thread; rows are read on a query worker.
// Ownership:  as View.
// Units:      in the column headers.
// Errors:     a failed read shows the reason over the stale table.
// Cost:       one readRunSummary() per run and text tick, coalesced; one readGoodputData() per text tick.
#pragma once

#include <QStackedLayout>
#include <memory>
#include <vector>

#include "widgets/core/run_words.h"
#include "widgets/core/state_panel.h"
#include "widgets/core/table_model.h"
#include "widgets/core/table_view.h"
#include "widgets/core/view.h"
#include "widgets/goodput/goodput_panel.h"

namespace runglass {

// How the columns print time: both belong to the view that shows them.
struct RunColumnContext {
  TimeStyle style = TimeStyle::kUtc;
  std::function<TimeNs()> clock = wallNow;
};
std::vector<Column<RunSummary>> runColumns(const RunColumnContext* context);

class RunsView : public View {
  Q_OBJECT

 public:
  RunsView(ViewContext context, QWidget* parent);

  void applyState(const ViewState& state) override;
  void refresh(Tick tick) override;
  bool isFinal() const override;
  QString copyText() const override;
  void focusFilter() override;

 private:
  void ask();
  void showAnswer(const Result<std::shared_ptr<const std::vector<RunSummary>>>& answer);
  void markSelected();
  void askLedger(QueryService::Supersede supersede);

  const ViewContext m_context;
  RunColumnContext m_columns;
  TableModel<RunSummary>* m_model;
  TableView* m_table;
  StatePanel* m_panel;
  QStackedLayout* m_stack;
  bool m_shown = false;  // an answer has arrived
  GoodputPanel* m_ledger;
  RunId m_ledger_of;
  QuerySlot m_slot, m_ledger_slot;
};

}  // namespace runglass
