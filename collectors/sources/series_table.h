// SPDX-License-Identifier: Apache-2.0
// SeriesTable: declares a node's or device's series at its first sample, so that absent metrics are never declared.
//
// Threading:  the owning Source's thread.
// Ownership:  borrows the Recorder per call; ids are valid for that one Recorder.
// Units:      the unit follows from the metric's name (metric_catalog.h).
// Cost:       one hash look-up per sample.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "model/metric_catalog.h"
#include "model/recorder.h"

namespace runglass {

class SeriesTable {
 public:
  explicit SeriesTable(NodeId node = {}, DeviceId device = {}) : m_node(node), m_device(device) {}

  // `labels`: canonical JSON object or "".
  void put(Recorder& out, std::string_view metric, std::string_view labels, TimeNs time, double value) {
    m_name.assign(metric).push_back('\0');
    m_name.append(labels);
    auto [it, fresh] = m_ids.try_emplace(m_name);
    if (fresh) {
      const MetricInfo* info = findMetric(metric);
      it->second = out.series({.node = m_node,
                               .device = m_device,
                               .metric = std::string(metric),
                               .labels = std::string(labels),
                               .unit = std::string(unitOfMetric(metric)),
                               .kind = info != nullptr && info->counter ? SeriesKind::kCounter : SeriesKind::kGauge});
    }
    out.sample(it->second, time, value);
  }

 private:
  NodeId m_node;
  DeviceId m_device;
  std::unordered_map<std::string, SeriesId> m_ids;
  std::string m_name;
};

// {"key":"value"} with JSON escapes: the one-label canonical form.
std::string oneLabel(std::string_view key, std::string_view value);

}  // namespace runglass
