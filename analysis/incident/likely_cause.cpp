// SPDX-License-Identifier: Apache-2.0
#include "analysis/incident/likely_cause.h"

#include <array>
#include <nlohmann/json.hpp>

#include "analysis/incident/incident_words.h"
#include "analysis/text/evidence_json.h"

namespace runglass {
namespace {

using Json = nlohmann::json;
constexpr std::string_view kFault = "hardware_fault";

constexpr std::array kTable = {
    // NVIDIA Xids that are a program's fault unless other evidence contradicts it.
    CauseRow{kFault, "xid", "13", "software_bug"},
    CauseRow{kFault, "xid", "31", "software_bug"},
    CauseRow{kFault, "xid", "32", "software_bug"},
    CauseRow{kFault, "xid", "39", "software_bug"},
    CauseRow{kFault, "xid", "43", "software_bug"},
    CauseRow{kFault, "xid", "46", "gpu_faulty"},
    CauseRow{kFault, "xid", "48", "gpu_memory"},
    CauseRow{kFault, "xid", "54", "power_supply"},
    CauseRow{kFault, "xid", "62", "gpu_faulty"},
    CauseRow{kFault, "xid", "63", "gpu_memory"},
    CauseRow{kFault, "xid", "64", "gpu_memory"},
    CauseRow{kFault, "xid", "74", "gpu_nvlink"},
    CauseRow{kFault, "xid", "79", "gpu_faulty"},
    CauseRow{kFault, "xid", "92", "gpu_memory"},
    CauseRow{kFault, "xid", "94", "gpu_memory"},
    CauseRow{kFault, "xid", "95", "gpu_memory"},
    CauseRow{kFault, "xid", "109", "gpu_faulty"},
    CauseRow{kFault, "xid", "119", "gpu_system_processor"},
    CauseRow{kFault, "xid", "120", "gpu_system_processor"},
    CauseRow{kFault, "xid", "136", "gpu_nvlink"},
    CauseRow{kFault, "xid", "140", "gpu_memory"},
    CauseRow{kFault, "xid", "143", "gpu_faulty"},
    CauseRow{kFault, "xid", "144", "gpu_nvlink"},
    CauseRow{kFault, "xid", "145", "gpu_nvlink"},
    CauseRow{kFault, "xid", "146", "gpu_nvlink"},
    CauseRow{kFault, "xid", "147", "gpu_nvlink"},
    CauseRow{kFault, "xid", "148", "gpu_nvlink"},
    CauseRow{kFault, "xid", "149", "gpu_nvlink"},
    CauseRow{kFault, "xid", "150", "gpu_nvlink"},
    CauseRow{kFault, "xid", "155", "gpu_nvlink"},
    CauseRow{kFault, "xid", "158", "gpu_faulty"},
    CauseRow{kFault, "xid", "171", "gpu_memory"},
    CauseRow{kFault, "xid", "172", "gpu_sram"},
    // Other events of machines.
    CauseRow{kFault, "sxid", "", "gpu_nvlink"},
    CauseRow{kFault, "nvswitch", "", "gpu_nvlink"},
    CauseRow{kFault, "nvlink_error", "", "gpu_nvlink"},
    CauseRow{kFault, "gpu_lost", "", "gpu_faulty"},
    CauseRow{kFault, "machine_check", "", "cpu"},
    CauseRow{kFault, "memory_error", "", "system_memory"},
    CauseRow{kFault, "oom", "", "out_of_memory"},
    CauseRow{kFault, "out_of_memory", "", "out_of_memory"},
    CauseRow{kFault, "segfault", "", "software_bug"},
    CauseRow{kFault, "link_down", "", "network_switch_cable"},
    CauseRow{kFault, "link_flap", "", "network_switch_cable"},
    CauseRow{kFault, "nic_error", "", "nic"},
    CauseRow{kFault, "disk_error", "", "ssd"},
    CauseRow{kFault, "storage_stall", "", "shared_filesystem"},
    CauseRow{kFault, "mount_stall", "", "shared_filesystem"},
    CauseRow{kFault, "no_space", "", "checkpoint_write"},
    CauseRow{kFault, "collective_mismatch", "", "software_bug"},
    CauseRow{kFault, "cuda_error", "illegal_address", "software_bug"},
    CauseRow{kFault, "cuda_error", "device_assert", "software_bug"},
    CauseRow{kFault, "cuda_error", "uncorrectable", "gpu_memory"},
    CauseRow{kFault, "killed", "15", "preemption"},
    CauseRow{kFault, "killed", "Terminated", "preemption"},
    CauseRow{kFault, "traceback", "KeyboardInterrupt", "operator_action"},
    // Findings about steps, losses and settings.
    CauseRow{"thermal_throttle", "", "", "gpu_throttled"},
    CauseRow{"slow_rank", "thermal", "", "gpu_throttled"},
    CauseRow{"slow_rank", "clock", "", "gpu_throttled"},
    CauseRow{"slow_rank", "power", "", "gpu_throttled"},
    CauseRow{"slow_node", "thermal", "", "gpu_throttled"},
    CauseRow{"slow_node", "clock", "", "gpu_throttled"},
    CauseRow{"slow_node", "power", "", "gpu_throttled"},
    CauseRow{"slow_link", "", "", "network_switch_cable"},
    CauseRow{"data_bound", "", "", "data_loading"},
    CauseRow{"host_bound", "", "", "host_software"},
    CauseRow{"stage_imbalance", "", "", "training_layout"},
    CauseRow{"sequence_imbalance", "", "", "training_layout"},
    CauseRow{"non_finite", "", "", "training_numerics"},
    CauseRow{"clip_pressure", "", "", "training_hyperparameters"},
    CauseRow{"settings", "", "", "operator_action"},
};

struct Said {
  std::string event, code;
  bool of_program = false;  // the same fault of the process on several devices at once
  bool watchdog = false;    // of a hang: watchdogs ended it
};

Said saidBy(const Finding& finding) {
  Said said;
  const Json evidence = Json::parse(finding.evidence, nullptr, false);
  if (!evidence.is_object()) return said;
  said.of_program = textIn(evidence, "cause") == "application";
  const auto root = evidence.find("root");
  if (root != evidence.end() && root->is_object())
    said.event = textIn(*root, "kind"), said.code = textIn(*root, "code");
  else
    said.event = textIn(evidence, "cause");
  const auto timeouts = evidence.find("timeouts");
  said.watchdog = timeouts != evidence.end() && timeouts->is_number_integer() && timeouts->get<std::int64_t>() > 0;
  return said;
}

std::string whyWords(const Finding& finding, const Said& said) {
  if (finding.kind != kFault || said.event.empty()) return findingKindWords(finding.kind);
  if (said.event == "xid" || said.event == "sxid") return (said.event == "xid" ? "Xid " : "SXid ") + oneLineOf(said.code, 20);
  return oneLineOf(findingKindWords(said.event), 60);
}

}  // namespace

std::span<const CauseRow> causeTable() { return kTable; }

std::optional<LikelyCause> likelyCause(std::span<const Finding* const> findings) {
  for (const Finding* const finding : findings) {
    const Said said = saidBy(*finding);
    if (said.of_program) return LikelyCause{"software_bug", whyWords(*finding, said) + " on several devices at once", finding->id};
    for (const CauseRow& row : kTable) {
      const bool fits = row.finding == finding->kind && (row.event.empty() || row.event == said.event) &&
                        (row.event_code.empty() || row.event_code == said.code);
      if (fits) return LikelyCause{row.code, whyWords(*finding, said), finding->id};
    }
    if (finding->kind == "hang" && said.watchdog && findings.size() == 1)
      return LikelyCause{"nccl_watchdog", "watchdogs ended it without a recorded cause", finding->id};
  }
  return std::nullopt;
}

}  // namespace runglass
