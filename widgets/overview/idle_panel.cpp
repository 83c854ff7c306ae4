// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/idle_panel.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "widgets/core/language.h"
#include "widgets/core/painted_text.h"
#include "widgets/core/run_words.h"
#include "widgets/core/sentence_text.h"
#include "widgets/core/units.h"
#include "widgets/overview/overview_data.h"
#include "widgets/overview/panel_sizes.h"

namespace runglass {
namespace {

constexpr int kBar = 8, kShare = 56, kCause = 190, kUnits = 88;
constexpr DurNs kAskAgain = 60 * kNsPerSecond;
constexpr DurNs kMinWindow = 100 * kNsPerUs;

QString unitWords(const IdleRow& row) {
  if (row.units_total == 0 || row.units == 0) return {};
  const bool one = row.units_total == 1;
  const QString text = row.unit == "rank"   ? (one ? OverviewText::tr("%1 of %2 rank") : OverviewText::tr("%1 of %2 ranks"))
                       : row.unit == "node" ? (one ? OverviewText::tr("%1 of %2 node") : OverviewText::tr("%1 of %2 nodes"))
                                            : (one ? OverviewText::tr("%1 of %2 device") : OverviewText::tr("%1 of %2 devices"));
  return text.arg(row.units).arg(row.units_total);
}

QString stepWords(const IdleAnswer& answer) {
  if (answer.steps == 0) return OverviewText::tr("of the time");
  if (answer.steps == 1) return OverviewText::tr("of step %1").arg(formatCount(answer.first_step.value_or(0)));
  return OverviewText::tr("of %1 steps, %2 to %3")
      .arg(formatCount(static_cast<std::int64_t>(answer.steps)), formatCount(answer.first_step.value_or(0)),
           formatCount(answer.last_step.value_or(0)));
}

}  // namespace

QColor idleCauseColor(const Theme& theme, IdleCause cause) {
  switch (cause) {
    case IdleCause::kCheckpoint:
      return theme.checkpoint;
    case IdleCause::kData:
      return theme.data_load;
    case IdleCause::kGc:
      return theme.gc;
    case IdleCause::kLogging:
      return mix(theme.gc, theme.ground, 0.45);
    case IdleCause::kSync:
      return theme.sync;
    case IdleCause::kAllocation:
      return mix(theme.sync, theme.ground, 0.45);
    case IdleCause::kCopyCall:
      return mix(theme.memcpy, theme.ground, 0.45);
    case IdleCause::kSmallKernels:
      return mix(theme.host, theme.text, 0.4);
    case IdleCause::kCpuSaturation:
    case IdleCause::kMemoryStall:
      return theme.warning;
    case IdleCause::kHostBound:
      return theme.host;
    case IdleCause::kLaunch:
      return mix(theme.host, theme.ground, 0.4);
    case IdleCause::kQueued:
      return mix(theme.host, theme.ground, 0.65);
    case IdleCause::kUnexplained:
      return theme.line;
    case IdleCause::kThermal:
    case IdleCause::kPowerCap:
      return theme.heat_worse;
  }
  return theme.line;
}

IdlePanel::IdlePanel(ViewContext context, QWidget* parent) : QWidget(parent), m_context(std::move(context)) {
  setFixedHeight(kHeight);
  setMouseTracking(true);
  setFocusPolicy(Qt::TabFocus);
  setAccessibleName(tr("GPU idle, explained"));
  m_settle.setSingleShot(true);
  m_settle.setInterval(kSettleMs);
  connect(&m_settle, &QTimer::timeout, this, [this] { ask(QueryService::Supersede::kCancelOlder); });
}

void IdlePanel::applyState(const ViewState& state) {
  const auto asksTheSame = [](const ViewState& a, const ViewState& b) {
    const bool fixed_a = a.window.mode == WindowMode::kFixed, fixed_b = b.window.mode == WindowMode::kFixed;
    return a.selection.run == b.selection.run && a.selection.attempt == b.selection.attempt && a.moment == b.moment && fixed_a == fixed_b &&
           (!fixed_a || a.window.range == b.window.range);
  };
  m_state = state;
  if (m_asked && asksTheSame(*m_asked, state)) return;
  const bool first = !m_asked;
  m_asked = state;
  if (first)
    ask(QueryService::Supersede::kCancelOlder);
  else
    m_settle.start();
}

void IdlePanel::refresh() {
  if (!m_asked || m_slot.busy() || m_settle.isActive() || monotonicNow() - m_read_at < kAskAgain) return;
  ask(QueryService::Supersede::kAfterCurrent);
}

void IdlePanel::ask(QueryService::Supersede supersede) {
  m_read_at = monotonicNow();
  IdleScope scope;
  if (m_state.window.mode == WindowMode::kFixed && m_state.window.range.t0 < m_state.window.range.t1) scope.time = m_state.window.range;
  m_context.submitAtPlayhead<IdleAnswer>(
      m_slot, supersede,
      [scope, selection = m_state.selection](const MomentReaders& readers, std::stop_token stop) -> Result<IdleAnswer> {
        Reader& reader = readers.then;
        RG_ASSIGN(const Run run, chooseRun(reader, selection.run));
        RG_ASSIGN(const auto attempts, reader.attempts(run.id));
        if (attempts.empty()) {
          IdleAnswer none;
          none.reason = words::Message{"idle_no_attempt", {}};
          return none;
        }
        const auto chosen = std::ranges::find(attempts, selection.attempt, &Attempt::id);
        return readIdleAnswer(reader, chosen == attempts.end() ? attempts.back() : *chosen, scope, std::move(stop));
      },
      [this](const Result<std::shared_ptr<const IdleAnswer>>& answer) { showAnswer(answer); });
}

void IdlePanel::showAnswer(const Result<std::shared_ptr<const IdleAnswer>>& answer) {
  m_shown = true;
  // A run that has not started is no failure; the next data triggers another query.
  const bool none_yet = answer.status().code() == Code::kNotFound;
  m_failed = answer.ok() || none_yet ? QString() : screenText(answer.status().message());
  if (answer.ok()) m_answer = *answer;
  if (!answer.ok()) m_read_at = 0;
  m_current = std::min(m_current, rowCount() - 1);
  QStringList words{headline()};
  for (int row = 0; row < rowCount(); ++row) words << termText(idleCauseWords(m_answer->rows[static_cast<std::size_t>(row)].cause));
  setAccessibleDescription(words.join(QStringLiteral("; ")));
  update();
}

QString IdlePanel::headline() const {
  if (!m_failed.isEmpty()) return tr("GPU idle: could not be read: %1").arg(m_failed);
  if (!m_answer) return tr("GPU idle …");
  if (!m_answer->ok) return tr("GPU idle: not recorded");
  const QString idle = formatPercent(m_answer->idle_share), steps = stepWords(*m_answer), basis = sentenceText(m_answer->basis_words);
  const auto waits = m_answer->busy.comm_wait;
  // The numbers first: where there is little room, the end is elided.
  return waits && *waits >= kNoticed
             ? tr("GPU idle, explained: %1, waiting for peers %2, %3 (%4)").arg(idle, formatPercent(*waits), steps, basis)
             : tr("GPU idle, explained: %1 %2 (%3)").arg(idle, steps, basis);
}

int IdlePanel::rowCount() const { return m_answer && m_answer->ok ? std::min(kMaxRows, static_cast<int>(m_answer->rows.size())) : 0; }

QRect IdlePanel::rowRect(int row) const { return {0, kPanelHead + kBar + kGrid + row * kPanelLine, width(), kPanelLine}; }

int IdlePanel::rowAt(const QPoint& place) const {
  for (int row = 0; row < rowCount(); ++row)
    if (rowRect(row).contains(place)) return row;
  return -1;
}

// With a margin of the same length on both sides, for the time before and after.
std::optional<TimeRange> IdlePanel::placeOf(const IdleRow& row) const {
  const auto range = row.when ? row.when : m_answer->when;
  if (!range || range->t0 >= range->t1) return std::nullopt;
  const DurNs beside = std::clamp<DurNs>(range->t1 - range->t0, kMinWindow, 3600 * kNsPerSecond);
  return TimeRange{range->t0 - beside, range->t1 + beside};
}

void IdlePanel::openRow(int row) {
  if (row < 0 || row >= rowCount()) return;
  const IdleRow& chosen = m_answer->rows[static_cast<std::size_t>(row)];
  const auto place = placeOf(chosen);
  if (!place) return;
  Selection selection = m_context.state->state().selection;
  if (chosen.rank) selection.rank = chosen.rank;
  if (chosen.node) selection.node = chosen.node;
  if (chosen.device) selection.device = chosen.device;
  m_context.state->select(selection);
  m_context.state->setWindow(*place);
  emit viewRequested(QStringLiteral("timeline"));
}

QString IdlePanel::copyText() const {
  if (!m_answer || !m_answer->ok) return {};
  QString text = QStringLiteral("cause\tshare\tevidence\n");
  for (const IdleRow& row : m_answer->rows)
    text += QString::fromUtf8(idleCauseName(row.cause)) + QLatin1Char('\t') + (row.share ? fullNumber(*row.share) : QString()) +
            QLatin1Char('\t') + sentenceText(row.evidence) + QLatin1Char('\n');
  return text;
}

AccessibleTable IdlePanel::accessibleTable() const {
  AccessibleTable table{.summary = headline(), .columns = {tr("cause"), tr("share of step time"), tr("evidence")}};
  for (int i = 0; i < rowCount(); ++i) {
    const IdleRow& row = m_answer->rows[static_cast<std::size_t>(i)];
    table.rows.push_back(
        {{termText(idleCauseWords(row.cause)), row.share ? formatPercent(*row.share) : QString(), sentenceText(row.evidence)}, rowRect(i)});
  }
  return table;
}

QString IdlePanel::missingWords() const {
  QStringList causes;
  for (const IdleNotRecorded& one : m_answer->not_recorded)
    if (one.cause != IdleCause::kUnexplained) causes << termText(idleCauseWords(one.cause));
  return causes.isEmpty() ? QString() : tr("not recorded: %1").arg(causes.join(QStringLiteral(", ")));
}

void IdlePanel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paintAnswer(painter);
  paintFocusRing(painter, *this, rect());
}

void IdlePanel::paintAnswer(QPainter& painter) {
  const Theme& theme = currentTheme();
  painter.fillRect(rect(), theme.surface);
  painter.setFont(textFont());
  painter.setPen(m_failed.isEmpty() ? theme.text : severityInk(theme, Severity::kError));
  const QRect head(kPanelPad, 0, width() - 2 * kPanelPad, kPanelHead);
  painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, painter.fontMetrics().elidedText(headline(), Qt::ElideRight, head.width()));
  painter.setFont(tableFont());
  if (!m_answer) return;
  if (!m_answer->ok) {
    const QString reason = sentenceText(m_answer->reason);
    painter.setPen(theme.muted);
    painter.drawText(
        QRect(kPanelPad, kPanelHead, width() - 2 * kPanelPad, height() - kPanelHead - kPanelPad),
        Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
        tr("%1. A PyTorch profiler trace, an Nsight Systems export, exact steps of the CUDA tracer, parts of steps from the client or "
           "an agent's GPU metrics would show it.")
            .arg(reason.left(1).toUpper() + reason.mid(1)));
    return;
  }
  paintBar(painter, QRect(kPanelPad, kPanelHead, width() - 2 * kPanelPad, kBar));
  for (int row = 0; row < rowCount(); ++row) paintRow(painter, row);
  QStringList below;
  if (const int more = static_cast<int>(m_answer->rows.size()) - rowCount(); more > 0) below << tr("%n more", nullptr, more);
  if (const QString missing = missingWords(); !missing.isEmpty()) below << missing;
  painter.setPen(theme.muted);
  const QRect last = rowRect(rowCount()).adjusted(kPanelPad, 0, -kPanelPad, 0);
  const QString rest = below.join(QStringLiteral(" · "));
  if (const QRect room(last.left(), last.top(), last.width(), height() - last.top() - kGrid); room.height() >= 2 * kPanelLine)
    painter.drawText(room, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, inLines(painter.fontMetrics(), rest, room));
  else
    painter.drawText(last, Qt::AlignLeft | Qt::AlignVCenter, painter.fontMetrics().elidedText(rest, Qt::ElideRight, last.width()));
}

// The whole step: work first, then the causes of the device's waiting.
void IdlePanel::paintBar(QPainter& painter, const QRect& rect) const {
  const Theme& theme = currentTheme();
  painter.fillRect(rect, theme.ground);
  double from = 0;
  const auto piece = [&](double share, const QColor& color) {
    const int x0 = rect.left() + static_cast<int>(rect.width() * std::min(1.0, from));
    from += std::max(0.0, share);
    const int x1 = rect.left() + static_cast<int>(rect.width() * std::min(1.0, from));
    if (x1 > x0) painter.fillRect(QRect(x0, rect.top(), x1 - x0, rect.height()), color);
  };
  const BusyShares& busy = m_answer->busy;
  if (busy.compute) {
    piece(*busy.compute, theme.compute);
    piece(busy.comm.value_or(0), theme.communication);
    piece(busy.comm_wait.value_or(0), mix(theme.communication, theme.ground, 0.5));
    piece(busy.copy.value_or(0), theme.memcpy);
  } else {
    piece(1 - m_answer->idle_share, mix(theme.compute, theme.ground, 0.35));
  }
  from = std::max(from, 1 - m_answer->idle_share);
  for (const IdleRow& row : m_answer->rows)
    if (!isSlowNotIdle(row.cause)) piece(row.share.value_or(0), idleCauseColor(theme, row.cause));
}

// No wider than the names need, to leave room for the evidence.
int IdlePanel::causeWidth(const QFontMetrics& metrics) const {
  int wide = 0;
  for (int i = 0; i < rowCount(); ++i)
    wide = std::max(wide, metrics.horizontalAdvance(termText(idleCauseWords(m_answer->rows[static_cast<std::size_t>(i)].cause))));
  return std::min(wide + kGrid, kCause);
}

bool IdlePanel::tellsUnits() const {
  return std::ranges::any_of(m_answer->rows, [](const IdleRow& row) { return !unitWords(row).isEmpty(); });
}

void IdlePanel::paintRow(QPainter& painter, int index) const {
  const Theme& theme = currentTheme();
  const IdleRow& row = m_answer->rows[static_cast<std::size_t>(index)];
  const QRect rect = rowRect(index);
  if (index == m_hovered || (hasFocus() && index == m_current)) painter.fillRect(rect, index == m_hovered ? theme.raised : theme.selection);
  painter.fillRect(QRect(kPanelPad, rect.top() + 3, kSwatch, kSwatch), idleCauseColor(theme, row.cause));
  const QFontMetrics metrics = painter.fontMetrics();
  int left = kPanelPad + kSwatch + 6;
  const auto cell = [&](int wide, Qt::Alignment align, const QColor& color, const QString& text) {
    painter.setPen(color);
    painter.drawText(QRect(left, rect.top(), wide, rect.height()), align | Qt::AlignVCenter,
                     metrics.elidedText(text, Qt::ElideRight, wide));
    left += wide + kPanelPad;
  };
  const bool unexplained = row.cause == IdleCause::kUnexplained;
  cell(causeWidth(metrics), Qt::AlignLeft, unexplained ? theme.muted : theme.text, termText(idleCauseWords(row.cause)));
  cell(kShare, Qt::AlignRight, row.share ? theme.text : theme.muted, row.share ? formatPercent(*row.share) : kAbsentText);
  const int room = width() - left - kPanelPad;
  if (room > 3 * kUnits && tellsUnits()) cell(kUnits, Qt::AlignLeft, theme.muted, unitWords(row));
  cell(std::max(0, width() - left - kPanelPad), Qt::AlignLeft, theme.muted,
       isSlowNotIdle(row.cause) ? tr("slow, not idle: %1").arg(sentenceText(row.evidence)) : sentenceText(row.evidence));
}

bool IdlePanel::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !m_answer || !m_answer->ok) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QStringList lines;
  if (const int row = rowAt(help->pos()); row >= 0) {
    const IdleRow& chosen = m_answer->rows[static_cast<std::size_t>(row)];
    lines << termText(idleCauseWords(chosen.cause)) + QStringLiteral(": ") + sentenceText(chosen.evidence, 1'000);
    if (chosen.first_step)
      lines << tr("noticeable in steps %1 to %2")
                   .arg(formatCount(*chosen.first_step), formatCount(chosen.last_step.value_or(*chosen.first_step)));
    if (const char* remedy = idleRemedy(chosen.cause); *remedy != '\0') lines << termText(remedy);
    lines << tr("confidence %1").arg(formatPercent(chosen.confidence, 0));
    if (placeOf(chosen)) lines << tr("Click: its longest stretch in the timeline");
  } else {
    lines << headline();
    for (std::size_t i = static_cast<std::size_t>(rowCount()); i < m_answer->rows.size(); ++i)
      lines << termText(idleCauseWords(m_answer->rows[i].cause)) + QLatin1Char(' ') +
                   (m_answer->rows[i].share ? formatPercent(*m_answer->rows[i].share) : kAbsentText);
    for (const IdleNotRecorded& one : m_answer->not_recorded)
      lines << tr("not recorded: %1: %2").arg(termText(idleCauseWords(one.cause)), sentenceText(one.why));
  }
  QToolTip::showText(help->globalPos(), lines.join(QLatin1Char('\n')).toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>")),
                     this);
  return true;
}

void IdlePanel::mousePressEvent(QMouseEvent* event) {
  const int row = rowAt(event->pos());
  if (row >= 0) m_current = row, openRow(row);
}

void IdlePanel::mouseMoveEvent(QMouseEvent* event) {
  const int row = rowAt(event->pos());
  setCursor(row >= 0 && placeOf(m_answer->rows[static_cast<std::size_t>(row)]) ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (row == m_hovered) return;
  m_hovered = row;
  update();
}

void IdlePanel::leaveEvent(QEvent*) {
  m_hovered = -1;
  update();
}

void IdlePanel::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up) {
    m_current = std::clamp(m_current + (event->key() == Qt::Key_Down ? 1 : -1), 0, std::max(0, rowCount() - 1));
    update();
  } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    openRow(m_current);
  } else {
    QWidget::keyPressEvent(event);
  }
}

}  // namespace runglass
