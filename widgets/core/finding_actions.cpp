// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/finding_actions.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QToolButton>
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
}

FindingActions::FindingActions(ViewContext context, QWidget* parent) : QWidget(parent), m_context(std::move(context)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
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
    if (offer.edit == ObjectEdit::kMute) connect(m_mute = add("mute", offer.words, {}), &QToolButton::clicked, this, &FindingActions::mute);
  }
  connect(add("copy", tr("Copy"), tr("Copy its sentence")), &QToolButton::clicked, this,
          [this] { QApplication::clipboard()->setText(findingText(*m_finding, kSentence)); });
  row->addStretch(1);
  setFinding(std::nullopt);
}

QToolButton* FindingActions::add(const char* picture, const QString& words, const QString& tip) {
  auto* button = new QToolButton(this);
  button->setIcon(icon(QString::fromLatin1(picture)));
  button->setText(words);
  button->setIconSize({kIconPx, kIconPx});
  button->setToolTip(tip);
  layout()->addWidget(button);
  m_buttons.push_back(button);
  return button;
}

void FindingActions::setFinding(std::optional<Finding> finding) {
  m_finding = std::move(finding);
  for (QToolButton* button : m_buttons) button->setEnabled(m_finding.has_value());
  const bool muted = m_finding && m_finding->id == m_muted;
  for (const OfferedEdit& offer : editsOf({.kind = ObjectKind::kFinding}, m_context.edits)) {
    if (offer.edit != ObjectEdit::kMute) continue;
    m_mute->setEnabled(m_finding && !muted && offer.refusal.isEmpty());
    m_mute->setText(muted ? tr("Muted for 2 h") : offer.words);
    m_mute->setToolTip(offer.refusal.isEmpty() ? tr("Send no notifications of its cause for two hours") : offer.refusal);
  }
  fitWords();
}

void FindingActions::show(const QString& view) {
  goToFinding(*m_context.state, Finding(*m_finding));  // a copy: the signals that this emits may select another finding
  emit viewRequested(view);
}

void FindingActions::mute() {
  muteFinding(m_context, m_slot, objectOf(*m_finding), this, [this, id = m_finding->id](const Status& made) {
    if (made.ok()) m_muted = id;
    setFinding(m_finding);
    if (!made.ok()) m_mute->setToolTip(tr("Not muted: %1").arg(screenText(made.message())));
  });
}

void FindingActions::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitWords();
}

// Icons only where their labels do not fit.
void FindingActions::fitWords() {
  int needed = 4 * kGrid;
  for (const QToolButton* button : m_buttons)
    needed += QFontMetrics(button->font()).horizontalAdvance(button->text()) + button->iconSize().width() + 9 * kGrid;
  for (QToolButton* button : m_buttons)
    button->setToolButtonStyle(width() >= needed ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
}

}  // namespace runglass
