// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. Every registered view has a dock from the start (saved layouts name them); its View is made on first show. 2. A layout's
// arrangement is remembered when it is left and at the end. 3. `single:` layouts are not remembered: they have no arrangement.
#include "widgets/frame/dock_host.h"

#include <QApplication>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QSettings>
#include <QToolButton>
#include <array>

#include "widgets/core/theme.h"

namespace runglass {
namespace {

constexpr int kLayoutVersion = 1;
constexpr int kHalf = 50;
const QString kSingle = QStringLiteral("single:");

QString settingsKey(const QString& layout) { return QStringLiteral("layouts/") + layout; }

// A dense title: the name, float and close. Dragging it moves the dock (QDockWidget gets the mouse events that it ignores).
class DockTitle : public QWidget {
 public:
  DockTitle(const QString& title, QDockWidget* dock) : QWidget(dock) {
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
    const auto button = [&](const QString& text, const QString& tip, auto slot) {
      auto* tool = new QToolButton(this);
      tool->setText(text);
      tool->setToolTip(tip);
      tool->setAccessibleName(tip);
      tool->setFont(tableFont());
      tool->setFocusPolicy(Qt::TabFocus);
      connect(tool, &QToolButton::clicked, dock, slot);
      row->addWidget(tool);
    };
    button(tr("float"), tr("Float %1, or dock it again").arg(title), [dock] { dock->setFloating(!dock->isFloating()); });
    button(QStringLiteral("×"), tr("Close %1").arg(title), [dock] { dock->close(); });
    showTitle(true);
  }
  // The dock keeps a hidden title's place and asks only for its size hint, so a single view's title has no height instead.
  void showTitle(bool shown) {
    m_height = shown ? kRowHeight + kGrid / 2 : 0;
    setMaximumHeight(m_height);
    updateGeometry();
  }
  QSize sizeHint() const override { return {QWidget::sizeHint().width(), m_height}; }
  QSize minimumSizeHint() const override { return {0, m_height}; }

 private:
  int m_height = 0;
};

}  // namespace

std::span<const LayoutSpec> defaultLayouts() {
  static const std::vector<LayoutSpec> specs = {
      {"watch", "Watch", {{"overview", 0, Qt::Horizontal, 0}, {"gpus", 0, Qt::Horizontal, 26}, {"findings", 1, Qt::Vertical, 40}}},
  };
  return specs;
}

DockHost::DockHost(ViewContext context, std::span<const ViewInfo> views, QSettings* settings, QWidget* parent)
    : QMainWindow(parent, Qt::Widget), m_context(context), m_settings(settings) {
  setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
  setContextMenuPolicy(Qt::NoContextMenu);
  for (const ViewInfo& info : views) m_docks.emplace_back(QString::fromLatin1(info.id), makeDock(info));
}

DockHost::~DockHost() {
  // Views go before anything they might tell: no slot of ours may run in the base destructor.
  for (const auto& [id, dock] : m_docks) {
    dock->disconnect(this);
    delete dock;
  }
}

QDockWidget* DockHost::makeDock(const ViewInfo& info) {
  const QString id = QString::fromLatin1(info.id);
  auto* dock = new QDockWidget(QString::fromUtf8(info.title), this);
  dock->setObjectName(id);
  dock->setTitleBarWidget(new DockTitle(QString::fromUtf8(info.title), dock));
  dock->hide();
  const auto make = info.make;
  // The signal's flag is wrong for a dock that has no place yet, so it only says when to look.
  connect(dock, &QDockWidget::visibilityChanged, this, [this, id, dock, make] {
    if (!dock->isVisible()) return tellCompany();
    View*& view = m_views[id];
    if (view == nullptr) {
      view = make(m_context, dock);
      dock->setWidget(view);
    }
    tellCompany();
    emit viewShown(view);
  });
  return dock;
}

bool DockHost::showLayout(const QString& id) {
  saveLayout();
  const QByteArray saved = m_settings != nullptr ? m_settings->value(settingsKey(id)).toByteArray() : QByteArray();
  if (saved.isEmpty()) return resetLayout(id);
  const bool known = std::ranges::any_of(defaultLayouts(), [&](const LayoutSpec& spec) { return id == QLatin1String(spec.id); });
  if (!known) return false;
  setTitlesVisible(true);
  if (!restoreState(saved, kLayoutVersion) || visibleViews().empty()) return resetLayout(id);
  become(id);
  focusFirst();
  return true;
}

bool DockHost::resetLayout(const QString& id) {
  for (const LayoutSpec& spec : defaultLayouts()) {
    if (id != QLatin1String(spec.id)) continue;
    arrange(spec);
    become(id);
    focusFirst();
    return true;
  }
  return false;
}

bool DockHost::showSingle(const QString& view) {
  for (const auto& [id, dock] : m_docks) {
    if (id != view) continue;
    saveLayout();
    hideAll();
    setTitlesVisible(false);
    placeDock(dock, nullptr, Qt::Horizontal, 0);
    if (dock->widget() != nullptr) dock->widget()->setFocus();  // before the window is shown there is no view yet
    become(kSingle + view);
    return true;
  }
  return false;
}

bool DockHost::addView(const QString& view) {
  QDockWidget* beside = nullptr;
  QDockWidget* wanted = nullptr;
  for (const auto& [id, dock] : m_docks) {
    if (id == view)
      wanted = dock;
    else if (dock->isVisible() && !dock->isFloating())
      beside = dock;
  }
  if (wanted == nullptr) return false;
  if (wanted->isVisible()) return true;
  setTitlesVisible(true);
  placeDock(wanted, beside, Qt::Horizontal, kHalf);
  return true;
}

void DockHost::saveLayout() {
  if (m_settings == nullptr || m_current.isEmpty() || m_current.startsWith(kSingle)) return;
  m_settings->setValue(settingsKey(m_current), saveState(kLayoutVersion));
}

std::vector<View*> DockHost::visibleViews() const {
  std::vector<View*> visible;
  for (const auto& [id, dock] : m_docks) {
    const bool behind_a_tab = !dock->isFloating() && (dock->geometry().right() < 0 || dock->geometry().bottom() < 0);
    if (const auto view = m_views.find(id); view != m_views.end() && dock->isVisible() && !behind_a_tab) visible.push_back(view->second);
  }
  return visible;
}

View* DockHost::focusedView() const {
  const std::vector<View*> visible = visibleViews();
  for (View* view : visible)
    if (view->isAncestorOf(QApplication::focusWidget()) || view == QApplication::focusWidget()) return view;
  return visible.empty() ? nullptr : visible.front();
}

void DockHost::focusFirst() {
  if (const std::vector<View*> visible = visibleViews(); !visible.empty()) visible.front()->setFocus();
}

void DockHost::hideAll() {
  // Removed, not just hidden: a hidden dock keeps a place in the layout that later splits would land in.
  for (const auto& [id, dock] : m_docks) removeDockWidget(dock);
}

void DockHost::arrange(const LayoutSpec& spec) {
  hideAll();
  setTitlesVisible(true);
  std::vector<QDockWidget*> placed;
  for (const LayoutPlace& place : spec.places) {
    const auto found = std::ranges::find(m_docks, QString::fromLatin1(place.view), [](const auto& entry) { return entry.first; });
    placed.push_back(nullptr);
    if (found == m_docks.end()) continue;
    // Beside the place it names, or beside whatever came last when that one is not built.
    QDockWidget* beside = placed.size() > 1 ? placed[static_cast<std::size_t>(place.beside)] : nullptr;
    for (auto earlier = placed.rbegin(); beside == nullptr && earlier != placed.rend(); ++earlier) beside = *earlier;
    placeDock(found->second, beside, place.split, place.share);
    placed.back() = found->second;
  }
}

void DockHost::placeDock(QDockWidget* dock, QDockWidget* beside, Qt::Orientation split, int share) {
  removeDockWidget(dock);
  dock->setFloating(false);
  if (beside == nullptr) {
    addDockWidget(Qt::LeftDockWidgetArea, dock);
    dock->show();
    return;
  }
  splitDockWidget(beside, dock, split);
  dock->show();
  // A split in a layout that is not laid out yet leaves the new dock without any size.
  const int all = split == Qt::Horizontal ? width() : height();
  resizeDocks({beside, dock}, {all * (100 - share) / 100, all * share / 100}, split);
}

void DockHost::tellCompany() {
  const std::vector<View*> visible = visibleViews();
  for (View* view : visible) view->setAlone(visible.size() == 1);
}

void DockHost::setTitlesVisible(bool visible) {
  for (const auto& [id, dock] : m_docks) static_cast<DockTitle*>(dock->titleBarWidget())->showTitle(visible);
}

void DockHost::become(const QString& current) {
  m_current = current;
  emit currentChanged();
}

}  // namespace runglass
