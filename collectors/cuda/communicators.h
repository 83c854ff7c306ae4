/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's communicators as the tracer knows them: a number that is the same on all ranks, sizes, and how many operations went before.
 *
 * Threading:  any thread; learn and forget take a lock, find does not.
 * Ownership:  entries live until the process ends; a communicator's handle may be used again after forget.
 * Units:      none.
 * Errors:     find: NULL when the table (4,096) is full. What cannot be known is RG_NONE or -1.
 * Cost:       find: one hash look-up; the first for an unknown handle asks NCCL.
 */
#ifndef RUNGLASS_CUDA_COMMUNICATORS_H
#define RUNGLASS_CUDA_COMMUNICATORS_H

#include <stdatomic.h>
#include <stdint.h>

#include "collectors/cuda/abi.h"

struct rgc_communicator {
  rgc_handle _Atomic handle;
  int64_t id; /* of the unique id that all ranks share; RG_NONE: made where we did not see it */
  int ranks, rank, device;
  _Atomic int64_t collectives;      /* so many were asked for on this rank: the same on all ranks */
  _Atomic int64_t splits;           /* communicators made of this one */
  _Atomic int64_t *sent, *received; /* per peer; NULL when out of memory */
};

/* Ranks, rank and device are asked of NCCL where they are -1. */
void rgc_comm_learn(rgc_handle handle, int64_t id, int ranks, int rank, int device);
struct rgc_communicator *rgc_comm_find(rgc_handle handle);
void rgc_comm_forget(rgc_handle handle);
void rgc_comms_in_child(void);

/* A number below 2^53 (exact as a double) of some bytes. */
int64_t rgc_comm_id(const void *bytes, size_t count);

#endif
