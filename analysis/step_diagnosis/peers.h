// SPDX-License-Identifier: Apache-2.0
// What each rank, stage and replica did in a step against those with the same role.
//
// A rank's peers are the other ranks of its pipeline stage; a stage's are the other stages. Compute is forward, backward, optimizer and
// other parts less the time that the rank had no CPU and should have had it: what another process takes is no slow GPU. Where a node is
// crowded everybody queues, and who has more to do queues longer: what a rank's own CPU time comes to at the queue of the median rank is
// its own work's, the rest is the host's.
// Peers, and what counts as slower: analysis/peers.
//
// Threading:  pure.
// Units:      ns, ratios.
// Errors:     none: with fewer than kMinPeers peers nothing is compared.
// Cost:       O(ranks log ranks) a category.
#pragma once

#include <vector>

#include "analysis/step_diagnosis/persistence.h"
#include "analysis/steps/step_frame.h"
#include "model/topology.h"

namespace runglass {

enum class WorkKind : std::uint8_t { kCompute = 0, kHost, kData };
inline constexpr std::size_t kWorkKindCount = 3;
// By rank: the time without a CPU that its own CPU time does not account for, at the queue that the median rank stood in; all of it where
// too few tell their CPU time. NaN where a rank told none; empty where nobody did.
std::vector<float> lostToHost(const StepFrame& frame);
// By rank; NaN where it did not say. `without_cpu` is by rank, or empty: it is taken from computing and counts as the host's.
std::vector<float> workOf(const StepFrame& frame, WorkKind kind, const std::vector<float>& without_cpu);

// Groups of ranks by index; a rank in none has no peers.
struct Roles {
  std::vector<std::int32_t> stages;                // pp of each stage, growing; one stage of everybody where no rank says one
  std::vector<std::vector<std::size_t>> by_stage;  // ranks
  std::vector<std::int32_t> replicas;              // dp of each replica
  std::vector<std::vector<std::size_t>> by_replica;
  std::vector<std::size_t> stage_of, replica_of;  // by rank
  std::vector<NodeId> node_of;
};
Roles rolesOf(const std::vector<Rank>& ranks);

// Of each rank against its stage. `step_ns`: what the ratio of host and data
// time counts against, as their own are often near 0.
std::vector<Deviation> againstPeers(const std::vector<float>& work, const Roles& roles, WorkKind kind, double step_ns);
// Above is only what is beyond the noise of single steps, too: of how ratios move from one step to the next, which half a stage that is
// slow does not change.
class StepNoise {
 public:
  void require(std::vector<Deviation>& deviations, const Roles& roles);

 private:
  std::vector<float> m_before;  // ratios of the step before
};
// Of each stage's lower quartile against the median of the other stages'.
std::vector<Deviation> stagesAgainstOthers(const std::vector<float>& work, const Roles& roles, WorkKind kind, double step_ns);

// All that a rank does itself before it waits for others. NaN where it did not say.
std::vector<float> readyAfter(const StepFrame& frame);
// The gains of `deviations` of ranks, and of stages. Everybody waits for the rank that is ready last: without what it takes more than
// usual they would wait for the last one of the others.
void addGains(std::vector<Deviation>& deviations, const std::vector<float>& ready, const Roles& roles);
void addStageGains(std::vector<Deviation>& stages, const std::vector<float>& ready, const Roles& roles);

// median() of float columns: NaN of nothing.
float medianOf(std::vector<float> values);

}  // namespace runglass
