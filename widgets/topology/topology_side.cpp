// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: all outside text is escaped before it becomes part of m_html.
#include "widgets/topology/topology_side.h"

#include <QEvent>
#include <QRegularExpression>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/core/language.h"
#include "widgets/core/units.h"
#include "widgets/topology/topology_data.h"
#include "widgets/topology/topology_grid.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxGroups = 16, kStagesListed = 32;

QString kindName(PeerKind kind) {
  switch (kind) {
    case PeerKind::kTp:
      return QStringLiteral("TP");
    case PeerKind::kPp:
      return QStringLiteral("PP");
    case PeerKind::kDp:
      return QStringLiteral("DP");
    case PeerKind::kEp:
      return QStringLiteral("EP");
    case PeerKind::kCp:
      break;
  }
  return QStringLiteral("CP");
}

}  // namespace

TopologySide::TopologySide(QWidget* parent) : QWidget(parent), m_label(new QLabel) {
  setFixedWidth(kSideWidth);
  m_label->setTextFormat(Qt::RichText);
  m_label->setWordWrap(true);
  m_label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_label->setFont(tableFont());
  m_label->setContentsMargins(2 * kGrid, 0, kGrid, kGrid);
  auto* scroll = new QScrollArea;
  scroll->setAccessibleName(tr("The selected rank"));
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(m_label);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(scroll);
}

void TopologySide::changeEvent(QEvent* event) {
  // Only if needed: the label's own palette change arrives here as well.
  if (event->type() == QEvent::PaletteChange && m_data) fill();
  QWidget::changeEvent(event);
}

void TopologySide::show(std::shared_ptr<const TopologyData> data, std::optional<std::int32_t> rank, TimeStyle style) {
  m_data = std::move(data), m_rank = rank, m_style = style;
  fill();
}

void TopologySide::head(const QString& text) {
  m_html += QStringLiteral("<tr><td colspan=2 style='padding-top:8px'><b>%1</b></td></tr>").arg(text.toHtmlEscaped());
  m_plain += text + QLatin1Char('\n');
}

void TopologySide::line(const QString& name, const QString& value) {
  if (name.isEmpty())  // a sentence gets the whole width
    m_html += QStringLiteral("<tr><td colspan=2>%1</td></tr>").arg(value.toHtmlEscaped());
  else
    m_html += QStringLiteral("<tr><td style='color:%1; padding-right:8px'>%2</td><td>%3</td></tr>")
                  .arg(currentTheme().muted.name(), name.toHtmlEscaped(), value.toHtmlEscaped());
  m_plain += name + QLatin1Char('\t') + value + QLatin1Char('\n');
}

void TopologySide::fill() {
  m_html = QStringLiteral("<table cellspacing=2 width='100%'>");
  m_plain.clear();
  // In a hang the culprit comes first.
  const auto shown = m_rank || !m_data->hang_mode || m_data->hang_found->culprits.empty()
                         ? m_rank
                         : std::optional(m_data->hang_found->culprits.front().rank);
  const auto found = std::ranges::find_if(m_data->ranks, [&shown](const TopologyRank& rank) { return shown && rank.place.rank == *shown; });
  if (found == m_data->ranks.end()) {
    head(shown ? tr("Rank %1 is not of this attempt").arg(*shown) : tr("No rank selected"));
    line(tr("click"), tr("selects a rank: its TP, PP, DP and EP peers are outlined, Esc clears"));
    line(tr("double click"), tr("opens the timeline at the rank"));
    tellPlaces();
  } else {
    tellRank(*found);
    if (m_data->hang_found) tellHang(*found);
    if (!found->findings.isEmpty()) head(tr("Findings"));
    for (const QString& finding : found->findings) line(QString(), finding);
    tellLinks();
    tellGroups(static_cast<std::uint32_t>(found - m_data->ranks.begin()));
    if (!m_data->hang_found) tellProgress(*found);
  }
  if (!m_data->hang_mode) tellStages();
  m_html += QStringLiteral("</table>");
  if (m_label->text() != m_html) m_label->setText(m_html);
}

void TopologySide::tellRank(const TopologyRank& rank) {
  const TopologyMetric& metric = m_data->metric;
  head(tr("Rank %1").arg(rank.place.rank));
  const QString place = coordinateText(rank.place);
  line(tr("place"), place == kAbsentText ? tr("no coordinates") : place);
  line(tr("node"), rank.node.isEmpty() ? tr("not known") : rank.node);
  line(tr("GPU"), rank.gpu.isEmpty() ? tr("not known") : rank.gpu);
  if (rank.place.pid) line(tr("PID"), QString::number(*rank.place.pid));
  if (m_data->hang_mode) return;
  // Without "latest" or the steps, cut at the language's comma.
  line(TopologyText::tr(metric.title).section(QRegularExpression(QStringLiteral("[,，]")), 0, 0),
       rank.value ? valueText(metric, *rank.value) : tr("none: %1").arg(TopologyText::tr(metric.missing)));
  const auto stage = std::ranges::find(m_data->stages, rank.place.pp, &StageMedian::pp);
  if (stage != m_data->stages.end())
    line(tr("median of %1").arg(stageText(rank.place.pp)),
         tr("%1 over %2 ranks").arg(valueText(metric, stage->median), formatCount(static_cast<std::int64_t>(stage->ranks))));
  if (rank.value)
    line(tr("deviation"), rank.deviation ? deviationText(metric, *rank.deviation) : tr("no peers in its stage to compare with"));
}

void TopologySide::tellGroups(std::uint32_t index) {
  head(tr("Peers"));
  const auto peers = peersOf(*m_data, index);
  if (peers.empty()) line(QString(), tr("none known from coordinates or communicators"));
  for (const PeerGroup& group : peers) {
    std::vector<std::int32_t> ranks;
    for (const std::uint32_t i : group.ranks) ranks.push_back(m_data->ranks[i].place.rank);
    const QString name = tr("%1 of %2").arg(kindName(group.kind), QString::number(ranks.size()));
    m_html += QStringLiteral("<tr><td><span style='color:%1'>■</span> %2</td><td>%3</td></tr>")
                  .arg(peerColor(currentTheme(), group.kind).name(), name, rankRanges(ranks));
    m_plain += name + QLatin1Char('\t') + rankRanges(ranks) + QLatin1Char('\n');
  }
  const std::int32_t own = m_data->ranks[index].place.rank;
  std::vector<const CommGroup*> in;
  for (const CommGroup& group : m_data->groups)
    if (std::ranges::find(group.ranks, own) != group.ranks.end()) in.push_back(&group);
  if (in.empty()) return;
  std::ranges::stable_sort(in, std::greater{}, [](const CommGroup* group) { return group->ranks.size(); });
  head(tr("Communicators: %1").arg(formatCount(static_cast<std::int64_t>(in.size()))));
  // Groups of the same name and members are one line: some programs create a communicator for each purpose.
  std::map<std::pair<QString, QString>, int> lines;
  std::vector<std::pair<QString, QString>> order;
  for (const CommGroup* group : in) {
    QString name = screenText(group->name.empty() ? group->kind : group->name, 40);
    if (name.isEmpty()) name = tr("without a name");
    const std::pair entry{name, tr("%1: %2").arg(QString::number(group->ranks.size()), rankRanges(group->ranks))};
    if (lines[entry]++ == 0) order.push_back(entry);
  }
  for (std::size_t i = 0; i < std::min(order.size(), kMaxGroups); ++i) {
    // Long names have no break opportunity.
    const int times = lines[order[i]];
    line(QString(order[i].first).replace(QLatin1Char('_'), QStringLiteral("_\u200B")),
         order[i].second + (times > 1 ? QStringLiteral("  ×%1").arg(times) : QString()));
  }
  if (order.size() > kMaxGroups) line(QString(), tr("and %1 more").arg(order.size() - kMaxGroups));
}

// The source of the coordinates, and contradictions.
void TopologySide::tellPlaces() {
  head(tr("Layout"));
  for (const LayoutDimension dimension :
       {LayoutDimension::kDp, LayoutDimension::kPp, LayoutDimension::kTp, LayoutDimension::kCp, LayoutDimension::kEp}) {
    const DimensionPlaces& of = m_data->places.of(dimension);
    const QString name = QString::fromUtf8(dimensionName(dimension)).toUpper();
    if (of.placed == 0) {
      line(of.size > 0 ? tr("%1 of %2").arg(name).arg(of.size) : name, of.reason.empty() ? tr("not known") : phraseText(of.reason, 200));
      continue;
    }
    line(tr("%1 of %2").arg(name).arg(of.size),
         termText(placeSourceName(of.source)) + (of.reason.empty() ? QString() : QStringLiteral("; ") + phraseText(of.reason, 200)));
  }
  const auto& mismatches = m_data->places.mismatches;
  if (mismatches.empty()) return;
  head(tr("Contradictions: %1").arg(mismatches.size() + m_data->places.more_mismatches));
  for (std::size_t i = 0; i < std::min(mismatches.size(), kMaxGroups); ++i)
    line(screenText(mismatches[i].what, 60).replace(QLatin1Char('_'), QStringLiteral("_\u200B")),
         tr("expected %1, found %2").arg(screenText(mismatches[i].expected, 120), screenText(mismatches[i].found, 120)));
}

void TopologySide::setLinks(std::shared_ptr<const RankLinks> links) {
  if (m_links == links && m_links_trouble.isEmpty()) return;
  m_links = std::move(links);
  m_links_trouble.clear();
  if (m_data) fill();
}

void TopologySide::setLinksTrouble(const QString& trouble) {
  m_links.reset();
  m_links_trouble = trouble;
  if (m_data) fill();
}

void TopologySide::tellLinks() {
  if (!m_links_trouble.isEmpty()) {
    head(tr("Links"));
    return line(QString(), m_links_trouble);
  }
  if (!m_links || m_links->rank != m_rank) return;
  head(tr("Links: bus bandwidth"));
  for (const LinkGroup& group : m_links->groups)
    line(group.kind ? tr("%1 of %2").arg(kindName(*group.kind)).arg(group.ranks.size()) : group.name, linkText(group));
  for (const LinkEdge& edge : m_links->edges)
    if (edge.own && edge.bytes_per_s && (edge.from == m_rank || edge.to == m_rank))
      line(tr("rank %1 – %2").arg(edge.from).arg(edge.to), formatByteRate(*edge.bytes_per_s));
  if (m_links->groups.empty()) line(QString(), tr("no group of this rank is known"));
  if (!m_links->note.isEmpty()) line(QString(), m_links->note);
}

void TopologySide::tellProgress(const TopologyRank& rank) {
  head(tr("Progress"));
  if (!rank.progress) return line(QString(), tr("no report"));
  const Progress& p = *rank.progress;
  if (!m_data->hang_found && rank.wait == WaitState::kWaiting) line(tr("state"), tr("waits"));
  if (!m_data->hang_found && rank.wait == WaitState::kNotSeen) line(tr("state"), tr("not seen where the others wait"));
  if (!p.op.empty()) line(tr("in"), screenText(p.op, 80));
  if (p.seq) line(tr("sequence"), QStringLiteral("#%1").arg(*p.seq));
  if (p.group) {
    const auto group = std::ranges::find(m_data->groups, *p.group, &CommGroup::id);
    line(tr("of"), group != m_data->groups.end() && !group->name.empty()
                       ? screenText(group->name, 60).replace(QLatin1Char('_'), QStringLiteral("_\u200B"))
                       : tr("group %1").arg(*p.group));
  }
  if (p.step) line(tr("step"), formatCount(*p.step));
  if (!p.phase.empty()) line(tr("phase"), screenText(p.phase, 40));
  if (p.since)
    line(
        tr("since"),
        tr("%1, %2 before the newest word").arg(formatTime(*p.since, m_style), formatDuration(std::max<DurNs>(0, m_data->now - *p.since))));
  line(tr("last report"), formatTime(p.time, m_style));
}

void TopologySide::tellHang(const TopologyRank& rank) {
  head(tr("In the hang"));
  line(tr("state"), waitText(rank));
  if (!rank.behind.isEmpty())
    line(tr("instead"), rank.behind.startsWith(QChar(0x2212)) ? tr("%1 in its peers' sequence").arg(rank.behind) : rank.behind);
  tellProgress(rank);
  line(tr("stack top"), rank.stack_top.isEmpty() ? tr("no capture has it") : rank.stack_top);
  line(tr("last log line"), rank.last_log.isEmpty() ? tr("none of this rank") : rank.last_log);
}

void TopologySide::tellStages() {
  if (m_data->stages.empty()) return;
  head(tr("Medians"));
  for (std::size_t i = 0; i < std::min(m_data->stages.size(), kStagesListed); ++i) {
    const StageMedian& stage = m_data->stages[i];
    line(stageText(stage.pp),
         tr("%1 over %2 ranks").arg(valueText(m_data->metric, stage.median), formatCount(static_cast<std::int64_t>(stage.ranks))));
  }
  if (m_data->stages.size() > kStagesListed) line(QString(), tr("and %1 more").arg(m_data->stages.size() - kStagesListed));
}

AccessibleTable HeatScale::accessibleTable() const { return {.summary = m_data ? words() : QString(), .columns = {}}; }

}  // namespace runglass
