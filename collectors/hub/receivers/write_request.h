// SPDX-License-Identifier: Apache-2.0
// Body of a Prometheus remote_write 1.0 request: a snappy block of a WriteRequest, read without building objects.
//
// Threading:  pure.
// Ownership:  results of forEachSeries() point into the bytes or are valid for the call only.
// Units:      ms as sent.
// Errors:     INVALID_ARGUMENT malformed; RESOURCE_EXHAUSTED more than a limit: nothing is allocated by a number that the bytes claim.
// Cost:       countWriteRequest() O(bytes) without allocation; forEachSeries() holds the samples of one series, 16 bytes each.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/result.h"

namespace runglass {

inline constexpr std::size_t kMaxUnpacked = 64U << 20;

// The size that the block declares is checked before anything is allocated.
Result<std::string> unpackSnappy(std::string_view block, std::size_t most = kMaxUnpacked);

struct WriteCounts {
  static constexpr std::int64_t kMaxSeries = 500'000, kMaxSamples = 2'000'000, kMaxLabelsOfSeries = 128;
  static constexpr std::size_t kMaxLabelBytes = 16U << 10;  // of a series
  std::int64_t series = 0, samples = 0, histograms = 0, metadata = 0;
};
Result<WriteCounts> countWriteRequest(std::string_view bytes);

struct WriteSample {
  std::int64_t time_ms = 0;
  double value = 0;
};
// The end of a series: a NaN of its own bit pattern.
bool isStaleMarker(double value);

// A series of a request. `key`: its label fields as sent; equal keys are the same series.
using UseSeries = std::function<void(std::string_view key, std::span<const WriteSample> samples)>;
// Only for bytes that countWriteRequest() accepted. Series without samples are left out.
void forEachSeries(std::string_view bytes, const UseSeries& use);

// The labels of a key, in its order.
std::vector<std::pair<std::string_view, std::string_view>> labelsOf(std::string_view key);

}  // namespace runglass
