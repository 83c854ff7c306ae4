// SPDX-License-Identifier: Apache-2.0
// LossWatch: reads a run's loss, gradient norm and settings attempt by attempt, each point once, and feeds them to AttemptLoss.
//
// Threading:  one thread at a time.
// Ownership:  borrows the Reader during calls; keeps about 18 KiB per attempt and 500 bytes per unjudged series.
// Units:      steps, TimeNs.
// Errors:     the Reader's; CANCELLED when `stop` fires. A run without a training loss has no attempts here.
// Cost:       per read the new points, and one catalogue read for each series of an unfinished attempt; one of all the attempt's series at
//             the 1st, 2nd, 4th, 8th and every 16th call. Where a series changed other than at its end, the whole attempt is read again
//             once it has grown by an eighth: a point is read at most 9 times. For unjudged series only a summary is read, and points only
//             where it has values that are not finite.
//
// Spikes and divergence are judged on the training loss and its gradient norm only, by the roles of analysis/run_summary/roles.h: among
// several the one with the best known name. NaN and Inf are searched in every loss, perplexity and gradient, including validation,
// auxiliary, reward and critic losses.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "analysis/loss_health/attempt_loss.h"
#include "analysis/run_summary/roles.h"
#include "storage/reader.h"

namespace runglass {

// One of the attempt's series and its read position.
struct LossFeed {
  Role role = Role::kLoss;
  std::optional<Series> series;
  std::int64_t next = 0;  // next step to read
  std::int64_t read = 0;  // points, including repeated steps
};

// A loss, perplexity or gradient that is not judged: only values that are not finite matter.
struct FiniteFeed {
  Series series;
  std::int64_t next = 0;  // next step to read
  std::int64_t read = 0;  // points
  NonFiniteWatch watch;
  std::vector<LossSpike> found;
};

struct WatchedAttempt {
  Attempt attempt;
  bool newest = false;
  std::array<LossFeed, 6> feeds;  // kLoss first
  AttemptLoss health;
  std::vector<FiniteFeed> beside;
  std::vector<Event> skips;                     // steps that the optimizer skipped, as the log reports them, oldest first
  std::vector<Event> non_finites;               // reports of NaN and Inf in the log, oldest first
  bool reinforcement = false;                   // rewards or critics are logged: the loss does not measure progress
  bool counts_steps = true;                     // false: the axis is samples
  std::optional<std::int64_t> superseded_from;  // a later attempt repeated the steps from here on
  std::optional<LevelChange> restart;           // against the attempt before it
  std::optional<BaselineDivergence> replay;     // the same steps against the attempt before it

  const Series* series(Role role) const;

  // State of the reading.
  bool settled = false, compared = false, replayed = false;
  std::int64_t looks = 0;
  std::int64_t picked_at = -1, reread_at = 0;  // points of the loss when its series were chosen, and when it was last read from the start
  std::map<std::pair<SeriesId, std::int64_t>, std::optional<TimeNs>> times;  // of requested steps
};

class LossWatch {
 public:
  // `live`: the run is running, so that incomplete comparisons are left for later.
  Status read(Reader& reader, RunId run, bool live, std::stop_token stop);
  std::vector<WatchedAttempt>& attempts() { return m_attempts; }  // by number; those without a loss have no series
  const std::vector<WatchedAttempt>& attempts() const { return m_attempts; }
  // The time at which a step of `clock` (nullptr: the loss) was logged; absent: it has no times.
  static Result<std::optional<TimeNs>> timeOf(Reader& reader, WatchedAttempt& attempt, std::int64_t step, const Series* clock = nullptr);

 private:
  Status list(Reader& reader, WatchedAttempt& one, bool choose_feeds);
  static Status choose(Reader& reader, WatchedAttempt& one, std::vector<Series> all);
  Status readAttempt(Reader& reader, WatchedAttempt& one, const std::stop_token& stop, bool& grew);
  static Status readFeed(Reader& reader, LossFeed& feed, AttemptLoss& health, const std::stop_token& stop);
  Status readBeside(Reader& reader, WatchedAttempt& one, const std::stop_token& stop, bool& grew);
  Status readEvents(Reader& reader);
  Status compare(Reader& reader, std::size_t index, bool live, const std::stop_token& stop);
  Status replay(Reader& reader, WatchedAttempt& one, const WatchedAttempt& before, const std::stop_token& stop);
  void supersede();

  RunId m_run;
  std::vector<WatchedAttempt> m_attempts;
};

}  // namespace runglass
