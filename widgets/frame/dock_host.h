// SPDX-License-Identifier: GPL-3.0-or-later
// DockHost: the place of views: in a named layout of docks, alone, or in separate windows. Layouts and windows are stored.
//
// Threading:  GUI thread.
// Ownership:  owns views, pages and windows; settings outlive it (null: nothing is stored).
// Units:      shares of the page in percent.
// Errors:     an unknown view or layout is refused with false; a stored layout that no longer fits is replaced by its default.
// Cost:       a view is created when it is first shown, and then moves between pages.
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
  int share;  // of the split space, in percent
};

struct LayoutSpec {
  const char* id;
  const char* title;
  std::vector<LayoutPlace> places;  // places whose view is not built are left out

  QString titleText() const;  // in the console's language
};

std::span<const LayoutSpec> defaultLayouts();  // the first is shown at start

class DockHost : public QWidget {
  Q_OBJECT

 public:
  DockHost(ViewContext context, std::span<const ViewInfo> views, QSettings* settings, QWidget* parent);
  ~DockHost() override;

  bool showLayout(const QString& id);   // as the user left it, else its default
  bool resetLayout(const QString& id);  // its default, with its windows docked again
  // A view that has a separate window stays there: these raise the window.
  bool showSingle(const QString& view);
  bool addView(const QString& view);  // to the shown page
  bool floatView(const QString& view);
  // Returns it to the place from which it was floated.
  bool dockView(const QString& view);
  void saveLayout();
  void closeWindows();  // they are stored and reopened with the host
  // "watch" or "single:<view>".
  QString current() const { return m_current; }

  std::vector<View*> visibleViews() const;
  bool allClosed() const;     // the shown page has no panel, and offers to restore them
  View* focusedView() const;  // the visible view with the focus, else the first visible one
  QString idOf(const View* view) const;
  QWidget* windowOf(const QString& view) const;  // null: docked, or not shown

 signals:
  void viewShown(View* view);
  void currentChanged();
  void windowOpened(QWidget* window);

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  const ViewInfo* infoOf(const QString& view) const;
  View* viewOf(const QString& view);  // created on demand
  DockPage* layoutPage(const QString& id);
  DockPage* page() const;  // the shown one
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
  std::map<QString, View*> m_views;           // created so far
  std::map<QString, PanelWindow*> m_windows;  // by view
  bool m_filling = false;
  bool m_restored = false;
};

}  // namespace runglass
