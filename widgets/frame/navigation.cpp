// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/navigation.h"

#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>
#include <array>

#include "widgets/core/icon.h"
#include "widgets/core/theme.h"
#include "widgets/core/units.h"
#include "widgets/frame/dock_host.h"

namespace runglass {
namespace {

constexpr int kBadgeHeight = 4 * kGrid, kDot = 2 * kGrid;
constexpr std::array kGroups = {NavGroup::kNow, NavGroup::kRuns, NavGroup::kInvestigate, NavGroup::kConclude};

QString titleOf(NavGroup group) {
  switch (group) {
    case NavGroup::kNow:
      return Navigation::tr("Now");
    case NavGroup::kRuns:
      return Navigation::tr("Runs");
    case NavGroup::kInvestigate:
      return Navigation::tr("Investigate");
    case NavGroup::kConclude:
      return Navigation::tr("Conclude");
    case NavGroup::kFoot:
    case NavGroup::kNone:
      return {};
  }
  return {};
}

}  // namespace

NavButton::NavButton(const QString& label, const QString& icon, const QString& tip, QWidget* parent)
    : QPushButton(runglass::icon(icon), label, parent), m_label(label), m_tip(tip) {
  setProperty("nav", true);
  setFlat(true);
  setIconSize({kIconPx, kIconPx});
  showLabel();
}

void NavButton::setLabel(const QString& label) {
  m_label = label;
  showLabel();
}

void NavButton::setBadge(int count, Severity severity, const QString& words) {
  if (count == m_count && severity == m_severity) return;
  m_counted = words;
  m_count = count;
  m_severity = severity;
  showLabel();
  update();
}

void NavButton::setCollapsed(bool collapsed) {
  m_collapsed = collapsed;
  showLabel();
}

void NavButton::showLabel() {
  setText(m_collapsed ? QString() : m_label);
  if (m_collapsed)
    setToolTip(m_tip.isEmpty() ? m_label : Navigation::tr("%1: %2").arg(m_label, m_tip));
  else
    setToolTip(m_tip);
  setAccessibleName(m_count > 0 ? Navigation::tr("%1, %2 %3").arg(m_label, formatCount(m_count), m_counted) : m_label);
}

void NavButton::paintEvent(QPaintEvent* event) {
  QPushButton::paintEvent(event);
  if (m_count == 0) return;
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(severityColor(theme, m_severity));
  if (m_collapsed) {
    painter.drawEllipse(QRect(width() / 2 + kGrid, height() / 2 - kDot - kGrid / 2, kDot, kDot));
    return;
  }
  const QString words = m_count > 99 ? QStringLiteral("99+") : QString::number(m_count);
  painter.setFont(tableFont());
  const int wide = std::max(kBadgeHeight, QFontMetrics(tableFont()).horizontalAdvance(words) + 2 * kGrid);
  const QRect chip(width() - wide - 2 * kGrid, (height() - kBadgeHeight) / 2, wide, kBadgeHeight);
  painter.drawRoundedRect(chip, kBadgeHeight / 2.0, kBadgeHeight / 2.0);
  painter.setPen(theme.on_critical);
  painter.drawText(chip, Qt::AlignCenter, words);
}

Navigation::Navigation(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this)) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::AlternateBase);
  m_column->setContentsMargins(0, kGrid, 0, kGrid);
  m_column->setSpacing(0);
  for (const NavGroup group : kGroups) {
    addHeading(titleOf(group));
    if (group == NavGroup::kNow)
      for (const LayoutSpec& layout : defaultLayouts())
        addPlace(QString::fromLatin1(layout.id), layout.titleText(), tr("A live run at a glance: overview, GPUs and findings"));
    for (const ViewInfo& view : viewRegistry())
      if (view.group == group) addPlace(QString::fromLatin1(view.id), view.titleText(), view.purposeText());
  }
  m_column->addStretch(1);
  for (const ViewInfo& view : viewRegistry())
    if (view.group == NavGroup::kFoot) addPlace(QString::fromLatin1(view.id), view.titleText(), view.purposeText());
  m_collapse = addButton(tr("Collapse"), QStringLiteral("collapse"), tr("Show icons only"));
  connect(m_collapse, &QPushButton::clicked, this, [this] {
    setCollapsed(!m_collapsed);
    emit collapsedChanged(m_collapsed);
  });
  setFixedWidth(kNavWidth);
}

QString Navigation::placeTitle(const QString& id) {
  for (const LayoutSpec& layout : defaultLayouts())
    if (id == QLatin1String(layout.id)) return layout.titleText();
  const ViewInfo* view = findView(id.toStdString());
  return view != nullptr ? view->titleText() : id;
}

void Navigation::addHeading(const QString& words) {
  auto* heading = new QLabel(words, this);
  heading->setTextFormat(Qt::PlainText);
  heading->setFont(tableFont());
  heading->setForegroundRole(QPalette::PlaceholderText);
  heading->setContentsMargins(3 * kGrid, m_headings.empty() ? kGrid / 2 : 2 * kGrid, 0, kGrid / 2);
  m_column->addWidget(heading);
  m_headings.push_back(heading);
}

void Navigation::addPlace(const QString& id, const QString& title, const QString& tip) {
  auto* button = new NavButton(title, id, tip, this);
  button->setCheckable(true);
  connect(button, &QPushButton::clicked, this, [this, id] { emit placeRequested(id); });
  m_column->addWidget(button);
  m_buttons.emplace_back(id, button);
  m_places.push_back({id, title});
}

NavButton* Navigation::addButton(const QString& label, const QString& icon, const QString& tip) {
  auto* button = new NavButton(label, icon, tip, this);
  const int at = m_collapse != nullptr ? m_column->indexOf(m_collapse) : -1;  // the collapse button is always last
  m_column->insertWidget(at, button);
  m_others.push_back(button);
  return button;
}

void Navigation::setCurrent(const QString& id) {
  for (const auto& [place, button] : m_buttons) button->setChecked(place == id);
}

void Navigation::setBadge(const QString& id, int count, Severity severity, const QString& words) {
  for (const auto& [place, button] : m_buttons)
    if (place == id) button->setBadge(count, severity, words);
}

void Navigation::setPlacesEnabled(bool enabled) {
  for (const auto& [place, button] : m_buttons) button->setEnabled(enabled);
}

void Navigation::setCollapsed(bool collapsed) {
  m_collapsed = collapsed;
  for (QWidget* heading : m_headings) heading->setVisible(!collapsed);
  for (const auto& [place, button] : m_buttons) button->setCollapsed(collapsed);
  for (NavButton* button : m_others) button->setCollapsed(collapsed);
  m_collapse->setIcon(icon(collapsed ? QStringLiteral("expand") : QStringLiteral("collapse")));
  m_collapse->setLabel(collapsed ? tr("Expand") : tr("Collapse"));
  setFixedWidth(collapsed ? kNavCollapsed : kNavWidth);
}

}  // namespace runglass
