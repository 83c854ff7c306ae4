// SPDX-License-Identifier: GPL-3.0-or-later
// RewindDialog: for a spike of one card's losses, where to restart, which batches to skip and what it costs, as text to copy. It never runs
// anything.
//
// Threading:  GUI thread; plans are made on a query worker.
// Ownership:  deletes itself when closed; QueryService outlives it.
// Units:      steps.
// Errors:     shown in the dialog, as are unknown values.
// Cost:       one read of the spikes, one per plan.
#pragma once

#include <QDialog>

#include "analysis/rewind/rewind_print.h"
#include "widgets/core/view.h"
#include "widgets/curves/card_data.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace runglass {

struct RewindSpike {
  RewindQuestion question;
  QString words;
  bool malignant = false;
};
// Every spike of the card's losses, the worst kind first, then the newest.
Result<std::vector<RewindSpike>> readRewindSpikes(Reader& reader, const CardQuestion& question, std::stop_token stop);

class RewindDialog : public QDialog {
  Q_OBJECT

 public:
  RewindDialog(QueryService* queries, const CardQuestion& question, QWidget* parent);
  bool isFinal() const { return !m_slot.busy(); }
  QPlainTextEdit* text() const { return m_text; }
  QPushButton* copyButton() const { return m_copy; }
  QPushButton* copyArgumentButton() const { return m_copy_argument; }

 private:
  void fillSpikes(const Result<std::shared_ptr<const std::vector<RewindSpike>>>& answer);
  void plan();

  QueryService* m_queries;
  std::shared_ptr<const std::vector<RewindSpike>> m_spikes;
  QComboBox *m_spike, *m_rule;
  QPlainTextEdit* m_text;
  QPushButton *m_copy, *m_copy_argument;
  QString m_argument;  // of the shown plan
  QuerySlot m_slot;
};

}  // namespace runglass
