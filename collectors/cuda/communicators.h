/* SPDX-License-Identifier: Apache-2.0 */
/* Table of NCCL communicators: an id that is equal on all ranks, sizes, and the number of earlier operations.
 *
 * Threading:  any thread; `learn` and `forget` take a lock, `find` does not.
 * Ownership:  entries live until the process ends; a communicator's handle can be used again after `forget`.
 * Errors:     find: NULL when the table (4,096) is full. Unknown values are RG_NONE or -1.
 * Cost:       find: one hash look-up; the first one for an unknown handle queries NCCL.
 */
#ifndef RUNGLASS_CUDA_COMMUNICATORS_H
#define RUNGLASS_CUDA_COMMUNICATORS_H

#include <stdatomic.h>
#include <stdint.h>

#include "collectors/cuda/abi.h"

struct rgc_communicator {
  rgc_handle _Atomic handle;
  int64_t id; /* from the unique id that all ranks share; RG_NONE: its creation was not seen */
  int ranks, rank, device;
  _Atomic int64_t collectives;      /* collectives started on this rank: equal on all ranks */
  _Atomic int64_t splits;           /* communicators created from this one */
  _Atomic int64_t *sent, *received; /* per peer; NULL when out of memory */
};

/* Ranks, rank and device are queried from NCCL where they are -1. */
void rgc_comm_learn(rgc_handle handle, int64_t id, int ranks, int rank, int device);
struct rgc_communicator *rgc_comm_find(rgc_handle handle);
void rgc_comm_forget(rgc_handle handle);
void rgc_comms_in_child(void);

/* Hash of some bytes, below 2^53 (exact as a double). */
int64_t rgc_comm_id(const void *bytes, size_t count);

#endif
