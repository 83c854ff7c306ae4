// SPDX-License-Identifier: GPL-3.0-or-later
// The evidence of an incident: its cards next to each other, each with caption, coverage and a delete button; and a button that adds one.
//
// Threading:  GUI thread; the cards submit their own queries.
// Ownership:  borrows the QueryService.
// Units:      as EvidenceCard.
// Errors:     shown in the cards.
// Cost:       one widget a card, at most kMaxIncidentCards; a card reads when it is first on screen.
#pragma once

#include <QWidget>
#include <vector>

#include "model/incident.h"
#include "widgets/core/query_service.h"
#include "widgets/core/units.h"
#include "widgets/evidence/evidence_card.h"

class QGridLayout;
class QLabel;
class QPushButton;
class QScrollArea;

namespace runglass {

class IncidentCards : public QWidget {
  Q_OBJECT

 public:
  explicit IncidentCards(QueryService* queries, QWidget* parent = nullptr);

  // Cards that remain keep their content. `refusal`: why they cannot be changed; empty: they can.
  void setIncident(const Incident& incident, const QString& refusal, TimeStyle style);
  void reload();
  bool isFinal() const;
  const std::vector<EvidenceCard*>& cards() const { return m_cards; }
  QPushButton* addButton() const { return m_add; }

 signals:
  void opened(const EvidencePlace& place);
  void addWanted(const QString& kind);
  void removeWanted(const IncidentEvidence& card);
  void captionChanged(const IncidentEvidence& card, const QString& caption);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void rebuild();
  void arrange();
  int columns() const;

  QueryService* m_queries;
  Incident m_incident;
  bool m_editable = false;
  TimeStyle m_style = TimeStyle::kUtc;
  std::vector<EvidenceCard*> m_cards;
  QLabel* m_head;
  QPushButton* m_add;
  QScrollArea* m_scroll;
  QWidget* m_page;
  QGridLayout* m_grid;
  int m_columns = 0;
};

}  // namespace runglass
