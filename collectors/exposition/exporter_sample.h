// SPDX-License-Identifier: Apache-2.0
// Maps the name and labels of an exposed sample to a catalogue metric of a device or a node.
//
// Threading:  pure.
// Ownership:  owns its texts, which are sanitized for storage.
// Units:      `unit` converts the exporter's value to the catalogue's unit.
// Errors:     an unknown metric keeps its exposed name.
// Cost:       O(labels); once per series, not per sample.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectors/exposition/exposition_parser.h"
#include "collectors/exposition/fault_codes.h"
#include "collectors/text/quantity.h"

namespace runglass {

struct ExporterSample {
  std::string metric;
  const Unit* unit = nullptr;  // nullptr: no conversion
  bool counter = false;
  bool dcgm = false;  // its blank values count as missing
  CodeGauge code = CodeGauge::kNone;
  bool hang = false;                 // xpu_timer: 1 while a kernel of this rank has run longer than XPU_TIMER_HANG_TIMEOUT
  std::optional<std::int32_t> rank;  // of `hang`
  std::string device_kind;           // "gpu", "npu"; "": a metric of the node
  std::string uuid, bus_id, model;
  std::optional<std::int32_t> index;
  // MIG instance of the GPU, if any, from the labels: "GPU-…/gi7" and "1g.5gb".
  std::string instance_uuid, instance_profile;
  std::string node;         // from the label Hostname
  std::string labels;       // canonical JSON of the labels without a field above; "" = none
  std::string every_label;  // canonical JSON of all labels

  double value(double exposed) const { return unit != nullptr ? unit->apply(exposed) : exposed; }
};

// `type`: of the sample's family ("counter", ...), "" where no TYPE line declares one.
ExporterSample exporterSample(const ExpositionParser::Sample& sample, std::string_view type);

}  // namespace runglass
