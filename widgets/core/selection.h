// SPDX-License-Identifier: GPL-3.0-or-later
// SharedState: the one selection and the one time window that all views share, with undo of view changes.
//
// Threading:  GUI thread.
// Ownership:  one per window; views hold a pointer and never outlive it.
// Units:      TimeNs, half-open ranges; steps.
// Errors:     none; an empty or reversed range is ignored.
// Cost:       every change emits changed() once; history is bounded (200 entries).
#pragma once

#include <QObject>
#include <deque>
#include <optional>
#include <string>

#include "model/ids.h"
#include "model/time.h"
#include "widgets/core/units.h"

namespace runglass {

// What the user points at. Members are independent: a rank may be chosen without a step.
struct Selection {
  RunId run;
  AttemptId attempt;
  std::optional<std::int32_t> rank;
  NodeId node;
  DeviceId device;
  std::optional<std::int64_t> step;
  std::string incident;  // its uuid; empty: none
  friend bool operator==(const Selection&, const Selection&) = default;
};

enum class WindowMode : std::uint8_t {
  kAll,     // the whole extent of the data, growing with it
  kFollow,  // the newest `span`
  kFixed,   // `range` as it is
};

struct TimeWindow {
  WindowMode mode = WindowMode::kAll;
  DurNs span = 600 * kNsPerSecond;  // of kFollow
  TimeRange range{0, 0};            // what is shown; t0 == t1: nothing known yet
  friend bool operator==(const TimeWindow&, const TimeWindow&) = default;
};

struct ViewState {
  Selection selection;
  TimeWindow window;
  // The playhead: views show what was so, and what was known, then. Absent: now.
  std::optional<TimeNs> moment;
  bool paused = false;  // the picture stands still while data keeps arriving
  TimeStyle time_style = TimeStyle::kUtc;
  friend bool operator==(const ViewState&, const ViewState&) = default;
};

class SharedState : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  const ViewState& state() const { return m_state; }

  void select(const Selection& selection);
  // A drag or wheel gesture calls with Undo::kMerge many times and then endGesture(): one step of undo.
  enum class Undo : std::uint8_t { kStep, kMerge };
  void setWindow(TimeRange range, Undo undo = Undo::kStep);
  void endGesture() { m_in_gesture = false; }
  // The playhead. A window that does not have the moment moves there, as wide as it was; now (absent) follows again what it followed.
  void setMoment(std::optional<TimeNs> moment, Undo undo = Undo::kStep);
  // To a thing that happened, in one step of undo. No window: the one that is shown stays. The playhead stays as well: time travel is the
  // playhead's alone.
  void goTo(const Selection& selection, std::optional<TimeRange> window);
  // Adds to the selection what follows from it (the machine of its rank), without a step of undo.
  void complete(const Selection& selection);
  // The newest data, and now.
  void followEnd(DurNs span);
  void showAll();

  // What another window showed, as the begin of this one's history.
  void takeOver(const ViewState& state);

  // Not part of undo: these say how one looks, not where.
  void setPaused(bool paused);
  void setTimeStyle(TimeStyle style);
  // Where the data of the shown run begins and ends now; moves kAll and kFollow windows. Kept for later while paused.
  void setExtent(std::optional<TimeRange> extent);
  std::optional<TimeRange> extent() const { return m_extent; }

  bool canGoBack() const { return m_position > 0; }
  bool canGoForward() const { return m_position + 1 < m_history.size(); }
  void back();
  void forward();

 signals:
  void changed();

 private:
  struct Place {
    Selection selection;
    TimeWindow window;
    std::optional<TimeNs> moment;
    friend bool operator==(const Place&, const Place&) = default;
  };
  void go(const Place& place, Undo undo);
  void restore(std::size_t position);
  TimeWindow derived(TimeWindow window) const;
  TimeWindow withMoment(TimeWindow window, TimeNs moment) const;

  ViewState m_state;
  std::optional<TimeRange> m_extent;
  // Invariant: m_history[m_position] is the place shown now.
  std::deque<Place> m_history{Place{}};
  std::size_t m_position = 0;
  bool m_in_gesture = false;
  bool m_left_end = false;  // travelling took the window off the end that it followed
};

}  // namespace runglass
