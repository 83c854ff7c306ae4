// SPDX-License-Identifier: Apache-2.0
// Source `capture`: carries out capture orders on this node: Python stacks, process states, flight-recorder dumps, the kernel log's tail,
// the GPUs' state, NCCL RAS. Progress slots and recent rings are the client source's share.
//
// Threading:  the agent's thread of this source.
// Ownership:  owns the captures that are under way; <state_dir>/capture.dumps keeps what was recorded of flight recorder dumps.
// Units:      ns.
// Errors:     see each piece; what is not there, refused or late is named in the answer and in an event of kind "capture".
// Cost:       nothing but a look at the order book every 100 ms until somebody asks; hourly_mib bounds what a node records.
// Config:     hourly_mib = 64, kernel_log = "/dev/kmsg", kernel_log_kib = 64, py_spy = "py-spy", nvidia_smi = "nvidia-smi",
//             native_stacks = false (py-spy --native: stops the trainer for a moment), nccl_ras = "" (HOST:PORT; default NCCL_RAS_ADDR of
//             the trainers, else 127.0.0.1:28028); "" for a program or file: never.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

std::unique_ptr<Source> makeCaptureSource();

}  // namespace runglass
