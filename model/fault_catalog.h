// SPDX-License-Identifier: Apache-2.0
// The fault catalogue: the meaning of a fault event (Xid, SXid, ECC, link, OOM, ...) and the recommended action.
//
// Threading:  immutable.
// Ownership:  static storage.
// Errors:     an unlisted event has no meaning here and is judged by its own severity alone.
// Cost:       O(log n).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/events.h"

namespace runglass {

// The scope that the fault disables.
enum class FaultScope : std::uint8_t { kProcess, kGpu, kLink, kNode, kStorage };

struct FaultInfo {
  std::string_view kind, code;  // of the event; code "" covers every unlisted code of the kind
  Severity severity;
  FaultScope scope;
  bool secondary;           // follows from another fault: near in time to a fault that is not secondary, it is never the root cause
  std::string_view action;  // the vendor's immediate action (RESTART_APP, RESET_GPU, ...); "": none
  std::string_view meaning, advice;
};

// Sources of the rows.
inline constexpr std::string_view kXidSource = "NVIDIA Xid Errors catalog, 2025-10";
inline constexpr std::string_view kNcclSource = "NCCL user guide, ncclResult_t and troubleshooting, 2.27";
inline constexpr std::string_view kVerbsSource = "ibv_poll_cq(3), enum ibv_wc_status, rdma-core 44";
// The source of a kind's rows; "" for rows by Runglass.
std::string_view faultSource(std::string_view kind);

std::span<const FaultInfo> faultCatalog();  // sorted by kind, then by code as text
// The row of this kind and code, else the kind's general one; nullptr: unknown.
const FaultInfo* findFault(std::string_view kind, std::string_view code);

}  // namespace runglass
