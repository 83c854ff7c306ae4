// SPDX-License-Identifier: Apache-2.0
// Reader: the content of a store in model types. The same calls serve a live store and a stored one.
//
// Threading:  one thread at a time per Reader; open one per worker. Each call is one short read transaction.
// Ownership:  a Reader owns its connection and returns values. `live` must outlive it (shared).
// Units:      TimeNs, steps, bytes; ranges half-open. Times are corrected by clock_map and by the attempt's alignment.
// Errors:     NOT_FOUND: unknown id; DATA_LOSS: a damaged chunk (named; other data stays readable and the gap is an issue); CANCELLED:
//             `stop` fired; FAILED_PRECONDITION: a store newer than this program. An empty answer is not an error.
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

class LiveTail;  // uncommitted data of this process' writer; see storage/read/live_tail.h

struct ReaderOptions {
  std::shared_ptr<const LiveTail> live;  // set when the writer is in this process: readers see data before it is committed
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

// The bar of a lane that begins in one pixel: a span, or several close ones with the share of [t0, t1) during which each span class was
// busy.
struct SpanBar {
  static constexpr std::uint32_t kNoName = UINT32_MAX;
  TimeNs t0 = 0, t1 = 0;         // t1 is the highest int64 while the span is open
  std::int64_t id = 0;           // 0: several spans
  std::uint32_t name = kNoName;  // index into SpanPicture::names, of the longest span; kNoName where the bar is too narrow to show it
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
  std::vector<Lane> lanes;  // in the order of the requested tracks, then depth, then overflow
  std::vector<std::string> names;
  bool exact = true;  // false: bars of several spans may be wider than two pixels
};

// Spans that are stored together, with consecutive ids.
struct StoredSpans {
  TrackId track;
  std::int64_t first = 0, end = 0;  // their ids; a piece that still grows returns a later end next time. Equal: no such span
  SpanColumns spans;                // by id, those that overlap the range
};

// Maximum age of the state that a hold reads: a quarter second, which a viewer does not notice.
inline constexpr DurNs kHeldFor = 250 * kNsPerMs;

enum class CaptureTexts : std::uint8_t { kWith, kWithout };

// SQL values in SQLite's types.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;

// Numbers that require looking at every row.
struct StoreUsage {
  std::int64_t sample_bytes = 0;  // of chunks and pyramids
  std::int64_t span_count = 0, span_bytes = 0;
  std::int64_t event_count = 0, log_count = 0;
};

class Reader {
 public:
  virtual ~Reader() = default;

  // Grows whenever new data becomes visible; an equal number means that nothing changed. Cheap: meant to be polled at 25 Hz.
  virtual std::uint64_t generation() = 0;

  // For a request that consists of many calls: while the returned object lives, calls may read one state of the store for up to kHeldFor,
  // which saves a transaction per call. Release it before the Reader is destroyed and as soon as the request is done: while held, it
  // prevents a live store's -wal file from being reused.
  [[nodiscard]] virtual std::shared_ptr<void> hold() { return nullptr; }

  virtual Result<StoreInfo> info() = 0;
  virtual Result<StoreUsage> usage(std::stop_token stop) = 0;  // reads the whole file: seconds per GiB from a cold disk
  virtual Result<std::vector<Node>> nodes() = 0;
  virtual Result<std::vector<Device>> devices() = 0;
  // The possible error of a node's clock at a time after its offset was corrected: that of the newest reading before it, or of the first
  // reading. Absent: its clock was never compared.
  virtual Result<std::optional<DurNs>> clockError(NodeId node, TimeNs time) = 0;
  // For data that a rank recorded: the error of its alignment if it has one, else that of its node.
  virtual Result<std::optional<DurNs>> clockError(AttemptId attempt, std::int32_t rank, TimeNs time) = 0;
  // The shifts of the attempt's ranks on top of their nodes' clocks, by rank and time; absent: no alignment.
  virtual Result<std::optional<ClockAlignment>> alignment(AttemptId attempt) = 0;
  // A Reader of the same store that applies no alignment: the basis for computing a new one.
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
  // A page of rows, found by the index of words and by that of times, including the tail's rows. A page costs as much as it returns, unless
  // words or owners match only few of very many rows; `stop` cancels it.
  virtual Result<LogPage> searchLogs(const RowQuery& query, std::stop_token stop = {}) = 0;
  virtual Result<EventPage> searchEvents(const RowQuery& query, std::stop_token stop = {}) = 0;
  // NOT_FOUND: the line does not exist (any longer).
  virtual Result<LogContext> logContext(std::int64_t log_id, std::size_t before, std::size_t after, std::stop_token stop = {}) = 0;
  // For query.range, which must have two ends; order, after and limit are ignored. Times are as stamped where clocks are off by less than
  // half a part.
  virtual Result<RowDensity> rowDensity(const RowQuery& query, std::size_t parts, std::stop_token stop = {}) = 0;
  virtual Result<std::vector<Issue>> issues() = 0;
  virtual Result<std::vector<Label>> labels(RunId run) = 0;
  // By time, of the run's attempts and, for captures without an attempt, of its nodes. With texts, an answer may be large: up to 1 MiB
  // each.
  virtual Result<std::vector<Capture>> captures(RunId run, TimeRange range, CaptureTexts texts = CaptureTexts::kWith) = 0;
  virtual Result<std::vector<Finding>> findings(std::optional<RunId> run) = 0;
  virtual Result<std::vector<Finding>> publishedFindings(
      std::optional<RunId> run) = 0;  // as published while runs were active, by Finding::published; thinned
  virtual Result<std::vector<Incident>> incidents(std::optional<RunId> run) = 0;  // newest first
  virtual Result<Incident> incident(std::string_view uuid) = 0;
  virtual Result<std::vector<Note>> notes(RunId run) = 0;            // by time, after those about the run as a whole
  virtual Result<std::vector<Alert>> alerts(std::size_t limit) = 0;  // newest first, of all runs
  virtual Result<std::vector<Snooze>> snoozes() = 0;                 // expired ones included

  // All samples with time in range, in x order (equal x: order of arrival).
  virtual Result<SampleColumns> samples(SeriesId series, TimeRange range, std::stop_token stop = {}) = 0;
  // All points with step in [step0, step1), in step order. Superseded points are included; see model/superseded.h.
  virtual Result<ScalarColumns> scalars(SeriesId series, std::int64_t step0, std::int64_t step1, std::stop_token stop = {}) = 0;
  // Always `bins` rows that tile [x0, x1) in order. Above 64 samples per bin, edges move to block boundaries: the returned x0/x1 are the
  // actual ones, and the values are exact for them; summaries() count as a whole for every bin they overlap. Empty bins have count 0 and
  // nan_count 0.
  virtual Result<std::vector<Bin>> bins(SeriesId series, Axis axis, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                        std::stop_token stop = {}) = 0;
  // Blocks of at most 64 samples that overlap the range and whose samples are not in this store: retention deleted them, or the store is a
  // replica that never had them. By x0; x1 is inclusive.
  virtual Result<std::vector<Bin>> summaries(SeriesId series, TimeRange range) = 0;
  // Newest sample of each series, in the given order; series without samples are left out.
  virtual Result<std::vector<LatestSample>> latest(std::span<const SeriesId> series) = 0;
  // As of a moment: the newest of the samples whose time is at or before it. A series whose points have no times is left out.
  virtual Result<std::vector<LatestSample>> latestAt(std::span<const SeriesId> series, TimeNs moment, std::stop_token stop = {}) = 0;

  virtual Result<std::vector<Track>> tracks(AttemptId attempt) = 0;
  // From the first begin to the last end of a run's spans in the file; open spans end where they begin.
  virtual Result<std::optional<TimeRange>> spanExtent(RunId run) = 0;
  // Spans of a track that overlap the range.
  virtual Result<SpanColumns> spans(TrackId track, TimeRange range, std::stop_token stop = {}) = 0;
  // A span by its id, with those stored next to it: a caller that looks up many ids keeps the pieces. One lookup and one decoded chunk.
  virtual Result<StoredSpans> spansWith(std::int64_t span, TimeRange range) = 0;
  // The tracks' spans in the range for a screen on which a pixel is `pixel` wide. About one bar per pixel and lane at most. Where chunks
  // with more than 2 M spans would have to be read, stretches of up to 128 spans are one bar and the picture is not exact.
  virtual Result<SpanPicture> spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop = {}) = 0;

  // Read-only SQL over the relations of docs/formats/sql.md. `row` returns false to stop.
  struct SqlSink {
    std::function<void(const std::vector<std::string>& columns)> columns;
    std::function<bool(const std::vector<SqlValue>& row)> row;
  };
  virtual Status query(std::string_view sql, const SqlSink& sink, std::stop_token stop = {}) = 0;

  // Checks every checksum and invariant. One entry per damaged object, naming it; empty = clean.
  virtual Result<std::vector<std::string>> verify(std::stop_token stop = {}) = 0;
};

}  // namespace runglass
