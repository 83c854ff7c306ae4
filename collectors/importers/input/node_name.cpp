// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/input/node_name.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include "collectors/importers/input/run_name.h"
#include "collectors/text/display_name.h"
#include "collectors/text/quantity.h"

namespace runglass {
namespace {

constexpr std::array<std::string_view, 49> kMeasured = {
    "telemetry",   "metric",     "metrics", "stat",    "stats",   "sample", "samples", "monitor",  "monitoring",  "usage",
    "util",        "smi",        "nvidia",  "nvml",    "dcgm",    "dmon",   "rocm",    "amd",      "npu",         "gpu",
    "gpus",        "cpu",        "mem",     "memory",  "disk",    "io",     "bmc",     "ipmi",     "power",       "temp",
    "temperature", "thermal",    "ib",      "gpustat", "topo",    "diag",   "nccl",    "perftest", "nvbandwidth", "bandwidth",
    "rdma",        "infiniband", "nic",     "net",     "network", "nvlink", "pcie",    "clocks",   "throttle"};
// "gpu-node-03": before these words the preceding word is part of the name ("gpu_node0" is node0's GPUs).
constexpr std::array<std::string_view, 5> kMachines = {"node", "host", "server", "worker", "machine"};

bool isOneOf(const std::string& word, auto&& words) { return std::ranges::find(words, std::string_view(lowered(word))) != words.end(); }

bool isMachine(const std::string& word) {
  return std::ranges::any_of(kMachines, [&](std::string_view machine) { return lowered(word).starts_with(machine); });
}

bool isNumber(const std::string& word) {
  return std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

constexpr std::size_t kDateDigits = 6;

// "node0", "dgx-03", "n0412", but not "tmp", "Downloads" or "run42": a folder belongs to a node only if it is named like a machine.
bool isMachineFolder(const std::string& name) {
  constexpr std::array<std::string_view, 9> kOthers = {"run", "job", "exp", "trial", "attempt", "test", "try", "step", "day"};
  if (isMachine(name)) return true;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool numbered = !name.empty() && name.back() >= '0' && name.back() <= '9' && std::ranges::any_of(name, is_letter);
  return numbered && std::ranges::none_of(kOthers, [&](std::string_view other) { return lowered(name).starts_with(other); });
}

}  // namespace

NodeOfPath nodeOfPath(const std::string& path) {
  const std::filesystem::path file(path);
  std::string stem = runNameOfFile(path);
  for (const std::string_view suffix : {".csv", ".tsv", ".prom", ".metrics", ".jsonl"})
    if (stem.size() > suffix.size() && stem.ends_with(suffix)) stem.resize(stem.size() - suffix.size());
  std::vector<std::string> words(1);
  std::string between;       // separator of its words, the first one found
  std::vector<bool> dashed;  // whether a dash ends the word
  for (const char c : stem) {
    const bool parts = c == '_' || c == '-' || c == '.' || c == ' ';
    if (parts && between.empty()) between = c;
    if (parts)
      words.emplace_back(), dashed.push_back(c == '-');
    else
      words.back() += c;
  }
  std::string name;
  bool measured = false, only_numbers = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.empty()) continue;
    const bool of_machine = i + 1 < words.size() && dashed[i] && isMachine(words[i + 1]);
    const bool what = isOneOf(word, kMeasured) && !of_machine, date = isNumber(word) && word.size() >= kDateDigits;
    measured |= what;
    if (what || date) continue;
    only_numbers = only_numbers && isNumber(word);
    name += (name.empty() ? "" : between) + word;
  }
  const std::filesystem::path folder = file.parent_path();
  if (!measured) return {};
  if (!name.empty()) return only_numbers ? NodeOfPath{} : NodeOfPath{displayName(name), displayName(folder.filename().string())};
  if (!isMachineFolder(folder.filename().string())) return {};
  return {displayName(folder.filename().string()), displayName(folder.parent_path().filename().string()), true};
}

}  // namespace runglass
