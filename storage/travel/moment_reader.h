// SPDX-License-Identifier: Apache-2.0
// MomentReader: the Reader returned by readerAt(). Internal to storage.
//
// Threading:  as reader_at.h.
// Ownership:  as reader_at.h; the one returned by unaligned() owns its inner Reader.
// Units:      m_moment is the last instant included, m_after the first one excluded (the highest int64: none is).
// Errors:     as reader_at.h.
// Cost:       lists of runs, attempts and scalar series are cached until the generation changes.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "storage/travel/forwarding_reader.h"

namespace runglass {

class MomentReader final : public ForwardingReader {
 public:
  MomentReader(Reader& inner, TimeNs moment) : ForwardingReader(inner), m_moment(moment), m_after(afterOf(moment)) {}
  MomentReader(std::unique_ptr<Reader> inner, TimeNs moment)
      : ForwardingReader(std::move(inner)), m_moment(moment), m_after(afterOf(moment)) {}

  // moment_reader.cpp: runs, attempts, and their nodes and devices
  std::uint64_t generation() override;
  Result<StoreInfo> info() override;
  Result<std::vector<Node>> nodes() override;
  Result<std::vector<Device>> devices() override;
  Result<std::unique_ptr<Reader>> unaligned() override;
  Result<std::vector<Run>> runs() override;
  Result<Run> run(RunId run) override;
  Result<std::vector<Attempt>> attempts(RunId run) override;
  Result<Attempt> attempt(AttemptId attempt) override;
  Result<std::vector<Rank>> ranks(AttemptId attempt) override;
  Result<std::vector<Fact>> facts(AttemptId attempt) override;
  Result<std::vector<CommGroup>> groups(AttemptId attempt) override;
  Result<std::vector<Checkpoint>> checkpoints(RunId run) override;
  Result<std::vector<Progress>> progress(RunId run) override;
  Result<std::vector<Track>> tracks(AttemptId attempt) override;

  // moment_reader_rows.cpp: events, log lines, captures, findings, incidents, notes, alerts
  Result<std::vector<Event>> events(const EventFilter& filter) override;
  Result<std::vector<LogLine>> logs(const EventFilter& filter) override;
  Result<LogPage> searchLogs(const RowQuery& query, std::stop_token stop) override;
  Result<EventPage> searchEvents(const RowQuery& query, std::stop_token stop) override;
  Result<LogContext> logContext(std::int64_t log_id, std::size_t before, std::size_t after, std::stop_token stop) override;
  Result<RowDensity> rowDensity(const RowQuery& query, std::size_t parts, std::stop_token stop) override;
  Result<std::vector<Issue>> issues() override;
  Result<std::vector<Label>> labels(RunId run) override;
  Result<std::vector<Capture>> captures(RunId run, TimeRange range, CaptureTexts texts) override;
  Result<std::vector<Finding>> findings(std::optional<RunId> run) override;
  Result<std::vector<Finding>> publishedFindings(std::optional<RunId> run) override;
  Result<std::vector<Incident>> incidents(std::optional<RunId> run) override;
  Result<Incident> incident(std::string_view uuid) override;
  Result<std::vector<Note>> notes(RunId run) override;
  Result<std::vector<Alert>> alerts(std::size_t limit) override;
  Result<std::vector<Snooze>> snoozes() override;

  // moment_reader_data.cpp: series and spans
  Result<std::vector<Series>> series(const SeriesFilter& filter) override;
  Result<SampleColumns> samples(SeriesId series, TimeRange range, std::stop_token stop) override;
  Result<ScalarColumns> scalars(SeriesId series, std::int64_t step0, std::int64_t step1, std::stop_token stop) override;
  Result<std::vector<Bin>> bins(SeriesId series, Axis axis, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                std::stop_token stop) override;
  Result<std::vector<LatestSample>> latest(std::span<const SeriesId> series) override;
  Result<std::vector<LatestSample>> latestAt(std::span<const SeriesId> series, TimeNs moment, std::stop_token stop) override;
  Result<std::optional<TimeRange>> spanExtent(RunId run) override;
  Result<SpanColumns> spans(TrackId track, TimeRange range, std::stop_token stop) override;
  Result<StoredSpans> spansWith(std::int64_t span, TimeRange range) override;
  Result<SpanPicture> spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop) override;

 private:
  static constexpr TimeNs kHighest = std::numeric_limits<TimeNs>::max();
  static constexpr double kReportedAfter = 600e9;  // ns: a silent run still gets findings for this long after its last data
  static TimeNs afterOf(TimeNs moment) { return moment == kHighest ? kHighest : moment + 1; }

  // The state of a run or an attempt at the moment.
  struct Life {
    bool clocked = true;                             // false: its times have no meaning, all of it is included
    bool begun = true;                               // it exists
    bool over = false;                               // no data of it is later than the moment
    std::optional<TimeNs> first, last;               // of a run: where known
    bool whole() const { return !clocked || over; }  // data without a time is included
  };
  struct Lives {
    std::vector<Run> runs;  // that exist
    std::unordered_map<std::uint64_t, Life> of_run, of_attempt;
    std::unordered_map<std::uint64_t, std::vector<Attempt>> attempts;  // that exist, by run; without their steps
    std::unordered_map<std::uint64_t, Series> scalars;                 // all of them, in their present state
  };
  // The time range of the series of a run or an attempt.
  struct Extent {
    std::optional<TimeNs> first, last;
    void add(const Series& series);
  };
  bool later(const std::optional<TimeNs>& time) const { return time && *time > m_moment; }
  TimeRange clipped(TimeRange range) const { return {range.t0, std::min(range.t1, m_after)}; }
  // Whether an object of this run with this time is included.
  static bool there(const Life& life, const std::optional<TimeNs>& time, TimeNs moment) {
    return !life.clocked || (time ? *time <= moment : life.over);
  }
  Result<std::shared_ptr<const Lives>> lives();
  Status judgeRun(const Run& run, const std::unordered_map<std::uint64_t, Extent>& of_attempt, Lives& lives);
  static Life lifeOf(const std::unordered_map<std::uint64_t, Life>& lives, std::uint64_t id);
  Result<bool> attemptBegun(AttemptId attempt);
  // Sets the attempt's steps to those at the moment.
  Status cutSteps(const Lives& lives, Attempt& attempt);
  // The range to query for rows of the run, or of all runs: the whole range where rows without a time are included.
  template <class Ask>
  Result<TimeRange> rowRange(TimeRange range, const std::optional<RunId>& run, const Ask& any_later);
  static bool ofTheirTime(std::span<const Finding> published, const Life& life);
  Incident asItWas(Incident incident) const;
  // Whether this is a scalar series whose points are all included.
  bool isWhole(const Lives& lives, SeriesId series) const;
  Result<std::vector<Progress>> derivedProgress(AttemptId attempt, std::vector<Progress> said);
  // The last event of the hub about a node by the moment; and the nodes with a later one.
  struct NodeWord {
    TimeNs time = 0;
    NodeState state = NodeState::kUnknown;
  };
  Status nodeWords(std::unordered_map<std::uint64_t, NodeWord>& words, std::unordered_set<std::uint64_t>& later_ones);
  Status newestWords(std::unordered_map<std::uint64_t, std::optional<TimeNs>>& heard);
  // Nodes whose data is all later than the moment.
  Result<std::unordered_set<std::uint64_t>> nodesToCome();
  TimeRange reached(TimeRange range) const;
  void clipSpans(SpanColumns& spans) const;

  const TimeNs m_moment, m_after;
  std::shared_ptr<const Lives> m_lives;
  std::uint64_t m_lives_generation = 0;
  std::optional<std::uint64_t> m_generation;
  TimeNs m_looked = 0;  // on the monotonic clock
};

}  // namespace runglass
