// SPDX-License-Identifier: GPL-3.0-or-later
// The right column of an incident: suspects with their scores, causes ruled out, changes since the previous attempt, and how reliable the
// data is.
//
// Threading:  GUI thread.
// Ownership:  shares the page.
// Units:      as IncidentAnswer.
// Errors:     an unknown value shows its reason.
// Cost:       one page of rich text, with all outside text escaped.
#pragma once

#include <QTextBrowser>
#include <memory>

#include "widgets/core/units.h"
#include "widgets/incidents/incident_data.h"

namespace runglass {

// The page as HTML. Its only links are "suspect:N", an index into answer.suspects.
QString factsHtml(const IncidentPage& page);

class IncidentFacts : public QTextBrowser {
  Q_OBJECT

 public:
  explicit IncidentFacts(QWidget* parent = nullptr);
  void setPage(std::shared_ptr<const IncidentPage> page);  // null: not read yet

 signals:
  void suspectChosen(const IncidentSuspect& suspect);

 protected:
  void changeEvent(QEvent* event) override;
  QVariant loadResource(int type, const QUrl& name) override;

 private:
  void render();

  std::shared_ptr<const IncidentPage> m_page;
  std::string m_rendered;  // uuid of the incident on screen
};

}  // namespace runglass
