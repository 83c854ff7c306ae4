// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/run_strip.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <numeric>

#include "analysis/run_summary/open_finding.h"
#include "widgets/core/language.h"
#include "widgets/core/theme.h"

namespace runglass {
namespace {

constexpr int kItemGap = 5 * kGrid;
constexpr double kNoticeable = 0.05;  // a loss of throughput below this is within the noise of a shared cluster

StripItem stateItem(const RunSummary& run, TimeNs now) {
  const StateWord state = stateWord(run, now);
  StripItem item{QString(), termText(state.word),
                 RunStrip::tr("As the run says; silent: it calls itself running, but nothing arrived for 15 s."), state.severity};
  if (run.run.time_domain != TimeDomain::kUtc) return item;
  std::optional<TimeNs> since = run.run.state == RunState::kRunning ? run.run.start : run.run.end;
  if (std::string_view(state.word) == "silent") since = run.last_data;
  if (since && now >= *since) item.value += u' ' + formatAge(now - *since);
  return item;
}

StripItem runItem(const RunSummary& run) {
  QString name = screenText(run.run.name, 48);
  if (!run.attempts.empty()) name += QStringLiteral(" / %1").arg(run.attempts.back().number);
  if (run.run.simulated) name = RunStrip::tr("%1 (simulated)").arg(name);
  return {QString(), name, RunStrip::tr("Run / attempt. %1").arg(screenText(run.run.name)), Severity::kInfo};
}

StripItem throughputItem(const RunSummary& run) {
  const Throughput& throughput = run.throughput;
  StripItem item{RunStrip::tr("throughput"), throughputText(throughput), throughputWhy(throughput), Severity::kInfo};
  if (throughput.change) {
    item.value += u' ' + formatSignedPercent(*throughput.change);
    if (*throughput.change < -kNoticeable) item.severity = Severity::kWarning;
  }
  return item;
}

StripItem nodesItem(const RunSummary& run) {
  StripItem item{RunStrip::tr("nodes"), kAbsentText, RunStrip::tr("No node is known for this run."), Severity::kInfo};
  if (run.nodes_total == 0) return item;
  item.value = QStringLiteral("%1 / %2").arg(formatCount(run.nodes_heard), formatCount(run.nodes_total));
  item.tip = RunStrip::tr("Nodes that reported within the last 15 s, of all nodes of the run.");
  if (run.run.state == RunState::kRunning && run.nodes_heard < run.nodes_total) item.severity = Severity::kWarning;
  return item;
}

StripItem checkpointItem(const RunSummary& run, TimeNs now) {
  StripItem item{RunStrip::tr("checkpoint"), kAbsentText, RunStrip::tr("No durable checkpoint is known."), Severity::kInfo};
  if (!run.checkpoint) return item;
  const bool wall = run.run.time_domain == TimeDomain::kUtc && run.run.state == RunState::kRunning;
  item.value = wall ? formatAge(now - *run.checkpoint->durable) : RunStrip::tr("step %1").arg(formatCount(run.checkpoint->step));
  item.tip = RunStrip::tr("The newest durable checkpoint: step %1").arg(formatCount(run.checkpoint->step));
  return item;
}

StripItem findingsItem(const RunSummary& run) {
  StripItem item{RunStrip::tr("findings"), RunStrip::tr("none"), RunStrip::tr("Findings of the analyses by severity."), Severity::kInfo};
  const int all = std::accumulate(run.findings.begin(), run.findings.end(), 0);
  if (all == 0) return item;
  QStringList parts;
  const OpenCount open = openCount(run.open_findings);
  for (const auto& [severity, count] : open.by_severity) parts += RunStrip::tr("%1 %2").arg(formatCount(count), severityLabel(severity));
  item.value = parts.isEmpty() ? RunStrip::tr("none open") : parts.join(RunStrip::tr(", "));
  item.tip = RunStrip::tr("Open findings of severity warning and above, as in the window's title; all findings, ended ones included: %1.")
                 .arg(formatCount(all));
  item.severity = open.worst;
  item.view = QStringLiteral("findings");
  return item;
}

StripItem dataAgeItem(const RunSummary& run, TimeNs now, TimeStyle style) {
  StripItem item{RunStrip::tr("data"), kAbsentText, RunStrip::tr("The source has no clock."), Severity::kInfo};
  if (!run.last_data) return item;
  const bool wall = run.run.time_domain == TimeDomain::kUtc;
  item.value = wall ? formatAge(now - *run.last_data) : formatTime(*run.last_data, TimeStyle::kRelative);
  if (wall && now - *run.last_data >= kNsPerSecond) item.value = RunStrip::tr("%1 old").arg(item.value);
  item.tip = RunStrip::tr("Newest sample of this run: %1").arg(formatTimeFull(*run.last_data, wall ? style : TimeStyle::kRelative));
  return item;
}

// A severity's shape, or empty for info.
QString mark(Severity severity) { return severity > Severity::kInfo ? severityGlyph(severity) + u' ' : QString(); }

}  // namespace

std::vector<StripItem> stripItems(const RunSummary& run, TimeNs now, TimeStyle style) {
  return {
      stateItem(run, now),
      runItem(run),
      {RunStrip::tr("step"), run.last_step ? formatCount(*run.last_step) : kAbsentText,
       RunStrip::tr("The largest step of the newest attempt."), Severity::kInfo},
      {RunStrip::tr("loss"), run.loss ? formatNumber(*run.loss) : kAbsentText,
       run.loss ? RunStrip::tr("Newest point of \"%1\", unsmoothed.").arg(screenText(run.loss_tag, 80)) : screenText(run.no_loss, 300),
       run.loss && !std::isfinite(*run.loss) ? Severity::kError : Severity::kInfo},
      throughputItem(run),
      nodesItem(run),
      findingsItem(run),
      checkpointItem(run, now),
      dataAgeItem(run, now, style),
  };
}

std::vector<StripItem> withDamage(std::vector<StripItem> items, std::span<const Issue> damage) {
  if (damage.empty()) return items;
  std::int64_t count = 0;
  for (const Issue& issue : damage) count += issue.count;
  items.insert(items.begin() + std::min<std::ptrdiff_t>(2, std::ssize(items)),
               {RunStrip::tr("damaged"), RunStrip::tr("%n chunk(s) left out", nullptr, static_cast<int>(count)),
                screenText(damage.front().detail, 400), Severity::kError, QStringLiteral("data_quality")});
  return items;
}

RunStrip::RunStrip(QWidget* parent) : QWidget(parent) {
  setFixedHeight(kStripHeight);
  setMouseTracking(true);
  setAccessibleName(RunStrip::tr("Run strip"));
}

void RunStrip::setItems(std::vector<StripItem> items) {
  m_items = std::move(items);
  m_message.clear();
  QString spoken;
  for (const StripItem& item : m_items) spoken += item.caption + u' ' + item.value + QStringLiteral("; ");
  setAccessibleDescription(spoken);
  update();
}

void RunStrip::setPast(bool past) {
  if (past == m_past) return;
  m_past = past;
  update();
}

void RunStrip::setMessage(const QString& message) {
  m_items.clear();
  m_message = message;
  setAccessibleDescription(message);
  update();
}

QSize RunStrip::sizeHint() const { return {100 * kGrid, kStripHeight}; }

void RunStrip::paintEvent(QPaintEvent*) {
  const Theme& t = currentTheme();
  QPainter painter(this);
  painter.fillRect(rect(), m_past ? mix(t.surface, t.accent, kPastTint) : t.surface);
  painter.fillRect(QRect(0, height() - kHairline, width(), kHairline), t.line);
  painter.setFont(textFont());
  const QFontMetrics metrics(textFont());
  m_places.clear();
  int x = 3 * kGrid;
  const auto text = [&](const QString& words, const QColor& ink) {
    painter.setPen(ink);
    const int width = metrics.horizontalAdvance(words);
    painter.drawText(QRect(x, 0, width + 1, height()), Qt::AlignVCenter | Qt::AlignLeft | Qt::TextDontClip, words);
    x += width;
  };
  if (m_items.empty()) {
    text(m_message, t.muted);
    return;
  }
  for (const StripItem& item : m_items) {
    const QString caption = item.caption.isEmpty() ? QString() : item.caption + u' ';
    const int needed = metrics.horizontalAdvance(mark(item.severity) + caption + item.value);
    if (x + needed > width() - 2 * kGrid) break;
    const int begin = x;
    text(mark(item.severity), severityColor(t, item.severity));
    text(caption, t.muted);
    const bool link = !item.view.isEmpty();
    if (link && item.view == m_hovered) {
      QFont under = textFont();
      under.setUnderline(true);
      painter.setFont(under);
    }
    text(item.value, link ? t.accent : t.text);
    painter.setFont(textFont());
    m_places.emplace_back(begin, 0, x - begin, height());
    x += kItemGap;
  }
}

const StripItem* RunStrip::linkAt(QPoint at) const {
  for (std::size_t i = 0; i < m_places.size() && i < m_items.size(); ++i)
    if (m_places[i].contains(at) && !m_items[i].view.isEmpty()) return &m_items[i];
  return nullptr;
}

QRect RunStrip::placeOf(const QString& caption) const {
  for (std::size_t i = 0; i < m_places.size() && i < m_items.size(); ++i)
    if (m_items[i].caption == caption) return m_places[i];
  return {};
}

void RunStrip::hover(const StripItem* link) {
  const QString view = link != nullptr ? link->view : QString();
  if (view == m_hovered) return;
  m_hovered = view;
  if (link != nullptr)
    setCursor(Qt::PointingHandCursor);
  else
    unsetCursor();
  update();
}

void RunStrip::mouseMoveEvent(QMouseEvent* event) { hover(linkAt(event->position().toPoint())); }

void RunStrip::leaveEvent(QEvent*) { hover(nullptr); }

void RunStrip::mouseReleaseEvent(QMouseEvent* event) {
  const StripItem* link = linkAt(event->position().toPoint());
  if (link != nullptr && event->button() == Qt::LeftButton) emit viewRequested(QString(link->view));
}

bool RunStrip::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  for (std::size_t i = 0; i < m_places.size(); ++i) {
    if (!m_places[i].contains(help->pos())) continue;
    QToolTip::showText(help->globalPos(), m_items[i].tip.toHtmlEscaped(), this, m_places[i]);
    return true;
  }
  QToolTip::hideText();
  return true;
}

}  // namespace runglass
