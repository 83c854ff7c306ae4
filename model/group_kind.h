// SPDX-License-Identifier: Apache-2.0
// The parallel dimension that a communicator serves, from the name that its framework gave it.
//
// Threading:  pure.
// Ownership:  views of constants.
// Errors:     a name without such information has no role.
// Cost:       O(name).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace runglass {

// Names of Megatron-LM (TENSOR_MODEL_PARALLEL_GROUP, megatron/core/parallel_state.py), DeepSpeed (mp_group, pipe, data), PyTorch's device
// meshes (mesh_tp, mesh_dp_shard, torch/distributed/device_mesh.py) and PyTorch's default_pg.
enum class GroupRole : std::uint8_t {
  kNone,  // unknown, or several dimensions, from which no coordinate follows
  kWorld,
  kTp,
  kPp,
  kDp,
  kCp,
  kEp,
  kDpCp,       // the replicas and their context-parallel ranks: DATA_PARALLEL_GROUP_WITH_CP
  kShard,      // a part of DP
  kReplicate,  // the other part
  kModel       // "model parallel": TP where there is no pipeline
};
GroupRole groupRoleOf(std::string_view name);
// "tp", "pp", "dp", "cp", "ep", "world"; empty: not exactly one of them.
std::string groupKindOf(std::string_view name);

}  // namespace runglass
