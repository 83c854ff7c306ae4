// SPDX-License-Identifier: Apache-2.0
// What the name and labels of an exposed sample stand for: a catalogue metric of a device or a node.
//
// Threading:  pure.
// Ownership:  owns its texts, which are fit to be stored.
// Units:      `unit` turns the exporter's value into the catalogue's.
// Errors:     none: what is not known stays as it is named.
// Cost:       O(labels); once per series, not per sample.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectors/exposition/exposition_parser.h"
#include "collectors/importers/telemetry/quantity.h"
#include "model/events.h"

namespace runglass {

struct ExporterSample {
  std::string metric;
  const Unit* unit = nullptr;  // nullptr: the value as it is
  bool counter = false;
  bool dcgm = false;                 // its blank values are no values
  bool last_xid = false;             // a gauge that keeps the last Xid until the driver is loaded again
  bool hang = false;                 // xpu_timer: 1 while a kernel of this rank has not ended for XPU_TIMER_HANG_TIMEOUT
  std::optional<std::int32_t> rank;  // of `hang`
  std::string device_kind;           // "gpu", "npu"; "": of the node
  std::string uuid, bus_id, model;
  std::optional<std::int32_t> index;
  // Of a MIG instance of the GPU, beside its labels: "GPU-…/gi7" and "1g.5gb".
  std::string instance_uuid, instance_profile;
  std::string node;         // of the label Hostname
  std::string labels;       // canonical JSON of those that did not go into the fields above; "" = none
  std::string every_label;  // of all

  double value(double exposed) const { return unit != nullptr ? unit->apply(exposed) : exposed; }
};

// Of the gauge of the last Xid, without its owner: news where it `changed`, else what happened before anyone looked.
Event lastXidEvent(double value, bool changed, std::optional<TimeNs> time);

// `type`: of the sample's family ("counter", ...), "" where none is told.
ExporterSample exporterSample(const ExpositionParser::Sample& sample, std::string_view type);

}  // namespace runglass
