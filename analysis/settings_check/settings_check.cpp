// SPDX-License-Identifier: Apache-2.0
// Invariant: a published finding that no longer holds ends; a setting that was never odd is never published.
#include "analysis/settings_check/settings_check.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/settings_check/settings.h"
#include "model/device_catalog.h"

namespace runglass {
namespace {

constexpr DurNs kEvery = 60 * kNsPerSecond;
constexpr std::size_t kMaxReported = 200'000;

class SettingsCheck : public Analysis {
 public:
  Result<std::vector<Finding>> look(const Question& question) override {
    if (question.now && m_looked && *question.now - *m_looked < kEvery) return said();
    m_looked = question.now;
    RG_ASSIGN(const auto attempts, question.reader.attempts(question.run));
    if (attempts.empty()) return std::vector<Finding>();
    const Attempt& attempt = attempts.back();
    RG_ASSIGN(const auto reported, gather(question.reader, question.run, attempt));
    std::set<std::string> holding;
    for (Finding& finding : judgeSettings(reported)) {
      finding.run = question.run, finding.attempt = attempt.id, finding.start = attempt.start;
      holding.insert(finding.subject);
      m_said[finding.subject] = std::move(finding);
    }
    for (auto& [subject, finding] : m_said)
      if (!holding.contains(subject) && !finding.end) finding.end = attempt.start;
    return said();
  }

 private:
  static Result<std::vector<ReportedSetting>> gather(Reader& reader, RunId run, const Attempt& attempt) {
    std::vector<ReportedSetting> reported;
    RG_ASSIGN(const auto nodes, reader.nodes());
    RG_ASSIGN(const auto devices, reader.devices());
    RG_ASSIGN(const auto ranks, reader.ranks(attempt.id));
    RG_ASSIGN(const auto facts, reader.facts(attempt.id));
    std::map<NodeId, std::string> node_names;
    for (const Node& node : nodes) node_names[node.id] = node.name;
    std::map<DeviceId, std::string> uuids;
    for (const Device& device : devices) uuids[device.id] = device.uuid;
    std::set<NodeId> own_nodes;
    std::set<DeviceId> own_devices;
    for (const Rank& rank : ranks) own_nodes.insert(rank.node), own_devices.insert(rank.device);
    for (const Fact& fact : facts)
      if (reported.size() < kMaxReported && !fact.rank)
        reported.push_back({fact.key, fact.value, fact.node ? node_names[fact.node] : std::string(), {}});
    // Imported telemetry has no ranks: all GPUs of the nodes that its files name count.
    const bool no_ranks = ranks.empty();
    if (no_ranks)
      for (const Fact& fact : facts)
        if (fact.node) own_nodes.insert(fact.node);
    EventFilter filter;
    filter.run = run;
    filter.kind = "device_facts";
    RG_ASSIGN(const auto events, reader.events(filter));
    std::set<DeviceId> seen;  // newest first
    for (const Event& event : events) {
      if (!event.device || !own_nodes.contains(event.node) || !seen.insert(event.device).second) continue;
      // A GPU of the node without a rank may have any settings.
      if (!no_ranks && !own_devices.contains(event.device)) continue;
      const auto json = nlohmann::json::parse(event.message, nullptr, false);
      if (!json.is_object()) continue;
      for (const char* key : {"driver", "cuda", "mig", "ecc", "compute_mode", "persistence", "power_limit_watts", "max_sm_clock_hertz"})
        if (const auto at = json.find(key); at != json.end() && reported.size() < kMaxReported)
          reported.push_back({key, at->is_string() ? at->get<std::string>() : at->dump(), node_names[event.node], uuids[event.device]});
    }
    for (const Device& device : devices)
      if (device.kind == kMigKind && own_nodes.contains(device.node) && reported.size() < kMaxReported)
        reported.push_back({"mig_instances", device.uuid, node_names[device.node], device.uuid});
    if (const auto first = std::ranges::find(ranks, 0, &Rank::rank); first != ranks.end() && first->node)
      placeReported(reported, node_names[first->node]);
    return reported;
  }
  // Where nodes report a setting, rank 0's value without a node belongs to rank 0's node; that node's own report takes precedence.
  static void placeReported(std::vector<ReportedSetting>& reported, const std::string& own) {
    std::set<std::string> of_nodes, of_own;
    for (const ReportedSetting& one : reported) {
      if (!one.node.empty()) of_nodes.insert(one.key);
      if (one.node == own) of_own.insert(one.key);
    }
    std::erase_if(reported, [&](const ReportedSetting& one) { return one.node.empty() && of_own.contains(one.key); });
    for (ReportedSetting& one : reported)
      if (one.node.empty() && of_nodes.contains(one.key)) one.node = own;
  }
  std::vector<Finding> said() const {
    std::vector<Finding> out;
    for (const auto& [subject, finding] : m_said) out.push_back(finding);
    return out;
  }

  std::optional<TimeNs> m_looked;
  std::map<std::string, Finding> m_said;
};

}  // namespace

std::unique_ptr<Analysis> makeSettingsCheck() { return std::make_unique<SettingsCheck>(); }

}  // namespace runglass
