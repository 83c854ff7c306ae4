// SPDX-License-Identifier: Apache-2.0
// A libnvidia-ml.so.1 for tests: two GPUs whose state is read from the file in FAKE_NVML, so that a test can remove a GPU, raise an Xid or
// change the driver while running. Lines are "key value"; missing keys have the defaults below. FAKE_NVML_DRIVER is the oldest driver with
// the functions that this build exports; driver 1 only has the names of the GPUs' handles.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef FAKE_NVML_DRIVER
#define FAKE_NVML_DRIVER 550
#endif

typedef struct {
  char id;
} Gpu;
static Gpu gpus[2];
static int xid_taken;

static long setting(const char* key, long fallback) {
  const char* path = getenv("FAKE_NVML");
  FILE* file = path ? fopen(path, "r") : NULL;
  char name[64];
  long value;
  if (!file) return fallback;
  while (fscanf(file, "%63s %ld", name, &value) == 2)
    if (strcmp(name, key) == 0) fallback = value;
  fclose(file);
  return fallback;
}
static int indexOf(void* device) { return device == &gpus[1]; }
static int gone(void* device) { return setting("lost", -1) == indexOf(device); }
#define GPU_OR_LOST(device)      \
  do {                           \
    if (gone(device)) return 15; \
  } while (0)

int nvmlInit_v2(void) { return (int)setting("init", 0); }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned* out) {
  *out = 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void** out) {
  *out = &gpus[i];
  return 0;
}
#if FAKE_NVML_DRIVER > 1
int nvmlSystemGetDriverVersion(char* out, unsigned n) {
  snprintf(out, n, "%ld.%ld.03", setting("driver_major", FAKE_NVML_DRIVER), setting("driver_minor", 54));
  return 0;
}
int nvmlSystemGetCudaDriverVersion_v2(int* out) {
  *out = 12040;
  return 0;
}
int nvmlDeviceGetName(void* d, char* out, unsigned n) {
  (void)d;
  snprintf(out, n, "Fake H100");
  return 0;
}
int nvmlDeviceGetUUID(void* d, char* out, unsigned n) {
  snprintf(out, n, "GPU-fake-%d", indexOf(d));
  return 0;
}
int nvmlDeviceGetUtilizationRates(void* d, unsigned* out) {
  GPU_OR_LOST(d);
  out[0] = 97;
  out[1] = 40;
  return 0;
}
// Without a version: reserved memory counts as used.
int nvmlDeviceGetMemoryInfo(void* d, uint64_t* out) {
  GPU_OR_LOST(d);
  out[0] = 80ULL << 30;
  out[1] = 19ULL << 30;
  out[2] = 61ULL << 30;
  return 0;
}
#if FAKE_NVML_DRIVER >= 510
typedef struct {
  unsigned version;
  uint64_t total, reserved, free, used;
} Memory;
int nvmlDeviceGetMemoryInfo_v2(void* d, Memory* m) {
  GPU_OR_LOST(d);
  if (setting("memory_v2", 0)) return (int)setting("memory_v2", 0);
  if (m->version != 0x02000028) return 25;
  m->total = 80ULL << 30;
  m->reserved = 1ULL << 30;
  m->used = 60ULL << 30;
  m->free = 19ULL << 30;
  return 0;
}
#endif
int nvmlDeviceGetTemperature(void* d, int s, unsigned* out) {
  (void)s;
  GPU_OR_LOST(d);
  *out = 61;
  return 0;
}
int nvmlDeviceGetTemperatureThreshold(void* d, int t, unsigned* out) {
  (void)d;
  if (t > 1) return 3;
  *out = t == 1 ? 87 : 92;
  return 0;
}
int nvmlDeviceGetPowerUsage(void* d, unsigned* out) {
  GPU_OR_LOST(d);
  *out = (unsigned)setting("milliwatts", 654321);
  return 0;
}
int nvmlDeviceGetEnforcedPowerLimit(void* d, unsigned* out) {
  (void)d;
  *out = 700000;
  return 0;
}
int nvmlDeviceGetClockInfo(void* d, int type, unsigned* out) {
  (void)d;
  if (type > 2) return 3;
  *out = type == 1 ? 1980 : 2619;
  return 0;
}
// Only the first GPU has a fan.
int nvmlDeviceGetFanSpeed(void* d, unsigned* out) {
  if (indexOf(d)) return 3;
  *out = 35;
  return 0;
}
int nvmlDeviceGetPerformanceState(void* d, int* out) {
  *out = indexOf(d) ? 32 : 2;
  return 0;
}
int nvmlDeviceGetPersistenceMode(void* d, int* out) {
  *out = !indexOf(d);
  return 0;
}
int nvmlDeviceGetEncoderUtilization(void* d, unsigned* out, unsigned* period_us) {
  (void)d;
  *out = 12;
  *period_us = 167000;
  return 0;
}
int nvmlDeviceGetDecoderUtilization(void* d, unsigned* out, unsigned* period_us) {
  (void)d;
  *out = 7;
  *period_us = 167000;
  return 0;
}
int nvmlDeviceGetMaxPcieLinkGeneration(void* d, unsigned* out) {
  (void)d;
  *out = 5;
  return 0;
}
int nvmlDeviceGetMaxPcieLinkWidth(void* d, unsigned* out) {
  (void)d;
  *out = 16;
  return 0;
}
int nvmlDeviceGetPcieThroughput(void* d, int direction, unsigned* out) {
  (void)d;
  *out = direction ? 3000 : 2000;
  return 0;
}
// Old name only: an older driver has no nvmlDeviceGetCurrentClocksEventReasons.
int nvmlDeviceGetCurrentClocksThrottleReasons(void* d, uint64_t* out) {
  (void)d;
  *out = 0x4;
  return 0;
}
// ECC is not supported on the second GPU.
int nvmlDeviceGetTotalEccErrors(void* d, int type, int counter, uint64_t* out) {
  (void)counter;
  GPU_OR_LOST(d);
  if (indexOf(d)) return 3;
  *out = type ? 1 : 17;
  return 0;
}
typedef struct {
  unsigned field, scope;
  int64_t ts, latency;
  unsigned type;
  int ret;
  union {
    double f;
    unsigned u32;
    uint64_t u64;
  } v;
} Field;
int nvmlDeviceGetFieldValues(void* d, int n, Field* fields) {
  for (int i = 0; i < n; ++i) {
    fields[i].ret = 3;
    if (fields[i].field == 82) {
      fields[i].ret = 0;
      fields[i].type = 1;
      fields[i].v.u32 = 70;
    }
    // The counters of the second GPU.
    if (fields[i].field == 197 && indexOf(d)) {
      fields[i].ret = 0;
      fields[i].type = 3;
      fields[i].v.u64 = (uint64_t)setting("pcie_bytes", 1000);
    }
    if (fields[i].field == 138 && fields[i].scope == 0xFFFFFFFFu) {
      fields[i].ret = 0;
      fields[i].type = 3;
      fields[i].v.u64 = (uint64_t)setting("nvlink_kib", 1000);
    }
  }
  return 0;
}
// Two processes on the first GPU, in records of `stride` bytes; the rest of each is unused and not zero.
static int processes(void* d, unsigned* count, void* out, unsigned stride) {
  const unsigned have = indexOf(d) ? 0 : 2;
  if (*count < have) {
    *count = have;
    return 7;
  }
  *count = have;
  for (unsigned i = 0; i < have; ++i) {
    unsigned char* record = (unsigned char*)out + (size_t)i * stride;
    const unsigned pid = 4000 + i;
    const uint64_t memory = i ? UINT64_MAX : 50ULL << 30;
    memset(record, 0xAB, stride);
    memcpy(record, &pid, 4);
    memcpy(record + 8, &memory, 8);
  }
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses(void* d, unsigned* count, void* out) { return processes(d, count, out, 16); }
#if FAKE_NVML_DRIVER >= 450
int nvmlDeviceGetComputeRunningProcesses_v2(void* d, unsigned* count, void* out) { return processes(d, count, out, 24); }
#endif
#if FAKE_NVML_DRIVER >= 510
int nvmlDeviceGetComputeRunningProcesses_v3(void* d, unsigned* count, void* out) {
  if (setting("processes_v3", 0)) return (int)setting("processes_v3", 0);
  return processes(d, count, out, (unsigned)setting("stride", 24));
}
#endif
int nvmlEventSetCreate(void** out) {
  *out = &xid_taken;
  xid_taken = 0;
  return 0;
}
int nvmlEventSetFree(void* set) {
  (void)set;
  return 0;
}
int nvmlDeviceGetSupportedEventTypes(void* d, uint64_t* out) {
  (void)d;
  *out = 0x1F;
  return 0;
}
int nvmlDeviceRegisterEvents(void* d, uint64_t types, void* set) {
  (void)d;
  (void)set;
  return types == 0x8 ? 0 : 2;
}
typedef struct {
  void* device;
  uint64_t type, data;
  unsigned gi, ci;
} Event;
int nvmlEventSetWait_v2(void* set, Event* event, unsigned timeout) {
  (void)set;
  (void)timeout;
  const long xid = setting("xid", 0);
  if (!xid || xid_taken) return 10;
  xid_taken = 1;
  event->device = &gpus[1];
  event->type = 8;
  event->data = (uint64_t)xid;
  return 0;
}
#endif
