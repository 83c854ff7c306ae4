// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/finding_card.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPainter>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "model/place_link.h"
#include "widgets/core/finding_jump.h"
#include "widgets/core/icon.h"
#include "widgets/core/language.h"
#include "widgets/core/object_edits.h"
#include "widgets/core/theme.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {
constexpr int kSentence = 2'000;
constexpr int kSecondMs = 1'000;
constexpr int kFaceLines = 2, kMargin = 2 * kGrid, kMinFace = 40 * kGrid;
}  // namespace

FindingFaceView::FindingFaceView(QWidget* parent) : QWidget(parent) {
  setAccessibleName(FindingCard::tr("Finding"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setCursor(Qt::PointingHandCursor);
}

void FindingFaceView::show(const Finding& finding, const FindingFacts& facts, TimeNs now, TimeStyle style) {
  m_finding = finding, m_facts = facts, m_now = now, m_style = style;
  const QString trend = trendText(facts.trend);
  setToolTip(QStringLiteral("<span>%1</span>")
                 .arg((findingText(finding, kSentence) + (trend.isEmpty() ? QString() : u'\n' + trend))
                          .toHtmlEscaped()
                          .replace(u'\n', QStringLiteral("<br>"))));
  updateGeometry();
  update();
}

AccessibleTable FindingFaceView::accessibleTable() const {
  QStringList parts{severityLabel(m_finding.severity), findingText(m_finding), findingTimeText(m_finding, m_facts, m_now, m_style),
                    findingCostText(m_facts)};
  if (m_facts.hang) parts << hangText(m_facts, m_now);
  if (!m_facts.trend.empty()) parts << trendText(m_facts.trend);
  return {.summary = parts.join(QStringLiteral("; ")), .columns = {}};
}

QSize FindingFaceView::sizeHint() const { return {kMinFace, findingFaceHeight(m_facts, kFaceLines)}; }

void FindingFaceView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), currentTheme().surface);
  paintFindingFace(painter, rect().adjusted(kMargin, 0, -kMargin, 0),
                   {.finding = m_finding, .facts = m_facts, .now = m_now, .style = m_style});
}

void FindingFaceView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint())) emit clicked();
}

void FindingFaceView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) updateGeometry();
}

FindingCard::FindingCard(ViewContext context, QWidget* parent)
    : QWidget(parent),
      m_context(std::move(context)),
      m_face(new FindingFaceView(this)),
      m_bar(new QWidget(this)),
      m_countdown(new QTimer(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_face);
  column->addWidget(m_bar);
  connect(m_face, &FindingFaceView::clicked, this, [this] { goToFinding(*m_context.state, Finding(*m_finding)); });
  connect(m_countdown, &QTimer::timeout, this, &FindingCard::showFace);
  addActions();
  setFinding(std::nullopt);
}

void FindingCard::addActions() {
  auto* row = new QHBoxLayout(m_bar);
  row->setContentsMargins(kMargin, kGrid, kMargin, kGrid);
  row->setSpacing(kGrid);
  connect(add("evidence", tr("Evidence"), tr("Open the view that shows its evidence (Enter)")), &QToolButton::clicked, this,
          [this] { show(QString::fromLatin1(viewOfFinding(m_finding->kind))); });
  connect(add("timeline", tr("Timeline"), tr("Open the timeline at its time")), &QToolButton::clicked, this,
          [this] { show(QStringLiteral("timeline")); });
  connect(add("gpus", tr("GPU"), tr("Open its GPU and node")), &QToolButton::clicked, this, [this] { show(QStringLiteral("gpus")); });
  for (const OfferedEdit& offer : editsOf({.kind = ObjectKind::kFinding}, m_context.edits)) {
    if (offer.edit == ObjectEdit::kIncident)
      connect(add("incidents", offer.words, tr("Make an incident of it (I)")), &QToolButton::clicked, this,
              [this] { emit incidentRequested(); });
    if (offer.edit == ObjectEdit::kMute) connect(m_mute = add("mute", offer.words, {}), &QToolButton::clicked, this, &FindingCard::mute);
  }
  connect(add("copy", tr("Copy"), tr("Copy its sentence")), &QToolButton::clicked, this,
          [this] { QApplication::clipboard()->setText(findingText(*m_finding, kSentence)); });
  row->addStretch(1);
}

QToolButton* FindingCard::add(const char* picture, const QString& words, const QString& tip) {
  auto* button = new QToolButton(m_bar);
  button->setIcon(icon(QString::fromLatin1(picture)));
  button->setText(words);
  button->setIconSize({kIconPx, kIconPx});
  button->setToolTip(tip);
  // In front of the stretch.
  static_cast<QHBoxLayout*>(m_bar->layout())->insertWidget(static_cast<int>(m_buttons.size()), button);
  m_buttons.push_back(button);
  return button;
}

void FindingCard::setFinding(std::optional<Finding> finding) {
  const bool another = !finding || !m_finding || finding->id != m_finding->id;
  m_finding = std::move(finding);
  if (another && m_finding) m_facts = factsOf(*m_finding, nullptr, m_context.now());
  m_face->setVisible(m_finding.has_value());
  for (QToolButton* button : m_buttons) button->setEnabled(m_finding.has_value());
  const bool muted = m_finding && m_finding->id == m_muted;
  for (const OfferedEdit& offer : editsOf({.kind = ObjectKind::kFinding}, m_context.edits)) {
    if (offer.edit != ObjectEdit::kMute) continue;
    m_mute->setEnabled(m_finding && !muted && offer.refusal.isEmpty());
    m_mute->setText(muted ? tr("Muted for 2 h") : offer.words);
    m_mute->setToolTip(offer.refusal.isEmpty() ? tr("Send no notifications of its cause for two hours") : offer.refusal);
  }
  fitWords();
  if (!m_finding) {
    m_countdown->stop();
    return m_facts_slot.cancel();
  }
  showFace();
  readFacts(another);
}

void FindingCard::showFace() {
  const TimeNs now = m_context.now();
  m_face->show(*m_finding, m_facts, now, m_context.state->state().time_style);
  if (m_capture != nullptr) m_capture->setVisible(isCapturable());
  const bool counts = m_facts.hang && m_facts.hang->watchdog_at && *m_facts.hang->watchdog_at > now && m_facts.open;
  if (counts != m_countdown->isActive()) counts ? m_countdown->start(kSecondMs) : m_countdown->stop();
}

void FindingCard::offerCapture(std::function<void()> capture) {
  if (m_capture != nullptr) return;
  m_capture = add("capture", tr("Capture now"), tr("Record stacks, process states and logs of all nodes"));
  connect(m_capture, &QToolButton::clicked, this, std::move(capture));
  m_capture->setVisible(m_finding && isCapturable());
  fitWords();
}

bool FindingCard::isCapturable() const { return m_finding->kind == "hang" && m_facts.open; }

void FindingCard::readFacts(bool another) {
  m_context.submitAtPlayhead<FindingFacts>(
      m_facts_slot, another ? QueryService::Supersede::kCancelOlder : QueryService::Supersede::kAfterCurrent,
      [finding = *m_finding, now = m_context.now()](const MomentReaders& readers, std::stop_token stop) {
        return readFindingFacts(readers.then, finding, now, stop);
      },
      [this](const Result<std::shared_ptr<const FindingFacts>>& facts) {
        if (!m_finding) return;
        // Those of before the read may be of an earlier state of the finding.
        m_facts = facts.ok() ? **facts : factsOf(*m_finding, nullptr, m_context.now());
        showFace();
      });
}

void FindingCard::show(const QString& view) {
  goToFinding(*m_context.state, Finding(*m_finding));  // a copy: the signals that this emits may select another finding
  emit viewRequested(view);
}

void FindingCard::mute() {
  muteFinding(m_context, m_slot, objectOf(*m_finding), this, [this, id = m_finding->id](const Status& made) {
    if (made.ok()) m_muted = id;
    setFinding(m_finding);
    if (!made.ok()) m_mute->setToolTip(tr("Not muted: %1").arg(screenText(made.message())));
  });
}

void FindingCard::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitWords();
}

// Icons only where their labels do not fit.
void FindingCard::fitWords() {
  int needed = 2 * kMargin;
  for (const QToolButton* button : m_buttons)
    if (!button->isHidden())
      needed += QFontMetrics(button->font()).horizontalAdvance(button->text()) + button->iconSize().width() + 9 * kGrid;
  for (QToolButton* button : m_buttons)
    button->setToolButtonStyle(width() >= needed ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
}

}  // namespace runglass
