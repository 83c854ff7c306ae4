/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants: an entry's fields are stored before its handle; an entry without a handle is reused only by a new learn. */
#define _GNU_SOURCE
#include "collectors/cuda/communicators.h"

#include <pthread.h>
#include <stdlib.h>

#include "collectors/client/runglass.h"
#include "collectors/cuda/resolve.h"

enum { kMax = 4096 };

static struct rgc_communicator g_communicators[kMax];
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static const uintptr_t kGone = 1;

int64_t rgc_comm_id(const void *bytes, size_t count) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < count; ++i) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3ull;
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93ull;
  hash ^= hash >> 32;
  return (int64_t)(hash & ((1ull << 53) - 1));
}

static struct rgc_communicator *look(rgc_handle handle, int take) {
  const uint64_t hash = (uint64_t)(uintptr_t)handle * 0x9e3779b97f4a7c15ull >> 40;
  struct rgc_communicator *free_entry = NULL;
  for (uint64_t i = 0; i < kMax; ++i) {
    struct rgc_communicator *entry = &g_communicators[(hash + i) % kMax];
    const rgc_handle held = atomic_load_explicit(&entry->handle, memory_order_acquire);
    if (held == handle) return entry;
    if (!free_entry && (!held || (uintptr_t)held == kGone)) free_entry = entry;
    if (!held) break;
  }
  return take ? free_entry : NULL;
}

static int ask(const char *function, rgc_handle handle, int otherwise) {
  int (*get)(rgc_handle, int *) = (int (*)(rgc_handle, int *))rgc_find(RGC_NCCL, function, NULL);
  int value = -1;
  return get && get(handle, &value) == 0 ? value : otherwise;
}

void rgc_comm_learn(rgc_handle handle, int64_t id, int ranks, int rank, int device) {
  if (!handle) return;
  if (ranks < 0) ranks = ask("ncclCommCount", handle, -1);
  if (rank < 0) rank = ask("ncclCommUserRank", handle, -1);
  if (device < 0) device = ask("ncclCommCuDevice", handle, -1);
  pthread_mutex_lock(&g_lock);
  struct rgc_communicator *entry = look(handle, 1);
  if (entry) {
    atomic_store(&entry->handle, (rgc_handle)kGone);
    entry->id = id;
    entry->ranks = ranks;
    entry->rank = rank;
    entry->device = device;
    atomic_store(&entry->collectives, 0);
    atomic_store(&entry->splits, 0);
    /* An earlier communicator's counters are not freed: another thread may still use them. */
    entry->sent = ranks > 0 ? calloc((size_t)ranks * 2, sizeof(*entry->sent)) : NULL;
    entry->received = entry->sent ? entry->sent + ranks : NULL;
    atomic_store_explicit(&entry->handle, handle, memory_order_release);
  }
  pthread_mutex_unlock(&g_lock);
}

struct rgc_communicator *rgc_comm_find(rgc_handle handle) {
  if (!handle) return NULL;
  struct rgc_communicator *entry = look(handle, 0);
  if (entry) return entry;
  rgc_comm_learn(handle, RG_NONE, -1, -1, -1);
  return look(handle, 0);
}

void rgc_comm_forget(rgc_handle handle) {
  pthread_mutex_lock(&g_lock);
  struct rgc_communicator *entry = handle ? look(handle, 0) : NULL;
  if (entry) atomic_store(&entry->handle, (rgc_handle)kGone);
  pthread_mutex_unlock(&g_lock);
}

void rgc_comms_in_child(void) { pthread_mutex_init(&g_lock, NULL); }
