// SPDX-License-Identifier: GPL-3.0-or-later
// View `compare`: two attempts, or one before and after a step: a sentence, parts of a step, scalars with their difference, facts, nodes.
//
// Threading:  GUI thread; CompareData is read on a query worker.
// Ownership:  as View.
// Units:      as CompareData.
// Errors:     a failed read shows its error; with nothing to compare it shows what to select.
// Cost:       one readCompare() per choice; a live run is read again per text tick, coalesced.
#pragma once

#include <QStackedLayout>
#include <map>

#include "widgets/charts/plot_widget.h"
#include "widgets/compare/compare_data.h"
#include "widgets/compare/part_bars.h"
#include "widgets/core/headline.h"
#include "widgets/core/state_panel.h"
#include "widgets/core/table_model.h"
#include "widgets/core/table_view.h"
#include "widgets/core/view.h"

class QComboBox;
class QLabel;
class QLineEdit;

namespace runglass {

std::vector<Column<FactDelta>> factColumns();
std::vector<Column<WorkDelta>> workColumns();

class CompareView : public View {
  Q_OBJECT

 public:
  CompareView(ViewContext context, QWidget* parent);

  void applyState(const ViewState& state) override;
  void refresh(Tick tick) override;
  bool isFinal() const override { return m_shown && !m_slot.busy(); }
  QString copyText() const override;
  // The same as the fields do.
  void choose(std::optional<CompareEntry> a, std::optional<CompareEntry> b, std::optional<std::int64_t> at_step);

 private:
  QWidget* makeChoice();
  QWidget* makePage();
  void readFields();
  void ask(QueryService::Supersede supersede);
  void showAnswer(const Result<std::shared_ptr<const CompareData>>& answer);
  void fillFields();

  const ViewContext m_context;
  RunId m_run;
  CompareRequest m_request;
  std::shared_ptr<const CompareData> m_data;
  QComboBox *m_a, *m_b;
  std::map<QComboBox*, QStringList> m_names;  // entries of each box
  QLineEdit* m_at;
  Headline* m_sentence;
  QLabel* m_warnings;
  PartBars* m_parts;
  PlotWidget* m_plots;
  TableModel<FactDelta>* m_facts;
  TableModel<WorkDelta>* m_work;
  TableView *m_fact_table, *m_work_table;
  StatePanel* m_panel;
  QStackedLayout* m_stack;
  bool m_asked = false, m_shown = false, m_filling = false;
  QuerySlot m_slot;
};

}  // namespace runglass
