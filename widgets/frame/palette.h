// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+K: finds any item of the console by name: objects of the store, steps, times, views, commands, settings and help.
//
// Threading:  GUI thread.
// Ownership:  deletes itself when it closes.
// Cost:       a key press searches all names and lists at most kMaxListed.
#pragma once

#include <QDialog>
#include <QStringList>
#include <functional>
#include <memory>
#include <vector>

#include "widgets/frame/palette_names.h"

class QLabel;
class QLineEdit;
class QTreeWidget;

namespace runglass {

struct PaletteEntry {
  QString group;  // "Command", "Setting", "Help"
  QString title, detail;
  QString english;  // group, title and detail in English, a line each: the key of an earlier choice, and searched in any language
  QString keys;     // of a command
  QString icon;
  std::function<void()> run;
};

struct PaletteSource {
  std::vector<PaletteEntry> entries;
  std::shared_ptr<const PaletteNames> names;                       // null: not read yet
  std::function<std::vector<PaletteEntry>(const QString&)> typed;  // steps and times that match a pattern
  std::function<void(const Object&)> open;
  QStringList recent;  // keys of earlier choices, newest first
  std::function<void(const QStringList&)> remember;
};

class Palette : public QDialog {
  Q_OBJECT

 public:
  static constexpr std::size_t kMaxListed = 50, kMaxRecent = 20;

  Palette(PaletteSource source, QWidget* parent);
  void setNames(std::shared_ptr<const PaletteNames> names);
  bool namesKnown() const { return m_source.names != nullptr; }
  // The names could not be read.
  void setProblem(const QString& problem);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Hit {
    int score = 0;
    std::size_t number = 0;
    bool named = false;  // index into the names, else into the entries
  };
  void fill();
  void fillAgain();  // the current row stays when names arrive
  std::vector<Hit> recentHits() const;
  std::vector<Hit> search(const QString& pattern) const;
  QString keyOf(const Hit& hit) const;
  void list(const PaletteEntry& entry, const QString& key);
  void runCurrent();

  PaletteSource m_source;
  QLineEdit* m_pattern;
  QTreeWidget* m_list;
  QLabel* m_none;
  QString m_problem;
  bool m_moved = false;                                             // by the arrow keys, since the pattern changed
  std::vector<std::pair<QString, std::function<void()>>> m_listed;  // as shown: key and action
};

}  // namespace runglass
