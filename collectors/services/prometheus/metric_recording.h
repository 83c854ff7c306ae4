// SPDX-License-Identifier: Apache-2.0
// MetricRecording: queries a Prometheus at an interval and posts its samples, each once.
//
// Each round queries the time since the last complete one and kOverlap before it, because samples may reach a server late. The end of the
// last complete round is stored with the samples, so that a later recording into the same store continues there.
//
// Threading:  one thread of its own. `post`, `reader`, `node_uuid` and `report` are called on it, posted actions on the receiver's, one
//             after the other.
// Ownership:  owns thread and connection; the destructor stops them.
// Units:      ns.
// Errors:     a round that fails is an ingest issue, reported once per cause, and its time is queried again in the next one.
// Cost:       per round MetricSource::find() and the samples of the interval and the overlap; 8 bytes a sample of the overlap.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "collectors/services/prometheus/prometheus_access.h"
#include "collectors/services/prometheus/queried_series.h"
#include "storage/writer.h"

namespace runglass {

struct MetricRecordingOptions {
  PrometheusAccess access;
  QueriedPlaces places;
  std::string match;
  DurNs interval = 15 * kNsPerSecond;
  std::function<Result<std::unique_ptr<Reader>>()> reader;  // of the store
  ExporterPlaces::NodeUuid node_uuid;
  std::function<void(const std::string& words)> report;
};

class MetricRecording {
 public:
  static constexpr DurNs kOverlap = 120 * kNsPerSecond;
  static constexpr DurNs kMaxGap = 24LL * 3'600 * kNsPerSecond;  // what is older is not filled in
  static constexpr std::int64_t kMaxPosted = 4'000'000;          // samples that are not applied yet
  using Post = std::function<void(std::function<void(Writer&)>)>;

  MetricRecording(MetricRecordingOptions options, Post post);
  ~MetricRecording();
  // Aborts the queries; nothing is posted afterwards. Later calls do nothing.
  void stop();

 private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

}  // namespace runglass
