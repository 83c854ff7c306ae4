// SPDX-License-Identifier: Apache-2.0
// AttachedMetrics: series that a Prometheus has of a store's nodes in the time of its runs, read on demand and never stored.
//
// Samples are those that were scraped, with the units, blank values and counters of a recording: a missing sample is missing, and there is
// no look-back.
//
// Threading:  any thread; one question at a time, for which others wait unless their stop fires. generation(), problem() and issues() wait
//             for no answer.
// Ownership:  shared by all Readers of a session.
// Units:      TimeNs of the server's clock. Ids from kFirstId on: stores have none so high.
// Errors:     UNAVAILABLE: the server refused or did not answer, in its words, or no run has a wall clock; for kPause after it the next
//             questions fail alike. CANCELLED: `stop` fired. NOT_FOUND: a series that is not attached (any longer).
// Cost:       list(): MetricSource::find() and the newest samples of all series, once, and every kRefresh where the runs continue. Samples:
// a
//             question per metric, for the blocks of kBlock that are not cached. The cache has kMaxBytes; an answer may exceed them while
//             it is made.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "collectors/services/prometheus/prometheus_access.h"
#include "model/events.h"
#include "model/result.h"
#include "model/samples.h"
#include "model/topology.h"

namespace runglass {

// What of a store decides about the series that are attached to it.
struct AttachedTo {
  std::vector<Node> nodes;
  std::vector<Device> devices;
  TimeRange window{0, 0};  // of its runs; empty: none has a wall clock
  bool continues = false;  // a run has not ended: the window ends now
};

class AttachedMetrics {
 public:
  static constexpr std::uint64_t kFirstId = std::uint64_t{1} << 62;
  static constexpr DurNs kBlock = 600 * kNsPerSecond, kRefresh = 15 * kNsPerSecond, kPause = 5 * kNsPerSecond;
  static constexpr std::size_t kMaxBytes = std::size_t{256} << 20;

  struct Listing {
    // By metric. last_x is the newest sample; first_x is the begin of the window and sample_count the samples that were read to find the
    // newest: bounds, because more would have to be read.
    std::vector<Series> series;
    std::vector<Device> devices;  // those that the store lacks
  };

  // `match`: as MetricSource. `timeout`: of a question.
  AttachedMetrics(PrometheusAccess access, std::string match, DurNs timeout = 10 * kNsPerSecond);
  ~AttachedMetrics();
  // Ends the question that is running; later ones are CANCELLED.
  void stop();

  static bool isAttached(SeriesId series) { return series.value >= kFirstId; }
  Result<std::shared_ptr<const Listing>> list(const AttachedTo& store, const std::stop_token& stop);
  // By time, in the window of the last list(); an answer per series.
  Result<std::vector<SampleColumns>> samples(std::span<const SeriesId> series, TimeRange range, const std::stop_token& stop);
  // The newest sample at or before the moment; series without one are left out.
  Result<std::vector<LatestSample>> latestAt(std::span<const SeriesId> series, TimeNs moment, const std::stop_token& stop);

  // Grows when answers may differ.
  std::uint64_t generation();
  // Why nothing is attached now; "": the last question was answered.
  std::string problem();
  // With prometheus.unavailable while there is a problem. Counts are the largest of one reading.
  std::vector<Issue> issues();

 private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

}  // namespace runglass
