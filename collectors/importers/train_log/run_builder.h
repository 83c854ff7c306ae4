// SPDX-License-Identifier: Apache-2.0
// RunBuilder: determines the run and attempt of a log's lines, and collects their layout, facts, checkpoints, events.
//
// Threading:  one thread.
// Ownership:  borrows the Recorder per call.
// Units:      TimeNs; steps as printed.
// Errors:     beyond kMaxAttempts restarts, lines stay in the last attempt and are counted.
// Cost:       O(1) per call.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/recorder.h"

namespace runglass::train_log {

class RunBuilder {
 public:
  static constexpr int kMaxAttempts = 1000;

  // `guest`: another source reports state, times and layout of the run, and counts its attempts.
  RunBuilder(std::string run_name, std::string attempt_key, bool live, bool guest)
      : m_name(std::move(run_name)), m_key(std::move(attempt_key)), m_live(live), m_guest(guest) {}
  // What follows belongs to this run and attempt.
  void continueAs(const std::string& run_name, const std::string& attempt_key, bool guest);

  // False: the following data was recorded by an earlier import; runs and attempts are declared, events are not recorded again.
  void setRecording(bool recording) { m_recording = recording; }
  // A line that only a starting job prints. After records, the following data belongs to the next attempt.
  void starts(Recorder& out);
  // A record of step `step`; `went_back`: below the previous one. True if a new attempt was opened for it.
  bool record(std::int64_t step, std::optional<std::int64_t> total, bool went_back, Recorder& out);
  bool waiting() const { return m_boundary; }  // for the next attempt's first record
  bool failed() const { return m_run_id && m_run.state == RunState::kFailed; }
  // A step of records that do not show restarts by themselves.
  void reached(std::int64_t step) { m_last_step = step; }
  // A record of any kind: the run has survived an earlier error.
  void goesOn();
  // The trainer reports its end: an earlier exception did not end it. Other failures stay.
  void survivesException();
  // Properties of the attempt, kept until it exists. `tell()` fills in sizes that follow from the others.
  void layout(const Layout& layout) { m_layout = layout; }
  const Layout& layout() const { return m_layout; }
  // By its communicators: the number of ranks of a log that prints no layout.
  void ranksAtLeast(std::int64_t ranks);
  void fact(Fact fact);
  // Where a rank runs, recorded at the end of the attempt; `world`: of the communicator that numbers it so, 0: the launcher does.
  void rank(const Rank& rank, std::int64_t world);
  void framework(const std::string& name, int priority);
  void stamp(TimeNs time);
  // Opens an attempt if there is none; events before the first record of the next attempt wait for it.
  void event(Event event, Recorder& out);
  void checkpoint(Checkpoint checkpoint, Recorder& out);
  void resumedFrom(std::int64_t step) { m_resumed_from = step; }
  enum class End : std::uint8_t { kFinished, kFailed, kStopped, kTerminated, kUnknown };
  void ended(End end, std::string cause);
  // Of a live log: the processes that wrote it ended at `now`, with an unknown outcome unless the log has one.
  void outputEnded(TimeNs now, Recorder& out);

  AttemptId attempt(Recorder& out);     // opens one if necessary
  void flush(Recorder& out, bool end);  // records changes; at the end also waiting data
  bool exists() const { return bool(m_run_id); }
  RunId firstRun() const { return m_first_run; }
  bool hasRecords() const { return m_records > 0; }
  std::int64_t refused() const { return m_refused; }

 private:
  struct Waiting {
    std::vector<Event> events;
    std::vector<Checkpoint> checkpoints;
  };
  void open(bool new_run, Recorder& out);
  void tell(Recorder& out);
  void tellAsGuest(Recorder& out);
  void tellFacts(Recorder& out);
  void tellRanks(Recorder& out);
  void release(Recorder& out);

  std::string m_name, m_key;
  bool m_live, m_guest;
  int m_runs = 0, m_attempts = 0, m_opened = 0;
  RunId m_run_id, m_first_run;
  AttemptId m_attempt_id;
  Run m_run;
  Attempt m_attempt;
  Layout m_layout, m_reported_layout;
  std::int32_t m_largest_group = 0;                                      // ranks in the largest communicator that the log names
  using FactKey = std::tuple<std::uint64_t, std::int32_t, std::string>;  // node, rank or -1, key
  static FactKey keyOf(const Fact& fact) { return {fact.node.value, fact.rank.value_or(-1), fact.key}; }
  std::vector<Fact> m_facts;                     // not yet recorded
  std::map<FactKey, std::string> m_known_facts;  // of the open attempt
  // `world` of `ranks`, or 0; `ambiguous`: two processes have one number, which is then none of the job.
  struct Places {
    std::int64_t world = 0;
    bool ambiguous = false;
    std::map<std::int32_t, Rank> ranks;
  };
  Places m_places, m_next_places;  // of the open or waiting attempt; of processes that replace those
  Waiting m_waiting;
  bool m_boundary = false, m_finished = false, m_changed = false, m_recording = true, m_stamped = false;
  bool m_terminated = false;  // m_attempt.planned only because a SIGTERM was reported
  std::int64_t m_records = 0, m_first_step = 0, m_last_step = 0, m_refused = 0;
  std::optional<std::int64_t> m_resumed_from;
  std::optional<TimeNs> m_start, m_end, m_over;
  std::string m_framework;
  int m_framework_priority = -1;
};

}  // namespace runglass::train_log
