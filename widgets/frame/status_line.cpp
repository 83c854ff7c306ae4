// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/status_line.h"

#include <QHBoxLayout>
#include <QPainter>

#include "widgets/core/ink_label.h"

namespace runglass {
namespace {

constexpr int kHeight = kRowHeight + kGrid;

StatusItem sourceItem(const StatusFacts& facts) {
  if (facts.words) return {facts.words->text, facts.words->tip, facts.words->severity};
  const SourceStatus& source = facts.source;
  return {source.role.isEmpty() ? StatusLine::tr("no source") : source.role, StatusLine::tr("Where the data of this window comes from.")};
}

}  // namespace

std::vector<StatusItem> statusItems(const StatusFacts& facts) {
  const SourceStatus& source = facts.source;
  const std::optional<double> rate = source.samples_per_s ? source.samples_per_s : facts.samples_per_s;
  std::vector<StatusItem> items;
  items.push_back(sourceItem(facts));
  if (source.agents)
    items.push_back({StatusLine::tr("agents %1").arg(formatCount(*source.agents)), StatusLine::tr("Agents connected now.")});
  if (source.followed) {
    const std::optional<double>& line = source.followed->bytes_per_s;
    items.push_back({StatusLine::tr("line %1").arg(line ? formatByteRate(*line) : kAbsentText),
                     StatusLine::tr("Data received from the hub in the last second, compressed.")});
  } else {
    items.push_back({StatusLine::tr("ingest %1").arg(rate ? StatusLine::tr("%1 samples/s").arg(formatValue(*rate, "count")) : kAbsentText),
                     StatusLine::tr("Samples that arrived in the last seconds.")});
    items.push_back({StatusLine::tr("lag %1").arg(source.lag ? formatDuration(*source.lag) : kAbsentText),
                     StatusLine::tr("From the agent's reading to the store, newest batch; – where no hub runs in this process.")});
    items.push_back({StatusLine::tr("drops %1").arg(source.dropped ? formatCount(*source.dropped) : kAbsentText),
                     StatusLine::tr("Records that were lost on the way and counted; the view Data quality lists them.")});
  }
  items.push_back(
      {StatusLine::tr("store %1")
           .arg(facts.info ? formatBytes(static_cast<double>(facts.info->file_bytes + facts.info->journal_bytes)) : kAbsentText),
       facts.info ? screenText(facts.info->path) : QString()});
  items.push_back({StatusLine::tr("query %1").arg(facts.query_time > 0 ? formatDuration(facts.query_time) : kAbsentText),
                   StatusLine::tr("Duration of the newest answered query; %1 queued or running.").arg(facts.pending)});
  items.push_back({zoneName(facts.style), StatusLine::tr("Times are shown in this zone; Ctrl+U switches.")});
  return items;
}

StatusLine::StatusLine(QWidget* parent) : QWidget(parent) {
  setFixedHeight(kHeight);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(3 * kGrid, 0, 3 * kGrid, 0);
  row->setSpacing(5 * kGrid);
  row->addStretch(1);
}

void StatusLine::setItems(const std::vector<StatusItem>& items) {
  auto* row = static_cast<QHBoxLayout*>(layout());
  while (m_labels.size() < items.size()) {
    auto* label = new InkLabel(this);
    label->setFont(tableFont());
    row->insertWidget(static_cast<int>(m_labels.size()) + (m_labels.empty() ? 0 : 1), label);
    m_labels.push_back(label);
  }
  for (std::size_t i = 0; i < m_labels.size(); ++i) {
    m_labels[i]->setVisible(i < items.size());
    if (i >= items.size()) continue;
    const Severity severity = items[i].severity;
    m_labels[i]->setInk(severity > Severity::kInfo ? severityText(severity) : themeInk<&Theme::muted>());
    m_labels[i]->setText(severity > Severity::kInfo ? severityGlyph(severity) + u' ' + items[i].text : items[i].text);
    m_labels[i]->setToolTip(items[i].tip.toHtmlEscaped());
  }
}

void StatusLine::paintEvent(QPaintEvent*) {
  const Theme& t = currentTheme();
  QPainter painter(this);
  painter.fillRect(rect(), t.surface);
  painter.fillRect(QRect(0, 0, width(), kHairline), t.line);
}

}  // namespace runglass
