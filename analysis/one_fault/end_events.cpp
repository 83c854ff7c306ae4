// SPDX-License-Identifier: Apache-2.0
#include "analysis/one_fault/end_events.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "analysis/layout/layout_reading.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxEvents = 100'000;  // as many as hardware_faults reads

// "gpu07.cluster.local" and "gpu07"; an address is a name of its own.
std::string withoutDomain(const std::string& name) {
  const bool address = name.find_first_not_of("0123456789.") == std::string::npos;
  return address ? name : name.substr(0, name.find('.'));
}

}  // namespace

Result<std::vector<Event>> endEvents(Reader& reader, RunId run, TimeRange range) {
  RG_ASSIGN(auto events, reader.events({.range = range, .run = run, .at_least = Severity::kWarning, .limit = kMaxEvents}));
  std::ranges::reverse(events);
  for (const char* kind : {"link_up", "node_back"}) {
    RG_ASSIGN(auto back, reader.events({.range = range, .run = run, .kind = kind, .limit = kMaxEvents}));
    std::ranges::move(back, std::back_inserter(events));
  }
  RG_ASSIGN(const auto deaths, deathEvents(reader, run, range));
  std::ranges::copy_if(deaths, std::back_inserter(events), [](const Event& event) { return event.severity < Severity::kWarning; });
  return events;
}

Result<std::vector<Event>> deathEvents(Reader& reader, RunId run, TimeRange range) {
  RG_ASSIGN(auto deaths, reader.events({.range = range, .run = run, .kind = "oom", .limit = kMaxEvents}));
  RG_ASSIGN(auto crashes, reader.events({.range = range, .run = run, .kind = "segfault", .limit = kMaxEvents}));
  std::ranges::move(crashes, std::back_inserter(deaths));
  std::ranges::stable_sort(deaths, {}, [](const Event& event) { return std::pair(event.time, event.id); });
  return deaths;
}

Result<NodesOfRanks> placesOfRanks(Reader& reader, const Attempt& attempt) {
  RG_ASSIGN(const auto ranks, placedRanks(reader, attempt.id));
  RG_ASSIGN(const auto nodes, reader.nodes());
  NodesOfRanks places;
  std::map<std::string, NodeId> known;
  for (const Node& node : nodes)
    if (const auto [first, fresh] = known.emplace(withoutDomain(node.name), node.id); !fresh && !node.name.empty())
      places.aliases[node.id] = first->second;
  for (const Rank& rank : ranks)
    if (rank.node) places.nodes.insert(places.of_rank[rank.rank] = places.oneName(rank.node));
  // A table of failed ranks does not have the nodes of the others.
  const std::int32_t world = std::max(attempt.layout.world, ranks.empty() ? 0 : ranks.back().rank + 1);
  if (places.of_rank.size() < static_cast<std::size_t>(world)) places.nodes.clear();
  return places;
}

}  // namespace runglass
