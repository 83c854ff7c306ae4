// SPDX-License-Identifier: GPL-3.0-or-later
// An empty Reader for tests that are about threads, not about data.
//
// Threading:  as Reader; generation_source may be bumped from anywhere.
// Ownership:  shares its counter with the test.
// Units:      none.
// Errors:     none; everything is empty.
// Cost:       none.
#pragma once

#include <atomic>
#include <memory>

#include "storage/reader.h"

namespace runglass {

class FakeReader : public Reader {
 public:
  explicit FakeReader(std::shared_ptr<std::atomic<std::uint64_t>> source) : m_source(std::move(source)) {}
  std::uint64_t generation() override { return m_source->load(); }
  Result<StoreInfo> info() override { return StoreInfo{}; }
  Result<std::vector<Node>> nodes() override { return std::vector<Node>{}; }
  Result<std::vector<Device>> devices() override { return std::vector<Device>{}; }
  Result<std::vector<Run>> runs() override { return std::vector<Run>{}; }
  Result<std::vector<Attempt>> attempts(RunId) override { return std::vector<Attempt>{}; }
  Result<std::vector<Rank>> ranks(AttemptId) override { return std::vector<Rank>{}; }
  Result<std::vector<Fact>> facts(AttemptId) override { return std::vector<Fact>{}; }
  Result<std::vector<Checkpoint>> checkpoints(RunId) override { return std::vector<Checkpoint>{}; }
  Result<std::vector<Progress>> progress(RunId) override { return std::vector<Progress>{}; }
  Result<std::vector<Series>> series(const SeriesFilter&) override { return std::vector<Series>{}; }
  Result<std::vector<Event>> events(const EventFilter&) override { return std::vector<Event>{}; }
  Result<std::vector<LogLine>> logs(const EventFilter&) override { return std::vector<LogLine>{}; }
  Result<std::vector<Issue>> issues() override { return std::vector<Issue>{}; }
  Result<std::vector<Label>> labels(RunId) override { return std::vector<Label>{}; }
  Result<std::vector<Finding>> findings(std::optional<RunId>) override { return std::vector<Finding>{}; }
  Result<SampleColumns> samples(SeriesId, TimeRange, std::stop_token) override { return SampleColumns{}; }
  Result<ScalarColumns> scalars(SeriesId, std::int64_t, std::int64_t, std::stop_token) override { return ScalarColumns{}; }
  Result<std::optional<std::int64_t>> supersededFrom(AttemptId) override { return std::optional<std::int64_t>{}; }
  Result<std::vector<Bin>> bins(SeriesId, Axis, std::int64_t, std::int64_t, std::size_t, std::stop_token) override {
    return std::vector<Bin>{};
  }
  Result<std::vector<LatestSample>> latest(std::span<const SeriesId>) override { return std::vector<LatestSample>{}; }
  Result<std::vector<Track>> tracks(AttemptId) override { return std::vector<Track>{}; }
  Result<SpanColumns> spans(TrackId, TimeRange, std::stop_token) override { return SpanColumns{}; }
  Status query(std::string_view, const SqlSink&, std::stop_token) override { return {}; }
  Result<std::vector<std::string>> verify(std::stop_token) override { return std::vector<std::string>{}; }

 private:
  std::shared_ptr<std::atomic<std::uint64_t>> m_source;
};

}  // namespace runglass
