// SPDX-License-Identifier: Apache-2.0
// Reader: what a store knows, in model types. The same calls serve a live store and a stored one.
//
// Threading:  one thread at a time per Reader; open one per worker. Each call is one short read transaction.
// Ownership:  a Reader owns its connection and returns values. `live` must outlive it (shared).
// Units:      TimeNs, steps, bytes; ranges half-open. Times come back corrected by clock_map and by the attempt's alignment.
// Errors:     NOT_FOUND unknown id; DATA_LOSS a damaged chunk (named; other data stays readable and the gap is an issue);
//             CANCELLED when `stop` fires; FAILED_PRECONDITION a store newer than this program. An empty answer is no error.
// Cost:       bins(): O(bins + edges) from the pyramid; the decoded-pyramid cache is bounded (64 MiB).
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/alerts.h"
#include "model/captures.h"
#include "model/edits.h"
#include "model/events.h"
#include "model/findings.h"
#include "model/incident.h"
#include "model/result.h"
#include "model/samples.h"
#include "model/spans.h"
#include "model/topology.h"
#include "storage/row_query.h"
#include "storage/store_info.h"

namespace runglass {

class LiveTail;  // what the writer of this process holds but has not committed; see store.h

struct ReaderOptions {
  std::shared_ptr<const LiveTail> live;  // set when the writer lives in this process: readers see data at once
};

struct SeriesFilter {
  std::optional<RunId> run;
  std::optional<AttemptId> attempt;
  std::optional<NodeId> node;
  std::optional<DeviceId> device;
  std::optional<std::string> metric;  // exact
  std::optional<SeriesKind> kind;
};

enum class Axis : std::uint8_t { kX, kTime };  // kX: time for metrics, step for scalars

// What of a lane begins in one pixel: a span, or several close ones with the share of [t0, t1) that each class of them was busy.
struct SpanBar {
  static constexpr std::uint32_t kNoName = UINT32_MAX;
  TimeNs t0 = 0, t1 = 0;         // t1 is the highest int64 while the span is open
  std::int64_t id = 0;           // 0: several
  std::uint32_t name = kNoName;  // index into SpanPicture::names, of the longest; none where the bar is too narrow to show it
  std::uint32_t count = 0;
  SpanCategory category = SpanCategory::kOther;  // with the most busy time
  std::array<float, kSpanClassCount> busy{};
};

struct SpanPicture {
  struct Lane {
    TrackId track;
    std::int32_t depth = 0, overflow = 0;
    std::vector<SpanBar> bars;  // by t0
  };
  std::vector<Lane> lanes;  // in the order of the tracks asked for, then depth, then overflow
  std::vector<std::string> names;
  bool exact = true;  // false: bars of several spans may be wider than two pixels
};

// Spans that are stored together; their ids follow each other.
struct StoredSpans {
  TrackId track;
  std::int64_t first = 0, end = 0;  // their ids; a piece that still grows has a later end when asked again. Equal: there is none
  SpanColumns spans;                // by id, of those that overlap the range
};

// How old the state that a hold reads may become: a quarter second, which no eye sees as late.
inline constexpr DurNs kHeldFor = 250 * kNsPerMs;

enum class CaptureTexts : std::uint8_t { kWith, kWithout };

// SQL values as SQLite has them.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;

// What can only be known by looking at every row.
struct StoreUsage {
  std::int64_t sample_bytes = 0;  // of chunks and pyramids
  std::int64_t span_count = 0, span_bytes = 0;
  std::int64_t event_count = 0, log_count = 0;
};

class Reader {
 public:
  virtual ~Reader() = default;

  // Grows whenever anything new became visible; equal numbers mean nothing changed. Cheap: meant to be polled at 25 Hz.
  virtual std::uint64_t generation() = 0;

  // For a question of many calls: while the answer lives, calls may read one state of the store for up to kHeldFor, which saves each its
  // own transaction. It ends before the Reader does; held longer than its question, it keeps a live store's -wal file from being used
  // again.
  [[nodiscard]] virtual std::shared_ptr<void> hold() { return nullptr; }

  virtual Result<StoreInfo> info() = 0;
  virtual Result<StoreUsage> usage(std::stop_token stop) = 0;  // reads the whole file: seconds per GiB from a cold disk
  virtual Result<std::vector<Node>> nodes() = 0;
  virtual Result<std::vector<Device>> devices() = 0;
  // How far a node's clock may be off at a time after its offset was taken out: the error of the newest reading before it, or of the first
  // one. Absent: its clock was never compared.
  virtual Result<std::optional<DurNs>> clockError(NodeId node, TimeNs time) = 0;
  // The same for what a rank recorded: the error of its alignment where it has one, else its node's.
  virtual Result<std::optional<DurNs>> clockError(AttemptId attempt, std::int32_t rank, TimeNs time) = 0;
  // What moves the attempt's ranks on top of their nodes' clocks, by rank and time; absent: nothing does.
  virtual Result<std::optional<ClockAlignment>> alignment(AttemptId attempt) = 0;
  // A Reader of the same store to which no alignment applies: what another one is reckoned from.
  virtual Result<std::unique_ptr<Reader>> unaligned() = 0;
  virtual Result<std::vector<Run>> runs() = 0;
  virtual Result<Run> run(RunId run) = 0;
  virtual Result<std::vector<Attempt>> attempts(RunId run) = 0;  // by number
  virtual Result<Attempt> attempt(AttemptId attempt) = 0;
  virtual Result<std::vector<Rank>> ranks(AttemptId attempt) = 0;  // by rank
  virtual Result<std::vector<Fact>> facts(AttemptId attempt) = 0;
  virtual Result<std::vector<CommGroup>> groups(AttemptId attempt) = 0;
  virtual Result<std::vector<Checkpoint>> checkpoints(RunId run) = 0;
  virtual Result<std::vector<Progress>> progress(RunId run) = 0;  // latest per rank of the newest attempt
  virtual Result<std::vector<Series>> series(const SeriesFilter& filter) = 0;
  virtual Result<std::vector<Event>> events(const EventFilter& filter) = 0;
  virtual Result<std::vector<LogLine>> logs(const EventFilter& filter) = 0;
  // A page of them, found by the index of words and by that of times. The tail's rows are among them. A page costs what it shows, unless
  // words or owners fit only few of very many rows; a stop ends it.
  virtual Result<LogPage> searchLogs(const RowQuery& query, std::stop_token stop = {}) = 0;
  virtual Result<EventPage> searchEvents(const RowQuery& query, std::stop_token stop = {}) = 0;
  // NOT_FOUND: the line is not there (any more).
  virtual Result<LogContext> logContext(std::int64_t log_id, std::size_t before, std::size_t after, std::stop_token stop = {}) = 0;
  // Of query.range, which must have two ends; order, after and limit mean nothing. Times are as stamped where clocks are off by less than
  // half a part.
  virtual Result<RowDensity> rowDensity(const RowQuery& query, std::size_t parts, std::stop_token stop = {}) = 0;
  virtual Result<std::vector<Issue>> issues() = 0;
  virtual Result<std::vector<Label>> labels(RunId run) = 0;
  // By time, of the run's attempts and, without an attempt, of its nodes. With their texts an answer may be large: up to 1 MiB each.
  virtual Result<std::vector<Capture>> captures(RunId run, TimeRange range, CaptureTexts texts = CaptureTexts::kWith) = 0;
  virtual Result<std::vector<Finding>> findings(std::optional<RunId> run) = 0;
  virtual Result<std::vector<Finding>> publishedFindings(
      std::optional<RunId> run) = 0;  // as published while runs were active, by Finding::published; thinned
  virtual Result<std::vector<Incident>> incidents(std::optional<RunId> run) = 0;  // newest first
  virtual Result<Incident> incident(std::string_view uuid) = 0;
  virtual Result<std::vector<Note>> notes(RunId run) = 0;            // by time, those about the run as a whole first
  virtual Result<std::vector<Alert>> alerts(std::size_t limit) = 0;  // newest first, of all runs
  virtual Result<std::vector<Snooze>> snoozes() = 0;                 // those that are over too

  // All samples with time in range, in x order (equal x: order of arrival).
  virtual Result<SampleColumns> samples(SeriesId series, TimeRange range, std::stop_token stop = {}) = 0;
  // All points with step in [step0, step1), in step order. Superseded points are included; see model/superseded.h.
  virtual Result<ScalarColumns> scalars(SeriesId series, std::int64_t step0, std::int64_t step1, std::stop_token stop = {}) = 0;
  // Always `bins` rows that tile [x0, x1) in order. Above 64 samples a bin, edges move to block boundaries: the returned x0/x1 are
  // true and the values exact for them; summaries() count as a whole wherever they reach into. Empty bins have count 0 and nan_count 0.
  virtual Result<std::vector<Bin>> bins(SeriesId series, Axis axis, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                        std::stop_token stop = {}) = 0;
  // Blocks of at most 64 samples that reach into the range and of which the samples are not here: retention deleted them, or this is a copy
  // that never had them. By x0; x1 is inclusive.
  virtual Result<std::vector<Bin>> summaries(SeriesId series, TimeRange range) = 0;
  // Newest sample of each series, in the given order; series without samples are left out.
  virtual Result<std::vector<LatestSample>> latest(std::span<const SeriesId> series) = 0;
  // The same as it was at a moment: of the samples at or before it by their time. A series whose points have no times has none.
  virtual Result<std::vector<LatestSample>> latestAt(std::span<const SeriesId> series, TimeNs moment, std::stop_token stop = {}) = 0;

  virtual Result<std::vector<Track>> tracks(AttemptId attempt) = 0;
  // From the first begin to the last end of a run's spans that are in the file; spans still open end where they begin.
  virtual Result<std::optional<TimeRange>> spanExtent(RunId run) = 0;
  // Spans of a track that overlap the range.
  virtual Result<SpanColumns> spans(TrackId track, TimeRange range, std::stop_token stop = {}) = 0;
  // A span by its id, with those stored beside it: who follows many ids keeps the pieces. One lookup and one chunk decoded.
  virtual Result<StoredSpans> spansWith(std::int64_t span, TimeRange range) = 0;
  // The tracks' spans in the range for a screen on which a pixel is `pixel` wide. At most about one bar begins in a pixel of a lane. Where
  // chunks would have to be read for more than 2 M spans, stretches of up to 128 are one bar and the picture is not exact.
  virtual Result<SpanPicture> spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop = {}) = 0;

  // Read-only SQL over the relations of contract.md section 3. `row` returns false to stop.
  struct SqlSink {
    std::function<void(const std::vector<std::string>& columns)> columns;
    std::function<bool(const std::vector<SqlValue>& row)> row;
  };
  virtual Status query(std::string_view sql, const SqlSink& sink, std::stop_token stop = {}) = 0;

  // Every checksum and invariant. One entry per damaged object, naming it; empty = clean.
  virtual Result<std::vector<std::string>> verify(std::stop_token stop = {}) = 0;
};

}  // namespace runglass
