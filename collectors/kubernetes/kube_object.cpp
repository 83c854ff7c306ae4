// SPDX-License-Identifier: Apache-2.0
#include "collectors/kubernetes/kube_object.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "collectors/kubernetes/json_member.h"
#include "collectors/text/display_name.h"
#include "collectors/text/wall_time.h"

namespace runglass {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxContainers = 64, kMaxOwners = 8, kMaxConditions = 32, kMaxText = 1'024, kMaxData = 1U << 20;
constexpr std::array<std::string_view, 6> kRankVariables = {"RANK",          "NODE_RANK",          "WORLD_SIZE",
                                                            "PET_NODE_RANK", "PET_NPROC_PER_NODE", "NPROC_PER_NODE"};
constexpr std::array<std::string_view, 13> kLabels = {"ray.io/cluster",
                                                      "ray.io/group",
                                                      "ray.io/node-type",
                                                      "ray.io/originated-from-cr-name",
                                                      "ray.io/originated-from-crd",
                                                      "batch.kubernetes.io/job-completion-index",
                                                      "jobset.sigs.k8s.io/jobset-name",
                                                      "jobset.sigs.k8s.io/replicatedjob-name",
                                                      "jobset.sigs.k8s.io/restart-attempt",
                                                      "training.kubeflow.org/replica-index",
                                                      "training.kubeflow.org/replica-type",
                                                      "volcano.sh/task-spec",
                                                      "mc-consumer-publicfault"};
constexpr std::array<std::string_view, 3> kAnnotations = {"batch.kubernetes.io/job-completion-index", "jobset.sigs.k8s.io/restart-attempt",
                                                          "volcano.sh/job-version"};

// Control characters go, so that a message stays one line of a terminal; cut between characters.
std::string textOf(const Json& value, std::size_t limit = kMaxText) {
  const auto* text = value.get_ptr<const Json::string_t*>();
  if (text == nullptr) return {};
  std::string shown = printable(std::string_view(*text).substr(0, limit + 4));
  std::size_t end = std::min(shown.size(), limit);
  while (end < shown.size() && end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0U) == 0x80U) --end;
  shown.resize(end);
  return shown;
}
std::string nameOf(const Json& value) {
  const auto* text = value.get_ptr<const Json::string_t*>();
  return text == nullptr ? std::string() : displayName(*text);
}
std::optional<std::int64_t> integerOf(const Json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  const auto* text = value.get_ptr<const Json::string_t*>();
  std::int64_t number = 0;
  if (text == nullptr || text->empty()) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  return error == std::errc() && end == text->data() + text->size() ? std::optional(number) : std::nullopt;
}
// The epoch is no time: runtimes report it as the start of a container that they could not start.
std::optional<TimeNs> timeOf(const Json& value) {
  const auto* text = value.get_ptr<const Json::string_t*>();
  if (text == nullptr) return std::nullopt;
  const auto time = parseWallTime(*text);
  return time && time->time != 0 ? std::optional(time->time) : std::nullopt;
}

std::vector<KubeCondition> conditionsOf(const Json& status) {
  std::vector<KubeCondition> out;
  for (const Json& one : elements(status, "conditions")) {
    if (out.size() == kMaxConditions) break;
    out.push_back({nameOf(member(one, "type")), nameOf(member(one, "status")), nameOf(member(one, "reason")),
                   textOf(member(one, "message")), timeOf(member(one, "lastTransitionTime"))});
  }
  return out;
}

std::optional<KubeContainer::Ended> endOf(const Json& state) {
  const Json& ended = member(state, "terminated");
  if (!ended.is_object()) return std::nullopt;
  return KubeContainer::Ended{.exit_code = integerOf(member(ended, "exitCode")).value_or(0),
                              .reason = nameOf(member(ended, "reason")),
                              .message = textOf(member(ended, "message")),
                              .started = timeOf(member(ended, "startedAt")),
                              .finished = timeOf(member(ended, "finishedAt"))};
}

void addContainers(const Json& status, std::string_view key, bool init, std::vector<KubeContainer>& out) {
  for (const Json& one : elements(status, key)) {
    if (out.size() == kMaxContainers) return;
    const Json& state = member(one, "state");
    out.push_back({.name = nameOf(member(one, "name")),
                   .init = init,
                   .waiting_reason = nameOf(member(state, "waiting", "reason")),
                   .waiting_message = textOf(member(state, "waiting", "message")),
                   .running_since = timeOf(member(state, "running", "startedAt")),
                   .ended = endOf(state),
                   .ended_before = endOf(member(one, "lastState"))});
  }
}

bool isGpuResource(std::string_view name) {
  return name == "nvidia.com/gpu" || name.starts_with("nvidia.com/mig-") || name == "amd.com/gpu" || name.starts_with("gpu.intel.com/") ||
         name.starts_with("huawei.com/Ascend") || name == "huawei.com/npu";
}

KubePod podOf(const Json& json) {
  const Json& spec = member(json, "spec");
  const Json& status = member(json, "status");
  KubePod pod{.node = nameOf(member(spec, "nodeName")),
              .phase = nameOf(member(status, "phase")),
              .reason = nameOf(member(status, "reason")),
              .message = textOf(member(status, "message")),
              .started = timeOf(member(status, "startTime")),
              .deletion = timeOf(member(json, "metadata", "deletionTimestamp")),
              .grace_s = integerOf(member(json, "metadata", "deletionGracePeriodSeconds"))};
  addContainers(status, "initContainerStatuses", true, pod.containers);
  addContainers(status, "containerStatuses", false, pod.containers);
  std::size_t count = 0;
  for (const Json& container : elements(spec, "containers")) {
    if (++count > kMaxContainers) break;
    const Json& limits = member(container, "resources", "limits");
    if (limits.is_object())
      for (const auto& [name, value] : limits.items())
        if (const auto number = integerOf(value); isGpuResource(name) && number && *number > 0 && *number <= 1'024)
          pod.gpus[displayName(name)] += *number;
    for (const Json& variable : elements(container, "env")) {
      const std::string name = nameOf(member(variable, "name"));
      const auto value = integerOf(member(variable, "value"));
      if (value && *value >= 0 && *value <= INT32_MAX && std::ranges::find(kRankVariables, name) != kRankVariables.end())
        pod.env.emplace(name, *value);
    }
  }
  return pod;
}

KubeEvent eventOf(const Json& json) {
  // core/v1 names the object involvedObject, events.k8s.io regarding; the same goes for the times.
  const Json& object = json.contains("involvedObject") ? member(json, "involvedObject") : member(json, "regarding");
  KubeEvent event{.object_kind = nameOf(member(object, "kind")),
                  .object_namespace = nameOf(member(object, "namespace")),
                  .object_name = nameOf(member(object, "name")),
                  .object_uid = nameOf(member(object, "uid")),
                  .field = nameOf(member(object, "fieldPath")),
                  .type = nameOf(member(json, "type")),
                  .reason = nameOf(member(json, "reason")),
                  .message = textOf(json.contains("message") ? member(json, "message") : member(json, "note"))};
  const auto either = [&](std::initializer_list<const Json*> values) -> std::optional<TimeNs> {
    for (const Json* value : values)
      if (const auto time = timeOf(*value)) return time;
    return std::nullopt;
  };
  event.first = either({&member(json, "firstTimestamp"), &member(json, "deprecatedFirstTimestamp"), &member(json, "eventTime"),
                        &member(json, "metadata", "creationTimestamp")});
  event.last = either({&member(json, "series", "lastObservedTime"), &member(json, "lastTimestamp"),
                       &member(json, "deprecatedLastTimestamp"), &member(json, "eventTime")});
  if (!event.last) event.last = event.first;
  event.count =
      std::max<std::int64_t>({1, integerOf(member(json, "count")).value_or(1), integerOf(member(json, "series", "count")).value_or(1),
                              integerOf(member(json, "deprecatedCount")).value_or(1)});
  return event;
}

// Conditions that end a workload, in the words of its kind; of all kinds, since each has some of them.
constexpr std::array<std::string_view, 4> kSucceeded = {"Complete", "Completed", "Succeeded", "Finished"};

KubeWorkload workloadOf(const Json& json, const KubeObject& object) {
  const Json& status = member(json, "status");
  KubeWorkload out{.started = timeOf(member(status, "startTime")),
                   .running = timeOf(member(status, "rayJobInfo", "startTime")),
                   .end = timeOf(member(status, "completionTime")),
                   .parallelism = integerOf(member(json, "spec", "parallelism"))};
  const auto settle = [&](const KubeCondition& one, bool succeeded) {
    out.phase = one.type, out.reason = one.reason, out.message = one.message;
    out.ended = true, out.succeeded = succeeded;
    if (!out.end) out.end = one.since;
  };
  for (const KubeCondition& one : object.conditions) {
    if (one.status != "True") continue;
    if (one.type == "Failed") {
      settle(one, false);
    } else if (std::ranges::find(kSucceeded, one.type) != kSucceeded.end()) {
      settle(one, true);
    } else if (!out.ended) {
      out.phase = one.type, out.reason = one.reason, out.message = one.message;
      if (one.type == "Running") out.running = one.since;
    }
  }
  if (object.kind == "RayJob") {
    out.cluster = nameOf(member(status, "rayClusterName"));
    out.phase = nameOf(member(status, "jobDeploymentStatus"));
    out.reason = nameOf(member(status, "reason")), out.message = textOf(member(status, "message"));
    out.ended = out.phase == "Complete" || out.phase == "Failed" || out.phase == "ValidationFailed";
    out.succeeded = nameOf(member(status, "jobStatus")) == "SUCCEEDED";
    if (const auto end = timeOf(member(status, "endTime"))) out.end = end;
  } else if (object.kind == "RayCluster") {
    out.phase = nameOf(member(status, "state")), out.reason = {}, out.message = textOf(member(status, "reason"));
    out.ended = false;
    if (const KubeCondition* ready = object.condition("RayClusterProvisioned"); ready != nullptr && ready->status == "True")
      out.running = ready->since;
  } else if (object.kind == "Job" && object.api.starts_with("batch.volcano.sh/")) {
    const Json& state = member(status, "state");
    out.phase = nameOf(member(state, "phase"));
    out.reason = nameOf(member(state, "reason")), out.message = textOf(member(state, "message"));
    const auto since = timeOf(member(state, "lastTransitionTime"));
    out.succeeded = out.phase == "Completed";
    out.ended = out.succeeded || out.phase == "Failed" || out.phase == "Terminated" || out.phase == "Aborted";
    if (out.ended) out.end = since;
    if (out.phase == "Running") out.running = since;
  } else if (object.kind == "Job" && out.phase.empty() && integerOf(member(status, "active")).value_or(0) > 0) {
    out.phase = "Active";
  }
  return out;
}

KubeObject objectOf(const Json& json, std::string_view list_kind) {
  const Json& metadata = member(json, "metadata");
  KubeObject out{.api = nameOf(member(json, "apiVersion")),
                 .kind = nameOf(member(json, "kind")),
                 .space = nameOf(member(metadata, "namespace")),
                 .name = nameOf(member(metadata, "name")),
                 .uid = nameOf(member(metadata, "uid")),
                 .version = nameOf(member(metadata, "resourceVersion")),
                 .created = timeOf(member(metadata, "creationTimestamp"))};
  if (out.kind.empty() && list_kind.size() > 4 && list_kind.ends_with("List"))
    out.kind = displayName(list_kind.substr(0, list_kind.size() - 4));
  for (const Json& owner : elements(metadata, "ownerReferences")) {
    if (out.owners.size() == kMaxOwners) break;
    const Json& controller = member(owner, "controller");
    out.owners.push_back({nameOf(member(owner, "kind")), nameOf(member(owner, "name")), nameOf(member(owner, "uid")),
                          controller.is_boolean() && controller.get<bool>()});
  }
  for (const std::string_view key : kLabels)
    if (std::string value = nameOf(member(metadata, "labels", key)); !value.empty()) out.labels.emplace(key, std::move(value));
  for (const std::string_view key : kAnnotations)
    if (std::string value = nameOf(member(metadata, "annotations", key)); !value.empty()) out.labels.emplace(key, std::move(value));
  out.conditions = conditionsOf(member(json, "status"));
  if (out.kind == "Pod") {
    out.pod = podOf(json);
  } else if (out.kind == "Event") {
    out.event = eventOf(json);
  } else if (out.kind == "ConfigMap") {
    if (const Json& data = member(json, "data"); data.is_object())
      for (const auto& [key, value] : data.items())
        if (const auto* text = value.get_ptr<const Json::string_t*>(); text != nullptr && text->size() <= kMaxData)
          out.data.emplace(displayName(key), *text);
  } else if (isWorkloadKind(out.kind)) {
    out.workload = workloadOf(json, out);
  }
  return out;
}

}  // namespace

std::optional<TimeNs> KubeContainer::firstStart() const {
  std::optional<TimeNs> first;
  for (const auto& since : {running_since, ended ? ended->started : std::nullopt, ended_before ? ended_before->started : std::nullopt})
    if (since && (!first || *since < *first)) first = since;
  return first;
}

const std::string& KubeObject::label(const std::string& key) const {
  static const std::string kNone;
  const auto found = labels.find(key);
  return found == labels.end() ? kNone : found->second;
}

const std::string& KubeObject::nodeName() const {
  static const std::string kNone;
  return pod ? pod->node : event && event->object_kind == "Node" ? event->object_name : kNone;
}

const KubeCondition* KubeObject::condition(std::string_view type) const {
  const auto found = std::ranges::find(conditions, type, &KubeCondition::type);
  return found == conditions.end() ? nullptr : &*found;
}

bool isWorkloadKind(std::string_view kind) {
  return kind == "RayCluster" || kind == "JobSet" || kind == "Workload" || (kind.ends_with("Job") && kind != "CronJob");
}

Result<KubeChange> parseKubeChange(std::string_view text, std::string_view list_kind) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Status(Code::kInvalidArgument, "not a JSON object");
  KubeChange out;
  const bool watched = json.contains("type") && member(json, "object").is_object();
  const Json& object = watched ? member(json, "object") : json;
  const std::string type = watched ? nameOf(member(json, "type")) : std::string();
  out.object = objectOf(object, list_kind);
  if (type == "ERROR" || (!watched && out.object.kind == "Status")) {
    out.type = KubeChange::Type::kError;
    out.status = integerOf(member(object, "code")).value_or(0);
    out.message = textOf(member(object, "message"));
    return out;
  }
  if (out.object.kind.empty()) return Status(Code::kInvalidArgument, "an object without a kind");
  if (type == "BOOKMARK") out.type = KubeChange::Type::kBookmark;
  if (type == "DELETED") out.type = KubeChange::Type::kDeleted;
  if (!watched && out.object.kind.ends_with("List")) {
    out.type = KubeChange::Type::kList;
    out.more = textOf(member(object, "metadata", "continue"), 64U << 10);
  }
  return out;
}

}  // namespace runglass
