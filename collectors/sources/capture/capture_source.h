// SPDX-License-Identifier: Apache-2.0
// Source `capture`: carries out capture commands on this node: Python stacks, process states, flight-recorder dumps, the kernel log's tail,
// the GPUs' state, NCCL RAS. The client source captures progress slots and recent rings.
//
// Threading:  the agent's thread of this source.
// Ownership:  owns the running captures; <state_dir>/capture.dumps stores which parts of flight-recorder dumps are recorded.
// Units:      ns.
// Errors:     see each piece; absent, refused or late pieces are listed in the answer and in an event of kind "capture".
// Cost:       one look at the command queue every 100 ms until a command arrives; hourly_mib limits the bytes recorded per node.
// Config:     hourly_mib = 64, kernel_log = "/dev/kmsg", kernel_log_kib = 64, py_spy = "py-spy", nvidia_smi = "nvidia-smi",
//             native_stacks = false (py-spy --native: stops the trainer for a moment), nccl_ras = "" (HOST:PORT; default NCCL_RAS_ADDR of
//             the trainers, else 127.0.0.1:28028); "" for a program or file: never.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

std::unique_ptr<Source> makeCaptureSource();

}  // namespace runglass
