// SPDX-License-Identifier: GPL-3.0-or-later
// DockHost: where views are: in a named layout of docks, alone, or in windows of their own. Layouts and windows are remembered.
//
// Threading:  GUI thread.
// Ownership:  owns views, pages and windows; settings (may be null: nothing outlives the host) outlive it.
// Units:      shares of the page in percent.
// Errors:     an unknown view or layout is refused with false; a remembered layout that does not fit any more falls back to its default.
// Cost:       a view is made when it is first shown, and moves between pages after that.
#pragma once

#include <QWidget>
#include <map>
#include <span>
#include <vector>

#include "widgets/frame/dock_page.h"
#include "widgets/frame/view_registry.h"

class QSettings;
class QStackedLayout;

namespace runglass {

class PanelWindow;

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

  QString titleText() const;  // in the language of the console
};

std::span<const LayoutSpec> defaultLayouts();  // the first is shown at start

class DockHost : public QWidget {
  Q_OBJECT

 public:
  DockHost(ViewContext context, std::span<const ViewInfo> views, QSettings* settings, QWidget* parent);
  ~DockHost() override;

  bool showLayout(const QString& id);   // as it was left, else its default
  bool resetLayout(const QString& id);  // its default, with its windows docked again
  // A view that has a window of its own stays there: these raise it.
  bool showSingle(const QString& view);
  bool addView(const QString& view);  // beside what is shown
  bool floatView(const QString& view);
  // Back to the place from which it was floated.
  bool dockView(const QString& view);
  void saveLayout();
  void closeWindows();  // they are remembered and come back with the host
  // "watch" or "single:<view>".
  QString current() const { return m_current; }

  std::vector<View*> visibleViews() const;
  View* focusedView() const;  // the visible view that has the focus, else the first visible one
  QString idOf(const View* view) const;
  QWidget* windowOf(const QString& view) const;  // null: it is docked, or not shown

 signals:
  void viewShown(View* view);
  void currentChanged();
  void windowOpened(QWidget* window);

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  const ViewInfo* infoOf(const QString& view) const;
  View* viewOf(const QString& view);  // made now if need be
  DockPage* layoutPage(const QString& id);
  DockPage* page() const;  // the one that is shown
  QDockWidget* dockIn(DockPage* page, const QString& view);
  void arrange(DockPage* page, const LayoutSpec& spec);
  void fill(DockPage* page);
  void showPage(DockPage* page, const QString& current);
  bool raiseWindow(const QString& view);
  void openWindow(const QString& view, const QString& home, const QByteArray& geometry);
  void restoreWindows();
  void afterArranged();
  void focusFirst();

  const ViewContext m_context;
  const std::span<const ViewInfo> m_infos;
  QSettings* m_settings;
  QString m_current;
  QStackedLayout* m_stack;
  DockPage* m_single;
  std::map<QString, DockPage*> m_layouts;     // shown so far
  std::map<QString, View*> m_views;           // made so far
  std::map<QString, PanelWindow*> m_windows;  // by view
  bool m_filling = false;
  bool m_restored = false;
};

}  // namespace runglass
