// SPDX-License-Identifier: Apache-2.0
// StoreReader: the Reader over one SQLite file and, in the writer's process, its LiveTail. Internal to storage; use openStore(). A facade:
// it implements the catalogue, info and SQL, and delegates the rest to its parts.
//
// Threading:  one thread at a time.
// Errors:     as reader.h.
// Cost:       as reader.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/read/bin_reader.h"
#include "storage/read/newest_reader.h"
#include "storage/read/picture_reader.h"
#include "storage/read/point_reader.h"
#include "storage/read/reader_file.h"
#include "storage/read/row_reader.h"
#include "storage/read/series_list.h"
#include "storage/read/span_reader.h"
#include "storage/reader.h"
#include "storage/sql/sql_session.h"

namespace runglass {

class StoreReader final : public Reader {
 public:
  static Result<std::unique_ptr<Reader>> open(const std::string& path, ReaderOptions options = {});
  StoreReader(std::string path, ReaderOptions options, bool aligned = true) : m_file(std::move(path), std::move(options.live), aligned) {}
  Status start() { return m_file.start(); }

  std::uint64_t generation() override;
  std::shared_ptr<void> hold() override { return m_file.hold(); }
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
  Result<std::vector<Event>> events(const EventFilter& filter) override { return m_rows.events(filter); }
  Result<std::vector<LogLine>> logs(const EventFilter& filter) override { return m_rows.logs(filter); }
  Result<LogPage> searchLogs(const RowQuery& query, std::stop_token stop) override { return m_rows.searchLogs(query, std::move(stop)); }
  Result<EventPage> searchEvents(const RowQuery& query, std::stop_token stop) override {
    return m_rows.searchEvents(query, std::move(stop));
  }
  Result<LogContext> logContext(std::int64_t log_id, std::size_t before, std::size_t after, std::stop_token stop) override {
    return m_rows.logContext(log_id, before, after, std::move(stop));
  }
  Result<RowDensity> rowDensity(const RowQuery& query, std::size_t parts, std::stop_token stop) override {
    return m_rows.rowDensity(query, parts, std::move(stop));
  }
  Result<std::vector<Issue>> issues() override { return m_rows.issues(); }
  Result<std::vector<Label>> labels(RunId run) override { return m_rows.labels(run); }
  Result<std::vector<Capture>> captures(RunId run, TimeRange range, CaptureTexts texts) override {
    return m_rows.captures(run, range, texts);
  }
  Result<std::vector<Finding>> findings(std::optional<RunId> run) override;
  Result<std::vector<Finding>> publishedFindings(std::optional<RunId> run) override;  // store_findings.cpp
  Result<std::vector<Incident>> incidents(std::optional<RunId> run) override;         // store_incident.cpp
  Result<Incident> incident(std::string_view uuid) override;                          // store_incident.cpp
  Result<std::vector<Note>> notes(RunId run) override;
  Result<std::vector<Alert>> alerts(std::size_t limit) override;  // store_alert.cpp
  Result<std::vector<Snooze>> snoozes() override;                 // store_alert.cpp
  Result<SampleColumns> samples(SeriesId series, TimeRange range, std::stop_token stop) override;
  Result<ScalarColumns> scalars(SeriesId series, std::int64_t step0, std::int64_t step1, std::stop_token stop) override {
    return m_points.scalars(series, step0, step1, std::move(stop));
  }
  Result<std::vector<Bin>> bins(SeriesId series, Axis axis, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                std::stop_token stop) override {
    return m_bins.bins(series, axis, x0, x1, bins, std::move(stop));
  }
  Result<std::vector<Bin>> summaries(SeriesId series, TimeRange range) override { return m_bins.summaries(series, range); }
  Result<std::vector<LatestSample>> latest(std::span<const SeriesId> series) override { return m_newest.latest(series); }
  Result<std::vector<LatestSample>> latestAt(std::span<const SeriesId> series, TimeNs moment, std::stop_token stop) override {
    return m_newest.latestAt(series, moment, std::move(stop));
  }
  Result<std::vector<Track>> tracks(AttemptId attempt) override;
  Result<std::optional<TimeRange>> spanExtent(RunId run) override { return m_spans.spanExtent(run); }
  Result<SpanColumns> spans(TrackId track, TimeRange range, std::stop_token stop) override {
    return m_spans.spans(track, range, std::move(stop));
  }
  Result<StoredSpans> spansWith(std::int64_t span, TimeRange range) override { return m_spans.spansWith(span, range); }
  Result<SpanPicture> spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop) override {
    return m_picture.spanPicture(tracks, range, pixel, std::move(stop));
  }
  Status query(std::string_view sql, const SqlSink& sink, std::stop_token stop) override;
  Result<std::vector<std::string>> verify(std::stop_token stop) override;  // store_info.cpp

 private:
  Status countSeries(StoreInfo& info);  // store_info.cpp

  ReaderFile m_file;
  // The parts; each caches what it decoded or read until the file changes.
  SeriesList m_series{m_file};
  RowReader m_rows{m_file};
  PointReader m_points{m_file};
  BinReader m_bins{m_file, m_points};
  NewestReader m_newest{m_file, m_series, m_points, m_bins};
  SpanReader m_spans{m_file};
  PictureReader m_picture{m_file, m_spans};
  std::unique_ptr<SqlSession> m_session;
  const ClockMaps* m_session_clocks = nullptr;  // the clocks that m_session corrects with: the file's, or null
  std::uint64_t m_generation = 0;
  std::int64_t m_data_version = -1;
};

}  // namespace runglass
