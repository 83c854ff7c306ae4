// SPDX-License-Identifier: Apache-2.0
// Compares each rank, stage and replica in a step with those of the same role.
//
// A rank's peers are the other ranks of its pipeline stage; a stage's are the other stages. Compute is forward, backward, optimizer and
// other parts, minus the time without a CPU that the host caused: CPU time taken by another process does not mean a slow GPU. On a crowded
// node all ranks queue, and those with more work queue longer: a rank's own CPU time, at the queueing ratio of the median rank, accounts
// for its own part; the rest is the host's. Peers and the threshold: analysis/peers.
//
// Threading:  pure.
// Units:      ns, ratios.
// Errors:     with fewer than kMinPeers peers there is no comparison.
// Cost:       O(ranks log ranks) per category.
#pragma once

#include <vector>

#include "analysis/step_diagnosis/persistence.h"
#include "analysis/steps/step_frame.h"
#include "model/topology.h"

namespace runglass {

enum class WorkKind : std::uint8_t { kCompute = 0, kHost, kData };
inline constexpr std::size_t kWorkKindCount = 3;
// By rank: the time without a CPU that its own CPU time does not explain, at the queueing ratio of the median rank; all of it if too few
// ranks record CPU time. NaN for a rank without data; empty without any data.
std::vector<float> lostToHost(const StepFrame& frame);
// By rank; NaN if not recorded. `without_cpu` is by rank, or empty: it is moved from computing to the host.
std::vector<float> workOf(const StepFrame& frame, WorkKind kind, const std::vector<float>& without_cpu);

// Groups of ranks by index; a rank in none has no peers.
struct Roles {
  std::vector<std::int32_t> stages;                // pp of each stage, ascending; a single stage if no rank has one
  std::vector<std::vector<std::size_t>> by_stage;  // ranks
  std::vector<std::int32_t> replicas;              // dp of each replica
  std::vector<std::vector<std::size_t>> by_replica;
  std::vector<std::size_t> stage_of, replica_of;  // by rank
  std::vector<NodeId> node_of;
};
Roles rolesOf(const std::vector<Rank>& ranks);

// Each rank compared with its stage. `step_ns`: the reference for ratios of host and data time, since the peers' own times are often near
// 0.
std::vector<Deviation> againstPeers(const std::vector<float>& work, const Roles& roles, WorkKind kind, double step_ns);
// Also requires that a deviation above the limit exceeds the noise of single steps: of the changes of ratios from one step to the next,
// which half a stage being slow does not affect.
class StepNoise {
 public:
  void require(std::vector<Deviation>& deviations, const Roles& roles);

 private:
  std::vector<float> m_before;  // ratios of the previous step
};
// Each stage's lower quartile compared with the median of the other stages'.
std::vector<Deviation> stagesAgainstOthers(const std::vector<float>& work, const Roles& roles, WorkKind kind, double step_ns);

// The time until a rank starts to wait for others. NaN if not recorded.
std::vector<float> readyAfter(const StepFrame& frame);
// The gains of `deviations` of ranks, and of stages. All ranks wait for the one that is ready last: without its excess they would wait for
// the last of the others.
void addGains(std::vector<Deviation>& deviations, const std::vector<float>& ready, const Roles& roles);
void addStageGains(std::vector<Deviation>& stages, const std::vector<float>& ready, const Roles& roles);

// median() for floats: NaN for an empty input.
float medianOf(std::vector<float> values);

}  // namespace runglass
