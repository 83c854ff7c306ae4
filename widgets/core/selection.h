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

// The selected items. Members are independent: a rank may be selected without a step.
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
  TimeRange range{0, 0};            // the shown range; t0 == t1: nothing known yet
  friend bool operator==(const TimeWindow&, const TimeWindow&) = default;
};

struct ViewState {
  Selection selection;
  TimeWindow window;
  // The playhead: views show the state of that moment, and only data known then. Absent: now.
  std::optional<TimeNs> moment;
  bool paused = false;  // the picture is frozen while data keeps arriving
  TimeStyle time_style = TimeStyle::kUtc;
  friend bool operator==(const ViewState&, const ViewState&) = default;
};

class SharedState : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  const ViewState& state() const { return m_state; }

  void select(const Selection& selection);
  // A drag or wheel gesture calls with Undo::kMerge many times and then endGesture(): one undo step.
  enum class Undo : std::uint8_t { kStep, kMerge };
  void setWindow(TimeRange range, Undo undo = Undo::kStep);
  void endGesture() { m_in_gesture = false; }
  // Sets the playhead. A window without the moment moves there and keeps its width; now (absent) resumes the previous following.
  void setMoment(std::optional<TimeNs> moment, Undo undo = Undo::kStep);
  // Goes to an item, in one undo step. No window: the shown one stays. The playhead stays as well: only the playhead itself travels in
  // time.
  void goTo(const Selection& selection, std::optional<TimeRange> window);
  // Adds implied parts to the selection (the machine of its rank), without an undo step.
  void complete(const Selection& selection);
  // Follows the newest data, and returns to now.
  void followEnd(DurNs span);
  void showAll();

  // The view state of another window, as the start of this one's history.
  void takeOver(const ViewState& state);

  // Not part of undo: display options, not places.
  void setPaused(bool paused);
  void setTimeStyle(TimeStyle style);
  // Start and end of the shown run's data; moves kAll and kFollow windows. While paused it is stored for later.
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
  bool m_left_end = false;  // time travel detached the window from the end that it followed
};

}  // namespace runglass
