// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: all outside text is escaped before it becomes part of the label.
#include "widgets/topology/hang_list.h"

#include <QEvent>
#include <QScrollArea>
#include <QStringList>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/core/theme.h"
#include "widgets/core/units.h"
#include "widgets/topology/topology_data.h"

namespace runglass {
namespace {

QString nameOf(const HangGroup& group) {
  const std::string& name = group.name.empty() ? group.kind : group.name;
  return name.empty() ? TopologyText::tr("group %1").arg(group.id) : screenText(name, 40);
}

QString operationOf(const HangGroup& group) {
  QString text = group.op.empty() ? TopologyText::tr("a collective") : screenText(group.op, 40);
  return group.seq ? text + QStringLiteral(" #%1").arg(*group.seq) : text;
}

// Communicators of one kind that wait in the same operation in the same way are folded into one row.
using Alike = std::vector<const HangGroup*>;
bool alike(const HangGroup& a, const HangGroup& b) {
  return !a.kind.empty() && a.kind == b.kind && a.depth == b.depth && a.reason == b.reason && a.op == b.op && a.seq == b.seq &&
         a.inside == b.inside && a.members == b.members;
}
std::vector<Alike> rowsOf(const HangEvidence& evidence) {
  std::vector<Alike> rows;
  for (const HangGroup& group : evidence.groups) {
    const auto same = std::ranges::find_if(rows, [&](const Alike& row) { return alike(*row.front(), group); });
    if (same == rows.end())
      rows.push_back({&group});
    else
      same->push_back(&group);
  }
  return rows;
}

QString titleOf(const Alike& row) {
  const HangGroup& first = *row.front();
  if (row.size() == 1) return nameOf(first) + QStringLiteral(": ") + operationOf(first);
  return QStringLiteral("%1 × %2: %3").arg(row.size()).arg(screenText(first.kind, 20), operationOf(first));
}

// The rank that blocks it, or where the blocking ranks wait.
QString reasonOf(const Alike& row, const HangEvidence& evidence) {
  switch (row.front()->reason) {
    case HangReason::kStuck:
      return TopologyText::tr("all inside, none leaves");
    case HangReason::kMismatched:
      return TopologyText::tr("others call %1").arg(screenText(row.front()->other_op, 40));
    case HangReason::kDeadlock:
      return TopologyText::tr("in a circle");
    case HangReason::kNotLeft: {
      std::vector<std::int32_t> inside;
      for (const HangGroup* group : row)
        for (const HangMember& member : group->missing) inside.push_back(member.rank);
      return TopologyText::tr("completed by others, not by %1").arg(rankRanges(std::move(inside), 4));
    }
    case HangReason::kMissing:
      break;
  }
  std::vector<std::int32_t> missing;
  QStringList where;
  for (const HangGroup* group : row) {
    for (const HangMember& member : group->missing)
      if (member.standing != HangStanding::kWaiting || group->depth > 0) missing.push_back(member.rank);
    for (const std::int64_t by : group->blocked_by) {
      const auto at = std::ranges::find(evidence.groups, by, &HangGroup::id);
      if (at != evidence.groups.end() && !where.contains(nameOf(*at))) where << nameOf(*at);
    }
  }
  if (missing.empty()) return TopologyText::tr("missing ranks are not known");
  const QString ranks = rankRanges(std::move(missing), 4);
  if (where.isEmpty() || row.front()->depth == 0) return TopologyText::tr("missing: %1").arg(ranks);
  return where.size() > 1 ? TopologyText::tr("missing: %1, in %2 and %3 more").arg(ranks, where.front(), QString::number(where.size() - 1))
                          : TopologyText::tr("missing: %1, in %2").arg(ranks, where.front());
}

}  // namespace

HangList::HangList(QWidget* parent) : QWidget(parent), m_label(new QLabel) {
  setFixedWidth(kListWidth);
  m_label->setTextFormat(Qt::RichText);
  m_label->setWordWrap(true);
  m_label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  m_label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  m_label->setFont(tableFont());
  m_label->setContentsMargins(0, 0, kGrid, kGrid);
  connect(m_label, &QLabel::linkActivated, this, [this](const QString& link) { emit rankChosen(link.toInt()); });
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(m_label);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(scroll);
  hide();
}

void HangList::show(std::shared_ptr<const TopologyData> data) {
  m_data = std::move(data);
  fill();
}

void HangList::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange && m_data) fill();
  QWidget::changeEvent(event);
}

void HangList::fill() {
  m_plain.clear();
  if (!m_data->hang_found) return;
  const HangEvidence& e = *m_data->hang_found;
  const Theme& theme = currentTheme();
  QString html = QStringLiteral("<table cellspacing=0 width='100%'>");
  const auto row = [&](const QString& text, const QColor& color, int indent, int above, const QString& link) {
    const QString shown =
        link.isEmpty()
            ? text.toHtmlEscaped()
            : QStringLiteral("<a style='color:%1; text-decoration:none' href='%2'>%3</a>").arg(color.name(), link, text.toHtmlEscaped());
    html += QStringLiteral("<tr><td style='color:%1; padding-left:%2px; padding-top:%3px'>%4</td></tr>")
                .arg(color.name())
                .arg(indent)
                .arg(above)
                .arg(shown);
    m_plain += text + QLatin1Char('\n');
  };
  std::int32_t depth = -1;
  for (const Alike& alike_groups : rowsOf(e)) {
    const HangGroup& group = *alike_groups.front();
    if (group.depth != depth) {
      depth = group.depth;
      html += QStringLiteral("<tr><td style='padding-top:8px'><b>%1</b></td></tr>")
                  .arg(depth == 0   ? tr("Blocked first")
                       : depth == 1 ? tr("Blocked by these")
                                    : tr("%1 waits further").arg(depth));
    }
    const QString link = group.missing.empty() ? QString() : QString::number(group.missing.front().rank);
    row(titleOf(alike_groups), theme.text, kGrid, kGrid, link);
    row(tr("%1 of %2 inside, %3").arg(formatCount(group.inside), formatCount(group.members), reasonOf(alike_groups, e)),
        depth == 0 ? severityInk(theme, Severity::kError) : theme.muted, 3 * kGrid, 0, {});
  }
  const auto left_out = e.group_count - static_cast<std::int64_t>(e.groups.size());
  if (left_out > 0) row(tr("and %1 more that wait for these").arg(formatCount(left_out)), theme.muted, 0, 2 * kGrid, {});
  html += QStringLiteral("</table>");
  if (m_label->text() != html) m_label->setText(html);
}

}  // namespace runglass
