// SPDX-License-Identifier: GPL-3.0-or-later
// The right rail of an incident: who is suspected with which score, what was ruled out, what changed since the attempt before, how far the
// data can be trusted.
//
// Threading:  GUI thread.
// Ownership:  shares the page.
// Units:      as IncidentAnswer.
// Errors:     what is not known says why.
// Cost:       one page of rich text, every text of the outside escaped.
#pragma once

#include <QTextBrowser>
#include <memory>

#include "widgets/core/units.h"
#include "widgets/incidents/incident_data.h"

namespace runglass {

// The whole as HTML. Its only links are "suspect:N", of answer.suspects.
QString factsHtml(const IncidentPage& page);

class IncidentFacts : public QTextBrowser {
  Q_OBJECT

 public:
  explicit IncidentFacts(QWidget* parent = nullptr);
  void setPage(std::shared_ptr<const IncidentPage> page);  // null: nothing yet

 signals:
  void suspectChosen(const IncidentSuspect& suspect);

 protected:
  void changeEvent(QEvent* event) override;
  QVariant loadResource(int type, const QUrl& name) override;

 private:
  void render();

  std::shared_ptr<const IncidentPage> m_page;
  std::string m_rendered;  // uuid of the incident that is on screen
};

}  // namespace runglass
