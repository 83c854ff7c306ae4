// SPDX-License-Identifier: GPL-3.0-or-later
// Commands: everything the window can do, as actions with a group, words and a hotkey; the palette and the shortcut sheet list them.
//
// Threading:  GUI thread.
// Ownership:  the actions belong to the window; the palette and the sheet are its children.
// Units:      none.
// Errors:     none.
// Cost:       the palette scores all commands per key stroke (hundreds).
#pragma once

#include <QDialog>
#include <QKeySequence>
#include <functional>
#include <vector>

class QAction;
class QLineEdit;
class QListWidget;
class QWidget;

namespace runglass {

class Commands {
 public:
  explicit Commands(QWidget* window) : m_window(window) {}

  QAction* add(const QString& group, const QString& words, const QList<QKeySequence>& keys, std::function<void()> run);
  const std::vector<QAction*>& all() const { return m_actions; }
  static QString groupOf(const QAction* action);
  // Indices of matching commands, best first; all in order for an empty pattern.
  std::vector<std::size_t> match(const QString& pattern) const;

 private:
  QWidget* m_window;
  std::vector<QAction*> m_actions;
};

// Ctrl+Shift+P: type a few letters, Enter runs.
class CommandPalette : public QDialog {
  Q_OBJECT

 public:
  CommandPalette(const Commands& commands, QWidget* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fill(const QString& pattern);
  void runCurrent();

  const Commands& m_commands;
  QLineEdit* m_pattern;
  QListWidget* m_list;
};

// Keys that a view handles itself.
struct KeyGroup {
  QString title;
  std::vector<std::pair<QString, QString>> keys;  // keys, words
};

// ?: every hotkey on one page; any key or click closes it.
class ShortcutSheet : public QDialog {
  Q_OBJECT

 public:
  ShortcutSheet(const Commands& commands, const std::vector<KeyGroup>& more, QWidget* parent);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace runglass
