// SPDX-License-Identifier: Apache-2.0
// ForwardingReader: each call is forwarded to the inner Reader.
#include "storage/travel/forwarding_reader.h"

#include <utility>

namespace runglass {

std::uint64_t ForwardingReader::generation() { return m_inner.generation(); }
std::shared_ptr<void> ForwardingReader::hold() { return m_inner.hold(); }
Result<StoreInfo> ForwardingReader::info() { return m_inner.info(); }
Result<StoreUsage> ForwardingReader::usage(std::stop_token stop) { return m_inner.usage(std::move(stop)); }
Result<std::vector<Node>> ForwardingReader::nodes() { return m_inner.nodes(); }
Result<std::vector<Device>> ForwardingReader::devices() { return m_inner.devices(); }
Result<std::optional<DurNs>> ForwardingReader::clockError(NodeId node, TimeNs time) { return m_inner.clockError(node, time); }
Result<std::optional<DurNs>> ForwardingReader::clockError(AttemptId attempt, std::int32_t rank, TimeNs time) {
  return m_inner.clockError(attempt, rank, time);
}
Result<std::optional<ClockAlignment>> ForwardingReader::alignment(AttemptId attempt) { return m_inner.alignment(attempt); }
Result<std::unique_ptr<Reader>> ForwardingReader::unaligned() { return m_inner.unaligned(); }
Result<std::vector<Run>> ForwardingReader::runs() { return m_inner.runs(); }
Result<Run> ForwardingReader::run(RunId run) { return m_inner.run(run); }
Result<std::vector<Attempt>> ForwardingReader::attempts(RunId run) { return m_inner.attempts(run); }
Result<Attempt> ForwardingReader::attempt(AttemptId attempt) { return m_inner.attempt(attempt); }
Result<std::vector<Rank>> ForwardingReader::ranks(AttemptId attempt) { return m_inner.ranks(attempt); }
Result<std::vector<Fact>> ForwardingReader::facts(AttemptId attempt) { return m_inner.facts(attempt); }
Result<std::vector<CommGroup>> ForwardingReader::groups(AttemptId attempt) { return m_inner.groups(attempt); }
Result<std::vector<Checkpoint>> ForwardingReader::checkpoints(RunId run) { return m_inner.checkpoints(run); }
Result<std::vector<Progress>> ForwardingReader::progress(RunId run) { return m_inner.progress(run); }
Result<std::vector<Series>> ForwardingReader::series(const SeriesFilter& filter) { return m_inner.series(filter); }
Result<std::vector<Event>> ForwardingReader::events(const EventFilter& filter) { return m_inner.events(filter); }
Result<std::vector<LogLine>> ForwardingReader::logs(const EventFilter& filter) { return m_inner.logs(filter); }
Result<LogPage> ForwardingReader::searchLogs(const RowQuery& query, std::stop_token stop) {
  return m_inner.searchLogs(query, std::move(stop));
}
Result<EventPage> ForwardingReader::searchEvents(const RowQuery& query, std::stop_token stop) {
  return m_inner.searchEvents(query, std::move(stop));
}
Result<LogContext> ForwardingReader::logContext(std::int64_t log_id, std::size_t before, std::size_t after, std::stop_token stop) {
  return m_inner.logContext(log_id, before, after, std::move(stop));
}
Result<RowDensity> ForwardingReader::rowDensity(const RowQuery& query, std::size_t parts, std::stop_token stop) {
  return m_inner.rowDensity(query, parts, std::move(stop));
}
Result<std::vector<Issue>> ForwardingReader::issues() { return m_inner.issues(); }
Result<std::vector<Label>> ForwardingReader::labels(RunId run) { return m_inner.labels(run); }
Result<std::vector<Capture>> ForwardingReader::captures(RunId run, TimeRange range, CaptureTexts texts) {
  return m_inner.captures(run, range, texts);
}
Result<std::vector<Finding>> ForwardingReader::findings(std::optional<RunId> run) { return m_inner.findings(run); }
Result<std::vector<Incident>> ForwardingReader::incidents(std::optional<RunId> run) { return m_inner.incidents(run); }
Result<Incident> ForwardingReader::incident(std::string_view uuid) { return m_inner.incident(uuid); }
Result<std::vector<Finding>> ForwardingReader::publishedFindings(std::optional<RunId> run) { return m_inner.publishedFindings(run); }
Result<std::vector<Note>> ForwardingReader::notes(RunId run) { return m_inner.notes(run); }
Result<std::vector<Alert>> ForwardingReader::alerts(std::size_t limit) { return m_inner.alerts(limit); }
Result<std::vector<Snooze>> ForwardingReader::snoozes() { return m_inner.snoozes(); }
Result<SampleColumns> ForwardingReader::samples(SeriesId series, TimeRange range, std::stop_token stop) {
  return m_inner.samples(series, range, std::move(stop));
}
Result<ScalarColumns> ForwardingReader::scalars(SeriesId series, std::int64_t step0, std::int64_t step1, std::stop_token stop) {
  return m_inner.scalars(series, step0, step1, std::move(stop));
}
Result<std::vector<Bin>> ForwardingReader::bins(SeriesId series, Axis axis, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                                std::stop_token stop) {
  return m_inner.bins(series, axis, x0, x1, bins, std::move(stop));
}
Result<std::vector<LatestSample>> ForwardingReader::latest(std::span<const SeriesId> series) { return m_inner.latest(series); }
Result<std::vector<LatestSample>> ForwardingReader::latestAt(std::span<const SeriesId> series, TimeNs moment, std::stop_token stop) {
  return m_inner.latestAt(series, moment, std::move(stop));
}
Result<std::vector<Track>> ForwardingReader::tracks(AttemptId attempt) { return m_inner.tracks(attempt); }
Result<std::optional<TimeRange>> ForwardingReader::spanExtent(RunId run) { return m_inner.spanExtent(run); }
Result<SpanColumns> ForwardingReader::spans(TrackId track, TimeRange range, std::stop_token stop) {
  return m_inner.spans(track, range, std::move(stop));
}
Result<StoredSpans> ForwardingReader::spansWith(std::int64_t span, TimeRange range) { return m_inner.spansWith(span, range); }
Result<SpanPicture> ForwardingReader::spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop) {
  return m_inner.spanPicture(tracks, range, pixel, std::move(stop));
}
Status ForwardingReader::query(std::string_view sql, const SqlSink& sink, std::stop_token stop) {
  return m_inner.query(sql, sink, std::move(stop));
}
Result<std::vector<std::string>> ForwardingReader::verify(std::stop_token stop) { return m_inner.verify(std::move(stop)); }

}  // namespace runglass
