// SPDX-License-Identifier: GPL-3.0-or-later
// View `findings`: findings of the analyses about the run, most severe first. A click selects one in every view, Enter or a double click
// opens its main view, and its card is below.
//
// Threading:  GUI thread; findings are read on a query worker.
// Ownership:  as View.
// Units:      TimeNs.
// Errors:     a failed read shows the reason.
// Cost:       one findings() a text tick, coalesced.
#pragma once

#include <QStackedLayout>
#include <vector>

#include "model/findings.h"
#include "widgets/core/finding_card.h"
#include "widgets/core/state_panel.h"
#include "widgets/core/table_model.h"
#include "widgets/core/table_view.h"
#include "widgets/core/view.h"

namespace runglass {

std::vector<Column<Finding>> findingColumns(const TimeStyle* style);

class FindingsView : public View {
  Q_OBJECT

 public:
  FindingsView(ViewContext context, QWidget* parent);

  void applyState(const ViewState& state) override;
  void refresh(Tick tick) override;
  bool isFinal() const override;
  QString copyText() const override;
  std::optional<IncidentSeed> incidentSeed() const override;
  void focusFilter() override;

 private:
  void ask(QueryService::Supersede supersede);
  void showAnswer(const Result<std::shared_ptr<const std::vector<Finding>>>& answer);
  const Finding* chosen() const;
  void showCard();

  const ViewContext m_context;
  TimeStyle m_style = TimeStyle::kUtc;
  RunId m_run;
  std::optional<TimeNs> m_moment;
  TableModel<Finding>* m_model;
  TableView* m_table;
  QWidget* m_page;  // the table and the card
  FindingCard* m_card;
  StatePanel* m_panel;
  QStackedLayout* m_stack;
  bool m_shown = false;
  QuerySlot m_slot;
};

}  // namespace runglass
