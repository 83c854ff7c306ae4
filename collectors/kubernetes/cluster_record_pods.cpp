// SPDX-License-Identifier: Apache-2.0
// The part of ClusterRecord for pods: places, events of their containers, phases.
#include <algorithm>
#include <array>

#include "collectors/kubernetes/cluster_record.h"
#include "model/pod_event.h"

namespace runglass {
namespace {

constexpr std::int64_t kSigkill = 137, kSigterm = 143;  // exit codes: 128 and the signal
constexpr std::int32_t kMaxRanksOfPod = 64;
constexpr std::array<std::string_view, 6> kPullErrors = {"ImagePullBackOff",  "ErrImagePull",      "InvalidImageName",
                                                         "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable"};
// Added by the operator of Ray: their failures are waits for the head.
constexpr std::array<std::string_view, 2> kOperatorWaits = {"wait-gcs-ready", "wait-for-tls-ip-san"};

std::string groupOf(const KubeObject& pod) {
  for (const char* key :
       {"ray.io/group", "jobset.sigs.k8s.io/replicatedjob-name", "training.kubeflow.org/replica-type", "volcano.sh/task-spec"})
    if (const std::string& value = pod.label(key); !value.empty()) return value;
  return {};
}

struct PlaceOfPod {
  std::int32_t first = 0, count = 1;
};

// RANK is a process's own, unless a variable of a launcher gives the pod several. A launcher on pod i of equal ones gives
// its n processes the ranks from i * n on.
std::optional<PlaceOfPod> ranksOf(const KubeObject& object) {
  const KubePod& pod = *object.pod;
  const auto env = [&](const char* name) -> std::optional<std::int64_t> {
    const auto found = pod.env.find(name);
    return found == pod.env.end() ? std::nullopt : std::optional(found->second);
  };
  std::int64_t gpus = 0;
  for (const auto& [name, count] : pod.gpus) gpus += count;
  const auto launched = env("PET_NPROC_PER_NODE") ? env("PET_NPROC_PER_NODE") : env("NPROC_PER_NODE");
  const auto pod_index = env("PET_NODE_RANK") ? env("PET_NODE_RANK") : env("NODE_RANK");
  if (const auto rank = env("RANK"); rank && !pod_index && !launched) return PlaceOfPod{static_cast<std::int32_t>(*rank), 1};
  std::optional<std::int64_t> index = pod_index ? pod_index : env("RANK");
  // A JobSet numbers the pods of each of its jobs from 0.
  if (const std::string& label = object.label("batch.kubernetes.io/job-completion-index");
      !index && !label.empty() && label.size() < 8 && label.find_first_not_of("0123456789") == std::string::npos &&
      object.label("jobset.sigs.k8s.io/jobset-name").empty())
    index = std::stoi(label);
  if (!index) return std::nullopt;
  const std::int64_t count = launched.value_or(std::max<std::int64_t>(1, gpus));
  if (count < 1 || count > kMaxRanksOfPod || *index > INT32_MAX / count - 1) return std::nullopt;
  return PlaceOfPod{static_cast<std::int32_t>(*index * count), static_cast<std::int32_t>(count)};
}

std::string endText(const KubeContainer::Ended& ended) {
  std::string text = "exit code " + std::to_string(ended.exit_code);
  if (!ended.reason.empty()) text += " (" + ended.reason + ")";
  if (!ended.message.empty()) text += ": " + ended.message;
  return text;
}

std::string stamp(std::optional<TimeNs> time) { return std::to_string(time.value_or(0)); }

// When SIGTERM was sent: the API stores the end of the grace period.
std::optional<TimeNs> deletionRequest(const KubePod& pod) {
  if (!pod.deletion) return std::nullopt;
  return *pod.deletion - std::clamp<std::int64_t>(pod.grace_s.value_or(0), 0, 86'400) * kNsPerSecond;
}

}  // namespace

void ClusterRecord::recordPod(Recorder& out, Tracked& pod) {
  pod.changed = false;
  const std::optional<Top> top = topOf(pod.object);
  if (!top) return;
  Tracked& workload = declareRun(out, *top);
  if (!pod.attempt_key || &pod == &workload) {
    pod.attempt_key = attemptKey(workload, pod.object);
    pod.unsaved = true;
  }
  workload.attempt_key = pod.attempt_key;
  pod.attempt = declareAttempt(out, workload, {.start = pod.object.created}, *pod.attempt_key);
  if (pod.object.created && (!workload.run.start || *pod.object.created < *workload.run.start)) {
    workload.run.start = pod.object.created;
    out.run(workload.run);
  }
  pod.node = declareNode(out, pod.object.pod->node, pod.object.node_uuid);
  placeRanks(out, pod);
  podEvents(out, pod);
  podPhases(out, pod);
}

void ClusterRecord::placeRanks(Recorder& out, Tracked& pod) {
  const auto place = ranksOf(pod.object);
  if (place && place->count == 1) pod.rank = place->first;
  if (!pod.node || !once(pod, "node")) return;
  if (place)
    for (std::int32_t i = 0; i < place->count; ++i)
      out.rank({.attempt = pod.attempt,
                .rank = place->first + i,
                .node = pod.node,
                .local_rank = place->count > 1 ? std::optional(i) : std::nullopt});
  std::string gpus;
  for (const auto& [name, count] : pod.object.pod->gpus) gpus += (gpus.empty() ? "" : ", ") + name + "=" + std::to_string(count);
  if (!gpus.empty()) out.fact({.attempt = pod.attempt, .node = pod.node, .rank = pod.rank, .key = "gpu_request", .value = gpus});
}

void ClusterRecord::podEvents(Recorder& out, Tracked& pod) {
  const KubeObject& object = pod.object;
  if (once(pod, "created")) put(out, pod, "", {.time = object.created, .kind = std::string(pod_event::kCreated), .code = groupOf(object)});
  if (const KubeCondition* scheduled = object.condition("PodScheduled"); scheduled != nullptr) {
    if (scheduled->status == "False" && scheduled->reason == "Unschedulable" && once(pod, "unschedulable"))
      put(out, pod, "",
          {.time = scheduled->since ? scheduled->since : pod.observed,
           .kind = std::string(pod_event::kUnschedulable),
           .code = scheduled->reason,
           .message = scheduled->message});
    if (scheduled->status == "True" && once(pod, "scheduled"))
      put(out, pod, "", {.time = scheduled->since ? scheduled->since : pod.observed, .kind = std::string(pod_event::kScheduled)});
  }
  for (const KubeContainer& container : object.pod->containers) containerEvents(out, pod, container);
  const KubeCondition* disrupted = object.condition("DisruptionTarget");
  if (disrupted != nullptr && disrupted->status != "True") disrupted = nullptr;
  if ((disrupted != nullptr || object.pod->reason == "Evicted") && once(pod, "disrupted")) {
    const bool preempted = disrupted != nullptr && disrupted->reason == "PreemptionByScheduler";
    const bool worded = !object.pod->message.empty() || disrupted == nullptr;
    put(out, pod, "",
        {.time = disrupted != nullptr && disrupted->since ? disrupted->since : pod.observed,
         .kind = std::string(preempted ? pod_event::kPreempted : pod_event::kEvicted),
         .severity = Severity::kWarning,
         .code = disrupted != nullptr ? disrupted->reason : object.pod->reason,
         .message = worded ? object.pod->message : disrupted->message});
  }
  if (object.pod->deletion && once(pod, "deleted"))
    put(out, pod, "",
        {.time = deletionRequest(*object.pod),
         .kind = std::string(pod_event::kDeleted),
         .code = object.pod->grace_s ? std::to_string(*object.pod->grace_s) : ""});
  const bool over = object.pod->phase == "Succeeded" || object.pod->phase == "Failed";
  if (!over && !pod.gone) return;
  std::optional<TimeNs> end;
  for (const KubeContainer& container : object.pod->containers)
    if (container.ended && container.ended->finished) end = std::max(end.value_or(*container.ended->finished), *container.ended->finished);
  if (once(pod, "ended"))
    put(out, pod, "",
        {.time = end        ? end
                 : pod.gone ? pod.observed
                            : std::nullopt,
         .kind = std::string(pod_event::kEnded),
         .code = over ? object.pod->phase : "Deleted"});
}

void ClusterRecord::containerEvents(Recorder& out, Tracked& pod, const KubeContainer& container) {
  const bool operators = std::ranges::find(kOperatorWaits, container.name) != kOperatorWaits.end();
  if (std::ranges::find(kPullErrors, container.waiting_reason) != kPullErrors.end()) {
    if (once(pod, "pull " + container.name))
      put(out, pod, container.name,
          {.time = pod.observed,
           .kind = std::string(pod_event::kImagePull),
           .severity = Severity::kWarning,
           .code = container.waiting_reason,
           .message = container.waiting_message});
  } else if (!container.waiting_reason.empty() && container.waiting_reason != "PodInitializing" &&
             container.waiting_reason != "ContainerCreating" && container.waiting_reason != "CrashLoopBackOff") {
    if (once(pod, "waiting " + container.name + " " + container.waiting_reason))
      put(out, pod, container.name,
          {.time = pod.observed,
           .kind = std::string(pod_event::kWaiting),
           .severity = Severity::kWarning,
           .code = container.waiting_reason,
           .message = container.waiting_message});
  }
  // A pod that is first seen when its containers have ended has started all the same.
  if (const auto since = container.firstStart(); !container.init && since && once(pod, kStartedFact))
    put(out, pod, container.name, {.time = since, .kind = std::string(pod_event::kStarted)});
  if (operators) return;
  for (const auto& ended : {container.ended_before, container.ended})
    if (ended && (ended->exit_code != 0 || ended->reason == "OOMKilled")) containerEnd(out, pod, container, *ended);
}

void ClusterRecord::containerEnd(Recorder& out, Tracked& pod, const KubeContainer& container, const KubeContainer::Ended& ended) {
  if (!once(pod, "end " + container.name + " " + stamp(ended.finished))) return;
  Event event{.time = ended.finished, .severity = Severity::kError, .code = std::to_string(ended.exit_code), .message = endText(ended)};
  const KubePod& of = *pod.object.pod;
  const auto sigterm = deletionRequest(of);
  const bool after_sigterm = sigterm && ended.finished && *ended.finished >= *sigterm;
  if (ended.reason == "OOMKilled") {
    event.kind = pod_event::kOomKilled, event.code = ended.reason;
  } else if (container.init) {
    event.kind = pod_event::kInitFailed, event.severity = Severity::kWarning;
  } else if (after_sigterm && ended.exit_code == kSigkill && of.grace_s.value_or(0) > 0 && *ended.finished >= *of.deletion) {
    event.kind = pod_event::kGraceExceeded, event.severity = Severity::kWarning;
    event.code = std::to_string(*of.grace_s);
  } else if (after_sigterm || ended.exit_code == kSigterm) {
    event.kind = "killed", event.severity = Severity::kInfo;
    event.code = std::to_string(ended.exit_code == kSigterm ? 15 : ended.exit_code);
  } else {
    event.kind = pod_event::kFailed;
  }
  put(out, pod, container.name, std::move(event));
}

void ClusterRecord::podPhases(Recorder& out, Tracked& pod) {
  const KubeObject& object = pod.object;
  std::optional<TimeNs> scheduled, running, finished;
  std::string reason;
  bool all_ended = true, any = false;
  for (const KubeContainer& container : object.pod->containers) {
    if (container.init) continue;
    any = true;
    all_ended = all_ended && container.ended;
    if (const auto since = container.firstStart(); since && (!running || *since < *running)) running = since;
    if (container.ended && container.ended->finished)
      finished = std::max(finished.value_or(*container.ended->finished), *container.ended->finished);
  }
  if (!any || !all_ended) finished.reset();
  if (const KubeCondition* condition = object.condition("PodScheduled"); condition != nullptr) {
    if (condition->status == "True") scheduled = condition->since;
    if (condition->status == "False") reason = condition->reason;
  }
  if (pod.facts.contains("unschedulable")) reason = "Unschedulable";
  const auto sigterm = deletionRequest(*object.pod);
  const auto gone = pod.gone ? pod.observed : std::nullopt;
  const auto last = finished ? finished : gone;
  const auto first = [](std::initializer_list<std::optional<TimeNs>> times) -> std::optional<TimeNs> {
    for (const auto& time : times)
      if (time) return time;
    return std::nullopt;
  };
  const TrackKey track{.attempt = pod.attempt, .rank = pod.rank, .kind = "pod", .name = object.name};
  phase(out, pod, track, {"pending", object.created, first({scheduled, sigterm, last}), SpanCategory::kIdle, reason});
  if (scheduled) phase(out, pod, track, {"initialising", scheduled, first({running, sigterm, last}), SpanCategory::kOther, {}});
  const bool killed_first = sigterm && (!finished || *sigterm < *finished);
  if (running) phase(out, pod, track, {"running", running, killed_first ? sigterm : last, SpanCategory::kOther, {}});
  if (killed_first) phase(out, pod, track, {"terminating", sigterm, last, SpanCategory::kOther, {}});
}

}  // namespace runglass
