// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. m_cards are the cards of m_incident.evidence, in its order.
#include "widgets/incidents/incident_cards.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/core/theme.h"

namespace runglass {
namespace {

constexpr int kPad = 2 * kGrid, kMinCardWidth = 110 * kGrid, kMaxColumns = 4;

}  // namespace

IncidentCards::IncidentCards(QueryService* queries, QWidget* parent)
    : QWidget(parent),
      m_queries(queries),
      m_head(new QLabel(this)),
      m_add(new QPushButton(tr("Add"), this)),
      m_scroll(new QScrollArea(this)),
      m_page(new QWidget),
      m_grid(new QGridLayout(m_page)) {
  m_head->setTextFormat(Qt::PlainText);
  m_scroll->setAccessibleName(tr("Evidence"));
  m_head->setFont(tableFont());
  m_head->setForegroundRole(QPalette::PlaceholderText);
  m_add->setFocusPolicy(Qt::TabFocus);
  auto* menu = new QMenu(m_add);
  for (const EvidenceKind& kind : kEvidenceKinds)
    connect(menu->addAction(QCoreApplication::translate("EvidenceKind", kind.what)), &QAction::triggered, this,
            [this, id = QString::fromLatin1(kind.id)] { emit addWanted(id); });
  m_add->setMenu(menu);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(kPad, kGrid, kPad, kGrid);
  head->addWidget(m_head, 1);
  head->addWidget(m_add);
  m_grid->setContentsMargins(kPad, 0, kPad, kPad);
  m_grid->setSpacing(kPad);
  m_scroll->setWidget(m_page);
  m_scroll->setWidgetResizable(true);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(head);
  column->addWidget(m_scroll, 1);
}

void IncidentCards::setIncident(const Incident& incident, const QString& refusal, TimeStyle style) {
  const bool editable = refusal.isEmpty();
  const bool same = incident.uuid == m_incident.uuid && incident.evidence == m_incident.evidence && incident.run == m_incident.run &&
                    editable == m_editable && style == m_style;
  m_add->setEnabled(editable);
  m_add->setToolTip(editable ? tr("Add the selection of the shown window as an evidence card") : refusal);
  m_incident = incident;
  m_editable = editable;
  m_style = style;
  const std::size_t count = incident.evidence.size();
  m_head->setText(count == 0   ? tr("Evidence: no card yet; Add keeps what is selected in the shown window")
                  : count == 1 ? tr("Evidence: %1 card, kept at full resolution").arg(count)
                               : tr("Evidence: %1 cards, kept at full resolution").arg(count));
  if (!same) rebuild();
}

void IncidentCards::rebuild() {
  std::vector<EvidenceCard*> old = std::move(m_cards);
  m_cards.clear();
  for (const IncidentEvidence& card : m_incident.evidence) {
    const auto kept = std::ranges::find_if(old, [&](const EvidenceCard* one) {
      return one != nullptr && one->question().card == card && one->question().run == m_incident.run && one->question().style == m_style;
    });
    if (kept != old.end()) {
      (*kept)->setEditable(m_editable);
      m_cards.push_back(*kept);
      *kept = nullptr;
      continue;
    }
    auto* fresh = new EvidenceCard(m_queries, m_page);
    fresh->setQuestion({.card = card, .run = m_incident.run, .attempt = m_incident.attempt, .style = m_style});
    fresh->setEditable(m_editable);
    connect(fresh, &EvidenceCard::opened, this, &IncidentCards::opened);
    connect(fresh, &EvidenceCard::removed, this, [this, card] { emit removeWanted(card); });
    connect(fresh, &EvidenceCard::captionEdited, this, [this, card](const QString& caption) { emit captionChanged(card, caption); });
    m_cards.push_back(fresh);
  }
  for (EvidenceCard* one : old) {
    if (one == nullptr) continue;
    one->setVisible(false);
    one->deleteLater();  // its own signal may have caused this call
  }
  arrange();
}

int IncidentCards::columns() const { return std::clamp(m_scroll->viewport()->width() / kMinCardWidth, 1, kMaxColumns); }

void IncidentCards::arrange() {
  while (QLayoutItem* item = m_grid->takeAt(0)) delete item;
  for (int column = 0; column < kMaxColumns; ++column) m_grid->setColumnStretch(column, 0);
  for (int row = 0; row < m_grid->rowCount(); ++row) m_grid->setRowStretch(row, 0);
  m_columns = columns();
  for (std::size_t i = 0; i < m_cards.size(); ++i) {
    const int row = static_cast<int>(i) / m_columns, column = static_cast<int>(i) % m_columns;
    m_grid->addWidget(m_cards[i], row, column, Qt::Alignment());
    m_grid->setColumnStretch(column, 1);
    m_cards[i]->setVisible(true);
  }
  m_grid->setRowStretch(static_cast<int>(m_cards.size()) / m_columns + 1, 1);
}

void IncidentCards::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (columns() != m_columns) arrange();
}

void IncidentCards::reload() {
  for (EvidenceCard* card : m_cards) card->reload();
}

bool IncidentCards::isFinal() const {
  return std::ranges::all_of(m_cards, [](const EvidenceCard* card) {
    // Cards outside the visible area read when they are scrolled into it.
    return !card->isVisible() || card->visibleRegion().isEmpty() || card->isFinal();
  });
}

}  // namespace runglass
