// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/order_text.h"

#include <QObject>
#include <QStringList>

#include "widgets/core/units.h"

namespace runglass {
namespace {

QString ranksText(const std::vector<std::int32_t>& ranks) {
  constexpr std::size_t kShown = 16;
  QStringList numbers;
  for (std::size_t i = 0; i < ranks.size() && i < kShown; ++i) numbers << QString::number(ranks[i]);
  if (ranks.size() > kShown) numbers << QObject::tr("and %1 more").arg(ranks.size() - kShown);
  return numbers.join(QStringLiteral(", "));
}

}  // namespace

QString orderText(const Result<OrderOutcome>& outcome) {
  if (!outcome.ok()) return screenText(outcome.status().message());
  QStringList lines;
  if (outcome->first_step) lines << QObject::tr("From step %1 on").arg(*outcome->first_step);
  for (const OrderAnswer& answer : outcome->answers) {
    QString line = answer.node.empty() ? QString() : screenText(answer.node) + QStringLiteral(": ");
    line += answer.status.ok() ? QObject::tr("done") : screenText(answer.status.message());
    if (!answer.ranks.empty()) line += QObject::tr(", ranks %1").arg(ranksText(answer.ranks));
    if (!answer.note.empty()) line += QStringLiteral("; ") + screenText(answer.note);
    lines << line;
  }
  return lines.join(u'\n');
}

}  // namespace runglass
