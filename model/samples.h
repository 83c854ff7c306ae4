// SPDX-License-Identifier: Apache-2.0
// Series, samples and bins.
//
// Ownership:  columns own their vectors.
// Units:      metric series: x = TimeNs. Scalar series: x = training step, with a time column where the source has a clock.
// Errors:     NaN is a value: stored bit-exactly, excluded from min/max/sum and counted.
// Cost:       struct of arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/ids.h"
#include "model/time.h"

namespace runglass {

enum class SeriesKind : std::uint8_t {
  kGauge = 0,    // x = time
  kCounter = 1,  // x = time, only grows; a decrease is a restart
  kScalar = 2,   // x = step: loss, learning rate, step durations, step parts
};

// The identity of a series: all members together. The owner is either an attempt (+ rank) or a node (+ device).
struct SeriesKey {
  AttemptId attempt;                 // 0 for node and device series
  std::optional<std::int32_t> rank;  // absent = global to the attempt
  NodeId node;
  DeviceId device;
  std::string metric;  // catalogue id ("power_watts") or the source's tag ("lm loss")
  std::string source;  // sub-stream of a run: "train", "tfevents/eval", ""
  std::string labels;  // canonical JSON object with sorted keys, or ""
  std::string unit;    // from the closed suffix list without "_", or ""
  SeriesKind kind = SeriesKind::kGauge;
  friend bool operator==(const SeriesKey&, const SeriesKey&) = default;
};

struct Series {
  SeriesId id;
  SeriesKey key;
  RunId run;  // of key.attempt
  std::int64_t sample_count = 0;
  std::int64_t first_x = 0, last_x = 0;         // undefined while sample_count == 0
  std::optional<TimeNs> first_time, last_time;  // for scalars without a clock: absent
};

struct SampleColumns {
  std::vector<TimeNs> time;
  std::vector<double> value;
  // Number of further samples in the range of which only a block's summary is left: bins() includes these.
  std::int64_t summarised = 0;
  std::size_t size() const { return time.size(); }
};

struct ScalarColumns {
  std::vector<std::int64_t> step;
  std::vector<TimeNs> time;  // as long as step, or empty: no clock
  std::vector<double> value;
  std::size_t size() const { return step.size(); }
};

// Reduction of the samples with x in [x0, x1). count excludes NaN; first/last/min/max/sum are undefined while count == 0.
struct Bin {
  std::int64_t x0 = 0, x1 = 0;
  double first = 0, last = 0, min = 0, max = 0, sum = 0;
  std::int64_t count = 0, nan_count = 0;
  friend bool operator==(const Bin&, const Bin&) = default;
};

struct LatestSample {
  SeriesId series;
  std::int64_t x = 0;
  std::optional<TimeNs> time;
  double value = 0;
  // Set where only a summary of at most 64 samples is left: their mean, which is comparable with other series when a single sample is not.
  // For a moment within the block, `value` is that of the first sample, and x the position of the newest one if they were evenly spaced.
  std::optional<double> mean;
};

}  // namespace runglass
