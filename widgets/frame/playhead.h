// SPDX-License-Identifier: GPL-3.0-or-later
// Playhead: moves the shared moment over the run: by hand on the time bar, step by step, from event to event, or by playing.
//
// Threading:  GUI thread; steps and marks are read on query workers.
// Ownership:  borrows service, state and bar; the window owns them all.
// Units:      TimeNs, steps; by: 1 later, -1 earlier.
// Errors:     unreadable parts are missing from the bar; without a next step or event nothing moves, and the bar shows why.
// Cost:       marks at most once a second while data arrives; one query per jump.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>

#include "analysis/run_summary/run_steps.h"
#include "widgets/core/query_service.h"
#include "widgets/core/run_marks.h"
#include "widgets/core/run_words.h"
#include "widgets/core/selection.h"

namespace runglass {

class TimeBar;

class Playhead : public QObject {
  Q_OBJECT

 public:
  Playhead(QueryService& queries, SharedState& state, std::function<TimeNs()> clock, TimeBar& bar, QObject* parent);

  // Summary of the whole run, as of now.
  void setRun(const RunSummary& summary);
  // The selection, the window or the moment changed.
  void applyState();
  void refresh();  // data may have arrived
  // Everything on the bar belongs to the shown moment.
  bool isFinal() const { return !m_step_slot.busy() && !m_bar_slot.busy() && !m_walk_slot.busy(); }

  void step(int by);
  void jump(int by);
  void goToNow();
  void play();

 private:
  void askBar();
  void askStep();
  void walk();
  void tick();
  void tell();
  TimeNs start(int by) const;

  QueryService& m_queries;
  SharedState& m_state;
  const std::function<TimeNs()> m_clock;
  TimeBar& m_bar;
  RunId m_run;
  bool m_live = false, m_clocked = false;
  TimeStyle m_zone = TimeStyle::kUtc;
  std::shared_ptr<const RunMarks> m_data;
  std::optional<TimeNs> m_asked;     // the moment whose step is known or queried
  std::optional<StepMoment> m_step;  // the last step that had ended by then
  bool m_step_known = false;
  int m_steps_wanted = 0;  // to walk, one after the other
  QString m_nothing;       // why the last jump had no target
  QTimer m_playing;
  QElapsedTimer m_played;  // since the last tick
  QElapsedTimer m_bar_age;
  QuerySlot m_bar_slot, m_step_slot, m_walk_slot;
};

}  // namespace runglass
