/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations for CUPTI's activity interface, versions 13 to 28 (CUDA 11.0 to 12.9) and 13.0, so that the build needs none of its
 * headers.
 *
 * Ownership:  a record and the name it points to are CUPTI's.
 * Units:      ns of CUPTI's own clock (gpu_clock.h converts it); 0 = unknown.
 * Errors:     every status is an int; 0 is success. Records of a version without a row in kSizes (cupti_library.c) are not read.
 *
 * New versions only append fields to records: CUpti_ActivityKernel5 (11.0), 6 (11.2), 7 (11.6), 8 (11.8), 9 (12.0), 10 (13.0); Memcpy3
 * (11.0), 4 (11.1), 5 (11.6), 6 (12.8); MemcpyPtoP2, 3, 4 and Memset2, 3, 4 (11.0, 11.1, 11.6). The structs below are their common
 * beginning.
 */
#ifndef RUNGLASS_CUDA_CUPTI_ABI_H
#define RUNGLASS_CUDA_CUPTI_ABI_H

#include "collectors/cuda/abi.h"

enum rgc_cupti_kind {
  RGC_CUPTI_MEMCPY = 1,
  RGC_CUPTI_MEMSET = 2,
  RGC_CUPTI_DRIVER = 4,
  RGC_CUPTI_RUNTIME = 5,
  RGC_CUPTI_KERNEL = 10, /* concurrent kernels; the other kernel kind would serialize them */
  RGC_CUPTI_MEMCPY_PEER = 22,
  RGC_CUPTI_EXTERNAL = 39,
  RGC_CUPTI_KINDS = 64
};

enum {
  RGC_CUPTI_LIMIT_REACHED = 12, /* of cuptiActivityGetNextRecord: no more records */
  RGC_CUPTI_IN_USE = 39,        /* CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED */
  RGC_CUPTI_FLUSH_FORCED = 1,
  RGC_CUPTI_CUSTOM = 3 /* CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 */
};

struct rgc_cupti_kernel {
  uint32_t kind, settings[3];
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3], static_shared_bytes, dynamic_shared_bytes;
  uint32_t local_memory[2], correlation;
  int64_t grid_id;
  const char *name;
  void *reserved;
  uint64_t queued, submitted;
  uint32_t launch[2];
  uint64_t graph_node; /* 0: not from a graph */
};

/* Memcpy and Memset; `copy_kind` is the first byte of a memset's value. */
struct rgc_cupti_copy {
  uint32_t kind;
  uint8_t copy_kind, details[3];
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
};

struct rgc_cupti_peer_copy {
  uint32_t kind;
  uint8_t copy_kind, details[3];
  uint64_t bytes, start, end;
  uint32_t device, context, stream, from_device, from_context, to_device, to_context, correlation;
};

/* A call of the runtime or the driver. */
struct rgc_cupti_call {
  uint32_t kind, function;
  uint64_t start, end;
  uint32_t process, thread, correlation, status;
};

struct rgc_cupti_external {
  uint32_t kind, external_kind;
  uint64_t external;
  uint32_t correlation, reserved;
};

typedef void rgc_cupti_request(uint8_t **buffer, size_t *bytes, size_t *most_records);
typedef void rgc_cupti_complete(rgc_handle context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes);
typedef void rgc_cupti_callback(void *data, int domain, uint32_t id, const void *about);

struct rgc_cupti {
  int (*version)(uint32_t *);
  int (*subscribe)(rgc_handle *, rgc_cupti_callback *, void *);
  int (*unsubscribe)(rgc_handle);
  int (*register_callbacks)(rgc_cupti_request *, rgc_cupti_complete *);
  int (*enable)(int);
  int (*disable)(int);
  int (*flush)(uint32_t);
  int (*next_record)(uint8_t *, size_t, uint8_t **);
  int (*dropped)(rgc_handle, uint32_t, size_t *);
  int (*timestamp)(uint64_t *);
  int (*stream_id)(rgc_handle, rgc_stream, uint8_t, uint32_t *); /* these three may be NULL */
  int (*push)(int, uint64_t);
  int (*pop)(int, uint64_t *);
};

#endif
