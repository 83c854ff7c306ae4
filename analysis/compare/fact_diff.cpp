// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/fact_diff.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "analysis/estimate/launch_options.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxValues = 4, kMaxText = 400;
constexpr std::array<std::string_view, 12> kOfTheMachine = {"argv", "host",     "hostname",   "pid",         "gpu_uuids",   "nics",
                                                            "cwd",  "scenario", "start_time", "master_addr", "master_port", "timestamp"};

bool isSetting(std::string key) {
  std::ranges::transform(key, key.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(kOfTheMachine, key) == kOfTheMachine.end();
}

std::map<std::string, std::string> reported(std::span<const Fact> facts) {
  std::map<std::string, std::string> all;
  for (auto& [name, value] : optionsOf(facts))
    if (isSetting(name)) all[name] = value.substr(0, kMaxText);
  // optionsOf() normalizes names as option names and leaves out facts of single nodes.
  std::map<std::string, std::set<std::string>> of_nodes;
  for (const Fact& fact : facts)
    if ((fact.node || fact.rank) && isSetting(fact.key)) of_nodes[fact.key].insert(looksSecret(fact.key) ? "(not shown)" : fact.value);
  for (const auto& [key, values] : of_nodes) {
    std::string text;
    std::size_t count = 0;
    for (const std::string& value : values) {
      if (count++ == kMaxValues) break;
      text += (text.empty() ? "" : " | ") + value.substr(0, kMaxText);
    }
    if (values.size() > kMaxValues) text += " | … " + std::to_string(values.size()) + " values";
    all[key] = text;
  }
  return all;
}

}  // namespace

std::vector<FactDelta> differentFacts(std::span<const Fact> a, std::span<const Fact> b) {
  const auto reported_a = reported(a), reported_b = reported(b);
  std::map<std::string, FactDelta> all;
  for (const auto& [key, value] : reported_a) all[key].a = value;
  for (const auto& [key, value] : reported_b) all[key].b = value;
  std::vector<FactDelta> out;
  for (auto& [key, delta] : all) {
    if (delta.a == delta.b) continue;
    delta.key = key;
    out.push_back(std::move(delta));
  }
  return out;
}

}  // namespace runglass
