// SPDX-License-Identifier: Apache-2.0
// RedactedReader: a store without names of machines and people, paths, addresses and secrets: callers cannot leak data that they never get.
//
// It covers every text that a source or a person sent: names of nodes, runs, devices, series, tracks and spans, facts, events, log lines,
// captures, checkpoints, notes, findings with their evidence, incidents, alerts, issues, and SQL answers. model/fields.h describes the
// texts of each record. Uuids of stores, runs and incidents are kept, so that links work. It derives from Reader itself: a new query of
// Reader does not compile here until its redaction is written.
//
// Threading:  as the wrapped Reader.
// Ownership:  borrows the redactor and the wrapped Reader, which outlive it.
// Units:      reader.h.
// Errors:     the wrapped Reader's.
// Cost:       the wrapped Reader's, and one pass over each text.
#pragma once

#include "analysis/report/redaction.h"
#include "storage/reader.h"

namespace runglass::report {

// Passes the names in the store to the redactor: nodes, hosts and people in facts, authors, home folders.
Status learnNames(Reader& reader, Redactor& redactor);

class RedactedReader : public Reader {
 public:
  RedactedReader(Reader& inner, Redactor& redactor) : m_inner(inner), m_redactor(redactor) {}

  Result<StoreInfo> info() override;
  Result<std::vector<Node>> nodes() override;
  Result<std::vector<Device>> devices() override;
  Result<std::optional<ClockAlignment>> alignment(AttemptId attempt) override;
  Result<std::unique_ptr<Reader>> unaligned() override;
  Result<std::vector<Run>> runs() override;
  Result<Run> run(RunId run) override;
  Result<std::vector<Attempt>> attempts(RunId run) override;
  Result<Attempt> attempt(AttemptId attempt) override;
  Result<std::vector<Fact>> facts(AttemptId attempt) override;
  Result<std::vector<CommGroup>> groups(AttemptId attempt) override;
  Result<std::vector<Checkpoint>> checkpoints(RunId run) override;
  Result<std::vector<Progress>> progress(RunId run) override;
  Result<std::vector<Series>> series(const SeriesFilter& filter) override;
  Result<std::vector<Event>> events(const EventFilter& filter) override;
  Result<std::vector<LogLine>> logs(const EventFilter& filter) override;
  Result<LogPage> searchLogs(const RowQuery& query, std::stop_token stop) override;
  Result<EventPage> searchEvents(const RowQuery& query, std::stop_token stop) override;
  Result<LogContext> logContext(std::int64_t log_id, std::size_t before, std::size_t after, std::stop_token stop) override;
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
  Result<std::vector<Track>> tracks(AttemptId attempt) override;
  Result<SpanColumns> spans(TrackId track, TimeRange range, std::stop_token stop) override;
  Result<StoredSpans> spansWith(std::int64_t span, TimeRange range) override;
  Result<SpanPicture> spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop) override;
  Status query(std::string_view sql, const SqlSink& sink, std::stop_token stop) override;
  Result<std::vector<std::string>> verify(std::stop_token stop) override;

  // Queries that return only numbers, times and ids.
  std::shared_ptr<void> hold() override { return m_inner.hold(); }
  std::uint64_t generation() override { return m_inner.generation(); }
  Result<StoreUsage> usage(std::stop_token stop) override { return m_inner.usage(std::move(stop)); }
  Result<std::optional<DurNs>> clockError(NodeId node, TimeNs time) override { return m_inner.clockError(node, time); }
  Result<std::optional<DurNs>> clockError(AttemptId attempt, std::int32_t rank, TimeNs time) override {
    return m_inner.clockError(attempt, rank, time);
  }
  Result<std::vector<Rank>> ranks(AttemptId attempt) override { return m_inner.ranks(attempt); }
  Result<RowDensity> rowDensity(const RowQuery& query, std::size_t parts, std::stop_token stop) override {
    return m_inner.rowDensity(query, parts, std::move(stop));
  }
  Result<SampleColumns> samples(SeriesId series, TimeRange range, std::stop_token stop) override {
    return m_inner.samples(series, range, std::move(stop));
  }
  Result<ScalarColumns> scalars(SeriesId series, std::int64_t step0, std::int64_t step1, std::stop_token stop) override {
    return m_inner.scalars(series, step0, step1, std::move(stop));
  }
  Result<std::vector<Bin>> bins(SeriesId series, Axis axis, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                std::stop_token stop) override {
    return m_inner.bins(series, axis, x0, x1, bins, std::move(stop));
  }
  Result<std::vector<Bin>> summaries(SeriesId series, TimeRange range) override { return m_inner.summaries(series, range); }
  Result<std::vector<LatestSample>> latest(std::span<const SeriesId> series) override { return m_inner.latest(series); }
  Result<std::vector<LatestSample>> latestAt(std::span<const SeriesId> series, TimeNs moment, std::stop_token stop) override {
    return m_inner.latestAt(series, moment, std::move(stop));
  }
  Result<std::optional<TimeRange>> spanExtent(RunId run) override { return m_inner.spanExtent(run); }

 private:
  Reader& m_inner;
  Redactor& m_redactor;
};

}  // namespace runglass::report
