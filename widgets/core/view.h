// SPDX-License-Identifier: GPL-3.0-or-later
// View: the interface between the frame and every view. A view shows the shared selection and window and queries the store through
// QueryService.
//
// Threading:  GUI thread.
// Ownership:  the frame's dock owns the view; ViewContext's objects outlive it.
// Units:      as ViewState.
// Errors:     a view shows its own failures (StatePanel); it never opens a message box.
// Cost:       applyState() and refresh() only submit requests; they are called for visible views only, and applyState() again whenever a
//             hidden view becomes visible.
#pragma once

#include <QPoint>
#include <QString>
#include <QWidget>
#include <functional>

#include "model/events.h"
#include "widgets/core/edit_port.h"
#include "widgets/core/object.h"
#include "widgets/core/query_service.h"
#include "widgets/core/selection.h"
#include "widgets/core/share_port.h"

namespace runglass {

struct ViewContext {
  QueryService* queries = nullptr;
  SharedState* state = nullptr;
  std::function<TimeNs()> clock = wallNow;  // the time of day; a test or a reproducible picture freezes it
  EditPort* edits = nullptr;                // null: nothing can be added
  SharePort* share = nullptr;               // null: nothing can be exported

  // "Now" of the display: the playhead's moment, else the clock. Ages, staleness and states are relative to it.
  TimeNs now() const { return state->state().moment.value_or(clock()); }
  // Queries a state: at the playhead's moment, if there is one.
  template <class T>
  void submitAtPlayhead(QuerySlot& slot, QueryService::Supersede supersede, QueryService::MomentWork<T> work,
                        QueryService::Done<T> done) const {
    queries->submitAt<T>(slot, state->state().moment, supersede, std::move(work), std::move(done));
  }
};

// The initial content of an incident made with `I`: the selected finding, event, or outlier rank.
struct IncidentSeed {
  std::int64_t finding = 0;  // its id; 0: no finding
  std::optional<Event> event = std::nullopt;
  std::optional<std::int32_t> rank = std::nullopt;
  AttemptId attempt = {};  // of the rank
};

enum class Tick : std::uint8_t { kPictures, kText };  // 20-25 Hz, 5-10 Hz

class View : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;

  // The selection, the window or the clock style changed, or the view was just shown. A window that is not kFixed moves at the picture rate
  // while data arrives: query with Supersede::kAfterCurrent then, or a slow query never shows. Selection.run 0: use chooseRun().
  virtual void applyState(const ViewState& state) = 0;
  // New data is in the store. Not called while paused.
  virtual void refresh(Tick tick) = 0;
  // Every panel has drawn the answer to the last applyState(): ready for a screenshot.
  virtual bool isFinal() const = 0;
  // Whether this is the only view on screen: it may then show a small version of a view that would otherwise be next to it.
  virtual void setAlone(bool) {}
  // Text for Ctrl+C when the view has the focus: TSV with full precision, or a sentence. Empty: nothing to copy.
  virtual QString copyText() const { return {}; }
  // Shows one of the parts that ViewInfo::tabs names; false: it has none of that name.
  virtual bool showTab(const QString& /*name*/) { return false; }
  // Shows an object opened in this view that selection and window do not describe: a curve. Other views ignore it.
  virtual void reveal(const Object& /*object*/) {}
  // nullopt: nothing is selected here, or this view shows neither findings nor events.
  virtual std::optional<IncidentSeed> incidentSeed() const { return std::nullopt; }
  // `/`: puts the cursor into the view's filter, if it has one.
  virtual void focusFilter() {}

 signals:
  // The user requested the selected item in another view ("overview"); the frame shows it if it is built.
  void viewRequested(const QString& id);
  // The user requested an incident of incidentSeed().
  void incidentRequested();
  // The user requested the context menu of an object, at this screen position.
  void menuRequested(const Object& object, const QPoint& at);
  // The user requested a report of the incident with this uuid.
  void reportRequested(const QString& incident);
};

}  // namespace runglass
