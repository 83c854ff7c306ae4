// SPDX-License-Identifier: GPL-3.0-or-later
// DockPage: one arrangement of docks. It is hidden and shown as a whole, so nothing that happens elsewhere changes it.
//
// Threading:  GUI thread.
// Ownership:  owns its docks; what is in them is the host's.
// Units:      shares of the page in percent; device-independent pixels.
// Errors:     restore() returns false where what was saved does not fit any more.
// Cost:       a dock is made when it is first placed.
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

// The bar over a panel: its name and its buttons.
class PanelTitle : public QWidget {
 public:
  PanelTitle(const QString& title, QWidget* parent);
  void addButton(const QString& picture, const QString& tip, std::function<void()> action);
  // A dock keeps the place of a hidden title, so a title that is not shown has no height instead.
  void showTitle(bool shown);
  QSize sizeHint() const override { return {QWidget::sizeHint().width(), m_height}; }
  QSize minimumSizeHint() const override { return {0, m_height}; }

 private:
  int m_height = 0;
};

// Where a view lies in a dock. It takes the size that it is given: how large a view would like to be, which changes with what it shows,
// moves no panel.
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

  // The view's dock, made now if it was not placed here before.
  QDockWidget* dock(const QString& view, const QString& title);
  QDockWidget* find(const QString& view) const;
  static PanelPlace* placeIn(const QDockWidget* dock);
  // By splitting the place of `beside`; null: alone.
  void place(QDockWidget* dock, QDockWidget* beside, Qt::Orientation split, int share);
  // Into half of the largest panel; where no panel has room for two, as a tab of it.
  void add(QDockWidget* dock);
  void closeDock(const QString& view);
  // Back to the place where it was closed, as large as it was, if nothing was moved since; on a hidden page, which has no room to give, it
  // is due.
  void reopen(const QString& view);
  const QStringList& due() const { return m_due; }  // to be reopened
  void reopenDue();
  void clear();
  void setTitlesVisible(bool visible);
  // The views whose docks are not closed, also while the page is hidden, in the order of their making.
  QStringList open() const;
  QStringList views() const;  // closed ones as well
  bool isBehindTab(const QDockWidget* dock) const;
  // What is shown when every dock is closed.
  StatePanel* empty() const { return m_empty; }
  // The arrangement that the user made, also while the page is too small for it.
  QByteArray save() const { return m_roomy.isEmpty() ? current() : m_roomy; }
  bool restore(const QByteArray& saved);

 protected:
  bool event(QEvent* event) override;

 signals:
  void floatWanted(const QString& view);
  void arranged();  // a dock was opened or closed

 private:
  void showEmptyOr();
  QByteArray current() const;
  std::vector<QDockWidget*> inFront() const;  // open, of tabs the one that is shown; the smallest first
  void fit();
  void noteOpened();

  StatePanel* m_empty;
  std::vector<std::pair<QString, QDockWidget*>> m_docks;
  QStringList m_due;
  struct Closing {
    QByteArray before, after;
  };
  std::map<QString, Closing> m_closed;  // the arrangements around it
  // While the page is too small for the user's arrangement: that, its panels, and the size from which on it fits.
  QByteArray m_roomy;
  QStringList m_roomy_open;
  QSize m_roomy_size;
  bool m_fitting = false;
  bool m_titles = true;
};

}  // namespace runglass
