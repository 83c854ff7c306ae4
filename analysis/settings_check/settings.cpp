// SPDX-License-Identifier: Apache-2.0
#include "analysis/settings_check/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/words/sentences.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;
using words::Arg;
using words::Message;

constexpr std::size_t kNodesListed = 64, kMaxValue = 60;
constexpr std::string_view kWholeJob = "the job";  // in place of a node
constexpr double kFew = 0.25;                      // a value with at most this share is odd

// Settings that should be equal on all machines of a job.
struct EqualSetting {
  std::string_view key, title, advice;
};
constexpr std::array kEqual = {
    EqualSetting{"driver", "GPU driver", "Bring all nodes to one driver version."},
    EqualSetting{"cuda", "CUDA version of the driver", "Bring all nodes to one driver version."},
    EqualSetting{"nccl_cuda_driver", "CUDA version that NCCL saw", "Bring all nodes to one driver version."},
    EqualSetting{"nccl_version", "NCCL version", "Use one image on all nodes: ranks of different versions may not understand each other."},
    EqualSetting{"nccl_network", "network that NCCL uses",
                 "A node that fell back to sockets slows the whole job: look at its RDMA devices."},
    EqualSetting{"nccl_ib_devices", "adapters that NCCL uses", "A node with fewer adapters slows the whole job."},
    EqualSetting{"max_sm_clock_hertz", "highest SM clock",
                 "Look for a clock limit that was left on the node (nvidia-smi -rgc takes it off)."},
    EqualSetting{"power_limit_watts", "power limit", "Look for a power limit that was left on the node."},
    EqualSetting{"ecc", "ECC mode", "Set the ECC mode alike; it changes usable memory and bandwidth."},
    EqualSetting{"mig", "MIG mode", "MIG left on from another use: switch it off (nvidia-smi -mig 0) and reset the GPU."},
    EqualSetting{"persistence", "persistence mode",
                 "Set the persistence mode alike: where it is off, the driver is loaded again for every job."},
    EqualSetting{"compute_mode", "compute mode", "Set the compute mode alike."},
};

std::optional<std::int64_t> numberOf(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

struct Values {
  std::map<std::string, std::set<std::string>> nodes;  // value -> nodes with it
  std::map<std::string, int> count;
};

Json evidenceOf(const std::string& key, const Values& values, std::string_view meaning, std::string_view advice) {
  Json json = {{"key", key}, {"meaning", meaning}, {"advice", advice}, {"values", Json::array()}};
  for (const auto& [value, nodes] : values.nodes) {
    Json list = Json::array();
    for (const std::string& node : nodes)
      if (list.size() < kNodesListed) list.push_back(node);
    json["values"].push_back({{"value", value.substr(0, 200)}, {"count", values.count.at(value)}, {"nodes", std::move(list)}});
  }
  return json;
}

Arg nodeArg(const std::string& node) { return node == kWholeJob ? Arg(words::Term{node}) : Arg(node); }

Finding settingFinding(const std::string& key, Severity severity, const Message& message, const Json& evidence) {
  Finding finding;
  finding.kind = "settings", finding.subject = "setting:" + key;
  finding.severity = severity;
  finding.confidence = 0.9;
  words::setMessage(finding, message);
  finding.evidence = evidence.dump(-1, ' ', false, Json::error_handler_t::replace);
  return finding;
}

// If a few nodes differ, they are the odd ones. Without a clear majority, a finding names no odd node.
std::optional<Finding> judgeEqual(const EqualSetting& setting, const Values& values) {
  if (values.nodes.size() < 2) return std::nullopt;
  std::set<std::string> all;
  std::string most = values.count.begin()->first;  // the value of most machines
  for (const auto& [value, nodes] : values.nodes) {
    all.insert(nodes.begin(), nodes.end());
    if (values.count.at(value) > values.count.at(most)) most = value;
  }
  std::set<std::string> odd;
  int odd_count = 0, total = 0;
  for (const auto& [value, count] : values.count) {
    total += count;
    if (value == most) continue;
    odd_count += count;
    odd.insert(values.nodes.at(value).begin(), values.nodes.at(value).end());
  }
  const bool few = all.size() > 2 && odd_count <= kFew * total;
  Json evidence = evidenceOf(std::string(setting.key), values, "differs within the job", setting.advice);
  evidence["odd"] = Json::array();
  if (few)
    for (const std::string& node : odd)
      if (evidence["odd"].size() < kNodesListed) evidence["odd"].push_back(node);
  const words::Term title{std::string(setting.title)};
  const std::string others = most.substr(0, kMaxValue);
  Message message;
  if (few && odd.size() == 1) {
    const auto own = std::ranges::find_if(values.nodes, [&](const auto& entry) { return entry.first != most; });
    const Arg value = values.nodes.size() == 2 ? Arg(own->first.substr(0, kMaxValue)) : Arg(Message{"setting_others", {}});
    message =
        Message{"setting_odd_node",
                {{"setting", title}, {"node", nodeArg(*odd.begin())}, {"value", value}, {"nodes", all.size() - 1}, {"others", others}}};
  } else if (few) {
    message = Message{"setting_odd_nodes", {{"setting", title}, {"odd", odd.size()}, {"nodes", all.size()}, {"others", others}}};
  } else {
    message = Message{"setting_values", {{"setting", title}, {"values", values.nodes.size()}, {"nodes", all.size()}}};
  }
  return settingFinding(std::string(setting.key), few ? Severity::kWarning : Severity::kInfo, message, evidence);
}

// Failure handling that is switched off: PyTorch reads the older name too.
constexpr std::array<std::string_view, 2> kAsyncErrors = {"NCCL_ASYNC_ERROR_HANDLING", "TORCH_NCCL_ASYNC_ERROR_HANDLING"};
// Nodes of a job from which on NCCL_IB_TIMEOUT should be 22, the highest value: a large fabric always has a link that flaps.
constexpr std::size_t kLargeJob = 64;
constexpr std::int64_t kLongestIbTimeout = 22;

// NCCL's own defaults are 20 (18 before 2.23) and 7: below them, a link that flaps for seconds ends the job.
struct LowSetting {
  std::string_view key;
  std::int64_t least;
  std::string_view advice;
};
constexpr std::array kLow = {
    LowSetting{"NCCL_IB_TIMEOUT", 18, "Take it off, or raise it: a link that flaps for seconds then does not end the job."},
    LowSetting{"NCCL_IB_RETRY_CNT", 7, "Take it off, or set it to 7: a link that flaps for seconds then does not end the job."},
};

// A value that bridges short flaps but not what a large fabric needs; below NCCL's default the finding `setting_low` covers it.
std::optional<Finding> judgeLargeJob(std::span<const ReportedSetting> reported, const std::map<std::string, Values>& by_key) {
  const auto at = by_key.find("NCCL_IB_TIMEOUT");
  if (at == by_key.end()) return std::nullopt;
  std::set<std::string_view> nodes;
  for (const ReportedSetting& one : reported)
    if (!one.node.empty()) nodes.insert(one.node);
  if (nodes.size() < kLargeJob) return std::nullopt;
  for (const auto& [value, with] : at->second.nodes) {
    const auto number = numberOf(value);
    if (!number || *number < kLow[0].least || *number >= kLongestIbTimeout) continue;
    return settingFinding(
        "NCCL_IB_TIMEOUT", Severity::kInfo,
        Message{"setting_low_large", {{"setting", at->first}, {"value", value}, {"nodes", nodes.size()}, {"advised", kLongestIbTimeout}}},
        evidenceOf("NCCL_IB_TIMEOUT", at->second, "shorter than advised for large jobs", "Set it to 22, the highest value."));
  }
  return std::nullopt;
}

}  // namespace

std::vector<Finding> judgeSettings(std::span<const ReportedSetting> reported) {
  std::set<std::string_view> with_driver;
  for (const ReportedSetting& one : reported)
    if (one.key == "driver") with_driver.insert(one.node);
  std::map<std::string, Values> by_key;
  for (const ReportedSetting& one : reported) {
    // Files report a node's driver, and some of them each GPU's too: it is one setting.
    const bool of_node = one.key == "driver_version";
    if (of_node && with_driver.contains(one.node)) continue;
    Values& values = by_key[of_node ? "driver" : one.key];
    values.nodes[one.value].insert(one.node.empty() ? std::string(kWholeJob) : one.node);
    ++values.count[one.value];
  }
  std::vector<Finding> findings;
  for (const EqualSetting& setting : kEqual)
    if (const auto at = by_key.find(std::string(setting.key)); at != by_key.end())
      if (auto finding = judgeEqual(setting, at->second)) findings.push_back(std::move(*finding));
  if (const auto mig = by_key.find("mig"); mig != by_key.end() && mig->second.nodes.size() == 1 && mig->second.nodes.contains("true"))
    // Where instances are recorded, the job may be meant to run on them.
    findings.push_back(
        settingFinding("mig", by_key.contains("mig_instances") ? Severity::kInfo : Severity::kWarning, Message{"setting_mig_on", {}},
                       evidenceOf("mig", mig->second, "GPUs are partitioned", "Switch it off unless the job is meant to run on slices.")));
  if (const auto gdr = by_key.find("nccl_gdrdma"); gdr != by_key.end()) {
    std::set<std::string> off;
    for (const auto& [value, nodes] : gdr->second.nodes)
      if (value.find("off") != std::string::npos) off.insert(nodes.begin(), nodes.end());
    if (!off.empty()) {
      const bool mixed = gdr->second.nodes.size() > 1;
      const Json evidence =
          evidenceOf("nccl_gdrdma", gdr->second, "NCCL copies through host memory instead of reading GPU memory over RDMA",
                     "Look for nvidia-peermem or DMA-BUF, ACS and IOMMU settings and NCCL_NET_GDR_LEVEL.");
      const Message message = off.size() == 1 ? Message{"setting_gdr_off", {{"node", nodeArg(*off.begin())}}}
                                              : Message{"setting_gdr_off_nodes", {{"nodes", off.size()}}};
      findings.push_back(settingFinding("nccl_gdrdma", mixed ? Severity::kWarning : Severity::kInfo, message, evidence));
    }
  }
  for (const LowSetting& setting : kLow) {
    const auto at = by_key.find(std::string(setting.key));
    if (at == by_key.end()) continue;
    for (const auto& [value, nodes] : at->second.nodes) {
      const auto number = numberOf(value);
      if (!number || *number >= setting.least) continue;
      findings.push_back(settingFinding(std::string(setting.key), Severity::kInfo,
                                        Message{"setting_low", {{"setting", setting.key}, {"value", value}}},
                                        evidenceOf(std::string(setting.key), at->second, "lower than NCCL's default", setting.advice)));
      break;
    }
  }
  if (auto finding = judgeLargeJob(reported, by_key)) findings.push_back(std::move(*finding));
  for (const std::string_view key : kAsyncErrors) {
    const auto at = by_key.find(std::string(key));
    if (at == by_key.end() || !at->second.nodes.contains("0")) continue;
    findings.push_back(settingFinding(std::string(key), Severity::kWarning, Message{"setting_no_abort", {{"setting", key}}},
                                      evidenceOf(std::string(key), at->second, "collectives that fail are not aborted",
                                                 "Take it off, or set it to 1: stalled processes then end and the job can restart.")));
  }
  return findings;
}

}  // namespace runglass
