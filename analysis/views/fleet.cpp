// SPDX-License-Identifier: Apache-2.0
#include "analysis/views/fleet.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/layout/layout_reading.h"
#include "analysis/run_summary/run_summary.h"
#include "model/device_catalog.h"

namespace runglass {

namespace {

// A run of imported files has only the nodes that its files name. A run whose nodes have agents is on a live cluster, whose idle nodes are
// shown as well.
Status keepOwnNodes(Reader& reader, Fleet& fleet, std::vector<Series>& series) {
  if (!fleet.attempt || std::ranges::find(fleet.nodes, NodeState::kUnknown, &Node::state) == fleet.nodes.end()) return {};
  RG_ASSIGN(const auto runs, reader.runs());
  if (runs.size() < 2) return {};
  std::set<NodeId> own;
  for (const Rank& rank : fleet.ranks) own.insert(rank.node);
  const auto names = [&own] { return std::ranges::any_of(own, [](NodeId node) { return node.value != 0; }); };
  RG_ASSIGN(const auto facts, reader.facts(fleet.attempt));
  for (const Fact& fact : facts) own.insert(fact.node);
  // Telemetry may have been imported into an earlier attempt.
  if (!names() && fleet.run) {
    RG_ASSIGN(const auto attempts, reader.attempts(fleet.run->id));
    for (const Attempt& attempt : attempts) {
      RG_ASSIGN(const auto earlier, reader.facts(attempt.id));
      for (const Fact& fact : earlier) own.insert(fact.node);
    }
  }
  const bool live =
      std::ranges::any_of(fleet.nodes, [&](const Node& node) { return own.contains(node.id) && node.state != NodeState::kUnknown; });
  if (live) return {};
  const auto other = [&](NodeId node) { return !own.contains(node); };
  // Nodes with agents are kept if the run names no nodes: it may have run on them.
  const bool named = names();
  std::erase_if(fleet.nodes, [&](const Node& node) { return other(node.id) && (named || node.state == NodeState::kUnknown); });
  std::set<NodeId> kept;
  for (const Node& node : fleet.nodes) kept.insert(node.id);
  std::erase_if(fleet.devices, [&](const Device& device) { return !kept.contains(device.node); });
  std::erase_if(series, [&](const Series& one) { return one.key.node && !kept.contains(one.key.node); });
  return {};
}

}  // namespace

Result<Fleet> readFleet(Reader& reader, RunId wanted, TimeNs now) {
  Fleet fleet;
  RG_ASSIGN(fleet.nodes, reader.nodes());
  RG_ASSIGN(fleet.devices, reader.devices());
  std::ranges::copy_if(fleet.devices, std::back_inserter(fleet.instances), [](const Device& device) { return device.kind == kMigKind; });
  std::ranges::sort(fleet.instances, {}, &Device::uuid);
  std::erase_if(fleet.devices, [](const Device& device) { return device.kind != "gpu" && device.kind != "npu"; });
  AttemptId& attempt = fleet.attempt;
  if (const auto run = chooseRun(reader, wanted); run.ok()) {
    fleet.run = *run;
    RG_ASSIGN(const auto attempts, reader.attempts(run->id));
    if (!attempts.empty()) attempt = attempts.back().id;
    if (attempt) {
      RG_ASSIGN(fleet.ranks, placedRanks(reader, attempt));
    }
  }
  RG_ASSIGN(fleet.m_series, reader.series({}));
  RG_TRY(keepOwnNodes(reader, fleet, fleet.m_series));
  fleet.m_steps = AttemptSteps::among(fleet.m_series, attempt, {StepSeries::kTime});
  std::erase_if(fleet.m_series, [&](const Series& series) { return series.sample_count == 0 || series.key.attempt; });
  fleet.index();
  fleet.chooseNow(now);
  return fleet;
}

void Fleet::index() {
  for (std::size_t i = 0; i < m_series.size(); ++i) {
    const SeriesKey& key = m_series[i].key;
    m_of[{key.node, key.device}].push_back(i);
  }
  // A node without devices, ranks and metrics (such as the simulator's own agent) is not a host of the run.
  std::set<NodeId> used;
  for (const Device& device : devices) used.insert(device.node);
  for (const Rank& rank : ranks) used.insert(rank.node);
  if (used.size() <= 1)
    for (const auto& [key, series] : m_of) used.insert(key.first);
  std::erase_if(nodes, [&](const Node& node) { return !used.contains(node.id); });
  std::ranges::stable_sort(nodes, [](const Node& a, const Node& b) { return std::tie(a.rack, a.name) < std::tie(b.rack, b.name); });
}

void Fleet::chooseNow(TimeNs clock) {
  TimeNs newest = 0;
  for (const auto* series : {&std::as_const(m_series), &m_steps.of(StepSeries::kTime)})
    for (const Series& one : *series) newest = std::max(newest, one.last_time.value_or(one.last_x));
  const bool over = run && (run->state == RunState::kFinished || run->state == RunState::kFailed);
  live = !over && clock - newest < kLiveWithin;
  now = live ? std::max(clock, newest) : over && run->end ? std::min(newest, *run->end) : newest;
}

std::vector<const Series*> Fleet::find(NodeId node, DeviceId device, std::string_view metric) const {
  std::vector<const Series*> found;
  if (const auto of = m_of.find({node, device}); of != m_of.end())
    for (const std::size_t i : of->second)
      if (m_series[i].key.metric == metric) found.push_back(&m_series[i]);
  return found;
}

std::vector<const Device*> Fleet::instancesOf(DeviceId device) const {
  std::vector<const Device*> found;
  const auto gpu = std::ranges::find(devices, device, &Device::id);
  if (gpu == devices.end()) return found;
  for (const Device& instance : instances)
    if (instance.uuid.starts_with(gpu->uuid + "/")) found.push_back(&instance);
  return found;
}

std::vector<std::string> Fleet::tenantsOf(NodeId node, DeviceId device) const {
  // Lists of processes are read every 10 s.
  constexpr DurNs kCurrent = 30 * kNsPerSecond;
  const auto of = m_of.find({node, device});
  const auto heard = lastHeard(node, device);
  if (of == m_of.end() || !heard || !device) return {};
  std::set<std::string> pods, processes;
  for (const std::size_t i : of->second) {
    const Series& series = m_series[i];
    if (series.key.labels.empty() || *heard - series.last_time.value_or(series.last_x) > kCurrent) continue;
    const auto labels = nlohmann::json::parse(series.key.labels, nullptr, false);
    if (!labels.is_object()) continue;
    const auto label = [&](std::initializer_list<const char*> names) {
      for (const char* name : names)
        if (const auto at = labels.find(name); at != labels.end() && at->is_string() && !at->get_ref<const std::string&>().empty())
          return at->get<std::string>();
      return std::string();
    };
    const std::string instance = label({"GPU_I_ID"}), pod = label({"pod", "pod_name"}), pid = label({"pid"}),
                      name = label({"name", "user"});
    const std::string place = instance.empty() ? std::string() : ", MIG " + instance;
    if (!pod.empty())
      pods.insert(pod + place);
    else if (!pid.empty())
      processes.insert((name.empty() ? "pid " + pid : name + " (pid " + pid + ")") + place);
  }
  const auto& tenants = pods.empty() ? processes : pods;
  return {tenants.begin(), tenants.end()};
}

const Series* Fleet::first(NodeId node, DeviceId device, std::string_view metric) const {
  if (const auto of = m_of.find({node, device}); of != m_of.end())
    for (const std::size_t i : of->second)
      if (m_series[i].key.metric == metric) return &m_series[i];
  return nullptr;
}

std::optional<TimeNs> Fleet::lastHeard(NodeId node, DeviceId device) const {
  std::optional<TimeNs> newest;
  if (const auto of = m_of.find({node, device}); of != m_of.end())
    for (const std::size_t i : of->second) newest = std::max(newest.value_or(m_series[i].last_x), m_series[i].last_x);
  return newest;
}

const Rank* Fleet::rankOf(NodeId node, DeviceId device) const {
  const auto found = std::ranges::find_if(ranks, [&](const Rank& r) { return device ? r.device == device : r.node == node; });
  return found == ranks.end() ? nullptr : &*found;
}

const Series* Fleet::stepTime(std::int32_t rank) const {
  const auto times = m_steps.of(StepSeries::kTime, rank);
  return times.empty() ? nullptr : &times.front();
}

}  // namespace runglass
