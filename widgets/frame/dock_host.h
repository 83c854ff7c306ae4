// SPDX-License-Identifier: GPL-3.0-or-later
// DockHost: views as docks, arranged in named layouts that are remembered.
//
// Threading:  GUI thread.
// Ownership:  owns docks and views; settings (may be null: nothing is remembered) outlive it.
// Units:      shares of the window.
// Errors:     an unknown view or layout is refused with false; a remembered layout that does not fit any more falls back to its default.
// Cost:       a view is made when it is first shown.
#pragma once

#include <QMainWindow>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "widgets/frame/registry.h"

class QDockWidget;
class QSettings;

namespace runglass {

// One view of a layout, placed by splitting the place of an earlier one.
struct LayoutPlace {
  const char* view;
  int beside;  // index of an earlier place; ignored for the first
  Qt::Orientation split;
  int share;  // of the split that it takes, in percent
};

struct LayoutSpec {
  const char* id;
  const char* title;
  std::vector<LayoutPlace> places;  // places whose view is not built are left out
};

std::span<const LayoutSpec> defaultLayouts();  // the first is shown at start

class DockHost : public QMainWindow {
  Q_OBJECT

 public:
  DockHost(ViewContext context, std::span<const ViewInfo> views, QSettings* settings, QWidget* parent);
  ~DockHost() override;

  bool showLayout(const QString& id);   // as it was left, else its default
  bool resetLayout(const QString& id);  // its default
  bool showSingle(const QString& view);
  bool addView(const QString& view);  // beside what is shown
  void saveLayout();
  // "watch" or "single:<view>".
  QString current() const { return m_current; }

  std::vector<View*> visibleViews() const;
  View* focusedView() const;  // the visible view that has the focus, else the first visible one

 signals:
  void viewShown(View* view);
  void currentChanged();

 private:
  QDockWidget* makeDock(const ViewInfo& info);
  void focusFirst();
  void hideAll();
  void arrange(const LayoutSpec& spec);
  void placeDock(QDockWidget* dock, QDockWidget* beside, Qt::Orientation split, int share);
  void tellCompany();
  void setTitlesVisible(bool visible);
  void become(const QString& current);

  const ViewContext m_context;
  QSettings* m_settings;
  QString m_current;
  std::vector<std::pair<QString, QDockWidget*>> m_docks;  // in registry order
  std::map<QString, View*> m_views;                       // made so far
};

}  // namespace runglass
