// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/part_bars.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/compare/compare_data.h"
#include "widgets/core/language.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr int kPad = 2 * kGrid, kHead = 24, kBar = 18, kLine = 18, kSwatch = 10, kNumber = 90;
constexpr double kNothing = 0.0005;  // a part below this share of the step gets no line

// The categories' colours, the same as in the breakdown; waiting is hatched.
QColor colorOf(const Theme& t, const std::string& part) {
  if (part.starts_with("comm")) return t.communication;
  if (part.starts_with("forward")) return mix(t.compute, t.ground, 0.35);
  if (part.starts_with("backward") || part.starts_with("compute")) return t.compute;
  if (part.starts_with("optimizer")) return mix(t.compute, t.ground, 0.6);
  if (part.starts_with("data")) return t.data_load;
  if (part.starts_with("checkpoint")) return t.checkpoint;
  if (part.starts_with("gc")) return t.gc;
  return part == "not in a part" ? t.line : t.host;
}

// "communication wait": the waiting time of a part is a part of its own.
QString partText(std::string_view part) {
  constexpr std::string_view kWait = " wait";
  if (!part.ends_with(kWait)) return phraseText(part, 40);
  return CompareText::tr("%1 wait").arg(phraseText(part.substr(0, part.size() - kWait.size()), 40));
}

void fill(QPainter& painter, const QRect& rect, const std::string& part) {
  const Theme& theme = currentTheme();
  const QColor color = colorOf(theme, part);
  if (part.ends_with(" wait")) {
    painter.fillRect(rect, mix(color, theme.surface, 0.75));
    painter.fillRect(rect, QBrush(color, Qt::BDiagPattern));
  } else {
    painter.fillRect(rect, color);
  }
}

QString signedDuration(double ns) {
  if (std::llround(ns) == 0) return formatDuration(0);
  return (ns < 0 ? QStringLiteral("−") : QStringLiteral("+")) + formatDuration(static_cast<DurNs>(std::llround(std::abs(ns))));
}

QString duration(const std::optional<double>& ns) { return ns ? formatDuration(static_cast<DurNs>(std::llround(*ns))) : kAbsentText; }

}  // namespace

PartBars::PartBars(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Parts of a step, A and B"));
  setMinimumSize(360, kHead + 2 * (kBar + kGrid) + 4 * kLine);
}

void PartBars::setComparison(const Comparison& comparison) {
  m_data = comparison;
  update();
}

AccessibleTable PartBars::accessibleTable() const {
  AccessibleTable table{.summary = {}, .columns = {tr("part"), tr("A"), tr("B"), tr("B − A")}};
  if (!m_data.delta_ns) return table;
  table.rows.push_back({{tr("step"), duration(m_data.mean_a_ns), duration(m_data.mean_b_ns), signedDuration(*m_data.delta_ns)}});
  for (const PartDelta& part : m_data.parts)
    table.rows.push_back({{partText(part.part), duration(part.a_ns), duration(part.b_ns), signedDuration(part.delta_ns())}});
  return table;
}

void PartBars::paintBar(QPainter& painter, const QRect& bar, bool first, double most) const {
  double at = 0;
  // In the order of A's parts, longest first, so that both bars read alike.
  std::vector<const PartDelta*> parts;
  for (const PartDelta& part : m_data.parts) parts.push_back(&part);
  std::ranges::stable_sort(parts, [](const PartDelta* x, const PartDelta* y) { return x->a_ns.value_or(0) > y->a_ns.value_or(0); });
  for (const PartDelta* part : parts) {
    const double value = std::max(0.0, (first ? part->a_ns : part->b_ns).value_or(0));
    const int left = bar.left() + static_cast<int>(at / most * bar.width()),
              right = bar.left() + static_cast<int>((at + value) / most * bar.width());
    if (right > left) fill(painter, QRect(left, bar.top(), right - left, bar.height()), part->part);
    at += value;
  }
}

void PartBars::paintList(QPainter& painter, int top) const {
  const Theme& theme = currentTheme();
  const int right = width() - kPad;
  const auto column = [&](int back) { return QRect(right - (back + 1) * kNumber, top, kNumber, kLine); };
  painter.setPen(theme.muted);
  for (const auto& [back, words] : {std::pair(2, tr("A")), std::pair(1, tr("B")), std::pair(0, tr("B − A"))})
    painter.drawText(column(back), Qt::AlignRight | Qt::AlignVCenter, words);
  painter.drawText(QRect(kPad, top, width(), kLine), Qt::AlignLeft | Qt::AlignVCenter, tr("mean of a step"));
  const auto row = [&](const QString& name, const std::optional<double>& a, const std::optional<double>& b, double delta, bool strong) {
    top += kLine;
    painter.setPen(strong ? theme.text : theme.muted);
    painter.drawText(QRect(kPad + kSwatch + 6, top, right - 3 * kNumber, kLine), Qt::AlignLeft | Qt::AlignVCenter, name);
    painter.drawText(column(2), Qt::AlignRight | Qt::AlignVCenter, duration(a));
    painter.drawText(column(1), Qt::AlignRight | Qt::AlignVCenter, duration(b));
    painter.setPen(theme.text);
    painter.drawText(column(0), Qt::AlignRight | Qt::AlignVCenter, signedDuration(delta));
  };
  row(tr("step"), m_data.mean_a_ns, m_data.mean_b_ns, m_data.delta_ns.value_or(0), true);
  const double least = kNothing * m_data.mean_a_ns.value_or(0);
  for (const PartDelta& part : m_data.parts) {
    if (top + 2 * kLine > height()) break;
    if (std::abs(part.a_ns.value_or(0)) < least && std::abs(part.b_ns.value_or(0)) < least) continue;
    row(partText(part.part), part.a_ns, part.b_ns, part.delta_ns(), false);
    fill(painter, QRect(kPad, top + (kLine - kSwatch) / 2, kSwatch, kSwatch), part.part);
  }
}

void PartBars::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.surface);
  painter.setFont(textFont());
  painter.setPen(theme.text);
  painter.drawText(QRect(kPad, 0, width() - 2 * kPad, kHead), Qt::AlignLeft | Qt::AlignVCenter,
                   tr("Step, by part: means, so that the differences sum to the step's"));
  painter.setFont(tableFont());
  int top = kHead + kGrid;
  if (!m_data.delta_ns) {
    painter.setPen(theme.muted);
    painter.drawText(QRect(kPad, top, width() - 2 * kPad, 4 * kLine), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                     tr("Nothing to draw: steady steps with a duration are needed on both sides."));
    return;
  }
  if (m_data.parts_reported) {
    double most = 1;
    for (const bool first : {true, false}) {
      double sum = 0;
      for (const PartDelta& part : m_data.parts) sum += std::max(0.0, (first ? part.a_ns : part.b_ns).value_or(0));
      most = std::max(most, sum);
    }
    for (const bool first : {true, false}) {
      painter.setPen(theme.muted);
      painter.drawText(QRect(kPad, top, 3 * kGrid, kBar), Qt::AlignLeft | Qt::AlignVCenter, first ? tr("A") : tr("B"));
      paintBar(painter, QRect(kPad + 4 * kGrid, top, width() - 2 * kPad - 4 * kGrid, kBar), first, most);
      top += kBar + kGrid;
    }
  } else {
    painter.setPen(theme.muted);
    painter.drawText(QRect(kPad, top, width() - 2 * kPad, kBar), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("Step parts are not recorded on both sides."));
    top += kBar + kGrid;
  }
  paintList(painter, top);
}

}  // namespace runglass
