// SPDX-License-Identifier: GPL-3.0-or-later
// IncidentMaker: an incident from wherever somebody is: of the chosen finding or event (I), of the shared selection and window (Shift+I).
//
// Threading:  GUI thread; the draft is made on a query worker, the edit elsewhere.
// Ownership:  borrows what the context names.
// Units:      TimeNs.
// Errors:     failed(): one sentence; nothing is half made.
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

  // Of the shown run.
  void fromSeed(const IncidentSeed& seed);
  void fromSelection();
  bool busy() const { return m_busy; }

 signals:
  // It is stored, and the shared selection. `fresh`: it was not there before; `words` say what was done.
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
