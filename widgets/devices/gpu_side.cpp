// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/devices/gpu_side.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "widgets/devices/gpu_data.h"

namespace runglass {
namespace {
constexpr int kWidth = 220, kLine = 18, kPad = 2 * kGrid;
}

GpuSide::GpuSide(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Groups of GPUs"));
  setFixedWidth(kWidth);
  setCursor(Qt::PointingHandCursor);
}

int GpuSide::neededHeight() { return static_cast<int>(kCellGroups.size() + 1) * kLine + 2 * kGrid; }

void GpuSide::setData(std::shared_ptr<const GpuData> data) {
  m_data = std::move(data);
  if (m_difference >= static_cast<int>(m_data->facts.differences.size())) m_difference = -1;
  update();
}

void GpuSide::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.surface);
  if (!m_data) return;
  painter.setFont(tableFont());
  m_lines.clear();
  int top = kGrid;
  const auto line = [&](const QString& text, const QString& number, bool chosen, bool quiet) {
    const QRect rect(0, top, width(), kLine);
    if (chosen) painter.fillRect(rect, theme.selection);
    painter.setPen(quiet ? theme.muted : theme.text);
    const QRect inner = rect.adjusted(kPad, 0, -kPad, 0);
    painter.drawText(inner, Qt::AlignRight | Qt::AlignVCenter, number);
    const int room = inner.width() - painter.fontMetrics().horizontalAdvance(number) - kGrid;
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, painter.fontMetrics().elidedText(text, Qt::ElideRight, room));
    top += kLine;
    return rect;
  };
  m_lines.push_back({line(tr("all"), formatCount(m_data->total), m_group == CellGroup::kAll && m_difference < 0, false), CellGroup::kAll});
  for (const auto& [group, name] : kCellGroups) {
    const int count = m_data->counts.at(group);
    m_lines.push_back({line(DeviceText::tr(name), formatCount(count), m_group == group, count == 0), group});
  }
  if (m_data->facts.differences.empty()) return;
  top += kPad;
  line(tr("differs in"), {}, false, true);
  for (int i = 0; i < static_cast<int>(m_data->facts.differences.size()); ++i)
    m_lines.push_back(
        {line(m_data->facts.differences[static_cast<std::size_t>(i)].text, {}, m_difference == i, false), CellGroup::kAll, i});
}

AccessibleTable GpuSide::accessibleTable() const {
  AccessibleTable table{.summary = {}, .columns = {tr("group"), tr("GPUs")}};
  if (!m_data) return table;
  for (const Line& line : m_lines) {
    if (line.difference >= 0) {
      table.rows.push_back({{tr("differs in"), m_data->facts.differences[static_cast<std::size_t>(line.difference)].text}, line.rect});
      continue;
    }
    const auto name = std::ranges::find(kCellGroups, line.group, &std::pair<CellGroup, const char*>::first);
    table.rows.push_back(name == kCellGroups.end()
                             ? AccessibleRow{{tr("all"), formatCount(m_data->total)}, line.rect}
                             : AccessibleRow{{DeviceText::tr(name->second), formatCount(m_data->counts.at(line.group))}, line.rect});
  }
  return table;
}

const GpuSide::Line* GpuSide::lineAt(const QPoint& point) const {
  for (const Line& line : m_lines)
    if (line.rect.contains(point)) return &line;
  return nullptr;
}

void GpuSide::mousePressEvent(QMouseEvent* event) {
  const Line* line = lineAt(event->pos());
  if (line == nullptr) return;
  // A second click clears the selection.
  const bool again = line->difference >= 0 ? m_difference == line->difference : m_group == line->group;
  m_group = again ? CellGroup::kAll : line->group;
  m_difference = again ? -1 : line->difference;
  emit groupChosen(m_group);
  if (m_difference >= 0) emit devicesChosen(m_data->facts.differences[static_cast<std::size_t>(m_difference)].odd);
  update();
}

bool GpuSide::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const Line* line = lineAt(help->pos());
  const QString text = line == nullptr         ? QString()
                       : line->difference >= 0 ? m_data->facts.differences[static_cast<std::size_t>(line->difference)].text
                                               : tr("Click: show only these");
  if (text.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), text.toHtmlEscaped(), this);
  return true;
}

}  // namespace runglass
