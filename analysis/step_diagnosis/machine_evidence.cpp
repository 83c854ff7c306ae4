// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/machine_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/statistics/median.h"
#include "analysis/words/sentences.h"
#include "model/orders.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;
using words::Arg;
using words::Message;

constexpr std::size_t kMaxEvents = 200, kMaxKinds = 8;
constexpr std::array<const char*, 3> kMetrics = {"sm_clock_hertz", "temperature_celsius", "power_watts"};
enum Asked : std::size_t { kClock, kTemperature, kPower };

class Asker {
 public:
  Asker(Reader& reader, TimeRange range, std::stop_token stop) : m_reader(reader), m_range(range), m_stop(std::move(stop)) {}

  Result<std::vector<double>> meansOf(const std::vector<Rank>& ranks, const char* metric, std::size_t most) {
    std::vector<double> means;
    for (const Rank& rank : ranks) {
      if (!rank.device || means.size() >= most) continue;
      SeriesFilter filter;
      filter.device = rank.device;
      filter.metric = metric;
      RG_ASSIGN(const auto all, m_reader.series(filter));
      for (const Series& series : all) {
        if (series.sample_count == 0) continue;
        RG_ASSIGN(const auto bins, m_reader.bins(series.id, Axis::kTime, m_range.t0, m_range.t1, 1, m_stop));
        if (bins.empty() || bins.front().count == 0) continue;
        const double mean = bins.front().sum / static_cast<double>(bins.front().count);
        if (!std::isfinite(mean)) continue;
        means.push_back(mean);
        break;
      }
    }
    return means;
  }

 private:
  Reader& m_reader;
  const TimeRange m_range;
  const std::stop_token m_stop;
};

const MachineValue* find(const MachineEvidence& evidence, std::size_t asked) {
  const auto found = std::ranges::find(evidence.values, kMetrics[asked], &MachineValue::metric);
  return found == evidence.values.end() ? nullptr : &*found;
}

void judge(MachineEvidence& evidence) {
  const MachineValue *clock = find(evidence, kClock), *heat = find(evidence, kTemperature), *power = find(evidence, kPower);
  const bool is_slow = clock != nullptr && clock->own < clock->peers * (1 - kClockOff);
  const bool is_hot = heat != nullptr && heat->own > heat->peers + kHotter;
  const bool is_weak = power != nullptr && power->own < power->peers * (1 - kPowerOff);
  const auto mhz = [](double hertz) { return Arg(words::whole(hertz / 1e6)); };
  if (is_slow) {
    evidence.cause = is_hot ? "thermal" : "clock";
    evidence.sentence = Message{"machine_clock",
                                {{"own", mhz(clock->own)},
                                 {"peers", mhz(clock->peers)},
                                 {"heat", is_hot ? Arg(words::whole(heat->own)) : Arg()},
                                 {"peer_heat", is_hot ? Arg(words::whole(heat->peers)) : Arg()}}};
  } else if (!evidence.events.empty()) {
    evidence.cause = "fault";
    evidence.sentence = Message{"machine_fault", {{"event", evidence.events.begin()->first}}};
  } else if (is_weak) {
    evidence.cause = "power";
    evidence.sentence = Message{"machine_power", {{"own", words::whole(power->own)}, {"peers", words::whole(power->peers)}}};
  } else if (clock != nullptr && is_hot) {
    evidence.sentence =
        Message{"machine_same_clock_hotter", {{"clock", mhz(clock->own)}, {"hotter", words::whole(heat->own - heat->peers)}}};
  } else if (clock != nullptr) {
    evidence.sentence = Message{heat != nullptr ? "machine_same_clock_heat" : "machine_same_clock", {{"clock", mhz(clock->own)}}};
  }
}

// The ranks that a finding names, and the other ranks of the same role.
void sortOut(const std::vector<Rank>& ranks, const Finding& finding, const Json& evidence, std::vector<Rank>& slow,
             std::vector<Rank>& peers) {
  std::set<std::int32_t> named;
  if (evidence.contains("slow_ranks"))
    for (const Json& rank : evidence["slow_ranks"]) named.insert(rank.get<std::int32_t>());
  for (const Rank& rank : ranks) {
    if (named.contains(rank.rank) || (named.empty() && rank.node == finding.node))
      slow.push_back(rank);
    else if (!finding.pp || rank.pp == finding.pp || named.empty())
      peers.push_back(rank);
  }
}

void addTo(Finding& finding, Json& json, const MachineEvidence& machine) {
  json["machine"] = Json::object();
  for (const MachineValue& value : machine.values)
    json["machine"][value.metric] = {
        {"own", value.own}, {"peers", value.peers}, {"devices", value.devices}, {"peer_devices", value.peer_devices}};
  json["machine_events"] = machine.events;
  json["cause"] = machine.cause.empty() ? Json() : Json(machine.cause);
  finding.evidence = json.dump();
  if (machine.sentence)
    words::setMessage(finding, Message{"machine_added", {{"what", words::messageOf(finding)}, {"machine", *machine.sentence}}});
}

bool isSame(const Finding& a, const Finding& b) {
  return a.attempt == b.attempt && a.end == b.end && a.evidence == b.evidence && a.summary == b.summary;
}

}  // namespace

Result<MachineEvidence> machineEvidence(Reader& reader, RunId run, const std::vector<Rank>& slow, const std::vector<Rank>& peers,
                                        TimeRange range, std::stop_token stop) {
  MachineEvidence evidence;
  Asker asker(reader, range, stop);
  for (const char* metric : kMetrics) {
    RG_ASSIGN(auto own, asker.meansOf(slow, metric, slow.size()));
    if (own.empty()) continue;
    RG_ASSIGN(auto others, asker.meansOf(peers, metric, kPeersAsked));
    if (others.empty()) continue;
    evidence.values.push_back({metric, median(own).value(), median(others).value(), own.size(), others.size()});
  }
  std::set<NodeId> nodes;
  std::set<DeviceId> devices;
  for (const Rank& rank : slow) nodes.insert(rank.node), devices.insert(rank.device);
  for (const NodeId node : nodes) {
    if (!node) continue;
    RowQuery query;
    query.range = range, query.run = run, query.node = node, query.at_least = Severity::kWarning, query.limit = kMaxEvents;
    RG_ASSIGN(const auto page, reader.searchEvents(query, stop));
    for (const Event& event : page.events) {
      // Events of another device on the node, consequences of slowness, and our own work do not count.
      if (isOwnEvent(event.kind) || (event.device && !devices.contains(event.device)) || event.kind == "collective_timeout") continue;
      if (evidence.events.size() < kMaxKinds) ++evidence.events[event.code.empty() ? event.kind : event.kind + " " + event.code];
    }
  }
  judge(evidence);
  return evidence;
}

Status addMachineEvidence(Reader& reader, RunId run, const std::vector<Rank>& ranks, TimeNs now, MachineMemory& memory,
                          std::vector<Finding>& findings, const std::stop_token& stop) {
  std::size_t asked = 0;
  for (Finding& finding : findings) {
    if ((finding.kind != "slow_rank" && finding.kind != "slow_node") || !finding.start) continue;
    const std::string key = finding.kind + '\n' + finding.subject + '\n' + std::to_string(finding.first_step.value_or(0));
    const TimeRange range{*finding.start, std::max(finding.end.value_or(now), *finding.start + 1)};
    auto known = memory.said.find(key);
    if (known != memory.said.end() && finding.end && isSame(known->second.without, finding)) {
      finding = known->second.with;
      continue;
    }
    Json json = Json::parse(finding.evidence, nullptr, false);
    if (known == memory.said.end() || range.t1 - known->second.until >= MachineMemory::kAskAgain) {
      if (++asked > MachineMemory::kMaxAsked) {
        // The previous evidence is used.
        if (known != memory.said.end()) addTo(finding, json, known->second.evidence);
        continue;
      }
      std::vector<Rank> slow, peers;
      sortOut(ranks, finding, json, slow, peers);
      RG_ASSIGN(MachineEvidence evidence, machineEvidence(reader, run, slow, peers, range, stop));
      known = memory.said.insert_or_assign(key, MachineMemory::Said{range.t1, std::move(evidence)}).first;
    }
    if (finding.end) known->second.without = finding;
    addTo(finding, json, known->second.evidence);
    if (finding.end) known->second.with = finding;
  }
  return {};
}

}  // namespace runglass
