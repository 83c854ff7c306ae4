// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. Every layout has a page of its own and a single view has another one, so that a change on one page affects no other. 2. A
// View exists once: it is in the dock of the shown page, or in its window; a view with a window is in no page. 3. The arrangements of
// layouts and the windows are stored across restarts; a single view has no arrangement.
#include "widgets/frame/dock_host.h"

#include <QApplication>
#include <QDockWidget>
#include <QEvent>
#include <QSettings>
#include <QStackedLayout>
#include <algorithm>
#include <utility>

#include "widgets/core/state_panel.h"
#include "widgets/frame/panel_window.h"
#include "widgets/frame/window_place.h"

namespace runglass {
namespace {

constexpr QSize kMinWindow{480, 320};
const QString kSingle = QStringLiteral("single:");
const QString kWindows = QStringLiteral("windows");

QString settingsKey(const QString& layout, const char* what) { return QStringLiteral("layouts/%1/%2").arg(layout, QLatin1String(what)); }

const LayoutSpec* specOf(const QString& layout) {
  const auto specs = defaultLayouts();
  const auto found = std::ranges::find_if(specs, [&](const LayoutSpec& spec) { return layout == QLatin1String(spec.id); });
  return found == specs.end() ? nullptr : &*found;
}

// A view without dock or window stays a child of the host, hidden.
void takeOut(View* view, QWidget* host) {
  view->hide();
  view->setParent(host);
}

}  // namespace

QString LayoutSpec::titleText() const { return QCoreApplication::translate("ViewInfo", title); }

std::span<const LayoutSpec> defaultLayouts() {
  static const std::vector<LayoutSpec> specs = {
      {"watch",
       QT_TRANSLATE_NOOP("ViewInfo", "Watch"),
       {{"overview", 0, Qt::Horizontal, 0}, {"gpus", 0, Qt::Horizontal, 26}, {"findings", 1, Qt::Vertical, 40}}},
  };
  return specs;
}

DockHost::DockHost(ViewContext context, std::span<const ViewInfo> views, QSettings* settings, QWidget* parent)
    : QWidget(parent),
      m_context(std::move(context)),
      m_infos(views),
      m_settings(settings),
      m_stack(new QStackedLayout(this)),
      m_single(new DockPage(this)) {
  m_stack->addWidget(m_single);
  connect(m_single, &DockPage::arranged, this, &DockHost::afterArranged);
  connect(m_single, &DockPage::floatWanted, this, &DockHost::floatView);
}

DockHost::~DockHost() {
  // Views are destroyed before anything they might reach: no slot of this class may run in the base destructor.
  m_filling = true;
  for (const auto& [id, view] : m_views) delete view;
  for (const auto& [id, window] : m_windows) delete window;
  for (DockPage* page : findChildren<DockPage*>()) page->disconnect(this);
}

bool DockHost::showLayout(const QString& id) {
  DockPage* layout = layoutPage(id);
  if (layout == nullptr) return false;
  showPage(layout, id);
  focusFirst();
  return true;
}

bool DockHost::resetLayout(const QString& id) {
  const LayoutSpec* spec = specOf(id);
  DockPage* layout = layoutPage(id);
  if (spec == nullptr || layout == nullptr) return false;
  const auto windows = m_windows;
  for (const auto& [view, window] : windows) {
    const bool named = std::ranges::any_of(spec->places, [&](const LayoutPlace& place) { return view == QLatin1String(place.view); });
    if (named || window->home() == id) dockView(view);
  }
  m_filling = true;
  arrange(layout, *spec);
  m_filling = false;
  return showLayout(id);
}

bool DockHost::showSingle(const QString& view) {
  if (infoOf(view) == nullptr) return false;
  if (raiseWindow(view)) return true;
  m_filling = true;
  m_single->clear();
  m_single->setTitlesVisible(false);
  m_single->place(dockIn(m_single, view), nullptr, Qt::Horizontal, 0);
  m_filling = false;
  showPage(m_single, kSingle + view);
  viewOf(view)->setFocus();
  return true;
}

bool DockHost::addView(const QString& view) {
  if (infoOf(view) == nullptr) return false;
  if (raiseWindow(view)) return true;
  if (m_current.isEmpty()) return showSingle(view);
  if (page()->open().contains(view)) {
    page()->find(view)->raise();
    return true;
  }
  page()->setTitlesVisible(true);
  page()->add(dockIn(page(), view));
  afterArranged();
  return true;
}

bool DockHost::floatView(const QString& view) {
  if (infoOf(view) == nullptr) return false;
  if (raiseWindow(view)) return true;
  const bool here = !m_current.isEmpty() && page()->open().contains(view);
  openWindow(view, here ? m_current : kSingle + view, {});
  return true;
}

bool DockHost::dockView(const QString& view) {
  const auto found = m_windows.find(view);
  if (found == m_windows.end()) return false;
  PanelWindow* window = found->second;
  m_windows.erase(found);
  takeOut(viewOf(view), this);
  window->hide();
  window->deleteLater();
  const auto home = m_layouts.find(window->home());
  if (home == m_layouts.end()) return true;
  dockIn(home->second, view);
  home->second->reopen(view);
  afterArranged();
  return true;
}

void DockHost::saveLayout() {
  if (m_settings == nullptr) return;
  for (const auto& [id, layout] : m_layouts) {
    m_settings->setValue(settingsKey(id, "views"), layout->views());
    m_settings->setValue(settingsKey(id, "state"), layout->save());
    m_settings->setValue(settingsKey(id, "due"), layout->due());
  }
  if (!m_restored) return;  // the windows are still in the settings
  m_settings->beginGroup(kWindows);
  m_settings->remove({});
  for (const auto& [view, window] : m_windows) {
    m_settings->setValue(view + QStringLiteral("/home"), window->home());
    m_settings->setValue(view + QStringLiteral("/geometry"), window->saveGeometry());
  }
  m_settings->endGroup();
}

void DockHost::closeWindows() {
  saveLayout();
  m_restored = false;
  for (const auto& [view, window] : std::exchange(m_windows, {})) {
    takeOut(viewOf(view), this);
    delete window;
  }
}

void DockHost::restoreWindows() {
  if (std::exchange(m_restored, true) || m_settings == nullptr) return;
  m_settings->beginGroup(kWindows);
  const QStringList views = m_settings->childGroups();
  std::vector<std::pair<QString, QByteArray>> remembered;  // home and geometry
  for (const QString& view : views)
    remembered.emplace_back(m_settings->value(view + QStringLiteral("/home")).toString(),
                            m_settings->value(view + QStringLiteral("/geometry")).toByteArray());
  m_settings->endGroup();
  for (qsizetype i = 0; i < views.size(); ++i)
    if (infoOf(views[i]) != nullptr)
      openWindow(views[i], remembered[static_cast<std::size_t>(i)].first, remembered[static_cast<std::size_t>(i)].second);
}

void DockHost::openWindow(const QString& view, const QString& home, const QByteArray& geometry) {
  View* shown = viewOf(view);
  const QRect where(shown->mapToGlobal(QPoint()), shown->isVisible() ? shown->size().expandedTo(kMinWindow) : 2 * kMinWindow);
  auto* window = new PanelWindow(view, infoOf(view)->titleText(), home);
  m_windows[view] = window;
  takeOut(shown, this);
  for (DockPage* page : findChildren<DockPage*>()) page->closeDock(view);
  if (geometry.isEmpty() || !restorePlace(*window, geometry)) window->setGeometry(where);
  connect(window, &PanelWindow::closedByUser, this, [this, view] { dockView(view); });
  connect(window, &PanelWindow::dockWanted, this, [this, view, home] {
    dockView(view);
    home.startsWith(kSingle) ? showSingle(view) : showLayout(home);
  });
  window->take(shown);
  emit windowOpened(window);
  window->show();
  shown->setFocus();
  afterArranged();
}

bool DockHost::raiseWindow(const QString& view) {
  const auto found = m_windows.find(view);
  if (found == m_windows.end()) return false;
  if (found->second->isMinimized()) found->second->showNormal();
  found->second->show();
  found->second->raise();
  found->second->activateWindow();
  return true;
}

const ViewInfo* DockHost::infoOf(const QString& view) const {
  const auto found = std::ranges::find_if(m_infos, [&](const ViewInfo& info) { return view == QLatin1String(info.id); });
  return found == m_infos.end() ? nullptr : &*found;
}

View* DockHost::viewOf(const QString& view) {
  View*& made = m_views[view];
  if (made == nullptr) {
    made = infoOf(view)->make(m_context, this);
    made->hide();
    made->installEventFilter(this);
  }
  return made;
}

QDockWidget* DockHost::dockIn(DockPage* page, const QString& view) { return page->dock(view, infoOf(view)->titleText()); }

DockPage* DockHost::page() const { return static_cast<DockPage*>(m_stack->currentWidget()); }

DockPage* DockHost::layoutPage(const QString& id) {
  if (const auto made = m_layouts.find(id); made != m_layouts.end()) return made->second;
  const LayoutSpec* spec = specOf(id);
  if (spec == nullptr) return nullptr;
  auto* layout = new DockPage(this);
  layout->empty()->showEmpty(tr("All panels are closed or in windows of their own."), {});
  layout->empty()->offer(tr("Restore panels"), [this, id] { resetLayout(id); });
  layout->resize(size());
  m_stack->addWidget(layout);
  m_layouts[id] = layout;
  connect(layout, &DockPage::arranged, this, &DockHost::afterArranged);
  connect(layout, &DockPage::floatWanted, this, &DockHost::floatView);
  m_filling = true;
  bool restored = false;
  if (m_settings != nullptr) {
    for (const QString& view : m_settings->value(settingsKey(id, "views")).toStringList())
      if (infoOf(view) != nullptr) dockIn(layout, view);
    restored = layout->restore(m_settings->value(settingsKey(id, "state")).toByteArray());
    for (const QString& view : m_settings->value(settingsKey(id, "due")).toStringList())
      if (restored) layout->reopen(view);
  }
  if (!restored) arrange(layout, *spec);
  m_filling = false;
  return layout;
}

void DockHost::arrange(DockPage* page, const LayoutSpec& spec) {
  page->clear();
  page->setTitlesVisible(true);
  std::vector<QDockWidget*> placed;
  for (const LayoutPlace& place : spec.places) {
    const QString view = QString::fromLatin1(place.view);
    placed.push_back(nullptr);
    if (infoOf(view) == nullptr) continue;
    // Next to the place it names, or next to the last one built if that one is not.
    QDockWidget* beside = placed.size() > 1 ? placed[static_cast<std::size_t>(place.beside)] : nullptr;
    for (auto earlier = placed.rbegin(); beside == nullptr && earlier != placed.rend(); ++earlier) beside = *earlier;
    placed.back() = dockIn(page, view);
    page->place(placed.back(), beside, place.split, place.share);
  }
}

// Every open dock of the shown page holds its view.
void DockHost::fill(DockPage* page) {
  m_filling = true;
  for (const QString& id : page->open()) {
    QDockWidget* dock = page->find(id);
    if (m_windows.contains(id)) {
      dock->hide();
      continue;
    }
    View* view = viewOf(id);
    if (PanelPlace* place = DockPage::placeIn(dock); view->parentWidget() != place) place->take(view);
  }
  m_filling = false;
}

void DockHost::showPage(DockPage* page, const QString& current) {
  saveLayout();  // also when another console replaces this one or the program ends without closing it
  fill(page);
  m_current = current;
  m_filling = true;
  page->setGeometry(rect());  // views size their queries by their space when they are shown
  m_stack->setCurrentWidget(page);
  page->reopenDue();
  m_filling = false;
  afterArranged();
  emit currentChanged();
}

void DockHost::afterArranged() {
  if (m_filling || m_current.isEmpty()) return;
  fill(page());
  // A single view that moved into a window leaves no empty page.
  if (page() == m_single && m_single->open().isEmpty()) return void(showLayout(QString::fromLatin1(defaultLayouts().front().id)));
  const QStringList open = page()->open();
  for (const auto& [id, view] : m_views) view->setAlone(m_windows.contains(id) || open.size() == 1);
}

void DockHost::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  restoreWindows();
}

bool DockHost::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Show && !event->spontaneous()) emit viewShown(static_cast<View*>(watched));
  return QWidget::eventFilter(watched, event);
}

std::vector<View*> DockHost::visibleViews() const {
  std::vector<View*> visible;
  for (const ViewInfo& info : m_infos) {
    const QString id = QString::fromLatin1(info.id);
    const auto view = m_views.find(id);
    if (view == m_views.end() || !view->second->isVisible()) continue;
    const bool in_window = m_windows.contains(id);
    if (const QDockWidget* dock = page()->find(id); in_window || (dock != nullptr && !page()->isBehindTab(dock)))
      visible.push_back(view->second);
  }
  return visible;
}

bool DockHost::allClosed() const { return !m_current.isEmpty() && page()->open().isEmpty(); }

View* DockHost::focusedView() const {
  const std::vector<View*> visible = visibleViews();
  for (View* view : visible)
    if (view->isAncestorOf(QApplication::focusWidget()) || view == QApplication::focusWidget()) return view;
  return visible.empty() ? nullptr : visible.front();
}

QString DockHost::idOf(const View* view) const {
  const auto found = std::ranges::find(m_views, view, [](const auto& entry) { return entry.second; });
  return found == m_views.end() ? QString() : found->first;
}

QWidget* DockHost::windowOf(const QString& view) const {
  const auto found = m_windows.find(view);
  return found == m_windows.end() ? nullptr : found->second;
}

void DockHost::focusFirst() {
  if (const std::vector<View*> visible = visibleViews(); !visible.empty()) visible.front()->setFocus();
}

}  // namespace runglass
