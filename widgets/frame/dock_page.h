// SPDX-License-Identifier: GPL-3.0-or-later
// DockPage: one arrangement of docks. It is hidden and shown as a whole, so that changes elsewhere do not affect it.
//
// Threading:  GUI thread.
// Ownership:  owns its docks; their content is the host's.
// Units:      shares of the page in percent; device-independent pixels.
// Errors:     restore() returns false where a stored arrangement no longer fits.
// Cost:       a dock is created when it is first placed.
#pragma once

#include <QMainWindow>
#include <QWidget>
#include <functional>
#include <map>
#include <utility>
#include <vector>

class QDockWidget;

namespace runglass {

class StatePanel;

// The title bar of a panel: its name and its buttons.
class PanelTitle : public QWidget {
 public:
  PanelTitle(const QString& title, QWidget* parent);
  void addButton(const QString& picture, const QString& tip, std::function<void()> action);
  // A dock reserves space for a hidden title, so a hidden title has height 0 instead.
  void showTitle(bool shown);
  QSize sizeHint() const override { return {QWidget::sizeHint().width(), m_height}; }
  QSize minimumSizeHint() const override { return {0, m_height}; }

 private:
  int m_height = 0;
};

// The place of a view in a dock. It ignores the view's size hint, which changes with its content, so that the hint moves no panel.
class PanelPlace : public QWidget {
 public:
  using QWidget::QWidget;
  void take(QWidget* view);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
};

class DockPage : public QMainWindow {
  Q_OBJECT

 public:
  explicit DockPage(QWidget* parent);
  ~DockPage() override;

  // The view's dock, created if it was not placed here before.
  QDockWidget* dock(const QString& view, const QString& title);
  QDockWidget* find(const QString& view) const;
  static PanelPlace* placeIn(const QDockWidget* dock);
  // Places it by splitting the place of `beside`; null: alone.
  void place(QDockWidget* dock, QDockWidget* beside, Qt::Orientation split, int share);
  // Splits the largest panel in half; where no panel has room for two, it becomes a tab of it.
  void add(QDockWidget* dock);
  void closeDock(const QString& view);
  // Reopens it at the place and in the size in which it was closed, if nothing has moved since; on a hidden page, which has no size, it is
  // deferred (due()).
  void reopen(const QString& view);
  const QStringList& due() const { return m_due; }  // to be reopened
  void reopenDue();
  void clear();
  void setTitlesVisible(bool visible);
  // The views whose docks are not closed, also while the page is hidden, in order of creation.
  QStringList open() const;
  QStringList views() const;  // including closed ones
  bool isBehindTab(const QDockWidget* dock) const;
  // Shown when every dock is closed.
  StatePanel* empty() const { return m_empty; }
  // The arrangement that the user made, also while the page is too small for it.
  QByteArray save() const { return m_squeezed ? m_user.state : current(); }
  bool restore(const QByteArray& saved);

 protected:
  bool event(QEvent* event) override;

 signals:
  void floatWanted(const QString& view);
  void arranged();  // a dock was opened or closed

 private:
  void showEmptyOr();
  QByteArray current() const;
  std::vector<QDockWidget*> inFront() const;  // open docks; of tabs only the shown one; the smallest first
  struct Arrangement {
    QByteArray state;
    QStringList open;
    QSize page, minimum;  // its size, and the size that its panels need
  };
  Arrangement arrangement() const;
  void fit(bool resized);
  void noteOpened();
  // Changes the user's arrangement while the page is too small for it.
  void changeInRoom(const std::function<void()>& change);
  void report();

  StatePanel* m_empty;
  std::vector<std::pair<QString, QDockWidget*>> m_docks;
  QStringList m_due;
  struct Closing {
    QByteArray before, after;
  };
  std::map<QString, Closing> m_closed;  // the arrangements at closing
  Arrangement m_user;                   // as the user made it, at the size that the page had then
  bool m_changed = false;               // since m_user was recorded
  bool m_squeezed = false;              // panels are tabs because the page is too small for m_user
  bool m_unreported = false;            // a dock was opened or closed while m_fitting
  bool m_fitting = false;
  bool m_titles = true;
};

}  // namespace runglass
