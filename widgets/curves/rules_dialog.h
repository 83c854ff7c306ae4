// SPDX-License-Identifier: GPL-3.0-or-later
// RulesDialog: the results of every spike rule on one card's losses, next to each other.
//
// Threading:  GUI thread; rules are applied on a query worker.
// Ownership:  deletes itself when closed; QueryService outlives it.
// Units:      hits and judged points are counts, the score a share.
// Errors:     a failed read is shown in the dialog.
// Cost:       as RulesCache and SpikeCache, which it shares with the card.
#pragma once

#include <QDialog>

#include "widgets/core/table_model.h"
#include "widgets/core/table_view.h"
#include "widgets/core/view.h"
#include "widgets/curves/card_data.h"

class QLabel;

namespace runglass {

struct RuleRow {
  QString rule, says, curve;
  std::int64_t hits = 0, judged = 0;
  std::optional<double> score;            // absent: the curve is shorter than the rule's warm-up
  std::optional<std::int64_t> first_hit;  // step
};
// A row per loss and rule, Runglass' rule first.
Result<std::vector<RuleRow>> readRuleRows(Reader& reader, const CardQuestion& question, std::stop_token stop);

class RulesDialog : public QDialog {
  Q_OBJECT

 public:
  RulesDialog(QueryService* queries, const CardQuestion& question, QWidget* parent);
  bool isFinal() const { return !m_slot.busy(); }
  TableView* table() const { return m_table; }

 private:
  TableModel<RuleRow>* m_rows;
  TableView* m_table;
  QLabel* m_note;
  QuerySlot m_slot;
};

}  // namespace runglass
