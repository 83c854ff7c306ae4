// SPDX-License-Identifier: GPL-3.0-or-later
// A Reader over plain vectors, for tests about threads or about one odd row, not about a store.
//
// Threading:  as Reader; the generation may be bumped from any thread, the vectors must not change while a service runs.
// Ownership:  shares its data with the test.
// Errors:     every call returns `failure`, if set.
#pragma once

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>

#include "storage/reader.h"
#include "widgets/core/query_service.h"

namespace runglass {

struct FakeData {
  std::atomic<std::uint64_t> generation{1};
  std::atomic<int> generation_reads{0};
  Status failure;
  StoreInfo info;
  StoreUsage usage;
  std::vector<Node> nodes;
  std::vector<Device> devices;
  std::vector<Run> runs;
  std::vector<Attempt> attempts;
  std::vector<Rank> ranks;
  std::vector<Fact> facts;
  std::vector<Checkpoint> checkpoints;
  std::vector<CommGroup> groups;
  std::vector<Series> series;          // ids 1..n
  std::vector<ScalarColumns> scalars;  // of series id - 1
  std::vector<Issue> issues;
  std::vector<Finding> findings;
  std::vector<Alert> alerts;
  std::vector<Snooze> snoozes;
};

class FakeReader : public Reader {
 public:
  explicit FakeReader(std::shared_ptr<FakeData> data) : m_data(std::move(data)) {}
  std::uint64_t generation() override {
    ++m_data->generation_reads;
    return m_data->generation.load();
  }
  Result<StoreInfo> info() override { return give(m_data->info); }
  Result<StoreUsage> usage(std::stop_token) override { return give(m_data->usage); }
  Result<std::vector<Node>> nodes() override { return give(m_data->nodes); }
  Result<std::vector<Device>> devices() override { return give(m_data->devices); }
  Result<std::vector<Run>> runs() override { return give(m_data->runs); }
  Result<std::vector<Attempt>> attempts(RunId run) override {
    return where(m_data->attempts, [run](const Attempt& a) { return a.run == run; });
  }
  Result<Run> run(RunId run) override {
    return one(m_data->runs, [run](const Run& r) { return r.id == run; });
  }
  Result<Attempt> attempt(AttemptId attempt) override {
    return one(m_data->attempts, [attempt](const Attempt& a) { return a.id == attempt; });
  }
  Result<std::vector<Rank>> ranks(AttemptId attempt) override {
    return where(m_data->ranks, [attempt](const Rank& r) { return r.attempt == attempt; });
  }
  Result<std::vector<Fact>> facts(AttemptId attempt) override {
    return where(m_data->facts, [attempt](const Fact& f) { return f.attempt == attempt; });
  }
  Result<std::optional<DurNs>> clockError(NodeId, TimeNs) override { return std::optional<DurNs>(); }
  Result<std::optional<DurNs>> clockError(AttemptId, std::int32_t, TimeNs) override { return std::optional<DurNs>(); }
  Result<std::optional<ClockAlignment>> alignment(AttemptId) override { return std::optional<ClockAlignment>(); }
  Result<std::unique_ptr<Reader>> unaligned() override { return Status(Code::kUnimplemented, "no alignment here"); }
  Result<std::vector<CommGroup>> groups(AttemptId) override { return give(m_data->groups); }
  Result<std::vector<Checkpoint>> checkpoints(RunId) override { return give(m_data->checkpoints); }
  Result<std::vector<Progress>> progress(RunId) override { return std::vector<Progress>{}; }
  Result<std::vector<Series>> series(const SeriesFilter& filter) override {
    return where(m_data->series, [&](const Series& s) { return !filter.run || s.run == *filter.run; });
  }
  Result<std::vector<Event>> events(const EventFilter&) override { return std::vector<Event>{}; }
  Result<std::vector<LogLine>> logs(const EventFilter&) override { return std::vector<LogLine>{}; }
  Result<LogPage> searchLogs(const RowQuery&, std::stop_token) override { return LogPage{}; }
  Result<EventPage> searchEvents(const RowQuery&, std::stop_token) override { return EventPage{}; }
  Result<LogContext> logContext(std::int64_t, std::size_t, std::size_t, std::stop_token) override { return LogContext{}; }
  Result<RowDensity> rowDensity(const RowQuery&, std::size_t, std::stop_token) override { return RowDensity{}; }
  Result<std::vector<Issue>> issues() override { return give(m_data->issues); }
  Result<std::vector<Label>> labels(RunId) override { return std::vector<Label>{}; }
  Result<std::vector<Capture>> captures(RunId, TimeRange, CaptureTexts) override { return std::vector<Capture>{}; }
  Result<std::vector<Finding>> findings(std::optional<RunId> run) override {
    return where(m_data->findings, [&](const Finding& f) { return !run || f.run == *run; });
  }
  Result<std::vector<Finding>> publishedFindings(std::optional<RunId> run) override {
    return where(m_data->findings, [&](const Finding& f) { return f.published && (!run || f.run == *run); });
  }
  Result<std::vector<Incident>> incidents(std::optional<RunId>) override { return std::vector<Incident>{}; }
  Result<Incident> incident(std::string_view uuid) override { return Status(Code::kNotFound, std::string(uuid)); }
  Result<std::vector<Note>> notes(RunId) override { return std::vector<Note>{}; }
  Result<std::vector<Alert>> alerts(std::size_t) override { return give(m_data->alerts); }
  Result<std::vector<Snooze>> snoozes() override { return give(m_data->snoozes); }
  Result<SampleColumns> samples(SeriesId, TimeRange, std::stop_token) override { return SampleColumns{}; }
  Result<ScalarColumns> scalars(SeriesId series, std::int64_t step0, std::int64_t step1, std::stop_token) override {
    ScalarColumns cut;
    const ScalarColumns& all = m_data->scalars.at(series.value - 1);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all.step[i] < step0 || all.step[i] >= step1) continue;
      cut.step.push_back(all.step[i]);
      cut.value.push_back(all.value[i]);
    }
    return give(cut);
  }
  Result<std::vector<Bin>> bins(SeriesId, Axis, std::int64_t, std::int64_t, std::size_t, std::stop_token) override {
    return std::vector<Bin>{};
  }
  Result<std::vector<Bin>> summaries(SeriesId, TimeRange) override { return std::vector<Bin>{}; }
  Result<std::vector<LatestSample>> latest(std::span<const SeriesId> series) override {
    std::vector<LatestSample> newest;
    for (const SeriesId id : series) {
      const ScalarColumns& all = m_data->scalars.at(id.value - 1);
      if (all.size() > 0) newest.push_back({id, all.step.back(), std::nullopt, all.value.back()});
    }
    return give(newest);
  }
  Result<std::vector<LatestSample>> latestAt(std::span<const SeriesId> series, TimeNs moment, std::stop_token) override {
    std::vector<LatestSample> newest;
    for (const SeriesId id : series) {
      const ScalarColumns& all = m_data->scalars.at(id.value - 1);
      for (std::size_t i = all.time.size(); i > 0; --i) {
        if (all.time[i - 1] > moment) continue;
        newest.push_back({id, all.step[i - 1], all.time[i - 1], all.value[i - 1]});
        break;
      }
    }
    return give(newest);
  }
  Result<std::vector<Track>> tracks(AttemptId) override { return std::vector<Track>{}; }
  Result<std::optional<TimeRange>> spanExtent(RunId) override { return std::optional<TimeRange>(); }
  Result<SpanPicture> spanPicture(std::span<const TrackId>, TimeRange, DurNs, std::stop_token) override { return SpanPicture{}; }
  Result<SpanColumns> spans(TrackId, TimeRange, std::stop_token) override { return SpanColumns{}; }
  Result<StoredSpans> spansWith(std::int64_t, TimeRange) override { return StoredSpans{}; }
  Status query(std::string_view, const SqlSink&, std::stop_token) override { return {}; }
  Result<std::vector<std::string>> verify(std::stop_token) override { return std::vector<std::string>{}; }

 private:
  template <class T>
  Result<T> give(const T& value) const {
    if (!m_data->failure.ok()) return m_data->failure;
    return value;
  }
  template <class T, class F>
  Result<T> one(const std::vector<T>& all, F wanted) const {
    const auto found = std::ranges::find_if(all, wanted);
    return found != all.end() ? give(*found) : Status(Code::kNotFound, "not here");
  }
  template <class T, class F>
  Result<std::vector<T>> where(const std::vector<T>& all, F keep) const {
    std::vector<T> kept;
    std::ranges::copy_if(all, std::back_inserter(kept), keep);
    return give(kept);
  }
  std::shared_ptr<FakeData> m_data;
};

// Opens a FakeReader over `data` for each worker of a QueryService.
inline QueryService::OpenReader openerOf(std::shared_ptr<FakeData> data) {
  return [data] { return Result<std::unique_ptr<Reader>>(std::make_unique<FakeReader>(data)); };
}

}  // namespace runglass
