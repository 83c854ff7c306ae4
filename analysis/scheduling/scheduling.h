// SPDX-License-Identifier: Apache-2.0
// Analysis `scheduling`: why pods of a job on Kubernetes do not run, or no longer do. Findings `pod_churn`, `unschedulable`, `image_pull`,
// `oom_killed`, `evicted`, `preempted` and `grace_period_exceeded`, one of each kind per attempt (churn: per group of pods).
//
// Pod churn is the shape of KubeRay's issue 4637: an init container fails, the operator replaces the pod at once, without end, and the job
// stays in its initial phase, so that its own status shows nothing. It is found from the pods alone.
//
// Cost:       the facts of the run's attempts; for a run on Kubernetes one query per kind of event.
#pragma once

#include <memory>

#include "analysis/engine/analysis.h"

namespace runglass {

std::unique_ptr<Analysis> makeScheduling();

}  // namespace runglass
