// SPDX-License-Identifier: Apache-2.0
// Meaning of an OpenTelemetry metric: exporters' names as they are exposed, the semantic conventions of hardware (hw.*) and hosts
// (system.*), and UCUM units.
//
// Threading:  pure.
// Ownership:  owns its texts, which are sanitized for storage.
// Errors:     an unknown metric keeps its name, in the base unit of its unit; an unknown unit becomes the label `unit`.
// Cost:       O(labels); once per series.
#pragma once

#include <string>
#include <string_view>

#include "collectors/exposition/exporter_sample.h"

namespace runglass {

struct SemanticMetric {
  ExporterSample sample;
  std::string unit;  // of the series
};
// `exposed`: the metric's name and attributes.
SemanticMetric semanticMetric(ExpositionParser::Sample exposed, std::string_view unit, bool counter);

}  // namespace runglass
