// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>

#include "analysis/collectives/bus_reading.h"
#include "app/cli/analyze_parts.h"
#include "app/cli/json_value.h"
#include "app/cli/output.h"
#include "model/number_text.h"

namespace runglass::ctl {
namespace {

constexpr std::size_t kMaxListed = 1'000;  // the newest collectives

std::string rateText(double bytes_per_s) { return valueText(bytes_per_s, "bytes_per_s"); }

Json statsJson(const BusStats& stats) {
  return {{"collectives", stats.samples},
          {"median_bytes_per_s", stats.median},
          {"worst_bytes_per_s", stats.worst},
          {"worst_start_ns", stats.worst_sample.t0},
          {"worst_bytes", stats.worst_sample.bytes}};
}

Json operationJson(BusOp op, const BusStats& stats, bool at_least) {
  Json json = {{"operation", busOpName(op)}, {"at_least", at_least}};
  json.update(statsJson(stats));
  return json;
}

Json communicatorJson(std::int64_t id, const CommGroup* group, const BusOfGroup& bus) {
  Json json = {{"group_id", id}};
  json["name"] = group != nullptr ? Json(group->name) : Json();
  json["kind"] = group != nullptr && !group->kind.empty() ? Json(group->kind) : Json();
  json["ranks"] = group != nullptr && !group->ranks.empty() ? Json(group->ranks.size()) : Json();
  json["operations"] = Json::array();
  for (const auto& [op, stats] : bus.of_op) json["operations"].push_back(operationJson(op, stats, false));
  for (const auto& [op, stats] : bus.at_least) json["operations"].push_back(operationJson(op, stats, true));
  json["reported"] =
      bus.said ? Json{{"median_bytes_per_s", bus.said->median}, {"worst_bytes_per_s", bus.said->worst}, {"points", bus.said->samples}}
               : Json();
  json["not_measured"] = Json::array();
  for (std::size_t i = 0; i < bus.refused.size(); ++i)
    if (bus.refused[i] > 0)
      json["not_measured"].push_back({{"reason", busRefusalText(static_cast<BusRefusal>(i))}, {"collectives", bus.refused[i]}});
  return json;
}

Json sampleJson(const BusSample& sample) {
  return {{"group_id", sample.group},       {"operation", busOpName(sample.op)}, {"start_ns", sample.t0},      {"bytes", sample.bytes},
          {"transfer_ns", sample.transfer}, {"bytes_per_s", sample.bytes_per_s}, {"at_least", sample.at_least}};
}

std::string operationText(BusOp op, const BusStats& stats, bool at_least) {
  return std::string("    ") + busOpName(op) + ": " + (at_least ? "at least " : "") + rateText(stats.median) + " median, " +
         rateText(stats.worst) + " worst of " + std::to_string(stats.samples) +
         (at_least ? " (waiting included: not all members' calls are in the store)\n" : "\n");
}

std::string communicatorText(const CommGroup* group, const BusOfGroup& bus) {
  std::string text = "  bus bandwidth of communicator " + (group != nullptr ? oneLine(group->name) : std::string("without a name"));
  if (group != nullptr && !group->ranks.empty())
    text += " (" + std::to_string(group->ranks.size()) + (group->ranks.size() == 1 ? " rank)" : " ranks)");
  text += ":\n";
  for (const auto& [op, stats] : bus.of_op) text += operationText(op, stats, false);
  for (const auto& [op, stats] : bus.at_least) text += operationText(op, stats, true);
  if (bus.said)
    text += "    reported by NCCL: " + rateText(bus.said->median) + " median, " + rateText(bus.said->worst) + " worst of " +
            std::to_string(bus.said->samples) + "\n";
  return text;
}

}  // namespace

Result<AnalyzePart> bandwidthPart(Reader& reader, const Run& run, std::span<const Finding> /*findings*/) {
  RG_ASSIGN(const auto attempts, reader.attempts(run.id));
  if (attempts.empty()) return AnalyzePart{{{"bus_bandwidth", {{"status", "insufficient"}, {"reason", "the run has no attempt"}}}}, {}};
  const Attempt& attempt = attempts.back();
  RG_ASSIGN(const auto groups, reader.groups(attempt.id));
  RG_ASSIGN(const auto ranks, reader.ranks(attempt.id));
  GroupMembers members;
  std::map<std::int64_t, const CommGroup*> named;
  for (const CommGroup& group : groups) members[group.id] = group.ranks, named[group.id] = &group;
  RG_ASSIGN(const BusReading reading, readBus(reader, run.id, attempt.id, members, ranks, {}, {}));
  AnalyzePart part;
  Json json = {{"status", "ok"}, {"attempt", attempt.number}, {"all_of_run", reading.all_of_run}, {"communicators", Json::array()}};
  bool measured = false;
  for (const auto& [id, bus] : reading.bus.groups) {
    const auto known = named.find(id);
    const CommGroup* group = known == named.end() ? nullptr : known->second;
    json["communicators"].push_back(communicatorJson(id, group, bus));
    if (bus.of_op.empty() && bus.at_least.empty() && !bus.said) continue;
    measured = true;
    part.text += communicatorText(group, bus);
  }
  if (!measured) {
    json["status"] = "insufficient";
    json["reason"] = reading.bus.groups.empty() ? "no collective with a communicator is in the store" : "no collective could be measured";
  }
  const auto& samples = reading.bus.samples;
  json["collectives"] = Json::array();
  json["collectives_total"] = samples.size();
  for (std::size_t i = samples.size() - std::min(samples.size(), kMaxListed); i < samples.size(); ++i)
    json["collectives"].push_back(sampleJson(samples[i]));
  part.json["bus_bandwidth"] = std::move(json);
  return part;
}

}  // namespace runglass::ctl
