// SPDX-License-Identifier: GPL-3.0-or-later
// StatePanel: the panel for "nothing here", "not yet" and "it failed": what is missing, why, and how to get it.
//
// Threading:  GUI thread.
// Ownership:  a plain widget.
// Cost:       three labels.
#pragma once

#include <QWidget>
#include <functional>
#include <optional>

#include "model/time.h"

class QPushButton;

namespace runglass {

class InkLabel;

class StatePanel : public QWidget {
  Q_OBJECT

 public:
  explicit StatePanel(QWidget* parent = nullptr);

  // `command` is shown in a fixed-width font and can be selected and copied; may be empty.
  void showEmpty(const QString& what, const QString& why, const QString& command = {});
  // The same for a state at a moment, if one is shown: absence at that moment is no statement about the store.
  void showEmptyAt(const std::optional<TimeNs>& moment, const QString& what, const QString& why, const QString& command = {});
  void showLoading(const QString& what);
  void showFailed(const QString& what, const QString& why, const QString& command = {});
  // A button that provides the missing data; replaces an earlier one.
  void offer(const QString& label, std::function<void()> action);

 private:
  void show(const QString& glyph, const QString& what, const QString& why, const QString& command);

  InkLabel* m_what;
  InkLabel* m_why;
  InkLabel* m_command;
  QPushButton* m_button;
  std::function<void()> m_action;
};

}  // namespace runglass
