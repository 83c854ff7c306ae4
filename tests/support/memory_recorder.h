// SPDX-License-Identifier: Apache-2.0
// MemoryRecorder: a Recorder that stores all records in plain vectors, for tests of sources and importers.
//
// Threading:  one thread.
// Ownership:  owns copies.
// Units:      as recorded.
// Errors:     flush() returns `fail_flush`.
// Cost:       linear look-ups; tests are small.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "model/recorder.h"

namespace runglass::test {

class MemoryRecorder : public Recorder {
 public:
  NodeId node(const Node& value) override {
    return upsert<NodeId>(nodes, value, [&](const Node& n) { return n.uuid == value.uuid; });
  }
  DeviceId device(const Device& value) override {
    return upsert<DeviceId>(devices, value, [&](const Device& d) { return d.uuid == value.uuid; });
  }
  RunId run(const Run& value) override {
    const auto same = [&](const Run& r) { return value.uuid.empty() ? r.name == value.name : r.uuid == value.uuid; };
    Run said = value;
    if (const auto have = std::ranges::find_if(runs, same); have != runs.end() && !said.time_domain) said.time_domain = have->time_domain;
    return upsert<RunId>(runs, said, same);
  }
  AttemptId attempt(const Attempt& value) override {
    return upsert<AttemptId>(attempts, value, [&](const Attempt& a) { return a.run == value.run && a.key == value.key; });
  }
  void rank(const Rank& value) override { ranks.push_back(value); }
  void fact(const Fact& value) override { facts.push_back(value); }
  void checkpoint(const Checkpoint& value) override { checkpoints.push_back(value); }
  void group(const CommGroup& value) override { groups.push_back(value); }
  SeriesId series(const SeriesKey& key) override {
    for (const auto& [id, known] : series_keys)
      if (known == key) return SeriesId{id};
    series_keys[series_keys.size() + 1] = key;
    return SeriesId{series_keys.size()};
  }
  TrackId track(const TrackKey& key) override {
    for (const auto& [id, known] : track_keys)
      if (known == key) return TrackId{id};
    track_keys[track_keys.size() + 1] = key;
    return TrackId{track_keys.size()};
  }
  void samples(SeriesId id, std::span<const TimeNs> time, std::span<const double> value) override {
    auto& columns = metric_samples[id.value];
    columns.time.insert(columns.time.end(), time.begin(), time.end());
    columns.value.insert(columns.value.end(), value.begin(), value.end());
  }
  void scalars(SeriesId id, std::span<const std::int64_t> step, std::span<const TimeNs> time, std::span<const double> value) override {
    auto& columns = scalar_points[id.value];
    columns.step.insert(columns.step.end(), step.begin(), step.end());
    columns.time.insert(columns.time.end(), time.begin(), time.end());
    columns.value.insert(columns.value.end(), value.begin(), value.end());
  }
  void spans(TrackId id, const SpanColumns& value) override { span_batches[id.value].push_back(value); }
  void event(const Event& value) override { events.push_back(value); }
  void log(const LogLine& value) override { logs.push_back(value); }
  void progress(const Progress& value) override { progresses.push_back(value); }
  void issue(const Issue& value) override { issues.push_back(value); }
  void label(const Label& value) override { labels.push_back(value); }
  void clock(const ClockReading& value) override { clocks.push_back(value); }
  void capture(const Capture& value) override { captures.push_back(value); }
  Status flush() override { return fail_flush; }

  // The series with this metric and, where given, labels / rank / device. Empty columns if there is none.
  SampleColumns samplesOf(std::string_view metric, std::string_view labels = "*", DeviceId device = {}) const {
    for (const auto& [id, key] : series_keys)
      if (key.metric == metric && (labels == "*" || key.labels == labels) && (!device || key.device == device) &&
          metric_samples.contains(id))
        return metric_samples.at(id);
    return {};
  }
  ScalarColumns scalarsOf(std::string_view metric, std::optional<std::int32_t> rank = std::nullopt, std::string_view labels = "*") const {
    for (const auto& [id, key] : series_keys)
      if (key.metric == metric && key.rank == rank && (labels == "*" || key.labels == labels) && scalar_points.contains(id))
        return scalar_points.at(id);
    return {};
  }
  bool hasEvent(std::string_view kind) const {
    return std::any_of(events.begin(), events.end(), [&](const Event& e) { return e.kind == kind; });
  }
  std::int64_t issueCount(std::string_view code) const {
    std::int64_t count = 0;
    for (const Issue& issue : issues) count += issue.code == code ? issue.count : 0;
    return count;
  }

  std::vector<Node> nodes;
  std::vector<Device> devices;
  std::vector<Run> runs;
  std::vector<Attempt> attempts;
  std::vector<Rank> ranks;
  std::vector<Fact> facts;
  std::vector<Checkpoint> checkpoints;
  std::vector<CommGroup> groups;
  std::map<std::uint64_t, SeriesKey> series_keys;
  std::map<std::uint64_t, TrackKey> track_keys;
  std::map<std::uint64_t, SampleColumns> metric_samples;
  std::map<std::uint64_t, ScalarColumns> scalar_points;
  std::map<std::uint64_t, std::vector<SpanColumns>> span_batches;
  std::vector<Event> events;
  std::vector<LogLine> logs;
  std::vector<Progress> progresses;
  std::vector<Issue> issues;
  std::vector<Label> labels;
  std::vector<ClockReading> clocks;
  std::vector<Capture> captures;
  Status fail_flush;

 private:
  // Fields that an update leaves unset keep their values.
  static void keepKnown(Attempt& now, const Attempt& known) {
    if (!now.start) now.start = known.start;
    if (!now.end) now.end = known.end;
    if (!now.resumed_from_step) now.resumed_from_step = known.resumed_from_step;
    if (now.end_cause.empty()) now.end_cause = known.end_cause;
    if (now.layout == Layout{}) now.layout = known.layout;
  }
  static void keepKnown(Run& now, const Run& known) {
    if (!now.start) now.start = known.start;
    if (!now.end) now.end = known.end;
    if (now.framework.empty()) now.framework = known.framework;
  }
  static void keepKnown(Node&, const Node&) {}
  static void keepKnown(Device&, const Device&) {}
  template <class Id, class T, class Same>
  static Id upsert(std::vector<T>& all, const T& value, Same same) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!same(all[i])) continue;
      T merged = value;
      keepKnown(merged, all[i]);
      all[i] = merged;
      return Id{i + 1};
    }
    all.push_back(value);
    return Id{all.size()};
  }
};

}  // namespace runglass::test
