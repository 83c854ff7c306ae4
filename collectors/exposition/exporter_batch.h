// SPDX-License-Identifier: Apache-2.0
// ExporterBatch: samples of exporters, scraped or queried, and their nodes, devices and series; passed from the thread that reads them to
// the writer's.
//
// Threading:  filled on one thread, applied on another, in the order of filling.
// Ownership:  owns copies; WrittenIds belong to the thread that applies.
// Units:      TimeNs; values in base units of the catalogue.
// Errors:     records that a Recorder rejects are reported by its flush().
// Cost:       24 bytes a sample.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/recorder.h"

namespace runglass {

// The writer's ids of the declarations of one target or service, by its indices.
struct WrittenIds {
  std::vector<NodeId> nodes;
  std::vector<DeviceId> devices;
  std::vector<SeriesId> series;
};

struct ExporterPoint {
  std::uint32_t series = 0;
  TimeNs time = 0;
  double value = 0;
};

struct ExporterPart {
  // Indices are per target or service. Those of nodes and devices are never reused; those of series are, once a series has not been seen
  // for long.
  struct NewNode {
    std::uint32_t index;
    Node node;
  };
  struct NewDevice {
    std::uint32_t index, node;
    Device device;
  };
  struct NewSeries {
    std::uint32_t index, node;
    std::optional<std::uint32_t> device;
    SeriesKey key;
  };
  struct NewEvent {
    std::uint32_t node;
    std::optional<std::uint32_t> device;
    Event event;
  };

  std::shared_ptr<WrittenIds> ids;
  std::vector<NewNode> nodes;
  std::vector<NewDevice> devices;
  std::vector<NewSeries> series;
  std::vector<ExporterPoint> points;
  std::vector<NewEvent> events;
  std::vector<Issue> issues;
};

class ExporterBatch {
 public:
  void add(ExporterPart part);
  std::size_t points() const { return m_points; }
  bool empty() const { return m_parts.empty(); }
  void apply(Recorder& out);

 private:
  std::vector<ExporterPart> m_parts;
  std::size_t m_points = 0;
};

}  // namespace runglass
