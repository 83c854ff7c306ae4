// SPDX-License-Identifier: Apache-2.0
// What the attributes of an OTLP resource and scope identify: node, run, attempt and rank.
//
// Threading:  pure.
// Ownership:  owns its texts, which are sanitized for storage.
// Cost:       O(attributes); once per resource.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "collectors/hub/receivers/otlp/otlp_request.h"

namespace runglass {

struct OtlpResource {
  std::string node;  // host.name, k8s.node.name; "": not known
  std::string service, scope;
  std::string instance;      // service.instance.id, else process.pid: distinguishes processes of one service
  std::string run, attempt;  // "" run: none is named
  std::string role;          // of an RL job's process: runglass.role, rl.role
  std::optional<std::int32_t> rank, local_rank, pid;
  std::int32_t world = 0;  // 0: not known
};
OtlpResource resourceOf(const OtlpScope& scope);

// "rollout", "reward", "train", "weight_sync", "gen_ai", ... of a span's name and attributes; "": none.
std::string roleOf(const OtlpSpan& span, std::string_view record);

}  // namespace runglass
