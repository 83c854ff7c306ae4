// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. A dock is in this page or hidden, never a window: separate windows are the host's. 2. The central widget is shown exactly
// while no dock is open. 3. The panels fit the page: QMainWindow lets panels extend beyond it that need more than its size, so they become
// tabs of one another; the user's arrangement is restored when there is room again, unless the user has moved a tab. A panel that is opened
// or closed meanwhile is so in that arrangement too. 4. A page that becomes smaller and returns to its
// size has exactly the same panels.
#include "widgets/frame/dock_page.h"

#include <QApplication>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QPointer>
#include <QScopedValueRollback>
#include <QStyle>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "widgets/core/icon.h"
#include "widgets/core/state_panel.h"
#include "widgets/core/theme.h"

namespace runglass {
namespace {
constexpr int kLayoutVersion = 2, kHalf = 50;
constexpr QSize kMinPanel{60 * kGrid, 32 * kGrid}, kUsualPanel{160 * kGrid, 120 * kGrid};  // a view is readable from kMinPanel on

bool fits(QSize small, QSize large) { return small.width() <= large.width() && small.height() <= large.height(); }
}  // namespace

PanelTitle::PanelTitle(const QString& title, QWidget* parent) : QWidget(parent) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::AlternateBase);
  auto* label = new QLabel(this);
  label->setTextFormat(Qt::PlainText);
  label->setText(title);
  label->setFont(tableFont());
  label->setForegroundRole(QPalette::PlaceholderText);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(2 * kGrid, 0, kGrid, 0);
  row->setSpacing(0);
  row->addWidget(label, 1);
  showTitle(true);
}

void PanelTitle::addButton(const QString& picture, const QString& tip, std::function<void()> action) {
  auto* tool = new QToolButton(this);
  tool->setIcon(icon(picture, themeInk<&Theme::muted>()));
  tool->setIconSize({kIconPx - kGrid, kIconPx - kGrid});
  tool->setToolTip(tip);
  tool->setAccessibleName(tip);
  tool->setFocusPolicy(Qt::TabFocus);
  connect(tool, &QToolButton::clicked, this, std::move(action));
  layout()->addWidget(tool);
}

void PanelTitle::showTitle(bool shown) {
  m_height = shown ? kRowHeight + kGrid / 2 : 0;
  for (QWidget* part : findChildren<QWidget*>()) part->setVisible(shown);  // else Tab stops at a hidden button
  setMaximumHeight(m_height);
  updateGeometry();
}

void PanelPlace::take(QWidget* view) {
  view->setParent(this);
  view->setGeometry(rect());
  view->show();
}

QSize PanelPlace::sizeHint() const { return kUsualPanel; }
QSize PanelPlace::minimumSizeHint() const { return kMinPanel; }

void PanelPlace::resizeEvent(QResizeEvent*) {
  for (QObject* child : children())
    if (auto* view = qobject_cast<QWidget*>(child)) view->setGeometry(rect());
}

DockPage::DockPage(QWidget* parent) : QMainWindow(parent), m_empty(new StatePanel(this)) {
  setWindowFlags(Qt::Widget);  // a QMainWindow is a window even with a parent
  setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
  setContextMenuPolicy(Qt::NoContextMenu);
  setCentralWidget(m_empty);
}

DockPage::~DockPage() {
  for (const auto& [view, dock] : m_docks) dock->disconnect(this);  // no slot of this class may run in the base destructor
}

QDockWidget* DockPage::find(const QString& view) const {
  const auto found = std::ranges::find(m_docks, view, [](const auto& entry) { return entry.first; });
  return found == m_docks.end() ? nullptr : found->second;
}

QDockWidget* DockPage::dock(const QString& view, const QString& title) {
  if (QDockWidget* made = find(view)) return made;
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(view);
  dock->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable);
  auto* bar = new PanelTitle(title, dock);
  bar->addButton(QStringLiteral("float"), tr("Float %1").arg(title), [this, view] { emit floatWanted(view); });
  bar->addButton(QStringLiteral("close"), tr("Close %1").arg(title), [dock] { dock->close(); });
  bar->showTitle(m_titles);
  dock->setTitleBarWidget(bar);
  dock->setWidget(new PanelPlace(dock));
  dock->hide();
  m_docks.emplace_back(view, dock);
  connect(dock, &QDockWidget::visibilityChanged, this, [this] {
    noteOpened();
    showEmptyOr();
    m_unreported = true;
    report();
  });
  connect(dock, &QDockWidget::dockLocationChanged, this, [this] {
    if (!m_fitting) m_changed = true, m_squeezed = false;
  });
  return dock;
}

void DockPage::closeDock(const QString& view) {
  QDockWidget* dock = find(view);
  if (dock == nullptr || dock->isHidden()) return;
  const QByteArray before = current();
  dock->hide();
  layout()->activate();  // the remaining docks resize now; reopening compares with that arrangement
  m_closed[view] = {before, current()};
}

void DockPage::reopen(const QString& view) {
  QDockWidget* dock = find(view);
  if (dock == nullptr) return;
  if (!isVisible()) {
    if (!m_due.contains(view)) m_due << view;
    return;
  }
  const QStringList others = open();
  if (m_squeezed && dock->isHidden()) {
    changeInRoom([this, dock] { dockWidgetArea(dock) == Qt::NoDockWidgetArea ? add(dock) : dock->show(); });
    return dock->raise();
  }
  if (dockWidgetArea(dock) == Qt::NoDockWidgetArea)
    return place(dock, others.isEmpty() ? nullptr : find(others.back()), Qt::Horizontal, kHalf);
  const auto closing = m_closed.find(view);
  if (closing == m_closed.end() || current() != closing->second.after || !restore(closing->second.before)) dock->show();
  dock->raise();  // it may be a tab
  showEmptyOr();
}

void DockPage::reopenDue() {
  for (const QString& view : std::exchange(m_due, {})) reopen(view);
}

PanelPlace* DockPage::placeIn(const QDockWidget* dock) { return static_cast<PanelPlace*>(dock->widget()); }

void DockPage::clear() {
  // Removed, not just hidden: a hidden dock keeps a place in the layout, into which later splits would go.
  m_due.clear();
  m_changed = true, m_squeezed = false;
  for (const auto& [view, dock] : m_docks) removeDockWidget(dock);
}

void DockPage::place(QDockWidget* dock, QDockWidget* beside, Qt::Orientation split, int share) {
  removeDockWidget(dock);
  if (beside == nullptr) {
    addDockWidget(Qt::LeftDockWidgetArea, dock);
    dock->show();
    return showEmptyOr();
  }
  splitDockWidget(beside, dock, split);
  dock->show();
  showEmptyOr();
  // A split before the layout has been computed leaves the new dock without a size.
  const int all = split == Qt::Horizontal ? width() : height();
  resizeDocks({beside, dock}, {all * (100 - share) / 100, all * share / 100}, split);
}

void DockPage::add(QDockWidget* dock) {
  if (m_squeezed) {
    changeInRoom([this, dock] { add(dock); });
    return dock->raise();
  }
  const std::vector<QDockWidget*> shown = inFront();
  if (shown.empty()) return place(dock, nullptr, Qt::Horizontal, 0);
  QDockWidget* beside = shown.back();
  const int separator = style()->pixelMetric(QStyle::PM_DockWidgetSeparatorExtent, nullptr, this);
  const QSize half = (beside->size() - QSize(separator, separator)) / 2;
  const bool wide = beside->width() >= beside->height();
  const bool across = half.width() >= kMinPanel.width(),
             down = half.height() >= kMinPanel.height() + dock->titleBarWidget()->sizeHint().height();
  if (across || down) return place(dock, beside, across && (wide || !down) ? Qt::Horizontal : Qt::Vertical, kHalf);
  removeDockWidget(dock);
  tabifyDockWidget(beside, dock);
  dock->show();
  dock->raise();
  showEmptyOr();
}

void DockPage::setTitlesVisible(bool visible) {
  m_titles = visible;
  for (const auto& [view, dock] : m_docks) static_cast<PanelTitle*>(dock->titleBarWidget())->showTitle(visible);
}

QStringList DockPage::open() const {
  QStringList views;
  for (const auto& [view, dock] : m_docks)
    if (!dock->isHidden()) views << view;
  return views;
}

QStringList DockPage::views() const {
  QStringList views;
  for (const auto& [view, dock] : m_docks) views << view;
  return views;
}

bool DockPage::isBehindTab(const QDockWidget* dock) const { return dock->geometry().right() < 0 || dock->geometry().bottom() < 0; }

std::vector<QDockWidget*> DockPage::inFront() const {
  std::vector<QDockWidget*> shown;
  for (const auto& [view, dock] : m_docks)
    if (!dock->isHidden() && !isBehindTab(dock)) shown.push_back(dock);
  std::ranges::stable_sort(shown, {}, [](const QDockWidget* dock) { return static_cast<std::int64_t>(dock->width()) * dock->height(); });
  return shown;
}

QByteArray DockPage::current() const { return saveState(kLayoutVersion); }

bool DockPage::restore(const QByteArray& saved) {
  if (!m_fitting) m_changed = true, m_squeezed = false;
  const bool fits = restoreState(saved, kLayoutVersion);
  showEmptyOr();
  return fits && !open().isEmpty();
}

bool DockPage::event(QEvent* event) {
  const bool done = QMainWindow::event(event);
  const QEvent::Type type = event->type();
  if (type == QEvent::MouseButtonRelease && !m_squeezed) m_changed = true;  // a separator was moved
  if (type == QEvent::Resize || type == QEvent::LayoutRequest || type == QEvent::Show || m_changed) fit(type == QEvent::Resize);
  return done;
}

DockPage::Arrangement DockPage::arrangement() const { return {current(), open(), size(), layout()->minimumSize()}; }

void DockPage::noteOpened() {
  if (m_fitting || open() == m_user.open) return;
  if (!m_squeezed) {
    m_changed = true;
    return;
  }
  QStringList closed = m_user.open;
  for (const QString& view : open()) closed.removeAll(view);
  changeInRoom([&] {
    for (const QString& view : closed) find(view)->hide();
  });
}

void DockPage::changeInRoom(const std::function<void()>& change) {
  {
    const QScopedValueRollback fitting(m_fitting, true);
    const QSize small = size();
    setUpdatesEnabled(false);
    resize(m_user.page.expandedTo(m_user.minimum));
    m_squeezed = false;
    restore(m_user.state);
    change();
    layout()->activate();
    m_user = arrangement();
    resize(small);
    setUpdatesEnabled(true);
  }
  fit(false);
}

void DockPage::report() {
  if (!m_fitting && std::exchange(m_unreported, false)) emit arranged();
}

void DockPage::fit(bool resized) {
  if (m_fitting || !isVisible()) return;
  QScopedValueRollback fitting(m_fitting, true);
  const QPointer<QWidget> focused = QApplication::focusWidget();
  const bool roomy = m_squeezed && fits(m_user.minimum, size());
  // In a larger page they have the same shares.
  const bool grown = resized && !m_squeezed && size() != m_user.page && fits(m_user.page, size());
  if (std::exchange(m_changed, false) || m_user.state.isEmpty() || grown) {
    layout()->activate();
    m_user = arrangement();
  } else if (roomy || (resized && !m_squeezed && size() == m_user.page && current() != m_user.state)) {
    const std::vector<QDockWidget*> front = roomy ? std::vector<QDockWidget*>() : inFront();
    m_squeezed = false;
    restore(m_user.state);
    for (QDockWidget* dock : front)
      if (isBehindTab(dock)) dock->raise();
  }
  for (std::size_t panels = m_docks.size(); panels > 1 && !fits(layout()->minimumSize(), size()); --panels) {
    const std::vector<QDockWidget*> shown = inFront();
    if (shown.size() < 2) break;
    m_squeezed = true;
    QList<QDockWidget*> moved = tabifiedDockWidgets(shown.front());
    for (QDockWidget* dock : moved << shown.front()) tabifyDockWidget(shown.back(), dock);
    shown.back()->raise();
    layout()->activate();
  }
  // The panel with the keyboard focus keeps it.
  for (const auto& [view, dock] : m_docks) {
    if (focused == nullptr || focused->hasFocus() || !dock->isAncestorOf(focused)) continue;
    dock->raise();
    focused->setFocus();
  }
  m_fitting = false;
  report();
}

void DockPage::showEmptyOr() { m_empty->setVisible(open().isEmpty()); }

}  // namespace runglass
