// SPDX-License-Identifier: Apache-2.0
// Invariant: every event is the root, a repeat or a symptom of at most one fault.
#include "analysis/hardware_faults/symptoms.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <tuple>

namespace runglass {
namespace {

constexpr std::array<std::string_view, 8> kPeerSymptoms = {"collective_timeout", "nccl_error", "process_died", "process_failed",
                                                           "cuda_error",         "node_stale", "node_lost",    "worker_group_restart"};
constexpr std::size_t kMaxFaults = 1'000;

bool isSilence(const Event& event) { return event.kind == "node_lost"; }
bool isPeerSymptom(const Event& event) { return std::ranges::find(kPeerSymptoms, event.kind) != kPeerSymptoms.end(); }

class Correlation {
 public:
  // `at_once`: events without a time, and what follows from them: of one moment, in the given order.
  Correlation(std::span<const Event> events, std::size_t node_count, bool at_once = false) : m_node_count(node_count), m_at_once(at_once) {
    for (const Event& event : events) m_events.push_back({&event, findFault(event.kind, event.code), at_once ? 0 : event.time.value_or(0)});
    std::ranges::stable_sort(m_events, {}, &Item::time);
    m_used.resize(m_events.size());
  }

  std::vector<CorrelatedFault> find() {
    findHub();
    findRoots();
    findSilent();
    attach();
    for (CorrelatedFault& fault : m_faults) finish(fault);
    std::ranges::stable_sort(m_faults, {}, &CorrelatedFault::start);
    if (m_faults.size() > kMaxFaults) m_faults.resize(kMaxFaults);
    return std::move(m_faults);
  }

  // After find(): what peers reported, of no fault.
  std::vector<Event> unexplained() const {
    std::vector<Event> out;
    for (std::size_t i = 0; i < m_events.size(); ++i)
      if (!m_used[i] && isPeerSymptom(eventOf(i))) out.push_back(eventOf(i));
    return out;
  }

 private:
  struct Item {
    const Event* event;
    const FaultInfo* info;
    TimeNs time;
  };
  TimeNs timeOf(std::size_t i) const { return m_events[i].time; }
  const Event& eventOf(std::size_t i) const { return *m_events[i].event; }

  // Many nodes silent at once: none of them is the cause.
  void findHub() {
    for (std::size_t i = 0; i < m_events.size(); ++i) {
      if (!isSilence(eventOf(i)) || m_used[i]) continue;
      std::set<NodeId> nodes;
      std::size_t end = i;
      for (; end < m_events.size() && timeOf(end) - timeOf(i) <= kAtOnce; ++end)
        if (isSilence(eventOf(end))) nodes.insert(eventOf(end).node);
      if (nodes.size() < 2 || static_cast<double>(nodes.size()) <= kManyNodes * static_cast<double>(m_node_count)) continue;
      CorrelatedFault fault{.cause = FaultCause::kHub, .root = eventOf(i), .info = nullptr, .symptoms = {}, .counts = {}};
      fault.nodes.assign(nodes.begin(), nodes.end());
      fault.start = timeOf(i);
      m_used[i] = true;
      // Their earlier and later events belong to it, too.
      for (std::size_t j = 0; j < m_events.size(); ++j) {
        const std::string& kind = eventOf(j).kind;
        if (m_used[j] || (kind != "node_lost" && kind != "node_stale" && kind != "node_back")) continue;
        if (timeOf(j) < timeOf(i) - kSameFault || timeOf(j) > timeOf(i) + kAftermath || !nodes.contains(eventOf(j).node)) continue;
        m_used[j] = true;
        if (kind == "node_back") fault.end = std::max(fault.end.value_or(timeOf(j)), timeOf(j));
        fault.symptoms.push_back(eventOf(j));
      }
      m_faults.push_back(std::move(fault));
    }
  }

  // Corrected errors are judged by their rates; of a program's faults only Xids reported by the GPU may be a hardware fault.
  static bool mayBeRoot(const Item& item) {
    if (item.info == nullptr || item.info->secondary) return false;
    const std::string& kind = item.event->kind;
    const bool of_gpu = kind == "xid" || kind == "sxid";
    if (item.info->scope == FaultScope::kProcess && !of_gpu) return false;
    return item.event->severity >= Severity::kError || (item.event->severity == Severity::kWarning && of_gpu);
  }
  std::size_t firstAt(TimeNs time) const {
    const auto at = std::ranges::lower_bound(m_events, time, {}, &Item::time);
    return static_cast<std::size_t>(at - m_events.begin());
  }

  // The most severe event of a node within a minute; the other events of that minute are its symptoms.
  void findRoots() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < m_events.size(); ++i)
      if (!m_used[i] && mayBeRoot(m_events[i])) order.push_back(i);
    // Among equals, an event with a code is more specific.
    std::ranges::stable_sort(order, std::greater{},
                             [this](std::size_t i) { return std::pair(eventOf(i).severity, !eventOf(i).code.empty()); });
    for (const std::size_t i : order) {
      if (m_used[i]) continue;
      const Event& root = eventOf(i);
      CorrelatedFault fault{.cause = FaultCause::kDevice, .root = root, .info = m_events[i].info, .symptoms = {}, .counts = {}};
      fault.start = timeOf(i);
      m_used[i] = true;
      const bool of_process = fault.info->scope == FaultScope::kProcess;
      const DurNs repeats = of_process ? kProgramRepeats : kRepeats;
      std::set<NodeId> nodes{root.node};
      std::set<DeviceId> devices{root.device};
      TimeNs last = timeOf(i);
      for (std::size_t j = firstAt(timeOf(i) - kSameFault); j < m_events.size() && timeOf(j) - last <= repeats; ++j) {
        const Event& other = eventOf(j);
        if (m_used[j]) continue;
        const DurNs apart = timeOf(j) - timeOf(i);
        const bool same = other.kind == root.kind && other.code == root.code;
        // A repeat on the same device, or of the same program elsewhere.
        if (same && ((other.device == root.device && other.node == root.node && apart >= -kSameFault) ||
                     (of_process && std::abs(apart) <= kSameFault))) {
          m_used[j] = true;
          ++fault.repeats;
          nodes.insert(other.node), devices.insert(other.device);
          fault.start = std::min(fault.start, timeOf(j));
          last = std::max(last, timeOf(j));
          continue;
        }
        if (other.node != root.node || m_events[j].info == nullptr || timeOf(j) - last > kSameFault) continue;
        // Events of another GPU of the node are separate faults, unless the node itself is broken.
        const bool other_gpu = other.device && root.device && other.device != root.device;
        if (other_gpu && fault.info->scope != FaultScope::kNode && !m_events[j].info->secondary) continue;
        m_used[j] = true;
        fault.symptoms.push_back(other);
      }
      if (of_process && devices.size() > 1) fault.cause = FaultCause::kApplication;
      fault.last = last;
      if (root.kind == "link_down") findFlap(i, last, fault);
      fault.nodes.assign(nodes.begin(), nodes.end());
      m_faults.push_back(std::move(fault));
    }
  }

  void findFlap(std::size_t root, TimeNs last, CorrelatedFault& fault) {
    for (std::size_t j = firstAt(timeOf(root)); j < m_events.size() && timeOf(j) <= last + kFlap; ++j) {
      const Event& other = eventOf(j);
      if (other.kind != "link_up" || other.node != fault.root.node || linkOf(other) != linkOf(fault.root)) continue;
      fault.cause = FaultCause::kLinkFlap;
      fault.end = std::max(fault.end.value_or(timeOf(j)), timeOf(j));
      if (!m_used[j]) fault.symptoms.push_back(other);
      m_used[j] = true;
    }
  }

  // A silent node without an explanation. One that signed off is not a fault.
  void findSilent() {
    for (std::size_t i = 0; i < m_events.size(); ++i) {
      if (m_used[i] || !isSilence(eventOf(i)) || rootBefore(i) != nullptr) continue;
      CorrelatedFault fault{.cause = FaultCause::kSilent, .root = eventOf(i), .info = nullptr, .symptoms = {}, .counts = {}};
      fault.start = timeOf(i);
      fault.nodes = {eventOf(i).node};
      m_used[i] = true;
      bool left = false;
      for (std::size_t j = firstAt(timeOf(i) - kSameFault); j < m_events.size(); ++j) {
        const Event& other = eventOf(j);
        if (other.node != fault.root.node) continue;
        left |= other.kind == "node_left" && timeOf(j) <= timeOf(i) + kSameFault;
        if (m_used[j]) continue;
        if (other.kind == "node_back" && timeOf(j) >= timeOf(i) && !fault.end) fault.end = timeOf(j), m_used[j] = true;
        if (other.kind == "node_stale" && timeOf(j) <= timeOf(i)) fault.start = std::min(fault.start, timeOf(j)), m_used[j] = true;
      }
      if (!left) m_faults.push_back(std::move(fault));
    }
  }

  // The most severe fault before an event, among equals the newest, that may explain it: on its own node, or one that stops a job.
  CorrelatedFault* rootBefore(std::size_t i) {
    CorrelatedFault* best = nullptr;
    for (CorrelatedFault& fault : m_faults) {
      const DurNs after = timeOf(i) - fault.start;
      if (after < -kSameFault || after > aftermathOf(eventOf(i)) || fault.cause == FaultCause::kHub) continue;
      if ((m_at_once || eventOf(i).kind == "collective_timeout") && !mayFollowFrom(eventOf(i), fault.root)) continue;
      const bool same_node = std::ranges::find(fault.nodes, eventOf(i).node) != fault.nodes.end();
      // A node's silence is only explained by a fault of its own.
      if (!same_node && (isSilence(eventOf(i)) || eventOf(i).kind == "node_stale" || fault.root.severity < Severity::kError)) continue;
      if (best == nullptr || fault.root.severity > best->root.severity ||
          (fault.root.severity == best->root.severity && fault.start > best->start))
        best = &fault;
    }
    return best;
  }

  void attach() {
    for (std::size_t i = 0; i < m_events.size(); ++i) {
      if (m_used[i]) continue;
      const Item& item = m_events[i];
      const bool secondary = item.info != nullptr && item.info->secondary;
      const bool back = item.event->kind == "node_back";
      if (!isPeerSymptom(*item.event) && !secondary && !back) continue;
      CorrelatedFault* fault = rootBefore(i);
      if (fault == nullptr) continue;
      m_used[i] = true;
      if (back) {
        if (std::ranges::find(fault->nodes, item.event->node) != fault->nodes.end()) fault->end = timeOf(i);
        continue;
      }
      fault->symptoms.push_back(*item.event);
    }
  }

  static void finish(CorrelatedFault& fault) {
    fault.last = std::max(fault.last, fault.start);
    std::ranges::stable_sort(fault.symptoms, {}, [](const Event& event) { return event.time.value_or(0); });
    for (const Event& event : fault.symptoms) {
      const bool coded = event.kind == "xid" || event.kind == "sxid";
      ++fault.counts[coded && !event.code.empty() ? event.kind + " " + event.code : event.kind];
    }
  }

  std::size_t m_node_count;
  bool m_at_once;
  std::vector<Item> m_events;
  std::vector<bool> m_used;
  std::vector<CorrelatedFault> m_faults;
};

}  // namespace

std::vector<CorrelatedFault> correlate(std::span<const Event> events, std::size_t node_count) {
  std::vector<Event> dated;
  std::map<AttemptId, std::vector<Event>> undated;
  for (const Event& event : events) (event.time ? dated : undated[event.attempt]).push_back(event);
  Correlation with_times(dated, node_count);
  std::vector<CorrelatedFault> faults;
  auto found = with_times.find();
  // Of one log, watchdogs print times where NCCL and launchers print none.
  for (const Event& event : with_times.unexplained())
    if (const auto of_log = undated.find(event.attempt); event.attempt && of_log != undated.end()) of_log->second.push_back(event);
  for (const auto& [attempt, of_log] : undated) {
    auto of_attempt = Correlation(of_log, node_count, true).find();
    std::ranges::move(of_attempt, std::back_inserter(faults));
  }
  std::ranges::move(found, std::back_inserter(faults));
  return faults;
}

}  // namespace runglass
