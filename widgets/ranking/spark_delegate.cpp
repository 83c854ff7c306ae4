// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/ranking/spark_delegate.h"

#include <QPainter>
#include <QSortFilterProxyModel>
#include <cmath>

#include "widgets/ranking/heat_color.h"

namespace runglass {

void SparkDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const auto* proxy = qobject_cast<const QAbstractProxyModel*>(index.model());
  const RankRow* row = m_model->rowAt(proxy != nullptr ? proxy->mapToSource(index) : index);
  const Theme& theme = currentTheme();
  if (option.state & QStyle::State_Selected) painter->fillRect(option.rect, theme.selection);
  if (row == nullptr || row->spark.empty()) return;
  const QRect area = option.rect.adjusted(kGrid, 2, -kGrid, -2);
  const int middle = area.center().y(), half = area.height() / 2;
  painter->fillRect(QRect(area.left(), middle, area.width(), kHairline), theme.line);
  const double wide = std::min(2.0, static_cast<double>(area.width()) / kSparkSteps);
  for (std::size_t i = 0; i < row->spark.size(); ++i) {
    const float value = row->spark[i];
    if (std::isnan(value)) continue;
    const float share = std::clamp(value / kSparkScale, -1.0F, 1.0F);
    const int high = static_cast<int>(std::lround(std::fabs(share) * static_cast<float>(half)));
    const auto edge = [&](std::size_t at) { return area.left() + static_cast<int>(static_cast<double>(at) * wide); };
    const int x = edge(i), w = std::max(1, edge(i + 1) - x);
    // A dot means that the step was compared.
    const QColor color = std::fabs(value) < kQuietRatio ? theme.muted : value > 0 ? theme.heat_worse : theme.heat_better;
    painter->fillRect(value >= 0 ? QRect(x, middle - high, w, high + 1) : QRect(x, middle, w, high + 1), color);
  }
}

}  // namespace runglass
