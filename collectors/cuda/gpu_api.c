/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants: the table is from one library; runtime and driver calls are never mixed on an event. */
#include "collectors/cuda/gpu_api.h"

#include "collectors/cuda/resolve.h"

struct rgc_gpu_api rgc_gpu;

static int (*g_retain_primary)(rgc_handle *, int);
static int (*g_set_current)(rgc_handle);

static int setDeviceOfDriver(int device) {
  rgc_handle context = NULL;
  const int error = g_retain_primary(&context, device); /* one reference per device and process, never released */
  return error ? error : g_set_current(context);
}

#define FIND(field, library, symbol) api.field = (__typeof__(api.field))rgc_find(library, symbol, NULL)

static int findRuntime(void) {
  struct rgc_gpu_api api = {0};
  FIND(get_device, RGC_CUDART, "cudaGetDevice");
  FIND(set_device, RGC_CUDART, "cudaSetDevice");
  FIND(event_create, RGC_CUDART, "cudaEventCreateWithFlags");
  FIND(event_record, RGC_CUDART, "cudaEventRecord");
  FIND(event_query, RGC_CUDART, "cudaEventQuery");
  FIND(elapsed, RGC_CUDART, "cudaEventElapsedTime");
  FIND(is_capturing, RGC_CUDART, "cudaStreamIsCapturing");
  FIND(stream_create, RGC_CUDART, "cudaStreamCreateWithFlags");
  FIND(exchange_capture_mode, RGC_CUDART, "cudaThreadExchangeStreamCaptureMode");
  FIND(last_error, RGC_CUDART, "cudaGetLastError");
  FIND(function_name, RGC_CUDART, "cudaFuncGetName");
  if (!api.get_device || !api.set_device || !api.event_create || !api.event_record || !api.event_query || !api.elapsed ||
      !api.is_capturing || !api.stream_create)
    return 0;
  rgc_gpu = api;
  return 1;
}

static int findDriver(void) {
  struct rgc_gpu_api api = {0};
  FIND(get_device, RGC_DRIVER, "cuCtxGetDevice");
  FIND(event_create, RGC_DRIVER, "cuEventCreate");
  FIND(event_record, RGC_DRIVER, "cuEventRecord");
  FIND(event_query, RGC_DRIVER, "cuEventQuery");
  FIND(elapsed, RGC_DRIVER, "cuEventElapsedTime");
  FIND(is_capturing, RGC_DRIVER, "cuStreamIsCapturing");
  FIND(stream_create, RGC_DRIVER, "cuStreamCreate");
  FIND(exchange_capture_mode, RGC_DRIVER, "cuThreadExchangeStreamCaptureMode");
  g_retain_primary = (__typeof__(g_retain_primary))rgc_find(RGC_DRIVER, "cuDevicePrimaryCtxRetain", NULL);
  g_set_current = (__typeof__(g_set_current))rgc_find(RGC_DRIVER, "cuCtxSetCurrent", NULL);
  if (!api.get_device || !api.event_create || !api.event_record || !api.event_query || !api.elapsed || !api.is_capturing ||
      !api.stream_create || !g_retain_primary || !g_set_current)
    return 0;
  api.set_device = setDeviceOfDriver;
  rgc_gpu = api;
  return 1;
}

int rgc_gpu_find(void) { return findRuntime() || findDriver(); }
