// SPDX-License-Identifier: Apache-2.0
// Events of Kubernetes pods and workloads: the kinds that collectors record and analyses read, and the form of their messages.
//
// Units:      code: an exit code, a reason of Kubernetes, or a grace period in seconds, see each kind.
// Cost:       O(message).
#pragma once

#include <string>
#include <string_view>

namespace runglass {

namespace pod_event {
inline constexpr std::string_view kCreated = "pod_created";              // code: the group of equal pods (a Ray group, a replica type)
inline constexpr std::string_view kUnschedulable = "pod_unschedulable";  // code: the reason
inline constexpr std::string_view kScheduled = "pod_scheduled";
inline constexpr std::string_view kStarted = "pod_started";                  // its first container runs
inline constexpr std::string_view kImagePull = "image_pull_error";           // code: the reason
inline constexpr std::string_view kInitFailed = "init_container_failed";     // code: the exit code
inline constexpr std::string_view kWaiting = "container_waiting";            // code: the reason, such as CreateContainerConfigError
inline constexpr std::string_view kOomKilled = "oom_killed";                 // code: the reason
inline constexpr std::string_view kFailed = "process_failed";                // code: the exit code; as of launchers
inline constexpr std::string_view kEvicted = "pod_evicted";                  // code: the reason
inline constexpr std::string_view kPreempted = "pod_preempted";              // code: the reason
inline constexpr std::string_view kDeleted = "pod_deleted";                  // SIGTERM is sent; code: the grace period
inline constexpr std::string_view kGraceExceeded = "grace_period_exceeded";  // SIGKILL after SIGTERM; code: the grace period
inline constexpr std::string_view kEnded = "pod_ended";                      // code: Succeeded, Failed or Deleted
inline constexpr std::string_view kNodeNotReady = "node_not_ready";          // code: the reason
inline constexpr std::string_view kPhase = "workload_phase";                 // code: the phase, as the workload's kind names it
inline constexpr std::string_view kOther = "kubernetes_event";               // code: the reason
// A fact of every attempt on Kubernetes: "RayJob default/train".
inline constexpr std::string_view kWorkloadFact = "kubernetes_workload";
}  // namespace pod_event

struct PodMessage {
  std::string pod, container;  // container "": of the pod as a whole
  std::string text;
};
// "pod train-0, container main: exit code 1". Names of Kubernetes have no comma, colon or space.
std::string printPodMessage(const PodMessage& message);
// All as text if it does not begin with a pod.
PodMessage parsePodMessage(std::string_view message);

}  // namespace runglass
