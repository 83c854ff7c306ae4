// SPDX-License-Identifier: Apache-2.0
// When the collective watchdog ends a hung job: after PyTorch's ten minutes, or the timeout in the attempt's facts or the watchdog's
// message.
//
// Threading:  pure.
// Units:      DurNs.
// Errors:     unparsable values are absent.
// Cost:       O(facts).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "model/events.h"
#include "model/topology.h"

namespace runglass {

struct Watchdog {
  std::optional<DurNs> timeout;  // absent: it is off
  std::string source = "default";
};
inline constexpr DurNs kDefaultWatchdog = 600 * kNsPerSecond;  // torch.distributed's default_pg_nccl_timeout

Watchdog watchdogOf(std::span<const Fact> facts);
// "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, ..., Timeout(ms)=600000) ran for 600029 milliseconds"
struct TimeoutWords {
  std::optional<std::int64_t> seq;
  std::string op;
  std::optional<std::int64_t> elements;  // of the input
  std::optional<DurNs> ran;
  std::optional<std::int64_t> peer;  // HCCL: "... has not received the Notify record from remote rank [2]"
};
TimeoutWords timeoutWords(const Event& event);
// "[PG 0 Rank 3] Timeout at NCCL work: 40, last enqueued NCCL work: 41, last completed NCCL work: 39."
struct StateWords {
  std::optional<std::int64_t> enqueued, completed;
};
StateWords stateWords(const Event& event);

}  // namespace runglass
