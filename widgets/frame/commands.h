// SPDX-License-Identifier: GPL-3.0-or-later
// Commands: every action of the window with group, text and hotkey; palette, menus and the shortcut sheet list them.
//
// Threading:  GUI thread.
// Ownership:  the actions belong to the window; the sheet is its child.
#pragma once

#include <QDialog>
#include <QKeySequence>
#include <functional>
#include <vector>

class QAction;
class QWidget;

namespace runglass {

class Commands {
 public:
  explicit Commands(QWidget* window) : m_window(window) {}

  using Text = std::function<QString()>;  // in the language that is current where it is called
  QAction* add(const Text& group, const Text& words, const QList<QKeySequence>& keys, std::function<void()> run);
  const std::vector<QAction*>& all() const { return m_actions; }
  static QString groupOf(const QAction* action);
  // Words, line feed, group: equal in every language.
  static QString englishOf(const QAction* action);
  static QString keysOf(const QAction* action);

 private:
  QWidget* m_window;
  std::vector<QAction*> m_actions;
};

// Keys that a view handles itself.
struct KeyGroup {
  QString title;
  std::vector<std::pair<QString, QString>> keys;  // keys, description
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
