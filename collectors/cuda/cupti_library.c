/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. A CUPTI that the process has already loaded is used: two of them would compete for the same hooks.
 * 2. CUPTI is loaded only where the process has the CUDA runtime of the same major version, or no CUDA runtime.
 * 3. Records of sizes that are not in kSizes are not read.
 */
#define _GNU_SOURCE
#include "collectors/cuda/cupti_library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/cuda/old_symbols.h"
#include "collectors/cuda/resolve.h"

RGC_OLD_SYMBOL(dlopen);
RGC_OLD_SYMBOL(dlclose);

_Static_assert(offsetof(struct rgc_cupti_kernel, start) == 16 && offsetof(struct rgc_cupti_kernel, device) == 40 &&
                   offsetof(struct rgc_cupti_kernel, correlation) == 92 && offsetof(struct rgc_cupti_kernel, name) == 104 &&
                   offsetof(struct rgc_cupti_kernel, queued) == 120 && offsetof(struct rgc_cupti_kernel, graph_node) == 144 &&
                   sizeof(struct rgc_cupti_kernel) == 152,
               "as CUpti_ActivityKernel5 to 10 begin");
_Static_assert(offsetof(struct rgc_cupti_copy, correlation) == 44 && offsetof(struct rgc_cupti_peer_copy, correlation) == 60,
               "as CUpti_ActivityMemcpy3 to 6 and MemcpyPtoP2 to 4 begin");
_Static_assert(sizeof(struct rgc_cupti_call) == 40 && sizeof(struct rgc_cupti_external) == 24, "as in every version");

struct rgc_cupti rgc_cupti;

struct sizes {
  uint32_t first, last; /* of cuptiGetVersion() */
  uint16_t kernel, copy, peer_copy, set;
};
/* A new row adds a newer CUPTI; check in its headers that the records still begin as declared here (tests/collectors/cuda/abi_check.py). */
static const struct sizes kSizes[] = {
    {13, 13, 160, 72, 80, 72},         /* CUDA 11.0 */
    {14, 14, 160, 80, 88, 80},         /* 11.1 */
    {15, 16, 168, 80, 88, 80},         /* 11.2 to 11.5 */
    {17, 17, 176, 88, 96, 88},         /* 11.6, 11.7 */
    {18, 18, 200, 88, 96, 88},         /* 11.8 */
    {19, 25, 208, 88, 96, 88},         /* 12.0 to 12.6 */
    {26, 28, 208, 96, 96, 88},         /* 12.8, 12.9 */
    {130000, 130099, 216, 96, 96, 88}, /* 13.0 */
};
static const struct sizes *g_sizes;

size_t rgc_cupti_record_bytes(uint32_t kind) {
  switch (kind) {
    case RGC_CUPTI_KERNEL:
      return g_sizes->kernel;
    case RGC_CUPTI_MEMCPY:
      return g_sizes->copy;
    case RGC_CUPTI_MEMCPY_PEER:
      return g_sizes->peer_copy;
    case RGC_CUPTI_MEMSET:
      return g_sizes->set;
    case RGC_CUPTI_DRIVER:
    case RGC_CUPTI_RUNTIME:
      return sizeof(struct rgc_cupti_call);
    case RGC_CUPTI_EXTERNAL:
      return sizeof(struct rgc_cupti_external);
    default:
      return 0;
  }
}

static int matchCupti(struct dl_phdr_info *info, size_t bytes, void *context) {
  (void)bytes;
  const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
  if (!slash || strncmp(slash, "/libcupti", 9) != 0 || strlen(info->dlpi_name) >= 1024) return 0;
  strcpy(context, info->dlpi_name);
  return 1;
}

static int isLoaded(const char *name) {
  void *handle = dlopen(name, RTLD_NOLOAD | RTLD_LAZY);
  if (handle) dlclose(handle); /* drops the reference that RTLD_NOLOAD added */
  return handle != NULL;
}

static void *load(void) {
  static const struct {
    const char *runtime, *names[10];
  } kMajors[] = {{"libcudart.so.12", {"libcupti.so.12"}},
                 {"libcudart.so.13", {"libcupti.so.13"}},
                 {"libcudart.so.11.0",
                  {"libcupti.so.11.8", "libcupti.so.11.7", "libcupti.so.11.6", "libcupti.so.11.5", "libcupti.so.11.4", "libcupti.so.11.3",
                   "libcupti.so.11.2", "libcupti.so.11.1", "libcupti.so.11.0"}}};
  const char *reported = getenv("RUNGLASS_CUPTI");
  if (reported && *reported) return dlopen(reported, RTLD_NOW | RTLD_LOCAL);
  char path[1024];
  /* The path is opened after the walk, because the walk holds the loader's lock. */
  if (dl_iterate_phdr(matchCupti, path)) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const int any = !isLoaded(kMajors[0].runtime) && !isLoaded(kMajors[1].runtime) && !isLoaded(kMajors[2].runtime);
  void *handle = NULL;
  for (int i = 0; i < 3 && !handle; ++i)
    for (int k = 0; kMajors[i].names[k] && !handle && (any || isLoaded(kMajors[i].runtime)); ++k)
      handle = dlopen(kMajors[i].names[k], RTLD_NOW | RTLD_LOCAL);
  return handle;
}

#define FIND(field, symbol) rgc_cupti.field = (__typeof__(rgc_cupti.field))rgc_symbol(handle, symbol)

enum rgc_counted rgc_cupti_find(void) {
  if (g_sizes) return RGC_COUNTED;
  void *handle = load();
  if (!handle) return RGC_EXACT_NO_LIBRARY;
  FIND(version, "cuptiGetVersion");
  FIND(subscribe, "cuptiSubscribe");
  FIND(unsubscribe, "cuptiUnsubscribe");
  FIND(register_callbacks, "cuptiActivityRegisterCallbacks");
  FIND(enable, "cuptiActivityEnable");
  FIND(disable, "cuptiActivityDisable");
  FIND(flush, "cuptiActivityFlushAll");
  FIND(next_record, "cuptiActivityGetNextRecord");
  FIND(dropped, "cuptiActivityGetNumDroppedRecords");
  FIND(timestamp, "cuptiGetTimestamp");
  FIND(stream_id, "cuptiGetStreamIdEx");
  FIND(push, "cuptiActivityPushExternalCorrelationId");
  FIND(pop, "cuptiActivityPopExternalCorrelationId");
  const struct rgc_cupti *all = &rgc_cupti;
  if (!all->version || !all->subscribe || !all->unsubscribe || !all->register_callbacks || !all->enable || !all->disable || !all->flush ||
      !all->next_record || !all->dropped || !all->timestamp)
    return RGC_EXACT_NO_LIBRARY;
  uint32_t version = 0;
  if (rgc_cupti.version(&version) != 0) return RGC_EXACT_REFUSED;
  for (size_t i = 0; i < sizeof(kSizes) / sizeof(kSizes[0]); ++i)
    if (version >= kSizes[i].first && version <= kSizes[i].last) g_sizes = &kSizes[i];
  return g_sizes ? RGC_COUNTED : RGC_EXACT_UNKNOWN_VERSION;
}
