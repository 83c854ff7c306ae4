// SPDX-License-Identifier: Apache-2.0
// The part of ClusterRecord for workloads, nodes, ConfigMaps and Kubernetes' own events.
#include <algorithm>
#include <array>
#include <utility>

#include "collectors/kubernetes/cluster_record.h"
#include "model/pod_event.h"

namespace runglass {
namespace {

constexpr DurNs kRepeat = 60 * kNsPerSecond;

struct KindOfReason {
  std::string_view reason, kind;
  Severity severity;
};
constexpr std::array kReasons = {KindOfReason{"Scheduled", pod_event::kScheduled, Severity::kInfo},
                                 KindOfReason{"FailedScheduling", pod_event::kUnschedulable, Severity::kInfo},
                                 KindOfReason{"Evicted", pod_event::kEvicted, Severity::kWarning},
                                 KindOfReason{"TaintManagerEviction", pod_event::kEvicted, Severity::kWarning},
                                 KindOfReason{"Preempted", pod_event::kPreempted, Severity::kWarning},
                                 KindOfReason{"ExceededGracePeriod", pod_event::kGraceExceeded, Severity::kWarning},
                                 KindOfReason{"OOMKilling", pod_event::kOomKilled, Severity::kError},
                                 KindOfReason{"NodeNotReady", pod_event::kNodeNotReady, Severity::kWarning}};

bool hasPrefix(std::string_view text, std::string_view prefix) { return text.starts_with(prefix); }

KindOfReason kindOf(const KubeEvent& event) {
  const KindOfReason other{event.reason, pod_event::kOther, event.type == "Warning" ? Severity::kWarning : Severity::kInfo};
  // Also the reason of pods that stay: "Cancelling deletion of Pod".
  if (event.reason == "TaintManagerEviction" && !hasPrefix(event.message, "Marking for deletion")) return other;
  for (const KindOfReason& row : kReasons)
    if (row.reason == event.reason) return row;
  // Not of init containers, which have fields of their own.
  if (event.reason == "Started" && hasPrefix(event.field, "spec.containers{")) return {event.reason, pod_event::kStarted, Severity::kInfo};
  // The kubelet has one reason for all of these.
  const bool image = hasPrefix(event.message, "Failed to pull image") || hasPrefix(event.message, "Error: ErrImagePull") ||
                     hasPrefix(event.message, "Error: ImagePullBackOff") || hasPrefix(event.message, "Back-off pulling image") ||
                     event.reason == "InspectFailed" || event.reason == "ErrImageNeverPull";
  if (image) return {event.reason, pod_event::kImagePull, Severity::kWarning};
  return other;
}

}  // namespace

void ClusterRecord::recordWorkload(Recorder& out, Tracked& of, std::optional<TimeNs> now) {
  of.changed = false;
  const std::optional<Top> top = topOf(of.object);
  if (!top) return;
  const KubeWorkload& workload = *of.object.workload;
  // Deleted before it ended. That it is missing from a list is known at the time of the list, its end is not.
  const bool deleted = of.gone && !workload.ended;
  const std::optional<TimeNs> end = !deleted ? workload.end : of.observed ? of.observed : now;
  Tracked& owner = declareRun(out, *top);
  if (&owner == &of) {
    Run& run = of.run;
    if (workload.started && (!run.start || *workload.started < *run.start)) run.start = workload.started;
    if (deleted) {
      // An end without a start and a state is that of a run whose outcome is not known.
      run.state = RunState::kUnknown;
      run.start.reset();
      run.end = end;
    } else if (workload.ended) {
      run.state = workload.succeeded ? RunState::kFinished : RunState::kFailed;
      run.end = workload.end ? workload.end : of.observed;
    } else if (!workload.phase.empty()) {
      run.state = RunState::kRunning;
    }
    out.run(run);
    if (!workload.cluster.empty()) of.attempt_key = workload.cluster;
    if (workload.ended || deleted) {
      m_open_unsaved |= m_open.erase(of.object.uid) > 0;
    } else {
      Open open{of.object.api, of.object.kind, of.object.space, of.object.name, of.attempt_key};
      Open& have = m_open[of.object.uid];
      m_open_unsaved |= have != open;
      have = std::move(open);
    }
  }
  // A RayJob that waits in a queue has no cluster and so no attempt yet; other kinds begin with their first one.
  if (!owner.attempt_key && owner.object.kind == "RayJob") return;
  const std::string key = owner.attempt_key.value_or(owner.object.kind == "JobSet" ? "restart 0" : "");
  Attempt attempt;
  if (&owner == &of && workload.ended) {
    attempt.end = of.run.end;
    attempt.end_cause = workload.succeeded ? "finished" : workload.reason.empty() ? "failed" : workload.reason;
    if (workload.succeeded) attempt.planned = true;
  } else if (&owner == &of && deleted) {
    attempt.end = end;
    attempt.end_cause = "deleted";
  }
  of.attempt = declareAttempt(out, owner, attempt, key);
  const std::string name = of.object.kind + " " + of.object.name;
  const TrackKey track{.attempt = of.attempt, .rank = {}, .kind = "workload", .name = name};
  if (of.object.kind == "Workload") {
    const KubeCondition* admitted = of.object.condition("Admitted");
    if (admitted == nullptr) admitted = of.object.condition("QuotaReserved");
    const bool in = admitted != nullptr && admitted->status == "True";
    phase(out, of, track,
          {"queued", of.object.created, in ? admitted->since : std::nullopt, SpanCategory::kIdle,
           in || admitted == nullptr ? "" : admitted->reason});
  } else {
    phase(out, of, track,
          {"initialising",
           workload.started ? workload.started : of.object.created,
           workload.running ? workload.running : end,
           SpanCategory::kOther,
           {}});
    phase(out, of, track, {"running", workload.running, end, SpanCategory::kOther, {}});
  }
  if (workload.phase.empty() || !once(of, "phase of " + key + " " + workload.phase)) return;
  std::string text = name;
  if (!workload.reason.empty() && workload.reason != workload.phase) text += ": " + workload.reason;
  if (!workload.message.empty()) text += ": " + workload.message;
  const auto time = workload.ended                     ? workload.end
                    : workload.phase == "Running"      ? workload.running
                    : workload.phase == "Initializing" ? workload.started
                                                       : std::nullopt;
  put(out, of, "",
      {.time = time ? time : of.observed,
       .kind = std::string(pod_event::kPhase),
       .severity = workload.ended && !workload.succeeded ? Severity::kError : Severity::kInfo,
       .code = workload.phase,
       .message = std::move(text)});
}

void ClusterRecord::recordNode(Recorder& out, Tracked& of) {
  of.changed = false;
  const KubeCondition* ready = of.object.condition("Ready");
  if (ready == nullptr || ready->status == "True" || !once(of, "not ready " + std::to_string(ready->since.value_or(0)))) return;
  of.node = declareNode(out, of.object.name);
  put(out, of, "",
      {.time = ready->since ? ready->since : of.observed,
       .kind = std::string(pod_event::kNodeNotReady),
       .severity = Severity::kWarning,
       .code = ready->reason,
       .message = ready->message});
}

void ClusterRecord::recordFaults(Recorder& out, Tracked& of) {
  of.changed = false;
  m_faults -= of.faults.size();
  for (NodeFault& fault : std::exchange(of.faults, {})) {
    if (!once(of, fault.identity())) continue;
    Event event = std::move(fault.event);
    event.node = declareNode(out, fault.node);
    if (!fault.device.empty()) event.message = fault.device + (event.message.empty() ? "" : ": ") + event.message;
    if (event.time) m_newest = std::max(m_newest.value_or(*event.time), *event.time);
    m_recorded_events = true;
    out.event(event);
  }
}

void ClusterRecord::recordEvent(Recorder& out, Tracked& of) {
  of.changed = false;
  const KubeEvent& event = *of.object.event;
  Tracked* about = &of;
  if (event.object_kind == "Node") {
    of.node = declareNode(out, event.object_name, of.object.node_uuid);
  } else if (const auto object = m_objects.find(event.object_uid); object != m_objects.end() && object->second.known) {
    about = &object->second;
    if (!about->attempt) return;  // of no workload
  } else if (Tracked* const workload = workloadByName(event.object_namespace, event.object_name)) {
    about = workload;
  } else {
    if (m_options.run_name.empty() || (m_first_run && !m_run_of_events)) return;
    const RunId run = out.run({.name = m_options.run_name, .time_domain = TimeDomain::kUtc});
    m_first_run = run;
    m_run_of_events = true;
    of.attempt = describeAttempt(out, out.attempt({.run = run}), "events");
  }
  const KindOfReason row = kindOf(event);
  const auto one = [&](std::optional<TimeNs> time, std::int64_t count) {
    // A pod starts once, however many containers it has and restarts.
    const bool again =
        row.kind == pod_event::kStarted && !once(*about, about->object.pod ? kStartedFact : kStartedFact + (" " + event.object_uid));
    Event out_event{.time = time,
                    .attempt = about->attempt,
                    .node = about->node,
                    .rank = about->rank,
                    .kind = std::string(again ? pod_event::kOther : row.kind),
                    .severity = row.severity,
                    .code = event.reason};
    out_event.message = event.object_kind == "Pod" ? printPodMessage({event.object_name, {}, event.message})
                                                   : event.object_kind + " " + event.object_name + ": " + event.message;
    if (count > 1) out_event.message += " (" + std::to_string(count) + " times)";
    if (time) m_newest = std::max(m_newest.value_or(*time), *time);
    m_recorded_events = true;
    out.event(out_event);
  };
  // Facts of the event itself: the object that it is about may be unknown now and known later, or the reverse.
  load(of.object.uid, of);
  const std::string prefix = "event ";
  std::optional<TimeNs> recorded;
  if (auto fact = of.facts.lower_bound(prefix); fact != of.facts.end() && fact->starts_with(prefix)) {
    recorded = std::strtoll(fact->c_str() + prefix.size(), nullptr, 10);
    if (!event.last || *event.last - *recorded < kRepeat) return;
    of.facts.erase(fact);
  }
  if (!once(of, prefix + std::to_string(event.last.value_or(0)))) return;
  if (!recorded) one(event.first, 1);
  if (event.last && event.first && *event.last - recorded.value_or(*event.first) >= kRepeat) one(event.last, event.count);
}

}  // namespace runglass
