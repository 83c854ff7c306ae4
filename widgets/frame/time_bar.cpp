// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: m_pressed is set only while the button that pressed here is down; m_scrubbing once the mouse has moved from there: a click
// never leaves the present.
#include "widgets/frame/time_bar.h"

#include <QApplication>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "widgets/charts/playhead_line.h"
#include "widgets/core/finding_span.h"
#include "widgets/core/icon.h"
#include "widgets/core/theme.h"

namespace runglass {
namespace {

constexpr int kWhole = 7 * kGrid, kSlim = 3 * kGrid;  // heights
constexpr int kPlayFrom = 1'000;                      // minimum widths for the play button
constexpr double kBandInk = 0.55;                     // opacity of every other attempt
constexpr double kWordsShare = 0.42;                  // of the bar, at most
constexpr double kMarkReach = 4;                      // hit distance of the mouse, in pixels
constexpr std::array<int, 3> kSpeeds = {1, 10, 60};

// Drawing order and height in tenths.
int heightOf(const RunMark& mark) {
  if (mark.kind == MarkKind::kCheckpoint || mark.kind == MarkKind::kNote) return 3;
  if (mark.kind == MarkKind::kAttempt || mark.kind == MarkKind::kIncident) return 10;
  return mark.severity >= Severity::kError ? 8 : mark.severity == Severity::kWarning ? 6 : 4;
}

QColor inkOf(const RunMark& mark, const Theme& theme) {
  switch (mark.kind) {
    case MarkKind::kCheckpoint:
      return theme.checkpoint;
    case MarkKind::kNote:
      return theme.accent;
    case MarkKind::kAttempt:
      return theme.muted;
    default:
      return severityColor(theme, mark.severity);
  }
}

}  // namespace

BarTrack::BarTrack(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setCursor(Qt::PointingHandCursor);
  setMinimumWidth(30 * kGrid);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAccessibleName(tr("Time of the run"));
}

void BarTrack::setData(std::shared_ptr<const RunMarks> data) {
  m_data = std::move(data);
  update();
}

void BarTrack::setExtent(std::optional<TimeRange> extent) {
  if (extent == m_extent) return;
  m_extent = extent;
  update();
}

void BarTrack::setMoment(std::optional<TimeNs> moment) {
  m_moment = moment;
  update();
}

XMap BarTrack::map() const { return {m_extent->t0, m_extent->t1, 0, static_cast<double>(std::max(1, width() - 1))}; }

TimeNs BarTrack::timeAt(double pixel) const { return std::clamp(map().fromPixel(pixel), m_extent->t0, m_extent->t1 - 1); }

const RunMark* BarTrack::markAt(double pixel) const {
  const RunMark* best = nullptr;
  if (!m_data || !m_extent) return best;
  const XMap x = map();
  const auto away = [&](const RunMark& mark) { return std::abs(x.toPixel(mark.time) - pixel); };
  // The most important mark within reach.
  for (const RunMark& mark : m_data->marks)
    if (away(mark) <= kMarkReach &&
        (best == nullptr || heightOf(mark) > heightOf(*best) || (heightOf(mark) == heightOf(*best) && away(mark) < away(*best))))
      best = &mark;
  return best;
}

void BarTrack::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.ground);
  if (!m_extent) return;
  const XMap x = map();
  if (m_data) {
    for (std::size_t i = 0; i < m_data->attempts.size(); ++i) {
      const TimeRange range = m_data->attempts[i].range;
      const double left = std::max(0.0, x.toPixel(std::max(range.t0, m_extent->t0))), right = x.toPixel(std::min(range.t1, m_extent->t1));
      if (right > left)
        painter.fillRect(QRectF(left, 0, right - left, height()), i % 2 == 0 ? mix(theme.ground, theme.line, kBandInk) : theme.line);
    }
    paintSpans(painter, x);
    paintMarks(painter, x);
  }
  if (!m_moment) return;
  QColor later = theme.ground;  // not recorded yet at the moment
  later.setAlphaF(0.55F);
  const double at = std::clamp(x.toPixel(std::clamp(*m_moment, m_extent->t0, m_extent->t1)), 0.0, x.width);
  painter.fillRect(QRectF(at, 0, width() - at, height()), later);
  paintPlayhead(painter, x, std::clamp(*m_moment, m_extent->t0, m_extent->t1), 0, height());
}

// Findings last: a line along the bar's lower edge, the most severe on top.
void BarTrack::paintSpans(QPainter& painter, const XMap& x) const {
  TopColumns columns(0, width());
  for (const Severity severity : {Severity::kWarning, Severity::kError, Severity::kCritical})
    for (const RunMark& mark : m_data->marks) {
      if (mark.kind != MarkKind::kFinding || mark.severity != severity || mark.time > m_extent->t1 || mark.end < m_extent->t0) continue;
      columns.add(x.toPixel(std::max(mark.time, m_extent->t0)), x.toPixel(std::min(mark.end, m_extent->t1)),
                  static_cast<std::size_t>(severity));
    }
  paintFindingLine(painter, columns, height() - kFindingSpanPx);
}

// One mark per pixel, the tallest; a run of weeks has more marks than pixels.
void BarTrack::paintMarks(QPainter& painter, const XMap& x) const {
  std::vector<const RunMark*> shown(static_cast<std::size_t>(width()), nullptr);
  for (const RunMark& mark : m_data->marks) {
    if (mark.time < m_extent->t0 || mark.time > m_extent->t1) continue;
    const auto at = static_cast<std::size_t>(std::clamp(x.toPixel(mark.time), 0.0, width() - 1.0));
    const RunMark*& one = shown[at];
    if (one == nullptr || heightOf(mark) > heightOf(*one) || (heightOf(mark) == heightOf(*one) && mark.severity > one->severity))
      one = &mark;
  }
  for (std::size_t at = 0; at < shown.size(); ++at) {
    if (shown[at] == nullptr) continue;
    const int tall = std::max(2, height() * heightOf(*shown[at]) / 10), wide = shown[at]->kind == MarkKind::kIncident ? 3 : 2;
    painter.fillRect(QRect(static_cast<int>(at) - wide / 2, height() - tall, wide, tall), inkOf(*shown[at], currentTheme()));
  }
}

void BarTrack::mousePressEvent(QMouseEvent* event) {
  if (!m_extent || event->button() != Qt::LeftButton) return;
  m_pressed = event->position().x();
}

void BarTrack::mouseMoveEvent(QMouseEvent* event) {
  if (!m_pressed || !m_extent) return;
  m_scrubbing |= std::abs(event->position().x() - *m_pressed) >= QApplication::startDragDistance();
  if (!m_scrubbing) return;
  const RunMark* mark = markAt(event->position().x());
  emit scrubbed(mark != nullptr ? mark->time : timeAt(event->position().x()));
}

void BarTrack::mouseReleaseEvent(QMouseEvent*) {
  m_pressed.reset();
  if (std::exchange(m_scrubbing, false)) emit scrubEnded();
}

AccessibleTable BarTrack::accessibleTable() const {
  AccessibleTable table{.summary = m_moment ? formatTime(*m_moment, m_style) : QString(), .columns = {tr("time"), tr("what")}};
  if (!m_data || !m_extent) return table;
  for (const RunMark& mark : m_data->marks)
    if (isNews(mark)) table.rows.push_back({{formatTime(mark.time, m_style), mark.text}});
  return table;
}

bool BarTrack::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !m_extent) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const RunMark* mark = markAt(help->pos().x());
  QString text = formatTime(mark != nullptr ? mark->time : timeAt(help->pos().x()), m_style);
  if (mark != nullptr) text += u'\n' + mark->text;
  QToolTip::showText(help->globalPos(), text.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")), this);
  return true;
}

void MomentLabel::setText(const QString& text) {
  if (text == m_text) return;
  m_text = text;
  setToolTip(text.toHtmlEscaped());
  setAccessibleName(text);
  setVisible(!text.isEmpty());
  updateGeometry();
  update();
}

QSize MomentLabel::sizeHint() const { return {QFontMetrics(textFont()).horizontalAdvance(m_text) + 5 * kGrid, kWhole - 2 * kGrid}; }

QSize MomentLabel::minimumSizeHint() const { return {20 * kGrid, kWhole - 2 * kGrid}; }

void MomentLabel::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setFont(textFont());
  painter.fillRect(rect(), theme.accent);
  painter.setPen(contrastRatio(theme.ground, theme.accent) > contrastRatio(theme.text, theme.accent) ? theme.ground : theme.text);
  const QRect room = rect().adjusted(2 * kGrid, 0, -2 * kGrid, 0);
  const QFontMetrics metrics(textFont());
  const bool fits = metrics.horizontalAdvance(m_text) <= room.width();
  painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft, fits ? m_text : metrics.elidedText(m_text, Qt::ElideRight, room.width()));
}

TimeBar::TimeBar(QWidget* parent)
    : QWidget(parent),
      m_track(new BarTrack(this)),
      m_words(new MomentLabel(this)),
      m_now(new QToolButton(this)),
      m_play(new QToolButton(this)),
      m_speed(new QComboBox(this)) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  auto* row = new QHBoxLayout(this);
  row->setSpacing(kGrid);
  const auto button = [&](const char* picture, const QString& tip, auto signal, int by) {
    auto* push = new QToolButton(this);
    push->setIcon(icon(QString::fromLatin1(picture)));
    push->setToolTip(tip);
    push->setAccessibleName(tip);
    connect(push, &QToolButton::clicked, this, [this, signal, by] { emit(this->*signal)(by); });
    m_buttons.push_back(push);
    row->addWidget(push);
  };
  button("event_back", tr("Previous event or finding (Shift+N)"), &TimeBar::jumpWanted, -1);
  button("step_back", tr("End of the previous step (Ctrl+Left)"), &TimeBar::stepWanted, -1);
  button("step_forward", tr("End of the next step (Ctrl+Right)"), &TimeBar::stepWanted, 1);
  button("event_forward", tr("Next event or finding (N)"), &TimeBar::jumpWanted, 1);
  setPlaying(false);
  connect(m_play, &QToolButton::clicked, this, &TimeBar::playWanted);
  for (const int speed : kSpeeds) m_speed->addItem(QStringLiteral("%1×").arg(speed), speed);
  m_speed->setCurrentIndex(1);
  m_speed->setAccessibleName(tr("Speed"));
  m_now->setIcon(icon(QStringLiteral("now")));
  m_now->setText(tr("Now"));
  m_now->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  m_now->setToolTip(tr("Back to now (End)"));
  connect(m_now, &QToolButton::clicked, this, &TimeBar::nowWanted);
  for (QWidget* part : std::initializer_list<QWidget*>{m_play, m_speed, m_track, m_words, m_now}) row->addWidget(part);
  row->setStretchFactor(m_track, 1);
  for (QToolButton* push : m_buttons) push->setFocusPolicy(Qt::NoFocus);
  for (QWidget* part : std::initializer_list<QWidget*>{m_play, m_speed, m_now}) part->setFocusPolicy(Qt::NoFocus);
  for (QWidget* part : findChildren<QWidget*>()) part->setFont(tableFont());
  m_words->hide();
  m_now->hide();
  place();
}

void TimeBar::setWords(const QString& words, bool past) {
  m_words->setText(words);
  m_past = past;
  place();
  update();
}

void TimeBar::setSlim(bool slim) {
  if (slim == m_slim) return;
  m_slim = slim;
  place();
}

void TimeBar::setPlaying(bool playing) {
  m_play->setIcon(icon(playing ? QStringLiteral("pause") : QStringLiteral("play")));
  m_play->setToolTip(playing ? tr("Stop (Shift+Space)") : tr("Play at the selected speed (Shift+Space)"));
  m_play->setAccessibleName(m_play->toolTip());
}

double TimeBar::speed() const { return m_speed->currentData().toDouble(); }

void TimeBar::place() {
  setFixedHeight(m_slim ? kSlim : kWhole);
  const int edge = m_slim ? kGrid / 2 : kGrid;
  layout()->setContentsMargins(m_slim ? 0 : 2 * kGrid, edge, m_slim ? 0 : 2 * kGrid, edge);
  const bool roomy = !m_slim && width() >= kPlayFrom;
  for (QToolButton* push : m_buttons) push->setVisible(!m_slim);
  m_play->setVisible(roomy);
  m_speed->setVisible(roomy);
  m_now->setVisible(!m_slim && m_past);
  m_words->setMaximumWidth(std::max(20 * kGrid, static_cast<int>(width() * kWordsShare)));
}

void TimeBar::resizeEvent(QResizeEvent*) { place(); }

void TimeBar::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.fillRect(rect(), m_past ? mix(theme.surface, theme.accent, kPastTint) : theme.surface);
  painter.fillRect(QRect(0, height() - (m_past ? kSelectionLine : kHairline), width(), kSelectionLine), m_past ? theme.accent : theme.line);
}

}  // namespace runglass
