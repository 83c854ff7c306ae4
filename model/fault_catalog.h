// SPDX-License-Identifier: Apache-2.0
// The fault catalogue: what a fault event (Xid, SXid, ECC, link, OOM, ...) means and what to do about it.
//
// Threading:  immutable.
// Ownership:  static storage.
// Errors:     none: an event that is not listed has no meaning here, and is then judged by its own severity alone.
// Cost:       O(log n).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/events.h"

namespace runglass {

// What the fault takes with it.
enum class FaultScope : std::uint8_t { kProcess, kGpu, kLink, kNode, kStorage };

struct FaultInfo {
  std::string_view kind, code;  // of the event; code "" stands for every code of the kind that is not listed
  Severity severity;
  FaultScope scope;
  bool secondary;           // follows from another fault: near in time to one that is not secondary, it is never the root
  std::string_view action;  // the vendor's immediate action (RESTART_APP, RESET_GPU, ...), "" where there is none
  std::string_view meaning, advice;
};

// Where the rows come from.
inline constexpr std::string_view kXidSource = "NVIDIA Xid Errors catalog, 2025-10";
inline constexpr std::string_view kNcclSource = "NCCL user guide, ncclResult_t and troubleshooting, 2.27";
inline constexpr std::string_view kVerbsSource = "ibv_poll_cq(3), enum ibv_wc_status, rdma-core 44";
// The source of a kind's rows; "" where they are our own.
std::string_view faultSource(std::string_view kind);

std::span<const FaultInfo> faultCatalog();  // sorted by kind, then by code as text
// The row of this kind and code, else the kind's own; nullptr: not known.
const FaultInfo* findFault(std::string_view kind, std::string_view code);

}  // namespace runglass
