// SPDX-License-Identifier: Apache-2.0
#include "analysis/one_fault/end_events.h"

#include <algorithm>
#include <iterator>
#include <utility>

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
  RG_ASSIGN(const auto deaths, deathEvents(reader, run));
  std::ranges::copy_if(deaths, std::back_inserter(events), [](const Event& event) { return event.severity < Severity::kWarning; });
  return events;
}

Result<std::vector<Event>> deathEvents(Reader& reader, RunId run) {
  RG_ASSIGN(auto deaths, reader.events({.range = {}, .run = run, .kind = "oom", .limit = kMaxEvents}));
  RG_ASSIGN(auto crashes, reader.events({.range = {}, .run = run, .kind = "segfault", .limit = kMaxEvents}));
  std::ranges::move(crashes, std::back_inserter(deaths));
  std::ranges::stable_sort(deaths, {}, [](const Event& event) { return std::pair(event.time, event.id); });
  return deaths;
}

Result<std::set<NodeId>> nodesOfRanks(Reader& reader, AttemptId attempt) {
  RG_ASSIGN(const auto ranks, placedRanks(reader, attempt));
  std::set<NodeId> nodes;
  for (const Rank& rank : ranks)
    if (rank.node) nodes.insert(rank.node);
  return nodes;
}

}  // namespace runglass
