// SPDX-License-Identifier: Apache-2.0
#include "analysis/incident/finding_place.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace runglass {
namespace {

using Json = nlohmann::json;

ChainLink linkOf(const Finding& finding) {
  constexpr std::array kMachine = {"hardware_fault", "thermal_throttle", "settings"};
  constexpr std::array kRank = {"slow_rank",  "slow_node",  "stage_imbalance", "sequence_imbalance",
                                "host_bound", "data_bound", "gc_jitter",       "hang"};
  constexpr std::array kLoss = {"loss_spike", "loss_divergence", "non_finite", "clip_pressure"};
  const auto in = [&](const auto& kinds) { return std::ranges::find(kinds, std::string_view(finding.kind)) != kinds.end(); };
  if (in(kMachine)) return ChainLink::kMachine;
  if (finding.kind == "slow_link") return finding.node ? ChainLink::kMachine : ChainLink::kRank;
  if (in(kRank)) return ChainLink::kRank;
  return in(kLoss) ? ChainLink::kLoss : ChainLink::kRun;
}

void addRanks(const Json& evidence, const char* key, std::vector<std::int32_t>& out) {
  const auto list = evidence.find(key);
  if (list == evidence.end() || !list->is_array()) return;
  for (const Json& one : *list) {
    const auto rank = one.is_object() ? one.find("rank") : one.end();
    const Json& value = one.is_object() && rank != one.end() ? *rank : one;
    if (value.is_number_integer()) out.push_back(value.get<std::int32_t>());
  }
}

void addNodes(const Json& evidence, const char* key, const RunPlaces& places, std::vector<NodeId>& out) {
  const auto list = evidence.find(key);
  if (list == evidence.end() || !list->is_array()) return;
  for (const Json& one : *list) {
    const auto inner = one.is_object() ? one.find("node") : one.end();
    const Json& value = one.is_object() && inner != one.end() ? *inner : one;
    if (!value.is_string()) continue;
    for (const auto& [id, node] : places.nodes)
      if (node.name == value.get_ref<const std::string&>()) out.push_back(id);
  }
}

template <class T>
void sortOut(std::vector<T>& values) {
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
}

std::optional<ExplainedBy> explainedBy(const Json& evidence) {
  const auto said = evidence.find("explained_by");
  if (said == evidence.end() || !said->is_object()) return std::nullopt;
  ExplainedBy out;
  if (const auto kind = said->find("kind"); kind != said->end() && kind->is_string()) out.kind = kind->get<std::string>();
  if (const auto subject = said->find("subject"); subject != said->end() && subject->is_string()) out.subject = subject->get<std::string>();
  if (const auto step = said->find("first_step"); step != said->end() && step->is_number_integer())
    out.first_step = step->get<std::int64_t>();
  return out;
}

bool isTrue(const Json& evidence, const char* key) {
  const auto found = evidence.find(key);
  return found != evidence.end() && found->is_boolean() && found->get<bool>();
}

}  // namespace

const Attempt* RunPlaces::attempt(AttemptId id) const {
  const auto found = attempts.find(id);
  return found == attempts.end() ? nullptr : &found->second;
}

const Attempt* RunPlaces::after(const Attempt& attempt) const {
  const Attempt* next = nullptr;
  for (const auto& [id, one] : attempts)
    if (one.number > attempt.number && (next == nullptr || one.number < next->number)) next = &one;
  return next;
}

const Attempt* RunPlaces::before(const Attempt& attempt) const {
  const Attempt* last = nullptr;
  for (const auto& [id, one] : attempts)
    if (one.number < attempt.number && (last == nullptr || one.number > last->number)) last = &one;
  return last;
}

std::string RunPlaces::nodeName(NodeId id) const {
  const auto found = nodes.find(id);
  return found == nodes.end() ? std::string() : found->second.name;
}

FindingPlace placeOf(const Finding& finding, const RunPlaces& places) {
  Json evidence = Json::parse(finding.evidence, nullptr, false);
  if (!evidence.is_object()) evidence = Json::object();
  FindingPlace out;
  out.link = linkOf(finding);
  out.stands = finding.kind == "hang" || finding.kind == "stall";
  out.explained_by = explainedBy(evidence);
  const auto rule = evidence.find("rule");
  const bool restart_rule = rule != evidence.end() && (*rule == "restart" || *rule == "replay");
  out.after_restart = isTrue(evidence, "across_restart") || (finding.kind == "loss_divergence" && restart_rule);
  if (finding.kind == "stage_imbalance") out.stage = finding.pp;
  // The ranks affected by a shift or an imbalance are not its place, and the ranks of a link are its victims.
  if (out.link <= ChainLink::kRank && !out.stage) {
    if (finding.node) out.nodes.push_back(finding.node);
    if (finding.rank) out.ranks.push_back(*finding.rank);
    addNodes(evidence, "nodes", places, out.nodes);
    addNodes(evidence, "culprits", places, out.nodes);
    if (finding.kind != "slow_link")
      for (const char* key : {"slow_ranks", "slow_workers", "ranks", "culprits"}) addRanks(evidence, key, out.ranks);
    if (const auto of_attempt = places.rank_nodes.find(finding.attempt); of_attempt != places.rank_nodes.end())
      for (const std::int32_t rank : out.ranks)
        if (const auto node = of_attempt->second.find(rank); node != of_attempt->second.end() && node->second)
          out.nodes.push_back(node->second);
    sortOut(out.nodes), sortOut(out.ranks);
  }
  out.start = finding.start;
  out.until = finding.end;
  const Attempt* attempt = places.attempt(finding.attempt);
  // Faults and findings about the loss have no recorded end: they count as a moment.
  const bool moment = finding.kind == "hardware_fault" || out.link == ChainLink::kLoss;
  const std::optional<TimeNs> last = attempt != nullptr && attempt->end ? attempt->end : places.last_data;
  if (out.start && !out.until) out.until = moment ? out.start : last ? last : out.start;
  out.goes_on = !finding.end && !moment && !(attempt != nullptr && attempt->end);
  if (out.start && *out.until < *out.start) out.until = out.start;
  return out;
}

}  // namespace runglass
