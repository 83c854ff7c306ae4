// SPDX-License-Identifier: GPL-3.0-or-later
// EstimateDialog: estimates of time, memory, failures and checkpoints, with the run's numbers filled in and every formula shown.
//
// Threading:  GUI thread.
// Ownership:  deletes itself when closed.
// Units:      as in its labels.
// Errors:     a missing input is named in place of the number.
// Cost:       arithmetic at every key press.
#pragma once

#include <QDialog>
#include <functional>
#include <vector>

#include "widgets/frame/estimate_input.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace runglass {

class EstimateDialog : public QDialog {
  Q_OBJECT

 public:
  explicit EstimateDialog(QWidget* parent);
  void fill(const EstimateInput& input);
  // The current field values.
  EstimateInput input() const;
  // The user has changed a field: values from a run must not overwrite it.
  bool touched() const { return m_touched; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QLineEdit* number(QFormLayout* form, const QString& label, const QString& hint);
  QSpinBox* size(QFormLayout* form, const QString& label);
  void answer();
  void showAnswer();

  QLineEdit *m_parameters, *m_tokens, *m_gpus, *m_mfu, *m_layers, *m_hidden, *m_heads, *m_sequence, *m_micro, *m_rate, *m_save, *m_mtbf;
  QComboBox *m_device, *m_recompute, *m_zero;
  QSpinBox *m_dp, *m_pp, *m_tp;
  QCheckBox* m_sequence_parallel;
  QLabel *m_from, *m_answer;
  bool m_filling = false, m_filled = false, m_touched = false;
};

}  // namespace runglass
