// SPDX-License-Identifier: Apache-2.0
#include "collectors/exposition/exporter_batch.h"

#include <algorithm>
#include <utility>

namespace runglass {
namespace {

template <class Id>
void set(std::vector<Id>& ids, std::uint32_t index, Id id) {
  ids.resize(std::max<std::size_t>(ids.size(), index + 1));
  ids[index] = id;
}

void applyPart(ExporterPart& part, Recorder& out) {
  WrittenIds& ids = *part.ids;
  for (const auto& [index, node] : part.nodes) set(ids.nodes, index, out.node(node));
  for (auto& fresh : part.devices) {
    fresh.device.node = ids.nodes.at(fresh.node);
    set(ids.devices, fresh.index, out.device(fresh.device));
  }
  for (auto& fresh : part.series) {
    fresh.key.node = ids.nodes.at(fresh.node);
    if (fresh.device) fresh.key.device = ids.devices.at(*fresh.device);
    set(ids.series, fresh.index, out.series(fresh.key));
  }
  for (const ExporterPoint& point : part.points) out.sample(ids.series.at(point.series), point.time, point.value);
  for (auto& fresh : part.events) {
    fresh.event.node = ids.nodes.at(fresh.node);
    if (fresh.device) fresh.event.device = ids.devices.at(*fresh.device);
    out.event(fresh.event);
  }
  for (const Issue& issue : part.issues) out.issue(issue);
}

}  // namespace

void ExporterBatch::add(ExporterPart part) {
  m_points += part.points.size();
  m_parts.push_back(std::move(part));
}

void ExporterBatch::apply(Recorder& out) {
  for (ExporterPart& part : m_parts) applyPart(part, out);
}

}  // namespace runglass
