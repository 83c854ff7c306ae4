// SPDX-License-Identifier: GPL-3.0-or-later
// MakingLine: a button that starts a long operation, then its progress and a stop button, then its result.
//
// Threading:  GUI thread.
// Ownership:  a plain widget.
// Errors:     showFailed() shows them as text.
// Cost:       four widgets.
#pragma once

#include <QWidget>

#include "widgets/core/ink_label.h"
#include "widgets/welcome/store_maker.h"

class QProgressBar;
class QPushButton;

namespace runglass {

class MakingLine : public QWidget {
  Q_OBJECT

 public:
  explicit MakingLine(const QString& start, QWidget* parent = nullptr);

  void setStartWords(const QString& words);
  void setStartEnabled(bool enabled);
  void begin();
  void showProgress(const MakeProgress& progress);
  void showFailed(const QString& why);
  void showIdle();
  bool isBusy() const { return m_busy; }

 signals:
  void started();
  void stopped();

 private:
  void setBusy(bool busy);

  QPushButton *m_start, *m_stop;
  QProgressBar* m_bar;
  InkLabel* m_words;
  bool m_busy = false, m_failed = false;
};

}  // namespace runglass
