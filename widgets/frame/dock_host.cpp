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
      {"watch", "Watch", {{"overview", 0, Qt::Horizontal, 72}, {"gpu_grid", 0, Qt::Horizontal, 28}, {"findings", 1, Qt::Vertical, 60}}},
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
  addDockWidget(Qt::LeftDockWidgetArea, dock);
  const auto make = info.make;
  connect(dock, &QDockWidget::visibilityChanged, this, [this, id, dock, make](bool visible) {
    if (!visible) {
      m_visible.erase(id);
      return;
    }
    m_visible.insert(id);
    View*& view = m_views[id];
    if (view == nullptr) {
      view = make(m_context, dock);
      dock->setWidget(view);
    }
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
    dock->setFloating(false);
    addDockWidget(Qt::LeftDockWidgetArea, dock);
    dock->show();
    dock->widget()->setFocus();
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
  if (beside != nullptr) splitDockWidget(beside, wanted, Qt::Horizontal);
  wanted->show();
  return true;
}

void DockHost::saveLayout() {
  if (m_settings == nullptr || m_current.isEmpty() || m_current.startsWith(kSingle)) return;
  m_settings->setValue(settingsKey(m_current), saveState(kLayoutVersion));
}

std::vector<View*> DockHost::visibleViews() const {
  std::vector<View*> visible;
  for (const auto& [id, dock] : m_docks) {
    if (m_visible.contains(id)) visible.push_back(m_views.at(id));
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
  for (const auto& [id, dock] : m_docks) dock->hide();
}

void DockHost::arrange(const LayoutSpec& spec) {
  hideAll();
  setTitlesVisible(true);
  std::vector<QDockWidget*> placed(spec.places.size(), nullptr);
  std::vector<QDockWidget*> shown;
  QList<QDockWidget*> columns;
  QList<int> shares;
  for (std::size_t i = 0; i < spec.places.size(); ++i) {
    const LayoutPlace& place = spec.places[i];
    const auto found = std::ranges::find(m_docks, QString::fromLatin1(place.view), [](const auto& entry) { return entry.first; });
    if (found == m_docks.end()) continue;
    QDockWidget* dock = found->second;
    dock->setFloating(false);
    QDockWidget* beside = i == 0 ? nullptr : placed[static_cast<std::size_t>(place.beside)];
    if (beside == nullptr && !shown.empty()) beside = shown.back();
    if (beside == nullptr)
      addDockWidget(Qt::LeftDockWidgetArea, dock);
    else
      splitDockWidget(beside, dock, place.split);
    dock->show();
    placed[i] = dock;
    shown.push_back(dock);
    if (i == 0 || place.split == Qt::Horizontal) {
      columns += dock;
      shares += place.share * width() / 100;
    }
  }
  if (columns.size() > 1) resizeDocks(columns, shares, Qt::Horizontal);
}

void DockHost::setTitlesVisible(bool visible) {
  for (const auto& [id, dock] : m_docks) static_cast<DockTitle*>(dock->titleBarWidget())->showTitle(visible);
}

void DockHost::become(const QString& current) {
  m_current = current;
  emit currentChanged();
}

}  // namespace runglass
