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
#include "widgets/core/theme.h"

namespace runglass {
namespace {
constexpr int kSentence = 2'000;
}

FindingActions::FindingActions(SharedState* state, QWidget* parent) : QWidget(parent), m_state(state) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  row->setSpacing(kGrid);
  const auto add = [&](const char* picture, const QString& words, const QString& tip, auto action) {
    auto* button = new QToolButton(this);
    button->setIcon(icon(QString::fromLatin1(picture)));
    button->setText(words);
    button->setIconSize({kIconPx, kIconPx});
    button->setToolTip(tip);
    connect(button, &QToolButton::clicked, this, action);
    row->addWidget(button);
    m_buttons.push_back(button);
  };
  add("evidence", tr("Evidence"), tr("Open the view that shows its evidence (Enter)"),
      [this] { show(QString::fromLatin1(viewOfFinding(m_finding->kind))); });
  add("timeline", tr("Timeline"), tr("Open the timeline at its time"), [this] { show(QStringLiteral("timeline")); });
  add("gpus", tr("GPU"), tr("Open its GPU and node"), [this] { show(QStringLiteral("gpus")); });
  add("incidents", tr("Incident"), tr("Make an incident of it (I)"), [this] { emit incidentRequested(); });
  add("copy", tr("Copy"), tr("Copy its sentence"), [this] { QApplication::clipboard()->setText(findingText(*m_finding, kSentence)); });
  row->addStretch(1);
  setFinding(std::nullopt);
}

void FindingActions::setFinding(std::optional<Finding> finding) {
  m_finding = std::move(finding);
  for (QToolButton* button : m_buttons) button->setEnabled(m_finding.has_value());
}

void FindingActions::show(const QString& view) {
  goToFinding(*m_state, Finding(*m_finding));  // what it sets off may choose another one
  emit viewRequested(view);
}

// Icons alone where there is no room for their words.
void FindingActions::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  int needed = 4 * kGrid;
  for (const QToolButton* button : m_buttons)
    needed += QFontMetrics(button->font()).horizontalAdvance(button->text()) + button->iconSize().width() + 9 * kGrid;
  for (QToolButton* button : m_buttons)
    button->setToolButtonStyle(width() >= needed ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
}

}  // namespace runglass
