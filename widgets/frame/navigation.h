// SPDX-License-Identifier: GPL-3.0-or-later
// Navigation: the places of the console in groups, at the window's left edge, each with an icon, a label and a count; it collapses to
// icons.
//
// Threading:  GUI thread.
#pragma once

#include <QPushButton>
#include <QWidget>
#include <vector>

#include "model/events.h"
#include "widgets/frame/view_registry.h"

class QVBoxLayout;

namespace runglass {

class NavButton : public QPushButton {
 public:
  NavButton(const QString& label, const QString& icon, const QString& tip, QWidget* parent);
  void setLabel(const QString& label);
  // Next to the label, or a dot on the icon where there is no room; 0: no badge. `words`: description of the count, for screen readers.
  void setBadge(int count, Severity severity, const QString& words);
  void setCollapsed(bool collapsed);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void showLabel();

  QString m_label;
  const QString m_tip;
  int m_count = 0;
  QString m_counted;
  Severity m_severity = Severity::kInfo;
  bool m_collapsed = false;
};

class Navigation : public QWidget {
  Q_OBJECT

 public:
  struct Place {
    QString id, title;
  };

  explicit Navigation(QWidget* parent);
  // In the current language.
  static QString placeTitle(const QString& id);
  // In the order of their hotkeys.
  const std::vector<Place>& places() const { return m_places; }
  void setCurrent(const QString& id);
  void setBadge(const QString& id, int count, Severity severity, const QString& words);
  // Places need a store.
  void setPlacesEnabled(bool enabled);
  bool isCollapsed() const { return m_collapsed; }
  void setCollapsed(bool collapsed);
  // Below the places; the caller connects it.
  NavButton* addButton(const QString& label, const QString& icon, const QString& tip);

 signals:
  void placeRequested(const QString& id);
  void collapsedChanged(bool collapsed);

 private:
  void addPlace(const QString& id, const QString& title, const QString& tip);
  void addHeading(const QString& words);

  std::vector<Place> m_places;
  std::vector<std::pair<QString, NavButton*>> m_buttons;  // of places, by id
  std::vector<QWidget*> m_headings;
  std::vector<NavButton*> m_others;
  NavButton* m_collapse = nullptr;
  QVBoxLayout* m_column;
  bool m_collapsed = false;
};

}  // namespace runglass
