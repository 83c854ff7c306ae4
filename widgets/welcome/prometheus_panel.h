// SPDX-License-Identifier: GPL-3.0-or-later
// PrometheusPanel: asks for a Prometheus and a window or Slurm job, shows at once what the server has of it, and creates a store from it.
//
// Threading:  GUI thread; queries are the StoreMaker's.
// Ownership:  a plain widget; the StoreMaker outlives it.
// Errors:     of a check below the form, of an import next to its button.
// Cost:       a check once the form has not been edited for kCheckAfterMs.
#pragma once

#include <QTimer>
#include <QWidget>

#include "widgets/core/ink_label.h"
#include "widgets/welcome/store_maker.h"

class QLineEdit;

namespace runglass {

class MakingLine;

class PrometheusPanel : public QWidget {
  Q_OBJECT

 public:
  static constexpr int kCheckAfterMs = 400;

  PrometheusPanel(StoreMaker& maker, const QString& folder, QWidget* parent = nullptr);

  MetricsQuestion question() const;
  void fill(const MetricsQuestion& question);
  void start();
  bool isBusy() const;

 signals:
  void made(const QString& store);

 private:
  void noteEdit();
  void check();
  void showFound(const Result<MetricsFound>& found);

  StoreMaker& m_maker;
  const QString m_folder;
  QLineEdit *m_url, *m_access, *m_job, *m_from, *m_to, *m_nodes, *m_match;
  InkLabel* m_found;
  MakingLine* m_line;
  QTimer m_check;
  bool m_checking = false;
};

}  // namespace runglass
