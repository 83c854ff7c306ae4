// SPDX-License-Identifier: Apache-2.0
// Which parallel dimension a communicator serves, by the name that its framework gave it.
//
// Threading:  pure.
// Ownership:  views of constants.
// Errors:     none: a name that tells nothing has no role.
// Cost:       O(name).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace runglass {

// Names of Megatron-LM (TENSOR_MODEL_PARALLEL_GROUP, megatron/core/parallel_state.py), DeepSpeed (mp_group, pipe, data), PyTorch's device
// meshes (mesh_tp, mesh_dp_shard, torch/distributed/device_mesh.py) and PyTorch's default_pg.
enum class GroupRole : std::uint8_t {
  kNone,  // nothing, or several dimensions of which no coordinate follows
  kWorld,
  kTp,
  kPp,
  kDp,
  kCp,
  kEp,
  kDpCp,       // the replicas and their contexts: DATA_PARALLEL_GROUP_WITH_CP
  kShard,      // a part of DP
  kReplicate,  // the other part
  kModel       // "model parallel": TP where there is no pipeline
};
GroupRole groupRoleOf(std::string_view name);
// "tp", "pp", "dp", "cp", "ep", "world"; empty: no single one.
std::string groupKindOf(std::string_view name);

}  // namespace runglass
