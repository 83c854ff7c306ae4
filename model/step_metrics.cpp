// SPDX-License-Identifier: Apache-2.0
#include "model/step_metrics.h"

#include <string>

namespace runglass {

// Of the training itself (not of a sub-stream such as an evaluation), and over steps.
bool isLoggedStepTime(const SeriesKey& key) {
  static const std::string kName = "\"canonical\":\"" + std::string(kStepTimeMetric) + "\"";
  return key.kind == SeriesKind::kScalar && !key.rank && key.source.empty() && key.unit == "ns" &&
         key.labels.find(kName) != std::string::npos && key.labels.find("\"x\":") == std::string::npos;
}

const Series* loggedStepTimes(std::span<const Series> all, AttemptId attempt) {
  const Series* longest = nullptr;
  for (const Series& series : all) {
    const SeriesKey& key = series.key;
    if (key.attempt != attempt || key.kind != SeriesKind::kScalar || series.sample_count == 0) continue;
    if (key.metric == kStepTimeMetric) return nullptr;
    if (isLoggedStepTime(key) && (longest == nullptr || series.sample_count > longest->sample_count)) longest = &series;
  }
  return longest;
}

}  // namespace runglass
