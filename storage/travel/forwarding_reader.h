// SPDX-License-Identifier: Apache-2.0
// ForwardingReader: a Reader that forwards to another one, the base of Readers that present a store differently (as of a moment, without
// names): they override the calls that differ, and all others are answered by the inner Reader.
//
// Threading:  the inner Reader's: one thread at a time for both together.
// Ownership:  constructed with a reference: none, the inner Reader outlives it; with a pointer: owns the inner Reader.
// Units:      as reader.h.
// Errors:     the inner Reader's.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/reader.h"

namespace runglass {

class ForwardingReader : public Reader {
 public:
  explicit ForwardingReader(Reader& inner) : m_inner(inner) {}
  explicit ForwardingReader(std::unique_ptr<Reader> inner) : m_owned(std::move(inner)), m_inner(*m_owned) {}

  std::uint64_t generation() override;
  std::shared_ptr<void> hold() override;
  Result<StoreInfo> info() override;
  Result<StoreUsage> usage(std::stop_token stop) override;
  Result<std::vector<Node>> nodes() override;
  Result<std::vector<Device>> devices() override;
  Result<std::optional<DurNs>> clockError(NodeId node, TimeNs time) override;
  Result<std::optional<DurNs>> clockError(AttemptId attempt, std::int32_t rank, TimeNs time) override;
  Result<std::optional<ClockAlignment>> alignment(AttemptId attempt) override;
  Result<std::unique_ptr<Reader>> unaligned() override;  // the inner Reader's: a derived class has to wrap it again
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
  Result<SampleColumns> samples(SeriesId series, TimeRange range, std::stop_token stop) override;
  Result<ScalarColumns> scalars(SeriesId series, std::int64_t step0, std::int64_t step1, std::stop_token stop) override;
  Result<std::vector<Bin>> summaries(SeriesId series, TimeRange range) override { return m_inner.summaries(series, range); }
  Result<std::vector<Bin>> bins(SeriesId series, Axis axis, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                std::stop_token stop) override;
  Result<std::vector<LatestSample>> latest(std::span<const SeriesId> series) override;
  Result<std::vector<LatestSample>> latestAt(std::span<const SeriesId> series, TimeNs moment, std::stop_token stop) override;
  Result<std::vector<Track>> tracks(AttemptId attempt) override;
  Result<std::optional<TimeRange>> spanExtent(RunId run) override;
  Result<SpanColumns> spans(TrackId track, TimeRange range, std::stop_token stop) override;
  Result<StoredSpans> spansWith(std::int64_t span, TimeRange range) override;
  Result<SpanPicture> spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop) override;
  Status query(std::string_view sql, const SqlSink& sink, std::stop_token stop) override;
  Result<std::vector<std::string>> verify(std::stop_token stop) override;

 protected:
  Reader& inner() { return m_inner; }

 private:
  std::unique_ptr<Reader> m_owned;
  Reader& m_inner;
};

}  // namespace runglass
