/* SPDX-License-Identifier: Apache-2.0 */
/* Interposed operations of NCCL: always timed, numbered per communicator.
 * Invariants:
 * 1. As in hooks_runtime.c: one real call, with its arguments and its status.
 * 2. An operation is numbered whether it is timed or not: ranks are compared by these numbers.
 * 3. Inside a group nothing is timed: NCCL launches at the end of the outermost group, and the events are recorded there, one pair for
 *    each stream and communicator. */
#define _GNU_SOURCE
#include "collectors/cuda/communicators.h"
#include "collectors/cuda/resolve.h"
#include "collectors/cuda/tracer.h"

enum { kMaxInGroup = 64 };

struct call {
  const char *name;
  rgc_handle communicator;
  rgc_stream stream;
  int64_t bytes, seq, group;
  struct rgc_comm about;
  int device;
};

static _Thread_local struct {
  int depth, count;
  struct call calls[kMaxInGroup];
} t_group;

static int64_t sizeOf(int type) {
  static const int8_t kSizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return type >= 0 && type < (int)sizeof(kSizes) ? kSizes[type] : 0;
}

/* `whole`: the count is one rank's share of the data (all-gather, reduce-scatter). */
static struct call collective(const char *name, rgc_handle handle, rgc_stream stream, size_t count, int type, int redop, int root,
                              int whole) {
  struct rgc_communicator *known = rgc_comm_find(handle);
  const int ranks = known ? known->ranks : -1;
  struct call call = {
      .name = name, .communicator = handle, .stream = stream, .seq = RG_NONE, .group = RG_NONE, .device = RGC_CURRENT_DEVICE};
  call.bytes = (int64_t)count * sizeOf(type) * (whole && ranks > 0 ? ranks : 1);
  call.about = (struct rgc_comm){.count = (int64_t)count,
                                 .last_seq = RG_NONE,
                                 .type = type,
                                 .redop = redop,
                                 .peer = -1,
                                 .root = root,
                                 .ranks = ranks,
                                 .rank = known ? known->rank : -1,
                                 .ops = 1};
  if (!known) return call;
  call.group = known->id;
  call.device = known->device >= 0 ? known->device : RGC_CURRENT_DEVICE;
  return call;
}

static struct call numbered(struct call call) {
  struct rgc_communicator *known = rgc_comm_find(call.communicator);
  if (known) call.seq = call.about.last_seq = atomic_fetch_add_explicit(&known->collectives, 1, memory_order_relaxed);
  return call;
}

/* The k-th send of a to b matches the k-th receive of b from a. */
static struct call toPeer(struct call call, int peer, int sends) {
  struct rgc_communicator *known = rgc_comm_find(call.communicator);
  call.about.peer = peer;
  _Atomic int64_t *counters = known ? (sends ? known->sent : known->received) : NULL;
  if (counters && peer >= 0 && peer < known->ranks)
    call.seq = call.about.last_seq = atomic_fetch_add_explicit(&counters[peer], 1, memory_order_relaxed);
  return call;
}

static int betweenPeers(const char *name) { return name[4] == 'S' || (name[4] == 'R' && name[6] == 'c'); } /* ncclSend, ncclRecv */

static void merge(struct call *into, const struct call *call) {
  if (into->name != call->name) {
    into->name = betweenPeers(into->name) && betweenPeers(call->name) ? "ncclSendRecv" : "ncclGroup";
    into->seq = RG_NONE;
  }
  if (into->about.peer != call->about.peer) into->about.peer = -1;
  if (into->about.root != call->about.root) into->about.root = -1;
  if (into->about.redop != call->about.redop) into->about.redop = -1;
  if (into->about.type != call->about.type) into->about.type = -1;
  into->bytes += call->bytes;
  into->about.count += call->about.count;
  into->about.last_seq = into->seq == RG_NONE ? RG_NONE : call->seq;
  ++into->about.ops;
}

static void addToGroup(const struct call *call) {
  for (int i = 0; i < t_group.count; ++i) {
    if (t_group.calls[i].stream != call->stream || t_group.calls[i].communicator != call->communicator) continue;
    merge(&t_group.calls[i], call);
    return;
  }
  if (t_group.count < kMaxInGroup)
    t_group.calls[t_group.count++] = *call;
  else
    rgc_count(RGC_OP_FAILED, 1);
}

static struct rgc_op *openCall(const struct call *call) {
  struct rgc_op *op = rgc_open(call->stream, call->device, RGC_OP_COMM, call->name);
  if (!op) return NULL;
  op->bytes = call->bytes;
  op->seq = call->seq;
  op->group = call->group;
  op->about.comm = call->about;
  return op;
}

static struct rgc_op *begin(struct call call) {
  if (rgc_depth++ > 0) return NULL;
  if (t_group.depth == 0) return openCall(&call);
  addToGroup(&call);
  return NULL;
}

static void end(struct rgc_op *op, int status) {
  --rgc_depth;
  rgc_shut(op, status);
}

/* Permanently off (a forked child): operations are not even numbered. */
static int inert(void) { return atomic_load_explicit(&rgc_tracer.state, memory_order_relaxed) == RGC_OFF; }

#define OPERATION(name, parameters, arguments, call)     \
  RGC_EXPORT int name parameters;                        \
  RGC_EXPORT int name parameters {                       \
    RGC_FIND(RGC_NCCL, name);                            \
    if (!real) return RGC_NCCL_MISSING;                  \
    if (inert() || rgc_depth > 0) return real arguments; \
    struct rgc_op *op = begin(call);                     \
    const int status = real arguments;                   \
    end(op, status);                                     \
    return status;                                       \
  }

OPERATION(ncclAllReduce, (const void *from, void *to, size_t count, int type, int redop, rgc_handle comm, rgc_stream stream),
          (from, to, count, type, redop, comm, stream), numbered(collective("ncclAllReduce", comm, stream, count, type, redop, -1, 0)))
OPERATION(ncclReduceScatter, (const void *from, void *to, size_t count, int type, int redop, rgc_handle comm, rgc_stream stream),
          (from, to, count, type, redop, comm, stream), numbered(collective("ncclReduceScatter", comm, stream, count, type, redop, -1, 1)))
OPERATION(ncclAllGather, (const void *from, void *to, size_t count, int type, rgc_handle comm, rgc_stream stream),
          (from, to, count, type, comm, stream), numbered(collective("ncclAllGather", comm, stream, count, type, -1, -1, 1)))
OPERATION(ncclBroadcast, (const void *from, void *to, size_t count, int type, int root, rgc_handle comm, rgc_stream stream),
          (from, to, count, type, root, comm, stream), numbered(collective("ncclBroadcast", comm, stream, count, type, -1, root, 0)))
OPERATION(ncclBcast, (void *buffer, size_t count, int type, int root, rgc_handle comm, rgc_stream stream),
          (buffer, count, type, root, comm, stream), numbered(collective("ncclBroadcast", comm, stream, count, type, -1, root, 0)))
OPERATION(ncclReduce, (const void *from, void *to, size_t count, int type, int redop, int root, rgc_handle comm, rgc_stream stream),
          (from, to, count, type, redop, root, comm, stream), numbered(collective("ncclReduce", comm, stream, count, type, redop, root, 0)))
OPERATION(ncclSend, (const void *from, size_t count, int type, int peer, rgc_handle comm, rgc_stream stream),
          (from, count, type, peer, comm, stream), toPeer(collective("ncclSend", comm, stream, count, type, -1, -1, 0), peer, 1))
OPERATION(ncclRecv, (void *to, size_t count, int type, int peer, rgc_handle comm, rgc_stream stream), (to, count, type, peer, comm, stream),
          toPeer(collective("ncclRecv", comm, stream, count, type, -1, -1, 0), peer, 0))

/* --- groups -------------------------------------------------------------------------------------------------------- */

RGC_EXPORT int ncclGroupStart(void);
RGC_EXPORT int ncclGroupStart(void) {
  RGC_FIND(RGC_NCCL, ncclGroupStart);
  if (!real) return RGC_NCCL_MISSING;
  if (rgc_depth == 0 && t_group.depth++ == 0) t_group.count = 0;
  return real();
}

RGC_EXPORT int ncclGroupEnd(void);
RGC_EXPORT int ncclGroupEnd(void) {
  RGC_FIND(RGC_NCCL, ncclGroupEnd);
  if (!real) return RGC_NCCL_MISSING;
  if (rgc_depth > 0 || t_group.depth == 0 || --t_group.depth > 0 || t_group.count == 0) return real();
  struct rgc_op *ops[kMaxInGroup];
  const int count = t_group.count;
  t_group.count = 0;
  ++rgc_depth;
  for (int i = 0; i < count; ++i) ops[i] = openCall(&t_group.calls[i]);
  const int status = real();
  for (int i = count; i-- > 0;) rgc_shut(ops[i], status);
  --rgc_depth;
  return status;
}

/* --- communicators ------------------------------------------------------------------------------------------------- */

/* A communicator whose creation is in progress (NCCL_IN_PROGRESS) already has its handle. */
static void learn(int status, rgc_handle *made, int64_t id, int ranks, int rank, int device) {
  if ((status == 0 || status == RGC_NCCL_IN_PROGRESS) && made && *made) rgc_comm_learn(*made, id, ranks, rank, device);
}

#define MAKE(name, parameters, arguments, id, ranks) \
  RGC_EXPORT int name parameters;                    \
  RGC_EXPORT int name parameters {                   \
    RGC_FIND(RGC_NCCL, name);                        \
    if (!real) return RGC_NCCL_MISSING;              \
    ++rgc_depth;                                     \
    const int status = real arguments;               \
    --rgc_depth;                                     \
    learn(status, made, id, ranks, rank, -1);        \
    return status;                                   \
  }
MAKE(ncclCommInitRank, (rgc_handle * made, int ranks, struct rgc_nccl_id unique, int rank), (made, ranks, unique, rank),
     rgc_comm_id(&unique, sizeof(unique)), ranks)
MAKE(ncclCommInitRankConfig, (rgc_handle * made, int ranks, struct rgc_nccl_id unique, int rank, void *config),
     (made, ranks, unique, rank, config), rgc_comm_id(&unique, sizeof(unique)), ranks)
MAKE(ncclCommInitRankScalable, (rgc_handle * made, int ranks, int rank, int ids, const struct rgc_nccl_id *unique, void *config),
     (made, ranks, rank, ids, unique, config), unique &&ids > 0 ? rgc_comm_id(unique, sizeof(*unique)) : RG_NONE, ranks)

RGC_EXPORT int ncclCommInitAll(rgc_handle *made, int count, const int *devices);
RGC_EXPORT int ncclCommInitAll(rgc_handle *made, int count, const int *devices) {
  RGC_FIND(RGC_NCCL, ncclCommInitAll);
  if (!real) return RGC_NCCL_MISSING;
  ++rgc_depth;
  const int status = real(made, count, devices);
  --rgc_depth;
  const int64_t now = rg_clock(CLOCK_MONOTONIC); /* all ranks are in this process: any unique number is enough */
  const int64_t id = rgc_comm_id(&now, sizeof(now));
  for (int i = 0; status == 0 && i < count; ++i) rgc_comm_learn(made[i], id, count, i, devices ? devices[i] : i);
  return status;
}

RGC_EXPORT int ncclCommSplit(rgc_handle comm, int color, int key, rgc_handle *made, void *config);
RGC_EXPORT int ncclCommSplit(rgc_handle comm, int color, int key, rgc_handle *made, void *config) {
  RGC_FIND(RGC_NCCL, ncclCommSplit);
  if (!real) return RGC_NCCL_MISSING;
  struct rgc_communicator *parent = rgc_comm_find(comm);
  /* Every rank splits the parent equally often and in the same order, so that this id is equal on all ranks too. */
  const int64_t name[3] = {parent ? parent->id : RG_NONE, parent ? atomic_fetch_add(&parent->splits, 1) : 0, color};
  ++rgc_depth;
  const int status = real(comm, color, key, made, config);
  --rgc_depth;
  learn(status, made, name[0] == RG_NONE ? RG_NONE : rgc_comm_id(name, sizeof(name)), -1, -1, -1);
  return status;
}

#define UNMAKE(name)                     \
  RGC_EXPORT int name(rgc_handle comm);  \
  RGC_EXPORT int name(rgc_handle comm) { \
    RGC_FIND(RGC_NCCL, name);            \
    if (!real) return RGC_NCCL_MISSING;  \
    rgc_comm_forget(comm);               \
    return real(comm);                   \
  }
UNMAKE(ncclCommDestroy)
UNMAKE(ncclCommAbort)
