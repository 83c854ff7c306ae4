// SPDX-License-Identifier: Apache-2.0
#include "analysis/one_fault/attempt_cause.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/one_fault/watchdog.h"
#include "model/fault_catalog.h"

namespace runglass {
namespace {

using Kinds = std::span<const std::string_view>;

constexpr std::array<std::string_view, 7> kFailures = {"traceback",      "out_of_memory", "cuda_error", "no_space",
                                                       "process_failed", "killed",        "nccl_error"};
// Reported by hardware_faults and scheduling, and the cause of whatever fails in their aftermath.
constexpr std::array<std::string_view, 5> kOfMachine = {"xid", "sxid", "gpu_lost", "node_lost", "oom_killed"};
constexpr std::string_view kTimeout = "collective_timeout", kFirstFailure = "first_failure";
constexpr DurNs kSameTime = 120 * kNsPerSecond, kLongestStep = 600 * kNsPerSecond;
constexpr std::uint64_t kStepsInFlight = 2;  // that may still be printed after a fault which stops the job

// Not an exception that the program may have handled.
bool isFailure(const Event& event) {
  return std::ranges::find(kFailures, event.kind) != kFailures.end() && (event.kind != "traceback" || event.severity >= Severity::kError);
}

bool isIn(Kinds kinds, const Event& event) { return std::ranges::find(kinds, event.kind) != kinds.end(); }

// Whether hardware_faults publishes it at warning or above.
bool isMachineFault(const Event& event) {
  if (event.kind == "node_lost" || event.kind == "oom_killed") return event.severity >= Severity::kError;
  const FaultInfo* fault = event.severity >= Severity::kError ? findFault(event.kind, event.code) : nullptr;
  if (fault == nullptr || fault->secondary || fault->action == "IGNORE") return false;
  return fault->scope != FaultScope::kProcess || event.kind == "xid" || event.kind == "sxid";
}

bool isBefore(const Event& a, const Event& b) {
  if (a.time && b.time && *a.time != *b.time) return *a.time < *b.time;
  return a.id < b.id;
}

// A fault of the program that the GPU reports: restarted ranks survive it.
bool isOfProgram(const Event& event) {
  const FaultInfo* fault = event.kind == "xid" || event.kind == "sxid" ? findFault(event.kind, event.code) : nullptr;
  return fault != nullptr && fault->scope == FaultScope::kProcess;
}

// Whether its link or node was back before the failure.
bool isBack(const Event& fault, const Event& failure, std::span<const Event> events) {
  const std::string_view back = fault.kind == "link_down" ? "link_up" : fault.kind == "node_lost" ? "node_back" : "";
  return !back.empty() && std::ranges::any_of(events, [&](const Event& event) {
    const bool same_place = event.kind == back && event.node == fault.node && (back == "node_back" || linkOf(event) == linkOf(fault));
    return same_place && isBefore(fault, event) && isBefore(event, failure);
  });
}

bool isKill(const Event& event) { return event.kind == "killed" && (event.code == "9" || event.code == "Killed"); }

// A failure that the run survived, or that came after the timeout, did not cause it.
bool causesTimeout(const Event& failure, const Event& timeout, const std::set<std::int32_t>& timed_out) {
  // Its watchdog ran: the rank survived the failure.
  if (failure.rank && timed_out.contains(*failure.rank)) return false;
  if (distanceFromCause(failure) > 0 && !isKill(failure)) return false;
  if (failure.step && timeout.step && *failure.step < *timeout.step) return false;
  if (failure.time && timeout.time) return *failure.time < *timeout.time && *timeout.time - *failure.time <= aftermathOf(timeout);
  // The launcher kills the ranks that the watchdogs leave, and what is aborted may crash.
  if (failure.kind == "killed" && failure.id > timeout.id) return false;
  // Before the first step of its log; or of another log, as those of different ranks are.
  if (timeout.step && !failure.step) return failure.rank && !timed_out.contains(*failure.rank);
  // Logs of different ranks are in no order.
  return failure.id < timeout.id || (failure.rank && !timed_out.contains(*failure.rank));
}

const Event* firstFailure(std::span<const Event* const> own) {
  const Event* first = nullptr;
  const Event* named = nullptr;  // by the launcher
  for (const Event* event : own) {
    if (named == nullptr && event->kind == kFirstFailure && event->rank) named = event;
    if (!isFailure(*event)) continue;
    if (first == nullptr || distanceFromCause(*event) < distanceFromCause(*first)) first = event;
  }
  if (named == nullptr) return first;
  const Event* of_named = nullptr;
  for (const Event* event : own) {
    if (event->rank != named->rank || !isFailure(*event)) continue;
    if (event->kind != "killed" && distanceFromCause(*event) == 0) return event;
    if (of_named == nullptr || event->kind == "killed" || event->kind == "process_failed") of_named = event;
  }
  return of_named != nullptr ? of_named : first;
}

// An exception that no broken device, link or peer raises.
bool isOfOwnProgram(const Event& failure) {
  constexpr std::array<std::string_view, 14> kErrors = {
      "ValueError",          "KeyError",           "IndexError",        "TypeError",           "AttributeError",
      "AssertionError",      "NameError",          "ZeroDivisionError", "NotImplementedError", "OverflowError",
      "ModuleNotFoundError", "UnicodeDecodeError", "JSONDecodeError",   "ImportError"};
  return failure.kind == "traceback" && std::ranges::any_of(kErrors, [&](std::string_view error) { return failure.code.ends_with(error); });
}

// Whether the failure is of a node that the fault does not reach: a disk, a GPU and a process serve their own node.
bool isElsewhere(const Event& fault, const Event& failure, const NodesOfRanks& places) {
  if (failure.kind == kTimeout || distanceFromCause(failure) > 0) return false;
  // The event of a followed log may have the node that reads it.
  const auto placed = failure.rank ? places.of_rank.find(*failure.rank) : places.of_rank.end();
  const NodeId broken = places.oneName(fault.node);
  if (!broken || placed == places.of_rank.end()) return isOfOwnProgram(failure);
  const NodeId failed = placed->second;
  if (broken == failed) return false;
  const FaultInfo* info = findFault(fault.kind, fault.code);
  const bool shared = fault.kind == "storage_stall" || fault.kind == "mount_stall";
  const bool local = info != nullptr && info->scope == FaultScope::kStorage && !shared;
  return local || failure.kind != "traceback" || isOfOwnProgram(failure);
}

bool explains(const Event& fault, const Event& failure, const NodesOfRanks& places) {
  if (!mayFollowFrom(failure, fault) || isElsewhere(fault, failure, places)) return false;
  if (failure.kind == kTimeout) return !isOfProgram(fault);
  if (!fault.time || !failure.time) return true;
  const DurNs after = *failure.time - *fault.time;
  return after >= -kSameTime && after <= (isIn(kOfMachine, fault) && !isOfProgram(fault) ? aftermathOf(failure) : kSameTime);
}

}  // namespace

int distanceFromCause(const Event& event) {
  constexpr std::array kPeers = {"Connection closed by peer", "Connection reset by peer", "Broken pipe",
                                 "remote process exited",     "communicator was aborted", "process group was destroyed"};
  constexpr std::array<std::string_view, 4> kAskedToEnd = {"", "15", "Terminated", "KeyboardInterrupt"};
  constexpr std::array<std::string_view, 4> kCrashes = {"7", "11", "Bus error", "Segmentation fault"};
  constexpr std::array<std::string_view, 5> kOfOthers = {"DistBackendError", "DistStoreError", "ChildFailedError", "KeyboardInterrupt",
                                                         "SignalException"};
  if (event.kind == "process_failed" || event.kind == "nccl_error") return 2;
  if (std::ranges::any_of(kPeers, [&](const char* text) { return event.message.find(text) != std::string::npos; })) return 2;
  if (event.kind == "traceback" && std::ranges::any_of(kOfOthers, [&](std::string_view code) { return event.code.ends_with(code); }))
    return 2;
  if (event.kind != "killed") return 0;
  if (std::ranges::find(kAskedToEnd, event.code) != kAskedToEnd.end()) return 2;
  return std::ranges::find(kCrashes, event.code) != kCrashes.end() ? 0 : 1;
}

DurNs aftermathOf(const Event& event) {
  if (event.kind != kTimeout) return kAftermath;
  return std::max(kAftermath, timeoutWords(event).ran.value_or(kDefaultWatchdog) + kLongestStep);
}

bool mayFollowFrom(const Event& event, const Event& fault) {
  if (event.step && fault.step && *event.step > *fault.step &&
      static_cast<std::uint64_t>(*event.step) - static_cast<std::uint64_t>(*fault.step) > kStepsInFlight)
    return false;
  const bool same_log = event.attempt == fault.attempt, timeout = event.kind == kTimeout;
  if (timeout && same_log && isBefore(event, fault)) return false;
  // Without times only steps show that the run had not survived the fault.
  if (!event.time || !fault.time) return same_log && (!timeout || (event.step && fault.step));
  if (!timeout) return true;
  const auto ran = timeoutWords(event).ran;
  const TimeNs began = *event.time - ran.value_or(kDefaultWatchdog);
  // A lost node is noticed late; any other fault after the begin of a wait is not its cause.
  const TimeNs latest = ran && fault.kind != "node_lost" ? began : *event.time;
  return *fault.time >= began - kSameTime && *fault.time <= latest + kSameTime;
}

std::string linkOf(const Event& event) {
  if (event.device) return "device " + std::to_string(event.device.value);
  return event.message.substr(0, event.message.find_last_of(':'));
}

bool hasFailed(const Run& run, std::span<const Attempt> attempts, const Attempt& attempt) {
  const bool over = attempt.id != attempts.back().id || run.state == RunState::kFailed;
  return over && !attempt.end_cause.empty() && !attempt.planned.value_or(false);
}

NodeId NodesOfRanks::oneName(NodeId node) const {
  const auto alias = aliases.find(node);
  return alias == aliases.end() ? node : alias->second;
}

NodeId NodesOfRanks::of(const Event& event) const {
  if (event.rank)
    if (const auto known = of_rank.find(*event.rank); known != of_rank.end()) return known->second;
  return oneName(event.node);
}

AttemptCause causeOf(const Attempt& attempt, std::span<const Event> events, const NodesOfRanks& places) {
  AttemptCause out;
  std::vector<const Event*> own;
  const Event* timeout = nullptr;
  std::set<std::int32_t> timed_out;
  for (const Event& event : events) {
    if (event.attempt != attempt.id) continue;
    own.push_back(&event);
    if (event.kind != kTimeout) continue;
    if (timeout == nullptr || isBefore(event, *timeout)) timeout = &event;
    if (event.rank) timed_out.insert(*event.rank);
  }
  std::vector<const Event*> failures = own;
  if (timeout != nullptr)
    std::erase_if(failures,
                  [&](const Event* event) { return event->kind != kFirstFailure && !causesTimeout(*event, *timeout, timed_out); });
  const Event* failure = firstFailure(failures);
  const Event* last = failure != nullptr ? failure : timeout;
  if (last == nullptr) return out;
  const auto fault = std::ranges::find_if(events, [&](const Event& event) {
    // A kernel log in the same run is an attempt of its own.
    if (!isMachineFault(event) || (event.attempt != attempt.id && !event.time)) return false;
    if (event.time && attempt.start && *event.time < *attempt.start) return false;
    // A node that a restart left out.
    if (event.attempt != attempt.id && event.node && !places.nodes.empty() && !places.nodes.contains(places.oneName(event.node)))
      return false;
    return explains(event, *last, places) && !isBack(event, *last, events);
  });
  if (fault != events.end())
    out.by = EndedBy::kMachine, out.first = &*fault;
  else
    out.by = failure != nullptr ? EndedBy::kProcess : EndedBy::kHang, out.first = last;
  for (const Event* event : own)
    if (event != out.first && event->rank != out.first->rank && (isFailure(*event) || event->kind == kTimeout)) out.after.push_back(event);
  return out;
}

}  // namespace runglass
