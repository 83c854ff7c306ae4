// SPDX-License-Identifier: Apache-2.0
#include "analysis/one_fault/end_events.h"

#include <algorithm>
#include <iterator>

#include "analysis/layout/layout_reading.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxEvents = 100'000;  // as many as hardware_faults reads

}  // namespace

Result<std::vector<Event>> endEvents(Reader& reader, RunId run) {
  RG_ASSIGN(auto events, reader.events({.range = {}, .run = run, .at_least = Severity::kWarning, .limit = kMaxEvents}));
  std::ranges::reverse(events);
  for (const char* kind : {"link_up", "node_back"}) {
    RG_ASSIGN(auto back, reader.events({.range = {}, .run = run, .kind = kind, .limit = kMaxEvents}));
    std::ranges::move(back, std::back_inserter(events));
  }
  return events;
}

Result<std::set<NodeId>> nodesOfRanks(Reader& reader, AttemptId attempt) {
  RG_ASSIGN(const auto ranks, placedRanks(reader, attempt));
  std::set<NodeId> nodes;
  for (const Rank& rank : ranks)
    if (rank.node) nodes.insert(rank.node);
  return nodes;
}

}  // namespace runglass
