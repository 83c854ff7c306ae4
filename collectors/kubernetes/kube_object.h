// SPDX-License-Identifier: Apache-2.0
// Objects of the Kubernetes API, reduced to what is recorded of them. Nothing else of a pod is read: of its environment only the variables
// of ranks, of its volumes and secrets nothing.
//
// Threading:  pure.
// Units:      TimeNs.
// Errors:     INVALID_ARGUMENT: not JSON, not an object, no kind; fields of another type than the API's count as absent.
// Cost:       a JSON tree of one object while it is parsed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"
#include "model/time.h"

namespace runglass {

struct KubeOwner {
  std::string kind, name, uid;
  bool controller = false;
};

struct KubeContainer {
  struct Ended {
    std::int64_t exit_code = 0;
    std::string reason, message;
    std::optional<TimeNs> started, finished;
  };
  std::string name;
  bool init = false;
  std::string waiting_reason, waiting_message;
  std::optional<TimeNs> running_since;
  std::optional<Ended> ended, ended_before;  // ended_before: the previous one, before a restart
  std::optional<TimeNs> firstStart() const;  // the earliest that is known; none if it has not started
};

struct KubeCondition {
  std::string type, status, reason, message;
  std::optional<TimeNs> since;
};

struct KubePod {
  std::string node, phase, reason, message;
  std::optional<TimeNs> started;   // the kubelet has accepted it
  std::optional<TimeNs> deletion;  // the end of its grace period
  std::optional<std::int64_t> grace_s;
  std::vector<KubeContainer> containers;     // init containers first
  std::map<std::string, std::int64_t> gpus;  // requested devices, by resource name
  std::map<std::string, std::int64_t> env;   // RANK, NODE_RANK, ...: numbers only
};

// Of a Job, RayJob, RayCluster, JobSet, PyTorchJob, Workload of Kueue, ...
struct KubeWorkload {
  std::string phase, reason, message;  // phase: in the words of the kind; "" if it reports none
  std::string cluster;                 // of a RayJob: its RayCluster
  bool ended = false, succeeded = false;
  std::optional<TimeNs> started, running, end;
  std::optional<std::int64_t> parallelism;
};

struct KubeEvent {
  std::string object_kind, object_namespace, object_name, object_uid;
  std::string field;  // of the object: "spec.containers{main}"; "": the object as a whole
  std::string type, reason, message;
  std::int64_t count = 1;
  std::optional<TimeNs> first, last;
};

struct KubeObject {
  std::string api, kind, space, name, uid, version;
  std::optional<TimeNs> created;
  std::vector<KubeOwner> owners;
  std::string node_uuid;                      // of the node that it names, if the caller knows it
  std::map<std::string, std::string> labels;  // and annotations, of the keys that are needed
  std::map<std::string, std::string> data;    // of a ConfigMap of MindCluster
  std::vector<KubeCondition> conditions;
  std::optional<KubePod> pod;
  std::optional<KubeWorkload> workload;
  std::optional<KubeEvent> event;
  const std::string& label(const std::string& key) const;  // "" if absent
  const KubeCondition* condition(std::string_view type) const;
  const std::string& nodeName() const;  // of a pod, or of an event about a node; else ""
};

struct KubeChange {
  enum class Type : std::uint8_t { kPut, kDeleted, kBookmark, kError, kList };
  Type type = Type::kPut;
  KubeObject object;        // of kBookmark and kList: kind and version
  std::string more;         // of kList: the token of the next page
  std::int64_t status = 0;  // of kError: the HTTP status
  std::string message;      // of kError
};

// An object, a line of a watch, or a list without its items. `list_kind` is the kind of the list that it was an item of.
Result<KubeChange> parseKubeChange(std::string_view json, std::string_view list_kind);

// Kinds that are a run, or a part of one: "Job", "RayJob", "RayCluster", "JobSet", "PyTorchJob", ...
bool isWorkloadKind(std::string_view kind);

}  // namespace runglass
