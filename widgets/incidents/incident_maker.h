// SPDX-License-Identifier: GPL-3.0-or-later
// IncidentMaker: creates an incident from any view: from the selected finding or event (I), from the shared selection and window (Shift+I).
//
// Threading:  GUI thread; the draft is made on a query worker, the edit elsewhere.
// Ownership:  borrows the objects of the context.
// Units:      TimeNs.
// Errors:     failed(): one sentence; no partial result is stored.
// Cost:       as draftOfFinding().
#pragma once

#include <QObject>

#include "analysis/incident/incident_draft.h"
#include "widgets/core/view.h"

namespace runglass {

class IncidentMaker : public QObject {
  Q_OBJECT

 public:
  IncidentMaker(ViewContext context, QObject* parent);

  // For the shown run.
  void fromSeed(const IncidentSeed& seed);
  void fromSelection();
  bool busy() const { return m_busy; }

 signals:
  // The incident is stored and in the shared selection. `fresh`: it did not exist before; `words` describe the action.
  void made(const QString& uuid, bool fresh, const QString& words);
  void failed(const QString& why);

 private:
  using Draw = std::function<Result<IncidentDraft>(Reader&, const Run&, std::stop_token)>;
  struct Drawn {
    Run run;
    IncidentDraft draft;
    std::optional<std::int32_t> attempt;  // its number
  };
  DraftPlace placeOfState() const;
  void start(Draw draw);
  void store(const Drawn& drawn);
  void tell(const Drawn& drawn);

  const ViewContext m_context;
  bool m_busy = false;
  QuerySlot m_slot;
};

}  // namespace runglass
