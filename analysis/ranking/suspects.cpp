// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranking/suspects.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "analysis/text/evidence_json.h"

namespace runglass {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kShortlyBefore = 20;  // steps

struct Kind {
  const char *name, *cause, *pattern;  // used where the evidence has none
};
constexpr std::array<Kind, 8> kKinds = {{{"slow_rank", "", "cell"},
                                         {"slow_node", "", "host_block"},
                                         {"stage_imbalance", "stage split", "row"},
                                         {"sequence_imbalance", "sequence lengths", "speckle"},
                                         {"host_bound", "host", ""},
                                         {"data_bound", "data", ""},
                                         {"slow_link", "network", ""},
                                         {"gc_jitter", "garbage collection", "jitter"}}};

std::optional<std::int64_t> countIn(const Json& json, const char* key) {
  const auto value = numberIn(json, key);
  return value && std::fabs(*value) < 9e15 ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

void addRanks(const Json& list, std::vector<std::int32_t>& out) {
  if (!list.is_array()) return;
  for (const Json& one : list) {
    const Json& rank = one.is_object() && one.contains("rank") ? one["rank"] : one;
    if (rank.is_number_integer()) out.push_back(rank.get<std::int32_t>());
  }
}

// The ranks in a slow_link finding are its victims: they are not named here.
void nameRanks(const Finding& finding, const Json& evidence, Suspect& out) {
  if (finding.kind == "slow_link") return;
  for (const char* key : {"slow_ranks", "slow_workers", "ranks"})
    if (evidence.contains(key)) addRanks(evidence[key], out.ranks);
  if (out.ranks.empty() && finding.rank) out.ranks.push_back(*finding.rank);
  std::ranges::sort(out.ranks);
  out.ranks.erase(std::ranges::unique(out.ranks).begin(), out.ranks.end());
}

void readMachine(const Json& evidence, Suspect& out) {
  const auto machine = evidence.find("machine");
  if (machine == evidence.end() || !machine->is_object()) return;
  for (const auto& [metric, values] : machine->items()) {
    if (!values.is_object()) continue;
    const auto own = numberIn(values, "own"), peers = numberIn(values, "peers");
    if (own && peers) out.machine.push_back({metric, *own, *peers});
  }
}

// Whether it lasts to the newest known step.
bool holdsStill(const Finding& finding, std::optional<std::int64_t> last_step) {
  return !finding.end || (last_step && finding.last_step && *finding.last_step >= *last_step - kShortlyBefore);
}

Suspect suspectOf(const Finding& finding, const Kind& kind, std::optional<std::int64_t> last_step) {
  Json evidence = Json::parse(finding.evidence, nullptr, false);
  if (!evidence.is_object()) evidence = Json::object();
  Suspect out;
  out.kind = finding.kind, out.subject = finding.subject, out.summary = finding.summary, out.severity = finding.severity;
  out.node = finding.node, out.dp = finding.dp, out.pp = finding.pp;
  out.first_step = finding.first_step, out.last_step = finding.last_step;
  out.start = finding.start, out.end = finding.end;
  out.confidence = finding.confidence, out.coverage = finding.coverage;
  const auto before = evidence.find("since_first_step");
  out.since_before = before != evidence.end() && before->is_boolean() && before->get<bool>();
  out.holds = holdsStill(finding, last_step);
  out.slower = numberIn(evidence, "slower_ratio");
  out.own_ns = numberIn(evidence, "own_ns"), out.peers_ns = numberIn(evidence, "peers_ns");
  out.cost = numberIn(evidence, "cost_ratio"), out.gpu_hours_per_day = numberIn(evidence, "gpu_hours_per_day");
  out.steps = countIn(evidence, "steps"), out.steps_above = countIn(evidence, "steps_above");
  out.cause = textIn(evidence, "cause");
  if (out.cause.empty()) out.cause = kind.cause;
  out.pattern = textIn(evidence, "pattern");
  if (out.pattern.empty()) out.pattern = kind.pattern;
  nameRanks(finding, evidence, out);
  readMachine(evidence, out);
  return out;
}

}  // namespace

std::optional<double> Suspect::persistence() const {
  if (!steps || !steps_above || *steps <= 0 || *steps_above < 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(*steps_above) / static_cast<double>(*steps));
}

std::vector<std::int32_t> ranksOf(const Suspect& suspect, std::span<const Rank> places) {
  if (!suspect.ranks.empty() || !suspect.node) return suspect.ranks;
  std::vector<std::int32_t> ranks;
  for (const Rank& place : places)
    if (place.node == suspect.node) ranks.push_back(place.rank);
  return ranks;
}

Suspects suspectsOf(std::span<const Finding> findings, AttemptId attempt, std::optional<std::int64_t> last_step) {
  Suspects out;
  for (const Finding& finding : findings) {
    if (finding.attempt != attempt) continue;
    if (finding.kind == "throughput_shift" && finding.first_step && finding.score && std::isfinite(*finding.score)) {
      if (!holdsStill(finding, last_step)) continue;
      const Json evidence = Json::parse(finding.evidence, nullptr, false);
      if (evidence.is_object() && evidence.contains("explained_by")) continue;
      if (!out.shift || out.shift->first_step < *finding.first_step) out.shift = SharedShift{*finding.first_step, *finding.score};
      continue;
    }
    const auto kind = std::ranges::find_if(kKinds, [&](const Kind& one) { return finding.kind == one.name; });
    if (kind != kKinds.end()) out.all.push_back(suspectOf(finding, *kind, last_step));
  }
  std::ranges::stable_sort(out.all, [](const Suspect& a, const Suspect& b) {
    const auto key = [](const Suspect& s) { return std::tuple(!s.holds, s.isUnlikely(), !s.blamesRanks(), -s.cost.value_or(0)); };
    return key(a) < key(b);
  });
  return out;
}

const char* patternText(const std::string& pattern) {
  static constexpr std::array<std::pair<const char*, const char*>, 7> kTexts = {
      {{"cell", "one hot cell: a single worker"},
       {"host_block", "host block: a node"},
       {"row", "hot row: a pipeline stage"},
       {"column", "hot column: a data-parallel replica, its data"},
       {"speckle", "speckle that changes from step to step: sequence lengths or experts' loads"},
       {"jitter", "jitter of forward passes alone: garbage collection"},
       {"everybody", "all ranks alike: no rank"}}};
  const auto found = std::ranges::find_if(kTexts, [&](const auto& text) { return pattern == text.first; });
  return found == kTexts.end() ? "" : found->second;
}

}  // namespace runglass
