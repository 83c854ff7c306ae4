// SPDX-License-Identifier: Apache-2.0
// StoreReader: the Reader over one SQLite file and, in the writer's process, its LiveTail. Internal to storage; use openStore().
//
// Threading:  one thread at a time.
// Ownership:  owns a read-only connection, its statements and the decoded-pyramid cache.
// Units:      reader.h.
// Errors:     reader.h.
// Cost:       reader.h.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "storage/clock_map.h"
#include "storage/codec/span_summary.h"
#include "storage/read/damage_log.h"
#include "storage/read/decoded_cache.h"
#include "storage/read/live_tail.h"
#include "storage/read/moment_cache.h"
#include "storage/reader.h"
#include "storage/sql/sql_session.h"
#include "storage/sqlite/connection.h"

namespace runglass {

// One chunk of a series, from the file or the tail.
struct ChunkView {
  std::int64_t id = 0;
  bool late = false;
  std::int64_t x0 = 0, x1 = 0;
  std::size_t n = 0;
  std::uint32_t crc = 0;
  std::string blob;                 // from the file: checked and decoded when needed
  std::optional<RawPoints> points;  // from the tail's open chunk
  bool checked = false;             // came from the tail: no checksum to check
};

class StoreReader final : public Reader {
 public:
  static Result<std::unique_ptr<Reader>> open(const std::string& path, ReaderOptions options = {});
  StoreReader(std::string path, ReaderOptions options, bool aligned = true)
      : m_path(std::move(path)), m_damage(DamageLog::of(m_path)), m_live(std::move(options.live)), m_aligned(aligned) {}
  Status start();

  std::uint64_t generation() override;
  std::shared_ptr<void> hold() override;
  Result<StoreInfo> info() override;                        // store_info.cpp
  Result<StoreUsage> usage(std::stop_token stop) override;  // store_info.cpp
  Result<std::vector<Node>> nodes() override;
  Result<std::vector<Device>> devices() override;
  Result<std::optional<DurNs>> clockError(NodeId node, TimeNs time) override;
  Result<std::optional<DurNs>> clockError(AttemptId attempt, std::int32_t rank, TimeNs time) override;
  Result<std::optional<ClockAlignment>> alignment(AttemptId attempt) override;
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
  Result<std::vector<Series>> series(const SeriesFilter& filter) override;
  Result<std::vector<Event>> events(const EventFilter& filter) override;
  Result<std::vector<LogLine>> logs(const EventFilter& filter) override;
  Result<LogPage> searchLogs(const RowQuery& query, std::stop_token stop) override;      // store_reader_search.cpp
  Result<EventPage> searchEvents(const RowQuery& query, std::stop_token stop) override;  // store_reader_search.cpp
  Result<LogContext> logContext(std::int64_t log_id, std::size_t before, std::size_t after,
                                std::stop_token stop) override;                                            // store_reader_context.cpp
  Result<RowDensity> rowDensity(const RowQuery& query, std::size_t parts, std::stop_token stop) override;  // store_reader_search.cpp
  Result<std::vector<Issue>> issues() override;
  Result<std::vector<Label>> labels(RunId run) override;
  Result<std::vector<Capture>> captures(RunId run, TimeRange range, CaptureTexts texts) override;
  Result<std::vector<Finding>> findings(std::optional<RunId> run) override;
  Result<std::vector<Finding>> tellings(std::optional<RunId> run) override;    // store_findings.cpp
  Result<std::vector<Incident>> incidents(std::optional<RunId> run) override;  // store_incident.cpp
  Result<Incident> incident(std::string_view uuid) override;                   // store_incident.cpp
  Result<std::vector<Note>> notes(RunId run) override;
  Result<std::vector<Alert>> alerts(std::size_t limit) override;  // store_alert.cpp
  Result<std::vector<Snooze>> snoozes() override;                 // store_alert.cpp
  Result<SampleColumns> samples(SeriesId series, TimeRange range, std::stop_token stop) override;
  Result<ScalarColumns> scalars(SeriesId series, std::int64_t step0, std::int64_t step1, std::stop_token stop) override;
  Result<std::vector<Bin>> bins(SeriesId series, Axis axis, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                std::stop_token stop) override;
  Result<std::vector<Bin>> summaries(SeriesId series, TimeRange range) override;  // store_reader_summaries.cpp
  Result<std::vector<LatestSample>> latest(std::span<const SeriesId> series) override;
  Result<std::vector<LatestSample>> latestAt(std::span<const SeriesId> series, TimeNs moment, std::stop_token stop) override;
  Result<std::vector<Track>> tracks(AttemptId attempt) override;
  Result<std::optional<TimeRange>> spanExtent(RunId run) override;
  Result<SpanColumns> spans(TrackId track, TimeRange range, std::stop_token stop) override;
  Result<StoredSpans> spansWith(std::int64_t span, TimeRange range) override;
  Result<SpanPicture> spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop) override;
  Status query(std::string_view sql, const SqlSink& sink, std::stop_token stop) override;
  Result<std::vector<std::string>> verify(std::stop_token stop) override;  // store_info.cpp

 private:
  // Which x a chunk must touch: [x0, x1], both inclusive.
  struct Bounds {
    std::int64_t x0, x1;
  };
  struct Identity {
    SeriesKind kind = SeriesKind::kGauge;
    std::int64_t count = 0;
    const ClockMap* clock = nullptr;  // null: its times are right as they are
    bool correctsX() const { return clock != nullptr && kind != SeriesKind::kScalar; }
  };
  // One state of the file for several statements: of the call's own, or the hold's. `renew`: the tail refused the one before, which the
  // caller has let go.
  using Snapshot = std::shared_ptr<sqlite::Transaction>;
  Result<Snapshot> snapshot(bool renew);
  // Calls `take` inside one read transaction with the tail's rows that complete the file's; again when the tail has moved on meanwhile.
  Status consistent(const std::function<Status(const PendingRows&)>& take, bool logs = false);
  // The same for the chunks of a series; the file stays as it is with `file`.
  Status openSnapshot(SeriesId id, Snapshot& file, SeriesSnapshot& tail);
  // Chunks that touch `bounds`, main before late, each group in order of arrival. `open_only`: those without a pyramid row.
  Status chunks(SeriesId id, Bounds bounds, bool open_only, SeriesSnapshot& tail, std::vector<ChunkView>& out);
  // Appends the points of the chunks inside `bounds`, merged in x order; the first damaged chunk is named in `damage`.
  Status decode(SeriesId id, const std::vector<ChunkView>& chunks, Bounds bounds, const std::stop_token& stop, RawPoints& out,
                std::string& damage);
  Status decodeRange(SeriesId id, Bounds bounds, const std::stop_token& stop, SeriesSnapshot& tail, RawPoints& out);
  Result<RawPoints> points(SeriesId id, Bounds bounds, const std::stop_token& stop);
  // Of scalars what retention left of deleted chunks, in the same snapshot (store_reader_thinned.cpp).
  Status addThinned(SeriesId id, Bounds bounds, const std::stop_token& stop, RawPoints& out, std::string& damage);
  Result<PyramidSegment> cutBlock(SeriesId id, Bounds bounds, const std::stop_token& stop, SeriesSnapshot& tail);
  Result<Identity> identityOf(SeriesId id);
  Result<std::optional<LatestSample>> newestStored(SeriesId id);
  // store_reader_moment.cpp
  Status noteLateChunks(std::int64_t version);
  Status judgeOrder(SeriesId id, MomentSlot& slot);
  Status fillSlot(SeriesId id, std::int64_t x, std::int64_t version, bool without_open, MomentSlot& slot);
  void noteDamage(SeriesId series, std::int64_t chunk, std::int64_t x0, std::int64_t x1);
  // False: the tail cannot complete this snapshot of the file.
  Result<bool> newestPoint(SeriesId id, std::int64_t x, std::int64_t version, std::uint64_t generation, std::optional<FoundPoint>& out);
  Status fillSteps(SeriesId id, std::int64_t version, bool without_open, StepSlot& slot);
  // Null for a damaged chunk, which is then noted.
  Result<std::shared_ptr<EncodedChunk>> stepChunk(SeriesId id, StepChunk& chunk);
  Result<bool> newestStep(SeriesId id, TimeNs time, std::int64_t version, std::uint64_t generation, std::optional<FoundPoint>& out);
  struct WantedSeries {
    SeriesId id;
    bool scalar = false;
    const ClockMap* clock = nullptr;
    MomentAnswers::Answer* answer = nullptr;
  };
  Status newestOf(const std::vector<WantedSeries>& wanted, TimeNs moment, const std::stop_token& stop);
  Result<const ClockMap*> clockOf(TrackId track);
  struct PictureChunk;
  struct PictureTrack;
  struct TrackOutline;
  Status showStored(TrackId track, PictureChunk& chunk, std::string_view summary);
  // Empty for a damaged chunk, which is then noted.
  Result<SpanShapes> shapesOf(TrackId track, const PictureChunk& chunk, const PendingSpans* pending);
  // False for a damaged chunk, which is then noted.
  Result<bool> spanChunk(TrackId track, std::int64_t chunk_id, SpanChunk& out, SpanParts parts = SpanParts::kShape);
  Result<std::shared_ptr<const TrackOutline>> outlineOf(TrackId track, TimeRange range, std::int64_t version);
  Status pictureChunks(PictureTrack& track, std::int64_t version, const std::optional<LiveTail::SpanSnapshot>& tail);
  Status pictureBars(const PictureTrack& track, const std::optional<LiveTail::SpanSnapshot>& tail, bool exact, DurNs pixel,
                     SpanPicture& out, std::unordered_map<std::int64_t, std::uint32_t>& names);
  // Reads the clock maps again when another connection has committed since.
  // Changes when another connection commits.
  Result<std::int64_t> dataVersion();
  Status refreshClocks();
  // The same for the series as the file has them: panels ask for the catalogue many times a second, the file changes once in seconds.
  Status refreshSeries();
  std::vector<std::uint32_t> seriesOf(const SeriesFilter& filter) const;
  Status countSeries(StoreInfo& info);  // store_info.cpp
  Result<std::vector<Bin>> rawBins(SeriesId series, const Identity& identity, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                   const std::stop_token& stop);
  Result<std::uint64_t> fileGeneration();
  Result<std::vector<Bin>> binsByTime(SeriesId id, const Identity& identity, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                      const std::stop_token& stop);
  // store_reader_summaries.cpp: blocks of which the samples are not here (any more).
  // Up to where the series may have such blocks; absent: it has none.
  Result<std::optional<std::int64_t>> forgottenTo(SeriesId id);
  // Those that reach into the bounds, by x0. `chunks` are those of the bounds.
  Result<Pyramid> summariesAlone(SeriesId id, Bounds bounds, const std::vector<ChunkView>& chunks);
  Result<std::vector<Bin>> summarisedBins(SeriesId id, std::int64_t x0, std::int64_t x1, std::size_t bins, const std::stop_token& stop,
                                          SeriesSnapshot& tail);
  Result<Pyramid> summarisedBlocks(SeriesId id, Bounds bounds);
  // The newest at or before x of the samples that such blocks summarise; see LatestSample::mean.
  Result<std::optional<FoundPoint>> newestSummarised(SeriesId id, std::int64_t x);
  // The file's pyramid rows; those that are damaged are noted, left out, and named in `damage`.
  Status storedSegments(SeriesId id, std::vector<PyramidSegment>& out, std::string& damage);
  Status pyramidSegments(SeriesId id, SeriesSnapshot& tail, std::vector<PyramidSegment>& out);
  Status checkName() const;
  Result<sqlite::Statement*> kept(sqlite::Statement& statement, std::string_view sql);
  Result<std::string> text(std::int64_t id);

  std::string m_path;
  std::shared_ptr<DamageLog> m_damage;
  bool m_immutable = false;
  std::shared_ptr<const LiveTail> m_live;
  bool m_aligned;  // alignments apply
  sqlite::Connection m_db;
  std::weak_ptr<void> m_hold;
  Snapshot m_held;  // while m_hold lives, since m_held_since of the monotonic clock
  TimeNs m_held_since = 0;
  sqlite::Statement m_generation_sql, m_version_sql, m_chunks_sql, m_open_sql, m_pyramid_sql, m_pyramid_data_sql, m_known_sql, m_spans_sql,
      m_picture_sql, m_outline_sql, m_summary_sql, m_span_chunk_sql, m_piece_sql, m_text_sql, m_newest_sql, m_moment_sql, m_next_sql,
      m_order_sql, m_steps_sql, m_step_chunk_sql, m_block_sql, m_thinned_sql, m_expired_sql;
  DecodedCache<PyramidSegment> m_pyramids{std::size_t{64} << 20};
  MomentCache m_moments{std::size_t{128} << 20};
  MomentAnswers m_answers;
  std::unordered_map<std::uint64_t, StepSlot> m_step_slots;  // by series
  DecodedCache<KeptChunk> m_step_chunks{std::size_t{64} << 20};
  std::int64_t m_late_from = 0, m_late_version = -1;
  struct OutlineRow {
    std::shared_ptr<const TrackOutline> outline;
    std::size_t size = 0;
    std::size_t bytes() const { return size; }
  };
  DecodedCache<OutlineRow> m_outlines{std::size_t{64} << 20};
  SpanSummary m_summary;  // the last one decoded; kept for its memory
  DecodedCache<SpanShapes> m_shapes{std::size_t{48} << 20};
  ClockMaps m_clocks;
  std::int64_t m_clocks_version = -1;
  std::vector<Series> m_series;  // by id, of m_series_version
  // Places in m_series by attempt and by metric, and attempts by run.
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> m_series_of;
  std::unordered_map<std::string, std::vector<std::uint32_t>> m_series_with_metric;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> m_attempts_with_series;
  std::optional<std::int64_t> m_series_version;
  std::unordered_map<std::uint64_t, std::optional<TimeRange>> m_span_extents;  // by run, of m_extents_version
  std::optional<std::int64_t> m_extents_version;
  std::unordered_map<SeriesId, std::optional<std::int64_t>> m_forgotten;  // of m_forgotten_version: up to which x
  std::int64_t m_forgotten_version = -1;
  std::unordered_map<std::int64_t, std::string> m_texts;
  std::unique_ptr<SqlSession> m_session;
  const ClockMaps* m_session_clocks = nullptr;  // what m_session corrects with: m_clocks, or nothing
  std::uint64_t m_generation = 0;
  std::int64_t m_data_version = -1;
};

}  // namespace runglass
