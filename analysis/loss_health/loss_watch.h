// SPDX-License-Identifier: Apache-2.0
// LossWatch: reads a run's loss, gradient norm and settings attempt by attempt, every point once, and feeds them to AttemptLoss.
//
// Threading:  one thread at a time.
// Ownership:  borrows the Reader during calls; keeps some 15 KiB per attempt.
// Units:      steps, TimeNs.
// Errors:     the Reader's; CANCELLED when `stop` fires. A run without a training loss has no attempt here.
// Cost:       per read the new points, and a catalogue read for each series of an attempt that is not over; without a
//             loss, one of all the attempt's series at the 1st, 2nd, 4th, 8th and every 16th call. Where a series changed other
//             than at its end all of the attempt is read again, once it has grown by an eighth: a point is read 9 times at most.
//
// Only the training loss and its gradient norm are judged, as analysis/run_summary/roles.h knows them: of several the one with the best
// known name. Validation, auxiliary, reward and critic losses are left alone.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/loss_health/attempt_loss.h"
#include "analysis/run_summary/roles.h"
#include "storage/reader.h"

namespace runglass {

// One of the attempt's series and how far it was read.
struct LossFeed {
  Role role = Role::kLoss;
  std::optional<Series> series;
  std::int64_t next = 0;  // step to read from
  std::int64_t read = 0;  // points, with those of equal steps
};

struct WatchedAttempt {
  Attempt attempt;
  bool newest = false;
  std::array<LossFeed, 6> feeds;  // kLoss first
  AttemptLoss health;
  bool reinforcement = false;                   // rewards or critics are logged beside it: its loss is no measure of anything
  bool counts_steps = true;                     // false: the axis is samples
  std::optional<std::int64_t> superseded_from;  // a later attempt made the steps from here on again
  std::optional<LevelChange> restart;           // against the attempt before it
  std::optional<BaselineDivergence> replay;     // the same steps against the attempt before it

  const Series* series(Role role) const;

  // Of the reading.
  bool settled = false, compared = false, replayed = false;
  std::int64_t looks = 0;
  std::int64_t picked_at = -1, reread_at = 0;           // points of the loss when its series were chosen, and read from the start
  std::map<std::int64_t, std::optional<TimeNs>> times;  // of steps that were asked for
};

class LossWatch {
 public:
  // `live`: the run goes on, so what is not complete is left for later.
  Status read(Reader& reader, RunId run, bool live, std::stop_token stop);
  std::vector<WatchedAttempt>& attempts() { return m_attempts; }  // by number; those without a loss have no series
  const std::vector<WatchedAttempt>& attempts() const { return m_attempts; }
  // When the loss of a step was logged; absent: it has no clock.
  static Result<std::optional<TimeNs>> timeOf(Reader& reader, WatchedAttempt& attempt, std::int64_t step);

 private:
  Status choose(Reader& reader, WatchedAttempt& one);
  Status readAttempt(Reader& reader, WatchedAttempt& one, const std::stop_token& stop, bool& grew);
  static Status readFeed(Reader& reader, LossFeed& feed, AttemptLoss& health, const std::stop_token& stop);
  Status compare(Reader& reader, std::size_t index, bool live, const std::stop_token& stop);
  Status replay(Reader& reader, WatchedAttempt& one, const WatchedAttempt& before, const std::stop_token& stop);
  void supersede();

  RunId m_run;
  std::vector<WatchedAttempt> m_attempts;
};

}  // namespace runglass
