// SPDX-License-Identifier: Apache-2.0
// Answers of the Prometheus HTTP API (JSON), of Prometheus, VictoriaMetrics, Thanos and Mimir.
//
// Threading:  pure.
// Units:      TimeNs, exactly: the timestamps' decimal digits are never a double.
// Errors:     DATA_LOSS: not an answer of this API. An answer that reports an error is a QueryAnswer with `error_type`.
// Cost:       O(body); 16 bytes a sample.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/result.h"
#include "model/samples.h"

namespace runglass {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;  // with __name__

struct QueriedColumn {
  MetricLabels labels;
  std::vector<TimeNs> time;
  std::vector<double> value;
};

struct QueryAnswer {
  std::string error_type, error;  // "": success
  std::vector<std::string> warnings;
  bool partial = false;                                    // VictoriaMetrics: a storage node did not answer
  std::vector<QueriedColumn> matrix;                       // of /query
  std::vector<MetricLabels> series;                        // of /series
  std::vector<std::string> texts;                          // of /label/NAME/values
  std::vector<std::pair<std::string, std::string>> types;  // of /metadata: metric and type
  std::int64_t unreadable = 0;                             // samples whose time or value is no number
};

enum class QueryKind : std::uint8_t { kSamples, kSeries, kLabelValues, kMetadata };
// `body` is changed: its capacity grows by the parser's padding.
Result<QueryAnswer> parseQueryAnswer(QueryKind kind, std::string& body);

}  // namespace runglass
